//! What the agent may see.

use serde::{Deserialize, Serialize};

use crate::{Arch, Budget, Digest, PinnedSource, Platform, RecipeKind, SetupGoal, SuiteName, TaskId};

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
    /// Make a package that fails on one architecture build there, and keep it building where it does.
    Repair(RepairGoal),
    /// Write a script that makes the environment in which a repository's code finds what it imports.
    Setup(SetupGoal),
}

/// A package that fails on an architecture. The source is the package with its recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairGoal {
    /// What kind of package it is.
    pub recipe: RecipeKind,
    /// Where it fails, and shall build.
    pub target: Arch,
    /// Where it builds, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub works_on: Option<Arch>,
    /// The log of the failed build on the target, a blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_log: Option<Digest>,
    /// The log of the build that succeeded elsewhere, a blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_log: Option<Digest>,
}

impl Goal {
    /// The repair that is asked for, if it is one.
    pub fn repair(&self) -> Option<&RepairGoal> {
        match self {
            Self::Repair(goal) => Some(goal),
            Self::Compile | Self::Setup(_) => None,
        }
    }

    /// The environment that is asked for, if it is one.
    pub fn setup(&self) -> Option<&SetupGoal> {
        match self {
            Self::Setup(goal) => Some(goal),
            Self::Compile | Self::Repair(_) => None,
        }
    }
}
