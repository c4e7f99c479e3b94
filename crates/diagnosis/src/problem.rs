//! Typed problems.

use serde::{Deserialize, Serialize};

use crate::{Class, Kind, Remedy};

/// What a log says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The root cause, when one is recognised.
    pub cause: Option<Problem>,
    /// Every missing name in the log, in order, each once, so that repairs can be batched.
    pub missing: Vec<Problem>,
    /// The cause's lines with a few around them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excerpt: Vec<QuotedLine>,
    /// What the log is about as a whole.
    #[serde(default)]
    pub facts: LogFacts,
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// The line, without colours and without what a build service wrote before it.
    pub text: String,
}

/// A log as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogFacts {
    /// Lines.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
    /// How the work that was logged ended, as far as the log says.
    pub ending: Ending,
    /// Lines that only say that something before them failed.
    pub closers: u64,
    /// The last of them, and its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closer: Option<QuotedLine>,
    /// Tools whose output was recognised, such as `cmake`, in order of first appearance.
    pub tools: Vec<String>,
}

/// How a logged build ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Something says that it failed.
    Failed,
    /// A tool says that it succeeded, and nothing says that it failed.
    Succeeded,
    /// Nothing says how it ended.
    #[default]
    Unknown,
}

/// Where in a build a line was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing says.
    #[default]
    Unknown,
    /// Sources are fetched and unpacked, patches are applied.
    Prepare,
    /// Dependencies are installed.
    Dependencies,
    /// The build is configured.
    Configure,
    /// The build proper.
    Build,
    /// Tests.
    Test,
    /// Installing into the image of a package.
    Install,
    /// The package is put together and looked over.
    Package,
}

/// One problem with the lines that show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// The header, library, program, module, flag ... it is about; empty when there is none.
    pub subject: String,
    /// The class of failure, from the kind and from where in the build it happened.
    #[serde(default)]
    pub class: Class,
    /// Where in the build it happened.
    #[serde(default)]
    pub phase: Phase,
    /// Line number of the line that names it, counted from 1.
    pub line: u64,
    /// First and last line of the message, both counted from 1.
    #[serde(default)]
    pub span: (u64, u64),
    /// The line, without colours.
    pub text: String,
    /// How sure this is, in percent.
    #[serde(default)]
    pub confidence: u8,
    /// Names the signature that recognised it.
    #[serde(default)]
    pub signature: String,
    /// The file beside the log that shows it, such as `config.log`; none for the log itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Later errors that follow from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<FollowOn>,
    /// What may cure it, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// Errors that follow from a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowOn {
    /// Line number of the first.
    pub line: u64,
    /// That line, without colours.
    pub text: String,
    /// How many there are of its like.
    pub count: u64,
}
