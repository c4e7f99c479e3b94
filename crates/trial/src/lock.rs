//! What a run fixes before its first trial.

use seatrial_core::{AgentName, Digest, RelaxationClass, RunId, SuiteName, TaskId};
use serde::{Deserialize, Serialize};

use crate::NetworkPlan;

/// A run's locked configuration. Two runs with equal locks are the same run: the second resumes the first.
///
/// What may change between a run and its resumption (the number of jobs) is not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// The program of others that the agent runs, when it does: another one is another run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Digest>,
    /// How models are asked, when the agent asks any: which, how, within which bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<serde_json::Value>,
    /// Attempts at each task.
    pub attempts: u32,
    /// Most seconds of all trials together, on the wall's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_seconds: Option<u64>,
    /// The image of every box.
    pub image: Digest,
    /// The file name of the package index, when the agent looks names up; it changes with the archive.
    pub index: Option<String>,
    /// What boxes may reach.
    #[serde(default = "NetworkPlan::of_old_locks")]
    pub network: NetworkPlan,
    /// Classes of relaxations that may not be used. Locks of an older form forbade none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<RelaxationClass>,
    /// The version of this program, with its commit where that is known.
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

    /// Whether a run under this lock is what somebody means who asks for the other one: all the same but for the package
    /// index, which may have moved on with the archive since the run was started.
    pub fn is_meant_by(&self, other: &Self) -> bool {
        let plain = |lock: &Self| Self {
            index: None,
            corpus_path: String::new(),
            ..lock.clone()
        };
        plain(self) == plain(other)
    }

    /// The run's name: readable, and different for every different lock.
    pub fn run_id(&self) -> Result<RunId, seatrial_core::IdError> {
        format!("{}-{}-{}", self.corpus, self.agent, self.digest().short()).parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> RunLock {
        RunLock {
            v: 1,
            suite: "compile".parse().unwrap(),
            corpus: "small".to_owned(),
            corpus_path: "/here".to_owned(),
            corpus_digest: Digest::of(b"corpus"),
            tasks: vec!["hull".parse().unwrap()],
            agent: "rules".parse().unwrap(),
            program: None,
            model: None,
            attempts: 1,
            wall_seconds: None,
            image: Digest::of(b"image"),
            index: Some("old.idx".to_owned()),
            network: NetworkPlan::Off,
            forbid: RelaxationClass::NOT_GRADED.to_vec(),
            tool_version: "1".to_owned(),
        }
    }

    #[test]
    fn a_run_goes_on_when_the_archive_or_the_checkout_moved_but_not_when_the_question_did() {
        let begun = lock();
        let moved = RunLock {
            corpus_path: "/there".to_owned(),
            index: None,
            ..lock()
        };
        assert!(begun.is_meant_by(&moved));
        assert_ne!(
            begun.run_id().unwrap(),
            moved.run_id().unwrap(),
            "the index decides results, so it is in the name"
        );
        assert_eq!(
            RunLock {
                corpus_path: "/there".to_owned(),
                ..lock()
            }
            .run_id()
            .unwrap(),
            begun.run_id().unwrap()
        );
        for other in [
            RunLock { attempts: 2, ..lock() },
            RunLock {
                wall_seconds: Some(60),
                ..lock()
            },
            RunLock {
                model: Some(serde_json::json!({ "models": ["openai/other"] })),
                ..lock()
            },
            RunLock {
                forbid: Vec::new(),
                ..lock()
            },
            RunLock {
                tool_version: "2".to_owned(),
                ..lock()
            },
            RunLock {
                corpus_digest: Digest::of(b"other"),
                ..lock()
            },
            RunLock {
                image: Digest::of(b"other"),
                ..lock()
            },
            RunLock {
                program: Some(Digest::of(b"other")),
                ..lock()
            },
        ] {
            assert!(!begun.is_meant_by(&other));
        }
    }
}
