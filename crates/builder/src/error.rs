//! Errors of the builder: its machinery's, never the build's.

use seatrial_core::InvalidReason;

/// The machinery under a build broke. A build that fails is a report, not an error.
#[derive(Debug, thiserror::Error)]
pub enum BuilderError {
    /// The box broke.
    #[error(transparent)]
    Sandbox(#[from] seatrial_sandbox::SandboxError),
    /// A log could not be stored.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// The source on this machine cannot be read. The message names the path.
    #[error("cannot read the source: {0}")]
    Tree(#[from] std::io::Error),
    /// The distribution's mirror does not answer, so nothing can be said about the build.
    #[error("cannot install packages in the box: {0}; check the network and run the same command again")]
    Mirror(String),
}

impl BuilderError {
    /// What a verdict blames.
    pub fn invalid_reason(&self) -> InvalidReason {
        match self {
            Self::Sandbox(error) => error.invalid_reason(),
            Self::Store(error) if error.is_disk_full() => InvalidReason::DiskFull,
            Self::Tree(error) if error.kind() == std::io::ErrorKind::StorageFull => InvalidReason::DiskFull,
            Self::Mirror(_) => InvalidReason::Network,
            Self::Store(_) | Self::Tree(_) => InvalidReason::Internal,
        }
    }

    /// Whether the user stopped it.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Sandbox(seatrial_sandbox::SandboxError::Interrupted))
    }
}
