//! `find_package`, `pkg_check_modules` and relatives.

use seatrial_packages::Key;

use super::Declared;
use crate::{pattern::Pattern, tree::Tree};

static CALL: Pattern =
    Pattern::new(r"(?is)\b(find_package|pkg_check_modules|pkg_search_module|find_program)\s*\(([^()]*)\)");

pub(super) fn read(tree: &Tree, text: &str, declared: &mut Declared) {
    let text = without_comments(text);
    for groups in CALL.groups(&text) {
        let [name, arguments] = groups.as_slice() else { continue };
        let words: Vec<&str> = arguments
            .split_whitespace()
            .map(|word| word.trim_matches('"'))
            .collect();
        let required = words.contains(&"REQUIRED");
        match name.to_ascii_lowercase().as_str() {
            "find_package" => package(tree, &words, required, declared),
            "find_program" => {
                if required && let Some(program) = words.iter().skip(1).find(|word| is_name(word) && **word != "NAMES")
                {
                    declared.require(Key::Command((*program).to_owned()));
                }
            }
            _ => {
                for module in modules(words.iter().skip(1).copied()) {
                    declared.add(Key::PkgConfig(module), required);
                }
            }
        }
    }
}

fn package(tree: &Tree, words: &[&str], required: bool, declared: &mut Declared) {
    let Some(name) = words.first().filter(|name| is_name(name)) else {
        return;
    };
    // A find module of the project's own knows better what it looks for: its calls are read by themselves.
    let module = format!("Find{name}.cmake");
    if tree.files().any(|path| crate::tree::base(path) == module) {
        return;
    }
    if matches!(
        *name,
        "Git" | "Threads" | "Doxygen" | "PkgConfig" | "Subversion" | "LATEX" | "OpenMP" | "CUDA" | "CUDAToolkit"
    ) {
        return;
    }
    let components: Vec<&str> = words
        .iter()
        .skip(1)
        .copied()
        .filter(|word| {
            is_name(word)
                && !matches!(
                    *word,
                    "REQUIRED"
                        | "QUIET"
                        | "COMPONENTS"
                        | "OPTIONAL_COMPONENTS"
                        | "EXACT"
                        | "CONFIG"
                        | "MODULE"
                        | "NO_MODULE"
                        | "NAMES"
                        | "NO_POLICY_SCOPE"
                        | "GLOBAL"
                        | "NO_DEFAULT_PATH"
                )
                && !word.starts_with(|c: char| c.is_ascii_digit())
        })
        .collect();
    declared.add(Key::CMake((*name).to_owned()), required);
    // Components of these are packages of their own.
    if name.starts_with("Qt") || name.starts_with("KF") {
        for component in components {
            declared.add(Key::CMake(format!("{name}{component}")), required);
        }
    } else if name.eq_ignore_ascii_case("boost") {
        for component in components {
            declared.add(Key::Library(format!("boost_{component}")), required);
        }
    }
}

/// Names of modules without version bounds and options.
pub(super) fn modules<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let mut names = Vec::new();
    let mut after_operator = false;
    for word in words {
        let is_operator = matches!(word, ">=" | "<=" | "=" | ">" | "<" | "==" | "!=");
        if is_operator || after_operator {
            after_operator = is_operator;
            continue;
        }
        let name: String = word.chars().take_while(|c| !matches!(c, '>' | '<' | '=')).collect();
        after_operator = name.is_empty() || name.len() + 1 == word.len() && word.ends_with(['=', '<', '>']);
        if matches!(
            name.as_str(),
            "REQUIRED"
                | "QUIET"
                | "IMPORTED_TARGET"
                | "GLOBAL"
                | "NO_CMAKE_PATH"
                | "NO_CMAKE_ENVIRONMENT_PATH"
                | "STATIC_TARGET"
        ) {
            continue;
        }
        if is_module(&name) {
            names.push(name);
        }
    }
    names
}

fn is_module(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().any(|c| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'))
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'))
}

fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn patterns_compile() {
        assert!(super::CALL.compiles());
    }
}
