//! A shell that stays between commands.

use std::{collections::BTreeMap, time::Duration};

use crate::Execution;

/// Names an open session of one box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session(pub u32);

/// How a session begins.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    /// Variables on top of the box's own.
    pub env: BTreeMap<String, String>,
    /// Working folder, made where it is missing.
    pub folder: String,
}

/// One script to run in a session.
#[derive(Debug, Clone)]
pub struct SessionCommand {
    /// What Bash reads.
    pub script: String,
    /// Wall-clock limit.
    pub timeout: Option<Duration>,
    /// Limit of the time without any output.
    pub idle_timeout: Option<Duration>,
    /// Bytes of standard output and standard error, each, that reach the sink.
    pub output_limit: u64,
}

/// How a script in a session went.
#[derive(Debug, Clone)]
pub struct SessionExecution {
    /// How it ended.
    pub execution: Execution,
    /// Whether the shell had to be started again, with its folder, variables and functions as they were before this
    /// script: it had ended, or a limit ended it. Background jobs are gone then.
    pub restarted: bool,
}
