//! `PKG_CHECK_MODULES`, `AC_CHECK_LIB`, and macros that some package defines.

use seatrial_packages::Key;

use super::{
    Declared,
    cmake::modules,
    headers::{is_c_library, is_given},
};
use crate::{pattern::Pattern, tree::Tree};

static MODULE_CALL: Pattern = Pattern::new(
    r"\b(PKG_CHECK_MODULES(?:_STATIC)?|PKG_CHECK_EXISTS|AC_CHECK_LIB|AC_SEARCH_LIBS|AC_CHECK_HEADERS?|AC_PATH_PROGS?|AC_CHECK_PROGS?|AC_CHECK_TOOL)\s*\(",
);
static MACRO: Pattern = Pattern::new(r"(?m)^\s*([A-Z][A-Z0-9]+_[A-Z0-9_]+)\b");
static DEFINITION: Pattern = Pattern::new(r"A[CU]_DEFUN(?:_ONCE)?\(\s*\[?([A-Za-z0-9_]+)");

/// Checks of compilers and tools that a box does not have by itself and that a project does not do without.
const LANGUAGES: [(&str, &str); 3] = [
    ("AC_PROG_F77", "gfortran"),
    ("AC_PROG_FC", "gfortran"),
    ("AM_PROG_VALAC([", "valac"),
];

pub(super) fn read(text: &str, macros: bool, declared: &mut Declared) {
    let text = without_comments(text);
    let mut rest = text.as_str();
    while let Some(call) = MODULE_CALL.first(rest) {
        // The first group is a part of `rest`, so what follows it starts right behind.
        let Some((_, tail)) = rest.split_once(call) else { break };
        let (arguments, after) = arguments(tail.trim_start());
        one(call, &arguments, declared);
        rest = after;
    }
    for (check, program) in LANGUAGES {
        if text.contains(check) {
            declared.require(Key::Command(program.to_owned()));
        }
    }
    if macros {
        for name in MACRO.all(&text) {
            if !is_builtin(name) {
                declared.require(Key::Macro(name.to_owned()));
            }
        }
    }
}

fn one(call: &str, arguments: &[String], declared: &mut Declared) {
    let first = arguments.first().map(String::as_str).unwrap_or_default();
    let second = arguments.get(1).map(String::as_str).unwrap_or_default();
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/'))
    };
    match call {
        "PKG_CHECK_EXISTS" => {
            for module in modules(first.split([' ', '\t', '\n', ','])) {
                declared.wish(Key::PkgConfig(module));
            }
        }
        "AC_CHECK_LIB" | "AC_SEARCH_LIBS" => {
            let names = if call == "AC_CHECK_LIB" { first } else { second };
            let fatal = arguments.get(3).is_some_and(|action| action.contains("AC_MSG_ERROR"));
            // Several names are alternatives: the first is as good as any.
            if let Some(name) = names
                .split_whitespace()
                .find(|name| is_word(name) && !is_c_library(name))
            {
                declared.add(Key::Library(name.to_owned()), fatal);
            }
        }
        "AC_CHECK_HEADER" | "AC_CHECK_HEADERS" => {
            for name in first.split_whitespace().filter(|name| {
                is_word(name) && std::path::Path::new(name).extension().is_some_and(|end| end == "h") && !is_given(name)
            }) {
                declared.wish(Key::Header(name.to_owned()));
            }
        }
        "AC_PATH_PROG" | "AC_CHECK_PROG" | "AC_CHECK_TOOL" | "AC_PATH_PROGS" | "AC_CHECK_PROGS" => {
            if let Some(name) = second
                .split_whitespace()
                .find(|name| is_word(name) && !name.contains('/'))
            {
                declared.wish(Key::Command(name.to_owned()));
            }
        }
        _ => {
            let fatal = arguments.len() < 4 || arguments.get(3).is_some_and(|action| action.contains("AC_MSG_ERROR"));
            for module in modules(second.split([' ', '\t', '\n', ','])) {
                declared.add(Key::PkgConfig(module), fatal);
            }
        }
    }
}

/// The arguments of a call whose opening parenthesis comes first, without their outer quotes, and the text behind it.
fn arguments(text: &str) -> (Vec<String>, &str) {
    let mut found = Vec::new();
    let mut current = String::new();
    let (mut round, mut square) = (0_i32, 0_i32);
    for (at, c) in text.char_indices() {
        match c {
            '[' => square += 1,
            ']' => square -= 1,
            '(' if square == 0 => {
                round += 1;
                if round == 1 {
                    continue;
                }
            }
            ')' if square <= 0 => {
                round -= 1;
                if round <= 0 {
                    found.push(unquoted(&current));
                    return (found, text.get(at + 1..).unwrap_or_default());
                }
            }
            ',' if round == 1 && square == 0 => {
                found.push(unquoted(&current));
                current.clear();
                continue;
            }
            _ => {}
        }
        // An unbalanced file must not swallow everything.
        if current.len() > 20_000 {
            break;
        }
        current.push(c);
    }
    (found, text.get(1..).unwrap_or_default())
}

fn unquoted(text: &str) -> String {
    let trimmed = text.trim();
    trimmed
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(trimmed)
        .trim()
        .to_owned()
}

/// Macros that Autoconf, Automake and Libtool define, which are there anyway.
fn is_builtin(name: &str) -> bool {
    let known = ["AC_", "AS_", "AH_", "AU_", "LT_", "PKG_", "_", "AT_", "LTDL_"];
    known.iter().any(|start| name.starts_with(start)) && name != "AC_PROG_INTLTOOL"
        || name.starts_with("AM_")
            && !name.starts_with("AM_PATH_")
            && !matches!(name, "AM_GLIB_GNU_GETTEXT" | "AM_GCONF_SOURCE_2" | "AM_ICONV" | "AM_GNU_GETTEXT" | "AM_GNU_GETTEXT_VERSION")
        || matches!(name, "AM_PATH_PYTHON" | "AM_PATH_LISPDIR" | "AM_PATH_LIB")
        || !name.contains('_')
        // Words of shell text: only these families are kept.
        || !["AX_", "AM_", "GTK_", "IT_", "GOBJECT_", "GNOME_", "XORG_", "XDT_", "GLIB_", "YELP_", "INTLTOOL", "AC_PROG_INTLTOOL",
            "APPDATA_", "APPSTREAM_", "VALA_", "MATE_", "GP_", "DOLT", "ACX_", "SDL_", "DX_", "EXO_", "LXQT_", "WX_", "PANDORA_"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// A macro that the tree itself defines needs no package.
pub(super) fn drop_own_macros(tree: &Tree, folder: &str, declared: &mut Declared) {
    let mut own = Vec::new();
    let is_m4 = |path: &&str| {
        std::path::Path::new(path).extension().is_some_and(|end| end == "m4")
            || path.ends_with("configure.ac")
            || path.ends_with("configure.in")
    };
    for path in tree.below(folder).filter(is_m4).take(400) {
        if let Some(text) = tree.text(path) {
            own.extend(DEFINITION.all(&text).into_iter().map(str::to_owned));
        }
    }
    declared
        .required
        .retain(|key| !matches!(key, Key::Macro(name) if own.iter().any(|known| known == name)));
}

fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| {
            let line = line.split("dnl ").next().unwrap_or_default();
            if line.trim_start().starts_with('#') || line.trim() == "dnl" {
                ""
            } else {
                line
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile_and_broken_calls_end() {
        assert!(
            [&MODULE_CALL, &MACRO, &DEFINITION]
                .iter()
                .all(|pattern| pattern.compiles())
        );
        let mut declared = Declared::default();
        read("PKG_CHECK_MODULES(A, [b\nAC_CHECK_LIB(", true, &mut declared);
        assert_eq!(declared, Declared::default());
    }
}
