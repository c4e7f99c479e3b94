//! Runs commands in the box.

use std::{fmt::Write as _, time::Duration};

use seatrial_core::{CommandRecord, Event};
use seatrial_sandbox::{
    Command, Execution, OutputSink, SandboxError, SessionCommand, SessionSpec, Status, Stream, TimeoutKind,
};
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    place::place,
    state::Output,
    text::Collector,
    toolbox::{Arguments as _, describe},
    world::Watch,
};

pub(crate) struct Shell(ToolDescription);

impl Shell {
    pub(crate) fn new() -> Self {
        Self(describe(
            "shell",
            "Runs Bash in the box and gives its output and exit code. Folder, variables and background jobs stay from one \
             call to the next, unless `fresh` is set.",
            "Output is shown by its head and tail; the whole can be read afterwards. Programs have nothing to read from.",
            Effect::RUNS,
            Caching::No,
            json!({
                "command": {"type": "string", "minLength": 1, "description": "What Bash runs; may have several lines."},
                "timeout": {"type": "integer", "minimum": 1, "description": "Seconds after which it is ended."},
                "fresh": {"type": "boolean", "description": "Run it in a new shell that ends with it."},
                "folder": {"type": "string", "description": "Working folder, for a new shell only."},
            }),
            &["command"],
        ))
    }
}

/// What one command in a box came to.
pub(crate) struct Ran {
    pub(crate) execution: Execution,
    pub(crate) text: String,
    pub(crate) left_out: u64,
    pub(crate) whole: Option<seatrial_core::Digest>,
    /// Another shell than the one before, and nobody asked for it.
    restarted: bool,
}

/// Passes output on to whoever watches, and keeps it.
struct Tee<'a, 'b> {
    collector: Collector<'a>,
    watch: Option<&'a mut Watch<'b>>,
}

impl OutputSink for Tee<'_, '_> {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        self.collector.take(bytes);
        if let Some(watch) = &mut self.watch {
            watch(bytes);
        }
    }
}

impl Tool for Shell {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let script = arguments.text("command").unwrap_or_default();
        if script.contains('\0') {
            return Err(ToolFailure::told("the command has a null character; leave it out"));
        }
        let wanted = arguments.number("timeout").map_or(world.limits.command, |seconds| {
            Duration::from_secs(seconds.max(1) as u64)
        });
        let folder = arguments.text("folder");
        let fresh = arguments.is("fresh") || folder.is_some() || world.state.no_sessions;
        let time = world.time_for(wanted)?;
        let ran = if fresh {
            let folder = place(world.root, folder.unwrap_or("."))?;
            run_fresh(script, &folder, time, world)?
        } else {
            match run_staying(script, time, world) {
                Err(ToolFailure::Told(text)) if text == SandboxError::Unsupported("sessions").to_string() => {
                    world.state.no_sessions = true;
                    let root = world.root.to_owned();
                    run_fresh(script, &root, time, world)?
                }
                ran => ran?,
            }
        };
        world.emit(Event::Command(ran.record("shell", script)))?;
        world.state.last_output = Some(ran.output());
        Ok(tell(ran, time, arguments.is("fresh") || folder.is_some(), world))
    }
}

pub(crate) fn run_fresh(script: &str, folder: &str, time: Duration, world: &mut World<'_>) -> Result<Ran, ToolFailure> {
    let command = Command {
        output_limit: world.limits.output_bytes,
        ..Command::bash(script).in_folder(folder).with_timeout(time)
    };
    let mut tee = Tee {
        collector: Collector::new(world.blobs, world.limits.answer_bytes),
        watch: world.watch.as_deref_mut(),
    };
    let execution = world.sandbox.exec(&command, &mut tee)?;
    let collector = tee.collector;
    let collected = collector.finish(|digest| world.state.keep_output(digest))?;
    Ok(Ran {
        execution,
        text: collected.text,
        left_out: collected.left_out,
        whole: collected.whole,
        restarted: false,
    })
}

fn run_staying(script: &str, time: Duration, world: &mut World<'_>) -> Result<Ran, ToolFailure> {
    let session = if let Some(session) = world.state.session {
        session
    } else {
        let session = world.sandbox.open_session(&SessionSpec {
            env: std::collections::BTreeMap::new(),
            folder: world.root.to_owned(),
        })?;
        *world.state.session.insert(session)
    };
    let command = SessionCommand {
        script: script.to_owned(),
        timeout: Some(time),
        idle_timeout: None,
        output_limit: world.limits.output_bytes,
    };
    let mut tee = Tee {
        collector: Collector::new(world.blobs, world.limits.answer_bytes),
        watch: world.watch.as_deref_mut(),
    };
    let ran = world.sandbox.run_in_session(session, &command, &mut tee)?;
    let collector = tee.collector;
    let collected = collector.finish(|digest| world.state.keep_output(digest))?;
    Ok(Ran {
        execution: ran.execution,
        text: collected.text,
        left_out: collected.left_out,
        whole: collected.whole,
        restarted: ran.restarted,
    })
}

impl Ran {
    /// For the journal.
    pub(crate) fn record(&self, purpose: &str, script: &str) -> CommandRecord {
        self.execution.record(purpose, script, self.whole)
    }

    /// For whoever asks about it later.
    pub(crate) fn output(&self) -> Output {
        Output {
            text: self.text.clone(),
            whole: self.whole,
        }
    }

    /// How it ended, in words.
    pub(crate) fn ending(&self, time: Duration) -> String {
        match self.execution.status {
            Status::Exited(code) => format!("exit code {code}"),
            Status::Signaled(signal) => format!("ended by signal {signal}"),
            Status::TimedOut(TimeoutKind::Wall) => format!(
                "ended after {} s, which is its time limit; whatever it had started was ended too",
                time.as_secs_f64().round()
            ),
            Status::TimedOut(TimeoutKind::Idle) => "ended because it wrote nothing for too long".to_owned(),
            Status::DiskLimit => "ended because the box has written as much as it may".to_owned(),
        }
    }
}

/// What a model is told. How long it took is in the data alone: the same work then gets the same words, and a recorded
/// conversation can be replayed.
fn tell(ran: Ran, time: Duration, asked_fresh: bool, world: &World<'_>) -> Answer {
    let mut notes = vec![ran.ending(time)];
    let execution = ran.execution;
    if execution.memory_kills > 0 {
        notes.push(format!(
            "{} processes were killed: the box's memory was used up",
            execution.memory_kills
        ));
    }
    if execution.truncated_bytes > 0 {
        notes.push(format!("{} bytes of output were not kept", execution.truncated_bytes));
    }
    if ran.restarted {
        notes.push("the shell was started anew with the same folder and variables".to_owned());
    }
    if world.state.no_sessions && !asked_fresh {
        notes.push("this kind of box has no shell that stays, so each command has its own".to_owned());
    }
    let mut text = ran.text;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let _ = write!(text, "[{}]", notes.join("; "));
    let (code, signal) = (execution.status.code(), execution.status.signal());
    Answer {
        failed: matches!(execution.status, Status::TimedOut(_) | Status::DiskLimit),
        left_out_bytes: ran.left_out + execution.truncated_bytes,
        whole: ran.whole,
        data: json!({
            "code": code,
            "signal": signal,
            "timed_out": matches!(execution.status, Status::TimedOut(_)),
            "wall_ms": execution.wall.as_millis() as u64,
        }),
        ..Answer::text(text)
    }
}
