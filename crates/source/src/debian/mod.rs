//! A distribution's archive, through its signed indexes.

mod apt_sources;
mod archive;
mod deb822;
mod dsc;
mod index;
mod pin;
mod release;
mod snapshot;
mod suites;
mod version;

use std::path::PathBuf;

pub use archive::DebianArchive;
pub(crate) use dsc::{PACKAGING, PinnedPackage};
use seatrial_core::FilePin;
pub use version::compare_versions;

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

/// An archive that is named by the caller, for machines whose package manager is configured for something else.
#[derive(Debug, Clone)]
pub struct Mirror {
    /// The archive's root: an `http:`, `https:` or `file:` address.
    pub uri: String,
    /// Its suites, such as `bookworm`.
    pub suites: Vec<String>,
    /// Its components, such as `main`.
    pub components: Vec<String>,
    /// Key files that its releases are signed with; the distribution's keyring when empty.
    pub keyrings: Vec<PathBuf>,
}
