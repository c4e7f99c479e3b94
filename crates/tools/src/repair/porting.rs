//! What porters know, to be looked up.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Rows that are told whole; of more, only the names.
const MOST: usize = 6;

pub(crate) struct PortingLookup(ToolDescription);

impl PortingLookup {
    pub(crate) fn new() -> Self {
        Self(describe(
            "porting_lookup",
            "Looks up what porters know of a topic (`intrinsics`, `page size`, `symbols`) or of a line of a log: how it shows, \
             what it means, and what mends it.",
            "At most 6 rows in full; without a topic, the names of all.",
            Effect::NONE,
            Caching::UntilReset,
            json!({"topic": {"type": "string", "description": "Words, or a line of a log."}}),
            &[],
        ))
    }
}

impl Tool for PortingLookup {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, _: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let topic = arguments.text("topic").unwrap_or_default();
        let rows = seatrial_porting::lookup(topic);
        if rows.is_empty() {
            return Err(ToolFailure::Told(format!(
                "nothing is known of `{}`; without a topic, all rows are named",
                visible(topic)
            )));
        }
        let mut text = String::new();
        for (number, row) in rows.iter().enumerate() {
            if topic.trim().is_empty() || number >= MOST {
                let _ = writeln!(text, "{}: {}", row.name, row.topics.join(", "));
                continue;
            }
            let _ = writeln!(text, "{}\n  shows as: {}\n  means: {}", row.name, row.sign, row.meaning);
            for repair in row.repairs {
                let _ = writeln!(text, "  mend: {repair}");
            }
        }
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        Ok(Answer::text(text).with_data(json!(names)))
    }
}
