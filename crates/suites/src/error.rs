//! Errors of suites: always the harness's or the machine's, never the agent's.

use seatrial_core::InvalidReason;
use seatrial_rebuild::RebuildError;

/// A suite's machinery broke. A submission that does not work is a verdict, not an error.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The box broke.
    #[error(transparent)]
    Sandbox(#[from] seatrial_sandbox::SandboxError),
    /// The source could not be read.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// The journal could not be written.
    #[error(transparent)]
    Sink(#[from] seatrial_core::SinkError),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A helper command of ours failed in the box.
    #[error("{what} failed in the box: {problem}")]
    Helper {
        /// What it was for.
        what: &'static str,
        /// How it ended, with the end of its output.
        problem: String,
        /// Whether what is in the box is to blame, its broken programs or its full disk, and not a slow machine.
        by_content: bool,
    },
    /// A package could not be packed or rebuilt.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// Somebody told of a rebuild of other sources than those that were to be judged.
    #[error(
        "a rebuild of the sources {asked} was asked for, and told is one of {told}; nothing is known of this repair"
    )]
    OtherSources {
        /// Those that were handed in.
        asked: seatrial_core::Digest,
        /// Those that were told of.
        told: seatrial_core::Digest,
    },
    /// The distribution's mirror did not answer while a submission was replayed, nor afterwards.
    #[error("the mirror cannot be reached from a box: {0}; check the network and run the same command again")]
    Mirror(String),
    /// The task does not fit the suite.
    #[error("task {task}: {problem}")]
    Task {
        /// The task.
        task: String,
        /// What is wrong.
        problem: String,
    },
}

impl SuiteError {
    /// What a verdict blames.
    pub fn invalid_reason(&self) -> InvalidReason {
        match self {
            Self::Sandbox(error) => error.invalid_reason(),
            Self::Source(error) => error.invalid_reason().unwrap_or(InvalidReason::Task),
            Self::Store(error) if error.is_disk_full() => InvalidReason::DiskFull,
            Self::Io(error) if error.kind() == std::io::ErrorKind::StorageFull => InvalidReason::DiskFull,
            Self::Helper { .. } => InvalidReason::Sandbox,
            Self::Mirror(_) => InvalidReason::Network,
            Self::Rebuild(RebuildError::NoImage { .. }) => InvalidReason::Image,
            Self::Rebuild(RebuildError::Io(error)) if error.kind() == std::io::ErrorKind::StorageFull => {
                InvalidReason::DiskFull
            }
            Self::Rebuild(RebuildError::Store(error)) if error.is_disk_full() => InvalidReason::DiskFull,
            Self::Task { .. } => InvalidReason::Task,
            Self::Sink(_) | Self::Store(_) | Self::Io(_) | Self::Rebuild(_) | Self::OtherSources { .. } => {
                InvalidReason::Internal
            }
        }
    }

    /// Whether the user stopped it.
    pub fn is_interrupt(&self) -> bool {
        matches!(
            self,
            Self::Sandbox(seatrial_sandbox::SandboxError::Interrupted) | Self::Rebuild(RebuildError::Interrupted)
        )
    }
}
