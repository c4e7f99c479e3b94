//! The few programs that are run on this machine: `git`, `gpgv`, `dpkg-source`.
//!
//! They get a small, fixed environment, no terminal and no input. None of them runs code that was fetched.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::SourceError;

/// Where system programs are. The caller's own `PATH` could name anything.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program that is ready to run in a folder.
pub(crate) struct Program {
    command: Command,
    name: &'static str,
    install: &'static str,
}

impl Program {
    /// A program; `install` is the command that a person gets it with.
    pub(crate) fn new(name: &'static str, install: &'static str, folder: &Path) -> Self {
        let mut command = Command::new(name);
        command
            .env_clear()
            .env("PATH", PATH)
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("HOME", folder)
            .current_dir(folder)
            .stdin(Stdio::null());
        Self { command, name, install }
    }

    /// Adds variables.
    pub(crate) fn envs(mut self, variables: &BTreeMap<String, String>) -> Self {
        self.command.envs(variables);
        self
    }

    /// Adds a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Runs it to its end. A failure of the program is a result.
    pub(crate) fn output(mut self) -> Result<Output, SourceError> {
        self.command.output().map_err(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                SourceError::NoProgram {
                    program: self.name.to_owned(),
                    install: self.install.to_owned(),
                }
            } else {
                io::Error::new(error.kind(), format!("cannot run `{}`: {error}", self.name)).into()
            }
        })
    }
}

/// The lines of a program's complaint that matter to a person, in one line.
pub(crate) fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("hint:"))
        .collect();
    let told: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| line.starts_with("fatal:") || line.starts_with("error:") || line.contains("error:"))
        .collect();
    if !told.is_empty() {
        lines = told;
    }
    let start = lines.len().saturating_sub(3);
    let text = lines.get(start..).unwrap_or_default().join("; ");
    if text.is_empty() {
        format!("it ended with {}", output.status)
    } else {
        text
    }
}
