//! Indexes of other distributions, made of their own metadata: the `repodata` of rpm repositories and Alpine's `APKINDEX`.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use fs_err as fs;
use seatrial_source::BinaryPackage;

use crate::{
    BuildSummary, PackagesError,
    builder::{Collector, assemble},
    classify::Family,
    rpm,
};

/// Begins the reason of an answer that the package's metadata gives and no file.
pub(crate) const PROVIDES: &str = "provides ";

/// Metadata of another distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foreign {
    /// A folder with `repomd.xml` and what it names.
    Repodata(PathBuf),
    /// An `APKINDEX.tar.gz`, or the plain `APKINDEX` in it.
    ApkIndex(PathBuf),
}

impl Foreign {
    /// Tells from a path what it is; `None` when it is neither.
    pub fn of(path: &Path) -> Option<Self> {
        for folder in [path.to_owned(), path.join("repodata")] {
            if folder.join("repomd.xml").is_file() {
                return Some(Self::Repodata(folder));
            }
        }
        let name = path.file_name()?.to_str()?;
        (path.is_file() && name.starts_with("APKINDEX")).then(|| Self::ApkIndex(path.to_owned()))
    }
}

/// Builds the index of another distribution at `path`, replacing an older one in one step.
pub fn build_foreign(path: &Path, from: &Foreign) -> Result<BuildSummary, PackagesError> {
    match from {
        Foreign::Repodata(folder) => rpm::build(path, folder),
        Foreign::ApkIndex(file) => alpine(path, file),
    }
}

/// A package with empty fields for what a distribution does not tell.
pub(crate) fn package(name: &str) -> BinaryPackage {
    BinaryPackage {
        package: name.to_owned(),
        version: String::new(),
        source: String::new(),
        source_version: String::new(),
        filename: String::new(),
        size: 0,
        sha256: String::new(),
        section: String::new(),
        depends: String::new(),
        provides: String::new(),
        architecture: String::new(),
        priority: String::new(),
        essential: false,
    }
}

fn alpine(path: &Path, file: &Path) -> Result<BuildSummary, PackagesError> {
    let text = apk_text(file)?;
    let wrong = |problem: &str| PackagesError::Contents {
        path: file.to_owned(),
        problem: problem.to_owned(),
    };
    let mut binaries: Vec<BinaryPackage> = Vec::new();
    let mut provided: Vec<(String, String)> = Vec::new();
    for paragraph in text.split("\n\n") {
        let field = |letter: char| {
            paragraph
                .lines()
                .find_map(|line| line.strip_prefix(letter)?.strip_prefix(':'))
                .unwrap_or_default()
        };
        let name = field('P');
        if name.is_empty() {
            if !paragraph.trim().is_empty() {
                return Err(wrong("a paragraph names no package"));
            }
            continue;
        }
        // `so:libz.so.1=1.3` is a relation of its own; a colon ends a name in Debian's.
        let relations = |field: &str| {
            let names: Vec<_> = field
                .split_whitespace()
                .filter(|word| !word.starts_with('!'))
                .map(|word| {
                    word.split(['=', '<', '>', '~'])
                        .next()
                        .unwrap_or(word)
                        .replace(':', "!")
                })
                .collect();
            names.join(", ")
        };
        let mut binary = package(name);
        field('V').clone_into(&mut binary.version);
        field('o').clone_into(&mut binary.source);
        binary.depends = relations(field('D'));
        binary.provides = relations(field('p'));
        for word in field('p').split_whitespace() {
            let word = word.split(['=', '<', '>', '~']).next().unwrap_or(word);
            provided.push((name.to_owned(), word.to_owned()));
        }
        binaries.push(binary);
    }
    if binaries.is_empty() {
        return Err(wrong("it lists no package"));
    }
    let development = |name: &str| {
        let binary = binaries.iter().find(|binary| binary.package == name)?;
        [format!("{name}-dev"), format!("{}-dev", binary.source)]
            .into_iter()
            .find(|dev| binaries.iter().any(|binary| binary.package == *dev))
    };
    let libraries: Vec<Option<String>> = provided.iter().map(|(name, _)| development(name)).collect();
    assemble(path, &binaries, &[], &mut |collector: &mut Collector<'_>| {
        for ((name, word), development) in provided.iter().zip(&libraries) {
            let because = format!("{PROVIDES}{word}");
            let Some((kind, what)) = word.split_once(':') else {
                continue;
            };
            if kind == "so" {
                collector.define(Family::Soname, what, &because, name);
                // What is linked with is in the development package beside it.
                let stem = what.strip_prefix("lib").and_then(|stem| stem.split(".so").next());
                if let (Some(stem), Some(development)) = (stem, development) {
                    collector.define(Family::Library, stem, &because, development);
                }
            } else if kind == "pc" {
                collector.define(Family::PkgConfig, what, &because, name);
            } else if kind == "cmd" {
                collector.define(Family::Command, what, &because, name);
            } else if kind.starts_with("py3") {
                collector.define(Family::Python, &what.replace('.', "/"), &because, name);
            }
        }
        Ok(0)
    })
}

/// The signature and the index are two gzip members, which together are one tar.
fn apk_text(file: &Path) -> Result<String, PackagesError> {
    const LARGEST: u64 = 256 << 20;
    let failed = |error: std::io::Error| PackagesError::Contents {
        path: file.to_owned(),
        problem: error.to_string(),
    };
    let bytes = fs::read(file)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut archive = tar::Archive::new(MultiGzDecoder::new(bytes.as_slice()));
    // Between the two there may be the first one's end.
    archive.set_ignore_zeros(true);
    for entry in archive.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().map_err(failed)?.as_os_str() == "APKINDEX" {
            let mut text = Vec::new();
            entry.take(LARGEST).read_to_end(&mut text).map_err(failed)?;
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
    }
    Err(failed(std::io::Error::other("there is no APKINDEX in it")))
}
