//! What a model can mend, and what it cannot.

use std::io;

use seatrial_core::{InvalidReason, SinkError};
use seatrial_sandbox::SandboxError;
use seatrial_store::StoreError;

/// The machinery under the tools broke, or the user stopped it. Never something that a model did.
#[derive(Debug, thiserror::Error)]
pub enum ToolsError {
    /// The box broke.
    #[error(transparent)]
    Sandbox(SandboxError),
    /// Something could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal could not be written.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// A package could not be rebuilt, for no reason of its own.
    #[error("the package cannot be rebuilt: {0}")]
    Rebuild(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl ToolsError {
    /// What a verdict blames.
    pub fn invalid_reason(&self) -> InvalidReason {
        match self {
            Self::Sandbox(error) => error.invalid_reason(),
            Self::Store(error) if error.is_disk_full() => InvalidReason::DiskFull,
            Self::Store(_) | Self::Sink(_) => InvalidReason::Internal,
            Self::Rebuild(_) | Self::Interrupted => InvalidReason::Sandbox,
        }
    }

    /// Whether the user stopped it.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Sandbox(SandboxError::Interrupted))
    }
}

/// Why a tool did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ToolFailure {
    /// The model can mend it: it gets this text.
    #[error("{0}")]
    Told(String),
    /// It cannot.
    #[error(transparent)]
    Broken(#[from] ToolsError),
}

impl ToolFailure {
    /// Something for the model to mend.
    pub fn told(text: impl Into<String>) -> Self {
        Self::Told(text.into())
    }
}

impl From<SandboxError> for ToolFailure {
    fn from(error: SandboxError) -> Self {
        let mends = match &error {
            SandboxError::NoSuchFile(_)
            | SandboxError::BoxFull { .. }
            | SandboxError::Unsupported(_)
            | SandboxError::NoSnapshot(_) => true,
            // What the box's own file system says about a path: no permission, a folder, a read-only place.
            SandboxError::Io { source, .. } => source.kind() != io::ErrorKind::StorageFull,
            SandboxError::Kernel { .. }
            | SandboxError::NoProgram { .. }
            | SandboxError::NoImage(_)
            | SandboxError::Image(_)
            | SandboxError::InUse { .. }
            | SandboxError::Registry { .. }
            | SandboxError::Died(_)
            | SandboxError::HostDiskFull { .. }
            | SandboxError::Daemon { .. }
            | SandboxError::Interrupted
            | SandboxError::Store(_) => false,
        };
        if mends {
            Self::Told(error.to_string())
        } else {
            Self::Broken(ToolsError::Sandbox(error))
        }
    }
}

impl From<StoreError> for ToolFailure {
    fn from(error: StoreError) -> Self {
        Self::Broken(error.into())
    }
}
