//! A verdict is evidence.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::Digest;

/// The three outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every check that the profile asks for said yes.
    Passed,
    /// It was tried properly, and at least one check said no.
    Failed,
    /// The infrastructure was at fault: this says nothing about the agent.
    Invalid,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
        })
    }
}

/// Which procedure a verdict follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// What we believe is right.
    Strict,
    /// The published procedure of the benchmark, faults included.
    Paper,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Strict => "strict",
            Self::Paper => "paper",
        })
    }
}

/// An outcome, the checks that led to it, and the profile it follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The procedure.
    pub profile: Profile,
    /// The executed questions, in order.
    pub checks: Vec<Check>,
    /// One sentence for a person: why this outcome.
    pub reason: String,
    /// What was at fault, when the outcome is `invalid`.
    pub invalid: Option<InvalidReason>,
    /// Figures of the suite, such as `expected` and `matched`.
    pub figures: BTreeMap<String, f64>,
    /// Signs that the result was not earned; a flagged pass does not count in `strict`.
    pub flags: Vec<Check>,
}

impl Verdict {
    /// A verdict that blames the infrastructure.
    pub fn invalid(profile: Profile, kind: InvalidReason, reason: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Invalid,
            profile,
            checks: Vec::new(),
            reason: reason.into(),
            invalid: Some(kind),
            figures: BTreeMap::new(),
            flags: Vec::new(),
        }
    }

    /// The answer of the check with this name.
    pub fn answer(&self, name: &str) -> Option<Answer> {
        self.checks
            .iter()
            .find(|check| check.name == name)
            .map(|check| check.answer)
    }
}

/// What the infrastructure did wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvalidReason {
    /// The pinned source cannot be had any more.
    SourceUnavailable,
    /// The network or a mirror did not answer.
    Network,
    /// The machine's disk is full.
    DiskFull,
    /// The box could not be made or died.
    Sandbox,
    /// The image could not be had.
    Image,
    /// The model's provider did not answer, or not to this key.
    Model,
    /// The task itself is broken.
    Task,
    /// Anything else of ours.
    Internal,
}

/// One executed question with its answer and its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Stable name, such as `flexible`.
    pub name: String,
    /// The answer.
    pub answer: Answer,
    /// One line for a person.
    pub detail: String,
    /// What proves it.
    pub evidence: Vec<Evidence>,
}

/// The answer of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It could not be asked; the detail says why.
    NotAsked,
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// What proves an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Evidence {
    /// A file in the grading box.
    File {
        /// Absolute path in the box.
        path: String,
        /// Its content's digest.
        digest: Digest,
        /// Its size in bytes.
        size: u64,
        /// What is known of it, such as `ELF executable, x86_64, DWARF 5`.
        what: String,
    },
    /// Lines of a log.
    Log {
        /// The log's digest in the store.
        log: Digest,
        /// First line, counted from 1.
        line: u64,
        /// The text.
        text: String,
    },
    /// How a command ended.
    Exit {
        /// The command.
        command: String,
        /// Its exit code, when it exited.
        code: Option<i32>,
        /// The signal that ended it, when one did.
        signal: Option<i32>,
    },
    /// A plain statement, for instance an expected name that no file has.
    Note {
        /// The statement.
        text: String,
    },
}
