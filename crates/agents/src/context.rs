//! What an agent gets and what it gives.

use std::{path::Path, time::Instant};

use seatrial_core::{EventSink, InvalidReason, RelaxationClass, Submission, Task};
use seatrial_packages::Resolver;
use seatrial_rebuild::Rebuilder;
use seatrial_sandbox::{Sandbox, SandboxError};
use seatrial_store::{Blobs, StoreError};

/// A strategy that turns a task and a box into a submission.
pub trait Agent: Send + Sync {
    /// Its stable name.
    fn name(&self) -> &'static str;

    /// One line for help texts.
    fn about(&self) -> &'static str;

    /// Whether it looks names up in the package index, which takes a while to build the first time.
    fn needs_resolver(&self) -> bool;

    /// Whether it asks a model, and cannot work without one.
    fn needs_model(&self) -> bool {
        false
    }

    /// Whether it has a tool that searches the web, where somebody provides one.
    fn searches(&self) -> bool {
        false
    }

    /// Whether it takes further tools, of outside servers.
    fn takes_tools(&self) -> bool {
        false
    }

    /// Works on the task. Not finding a way is a submission without a script and with a note, not an error.
    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError>;
}

/// What an agent works with.
pub struct SolveContext<'a> {
    /// What is asked for.
    pub task: &'a Task,
    /// The pinned source on this machine, to be read only. The same tree lies in the box.
    pub tree: &'a Path,
    /// The box, prepared by the suite.
    pub sandbox: &'a mut dyn Sandbox,
    /// The package index, when the agent asked for it.
    pub resolver: Option<&'a dyn Resolver>,
    /// Rebuilds packages from clean, when the task is to repair one.
    pub rebuilder: Option<&'a dyn Rebuilder>,
    /// Where logs go.
    pub blobs: &'a Blobs,
    /// The journal.
    pub events: &'a mut dyn EventSink,
    /// Takes the commands' output as it comes, for a person who watches.
    pub output: &'a mut dyn FnMut(&[u8]),
    /// When the agent must have handed in.
    pub deadline: Option<Instant>,
    /// Classes of relaxations that may not be used.
    pub forbid: &'a [RelaxationClass],
    /// Packages that the image was made with on purpose, for the Dockerfile.
    pub base_packages: &'a [String],
}

/// The machinery under an agent broke. An agent's own failure is a submission with a note.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The box broke.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The journal or the store broke.
    #[error(transparent)]
    Sink(#[from] seatrial_core::SinkError),
    /// A log could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A package could not be packed or rebuilt.
    #[error(transparent)]
    Rebuild(#[from] seatrial_rebuild::RebuildError),
    /// The machine failed while the package was rebuilt as it came, so that nothing is known of it.
    #[error("the package could not be rebuilt as it came: {0}")]
    NothingKnown(String),
    /// A package could not be read or changed.
    #[error(transparent)]
    Package(#[from] seatrial_packaging::PackageError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The builder's machinery broke.
    #[error(transparent)]
    Builder(#[from] seatrial_builder::BuilderError),
    /// It needs something that it was not given.
    #[error("the agent `{agent}` needs {what}")]
    Missing {
        /// The agent.
        agent: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// Its model cannot be had.
    #[error(transparent)]
    Model(#[from] seatrial_llm::ModelError),
    /// A tool's machinery broke.
    #[error(transparent)]
    Tools(#[from] seatrial_tools::ToolsError),
    /// It asks for a tool that there is not.
    #[error("{0}")]
    Tool(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The program that it runs does not run in the box.
    #[error("the program of the agent `{agent}` does not run in the box: {why}")]
    Program {
        /// The agent.
        agent: &'static str,
        /// How getting it to run failed.
        why: String,
    },
}

impl AgentError {
    /// Whether the user stopped it.
    pub fn is_interrupt(&self) -> bool {
        match self {
            Self::Sandbox(error) => matches!(error, SandboxError::Interrupted),
            Self::Builder(error) => error.is_interrupt(),
            Self::Tools(error) => error.is_interrupt(),
            Self::Interrupted | Self::Rebuild(seatrial_rebuild::RebuildError::Interrupted) => true,
            Self::Sink(_)
            | Self::Store(_)
            | Self::Missing { .. }
            | Self::Program { .. }
            | Self::Model(_)
            | Self::Rebuild(_)
            | Self::Package(_)
            | Self::NothingKnown(_)
            | Self::Io(_)
            | Self::Tool(_) => false,
        }
    }

    /// What a verdict blames.
    pub fn invalid_reason(&self) -> InvalidReason {
        match self {
            Self::Sandbox(error) => error.invalid_reason(),
            Self::Builder(error) => error.invalid_reason(),
            Self::Tools(error) => error.invalid_reason(),
            Self::Model(error) => error.invalid_reason().unwrap_or(InvalidReason::Model),
            Self::Rebuild(seatrial_rebuild::RebuildError::NoImage { .. }) => InvalidReason::Image,
            Self::Package(_) => InvalidReason::Task,
            Self::NothingKnown(_) => InvalidReason::Sandbox,
            Self::Sink(_)
            | Self::Store(_)
            | Self::Missing { .. }
            | Self::Program { .. }
            | Self::Rebuild(_)
            | Self::Io(_)
            | Self::Tool(_)
            | Self::Interrupted => InvalidReason::Internal,
        }
    }
}
