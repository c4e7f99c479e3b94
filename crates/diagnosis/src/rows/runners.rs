//! Signatures of tests whose runner says little: doctest, sanitizers, programs that a make started, lists with one word a
//! test, and what test runners say of their own words and files.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Stop, Test},
    row,
};
use crate::{
    Kind,
    cure::Cure::{LookAtTest, ProvideOther, RunFirst, Set, Version},
};

/// A test's words without what stands around them.
fn plain(groups: &[String]) -> Vec<(Kind, String)> {
    let name = groups.first().map_or("", String::as_str);
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '-' | '*' | '"' | '\''));
    if name.is_empty() || name.chars().all(|c| c.is_ascii_digit()) {
        return Vec::new();
    }
    vec![(Kind::TestFailed, name.to_owned())]
}

/// `module.Class.method` of a test that should have failed.
fn unexpected(groups: &[String]) -> Vec<(Kind, String)> {
    let [method, place, ..] = groups else { return Vec::new() };
    let name = if place.ends_with(&format!(".{method}")) {
        place.clone()
    } else {
        format!("{place}.{method}")
    };
    vec![(Kind::TestFailed, name)]
}

pub(super) static ROWS: &[Row] = &[
    // pytest and unittest.
    row("pytest-version", Kind::ToolVersion, Build, r"'minversion' requires pytest-(\S+), actual").subject(Fixed("pytest")).remedies(&[Version("pytest", "{1}")]),
    row("pytest-option", Kind::UnknownOption, Build, r"(?:pytest|py\.test|__main__\.py)[^:\n]*: error: (?:argument (--?[^\s:/]+)|ambiguous option: (--?\S+))|^ERROR: Unknown config option: (\S+)").remedies(&[]),
    row("pytest-no-file", Kind::TestSetup, Test, r"^ERROR: (?:file or directory not found|not found): (\S+)").remedies(&[LookAtTest]),
    row("pytest-marker", Kind::TestSetup, Build, r"^E?\s*'([\w-]+)' not found in 'markers' configuration option").remedies(&[LookAtTest]),
    row("pytest-heading", Kind::TestFailed, Stop, r"^_{3,} (\w[\w.:\[\]/, -]*?) _{3,}$").unless(r"summary|ERROR").remedies(&[LookAtTest]).marks(&["___ "]),
    row("pytest-file", Kind::TestFailed, Stop, r"^(\S+\.py) [.sxX]*[FE][.sxXFE]*(?: +\[ *\d+%\])?$").remedies(&[LookAtTest]).marks(&[".py F", ".py E", ".py ."]),
    row("pytest-conftest", Kind::TestSetup, Stop, r"^(?:ImportError|ConftestImportFailure)[^\n]* while loading conftest '([^']+)'").subject(BaseName).remedies(&[LookAtTest]),
    row("unittest-unexpected", Kind::TestFailed, Test, r"^UNEXPECTED SUCCESS: (\w+) \(([\w.<>-]+)\)|^(\w+) \(([\w.<>-]+)\)[^\n]* \.\.\. unexpected success").subject(By(unexpected)).remedies(&[LookAtTest]),
    row("unittest-none", Kind::TestSetup, Stop, r"^NO TESTS RAN").subject(Fixed("")).remedies(&[LookAtTest]),
    row("doctest", Kind::TestFailed, Test, r#"^File "[^"]+", line \d+, in (\S+)\nFailed example:"#).marks(&[", line "]).with_next(1).remedies(&[LookAtTest]),
    // CTest and Meson.
    row("ctest-none", Kind::TestSetup, Stop, r"^No tests were found!!!").subject(Fixed("")).remedies(&[Set("BUILD_TESTING", "ON")]),
    row("meson-no-test", Kind::TestSetup, Stop, r"^No (?:suitable )?tests defined\.?$").subject(Fixed("")),
    // Sanitizers and assertions.
    row("sanitizer", Kind::TestCrashed, Test, r"==\d+==\s*ERROR: (?:Address|Leak|Memory|Thread|HWAddress)Sanitizer: ([\w-]+(?: memory leaks)?)").remedies(&[LookAtTest, Set("ASAN_OPTIONS", "detect_leaks=0")]),
    row("sanitizer-undefined", Kind::TestFailed, Stop, r"^\S+:\d+:\d+: runtime error: ([^\n]+)").remedies(&[LookAtTest]),
    row("assertion", Kind::TestCrashed, Test, r"^(?:lt-)?([\w.+-]+): [^\s:]+:\d+: [^\n]*: Assertion '[^\n]*' failed\.?$").remedies(&[LookAtTest]),
    row("assertion-glib", Kind::TestFailed, Test, r"^(?:Bail out! |\*\* )?ERROR:[^\s:]+:\d+:(\w+): assertion failed").remedies(&[LookAtTest]),
    row("crash-shell", Kind::TestCrashed, Stop, r"^[^\n]*line \d+: +\d+ (?:Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception)\s+(?:\(core dumped\) )?(?:[A-Z_]+=\S+ )*(\S+)").subject(BaseName).remedies(&[LookAtTest]),
    row("valgrind", Kind::TestFailed, Stop, r"^==\d+== ERROR SUMMARY: [1-9]\d* errors").subject(Fixed("")).remedies(&[LookAtTest]),
    // Lists with a word a test.
    row("list-before", Kind::TestFailed, Test, r"^\s*(?:\[ ?(?:FAIL|FAILED|fail|failed|NG|not ok) ?\]|(?:\x{2717}|\x{2718}|\x{2716}|\x{274c})) +(?:\d+[:.)] )?(\S[^\n]*?)(?: \(\d[\d.]* ?m?s\))?$").marks(&["[FAIL", "[ FAIL", "[fail", "[ fail", "[NG", "[not ok", "\u{2717}", "\u{2718}", "\u{2716}", "\u{274c}"]).subject(By(plain)).remedies(&[LookAtTest]),
    row("list-after", Kind::TestFailed, Test, r"^\s*(?:[Tt]est(?:ing|s)?:? (?:#?\d+[:.)]? )?|[Cc]heck(?:ing)?:? |[Rr]unning |\d+[:.)/] ?\d* ?)?(\w[^\n\[\]:=]*?) *(?:\.{2,} *|: +|\t+| {2,}|- )(?:\x1b\S*)?\[?(?:FAIL|FAILED|\*+ ?FAILED ?\*+|FAILURE|NOT OK|not ok)\]?[!.]?$").unless(r"^\d+% tests|^[Rr]esult|^[Ss]tatus|^[Ss]ummary|^make|(?i:tests|total|build|compilation|assertions|checks|number)\b *:").marks(&["FAIL", "NOT OK", "not ok"]).subject(By(plain)).remedies(&[LookAtTest]),
    row("list-numbered", Kind::TestFailed, Test, r"^(?:[Tt]est|TEST|[Cc]ase) (?:#?\d+)[:.)]? (\w[^\n]*?) (?:FAILED|failed|FAIL)[!.]?$").subject(By(plain)).marks(&["FAIL", "failed"]).remedies(&[LookAtTest]),
    row("list-error", Kind::TestFailed, Test, r"^(?:ERROR|Error|FAIL|FATAL|\*\*\*):? (?:[Tt]est(?:case)? '?([\w./+-]+)'? (?:has )?failed|'?([\w./+-]+)'? test failed)").remedies(&[LookAtTest]),
    row("list-count", Kind::TestFailed, Stop, r"^(?:\*+ )?(?:[1-9]\d* (?:of|out of|/) ?\d+ (?:unit )?tests? (?:have )?failed|[1-9]\d* (?:unit )?tests? (?:have )?failed|(?:Some|some|SOME) tests? (?:have )?(?:failed|FAILED)|Tests? failed: [1-9]|FAILED TESTS?:? *[1-9]|Failures: [1-9]|[Ff]ailed: [1-9]\d*\b)").subject(Fixed("")).remedies(&[LookAtTest]),
    // Other runners.
    row("dejagnu-error", Kind::TestSetup, Stop, r"^ERROR: (?:tcl error sourcing|\(DejaGnu\)|Couldn't find (?:tool init|library) file)[^\n]*?([^\s/]+?)\.?$").remedies(&[ProvideOther("command", "runtest")]),
    row("testthat", Kind::TestFailed, Test, r"^(?:── |-- )?(?:Failure|Error) \(([\w.-]+\.[Rr]):\d+").remedies(&[LookAtTest]),
    row("hspec", Kind::TestFailed, Test, r"^  To rerun use: --match \x22/?([^\x22]+?)/?\x22").remedies(&[LookAtTest]),
    row("eunit", Kind::TestFailed, Test, r"^([\w:]+): (\w+) ?\.{3}\*failed\*").remedies(&[LookAtTest]),
    row("mix-test", Kind::TestFailed, Test, r"^  1\) test (.+?) \([\w.]+\)$").remedies(&[LookAtTest]),
    row("dune-test", Kind::TestFailed, Stop, r#"^File "([^"]+)", line \d+, characters 0-0:$"#).subject(BaseName).remedies(&[LookAtTest]),
    row("test-data", Kind::TestSetup, Test, r"^(?:fatal: )?(?:[Cc]annot|[Cc]ould not|[Uu]nable to) (?:open|find|read|load) test (?:data|file|vector|input|case)s?:? '?([\w./-]+)").remedies(&[RunFirst("the step that makes {}")]),
];
