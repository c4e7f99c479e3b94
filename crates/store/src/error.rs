//! Errors of the store.

use std::{io, path::PathBuf};

use seatrial_core::Digest;

/// The store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A blob is not there.
    #[error("the store has no blob {0}")]
    NoBlob(Digest),
    /// A blob's content does not have its name.
    #[error("blob {name} is damaged: its content has digest {found}")]
    Damaged {
        /// The name.
        name: Digest,
        /// What was found.
        found: Digest,
    },
    /// A journal holds a line that no version of this program wrote.
    #[error("{path}, line {line}: {problem}")]
    Journal {
        /// The file.
        path: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A name that is taken.
    #[error("{0} is in use by another process")]
    Busy(PathBuf),
}

impl StoreError {
    /// Whether the disk is full: then the machine, not the task, is at fault.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Io(error) => {
                matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Self::NoBlob(_) | Self::Damaged { .. } | Self::Journal { .. } | Self::Busy(_) => false,
        }
    }
}
