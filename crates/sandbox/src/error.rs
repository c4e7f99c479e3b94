//! Errors of boxes: always the harness's or the machine's, never the command's.

use seatrial_core::InvalidReason;

/// A box could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The kernel refuses something that boxes need.
    #[error("cannot make a box: {what}: {source}\n  {hint}")]
    Kernel {
        /// What was tried.
        what: String,
        /// The kernel's answer.
        source: std::io::Error,
        /// What a person can do about it.
        hint: String,
    },
    /// A program that is needed is not installed.
    #[error("`{program}` is not installed; install it with `{install}`")]
    NoProgram {
        /// The program.
        program: String,
        /// How to get it.
        install: String,
    },
    /// The image is not there.
    #[error("there is no image {0}; `seatrial image list` shows what there is, `seatrial image build` makes one")]
    NoImage(String),
    /// An image could not be made.
    #[error("cannot make the image: {0}")]
    Image(String),
    /// Something cannot be removed now.
    #[error("{what} is in use by {by}; wait until it ends, then try again")]
    InUse {
        /// What it is.
        what: String,
        /// Who uses it.
        by: String,
    },
    /// An image could not be had from a registry.
    #[error("cannot pull {name}: {problem}")]
    Registry {
        /// The image's name.
        name: String,
        /// What went wrong, and what helps.
        problem: String,
    },
    /// A path in the box is not there or is not a regular file.
    #[error("no such file in the box: {0}")]
    NoSuchFile(String),
    /// The box died under a command.
    #[error("the box died: {0}")]
    Died(String),
    /// The host's disk is nearly full.
    #[error(
        "the machine's disk is nearly full ({free_mib} MiB left); `seatrial cache gc` frees what is not needed; then run the same command again"
    )]
    HostDiskFull {
        /// What is left.
        free_mib: u64,
    },
    /// The harness wanted to write more into a box than it may hold.
    #[error("the box may hold at most {limit_mib} MiB besides its image; use a larger limit or a smaller tree")]
    BoxFull {
        /// The limit.
        limit_mib: u64,
    },
    /// This back end cannot do that.
    #[error("this kind of box has no {0}")]
    Unsupported(&'static str),
    /// The daemon of containers is away or refuses something.
    #[error("{what}: {reason}\n  {hint}")]
    Daemon {
        /// What was tried.
        what: String,
        /// Its answer, or why there is none.
        reason: String,
        /// What a person can do about it.
        hint: String,
    },
    /// A snapshot that was never taken, or that a rollback dropped.
    #[error("this box has no snapshot {0} any more")]
    NoSnapshot(u32),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// The file system said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The file system's answer.
        source: std::io::Error,
    },
}

impl SandboxError {
    /// What a verdict blames.
    pub fn invalid_reason(&self) -> InvalidReason {
        match self {
            Self::NoImage(_) | Self::Image(_) | Self::Registry { .. } => InvalidReason::Image,
            Self::HostDiskFull { .. } => InvalidReason::DiskFull,
            Self::Store(error) if error.is_disk_full() => InvalidReason::DiskFull,
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => InvalidReason::DiskFull,
            Self::Kernel { .. }
            | Self::Daemon { .. }
            | Self::NoProgram { .. }
            | Self::NoSuchFile(_)
            | Self::InUse { .. }
            | Self::Died(_)
            | Self::BoxFull { .. }
            | Self::Interrupted
            | Self::NoSnapshot(_)
            | Self::Unsupported(_)
            | Self::Store(_)
            | Self::Io { .. } => InvalidReason::Sandbox,
        }
    }
}
