//! The state of each task after calibration.

use std::collections::BTreeMap;

use seatrial_core::{Digest, TaskId};
use serde::{Deserialize, Serialize};

/// The content of `corpus.lock`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorpusLock {
    /// Version of the format.
    pub(crate) format: u32,
    /// By task.
    #[serde(default)]
    pub(crate) tasks: BTreeMap<TaskId, TaskLock>,
}

/// One task's state and what it was reached with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskLock {
    /// The state.
    pub state: TaskState,
    /// Why it is quarantined; empty otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Digest of the task.
    pub task: Digest,
    /// Digest of the truth.
    pub truth: Digest,
    /// Digest of the image that it was calibrated in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Digest>,
}

/// The states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Not calibrated yet, or changed since.
    New,
    /// The reference passed, and the agents that must not pass did not.
    Calibrated,
    /// Something about it is wrong, so it is not run unless asked for by name.
    Quarantined,
}
