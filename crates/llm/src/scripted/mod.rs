//! A server that stands in for providers in tests: it speaks their wires, says what a script says, and fails as it is told to.
//!
//! It has no model in it and no chance: the same script and the same requests give the same answers.

mod script;
mod server;
mod speak;
mod stage;

pub use script::{Answer, Call, Conversation, Fault, Script, ScriptError, ScriptedUsage};
pub use server::{Heard, ScriptedServer};
pub use stage::Scripts;
