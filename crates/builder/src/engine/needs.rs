//! Names that a build lacks: declared ones, those of a diagnosis, and a configure script's last question.

use seatrial_diagnosis::{Diagnosis, Kind};
use seatrial_packages::{Key, Resolver};

use crate::{
    declared::Declared,
    pattern::Pattern,
    repair::{Missing, keys, other_keys, problems},
    tree::Tree,
};

/// Packages for declared needs, each once, in order.
pub(super) fn packages_for(needs: &[Key], missing: &Missing, resolver: &dyn Resolver) -> Vec<String> {
    let mut packages = Vec::new();
    for key in needs {
        if let Some(package) = missing.best(key, resolver)
            && !packages.contains(&package)
        {
            packages.push(package);
        }
    }
    packages
}

/// What a project would like to have, without programs: those make documents, as a rule.
pub(super) fn wishes(declared: &Declared) -> Vec<Key> {
    declared
        .optional
        .iter()
        .filter(|key| !matches!(key, Key::Command(_)))
        .cloned()
        .collect()
}

/// The names that a diagnosis says are missing, each with the ways to look it up.
pub(super) fn missing_keys(diagnosis: &Diagnosis, tree: &Tree) -> Vec<Vec<Key>> {
    problems(diagnosis)
        .into_iter()
        .filter(|problem| problem.kind != Kind::StaleAutotools)
        .map(|problem| {
            let mut all = keys(problem, tree);
            all.extend(
                other_keys(problem)
                    .into_iter()
                    .filter(|key| !all.contains(key))
                    .collect::<Vec<_>>(),
            );
            all
        })
        .filter(|keys| !keys.is_empty())
        .collect()
}

static LIBRARY_FILE: Pattern = Pattern::new(r"(?:^|/)lib([A-Za-z0-9_+-]+)\.(?:a|so)$");
static CHECK: Pattern = Pattern::new(
    r"(?m)^checking (?:for|if|whether) (?:lib)?([A-Za-z0-9_.+/-]+)(?:\(\))?(?: in -l([A-Za-z0-9_+-]+)| [^\n.]*)?\.\.\.[^\n]*\bno(?:t found)?\s*$",
);

const WORDS: &[&str] = &[
    "a",
    "an",
    "the",
    "to",
    "we",
    "it",
    "this",
    "that",
    "gcc",
    "g++",
    "cc",
    "c",
    "c++",
    "compiler",
    "linker",
    "ld",
    "make",
    "stripping",
    "libtool",
    "shared",
    "static",
    "build",
    "host",
    "target",
    "working",
    "large",
    "size",
    "maintainer-specific",
];

/// The last things that a configure script looked for and did not find, before it gave up.
pub(super) fn last_checks(log: &str) -> Vec<Vec<Key>> {
    let end: Vec<&str> = log.lines().collect();
    let tail = end.get(end.len().saturating_sub(25)..).unwrap_or_default().join("\n");
    let Some(groups) = CHECK.groups(&tail).into_iter().next_back() else {
        return Vec::new();
    };
    let [name, library] = groups.as_slice() else {
        return Vec::new();
    };
    if !library.is_empty() {
        return vec![vec![
            Key::Library((*library).to_owned()),
            Key::PkgConfig((*library).to_owned()),
        ]];
    }
    if let Some(library) = LIBRARY_FILE.first(name) {
        return vec![vec![Key::Library(library.to_owned())]];
    }
    if std::path::Path::new(name).extension().is_some_and(|end| end == "h") {
        return vec![vec![Key::Header((*name).to_owned())]];
    }
    let lower = name.to_ascii_lowercase();
    // Words of a question such as "whether to build shared libraries".
    if WORDS.contains(&lower.as_str()) {
        return Vec::new();
    }
    vec![vec![
        Key::Command((*name).to_owned()),
        Key::PkgConfig(lower.clone()),
        Key::Library(lower.clone()),
        Key::Header(format!("{lower}.h")),
    ]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_failed_check_is_looked_up() {
        assert!(CHECK.compiles() && LIBRARY_FILE.compiles());
        let names = |log: &str| -> Vec<String> {
            last_checks(log)
                .into_iter()
                .flatten()
                .map(|key| key.to_string())
                .collect()
        };
        assert_eq!(
            names("checking for gcc... gcc\nchecking for png_read in -lpng... no\nconfigure: error: sorry"),
            ["library `png`", "pkg-config module `png`"]
        );
        assert_eq!(
            names("checking for foo/bar.h... no\nconfigure: error: sorry"),
            ["header `foo/bar.h`"]
        );
        assert!(names("checking whether to build shared libraries... no\nconfigure: error: sorry").is_empty());
        assert!(names("checking for gcc... gcc\nconfigure: error: sorry").is_empty());
    }
}
