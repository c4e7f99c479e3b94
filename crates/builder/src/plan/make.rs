//! Steps of plain makefiles.

use seatrial_core::{Purpose, Step};

use super::{Settings, step};
use crate::{
    BuildRoot,
    pattern::Pattern,
    tree::{Tree, join},
};

static INSTALL: Pattern = Pattern::new(r"(?m)^install[^=:\n]*:");
static INCLUDE: Pattern = Pattern::new(r"(?m)^-?include\s");

/// Makes the folders that old install rules take for granted; without them a program would become a file named `bin`.
pub(super) const PLACES: &str = "mkdir -p \"$PREFIX\"/bin \"$PREFIX\"/sbin \"$PREFIX\"/lib \"$PREFIX\"/include \"$PREFIX\"/etc \
     \"$PREFIX\"/man/man1 \"$PREFIX\"/share/man/man1\n";

/// What is known of a makefile before it is run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// The file, when Make does not find it by itself.
    pub(crate) file: Option<String>,
    /// Whether there is, or may be, something to install.
    pub(crate) installs: bool,
}

pub(super) fn facts(tree: &Tree, root: &BuildRoot) -> Facts {
    let name = root.file.clone().unwrap_or_default();
    let text = tree.text(&join(&root.folder, &name)).unwrap_or_default();
    let usual = matches!(name.as_str(), "GNUmakefile" | "makefile" | "Makefile");
    Facts {
        file: (!usual).then_some(name),
        installs: INSTALL.is_match(&text) || INCLUDE.is_match(&text),
    }
}

pub(super) fn steps(folder: &str, facts: &Facts, settings: &Settings, steps: &mut Vec<Step>) {
    let path = settings.path_line();
    let file = facts
        .file
        .as_ref()
        .map(|file| format!(" -f {file}"))
        .unwrap_or_default();
    steps.push(step(
        Purpose::Build,
        "the default target; a broken part does not stop the others",
        folder,
        format!("{path}make{file} -k {}{}", settings.jobs(), settings.build_words()),
    ));
    if facts.installs {
        steps.push(step(
            Purpose::Install,
            "what the project installs",
            folder,
            format!(
                "{path}{PLACES}make{file} -k install PREFIX=\"$PREFIX\" prefix=\"$PREFIX\" STRIP=:{}",
                settings
                    .build_arguments
                    .iter()
                    .filter(|word| word.contains('='))
                    .fold(String::new(), |text, word| text + " " + word)
            ),
        ));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn patterns_compile() {
        assert!(super::INSTALL.compiles() && super::INCLUDE.compiles());
    }
}
