//! What a journal holds.

use serde::{Deserialize, Serialize};

use crate::{AgentName, Digest, Ending, Message, ModelRecord, Submission, TaskId, ToolRecord, Verdict};

/// The version of the journal's lines. A reader accepts this version and older ones.
pub const JOURNAL_VERSION: u32 = 4;

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Version of the format.
    pub v: u32,
    /// Position in the journal, counted from 0.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    /// What happened.
    pub event: Event,
}

/// What happened in a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A trial began.
    TrialStarted {
        /// The task.
        task: TaskId,
        /// The agent.
        agent: AgentName,
        /// The attempt, counted from 1.
        attempt: u32,
        /// Digest of the run's locked configuration.
        lock: Digest,
    },
    /// A phase began: `fetch`, `prepare`, `solve`, `grade`.
    Phase {
        /// Its name.
        name: String,
    },
    /// A command ran in a box.
    Command(CommandRecord),
    /// A box's network door was closed: what went through it in one phase.
    Network(NetworkRecord),
    /// Limits of boxes that cannot be enforced on this machine, each with the reason; written once, when a trial starts.
    Unenforced {
        /// One line a limit.
        limits: Vec<String>,
    },
    /// The agent chose, tried or dropped a plan, or repaired something.
    Decision {
        /// What was decided, in one line.
        what: String,
        /// Why.
        why: String,
    },
    /// A message joined a conversation with a model: each is written once, in order.
    Said {
        /// The conversation, such as `main`.
        conversation: String,
        /// The message.
        message: Message,
    },
    /// A model was called, with the messages of a conversation so far.
    ModelCalled(ModelRecord),
    /// A tool was used.
    ToolCalled(ToolRecord),
    /// Messages of a conversation were taken out of what the model sees, and a text stands in their place.
    Condensed {
        /// The conversation.
        conversation: String,
        /// The messages that went, by their position among those said in it, counted from 0: the first and the one after the last.
        range: [usize; 2],
        /// What stands in their place.
        summary: String,
    },
    /// The agent's work with a model ended.
    Ended {
        /// What ended it.
        by: Ending,
        /// One line: which bound, which words.
        why: String,
    },
    /// The agent handed in its result.
    Submitted {
        /// The submission.
        submission: Submission,
    },
    /// The grader reached a verdict.
    Judged {
        /// The verdict.
        verdict: Verdict,
    },
    /// The trial is over; what follows this line is not part of it.
    TrialFinished {
        /// Wall-clock milliseconds from start to finish.
        wall_ms: u64,
        /// Bytes that the agent's box had written when it was done, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        disk_bytes: Option<u64>,
    },
    /// The trial was given up for a reason of the infrastructure and will be tried again on resume.
    Interrupted {
        /// Why.
        reason: String,
    },
    /// Anything worth telling.
    Note {
        /// The text.
        text: String,
    },
}

impl Event {
    /// Whether it reports something that was done, and not only said, planned or begun.
    pub fn is_act(&self) -> bool {
        !matches!(
            self,
            Self::Phase { .. } | Self::Decision { .. } | Self::Said { .. } | Self::Condensed { .. } | Self::Note { .. }
        )
    }
}

/// How a command in a box went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRecord {
    /// What it was for, such as `configure`.
    pub purpose: String,
    /// The command line as a shell would read it.
    pub command: String,
    /// Exit code, when it exited.
    pub code: Option<i32>,
    /// The signal that ended it, when one did.
    pub signal: Option<i32>,
    /// Whether a time limit ended it.
    pub timed_out: bool,
    /// Bytes of output that were not kept.
    pub truncated_bytes: u64,
    /// Wall-clock milliseconds.
    pub wall_ms: u64,
    /// Processor milliseconds, user and system, of the command and its children.
    pub cpu_ms: u64,
    /// Peak resident memory in KiB of its largest process.
    pub peak_kib: u64,
    /// The kept output's digest in the store.
    pub log: Option<Digest>,
}

/// What went through a network door.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkRecord {
    /// The door's policy, such as `record`.
    pub policy: String,
    /// Requests that were answered from outside or from the record.
    pub answered: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Requests that were not answered, in order; at most [`MOST_REFUSALS`].
    pub refusals: Vec<Refusal>,
    /// How many more there were.
    pub more_refusals: u64,
}

/// So many refusals are named one by one: whoever asks the same thing for ever must not fill the journal.
pub const MOST_REFUSALS: usize = 100;

/// A request that a door did not answer as asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Why.
    pub kind: RefusalKind,
    /// Method and address, as they were asked for.
    pub request: String,
    /// One line: what was wrong.
    pub reason: String,
}

/// Why a door did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// The policy does not allow it.
    Forbidden,
    /// It is not in the record that is replayed.
    Unrecorded,
    /// It is allowed, and the other side could not be reached or broke off.
    Unreachable,
}

/// Where events go. The journal is one; a progress display may be another.
pub trait EventSink {
    /// Takes one event. It has reached the disk, where there is one, when this returns.
    fn emit(&mut self, event: Event) -> Result<(), SinkError>;
}

/// An event could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the journal: {0}")]
pub struct SinkError(pub String);

/// Keeps events in memory, for tests and for callers that only look at the end.
impl EventSink for Vec<Event> {
    fn emit(&mut self, event: Event) -> Result<(), SinkError> {
        self.push(event);
        Ok(())
    }
}
