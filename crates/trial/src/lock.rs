//! What a run fixes before its first trial.

use seatrial_core::{AgentName, Digest, RunId, SuiteName, TaskId};
use serde::{Deserialize, Serialize};

/// A run's locked configuration. Two runs with equal locks are the same run: the second resumes the first.
///
/// What may change between a run and its resumption (the number of jobs) is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLock {
    /// Version of this format.
    pub v: u32,
    /// The suite.
    pub suite: SuiteName,
    /// The corpus's name.
    pub corpus: String,
    /// The folder it was read from, so that `report` and a resumption find it.
    pub corpus_path: String,
    /// Digest of every task and truth in it.
    pub corpus_digest: Digest,
    /// The tasks, in the order in which they are started.
    pub tasks: Vec<TaskId>,
    /// The agent.
    pub agent: AgentName,
    /// Attempts at each task.
    pub attempts: u32,
    /// The image of every box.
    pub image: Digest,
    /// The version of this program.
    pub tool_version: String,
}

impl RunLock {
    /// Digest of everything that decides a trial's result: all but where the corpus lies.
    pub fn digest(&self) -> Digest {
        let mut facts = self.clone();
        facts.corpus_path = String::new();
        // A struct of strings and numbers always serialises; an empty text would only merge broken locks.
        Digest::of(&serde_json::to_vec(&facts).unwrap_or_default())
    }

    /// The run's name: readable, and different for every different lock.
    pub fn run_id(&self) -> Result<RunId, seatrial_core::IdError> {
        format!("{}-{}-{}", self.corpus, self.agent, self.digest().short()).parse()
    }
}
