//! Boxes: isolated machines in which foreign code runs.
//!
//! The [`Sandbox`] trait is the contract; the native back end is the back end that needs nothing but the Linux kernel.
//! This crate knows nothing of tasks, networks' policies beyond on and off, or build systems.

mod contract;
mod error;

pub use contract::{
    BoxSpec, Change, ChangeKind, Command, Execution, FileContent, Limits, Network, OutputSink, Sandbox, SandboxFactory,
    Snapshot, Status, Stream, TimeoutKind,
};
pub use error::SandboxError;
