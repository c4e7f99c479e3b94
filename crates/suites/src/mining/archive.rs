//! What mining needs of a distribution's archive, so that tests can give it one of their own.

use std::path::PathBuf;

use seatrial_core::{FilePin, PinnedSource};
use seatrial_source::{BinaryPackage, DebianArchive, Fetcher, SourceError, SourcePackage, SourceTree};

/// A distribution's archive.
pub trait Archive: Sync {
    /// All source packages, newest version first for each name.
    fn sources(&self) -> Result<Vec<SourcePackage>, SourceError>;
    /// All binary packages for the platform.
    fn binaries(&self) -> Result<Vec<BinaryPackage>, SourceError>;
    /// A text that changes when the indexes change.
    fn revision(&self) -> Result<String, SourceError>;
    /// Whether a file is there, without downloading it.
    fn has(&self, directory: &str, pin: &FilePin) -> Result<bool, SourceError>;
    /// Downloads and verifies a file.
    fn file(&self, directory: &str, pin: &FilePin) -> Result<PathBuf, SourceError>;
    /// Fetches and unpacks a source.
    fn fetch(&self, source: &PinnedSource) -> Result<SourceTree, SourceError>;
}

/// The real archive, over the network and the cache.
pub struct LiveArchive<'a> {
    /// Reads indexes and files.
    pub archive: &'a DebianArchive,
    /// Unpacks sources.
    pub fetcher: &'a Fetcher,
}

impl Archive for LiveArchive<'_> {
    fn sources(&self) -> Result<Vec<SourcePackage>, SourceError> {
        self.archive.sources()
    }

    fn binaries(&self) -> Result<Vec<BinaryPackage>, SourceError> {
        self.archive.binaries()
    }

    fn revision(&self) -> Result<String, SourceError> {
        self.archive.revision()
    }

    fn has(&self, directory: &str, pin: &FilePin) -> Result<bool, SourceError> {
        self.archive.has(directory, pin)
    }

    fn file(&self, directory: &str, pin: &FilePin) -> Result<PathBuf, SourceError> {
        self.archive.file(directory, pin)
    }

    fn fetch(&self, source: &PinnedSource) -> Result<SourceTree, SourceError> {
        self.fetcher.fetch(source)
    }
}
