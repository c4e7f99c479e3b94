//! From a source tree to a recipe: detect, plan, run, diagnose, repair. Deterministic, without a model.
//!
//! Reads the tree on the host, executes in a box only, and judges a build by what it made, not by its exit code. It
//! never reads a distribution's packaging of the source: that would be the answer key.

pub mod artifacts;
mod declared;
mod detect;
mod engine;
mod error;
mod explain;
mod names;
mod pattern;
mod plan;
mod repair;
mod request;
mod tree;

pub use artifacts::{Artifact, ArtifactKind};
pub use detect::{BuildRoot, BuildSystem, detect};
pub use engine::build;
pub use error::BuilderError;
pub use plan::{Plan, plans};
pub use request::{AttemptSummary, BuildReport, BuildRequest, Policy, Watcher};
