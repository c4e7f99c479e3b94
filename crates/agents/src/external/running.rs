//! Runs the program: one command, without a terminal, within bounds, heard and cleaned.

use std::{
    io::Write as _,
    time::{Duration, Instant},
};

use seatrial_core::{BOX_SOURCE, Event, Recipe};
use seatrial_sandbox::{Command, OutputSink, Status, Stream};
use seatrial_store::{BlobWriter, StoreError};

use super::{
    ExternalProgram, HOME, PLACE,
    recipe::{Launch, Values},
    secrets::Sieve,
    time,
};
use crate::{AgentError, SolveContext};

/// How much of its last words on standard error is remembered.
const LAST_WORDS: usize = 4 << 10;

/// How the program's run went.
pub(super) struct Run {
    /// How it ended.
    pub(super) status: Status,
    /// How long it took.
    pub(super) wall: Duration,
    /// Its standard output, without secrets.
    pub(super) output: String,
    /// The end of its standard error, without secrets.
    errors: String,
}

impl Run {
    /// The last line that it wrote.
    pub(super) fn last_line(&self) -> String {
        let last = |text: &str| {
            let line = text.lines().rev().find(|line| !line.trim().is_empty());
            line.map(|line| line.trim().chars().take(300).collect::<String>())
        };
        last(&self.errors).or_else(|| last(&self.output)).unwrap_or_default()
    }
}

/// The search path with the program's own folders first.
pub(super) fn path() -> String {
    format!("PATH={PLACE}/bin:{PLACE}/python/bin:{HOME}/.local/bin:$PATH")
}

/// Runs it to its end.
pub(super) fn run(
    context: &mut SolveContext<'_>,
    program: &ExternalProgram,
    launch: &Launch,
    values: &Values<'_>,
) -> Result<Run, AgentError> {
    let recipe = &program.recipe;
    let shown = values.command(&launch.command);
    let script = format!(
        "{}export {}\ncd {BOX_SOURCE} || exit 1\nexec </dev/null\n{shown}\n",
        Recipe::preamble(),
        path()
    );
    let mut command = Command::bash(script).with_env("HOME", HOME);
    for (name, value) in &launch.environment {
        command = command.with_env(name, values.plain(value));
    }
    // What the user hands over comes last: it takes the place of what the recipe sets.
    for (name, value) in program.secrets.reveal() {
        command = command.with_env(name, value);
    }
    command.timeout = Some(time(context, recipe));
    command.idle_timeout = recipe.limits.idle_seconds.map(Duration::from_secs);
    command.output_limit = recipe.limits.output_bytes;
    let begun = Instant::now();
    let mut sink = Sink {
        blob: context.blobs.writer()?,
        broken: None,
        live: context.output,
        sieves: [program.secrets.sieve(), program.secrets.sieve()],
        output: Vec::new(),
        errors: Vec::new(),
    };
    let execution = context.sandbox.exec(&command, &mut sink)?;
    sink.finish();
    let Sink {
        blob,
        broken,
        output,
        errors,
        ..
    } = sink;
    if let Some(error) = broken {
        return Err(error.into());
    }
    let (log, _) = blob.finish()?;
    let record = execution.record("build", program.secrets.clean(&shown), Some(log));
    context.events.emit(Event::Command(record))?;
    Ok(Run {
        status: execution.status,
        wall: begun.elapsed(),
        output: String::from_utf8_lossy(&output).into_owned(),
        errors: String::from_utf8_lossy(&errors).into_owned(),
    })
}

/// The newest file that a pattern of the shell fits.
pub(super) fn newest(context: &mut SolveContext<'_>, pattern: &str) -> Result<Option<String>, AgentError> {
    let script = format!(
        "exec 2>/dev/null; shopt -s nullglob globstar; best=\nfor file in {pattern}; do\n  [ -f \"$file\" ] || continue\n  \
         if [ -z \"$best\" ] || [ \"$file\" -nt \"$best\" ]; then best=$file; fi\ndone\nprintf %s \"$best\""
    );
    let mut out = Vec::new();
    let command = Command::bash(script)
        .in_folder(BOX_SOURCE)
        .with_timeout(Duration::from_mins(1));
    context.sandbox.exec(&command, &mut out)?;
    let path = String::from_utf8_lossy(&out).into_owned();
    if path.is_empty() || path.starts_with('/') {
        return Ok(Some(path).filter(|path| !path.is_empty()));
    }
    Ok(Some(format!("{BOX_SOURCE}/{path}")))
}

struct Sink<'a> {
    blob: BlobWriter,
    broken: Option<StoreError>,
    live: &'a mut dyn FnMut(&[u8]),
    sieves: [Sieve; 2],
    output: Vec<u8>,
    errors: Vec<u8>,
}

impl Sink<'_> {
    fn keep(&mut self, stream: Stream, clean: &[u8]) {
        if clean.is_empty() {
            return;
        }
        (self.live)(clean);
        if self.broken.is_none()
            && let Err(error) = self.blob.write_all(clean)
        {
            self.broken = Some(error.into());
        }
        match stream {
            Stream::Out => self.output.extend_from_slice(clean),
            Stream::Err => {
                self.errors.extend_from_slice(clean);
                if self.errors.len() > 4 * LAST_WORDS {
                    self.errors.drain(..self.errors.len() - LAST_WORDS);
                }
            }
        }
    }

    fn finish(&mut self) {
        let [output, errors] = &mut self.sieves;
        let (output, errors) = (output.finish(), errors.finish());
        self.keep(Stream::Out, &output);
        self.keep(Stream::Err, &errors);
    }
}

impl OutputSink for Sink<'_> {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        let [output, errors] = &mut self.sieves;
        let clean = match stream {
            Stream::Out => output.push(bytes),
            Stream::Err => errors.push(bytes),
        };
        self.keep(stream, &clean);
    }
}
