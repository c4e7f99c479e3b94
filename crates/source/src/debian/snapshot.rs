//! The distribution's snapshot archive: every file of every version that ever was.
//!
//! Speaks its documented machine interface. What comes from here is not covered by a signed index; a pin's SHA-256
//! still is checked.

use std::collections::HashMap;

use serde::Deserialize;

use crate::{SourceError, download::Downloader};

/// Debian's own.
pub(super) const DEBIAN: &str = "https://snapshot.debian.org";

/// A snapshot archive.
pub(super) struct Snapshot<'a> {
    pub(super) address: &'a str,
    pub(super) downloader: &'a Downloader,
}

/// A file of a source package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SnapshotFile {
    /// Its name.
    pub(super) name: String,
    /// Its size.
    pub(super) size: u64,
    /// The folder it was in, below the archive's root.
    pub(super) directory: String,
    /// Where it can be had.
    pub(super) url: String,
}

#[derive(Deserialize)]
struct Answer {
    fileinfo: HashMap<String, Vec<Info>>,
}

#[derive(Deserialize)]
struct Info {
    name: String,
    path: String,
    size: u64,
}

impl Snapshot<'_> {
    /// The files of one version of a source package; empty when there never was one.
    pub(super) fn files(&self, package: &str, version: &str) -> Result<Vec<SnapshotFile>, SourceError> {
        const MOST_BYTES: u64 = 16 << 20;
        let version = version.replace(':', "%3A").replace('+', "%2B");
        let package = package.replace('+', "%2B");
        let url = format!("{}/mr/package/{package}/{version}/srcfiles?fileinfo=1", self.address);
        let Some(bytes) = self.downloader.get_small(&url, MOST_BYTES)? else {
            return Ok(Vec::new());
        };
        let answer: Answer = serde_json::from_slice(&bytes)
            .map_err(|error| crate::download::network(&url, format!("the answer is not understood: {error}")))?;
        let mut files: Vec<SnapshotFile> = answer
            .fileinfo
            .iter()
            .filter(|(hash, _)| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .flat_map(|(hash, places)| {
                places.iter().map(move |place| SnapshotFile {
                    name: place.name.clone(),
                    size: place.size,
                    directory: place.path.trim_matches('/').to_owned(),
                    url: format!("{}/file/{hash}", self.address),
                })
            })
            .collect();
        files.sort_by(|one, other| one.name.cmp(&other.name).then_with(|| one.url.cmp(&other.url)));
        Ok(files)
    }
}
