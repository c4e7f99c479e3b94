//! A shell that stays between commands.
//!
//! Each script has standard streams of its own, with nothing to read, so what it does to them ends with it. A script may
//! do to its shell whatever it likes: the session goes on with another one. What a script must not do is to switch its
//! shell to reading only (`set -n`): that ends at a time limit. Nothing that a program prints can be taken for a script's
//! status; but programs that run as the shell's own user can do to it what that user can, so a verdict does not rest on a
//! session.

mod shell;

use std::{collections::BTreeMap, time::Duration};

pub(crate) use shell::{REPORTS, Report, Reports, SHELL, State, Token, frame, replay};

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
    /// How it ended. Its processor time is that of the shell and of all that ended while it ran; the size of its largest
    /// process is looked at now and then while it runs.
    pub execution: Execution,
    /// Whether the next script meets another shell, or this one already did and nobody was told: a script ended it, a limit
    /// did, or a snapshot or rollback in between. It has the folder, variables, functions, aliases, traps and options that
    /// the last one had before the script that ended it. Jobs of earlier scripts go on, except over a snapshot or rollback
    /// that found something written, but are no jobs of this shell.
    pub restarted: bool,
}
