//! Runs one step in the box: streams its output, keeps its log, says how it went.

use std::{
    io::Write as _,
    time::{Duration, Instant},
};

use seatrial_core::{Recipe, Step};
use seatrial_sandbox::{Command, OutputSink, Sandbox, Status, Stream, TimeoutKind};
use seatrial_store::{BlobWriter, Blobs, StoreError};

use crate::{BuildRequest, BuilderError, Watcher};

/// Time without output after which a command counts as stuck.
const IDLE: Duration = Duration::from_mins(10);
/// What is kept of a log for the diagnosis: this much of its start and this much of its end.
const HEAD: usize = 1 << 20;
const TAIL: usize = 3 << 20;

/// How a step went.
pub(super) struct Ran {
    pub(super) ok: bool,
    /// What stopped it, when it was not its own exit: in words.
    pub(super) stopped: Option<String>,
    /// The start and the end of its log.
    pub(super) log: Vec<u8>,
    pub(super) wall: Duration,
}

impl Ran {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.log).into_owned()
    }
}

/// Runs a step. Its failure is a result; an error is the machinery's.
pub(super) fn run(
    step: &Step,
    request: &BuildRequest<'_>,
    sandbox: &mut dyn Sandbox,
    blobs: &Blobs,
    watcher: &mut dyn Watcher,
) -> Result<Ran, BuilderError> {
    run_after("", step, request, sandbox, blobs, watcher)
}

/// The same after some lines of Bash that are no part of the step.
pub(super) fn run_after(
    first: &str,
    step: &Step,
    request: &BuildRequest<'_>,
    sandbox: &mut dyn Sandbox,
    blobs: &Blobs,
    watcher: &mut dyn Watcher,
) -> Result<Ran, BuilderError> {
    // Run as the recipe would, but always to learn the exit code.
    let strict = Step {
        keep_going: false,
        ..step.clone()
    };
    let mut command = Command::bash(format!("set -eu\n{}{first}{}", Recipe::preamble(), strict.to_bash()));
    command.timeout = limit(request);
    command.idle_timeout = Some(command.timeout.map_or(IDLE, |timeout| timeout.min(IDLE)));
    let mut sink = Sink {
        log: Kept::default(),
        blob: blobs.writer()?,
        broken: None,
        watcher,
    };
    let execution = sandbox.exec(&command, &mut sink)?;
    let Sink {
        log,
        blob,
        broken,
        watcher,
    } = sink;
    if let Some(error) = broken {
        return Err(error.into());
    }
    let (digest, _) = blob.finish()?;
    let stopped = match execution.status {
        Status::Exited(_) => None,
        Status::Signaled(signal) => Some(format!("signal {signal} ended it")),
        Status::TimedOut(TimeoutKind::Wall) => Some("it ran longer than it may".to_owned()),
        Status::TimedOut(TimeoutKind::Idle) => Some(format!("it wrote nothing for {} seconds", IDLE.as_secs())),
        Status::DiskLimit => Some("it wrote more than the box may write".to_owned()),
    };
    let shown = format!("cd \"{}\" && {}", step.folder, step.command);
    watcher.command(execution.record(step.purpose.as_str(), shown, Some(digest)));
    Ok(Ran {
        ok: execution.succeeded(),
        stopped,
        log: log.finish(),
        wall: execution.wall,
    })
}

/// The limit of a command: the caller's, but never past the deadline.
fn limit(request: &BuildRequest<'_>) -> Option<Duration> {
    let left = request.deadline.map(|deadline| {
        deadline
            .saturating_duration_since(Instant::now())
            .max(Duration::from_secs(1))
    });
    match (request.command_timeout, left) {
        (Some(own), Some(left)) => Some(own.min(left)),
        (own, left) => own.or(left),
    }
}

struct Sink<'a> {
    log: Kept,
    blob: BlobWriter,
    broken: Option<StoreError>,
    watcher: &'a mut dyn Watcher,
}

impl OutputSink for Sink<'_> {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        self.watcher.output(bytes);
        self.log.add(bytes);
        if self.broken.is_none()
            && let Err(error) = self.blob.write_all(bytes)
        {
            self.broken = Some(error.into());
        }
    }
}

/// The start and the end of a stream of any length.
#[derive(Default)]
struct Kept {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: bool,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
            self.dropped = true;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.dropped {
            self.head.extend_from_slice(b"\n...\n");
        }
        self.head.append(&mut self.tail);
        self.head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_any_size_keeps_its_start_and_its_end() {
        let mut kept = Kept::default();
        kept.add(b"first\n");
        for _ in 0..40 {
            kept.add(&vec![b'x'; 1 << 20]);
        }
        kept.add(b"last\n");
        let log = kept.finish();
        assert!(log.starts_with(b"first\n") && log.ends_with(b"last\n"));
        assert!(log.len() < 8 << 20);
    }
}
