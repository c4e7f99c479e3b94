//! The two tools behind which other models are. The agent itself does what they are called for.

use std::sync::Arc;

use seatrial_core::ToolCall;
use seatrial_tools::{Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World};
use serde_json::{Value, json};

use super::argument;

struct Delegate(ToolDescription);

impl Tool for Delegate {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, _: &Value, _: &mut World<'_>) -> Result<Answer, ToolFailure> {
        Err(ToolFailure::told("only the leading model may ask for this"))
    }
}

/// Sends a colleague to read documents.
pub(super) fn navigate() -> Arc<dyn Tool> {
    delegate(
        "navigate",
        "Sends a colleague to read the project's documents, and the pages that they point to, and brings back how it is built.",
        "question",
        "What you want to know.",
    )
}

/// Puts a failure before experts.
pub(super) fn solve_error() -> Arc<dyn Tool> {
    delegate(
        "solve_error",
        "Puts a failure before several experts, who discuss it, and brings back the cause and what to do.",
        "problem",
        "The command that failed, the lines of its output that matter, and what was tried.",
    )
}

fn delegate(name: &str, purpose: &str, argument: &str, about: &str) -> Arc<dyn Tool> {
    Arc::new(Delegate(ToolDescription {
        name: name.to_owned(),
        purpose: purpose.to_owned(),
        limits: String::new(),
        parameters: json!({
            "type": "object",
            "properties": {argument: {"type": "string", "minLength": 1, "description": about}},
            "required": [argument],
            "additionalProperties": false,
        }),
        effect: Effect::NONE,
        caching: Caching::No,
    }))
}

/// What a call is about; the error is what the model is told.
pub(super) fn words(call: &ToolCall, name: &str) -> Result<String, String> {
    argument(call, name).ok_or_else(|| {
        format!(
            "`{}` was not called: it takes a JSON object with the text `{name}`",
            call.name.trim()
        )
    })
}
