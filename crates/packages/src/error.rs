//! Errors of the package index.

/// The index could not be built or opened.
#[derive(Debug, thiserror::Error)]
pub enum PackagesError {
    /// The archive's indexes could not be had.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The index file is not one of this version; it is built again.
    #[error("{0} is not a package index of this version")]
    Format(String),
}
