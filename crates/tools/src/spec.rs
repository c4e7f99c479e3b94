//! What a tool is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Answer, ToolFailure, World};

/// One tool over a box. It holds nothing of a trial: what it remembers is in the world's state.
pub trait Tool: Send + Sync {
    /// What it is, for models and for people.
    fn spec(&self) -> &ToolDescription;

    /// Does it. The arguments fit the schema. What is not done for a reason that the model can mend is `Told`.
    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure>;
}

/// What a tool is, for models and for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDescription {
    /// Its name: lower case letters, digits and `_`.
    pub name: String,
    /// What it is for, in one or two sentences.
    pub purpose: String,
    /// What bounds it, in one line.
    pub limits: String,
    /// JSON Schema of its arguments: an object.
    pub parameters: Value,
    /// What it does to the world.
    pub effect: Effect,
    /// Whether its answers may be remembered.
    pub caching: Caching,
}

impl ToolDescription {
    /// Purpose and limits in one text, as a model is told.
    pub fn description(&self) -> String {
        if self.limits.is_empty() {
            self.purpose.clone()
        } else {
            format!("{} {}", self.purpose, self.limits)
        }
    }

    /// What it takes, as names: `path, from?, lines?`.
    pub fn signature(&self) -> String {
        let required: Vec<&str> = self
            .parameters
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let Some(properties) = self.parameters.get("properties").and_then(Value::as_object) else {
            return String::new();
        };
        let optional = properties.keys().filter(|name| !required.contains(&name.as_str()));
        required
            .iter()
            .map(|name| (*name).to_owned())
            .chain(optional.map(|name| format!("{name}?")))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// It looks at files of the box.
    pub reads: bool,
    /// It changes files of the box.
    pub writes: bool,
    /// It runs programs of the box that the model chooses.
    pub runs: bool,
    /// It asks somebody outside.
    pub network: bool,
}

impl Effect {
    /// Nothing.
    pub const NONE: Self = Self {
        reads: false,
        writes: false,
        runs: false,
        network: false,
    };
    /// It only looks.
    pub const READS: Self = Self {
        reads: true,
        ..Self::NONE
    };
    /// It looks and changes.
    pub const WRITES: Self = Self {
        writes: true,
        ..Self::READS
    };
    /// It may do whatever a program may.
    pub const RUNS: Self = Self {
        runs: true,
        network: true,
        ..Self::WRITES
    };

    /// Its words: `reads, writes`.
    pub fn words(self) -> String {
        let words = [
            (self.reads, "reads"),
            (self.writes, "writes"),
            (self.runs, "runs"),
            (self.network, "network"),
        ];
        let words: Vec<&str> = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        if words.is_empty() {
            "none".to_owned()
        } else {
            words.join(", ")
        }
    }

    /// Whether files of the box may be others afterwards.
    pub fn changes_files(self) -> bool {
        self.writes || self.runs
    }
}

/// Whether an answer may be given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    /// Never.
    No,
    /// As long as no tool may have changed a file of the box.
    WhileFilesStay,
    /// Until the cache is emptied.
    UntilReset,
}
