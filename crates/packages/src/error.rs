//! Errors of the package index.

use std::path::PathBuf;

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
    /// The index file is not as it was written; it is built again.
    #[error(
        "{0} is damaged: its bytes are not those that were written; make the index again with `seatrial index build`"
    )]
    Damaged(String),
    /// A folder, a pipe or a device stands where an index file should.
    #[error("{0} is no file; name an index file, as `seatrial index build` makes it")]
    NotAFile(String),
    /// A `Contents` index cannot be read to its end.
    #[error("cannot read the file list {path}: {problem}; delete it so that it is downloaded again")]
    Contents {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The archive offers nothing to look names up in.
    #[error("the archive of {platform} has no usable `Contents` index: check this machine's package sources")]
    NoContents {
        /// The platform.
        platform: String,
    },
    /// The archive has more names than the index's format can hold.
    #[error("the package index would grow beyond what its format can hold ({0})")]
    TooLarge(&'static str),
    /// A set of names with answers cannot be read.
    #[error("{path}:{line}: {problem}")]
    Gold {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}
