//! What only the grader sees.

use std::collections::BTreeMap;

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
    /// What else an expected artifact may be called: names under which the reference build made the very same file, before
    /// the distribution's packaging gave it the expected one. By expected name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, Vec<String>>,
    /// Files of the distribution's packages that only its patches make: nobody can make them from the pinned source, so
    /// they are not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patched: Vec<String>,
}

impl CompileTruth {
    /// An answer key of names alone.
    pub fn of(artifacts: Vec<String>) -> Self {
        Self {
            artifacts,
            ..Self::default()
        }
    }

    /// Every name that satisfies an expected one, the expected one first.
    pub fn names<'a>(&'a self, expected: &'a str) -> impl Iterator<Item = &'a str> {
        let others = self.aliases.get(expected).into_iter().flatten().map(String::as_str);
        std::iter::once(expected).chain(others)
    }
}
