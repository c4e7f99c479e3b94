//! Words of setting up environments.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a repository is written in, as far as setting it up goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Python.
    Python,
    /// Java, Kotlin, Groovy, Scala: what Maven or Gradle builds.
    Jvm,
}

impl Language {
    /// Its name in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Jvm => "jvm",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A repository whose environment is missing. The script that is handed in is sourced in a shell that stands in the
/// repository's root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupGoal {
    /// What decides how the environment is checked.
    pub language: Language,
}

/// What is known of a setup task. The check decides; this calibrates it and sorts the results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupTruth {
    /// Where the task comes from: `mined` or `imported`, and how.
    pub origin: String,
    /// A script that is known to pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<String>,
    /// Issues that the check counts in the bare image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues_at_first: Option<u64>,
}
