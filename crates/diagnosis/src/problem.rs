//! Typed problems.

use serde::{Deserialize, Serialize};

/// What a log says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The root cause, when one is recognised.
    pub cause: Option<Problem>,
    /// Every missing name in the log, in order, each once, so that repairs can be batched.
    pub missing: Vec<Problem>,
}

/// One problem with the line that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// The header, library, program, module, flag ... it is about; empty when there is none.
    pub subject: String,
    /// Line number in the log, counted from 1.
    pub line: u64,
    /// The line, without colours.
    pub text: String,
}

/// The kinds of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    MissingHeader,
    MissingPkgConfig,
    MissingCMake,
    MissingLibrary,
    MissingCommand,
    MissingMacro,
    MissingPython,
    MissingFile,
    /// A folder that should hold a git submodule is empty.
    MissingSubmodule,
    /// Generated Autotools files want a version that is not there.
    StaleAutotools,
    /// A warning was made an error.
    WarningAsError,
    /// Several definitions of one symbol (`-fcommon` cures the tentative ones).
    MultipleDefinition,
    UndefinedReference,
    CompileError,
    /// The build tool is too old or too new for the project.
    ToolVersion,
    /// The build wanted the network for something that is no package of the distribution.
    Download,
    /// Disk, memory, processes.
    Resources,
    /// The build tool's own complaint about its input.
    BuildFile,
    /// An error line of no known kind.
    Other,
}
