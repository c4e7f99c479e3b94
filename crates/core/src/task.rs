//! What the agent may see.

use serde::{Deserialize, Serialize};

use crate::{Budget, PinnedSource, Platform, SuiteName, TaskId};

/// A task: everything in it may be shown to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Unique in its corpus.
    pub id: TaskId,
    /// The suite that prepares and grades it.
    pub suite: SuiteName,
    /// The pinned source.
    pub source: PinnedSource,
    /// The box it runs in.
    pub platform: Platform,
    /// What is asked for.
    pub goal: Goal,
    /// What may be spent.
    pub budget: Budget,
    /// Source packages of the distribution that the box refuses to give (the package itself, its answer key).
    pub blocked_sources: Vec<String>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Goal {
    /// Build everything that the project builds by default, with debug information.
    Compile,
}
