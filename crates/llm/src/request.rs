//! What a model is asked, what it answers, and the trait that both pass through.

use std::{sync::atomic::AtomicBool, time::Instant};

use seatrial_core::{EventSink, Finish, Message, ModelRecord, Usage};
use seatrial_store::Blobs;
use serde_json::Value;

use crate::{Meter, ModelError, ModelId};

/// A model that can be asked.
///
/// Calls block. Several threads may call at the same time; limits of the provider's key are kept among them.
pub trait Model: Send + Sync {
    /// Its name.
    fn id(&self) -> &ModelId;

    /// What is known of what it can do.
    fn abilities(&self) -> Abilities;

    /// Asks once and brings one answer. Tries again inside, within the deadline and the meter's bounds. Whatever happens,
    /// one event tells of it.
    fn complete(&self, request: &Request, call: &mut CallContext<'_>) -> Result<Completion, ModelError>;
}

/// What is known of a model. It may change with the first refusal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// How it is told of tools.
    pub tools: ToolProtocol,
    /// Tokens of a request and its answer together.
    pub context_tokens: Option<u64>,
    /// Tokens of an answer.
    pub output_tokens: Option<u64>,
    /// Whether it is known to think before it speaks.
    pub reasoning: Option<bool>,
}

/// How a model is told of tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolProtocol {
    /// In the provider's own form; in words when the provider refuses that.
    #[default]
    Auto,
    /// In the provider's own form only.
    Native,
    /// In words: described in the system message, called in fenced blocks.
    Text,
}

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct Request {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools that it may call.
    pub tools: Vec<ToolSpec>,
    /// Whether it must.
    pub tool_choice: ToolChoice,
    /// Most tokens of the answer, reasoning among them. With a bound on tokens or cost and none here, what is left decides.
    pub max_output: Option<u64>,
    /// 0 unless told otherwise; `None` leaves it to the provider. It is dropped when the model refuses it.
    pub temperature: Option<f64>,
    /// The form that the answer's text must have.
    pub schema: Option<JsonSchema>,
}

impl Request {
    /// A request with these messages, no tools, and temperature 0.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            max_output: None,
            temperature: Some(0.0),
            schema: None,
        }
    }

    /// The same with tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// Whether a model calls tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call one.
    Required,
    /// It must call this one.
    Tool(String),
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonSchema {
    /// A short name: letters, digits, `_` and `-`.
    pub name: String,
    /// The schema, of an object.
    pub schema: Value,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The answer, to be appended to the conversation as it is. It may be empty.
    pub message: Message,
    /// Why it ended.
    pub finish: Finish,
    /// What it used, attempts that broke off among it.
    pub usage: Usage,
    /// The record that went into the journal.
    pub record: ModelRecord,
}

/// A piece of an answer that is still coming in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// More text.
    Text(String),
    /// More reasoning.
    Reasoning(String),
    /// A tool is being called.
    Call(String),
    /// The answer broke off and is asked for again: what came so far does not count.
    Restart,
}

/// What surrounds one call.
pub struct CallContext<'a> {
    /// The conversation, such as `main`.
    pub conversation: &'a str,
    /// When the caller's time is up.
    pub deadline: Option<Instant>,
    /// Set when the user wants to stop.
    pub stop: &'a AtomicBool,
    /// Counts and bounds.
    pub meter: &'a Meter,
    /// Where the request is kept.
    pub blobs: Option<&'a Blobs>,
    /// Where the record goes.
    pub events: Option<&'a mut dyn EventSink>,
    /// Who watches the answer come in.
    pub watch: Option<&'a mut dyn FnMut(Piece)>,
}

impl<'a> CallContext<'a> {
    /// A call without a deadline, a store and watchers.
    pub fn new(conversation: &'a str, meter: &'a Meter, stop: &'a AtomicBool) -> Self {
        Self {
            conversation,
            deadline: None,
            stop,
            meter,
            blobs: None,
            events: None,
            watch: None,
        }
    }
}
