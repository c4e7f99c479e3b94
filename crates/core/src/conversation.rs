//! What is said between an agent, a model and tools, in one form for every provider.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Digest;

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The rules of the conversation.
    System,
    /// Whoever wants something of the model: the task, an observation, a nudge.
    User,
    /// The model.
    Assistant,
    /// Results of tools that the model called.
    Tool,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A message of one text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            parts: vec![Part::Text { text: text.into() }],
        }
    }

    /// A message with the result of one tool call.
    pub fn tool_result(id: impl Into<String>, content: impl Into<String>, failed: bool) -> Self {
        Self {
            role: Role::Tool,
            parts: vec![Part::ToolResult {
                id: id.into(),
                content: content.into(),
                failed,
            }],
        }
    }

    /// Its texts, joined by a line end; without reasoning, calls and results.
    pub fn plain_text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// The tools that it calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// What the model thought before it spoke, as far as the provider shows it.
    Reasoning {
        /// The text, or a summary of it; may be empty.
        text: String,
        /// What the provider wants back untouched with the next request: a signature, an encrypted item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Value>,
    },
    /// A call of a tool.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult {
        /// The call that it answers.
        id: String,
        /// The answer as the model sees it.
        content: String,
        /// Whether the tool could not do what it was asked for.
        failed: bool,
    },
}

/// A call of a tool, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its id in the conversation.
    pub id: String,
    /// The tool's name, which may be one that does not exist.
    pub name: String,
    /// The arguments, byte for byte: JSON, or what the model took for JSON.
    pub arguments: String,
}

/// What one answer of a model used, in tokens. What the provider does not tell is `None`, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// All tokens of the request, those read from a cache and those written to one among them.
    pub input: Option<u64>,
    /// Those of `input` that were read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<u64>,
    /// Those of `input` that were written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// All tokens of the answer, reasoning among them.
    pub output: Option<u64>,
    /// Those of `output` that are reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Input and output together, as far as they are known.
    pub fn total(&self) -> u64 {
        self.input.unwrap_or(0).saturating_add(self.output.unwrap_or(0))
    }
}

/// Why a model's answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// It waits for the tools that it called.
    ToolCalls,
    /// It reached the bound of its output.
    Length,
    /// The model or its provider declined to answer.
    Refusal,
    /// The provider gave another reason, or none.
    Other,
}

/// One call of a model, as the journal keeps it. The words are in the messages before and after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// The conversation, such as `main` or `discussion-2`.
    pub conversation: String,
    /// The model, as `provider/model`.
    pub model: String,
    /// The name under which the provider says it answered, where it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// Why the answer ended; `None` when there was no answer.
    pub finish: Option<Finish>,
    /// What went wrong, when there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it used.
    pub usage: Usage,
    /// Its cost in millionths of a US dollar; `None` when the price is unknown.
    pub cost_micros: Option<u64>,
    /// Requests sent, those that were tried again among them. 0: answered from a cassette.
    pub attempts: u32,
    /// What was left out of the request or written in another way because the provider refuses it, one line each: a
    /// temperature, tools that were described in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adapted: Vec<String>,
    /// Milliseconds until the first piece of the answer, where it came in pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_piece_ms: Option<u64>,
    /// Wall-clock milliseconds, waiting between attempts among them.
    pub wall_ms: u64,
    /// The request as it went over the wire, in the store, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Digest>,
}

impl ModelRecord {
    /// Answers of the model in this record: one, or all of a program of others, which tells of its calls together.
    pub fn answers(&self) -> u64 {
        match (&self.finish, &self.error) {
            (None, None) => u64::from(self.attempts.max(1)),
            _ => 1,
        }
    }
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRecord {
    /// The conversation that asked for it; for a tool served to somebody else, the client's name.
    pub conversation: String,
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as they came.
    pub arguments: String,
    /// Whether it did what it was asked for.
    pub failed: bool,
    /// Whether the answer came from the cache of results.
    pub cached: bool,
    /// Bytes of the answer that were left out of what the model sees.
    pub left_out_bytes: u64,
    /// The whole answer in the store, when a part was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Digest>,
    /// Wall-clock milliseconds.
    pub wall_ms: u64,
}

/// What ended an agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It said that it was done.
    Finished,
    /// It said that it cannot be done.
    GaveUp,
    /// It did as many steps as it may.
    Steps,
    /// It called tools as often as it may.
    ToolCalls,
    /// It used as many tokens as it may.
    Tokens,
    /// It cost as much as it may.
    Cost,
    /// Its time was up.
    Time,
    /// It went in circles.
    Stuck,
    /// What it said did not fit the context of the model any more.
    ContextFull,
    /// It answered in a form that could not be read, too often.
    BadForm,
    /// The model declined.
    Refused,
    /// The model could not be had.
    Model,
}
