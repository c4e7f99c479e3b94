//! What only the grader sees.

use serde::{Deserialize, Serialize};

use crate::TaskId;

/// The answer key of one task. It never enters the agent's box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// The task it belongs to.
    pub task: TaskId,
    /// What the suite needs to grade.
    pub body: TruthBody,
}

/// The suites' answer keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "suite", rename_all = "snake_case", deny_unknown_fields)]
pub enum TruthBody {
    /// Of the compile suite.
    Compile(CompileTruth),
}

/// Expected artifacts of a compile task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileTruth {
    /// Base names of the files that a complete build makes; empty when nobody knows (then only completion can be judged).
    pub artifacts: Vec<String>,
}
