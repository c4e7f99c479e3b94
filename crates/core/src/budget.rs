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
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            wall_seconds: Some(3600),
            command_seconds: Some(1800),
            grade_seconds: Some(3600),
        }
    }
}
