//! Errors of sources.

use seatrial_core::InvalidReason;

/// A source could not be had.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The user's words name nothing that is there.
    #[error("{0}")]
    Usage(String),
    /// Pinned, but no longer to be had anywhere that was reached.
    #[error("{0}")]
    Unavailable(String),
    /// The network or a mirror did not answer.
    #[error("cannot download {url}: {problem}")]
    Network {
        /// What was asked for.
        url: String,
        /// What came back.
        problem: String,
    },
    /// A file is not what its hash or signature says.
    #[error("{what} does not verify: {problem}")]
    Verify {
        /// The file.
        what: String,
        /// What is wrong.
        problem: String,
    },
    /// An archive is broken or hostile. The message names the entry.
    #[error("{archive}: refused: {problem}")]
    Archive {
        /// The archive.
        archive: String,
        /// What is wrong, with the entry's name.
        problem: String,
    },
    /// A program that is needed is not installed.
    #[error("`{program}` is not installed; install it with `{install}`")]
    NoProgram {
        /// The program.
        program: String,
        /// How to get it.
        install: String,
    },
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl SourceError {
    /// What a verdict blames; `None` when the user's words are at fault.
    pub fn invalid_reason(&self) -> Option<InvalidReason> {
        match self {
            Self::Usage(_) => None,
            Self::Unavailable(_) | Self::Verify { .. } => Some(InvalidReason::SourceUnavailable),
            Self::Network { .. } => Some(InvalidReason::Network),
            Self::Archive { .. } => Some(InvalidReason::Task),
            Self::Store(error) if error.is_disk_full() => Some(InvalidReason::DiskFull),
            Self::Io(error) if error.kind() == std::io::ErrorKind::StorageFull => Some(InvalidReason::DiskFull),
            Self::NoProgram { .. } | Self::Store(_) | Self::Io(_) => Some(InvalidReason::Internal),
        }
    }
}
