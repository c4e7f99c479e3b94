//! What can break mining off.

use std::path::PathBuf;

use crate::CorpusError;

/// Mining of cases broke off. How a single package fares is never an error.
#[derive(Debug, thiserror::Error)]
pub enum CrossError {
    /// The catalogue cannot be used.
    #[error("{path}: {problem}")]
    Catalogue {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// A source could not be got at all.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// A package's files cannot be handled.
    #[error(transparent)]
    Package(#[from] seatrial_packaging::PackageError),
    /// The builder cannot be used.
    #[error(transparent)]
    Rebuild(#[from] seatrial_rebuild::RebuildError),
    /// The corpus could not be read or written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// A name that mining needs breaks the rule of its kind.
    #[error(transparent)]
    Name(#[from] seatrial_core::IdError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
