//! The suites of an archive: their releases fetched, verified and sorted out.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use fs_err as fs;
use seatrial_core::Platform;
use seatrial_store::{Home, touch, unix_millis};

use super::{
    apt_sources::{AptSource, split_pocket},
    release::{self, Release},
};
use crate::{
    SourceError,
    download::{Downloader, Expected, Got},
    unpack,
};

/// A suite whose release was verified.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) source: AptSource,
    pub(super) release: Release,
}

/// All suites of a platform's release.
#[derive(Debug, Default)]
pub(super) struct Suites {
    pub(super) suites: Vec<Suite>,
    pub(super) warnings: Vec<String>,
}

/// What is needed to load suites.
pub(super) struct Loader<'a> {
    pub(super) home: &'a Home,
    pub(super) platform: &'a Platform,
    pub(super) downloader: &'a Downloader,
    /// Where the paths of key files start.
    pub(super) root: &'a Path,
}

impl Loader<'_> {
    /// Fetches and verifies the releases, and keeps those that are the distribution's own and belong to the platform.
    pub(super) fn load(&self, sources: &[AptSource]) -> Result<Suites, SourceError> {
        let mut loaded = Suites::default();
        let mut first_error = None;
        for source in sources {
            let release = match self.release(source, &mut loaded.warnings) {
                Ok(release) => release,
                // Somebody else's archive, or a small suite, must not stop the main one.
                Err(error) => {
                    loaded
                        .warnings
                        .push(format!("{} {} is left out: {error}", source.uri, source.suite));
                    first_error.get_or_insert(error);
                    continue;
                }
            };
            if !release.origin.eq_ignore_ascii_case(&self.platform.distribution) {
                continue;
            }
            if !self.is_asked_for(source, &release) {
                continue;
            }
            check_age(source, &release, &mut loaded.warnings);
            loaded.suites.push(Suite {
                source: source.clone(),
                release,
            });
        }
        // Without the main suite every answer would be wrong, so that is an error.
        let has_main = loaded
            .suites
            .iter()
            .any(|suite| split_pocket(&suite.source.suite).1.is_empty());
        match (has_main, first_error) {
            (true, _) => Ok(loaded),
            (false, Some(error)) => Err(error),
            (false, None) => Err(no_source(self.platform)),
        }
    }

    /// Whether a release is the one that was asked for and of the platform. A mirror could answer with another suite that
    /// is signed just as well.
    fn is_asked_for(&self, source: &AptSource, release: &Release) -> bool {
        let (base, pocket) = split_pocket(&source.suite);
        let names = [release.codename.as_str(), release.suite.as_str()];
        let of_platform = names.iter().any(|name| split_pocket(name).0 == self.platform.release);
        // `buster/updates` is signed as plain `buster`; `stable` as its code name.
        let as_asked = names.contains(&source.suite.as_str()) || source.suite.contains('/');
        let moved = base != self.platform.release && names.iter().any(|name| split_pocket(name).1 == pocket);
        of_platform && (as_asked || moved)
    }

    /// Fetches a suite's release; the one from the cache when the network is down.
    fn release(&self, source: &AptSource, warnings: &mut Vec<String>) -> Result<Release, SourceError> {
        let url = format!("{}/dists/{}/InRelease", source.uri, source.suite);
        let name: String = format!("{}_{}", source.uri, source.suite)
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || ".-".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let cached = self.home.cache("archive/releases")?.join(name);
        let fresh = tempfile::Builder::new()
            .prefix(".fresh-")
            .tempdir_in(self.home.cache("archive/releases")?)?;
        let file = fresh.path().join("InRelease");
        match self.downloader.get(&url, &file, Expected::default()) {
            Ok(Got::File(_)) => {}
            Ok(Got::Missing) => {
                return Err(SourceError::Unavailable(format!("{url} is not there")));
            }
            Err(SourceError::Network { problem, .. }) if touch(&cached)? => {
                warnings.push(format!("{url} cannot be downloaded ({problem}); the last one is used"));
                return self.verified(&cached, &url, source);
            }
            Err(error) => return Err(error),
        }
        let release = self.verified(&file, &url, source)?;
        // Kept only now: what does not verify must not replace what did.
        fs::rename(&file, &cached)?;
        Ok(release)
    }

    fn verified(&self, file: &Path, url: &str, source: &AptSource) -> Result<Release, SourceError> {
        let text = release::verify(file, url, &source.signed_by, &self.platform.distribution, self.root)?;
        Ok(release::parse(&text))
    }

    /// A verified index of a suite, still packed; from the cache when it is there. `None` when the suite has none.
    pub(super) fn index(&self, suite: &Suite, path: &str) -> Result<Option<PathBuf>, SourceError> {
        let release = &suite.release;
        // A suite can list an empty index that its mirrors do not even carry.
        if release.indexes.get(path).is_some_and(|(_, size)| *size == 0) {
            return Ok(None);
        }
        let folder = self.home.cache("archive/indexes")?;
        let mut listed = false;
        for ending in ["xz", "gz", "zst", "bz2", ""] {
            let name = if ending.is_empty() {
                path.to_owned()
            } else {
                format!("{path}.{ending}")
            };
            let Some((sha256, size)) = release.indexes.get(&name) else {
                continue;
            };
            listed = true;
            let file = if ending.is_empty() {
                folder.join(sha256)
            } else {
                folder.join(format!("{sha256}.{ending}"))
            };
            if touch(&file)? && file.metadata().is_ok_and(|metadata| metadata.len() == *size) {
                return Ok(Some(file));
            }
            let base = format!("{}/dists/{}", suite.source.uri, suite.source.suite);
            let expected = Expected {
                size: Some(*size),
                sha256: Some(sha256),
            };
            let plain = self.downloader.get(&format!("{base}/{name}"), &file, expected);
            let got = match plain {
                // The mirror is just being updated: the release that we have names the older index by its hash.
                Ok(Got::Missing) | Err(SourceError::Verify { .. }) if release.by_hash => {
                    let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
                    let url = format!("{base}/{parent}/by-hash/SHA256/{sha256}");
                    match (self.downloader.get(&url, &file, expected)?, plain) {
                        (Got::Missing, Err(error)) => return Err(error),
                        (got, _) => got,
                    }
                }
                other => other?,
            };
            if matches!(got, Got::File(_)) {
                return Ok(Some(file));
            }
        }
        if listed {
            return Err(SourceError::Unavailable(format!(
                "{}/dists/{}/{path} is not there in any packing, although the release names it",
                suite.source.uri, suite.source.suite
            )));
        }
        Ok(None)
    }
}

/// Reads a packed index whole.
pub(super) fn read_index(path: &Path) -> Result<String, SourceError> {
    let damaged = |error: &dyn std::fmt::Display| SourceError::Archive {
        archive: path.display().to_string(),
        problem: format!("the index cannot be unpacked ({error}); delete it and try again"),
    };
    let packing = match path.extension().and_then(|ending| ending.to_str()) {
        Some("xz") => unpack::Packing::Xz,
        Some("gz") => unpack::Packing::Gzip,
        Some("zst") => unpack::Packing::Zstd,
        Some("bz2") => unpack::Packing::Bzip2,
        Some(_) | None => unpack::Packing::Plain,
    };
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut unpack::reader(path, packing)?, &mut bytes).map_err(|error| damaged(&error))?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Tells of a release that is past its date. Not an error: builds of old releases must go on for years.
fn check_age(source: &AptSource, release: &Release, warnings: &mut Vec<String>) {
    let Some(until) = &release.valid_until else {
        return;
    };
    let now = i64::try_from(unix_millis() / 1000).unwrap_or(i64::MAX);
    if release::parse_date(until).is_some_and(|until| until < now) {
        warnings.push(format!(
            "the index of {} {} was valid until {until}: the mirror may be out of date",
            source.uri, source.suite
        ));
    }
}

/// What to say when nothing of the machine's configuration fits.
pub(super) fn no_source(platform: &Platform) -> SourceError {
    SourceError::Unavailable(format!(
        "this machine's package sources (/etc/apt) name no archive of {}:{}; add one there, or name a mirror",
        platform.distribution, platform.release
    ))
}

/// Suites that are loaded once and shared.
pub(super) type Shared = Arc<Suites>;
