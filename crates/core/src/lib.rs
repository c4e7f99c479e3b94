//! The words of Seatrial: what a task, a submission, a verdict and an event are.
//!
//! Plain data and pure functions. No I/O, no clock, no async: every other crate may depend on this one.

mod budget;
mod conversation;
mod digest;
mod event;
mod exit;
mod id;
mod layout;
mod platform;
mod recipe;
mod relaxation;
mod repair;
mod setup;
mod source;
mod submission;
mod task;
mod truth;
mod verdict;

pub use budget::Budget;
pub use conversation::{Ending, Finish, Message, ModelRecord, Part, Role, ToolCall, ToolRecord, Usage};
pub use digest::{Digest, DigestError};
pub use event::{
    CommandRecord, Entry, Event, EventSink, JOURNAL_VERSION, MOST_REFUSALS, NetworkRecord, Refusal, RefusalKind,
    SinkError,
};
pub use exit::ExitCode;
pub use id::{AgentName, IdError, RunId, SuiteName, TaskId};
pub use layout::{BOX_OUT, BOX_PREFIX, BOX_PROJECT, BOX_SOURCE};
pub use platform::{Arch, Platform, PlatformError};
pub use recipe::{Purpose, Recipe, Step};
pub use relaxation::{Relaxation, RelaxationClass, RelaxationClassError, RelaxationScope};
pub use repair::{Mark, RebuildState, RecipeKind};
pub use setup::{Language, SetupGoal, SetupTruth};
pub use source::{FilePin, PinnedSource, SourceKind};
pub use submission::{Submission, SubmittedFile};
pub use task::{Goal, RepairGoal, Task};
pub use truth::{CompileTruth, RepairTruth, Truth, TruthBody};
pub use verdict::{Answer, Check, Evidence, InvalidReason, Outcome, Profile, Verdict};
