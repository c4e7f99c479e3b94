//! A case as its folder tells it, whatever the format.

use std::path::{Component, Path, PathBuf};

use fs_err as fs;
use seatrial_core::Arch;

use super::CaseProblem;

/// What was read from a case folder.
#[derive(Debug)]
pub(super) struct Case {
    /// The package's name.
    pub(super) package: String,
    /// Where it fails.
    pub(super) target: Arch,
    /// Where it builds, when that is told.
    pub(super) works_on: Option<Arch>,
    /// The files of the source package, as paths below `root`.
    pub(super) sources: Vec<PathBuf>,
    /// The folder that they lie in.
    pub(super) root: PathBuf,
    /// The log of the build that failed.
    pub(super) failed_log: Vec<u8>,
    /// The log of the build that succeeded, when there is one.
    pub(super) working_log: Option<Vec<u8>>,
    /// Where it comes from, for the truth.
    pub(super) origin: String,
    /// Seconds that a build may take, when that is told.
    pub(super) seconds: Option<u64>,
    /// What a person should know.
    pub(super) notes: Vec<String>,
}

/// An architecture by any of the names that build services use.
pub(super) fn arch(file: &'static str, word: &str) -> Result<Arch, CaseProblem> {
    let known = match word {
        "i586" | "i486" => Some(Arch::I686),
        "armv7hl" | "armv7hnl" => Some(Arch::Armv7l),
        "ppc64el" => Some(Arch::Ppc64le),
        other => other.parse().ok(),
    };
    known.ok_or_else(|| CaseProblem::UnknownArch {
        file,
        arch: word.to_owned(),
        known: Arch::ALL.map(Arch::as_str).join(", "),
    })
}

/// A manifest as data.
pub(super) fn json(folder: &Path, file: &'static str) -> Result<Option<serde_json::Value>, CaseProblem> {
    let bytes = match fs::read(folder.join(file)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CaseProblem::manifest(file, error.to_string())),
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| CaseProblem::manifest(file, format!("it is no JSON: {error}")))
}

/// A text of a manifest that must be there.
pub(super) fn text<'a>(
    value: &'a serde_json::Value,
    file: &'static str,
    pointer: &str,
) -> Result<&'a str, CaseProblem> {
    value
        .pointer(pointer)
        .and_then(serde_json::Value::as_str)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| CaseProblem::manifest(file, format!("it has no text at `{pointer}`")))
}

/// A name of a manifest as a path that stays in the folder.
pub(super) fn inside(file: &'static str, name: &str) -> Result<PathBuf, CaseProblem> {
    let path = PathBuf::from(name);
    let stays = path.components().all(|part| matches!(part, Component::Normal(_)));
    if stays && !name.is_empty() {
        Ok(path)
    } else {
        Err(CaseProblem::manifest(
            file,
            format!("it names `{name}`, which is no file of the case's own folder"),
        ))
    }
}
