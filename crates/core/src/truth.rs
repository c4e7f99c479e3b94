//! What only the grader sees.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{SetupTruth, TaskId};

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
    /// Of the repair suite.
    Repair(RepairTruth),
    /// Of the setup suite.
    Setup(SetupTruth),
}

impl TruthBody {
    /// The answer key of a compile task, if it is one.
    pub fn compile(&self) -> Option<&CompileTruth> {
        match self {
            Self::Compile(truth) => Some(truth),
            Self::Repair(_) | Self::Setup(_) => None,
        }
    }

    /// The answer key of a repair task, if it is one.
    pub fn repair(&self) -> Option<&RepairTruth> {
        match self {
            Self::Repair(truth) => Some(truth),
            Self::Compile(_) | Self::Setup(_) => None,
        }
    }

    /// The answer key of a setup task, if it is one.
    pub fn setup(&self) -> Option<&SetupTruth> {
        match self {
            Self::Setup(truth) => Some(truth),
            Self::Compile(_) | Self::Repair(_) => None,
        }
    }
}

/// What is known of a repair task. The rebuild decides; this calibrates it and sorts the results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairTruth {
    /// The class of the failure, as the published benchmark sorts them.
    pub class: String,
    /// Where the case comes from: `mined`, `mutation` or `imported`, and how.
    pub origin: String,
    /// A patch against the package that is known to repair it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<String>,
    /// What was planted, when the failure was made on purpose: the name of the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
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
