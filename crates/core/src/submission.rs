//! What an agent hands in.

use serde::{Deserialize, Serialize};

use crate::Recipe;

/// An agent's result. The grader sees nothing else of the agent's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// The shell script that builds the project from the pinned source in a fresh box.
    pub script: Option<String>,
    /// The same as steps, where the agent knows them.
    pub recipe: Option<Recipe>,
    /// Unified diff against the pinned source, applied before the script runs.
    pub patch: Option<String>,
    /// Further files, laid relative to the source folder before the script runs.
    pub files: Vec<SubmittedFile>,
    /// What the agent wants to tell a reader: on failure, its best explanation.
    pub note: String,
}

/// A file of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubmittedFile {
    /// Path relative to the source folder; `..` is refused.
    pub path: String,
    /// Text content.
    pub content: String,
    /// Permission bits.
    pub mode: u32,
}
