//! What agents with a model have in common: the conversation, the desk that they work at, and the ways to end.

pub(crate) mod briefing;
mod condenser;
mod conversation;
mod desk;
mod fences;
mod guard;
mod prompt;
mod script;
mod settings;

pub(crate) use condenser::Condenser;
pub(crate) use conversation::Conversation;
pub(crate) use desk::{Desk, Halt, NUDGE};
pub(crate) use fences::{diffs, scripts};
pub(crate) use guard::{Guard, Nudge};
pub(crate) use prompt::Prompt;
pub(crate) use script::{Script, ScriptEnd};
pub(crate) use settings::models;
pub use settings::{AgentOptions, AgentSettings, CondenserKind, Feedback};
