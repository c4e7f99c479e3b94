//! The two tools that touch nothing: to think, and to say that one is done.

use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Finished, Tool, ToolDescription, ToolFailure, World,
    toolbox::{Arguments as _, describe},
};

pub(crate) struct Think(ToolDescription);

impl Think {
    pub(crate) fn new() -> Self {
        Self(describe(
            "think",
            "Writes a thought down. Nothing is run and nothing changes.",
            "",
            Effect::NONE,
            Caching::No,
            json!({"thought": {"type": "string", "description": "What you think."}}),
            &["thought"],
        ))
    }
}

impl Tool for Think {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, _: &Value, _: &mut World<'_>) -> Result<Answer, ToolFailure> {
        Ok(Answer::text("Noted."))
    }
}

pub(crate) struct Finish(ToolDescription);

impl Finish {
    pub(crate) fn new() -> Self {
        Self(describe(
            "finish",
            "Ends your work: say whether the task is done, and what you did or why it cannot be done.",
            "",
            Effect::NONE,
            Caching::No,
            json!({
                "message": {"type": "string", "description": "What was done, or why it cannot be done."},
                "succeeded": {"type": "boolean", "description": "Whether the task is done. True when left out."},
            }),
            &["message"],
        ))
    }
}

impl Tool for Finish {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let succeeded = arguments.get("succeeded").and_then(Value::as_bool).unwrap_or(true);
        world.state.finished = Some(Finished {
            succeeded,
            message: arguments.text("message").unwrap_or_default().to_owned(),
        });
        Ok(Answer::text("Finished."))
    }
}
