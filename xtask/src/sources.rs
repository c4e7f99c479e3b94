//! Rules for each Rust file: how it starts, how long it is, and what it must not hold.

use crate::{
    code::{test_lines, without_prose},
    finding::Finding,
};

/// Lines without tests at which a file should be split, and at which it must be.
const WARN_LINES: usize = 500;
const FAIL_LINES: usize = 800;

/// Where a rule about a file's words holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Every Rust file.
    Everywhere,
    /// Code of libraries that is no test.
    Libraries,
    /// Code of `seatrial-core` that is no test.
    Core,
    /// Everything but the sandbox, which speaks to the kernel.
    OutsideSandbox,
}

/// Words of code that are not allowed, each with where, why, and what to do.
const WORDS: [(Scope, &str, &str, &str); 20] = {
    use Scope::{Core, Everywhere, Libraries, OutsideSandbox};
    const SKIP: &str = "Let the test print `skipped: why` and return, or remove it.";
    const FINISH: &str = "Write the code, or return an error that says what is missing.";
    const EXPECT: &str = "Use `#[expect(lint, reason = \"...\")]`: it speaks up when it is no longer needed.";
    const PASS: &str = "Take the value as an argument; only the command line reads the environment.";
    const NO_IO: &str = "`seatrial-core` holds words only: move this to a higher floor.";
    [
        (Everywhere, "#[ignore", "an ignored test proves nothing", SKIP),
        (Everywhere, "todo!", "unfinished code", FINISH),
        (Everywhere, "unimplemented!", "unfinished code", FINISH),
        (Everywhere, "dbg!", "a leftover of debugging", "Remove it."),
        (Everywhere, "#[allow(", "a lint is silenced for ever", EXPECT),
        (Everywhere, "#![allow(", "a lint is silenced for ever", EXPECT),
        (
            OutsideSandbox,
            "expect(unsafe_code",
            "unsafe code outside the sandbox",
            "Move the call to the kernel into crates/sandbox.",
        ),
        (Libraries, "env::var", "a library reads the environment", PASS),
        (Libraries, "env::home_dir", "a library looks for the home folder", PASS),
        (Libraries, "env::set_var", "a library changes the environment", PASS),
        (
            Libraries,
            "env::current_dir",
            "a library depends on the working folder",
            PASS,
        ),
        (Core, "std::fs", "file access", NO_IO),
        (Core, "fs_err", "file access", NO_IO),
        (Core, "std::net", "network access", NO_IO),
        (Core, "process::Command", "a process is started", NO_IO),
        (Core, "std::io", "input or output", NO_IO),
        (Core, "std::thread", "a thread", NO_IO),
        (Core, "SystemTime", "a clock", NO_IO),
        (Core, "Instant", "a clock", NO_IO),
        (Core, "async fn", "asynchronous code", NO_IO),
    ]
};

/// What kind of file a path names.
struct Kind {
    /// Tests, benches and examples.
    test: bool,
    /// Part of a library crate, not of a program.
    library: bool,
    core: bool,
    sandbox: bool,
}

impl Kind {
    fn of(path: &str) -> Self {
        let within = |folder: &str| path.split('/').rev().skip(1).any(|part| part == folder);
        let test = within("tests") || within("benches") || within("examples") || path.ends_with("/tests.rs");
        let program =
            !path.starts_with("crates/") || path.starts_with("crates/seatrial/") || path.contains("/src/bin/");
        Self {
            test,
            library: !program && !test,
            core: path.starts_with("crates/core/"),
            sandbox: path.starts_with("crates/sandbox/"),
        }
    }

    fn is_in(&self, scope: Scope) -> bool {
        match scope {
            Scope::Everywhere => true,
            Scope::Libraries => self.library,
            Scope::Core => self.core && !self.test,
            Scope::OutsideSandbox => !self.sandbox,
        }
    }
}

/// Paths, without `.rs`, of modules that a file declares under `#[cfg(test)]` and that lie in files of their own.
pub(crate) fn test_modules(path: &str, text: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let folder = match stem.rsplit_once('/') {
        Some((folder, "lib" | "main" | "mod")) => folder,
        _ => stem,
    };
    let code = without_prose(text);
    code.split("#[cfg(test)]")
        .skip(1)
        .filter_map(|after| Some(after.trim_start().strip_prefix("mod ")?.split_once(';')?.0))
        // With anything but a name before the first `;`, the module is written out right there.
        .filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .map(|name| format!("{folder}/{name}"))
        .collect()
}

/// Checks one Rust file; `path` is relative to the checkout, and `test_modules` are those that any file declares.
pub(crate) fn check(path: &str, text: &str, test_modules: &[String]) -> Vec<Finding> {
    let mut kind = Kind::of(path);
    let is_test_module = test_modules.iter().any(|module| {
        let tail = path.strip_prefix(module.as_str());
        tail.is_some_and(|tail| tail == ".rs" || tail.starts_with('/'))
    });
    if is_test_module {
        kind.test = true;
        kind.library = false;
    }
    let mut findings = Vec::new();
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with("//!") {
        findings.push(Finding::error(
            format!("{path}:1"),
            "header",
            "the file does not start with `//!`",
            "Say in one or two sentences what the module is for and what it is not.",
        ));
    }
    let code = without_prose(text);
    let tests = test_lines(&code);
    let own_lines = tests.iter().filter(|test| !**test).count();
    findings.extend(length(path, own_lines, kind.test));
    for (number, (line, is_test)) in code.lines().zip(tests).enumerate() {
        for (scope, word, problem, remedy) in WORDS {
            let everywhere = matches!(scope, Scope::Everywhere | Scope::OutsideSandbox);
            if (everywhere || !is_test) && kind.is_in(scope) && has_word(line, word) {
                findings.push(Finding::error(
                    format!("{path}:{}", number + 1),
                    "words-of-code",
                    format!("`{word}`: {problem}"),
                    remedy,
                ));
            }
        }
    }
    findings
}

fn length(path: &str, lines: usize, is_test: bool) -> Option<Finding> {
    const RULE: &str = "file-size";
    if lines > FAIL_LINES && !is_test {
        Some(Finding::error(
            path,
            RULE,
            format!("{lines} lines without tests, {FAIL_LINES} at most"),
            "Split it by noun: one thing, one file.",
        ))
    } else if lines > if is_test { FAIL_LINES } else { WARN_LINES } {
        Some(Finding::warning(
            path,
            RULE,
            format!("{lines} lines"),
            "Split it by noun before it grows further.",
        ))
    } else {
        None
    }
}

/// Whether the word stands in the line and is not the tail of a longer name.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::finding::listing;

    fn check_file(path: &str, text: &str, expected: &Expect) {
        expected.assert_eq(&listing(&check(
            path,
            text,
            &["crates/store/src/rows/samples".to_owned()],
        )));
    }

    #[test]
    fn a_clean_file_has_no_findings() {
        check_file(
            "crates/store/src/lib.rs",
            "//! Keeps things; todo!() in prose is fine.\nfn a() -> &'static str { \"#[ignore]\" }\n",
            &expect![[""]],
        );
    }

    #[test]
    fn code_that_breaks_a_rule_is_named_with_its_line() {
        check_file(
            "crates/store/src/lib.rs",
            "fn a() { todo!() }\n#[allow(dead_code)]\nfn b() { std::env::var(\"HOME\") }\n#[cfg(test)]\nmod tests {\n#[ignore]\nfn c() { std::env::var(\"X\") }\n}\n",
            &expect![[r#"
                error: crates/store/src/lib.rs:1 [header]: the file does not start with `//!`
                  Say in one or two sentences what the module is for and what it is not.
                error: crates/store/src/lib.rs:1 [words-of-code]: `todo!`: unfinished code
                  Write the code, or return an error that says what is missing.
                error: crates/store/src/lib.rs:2 [words-of-code]: `#[allow(`: a lint is silenced for ever
                  Use `#[expect(lint, reason = "...")]`: it speaks up when it is no longer needed.
                error: crates/store/src/lib.rs:3 [words-of-code]: `env::var`: a library reads the environment
                  Take the value as an argument; only the command line reads the environment.
                error: crates/store/src/lib.rs:6 [words-of-code]: `#[ignore`: an ignored test proves nothing
                  Let the test print `skipped: why` and return, or remove it.
            "#]],
        );
    }

    #[test]
    fn each_room_has_its_own_bans() {
        let text = "//! x\n#![expect(unsafe_code, reason = \"\")]\nuse std::io::Read;\nfn home() { std::env::var_os(\"X\") }\n";
        check_file("crates/sandbox/tests/it/main.rs", text, &expect![[""]]);
        check_file(
            "crates/seatrial/src/main.rs",
            text,
            &expect![[r"
                error: crates/seatrial/src/main.rs:2 [words-of-code]: `expect(unsafe_code`: unsafe code outside the sandbox
                  Move the call to the kernel into crates/sandbox.
            "]],
        );
        check_file(
            "crates/core/src/lib.rs",
            text,
            &expect![[r"
                error: crates/core/src/lib.rs:2 [words-of-code]: `expect(unsafe_code`: unsafe code outside the sandbox
                  Move the call to the kernel into crates/sandbox.
                error: crates/core/src/lib.rs:3 [words-of-code]: `std::io`: input or output
                  `seatrial-core` holds words only: move this to a higher floor.
                error: crates/core/src/lib.rs:4 [words-of-code]: `env::var`: a library reads the environment
                  Take the value as an argument; only the command line reads the environment.
            "]],
        );
    }

    #[test]
    fn modules_of_tests_are_known_by_their_declaration() {
        let text = "mod a;\n#[cfg(test)]\nmod samples;\n#[cfg(test)]\nmod tests {\n    use x;\n}\n";
        assert_eq!(
            test_modules("crates/a/src/rows.rs", text),
            ["crates/a/src/rows/samples"]
        );
        assert_eq!(test_modules("crates/a/src/lib.rs", text), ["crates/a/src/samples"]);
        assert_eq!(
            test_modules("crates/a/src/rows/mod.rs", text),
            ["crates/a/src/rows/samples"]
        );
    }

    #[test]
    fn length_counts_code_without_tests() {
        let long = |lines: usize| format!("//! x\n{}", "fn a() {}\n".repeat(lines));
        let with_tests = format!(
            "{}#[cfg(test)]\nmod tests {{\n{}}}\n",
            long(400),
            "fn t() {}\n".repeat(900)
        );
        check_file("crates/store/src/lib.rs", &with_tests, &expect![[""]]);
        check_file(
            "crates/store/src/lib.rs",
            &long(600),
            &expect![[r"
                warning: crates/store/src/lib.rs [file-size]: 601 lines
                  Split it by noun before it grows further.
            "]],
        );
        check_file(
            "crates/store/src/lib.rs",
            &long(900),
            &expect![[r"
                error: crates/store/src/lib.rs [file-size]: 901 lines without tests, 800 at most
                  Split it by noun: one thing, one file.
            "]],
        );
        let samples = format!("{}fn a() {{ std::env::var(\"X\") }}\n", long(300));
        check_file("crates/store/src/rows/samples.rs", &samples, &expect![[""]]);
        check_file(
            "crates/store/tests/it/main.rs",
            &long(900),
            &expect![[r"
                warning: crates/store/tests/it/main.rs [file-size]: 901 lines
                  Split it by noun before it grows further.
            "]],
        );
    }
}
