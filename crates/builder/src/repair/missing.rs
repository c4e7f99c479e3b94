//! Missing names: what to look up, and which candidates were tried.

use std::collections::{BTreeMap, BTreeSet};

use seatrial_diagnosis::{Diagnosis, Kind, Problem, Remedy};
use seatrial_packages::{Context, Key, Resolver};

use crate::tree::{Tree, base};

/// Keys to look up for a problem, best first; none when it names nothing that a package could have.
pub(crate) fn keys(problem: &Problem, tree: &Tree) -> Vec<Key> {
    let name = problem.subject.trim();
    if name.is_empty() || name.len() > 200 {
        return Vec::new();
    }
    let lower = name.to_ascii_lowercase();
    let own = name.to_owned();
    match problem.kind {
        Kind::MissingHeader => {
            // A header of the project's own is a matter of search paths or of order, not of packages.
            if in_tree(tree, name) || is_generated_header(name) {
                Vec::new()
            } else {
                vec![Key::Header(own)]
            }
        }
        Kind::MissingPkgConfig => vec![
            Key::PkgConfig(own),
            Key::Library(lower.trim_start_matches("lib").to_owned()),
        ],
        Kind::MissingCMake if name.contains("::") => vec![Key::CMakeTarget(own)],
        Kind::MissingCMake => vec![Key::CMake(own), Key::PkgConfig(lower.clone()), Key::Library(lower)],
        Kind::MissingLibrary => {
            let stem = name.trim_start_matches("lib").to_owned();
            let header = format!("{}.h", lower.trim_start_matches("lib"));
            vec![
                Key::Library(own),
                Key::Library(stem),
                Key::PkgConfig(name.to_owned()),
                Key::PkgConfig(lower),
                Key::Header(header),
            ]
        }
        Kind::MissingCommand => {
            let program = base(name);
            // A script of the tree lacks its executable bit or its interpreter.
            if tree.files().any(|path| base(path) == program) {
                Vec::new()
            } else {
                vec![Key::Command(program.to_owned())]
            }
        }
        Kind::MissingMacro => vec![Key::Macro(own)],
        Kind::MissingPython => vec![Key::Python(own)],
        Kind::MissingSharedObject => vec![Key::Soname(base(name).to_owned())],
        Kind::MissingPerl => vec![Key::Perl(own)],
        Kind::MissingRuby => vec![Key::Ruby(own)],
        Kind::MissingNode => vec![Key::Node(own)],
        Kind::MissingR => vec![Key::R(own)],
        Kind::MissingTypelib => vec![Key::Typelib(own.clone()), Key::Vapi(own)],
        Kind::MissingFont => vec![Key::Font(own)],
        Kind::MissingTex => vec![Key::Tex(own)],
        Kind::MissingJava if name.contains(':') => vec![Key::Maven(own)],
        Kind::MissingJava => vec![Key::Java(own)],
        Kind::MissingHaskell => vec![Key::Haskell(own)],
        Kind::MissingOcaml => vec![Key::Ocaml(own)],
        Kind::MissingModule => vec![Key::Lua(own)],
        Kind::MissingGo => vec![Key::Go(own)],
        Kind::MissingCrate => vec![Key::Crate(own)],
        Kind::MissingFile if name.starts_with('/') && !name.starts_with("/build/") => vec![Key::Path(own)],
        _ => Vec::new(),
    }
}

/// Keys for what a remedy says would provide a problem's subject under another name.
pub(crate) fn other_keys(problem: &Problem) -> Vec<Key> {
    problem
        .remedies
        .iter()
        .filter_map(|remedy| {
            let Remedy::ProvideOther { of, name } = remedy else {
                return None;
            };
            let family = match of.as_str() {
                "command" => "cmd",
                "library" => "lib",
                "pkg_config" => "pc",
                "macro" => "m4",
                "python" => "py",
                "path" => "file",
                other => other,
            };
            format!("{family}:{name}").parse().ok()
        })
        .collect()
}

/// Whether the tree has a file that an `#include` of this name could mean.
pub(crate) fn in_tree(tree: &Tree, name: &str) -> bool {
    let name = name.trim_start_matches("./").trim_start_matches("../");
    tree.files()
        .any(|path| path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/')))
}

fn is_generated_header(name: &str) -> bool {
    let file = base(name);
    matches!(
        file,
        "config.h" | "version.h" | "revision.h" | "build.h" | "gitversion.h" | "git_version.h"
    ) || [".tab.h", ".pb.h", "_generated.h", ".moc"]
        .iter()
        .any(|end| file.ends_with(end))
        || ["ui_", "moc_", "qrc_"].iter().any(|start| file.starts_with(start))
}

/// Scores from here on say that a table knows the answer.
const OVERRIDE: f64 = 1e8;

/// Remembers which package was tried for which name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Missing {
    /// Packages that could not be installed.
    refused: BTreeSet<String>,
    /// Packages tried for each key.
    tried: BTreeMap<Key, Vec<String>>,
}

impl Missing {
    /// The next package for a problem, with its reason; none when all candidates were tried.
    ///
    /// A candidate that is installed already cannot be the answer, because the name is still missing.
    pub(crate) fn next(
        &mut self,
        keys: &[Key],
        resolver: &dyn Resolver,
        installed: &[String],
    ) -> Option<(String, String)> {
        let context = Context::of(installed.iter().map(String::as_str));
        for key in keys {
            let tried = self.tried.entry(key.clone()).or_default();
            // After a few wrong candidates the name means something else.
            if tried.len() >= 3 {
                continue;
            }
            let candidates = resolver.resolve_with(key, &context);
            // What is far behind the best answer has the name by chance. Scores of overrides are beyond comparison.
            let best = candidates
                .iter()
                .map(|candidate| candidate.score)
                .find(|score| *score < OVERRIDE);
            let least = best.unwrap_or(0.0) / 50.0;
            for candidate in candidates {
                let package = candidate.package;
                if candidate.score < least {
                    break;
                }
                if installed.contains(&package) || tried.contains(&package) || self.refused.contains(&package) {
                    continue;
                }
                tried.push(package.clone());
                return Some((package, format!("{key}: {}", candidate.because)));
            }
        }
        None
    }

    /// Packages that were tried for these keys so far.
    pub(crate) fn wrong(&self, keys: &[Key]) -> Vec<String> {
        keys.iter()
            .filter_map(|key| self.tried.get(key))
            .flatten()
            .cloned()
            .collect()
    }

    /// The best package for a key, without remembering it.
    pub(crate) fn best(&self, key: &Key, resolver: &dyn Resolver) -> Option<String> {
        resolver
            .resolve(key)
            .into_iter()
            .map(|candidate| candidate.package)
            .find(|package| !self.refused.contains(package))
    }

    /// Notes that a package cannot be installed here.
    pub(crate) fn refuse(&mut self, package: &str) {
        self.refused.insert(package.to_owned());
    }
}

/// The problems of a log that may be cured by packages, the root cause first.
pub(crate) fn problems(diagnosis: &Diagnosis) -> Vec<&Problem> {
    let mut problems: Vec<&Problem> = diagnosis.cause.iter().collect();
    for problem in &diagnosis.missing {
        if !problems
            .iter()
            .any(|known| known.kind == problem.kind && known.subject == problem.subject)
        {
            problems.push(problem);
        }
    }
    problems
}
