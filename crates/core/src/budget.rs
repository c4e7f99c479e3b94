//! What a trial may spend.

use serde::{Deserialize, Serialize};

/// Upper bounds of one trial; `None` means unbounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Wall-clock seconds of the agent's whole work in its box.
    pub wall_seconds: Option<u64>,
    /// Wall-clock seconds of any one command.
    pub command_seconds: Option<u64>,
    /// Wall-clock seconds of grading (the replay in a fresh box).
    pub grade_seconds: Option<u64>,
    /// Turns of the agent with a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Uses of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// Tokens of requests and answers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost of models in millionths of a US dollar. A call without a known price counts as unknown, and with this bound set
    /// it is not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            wall_seconds: Some(3600),
            command_seconds: Some(1800),
            grade_seconds: Some(3600),
            steps: None,
            tool_calls: None,
            tokens: None,
            cost_micros: None,
        }
    }
}
