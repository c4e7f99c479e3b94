//! What a user writes to name a source.

use std::{path::PathBuf, str::FromStr};

use crate::SourceError;

/// A source as written, not yet pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceSpec {
    /// A folder.
    Folder(PathBuf),
    /// An archive by path.
    ArchiveFile {
        /// The file.
        path: PathBuf,
        /// The expected SHA-256, when given as `PATH#sha256=HEX`.
        sha256: Option<String>,
    },
    /// An archive by URL, with its SHA-256 when given as `URL#sha256=HEX`.
    ArchiveUrl {
        /// The URL.
        url: String,
        /// The expected SHA-256.
        sha256: Option<String>,
    },
    /// `git+URL@COMMIT`; without a commit, the remote's default branch now.
    Git {
        /// The URL.
        url: String,
        /// The commit, branch or tag.
        revision: Option<String>,
    },
    /// `debian:NAME[=VERSION]`.
    Debian {
        /// The source package.
        package: String,
        /// Its version; the archive's newest when absent.
        version: Option<String>,
    },
}

impl FromStr for SourceSpec {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        Err(SourceError::Usage(text.to_owned()))
    }
}
