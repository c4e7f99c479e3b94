//! Commands in a box that is graded: with their output kept, heard and recorded, or small ones of ours.

use std::{io::Write as _, time::Duration};

use seatrial_core::{Digest, Event, EventSink};
use seatrial_sandbox::{Command, Execution, OutputSink, Sandbox, SandboxError, Status, Stream};
use seatrial_store::BlobWriter;

use crate::{GradeRequest, SuiteError, suite::Live};

/// Runs one command with its output going to the store, to whoever watches, and into the journal as a record.
pub(crate) fn run(
    request: &GradeRequest<'_>,
    sandbox: &mut dyn Sandbox,
    command: &Command,
    purpose: &str,
    events: &mut dyn EventSink,
) -> Result<(Execution, Digest), SuiteError> {
    let mut spool = Spool {
        writer: request.blobs.writer()?,
        output: request.output,
        broken: None,
    };
    let execution = sandbox.exec(command, &mut spool)?;
    if let Some(error) = spool.broken {
        return Err(error.into());
    }
    let (log, _) = spool.writer.finish()?;
    let record = execution.record(purpose, shown(&command.argv), Some(log));
    events.emit(Event::Command(record))?;
    Ok((execution, log))
}

fn shown(argv: &[String]) -> String {
    match argv {
        [shell, flag, script] if flag == "-c" && shell.ends_with("bash") => script.clone(),
        _ => argv.join(" "),
    }
}

struct Spool<'a> {
    writer: BlobWriter,
    output: Option<Live<'a>>,
    broken: Option<std::io::Error>,
}

impl OutputSink for Spool<'_> {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        if self.broken.is_none()
            && let Err(error) = self.writer.write_all(bytes)
        {
            self.broken = Some(error);
        }
        if let Some(output) = self.output {
            output(bytes);
        }
    }
}

/// Runs a small command of ours and returns its standard output and error, merged.
pub(crate) fn helper(sandbox: &mut dyn Sandbox, what: &'static str, script: &str) -> Result<Vec<u8>, SuiteError> {
    let mut output = Vec::new();
    let execution = sandbox.exec(
        &Command {
            output_limit: 256 << 20,
            ..Command::bash(script).with_timeout(Duration::from_mins(5))
        },
        &mut output,
    )?;
    if execution.succeeded() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output);
    let tail: Vec<&str> = text.lines().rev().take(3).collect();
    Err(SuiteError::Helper {
        what,
        problem: format!(
            "{:?}: {}",
            execution.status,
            tail.into_iter().rev().collect::<Vec<_>>().join(" | ")
        ),
        by_content: matches!(execution.status, Status::Exited(_) | Status::DiskLimit),
    })
}

/// Reads a file of the box that may not be there.
pub(crate) fn read_if_there(sandbox: &mut dyn Sandbox, path: &str, limit: u64) -> Result<Option<Vec<u8>>, SuiteError> {
    match sandbox.read_file(path, limit) {
        Ok(content) => Ok(Some(content.bytes)),
        Err(SandboxError::NoSuchFile(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
