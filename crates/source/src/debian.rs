//! A distribution's archive, through its signed indexes.

use std::{path::PathBuf, sync::Arc};

use seatrial_core::{FilePin, Platform};
use seatrial_store::Home;

use crate::{Progress, SourceError};

/// A paragraph of a `Sources` index.
#[derive(Debug, Clone)]
pub struct SourcePackage {
    /// Name.
    pub package: String,
    /// Full version.
    pub version: String,
    /// `Directory` below the archive's root.
    pub directory: String,
    /// The `.dsc` and the files it names, with SHA-256.
    pub files: Vec<FilePin>,
    /// Binary packages built from it.
    pub binaries: Vec<String>,
    /// `Build-Depends`, `Build-Depends-Arch` and `Build-Depends-Indep`, joined by commas, as written.
    pub build_depends: String,
    /// `Architecture`.
    pub architecture: String,
    /// `Section`.
    pub section: String,
    /// `Format`, such as `3.0 (quilt)`.
    pub format: String,
}

/// A paragraph of a `Packages` index.
#[derive(Debug, Clone)]
pub struct BinaryPackage {
    /// Name.
    pub package: String,
    /// Full version.
    pub version: String,
    /// Source package's name.
    pub source: String,
    /// Source package's version.
    pub source_version: String,
    /// `Filename` below the archive's root.
    pub filename: String,
    /// Size in bytes of the `.deb`.
    pub size: u64,
    /// SHA-256 of the `.deb`.
    pub sha256: String,
    /// `Section`.
    pub section: String,
    /// `Depends` and `Pre-Depends`, joined by commas, as written.
    pub depends: String,
    /// `Provides`, as written.
    pub provides: String,
    /// `Architecture`.
    pub architecture: String,
    /// `Priority`.
    pub priority: String,
    /// Whether it is `Essential`.
    pub essential: bool,
}

/// The archive of one release: every suite that this machine's package manager is configured for (the release itself,
/// its updates, its security suite), or the image's when this machine has none.
pub struct DebianArchive {
    _home: Home,
}

impl DebianArchive {
    /// Reads this machine's package sources. Nothing is downloaded yet.
    pub fn open(home: &Home, _platform: &Platform, _progress: Option<Arc<dyn Progress>>) -> Result<Self, SourceError> {
        Ok(Self { _home: home.clone() })
    }

    /// All source packages of all suites, newest version first for each name.
    pub fn sources(&self) -> Result<Vec<SourcePackage>, SourceError> {
        Ok(Vec::new())
    }

    /// All binary packages for the platform's architecture (and `all`), of all suites.
    pub fn binaries(&self) -> Result<Vec<BinaryPackage>, SourceError> {
        Ok(Vec::new())
    }

    /// The verified, still compressed `Contents` indexes (architecture and `all`) of all suites that have one.
    pub fn contents(&self) -> Result<Vec<PathBuf>, SourceError> {
        Ok(Vec::new())
    }

    /// A digest-like text that changes when any of the suites' signed releases changes.
    pub fn revision(&self) -> Result<String, SourceError> {
        Ok(String::new())
    }

    /// Downloads a file below the archive's root and verifies it; from the cache the second time.
    pub fn file(&self, directory: &str, pin: &FilePin) -> Result<PathBuf, SourceError> {
        Err(SourceError::Unavailable(format!("{directory}/{}", pin.name)))
    }

    /// Whether the mirror has a file below the archive's root, without downloading it.
    pub fn has(&self, directory: &str, pin: &FilePin) -> Result<bool, SourceError> {
        Err(SourceError::Unavailable(format!("{directory}/{}", pin.name)))
    }
}
