//! Errors of rebuilding: the caller's or our own machinery's. How a package fares is an outcome.

use std::path::PathBuf;

use seatrial_core::Arch;

/// A rebuild could not be tried.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// What is to be rebuilt is no source package.
    #[error("{path}: {problem}")]
    Source {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// There is no image of the architecture.
    #[error(
        "there is no image of {arch} to rebuild in; `seatrial image build images/rebuild.toml --arch {arch}` makes one"
    )]
    NoImage {
        /// The architecture.
        arch: Arch,
    },
    /// The builder cannot do what was asked.
    #[error("{builder} cannot do that: {problem}")]
    Unsupported {
        /// Its name.
        builder: &'static str,
        /// What it cannot do, and what would help.
        problem: String,
    },
    /// The build service could not be used, or said no.
    #[error(transparent)]
    Service(#[from] seatrial_obs::ObsError),
    /// The package could not be packed.
    #[error(transparent)]
    Packaging(#[from] seatrial_packaging::PackageError),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
