//! Runs one script, and says how it went in either way of saying.

use std::{fmt::Write as _, io::Write as _, time::Duration};

use seatrial_core::{Event, Recipe};
use seatrial_sandbox::{Command, Execution, OutputSink, Status, Stream};
use seatrial_store::{BlobWriter, StoreError};

use crate::{AgentError, SolveContext, talk::ScriptEnd};

/// Where a script lies while it runs.
const STEP: &str = "/tmp/step.bash";

/// Bytes of a script's output that a model gets, where it does not get all of it.
const SHOWN: usize = 20_000;

/// Bytes of standard error that a model gets whole. More fits no model.
const MOST: usize = 400_000;

/// The exit code of a command whose time was up, as `timeout` has it.
const TIME_WAS_UP: i32 = 124;

/// How a script went.
pub(super) struct Ran {
    execution: Execution,
    time: Duration,
    out: Vec<u8>,
    err: Vec<u8>,
    both: Vec<u8>,
}

/// Runs a script in a process of its own, in the source folder, with the variables of the recipe that will be handed in.
pub(super) fn run(context: &mut SolveContext<'_>, script: &str, time: Duration) -> Result<Ran, AgentError> {
    context.sandbox.write_file(STEP, script.as_bytes(), 0o644)?;
    let command = format!(
        "{}cd \"$SRC\" || exit 1\nexec bash {STEP} < /dev/null\n",
        Recipe::preamble()
    );
    let mut sink = Sink {
        ran: [Vec::new(), Vec::new(), Vec::new()],
        blob: context.blobs.writer()?,
        broken: None,
        output: context.output,
    };
    let execution = context
        .sandbox
        .exec(&Command::bash(command).with_timeout(time), &mut sink)?;
    let Sink {
        ran: [out, err, both],
        blob,
        broken,
        ..
    } = sink;
    if let Some(error) = broken {
        return Err(error.into());
    }
    let (log, _) = blob.finish()?;
    let record = execution.record(super::SCRIPT, script, Some(log));
    context.events.emit(Event::Command(record))?;
    Ok(Ran {
        execution,
        time,
        out,
        err,
        both,
    })
}

impl Ran {
    pub(super) fn succeeded(&self) -> bool {
        self.execution.succeeded()
    }

    pub(super) fn end(&self) -> ScriptEnd {
        match self.execution.status {
            Status::Exited(0) => ScriptEnd::Succeeded,
            Status::Exited(_) | Status::Signaled(_) => ScriptEnd::Failed,
            Status::TimedOut(_) | Status::DiskLimit => ScriptEnd::CutOff,
        }
    }

    /// As the published program tells it: what was said only when files were listed, a fixed sentence otherwise; of a failure,
    /// standard error alone.
    pub(super) fn upstream(&self, script: &str) -> String {
        let code = match self.execution.status {
            Status::Exited(0) => {
                let said = if script.contains("ls ") {
                    String::from_utf8_lossy(&self.out).into_owned()
                } else {
                    "It ran to its end.".to_owned()
                };
                return format!("Exit code 0. {}", said.trim());
            }
            Status::Exited(code) => code,
            Status::Signaled(signal) => 128 + signal,
            Status::TimedOut(_) => TIME_WAS_UP,
            Status::DiskLimit => 1,
        };
        let err = String::from_utf8_lossy(&self.err);
        let (err, _) = seatrial_tools::shorten(&err, MOST, "");
        let ended = match self.execution.status {
            Status::TimedOut(_) => format!("\nIts time was up after {} s.", self.time.as_secs()),
            Status::DiskLimit => "\nThe machine's disk is full.".to_owned(),
            Status::Exited(_) | Status::Signaled(_) => String::new(),
        };
        format!("Exit code {code}. {}{ended}", err.trim()).trim_end().to_owned()
    }

    /// Head and tail of everything, and how it ended.
    pub(super) fn full(&self, index: usize, of: usize) -> String {
        let both = String::from_utf8_lossy(&self.both);
        let (both, _) = seatrial_tools::shorten(&both, SHOWN, "");
        let mut text = String::new();
        if of > 1 {
            let _ = writeln!(text, "Block {index} of {of}:");
        }
        text.push_str(&both);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let end = match self.execution.status {
            Status::Exited(code) => format!("exit code {code}"),
            Status::Signaled(signal) => format!("ended by signal {signal}"),
            Status::TimedOut(_) => format!("ended after {} s, which is its time limit", self.time.as_secs()),
            Status::DiskLimit => "ended because the machine has written as much as it may".to_owned(),
        };
        // No times: what a model is told shall be the same when the same happens, so that recorded answers fit.
        let _ = write!(text, "[{end}");
        if self.execution.truncated_bytes > 0 {
            let _ = write!(
                text,
                "; {} bytes of output were not kept",
                self.execution.truncated_bytes
            );
        }
        if self.execution.memory_kills > 0 {
            let _ = write!(
                text,
                "; {} processes were killed: memory was used up",
                self.execution.memory_kills
            );
        }
        text.push(']');
        if !self.succeeded() && index < of {
            let _ = write!(text, "\nThe blocks after it were not run.");
        }
        text
    }
}

/// Keeps both streams apart and together.
struct Sink<'a> {
    ran: [Vec<u8>; 3],
    blob: BlobWriter,
    broken: Option<StoreError>,
    output: &'a mut dyn FnMut(&[u8]),
}

impl OutputSink for Sink<'_> {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        (self.output)(bytes);
        let [out, err, both] = &mut self.ran;
        match stream {
            Stream::Out => out.extend_from_slice(bytes),
            Stream::Err => err.extend_from_slice(bytes),
        }
        both.extend_from_slice(bytes);
        if self.broken.is_none()
            && let Err(error) = self.blob.write_all(bytes)
        {
            self.broken = Some(error.into());
        }
    }
}
