//! What a tool says.

use seatrial_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool says: what a model reads, and the same as data where that is of use to a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// What the model reads.
    pub text: String,
    /// Whether the tool could not do what it was asked for.
    pub failed: bool,
    /// The same as data; `Null` where the text is all there is.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// Bytes that the text leaves out. The text says so too.
    #[serde(default)]
    pub left_out_bytes: u64,
    /// The whole, in the store, when something is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Digest>,
    /// Whether it was remembered rather than found out anew.
    #[serde(default)]
    pub cached: bool,
}

impl Answer {
    /// A plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            failed: false,
            data: Value::Null,
            left_out_bytes: 0,
            whole: None,
            cached: false,
        }
    }

    /// Why it could not be done, and what helps.
    pub fn failure(text: impl Into<String>) -> Self {
        Self {
            failed: true,
            ..Self::text(text)
        }
    }

    /// The same with data for programs.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }
}
