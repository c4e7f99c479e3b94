//! Runs the steps of an agent that decides first and does then: one after the other, each in the journal.

use std::{
    borrow::Cow,
    io::Write as _,
    time::{Duration, Instant},
};

use seatrial_builder::artifacts::artifacts;
use seatrial_core::{Event, Purpose, Recipe, Step, Submission};
use seatrial_sandbox::{Command, OutputSink, Snapshot, Status, Stream, TimeoutKind};
use seatrial_store::{BlobWriter, StoreError};

use crate::{AgentError, SolveContext};

/// A step of a baseline.
pub(crate) fn step(purpose: Purpose, why: &str, folder: &str, command: impl Into<String>) -> Step {
    Step {
        purpose,
        why: why.to_owned(),
        folder: folder.to_owned(),
        command: command.into(),
        keep_going: false,
    }
}

/// The same step, whose failure does not end the work.
pub(crate) fn or_go_on(step: Step) -> Step {
    Step {
        keep_going: true,
        ..step
    }
}

/// A step that installs packages; the preference of the published images for no recommended packages is kept.
pub(crate) fn install(why: &str, packages: &[&str]) -> Step {
    step(
        Purpose::Dependencies,
        why,
        "$OUT",
        format!(
            // Images without manual pages may lack the folder that scripts of packages link into.
            "mkdir -p /usr/share/man/man1\napt-get update -q\napt-get install -q -y --no-install-recommends {}",
            packages.join(" ")
        ),
    )
}

/// The lines of a list that are neither empty nor a comment.
pub(crate) fn listed(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// Runs the steps as the submission's script will, and hands them in, whatever came of them: a baseline repairs nothing.
pub(crate) fn submit(
    context: &mut SolveContext<'_>,
    plan: &str,
    why: &str,
    steps: Vec<Step>,
) -> Result<Submission, AgentError> {
    context.events.emit(Event::Decision {
        what: plan.to_owned(),
        why: why.to_owned(),
    })?;
    let before = context.sandbox.snapshot()?;
    let mut failed = None;
    for step in &steps {
        context.events.emit(Event::Phase {
            name: step.purpose.as_str().to_owned(),
        })?;
        if let Err(how) = run(context, step)? {
            failed = Some(format!("{} {how}", step.purpose.as_str()));
            if !step.keep_going {
                break;
            }
        }
    }
    let end = failed.unwrap_or_else(|| "every step ended well".to_owned());
    hand_in(context, before, plan, &end, steps)
}

/// Hands in steps that were taken since a snapshot; the note says how many artifacts they made.
pub(crate) fn hand_in(
    context: &mut SolveContext<'_>,
    before: Snapshot,
    plan: &str,
    end: &str,
    steps: Vec<Step>,
) -> Result<Submission, AgentError> {
    let changes = context.sandbox.changes(&before)?;
    let made = artifacts(&changes)
        .iter()
        .filter(|artifact| artifact.path.starts_with("/build/"))
        .count();
    let recipe = Recipe {
        title: context.task.source.to_string(),
        platform: context.task.platform.clone(),
        base_packages: context.base_packages.to_vec(),
        steps,
        relaxations: Vec::new(),
    };
    Ok(Submission {
        script: Some(recipe.to_script()),
        recipe: Some(recipe),
        note: format!("{plan}: {end}; {made} artifacts"),
        ..Submission::default()
    })
}

/// What an agent hands in that found no way.
pub(crate) fn no_way(context: &mut SolveContext<'_>, why: &str) -> Result<Submission, AgentError> {
    context.events.emit(Event::Decision {
        what: "no plan".to_owned(),
        why: why.to_owned(),
    })?;
    Ok(Submission {
        note: format!("no plan: {why}"),
        ..Submission::default()
    })
}

/// Runs one step; how it failed is a result.
fn run(context: &mut SolveContext<'_>, step: &Step) -> Result<Result<(), String>, AgentError> {
    // As in the script, but always to learn the exit code.
    let strict = Step {
        keep_going: false,
        ..step.clone()
    };
    let script = format!("set -eu\n{}{}", Recipe::preamble(), strict.to_bash());
    let shown = format!("cd \"{}\" && {}", step.folder, step.command);
    run_script(context, step.purpose.as_str(), &script, &shown)
}

/// Runs a script in the box and notes it; how it failed is a result.
pub(crate) fn run_script(
    context: &mut SolveContext<'_>,
    purpose: &str,
    script: &str,
    shown: &str,
) -> Result<Result<(), String>, AgentError> {
    let time = limit(context);
    let ran = Ran {
        purpose,
        script,
        shown,
        time,
    };
    run_heard(context, &ran, &mut Heard::default())
}

/// A script to run, and how the journal tells it.
pub(crate) struct Ran<'a> {
    pub(crate) purpose: &'a str,
    pub(crate) script: &'a str,
    pub(crate) shown: &'a str,
    pub(crate) time: Option<Duration>,
}

/// What came on standard error, at most as much as the box lets through.
#[derive(Default)]
pub(crate) struct Heard(Vec<u8>);

impl Heard {
    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

/// The same, and keeps what came on standard error.
pub(crate) fn run_heard(
    context: &mut SolveContext<'_>,
    ran: &Ran<'_>,
    heard: &mut Heard,
) -> Result<Result<(), String>, AgentError> {
    let mut command = Command::bash(ran.script);
    command.timeout = ran.time;
    let mut sink = Sink {
        blob: context.blobs.writer()?,
        broken: None,
        output: context.output,
        heard,
    };
    let execution = context.sandbox.exec(&command, &mut sink)?;
    let Sink { blob, broken, .. } = sink;
    if let Some(error) = broken {
        return Err(error.into());
    }
    let (log, _) = blob.finish()?;
    let record = execution.record(ran.purpose, ran.shown, Some(log));
    context.events.emit(Event::Command(record))?;
    Ok(if execution.succeeded() {
        Ok(())
    } else {
        Err(ended(execution.status))
    })
}

/// How a command ended, as the end of a sentence.
pub(crate) fn ended(status: Status) -> String {
    match status {
        Status::Exited(code) => format!("exited with {code}"),
        Status::Signaled(signal) => format!("was ended by signal {signal}"),
        Status::TimedOut(TimeoutKind::Wall) => "ran longer than it may".to_owned(),
        Status::TimedOut(TimeoutKind::Idle) => "said nothing for longer than it may".to_owned(),
        Status::DiskLimit => "wrote more than the box may write".to_owned(),
    }
}

/// Quotes a word for a shell where it needs that.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The task's limit of a command, but never past the deadline.
pub(crate) fn limit(context: &SolveContext<'_>) -> Option<Duration> {
    let own = context.task.budget.command_seconds.map(Duration::from_secs);
    let left = context.deadline.map(|deadline| {
        deadline
            .saturating_duration_since(Instant::now())
            .max(Duration::from_secs(1))
    });
    match (own, left) {
        (Some(own), Some(left)) => Some(own.min(left)),
        (own, left) => own.or(left),
    }
}

struct Sink<'a> {
    blob: BlobWriter,
    broken: Option<StoreError>,
    output: &'a mut dyn FnMut(&[u8]),
    heard: &'a mut Heard,
}

impl OutputSink for Sink<'_> {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        (self.output)(bytes);
        if stream == Stream::Err {
            self.heard.0.extend_from_slice(bytes);
        }
        if self.broken.is_none()
            && let Err(error) = self.blob.write_all(bytes)
        {
            self.broken = Some(error.into());
        }
    }
}
