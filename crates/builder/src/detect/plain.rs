//! C and C++ sources that no build file covers, grouped by `main`.

use std::collections::{BTreeMap, BTreeSet};

use super::{BuildRoot, BuildSystem};
use crate::{
    pattern::Pattern,
    tree::{Language, Tree, is_side_folder, language, parent},
};

static MAIN: Pattern = Pattern::new(
    r"(?m)^[ \t]*(?:extern[ \t]+\x22C\x22[ \t]+)?(?:(?:int|void|auto|signed)[ \t\r\n]+)?main[ \t]*\([^;{]*\)[^;{=]*(?:\{|$)",
);

/// Files that are looked into.
const FILES: usize = 400;

/// Adds the top folder, and folders with a `main` of their own, unless a build file at or above them covers them.
pub(super) fn find(tree: &Tree, found: &mut Vec<BuildRoot>) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for path in tree.files().filter(|path| language(path).is_some()) {
        *folders.entry(parent(path)).or_default() += 1;
    }
    // What reads another tool's project, or needs a tool that may not be had, leaves the sources to be tried as they are.
    let covered: BTreeSet<String> = found
        .iter()
        .filter(|root| {
            !matches!(
                root.system,
                BuildSystem::VisualStudio
                    | BuildSystem::CompileCommands
                    | BuildSystem::Bazel
                    | BuildSystem::Premake
                    | BuildSystem::Xmake
                    | BuildSystem::LuaRock
                    | BuildSystem::Arduino
            )
        })
        .map(|root| root.folder.clone())
        .collect();
    let is_covered = |folder: &str| {
        let mut at = folder;
        loop {
            if covered.contains(at) {
                return true;
            }
            if at.is_empty() {
                return false;
            }
            at = parent(at);
        }
    };
    for (folder, count) in folders {
        if is_covered(folder) || is_side_folder(folder) {
            continue;
        }
        found.push(BuildRoot {
            folder: folder.to_owned(),
            system: BuildSystem::PlainC,
            score: 0.0,
            evidence: vec![format!("{count} source files without a build file")],
            file: None,
        });
    }
}

/// The sources of a folder that is built without a build file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PlainSources {
    /// Files with a `main`, by name.
    pub(crate) mains: Vec<(String, Language)>,
    /// The other files, linked to each program.
    pub(crate) shared: Vec<(String, Language)>,
}

/// Sorts a folder's sources into programs and the rest.
pub(crate) fn sources(tree: &Tree, folder: &str) -> PlainSources {
    let mut sources = PlainSources::default();
    for name in tree.names_in(folder).into_iter().take(FILES) {
        let Some(language) = language(name) else { continue };
        let text = tree.text(&crate::tree::join(folder, name)).unwrap_or_default();
        let entry = (name.to_owned(), language);
        if has_main(&text) {
            sources.mains.push(entry);
        } else {
            sources.shared.push(entry);
        }
    }
    sources
}

/// Whether a source defines `main`.
pub(crate) fn has_main(text: &str) -> bool {
    MAIN.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_of_main_is_told_from_a_call() {
        for yes in [
            "int main(void)\n{\n}",
            "int\nmain(argc, argv)\nint argc;\nchar **argv;\n{",
            "main() {",
            "int main(int argc, char *argv[]) {",
            "void main(void)\n{",
        ] {
            assert!(has_main(yes), "{yes}");
        }
        for no in [
            "int domain(int x) {",
            "\tmain();\n",
            "int main(void);",
            "/* the main(loop) */ int x;",
        ] {
            assert!(!has_main(no), "{no}");
        }
    }
}
