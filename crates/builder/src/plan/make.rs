//! Steps of plain makefiles.

use seatrial_core::{Purpose, Step};

use super::{Settings, shell, step, toolchains};
use crate::{
    BuildRoot,
    pattern::Pattern,
    tree::{Tree, join},
};

static INSTALL: Pattern = Pattern::new(r"(?m)^install[^=:\n]*:");
static TOOLS: Pattern = Pattern::new(r"(?m)^[ \t]*PREFIX[ \t]*\?=[ \t]*\S*-[ \t]*(?:#|$)");
static INCLUDE: Pattern = Pattern::new(r"(?m)^-?include\s");

static FIRST: Pattern = Pattern::new(r"(?m)^([A-Za-z0-9_/-][A-Za-z0-9_./-]*)[ \t]*:(?:[^=]|$)");
static FURTHER: Pattern = Pattern::new(
    r"(?m)^(all|shared|shared-lib|sharedlib|shared_lib|dynamic|solib|so|lib|libs|library|tools|utils|progs|programs|cli|plugins|modules)[ \t]*:(?:[^=]|$)",
);

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
    /// Targets whose names say that they make libraries or programs which may not be among the usual ones.
    pub(crate) further: Vec<String>,
    /// `PREFIX` is the start of its tools' names: the recipe's own, which is a folder, must not reach it.
    pub(crate) names_tools: bool,
    /// What it is for beside the usual.
    pub(crate) purpose: toolchains::Purpose,
}

pub(super) fn facts(tree: &Tree, root: &BuildRoot) -> Facts {
    let name = root.file.clone().unwrap_or_default();
    let text = tree.text(&join(&root.folder, &name)).unwrap_or_default();
    let usual = matches!(name.as_str(), "GNUmakefile" | "makefile" | "Makefile");
    Facts {
        file: (!usual).then_some(name),
        installs: INSTALL.is_match(&text) || INCLUDE.is_match(&text),
        further: further(&text),
        names_tools: TOOLS.is_match(&text),
        purpose: toolchains::purpose(tree, &root.folder, &text),
    }
}

/// Targets that are worth a build of their own; the first rule's is built anyway.
fn further(text: &str) -> Vec<String> {
    let first = FIRST.first(text).unwrap_or_default();
    FURTHER
        .all(text)
        .into_iter()
        .filter(|target| *target != first)
        .map(str::to_owned)
        .collect()
}

pub(super) fn steps(folder: &str, facts: &Facts, settings: &Settings, steps: &mut Vec<Step>) {
    let path = settings.path_line();
    let tools = if facts.names_tools { "unset PREFIX\n" } else { "" };
    let file = facts
        .file
        .as_ref()
        .map(|file| format!(" -f {}", shell::word(file)))
        .unwrap_or_default();
    let words = facts.purpose.words;
    if let Some(commands) = &facts.purpose.configure {
        steps.push(step(
            Purpose::Configure,
            "the tree wants a configuration; its default one is taken",
            folder,
            format!("{path}{commands}"),
        ));
    }
    steps.push(step(
        Purpose::Build,
        "the default target; a broken part does not stop the others",
        folder,
        format!(
            "{path}{tools}make{file}{words} -k {}{}",
            settings.jobs(),
            settings.build_words()
        ),
    ));
    for target in &settings.targets {
        let mut further = step(
            Purpose::Build,
            "a further target, which the usual one leaves out",
            folder,
            format!("{path}{tools}make{file}{words} -k {} {target}", settings.jobs()),
        );
        further.keep_going = true;
        steps.push(further);
    }
    if facts.installs {
        let place = if facts.purpose.staged {
            "DESTDIR=\"$PREFIX\""
        } else {
            "PREFIX=\"$PREFIX\" prefix=\"$PREFIX\""
        };
        steps.push(step(
            Purpose::Install,
            "what the project installs",
            folder,
            format!(
                "{path}{PLACES}make{file}{words} -k install {place} STRIP=:{}",
                settings
                    .build_arguments
                    .iter()
                    .filter(|word| word.contains('='))
                    .fold(String::new(), |text, word| text + " " + &shell::argument(word))
            ),
        ));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn targets_that_the_usual_one_may_leave_out() {
        let text = "X := 1\n.PHONY: all\nall: ship\nship: a.o\nshared: libship.so\nlib:\n\ttrue\ntools = x\n";
        assert_eq!(super::further(text), ["shared", "lib"]);
        assert_eq!(super::further("ship: a.o\nall: ship boat\n"), ["all"]);
    }

    #[test]
    fn a_prefix_of_tools_is_told_from_a_folder() {
        for text in ["PREFIX ?= arm-none-eabi-\n", "PREFIX?=$(HOME)/bin/avr- # tools\n"] {
            assert!(super::TOOLS.is_match(text), "{text}");
        }
        for text in ["PREFIX ?= /usr/local\n", "PREFIX = x-\n", "PREFIX ?= a- b\n"] {
            assert!(!super::TOOLS.is_match(text), "{text}");
        }
    }

    #[test]
    fn patterns_compile() {
        assert!(
            super::INSTALL.compiles()
                && super::INCLUDE.compiles()
                && super::FURTHER.compiles()
                && super::FIRST.compiles()
                && super::TOOLS.compiles()
        );
    }
}
