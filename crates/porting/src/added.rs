//! What the target's compiler or linker must be told, and another's need not be: `-latomic`, `-fsigned-char`, `-fPIC`.

use regex::Regex;

use crate::{
    Repair,
    case::Case,
    draft::Draft,
    recipe::{Give, give},
    table::Sign,
};

fn with(case: &Case<'_>, to: Give, flag: &str, name: &str, confidence: u8, why: String) -> Vec<Repair> {
    let mut draft = Draft::new(case);
    give(&mut draft, to, flag);
    let what = if to == Give::Compilers { "compile" } else { "link" };
    draft
        .finish(name, confidence, format!("{what} with {flag}"), why)
        .into_iter()
        .collect()
}

/// Atomic operations that the processor has no instruction for are functions of a library.
pub(crate) fn atomic(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.iter().find(|sign| sign.text.contains("__atomic_")) else {
        return Vec::new();
    };
    let why = sign.quote("operations of this size are functions of libatomic on this processor");
    with(case, Give::Libraries, "-latomic", "link-atomic", 88, why)
}

/// Plain `char` has a sign on Intel's processors and none on Arm's, POWER and S/390.
pub(crate) fn signed_char(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let (Some(sign), false) = (signs.first(), crate::machine::is_x86(case.target())) else {
        return Vec::new();
    };
    let why = sign.quote("the code takes plain char for signed, and here it is not");
    with(case, Give::Compilers, "-fsigned-char", "signed-char", 84, why)
}

/// A test fails, and the sources hold negative numbers or the end of a file in a plain `char`.
pub(crate) fn suspected_char(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let (Some(sign), false) = (signs.first(), crate::machine::is_x86(case.target())) else {
        return Vec::new();
    };
    let Ok(suspect) = Regex::new(
        r"(?m)^[^/\n]*(?:\bchar\s+\w+\s*=\s*(?:-\s*\d|(?:f?getc|getchar|getopt\w*)\s*\()|\bchar\s+\w+(?:\[[^\]]*\])+\s*=\s*\{[^}]*-\s*\d|\(char\)\s*-\s*\d)",
    ) else {
        return Vec::new();
    };
    let found = case.sources().find_map(|path| {
        let text = case.text(path)?;
        let found = suspect.find(&text)?;
        Some((path.to_owned(), found.as_str().trim().to_owned()))
    });
    let Some((path, code)) = found else { return Vec::new() };
    let why = sign.quote(&format!(
        "{path} holds a negative number in a plain char ({code}), which has no sign here"
    ));
    with(case, Give::Compilers, "-fsigned-char", "signed-char", 60, why)
}

/// Code for a shared object that must not depend on where it is loaded.
pub(crate) fn position(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let mut repairs = Vec::new();
    let mut draft = Draft::new(case);
    let tops = case
        .files
        .iter()
        .filter(|path| path.rsplit('/').next() == Some("CMakeLists.txt"));
    let top = tops
        .min_by_key(|path| path.matches('/').count())
        .map_or("", String::as_str);
    draft.edit(top, |text| {
        if text.contains("CMAKE_POSITION_INDEPENDENT_CODE") {
            return None;
        }
        let line = "set(CMAKE_POSITION_INDEPENDENT_CODE ON)\n";
        let at = Regex::new(r"(?im)^\s*project\s*\([^)]*\).*\n")
            .ok()?
            .find(text)
            .map_or(0, |found| found.end());
        let (before, after) = text.split_at(at);
        Some(format!("{before}{line}{after}"))
    });
    let why = || {
        sign.quote("objects of a shared library must not depend on where they are loaded; another processor's linker lets it pass")
    };
    repairs.extend(draft.finish(
        "position-independent",
        86,
        "compile objects for shared libraries as such",
        why(),
    ));
    repairs.extend(with(case, Give::Compilers, "-fPIC", "position-independent", 82, why()));
    repairs
}
