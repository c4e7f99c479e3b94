//! Steps for lists of sources with their flags: every source on its own, then what they are linked to.

use std::fmt::Write as _;

use seatrial_core::{Purpose, Step};

use super::{Settings, shell, step};
use crate::tree::Language;

/// What another tool's project says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Units {
    /// In the order in which they can be built.
    pub(crate) targets: Vec<Target>,
    /// With the cross compiler for Windows.
    pub(crate) windows: bool,
}

/// One program or library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) product: Product,
    pub(crate) sources: Vec<Source>,
    /// Names of targets that are linked in, each after those that need it.
    pub(crate) needs: Vec<String>,
    /// `-l` words.
    pub(crate) libraries: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    Program,
    Shared,
    Archive,
}

/// A source with its own flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Relative to the top of the tree.
    pub(crate) path: String,
    pub(crate) language: Language,
    /// Words for Bash.
    pub(crate) flags: String,
}

pub(super) fn steps(units: &Units, settings: &Settings, steps: &mut Vec<Step>) {
    let prefix = if units.windows { "x86_64-w64-mingw32-" } else { "" };
    let further = settings
        .link_flags
        .iter()
        .fold(String::new(), |text, flag| text + " " + flag);
    let mut script = format!("{}mkdir -p \"$OUT/build\"\nstatus=0\n", settings.path_line());
    for (number, target) in units.targets.iter().enumerate() {
        let mut objects = String::new();
        let mut cxx = false;
        for source in &target.sources {
            let (tool, flags) = match source.language {
                Language::C => ("gcc", settings.c()),
                Language::Cxx => ("g++", settings.cxx()),
            };
            cxx |= source.language == Language::Cxx;
            let object = shell::path(
                &format!("$OUT/build/{number}-"),
                &format!("{}.o", source.path.replace(['/', ' '], "_")),
            );
            let position = if units.windows { "" } else { " -fPIC" };
            let _ = writeln!(
                script,
                "{prefix}{tool} {flags}{position}{} -c {} -o {object} || status=1",
                source.flags,
                shell::path("$SRC/", &source.path)
            );
            let _ = write!(objects, " {object}");
        }
        for need in &target.needs {
            if let Some(other) = units.targets.iter().find(|other| other.name == *need) {
                cxx |= other.sources.iter().any(|source| source.language == Language::Cxx);
            }
        }
        let linker = if cxx { "g++" } else { "gcc" };
        let file = file_name(target, units.windows);
        let _ = match target.product {
            Product::Archive => writeln!(
                script,
                "rm -f \"$OUT/build/{file}\"; {prefix}ar rcs \"$OUT/build/{file}\"{objects} || status=1"
            ),
            Product::Program | Product::Shared => {
                let mut links = String::new();
                for need in &target.needs {
                    if let Some(other) = units.targets.iter().find(|other| other.name == *need)
                        && other.product != Product::Program
                    {
                        let _ = write!(links, " \"$OUT/build/{}\"", file_name(other, units.windows));
                    }
                }
                for library in &target.libraries {
                    let _ = write!(links, " {library}");
                }
                let shared = if target.product == Product::Shared {
                    " -shared"
                } else {
                    ""
                };
                writeln!(
                    script,
                    "{prefix}{linker} -g{shared}{objects} -o \"$OUT/build/{file}\"{links} -lm{further} || status=1"
                )
            }
        };
    }
    script.push_str("exit \"$status\"");
    steps.push(step(
        Purpose::Build,
        "the list of sources is another tool's: every source on its own, then what they are linked to",
        "$SRC",
        script,
    ));
}

fn file_name(target: &Target, windows: bool) -> String {
    match (target.product, windows) {
        (Product::Program, false) => target.name.clone(),
        (Product::Program, true) => format!("{}.exe", target.name),
        (Product::Shared, false) => format!("lib{}.so", target.name.trim_start_matches("lib")),
        (Product::Shared, true) => format!("{}.dll", target.name),
        (Product::Archive, _) => format!("lib{}.a", target.name.trim_start_matches("lib")),
    }
}
