//! The indexes in the data folder.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fs_err as fs;
use seatrial_core::Platform;
use seatrial_store::Home;

use crate::{PackageIndex, PackagesError};

/// An index in the data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelved {
    /// The file.
    pub path: PathBuf,
    /// `DISTRIBUTION-RELEASE-ARCH`.
    pub platform: String,
    /// Bytes.
    pub bytes: u64,
    /// Since it was made; `None` when the file system does not tell.
    pub age: Option<Duration>,
    /// Names that can be looked up; `None` when this version cannot read the file.
    pub names: Option<usize>,
}

/// The beginning of the names of a platform's files.
pub(crate) fn prefix(platform: &Platform) -> String {
    format!("{}-{}-{}-", platform.distribution, platform.release, platform.arch)
}

/// Since a file was made. Its time of change says when it was used last.
pub(crate) fn age(path: &Path) -> Option<Duration> {
    path.metadata().ok()?.created().ok()?.elapsed().ok()
}

/// All indexes, by platform, the newest first.
pub fn shelved(home: &Home) -> Result<Vec<Shelved>, PackagesError> {
    let mut found = Vec::new();
    // The folder is not made here: a list writes nothing.
    let folder = home.root().join("cache").join("packages");
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((platform, _digest)) = name.strip_suffix(".idx").and_then(|stem| stem.rsplit_once('-')) else {
            continue;
        };
        found.push(Shelved {
            platform: platform.to_owned(),
            bytes: path.metadata().map_or(0, |metadata| metadata.len()),
            age: age(&path),
            names: PackageIndex::look(&path).ok().map(|index| index.len()),
            path,
        });
    }
    found.sort_by(|one, other| one.platform.cmp(&other.platform).then(one.age.cmp(&other.age)));
    Ok(found)
}

/// Removes the indexes of a platform, and what was read out of its packages. Returns what was removed.
pub fn remove(home: &Home, platform: &Platform) -> Result<Vec<PathBuf>, PackagesError> {
    let prefix = prefix(platform);
    let mut removed = Vec::new();
    for entry in fs::read_dir(home.cache("packages")?)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let own = name
            .strip_prefix(&prefix)
            .is_some_and(|rest| rest.strip_suffix(".idx").is_some() || rest == DEFINITIONS);
        if own {
            fs::remove_file(&path)?;
            removed.push(path);
        }
    }
    removed.sort();
    Ok(removed)
}

/// The rest of the name of the file that holds a platform's definitions.
pub(crate) const DEFINITIONS: &str = "definitions.tsv";
