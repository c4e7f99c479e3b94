//! Names that no file is called after: macros of Autoconf, and targets and commands of CMake, read where they are defined.

use serde::{Deserialize, Serialize};

use crate::classify::Family;

/// What is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Defined {
    /// An Autoconf macro.
    Macro,
    /// An imported target of CMake.
    Target,
    /// A function or macro of CMake, in lower case.
    Command,
}

impl Defined {
    pub(crate) fn family(self) -> Family {
        match self {
            Self::Macro => Family::MacroDefinition,
            Self::Target => Family::CMakeTarget,
            Self::Command => Family::CMakeCommand,
        }
    }
}

/// A definition in a package's file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Definition {
    /// What it is.
    pub what: Defined,
    /// The name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The file, without the leading slash.
    pub path: String,
}

/// What a macro file or a file of CMake's language defines, each name once. Other files define nothing.
pub fn definitions_of(path: &str, text: &str) -> Vec<(Defined, String)> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let mut found = match ending {
        "m4" | "ac" => macros(text),
        "cmake" => cmake(text),
        _ => Vec::new(),
    };
    found.sort();
    found.dedup();
    found
}

/// Words of M4 whose first argument is the name that they define.
const DEFINING: [&str; 10] = [
    "AC_DEFUN_ONCE",
    "AC_DEFUN",
    "AU_DEFUN",
    "AU_ALIAS",
    "m4_defun_once",
    "m4_defun",
    "m4_define",
    "m4_copy",
    "AC_DEFUN_COPY",
    "define",
];

fn macros(text: &str) -> Vec<(Defined, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        for word in DEFINING {
            let Some(rest) = line
                .strip_prefix(word)
                .and_then(|rest| rest.trim_start().strip_prefix('('))
            else {
                continue;
            };
            // `m4_copy(FROM, TO)` defines its second argument.
            let argument = if word.ends_with("opy") || word.ends_with("COPY") {
                rest.split(',').nth(1).unwrap_or_default()
            } else {
                rest
            };
            let name = argument.trim_start_matches([' ', '[', '`']);
            let end = name
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(name.len());
            let name = name.get(..end).unwrap_or_default();
            // Private ones are of no use to anybody else, and short words are of M4 itself.
            if name.len() > 3 && !name.starts_with('_') && name.contains('_') {
                found.push((Defined::Macro, name.to_owned()));
            }
            break;
        }
    }
    found
}

fn cmake(text: &str) -> Vec<(Defined, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        let Some((word, rest)) = line.split_once('(') else {
            continue;
        };
        let mut arguments = rest
            .split([' ', ')', '\t', '"'])
            .filter(|argument| !argument.is_empty());
        let Some(name) = arguments.next() else { continue };
        let word = word.trim_end();
        if word.eq_ignore_ascii_case("function") || word.eq_ignore_ascii_case("macro") {
            let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if plain && !name.starts_with('_') && name.len() > 3 {
                found.push((Defined::Command, name.to_ascii_lowercase()));
            }
        } else if (word.eq_ignore_ascii_case("add_library") || word.eq_ignore_ascii_case("add_executable"))
            && name.contains("::")
            && !name.contains(['$', '{', '@'])
        {
            found.push((Defined::Target, name.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_and_uses_are_not() {
        let names = |path: &str, text: &str| -> Vec<String> {
            definitions_of(path, text).into_iter().map(|(_, name)| name).collect()
        };
        assert_eq!(
            names(
                "usr/share/aclocal/x.m4",
                "dnl AC_DEFUN([NO_ONE])\nAC_DEFUN([AX_ONE], [\n  AC_REQUIRE([OTHER_ONE])\n])\nAU_ALIAS([OLD_ONE], [AX_ONE])\n\
                 AC_DEFUN_ONCE( [AX_TWO],\nm4_copy([AX_ONE], [AX_THREE])\nAC_DEFUN([_PRIVATE_ONE],[])\nAC_DEFUN(AM_PLAIN,[])\n"
            ),
            ["AM_PLAIN", "AX_ONE", "AX_THREE", "AX_TWO", "OLD_ONE"]
        );
        assert_eq!(
            names(
                "usr/lib/cmake/X/XTargets.cmake",
                "# function(no)\nfunction(X_Do_It arg)\nMACRO( x_more )\nadd_library(X::core SHARED IMPORTED)\n\
                 add_library(${name} SHARED)\nadd_executable(X::tool IMPORTED)\nmessage(function)\n"
            ),
            ["X::core", "X::tool", "x_do_it", "x_more"]
        );
        assert!(names("usr/include/x.h", "AC_DEFUN([AX_ONE])").is_empty());
    }
}
