//! `find_package`, `pkg_check_modules` and relatives.

use std::collections::BTreeSet;

use seatrial_packages::Key;

use super::{
    Declared,
    headers::{is_c_library, is_given},
};
use crate::{pattern::Pattern, tree::Tree};

static CALL: Pattern = Pattern::new(
    r"(?is)\b(find_package|pkg_check_modules|pkg_search_module|find_program|find_library|find_path|check_include_files?|check_include_file_cxx|check_library_exists|target_link_libraries|link_libraries|project|enable_language)\s*\(([^()]*)\)",
);
static OPTION_OFF: Pattern =
    Pattern::new(r#"(?is)\boption\s*\(\s*(\w+)\s+(?:"(?:[^"\\]|\\.)*"\s*)?(?:OFF|NO|FALSE|0)?\s*\)"#);
static CONDITION: Pattern =
    Pattern::new(r"(?i)^\s*(if|elseif|else|endif|function|endfunction|macro|endmacro)\s*\(([^)]*)");
static TARGET: Pattern = Pattern::new(r"(?i)\badd_(?:library|executable)\s*\(\s*([A-Za-z0-9_.+-]+)");

/// Names of targets that the project itself defines, and of options that are off by default.
#[derive(Debug, Default)]
pub(super) struct Own {
    targets: BTreeSet<String>,
    off: BTreeSet<String>,
}

impl Own {
    /// Takes a file's definitions.
    pub(super) fn learn(&mut self, text: &str) {
        self.targets.extend(TARGET.all(text).into_iter().map(str::to_owned));
        self.off.extend(OPTION_OFF.all(text).into_iter().map(str::to_owned));
    }
}

/// Reads a file. What only other systems do, and what an option that is off does, is left out. In a find module of the
/// project's own for a package that it requires, what is searched is required.
pub(super) fn read(tree: &Tree, text: &str, own: &Own, module_required: bool, declared: &mut Declared) {
    let text = without_comments(text);
    let (always, sometimes) = scopes(&text, own);
    for (text, always) in [(always, true), (sometimes, false)] {
        for groups in CALL.groups(&text) {
            let [name, arguments] = groups.as_slice() else { continue };
            let words: Vec<&str> = arguments
                .split_whitespace()
                .map(|word| word.trim_matches('"'))
                .collect();
            call(
                tree,
                &name.to_ascii_lowercase(),
                &words,
                own,
                (always, module_required),
                declared,
            );
        }
    }
}

fn call(
    tree: &Tree,
    name: &str,
    words: &[&str],
    own: &Own,
    (always, module_required): (bool, bool),
    declared: &mut Declared,
) {
    let required = words.contains(&"REQUIRED");
    // The first of several names is as good as any.
    let first_name = || {
        words
            .iter()
            .skip(1)
            .copied()
            .take_while(|word| {
                !matches!(
                    *word,
                    "PATHS" | "HINTS" | "PATH_SUFFIXES" | "DOC" | "ENV" | "NO_DEFAULT_PATH"
                )
            })
            .find(|word| !matches!(*word, "NAMES" | "NAMES_PER_DIR"))
    };
    match name {
        "find_package" => package(tree, words, required, declared),
        "project" | "enable_language" => {
            if words.iter().any(|word| word.eq_ignore_ascii_case("fortran")) {
                declared.add(Key::Command("gfortran".to_owned()), always);
            }
        }
        "find_program" => {
            if required && let Some(program) = words.iter().skip(1).find(|word| is_name(word) && **word != "NAMES") {
                declared.require(Key::Command((*program).to_owned()));
            }
        }
        "find_library" => {
            if let Some(library) = first_name().filter(|word| is_name(word) && !is_c_library(word)) {
                let library = library
                    .strip_prefix("lib")
                    .filter(|rest| rest.contains('.'))
                    .unwrap_or(library);
                let library = library.trim_end_matches(".so").trim_end_matches(".a");
                declared.add(Key::Library(library.to_owned()), required || module_required && always);
            }
        }
        "find_path" => {
            let header = first_name().filter(|word| word.contains('.') && is_path(word) && !is_given(word));
            if let Some(header) = header
                && !tree
                    .files()
                    .any(|path| path == header || path.strip_suffix(header).is_some_and(|rest| rest.ends_with('/')))
            {
                declared.add(Key::Header(header.to_owned()), required || module_required && always);
            }
        }
        "check_include_file" | "check_include_files" | "check_include_file_cxx" => {
            for header in words.first().iter().flat_map(|list| list.split(';')) {
                if is_path(header) && header.contains('.') && !is_given(header) {
                    declared.wish(Key::Header(header.to_owned()));
                }
            }
        }
        "check_library_exists" => {
            if let Some(library) = words.first().filter(|word| is_name(word) && !is_c_library(word)) {
                declared.wish(Key::Library((*library).to_owned()));
            }
        }
        "target_link_libraries" | "link_libraries" => {
            let skipped = usize::from(name == "target_link_libraries");
            for word in words.iter().skip(skipped) {
                let library = word.strip_prefix("-l").unwrap_or(word);
                let keyword = matches!(
                    library,
                    "PUBLIC"
                        | "PRIVATE"
                        | "INTERFACE"
                        | "LINK_PUBLIC"
                        | "LINK_PRIVATE"
                        | "debug"
                        | "optimized"
                        | "general"
                        | "LINK_INTERFACE_LIBRARIES"
                );
                let plain = library.len() > 1
                    && library.starts_with(|c: char| c.is_ascii_alphabetic())
                    && library
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '.' | '-'));
                if !keyword && plain && !is_c_library(library) && !own.targets.contains(library) {
                    // A target that a package or a sub-project defines has the same look: only a wish.
                    declared.wish(Key::Library(library.to_owned()));
                }
            }
        }
        _ => {
            for module in modules(words.iter().skip(1).copied()) {
                declared.add(Key::PkgConfig(module), required);
            }
        }
    }
}

/// What is done on a system like this in every case, and what under some condition.
fn scopes(text: &str, own: &Own) -> (String, String) {
    #[derive(Clone, Copy, PartialEq)]
    enum Scope {
        Always,
        Sometimes,
        Never,
    }
    let judge = |condition: &str| {
        let first = condition.split_whitespace().next().unwrap_or_default();
        let negated = first.eq_ignore_ascii_case("not");
        let name = if negated {
            condition.split_whitespace().nth(1).unwrap_or_default()
        } else {
            first
        };
        let several = condition.split_whitespace().any(|word| word.eq_ignore_ascii_case("or"));
        let foreign = matches!(
            name,
            "WIN32"
                | "MSVC"
                | "APPLE"
                | "MINGW"
                | "ANDROID"
                | "IOS"
                | "CYGWIN"
                | "EMSCRIPTEN"
                | "MSYS"
                | "BORLAND"
                | "HAIKU"
                | "WINCE"
                | "XCODE"
        ) || own.off.contains(name);
        let home = matches!(
            name,
            "UNIX" | "LINUX" | "CMAKE_COMPILER_IS_GNUCC" | "CMAKE_COMPILER_IS_GNUCXX"
        );
        let single = condition.split_whitespace().count() == if negated { 2 } else { 1 };
        if foreign && !negated && !several || home && negated && single {
            Scope::Never
        } else if foreign && negated && single && !own.off.contains(name) || home && single {
            Scope::Always
        } else {
            Scope::Sometimes
        }
    };
    let mut stack: Vec<Scope> = Vec::new();
    let (mut always, mut sometimes) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(groups) = CONDITION.groups(line).first() {
            let word = groups.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
            let condition = groups.get(1).copied().unwrap_or_default();
            match word.as_str() {
                "if" => stack.push(judge(condition)),
                "function" | "macro" => stack.push(Scope::Sometimes),
                "elseif" => {
                    if let Some(last) = stack.last_mut() {
                        let own = judge(condition);
                        *last = match (*last, own) {
                            (Scope::Always, _) | (_, Scope::Never) => Scope::Never,
                            _ => Scope::Sometimes,
                        };
                    }
                }
                "else" => {
                    if let Some(last) = stack.last_mut() {
                        *last = match *last {
                            Scope::Always => Scope::Never,
                            Scope::Never => Scope::Always,
                            Scope::Sometimes => Scope::Sometimes,
                        };
                    }
                }
                _ => {
                    stack.pop();
                }
            }
            continue;
        }
        let kept = if stack.contains(&Scope::Never) {
            continue;
        } else if stack.contains(&Scope::Sometimes) {
            &mut sometimes
        } else {
            &mut always
        };
        kept.push_str(line);
        kept.push('\n');
    }
    (always, sometimes)
}

fn is_path(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-' | '/'))
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
        let all = [&super::CALL, &super::OPTION_OFF, &super::CONDITION, &super::TARGET];
        assert!(all.iter().all(|pattern| pattern.compiles()));
    }
}
