//! `buildlog-consultant`, a program of others that does the same work, run beside ours on the same logs.
//!
//! It is started as a program and its answer is read; nothing of it is part of this one.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde::Deserialize;

use super::{
    Case,
    grade::{is_open, names},
};

/// The program, found and started.
#[derive(Debug, Clone)]
pub struct Consultant {
    program: PathBuf,
}

/// It could not be run, or answered something else than it should.
#[derive(Debug, thiserror::Error)]
pub enum ConsultantError {
    /// It could not be started.
    #[error("{program} cannot be started: {source}; `cargo install buildlog-consultant` installs it")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// What it answered to one log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opinion {
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// Every word of the details of the problem.
    pub details: Vec<String>,
    /// How long it took, starting included.
    pub took: Duration,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reply {
    lineno: Option<u64>,
    details: Option<serde_json::Value>,
}

impl Consultant {
    /// The program at this path, or of this name on the search path.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
        }
    }

    /// Asks about one log. That it crashed or said nothing is an opinion too.
    pub fn ask(&self, log: &Path) -> Result<Opinion, ConsultantError> {
        let begun = Instant::now();
        let output = Command::new(&self.program)
            .arg("--json")
            .arg(log)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|source| ConsultantError::Start {
                program: self.program.clone(),
                source,
            })?;
        Ok(Opinion {
            took: begun.elapsed(),
            ..read(&output.stdout)
        })
    }
}

fn read(reply: &[u8]) -> Opinion {
    let reply: Reply = serde_json::from_slice(reply).unwrap_or_default();
    let mut details = Vec::new();
    if let Some(value) = &reply.details {
        words(value, &mut details);
    }
    Opinion {
        line: reply.lineno,
        details,
        took: Duration::ZERO,
    }
}

/// Every text and number in a value.
fn words(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => found.push(text.clone()),
        serde_json::Value::Number(number) => found.push(number.to_string()),
        serde_json::Value::Array(list) => list.iter().for_each(|each| words(each, found)),
        serde_json::Value::Object(map) => map.values().for_each(|each| words(each, found)),
        serde_json::Value::Null | serde_json::Value::Bool(_) => {}
    }
}

impl Opinion {
    /// Whether the line is within one of the cause's message.
    pub fn hits(&self, case: &Case) -> bool {
        self.line
            .is_some_and(|line| line + 1 >= case.lines.0 && line <= case.lines.1 + 1)
    }

    /// Whether any detail is the subject; its kinds are others than ours, so they are not compared. `None` for a case
    /// without a subject.
    pub fn names(&self, case: &Case) -> Option<bool> {
        (!is_open(&case.subject)).then(|| self.details.iter().any(|word| names(&case.subject, word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_reply_is_read_and_none_is_no_opinion() {
        let opinion =
            read(br#"{"lineno": 7, "line": "x", "problem": "missing-c-header", "details": {"header": ["zlib.h"]}}"#);
        assert_eq!((opinion.line, opinion.details), (Some(7), vec!["zlib.h".to_owned()]));
        assert_eq!(read(b""), Opinion::default());
        assert_eq!(read(b"null"), Opinion::default());
    }
}
