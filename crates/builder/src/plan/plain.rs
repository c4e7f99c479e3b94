//! Steps for sources without a build file: every file on its own, then one program for each `main`.

use std::fmt::Write as _;

use seatrial_core::{Purpose, Step};

use super::{Settings, shell, step};
use crate::{
    detect::PlainSources,
    tree::{Language, Tree, is_side_folder, parent},
};

/// Folders with headers that are searched.
const INCLUDES: usize = 24;

/// What is known of the sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    mains: Vec<(String, Language)>,
    shared: Vec<(String, Language)>,
    /// Name of the program or library, where a file's name says nothing.
    name: String,
    /// Folders with headers, relative to the top.
    includes: Vec<String>,
}

pub(super) fn facts(tree: &Tree, folder: &str, sources: PlainSources) -> Facts {
    let mut includes: Vec<String> = Vec::new();
    for path in tree.files() {
        let header = [".h", ".hpp", ".hh", ".hxx"].iter().any(|end| path.ends_with(end));
        let at = parent(path);
        if header && !is_side_folder(at) && !includes.iter().any(|known| known == at) {
            includes.push(at.to_owned());
            if includes.len() >= INCLUDES {
                break;
            }
        }
    }
    Facts {
        mains: sources.mains,
        shared: sources.shared,
        name: folder
            .split('/')
            .rev()
            .find(|part| {
                !matches!(*part, "" | "src" | "source" | "sources" | "code" | "lib") && super::place::is_plain(part)
            })
            .unwrap_or("main")
            .to_owned(),
        includes,
    }
}

/// The object of a source, as a word.
fn object(name: &str) -> String {
    shell::path("$OUT/build/", &format!("{name}.o"))
}

pub(super) fn steps(folder: &str, facts: &Facts, settings: &Settings, steps: &mut Vec<Step>) {
    let mut includes = String::from(" -I.");
    for path in &facts.includes {
        let _ = write!(includes, " -I{}", shell::path("$SRC/", path));
    }
    let libraries = settings
        .link_flags
        .iter()
        .fold(" -lm".to_owned(), |text, flag| text + " " + flag);
    let any_cxx = facts
        .mains
        .iter()
        .chain(&facts.shared)
        .any(|(_, language)| *language == Language::Cxx);
    let linker = if any_cxx { "g++" } else { "gcc" };
    let mut script = format!("{}mkdir -p \"$OUT/build\"\nstatus=0\n", settings.path_line());
    for (name, language) in facts.shared.iter().chain(&facts.mains) {
        let (tool, flags) = match language {
            Language::C => ("gcc", settings.c()),
            Language::Cxx => ("g++", settings.cxx()),
        };
        let _ = writeln!(
            script,
            "{tool} {flags} -fPIC{includes} -c {} -o {} || status=1",
            shell::path("./", name),
            object(name)
        );
    }
    let objects = facts.shared.iter().fold(String::new(), |text, (name, _)| {
        if facts.mains.is_empty() || !name.is_empty() {
            format!("{text} {}", object(name))
        } else {
            text
        }
    });
    for (name, _) in &facts.mains {
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let program = if stem == "main" { facts.name.as_str() } else { stem };
        let own = format!("{linker} -g {}", object(name));
        let out = format!("-o {}{libraries}", shell::path("$OUT/build/", program));
        if objects.is_empty() {
            let _ = writeln!(script, "{own} {out} || status=1");
        } else {
            let _ = writeln!(script, "{own}{objects} {out} || {own} {out} || status=1");
        }
    }
    if facts.mains.is_empty() {
        let name = &facts.name;
        let _ = writeln!(script, "ar rcs \"$OUT/build/lib{name}.a\"{objects} || status=1");
        let _ = writeln!(
            script,
            "{linker} -g -shared{objects} -o \"$OUT/build/lib{name}.so\"{libraries} || status=1"
        );
    }
    script.push_str("exit \"$status\"");
    steps.push(step(
        Purpose::Build,
        "there is no build file: every source on its own, then one program for each main",
        folder,
        script,
    ));
}
