//! One command of a rebuild, and what its end means.

use std::{
    io,
    time::{Duration, Instant},
};

use seatrial_core::{Arch, Digest};
use seatrial_sandbox::{Command, Execution, Sandbox, SandboxError, Status, StopLink, TimeoutKind};
use seatrial_store::Blobs;

use crate::{
    Listener, Mode, Outcome, Payload, Phase, RebuildError, RebuildRequest, SourcePackage, Spent, State, log::RebuildLog,
};

/// Bytes of a log that are kept: enough for every real one, and a bound for what never ends.
const LOG_LIMIT: u64 = 4 << 30;

/// What the compiler's driver writes when a part of it gets a signal that cannot be its own doing.
const KILLED: &str = "Killed signal terminated program";

/// Why a rebuild goes no further.
pub(crate) enum Halt {
    /// It has an outcome.
    State {
        state: State,
        details: String,
        missing: Vec<String>,
    },
    /// Our own machinery's error.
    Error(RebuildError),
}

impl Halt {
    pub(crate) fn state(state: State, details: impl Into<String>) -> Self {
        Self::State {
            state,
            details: details.into(),
            missing: Vec::new(),
        }
    }

    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::state(State::Invalid(reason.into()), "")
    }
}

/// What the machine did to a box says nothing of the package, so it is an outcome of its own.
impl From<SandboxError> for Halt {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Interrupted => Self::Error(RebuildError::Interrupted),
            SandboxError::Store(error) => Self::Error(error.into()),
            SandboxError::NoImage(_) => Self::invalid(error.to_string()),
            other => Self::invalid(format!("the box: {other}")),
        }
    }
}

impl From<RebuildError> for Halt {
    fn from(error: RebuildError) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Error(error.into())
    }
}

impl From<seatrial_store::StoreError> for Halt {
    fn from(error: seatrial_store::StoreError) -> Self {
        Self::Error(error.into())
    }
}

/// A rebuild under way: its log, its clock, and whether somebody wants it to end.
pub(crate) struct Work<'a> {
    pub(crate) log: RebuildLog<'a>,
    pub(crate) package: &'a SourcePackage,
    pub(crate) target: Arch,
    pub(crate) request: &'a RebuildRequest,
    /// What was built so far, whatever becomes of it.
    pub(crate) payloads: Vec<Payload>,
    emulator: Option<String>,
    builder: &'static str,
    began: Instant,
    spent: Vec<Spent>,
}

impl<'a> Work<'a> {
    /// Begins, and writes into the log what is built.
    pub(crate) fn begin(
        blobs: &Blobs,
        builder: &'static str,
        package: &'a SourcePackage,
        target: Arch,
        request: &'a RebuildRequest,
        listener: &'a mut dyn Listener,
    ) -> Result<Self, RebuildError> {
        let mut log = RebuildLog::new(blobs, listener)?;
        // That there is none is found out where one is needed.
        let emulator = match request.mode {
            Mode::Native => seatrial_sandbox::emulator(target).unwrap_or_default(),
            Mode::Cross => None,
        };
        let how = match (&emulator, request.mode) {
            (Some(emulator), _) => format!("emulated by {emulator} on {}", Arch::host()),
            (None, Mode::Cross) => format!("by a cross compiler on {}, no proof", Arch::host()),
            (None, Mode::Native) => "not emulated".to_owned(),
        };
        log.say(&format!(
            "{} {} ({}) for {target}, {how}, by {builder}",
            package.name(),
            package.version(),
            package.kind()
        ));
        log.say(&format!("source {}", package.digest()));
        log.say(&format!("began {}", jiff::Timestamp::now()));
        Ok(Self {
            log,
            package,
            target,
            request,
            payloads: Vec::new(),
            emulator,
            builder,
            began: Instant::now(),
            spent: Vec::new(),
        })
    }

    pub(crate) fn is_emulated(&self) -> bool {
        self.emulator.is_some()
    }

    /// A time limit of a build, as emulation stretches it.
    pub(crate) fn stretched(&self, limit: Duration) -> Duration {
        if self.is_emulated() {
            limit * crate::EMULATED_FACTOR
        } else {
            limit
        }
    }

    /// Tells that a part begins.
    pub(crate) fn phase(&mut self, phase: Phase) {
        self.log.listener().phase(phase);
        self.spent.push(Spent {
            phase,
            wall_ms: 0,
            cpu_ms: 0,
        });
    }

    /// Runs a part of the work, and measures it.
    pub(crate) fn during<T>(
        &mut self,
        phase: Phase,
        work: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        self.phase(phase);
        if phase == Phase::Build {
            self.log.say("the build begins");
        }
        let began = Instant::now();
        let result = work(self);
        let wall = began.elapsed();
        if let Some(spent) = self.spent.iter_mut().rev().find(|spent| spent.phase == phase) {
            spent.wall_ms = wall.as_millis() as u64;
        }
        result
    }

    /// Runs a command with its output going to the log.
    pub(crate) fn run(&mut self, sandbox: &mut dyn Sandbox, command: Command) -> Result<Execution, Halt> {
        let command = Command {
            output_limit: LOG_LIMIT,
            ..command
        };
        self.log.begin();
        let _link = self.stopping(sandbox);
        let execution = sandbox.exec(&command, &mut self.log)?;
        if let Some(spent) = self.spent.last_mut() {
            spent.cpu_ms += execution.cpu.as_millis() as u64;
        }
        if execution.truncated_bytes > 0 {
            let dropped = execution.truncated_bytes;
            self.log.say(&format!("{dropped} bytes of output were dropped here"));
        }
        Ok(execution)
    }

    /// As long as this lives, whoever wants the rebuild to end ends what runs in a box.
    pub(crate) fn stopping(&self, sandbox: &dyn Sandbox) -> StopLink {
        StopLink::new(self.request.stop.clone(), sandbox.stopper())
    }

    /// Runs a small command of ours that must succeed, and returns its output.
    pub(crate) fn ask(&mut self, sandbox: &mut dyn Sandbox, script: &str) -> Result<String, Halt> {
        let mut output = Vec::new();
        let _link = self.stopping(sandbox);
        let limit = self.stretched(Duration::from_mins(2));
        let execution = sandbox.exec(&Command::bash(script).with_timeout(limit), &mut output)?;
        let text = String::from_utf8_lossy(&output).into_owned();
        if execution.succeeded() {
            return Ok(text);
        }
        Err(Halt::invalid(format!(
            "a command of ours ended with {:?}: {}",
            execution.status,
            last_line(&text)
        )))
    }

    /// What the end of a build means, but for an exit code: the clock's, the box's and the emulator's part.
    pub(crate) fn end_of_build(&self, execution: &Execution) -> Result<i32, Halt> {
        if execution.memory_kills > 0 {
            return Err(Halt::invalid(format!(
                "the box used up its memory ({} processes were killed); give it more",
                execution.memory_kills
            )));
        }
        match execution.status {
            Status::Exited(code) => {
                if code != 0
                    && self.is_emulated()
                    && let Some(fault) = self.log.fault()
                {
                    return Err(Halt::invalid(format!("the emulator failed: {fault}")));
                }
                // The compiler's driver says so of a part of it that somebody else killed: the kernel, for want of memory.
                if code != 0 && self.log.tail().contains(KILLED) {
                    return Err(Halt::invalid(format!(
                        "a compiler was killed from outside of the build ({KILLED}): the machine has too little memory for {} \
                         jobs at once",
                        self.request.jobs()
                    )));
                }
                Ok(code)
            }
            Status::Signaled(signal) => Err(Halt::invalid(format!(
                "the build's main process was ended by signal {signal} from outside of the build"
            ))),
            Status::DiskLimit => Err(Halt::invalid(format!(
                "the build wrote more than the {} MiB that its box may write; give it more",
                self.request.limits.disk_bytes >> 20
            ))),
            Status::TimedOut(kind) => {
                let time = &self.request.time;
                let (limit, what) = match kind {
                    TimeoutKind::Wall => (self.stretched(time.build), "took longer than"),
                    TimeoutKind::Idle => (self.stretched(time.idle), "was silent for"),
                };
                let more = if self.is_emulated() {
                    format!(
                        " ({} times the limit of a build that is not emulated)",
                        crate::EMULATED_FACTOR
                    )
                } else {
                    String::new()
                };
                Err(Halt::state(
                    State::Timeout,
                    format!("the build {what} {} s{more}", limit.as_secs()),
                ))
            }
        }
    }

    /// Whether programs of the target run in a box at all; when they do not, nothing that failed there says anything.
    pub(crate) fn check_machine(&mut self, sandbox: &mut dyn Sandbox) -> Result<(), Halt> {
        let found = self.ask(sandbox, "dpkg --print-architecture");
        let found = found.map_err(|halt| match halt {
            Halt::State { state, .. } => Halt::invalid(format!(
                "programs of {} do not run in its box ({state}); `seatrial doctor` says what helps",
                self.target
            )),
            halt @ Halt::Error(_) => halt,
        })?;
        let wanted = match self.request.mode {
            Mode::Native => self.target,
            Mode::Cross => Arch::host(),
        };
        if found.trim() == wanted.debian() {
            Ok(())
        } else {
            Err(Halt::invalid(format!(
                "the image is of {} and not of {}",
                found.trim(),
                wanted.debian()
            )))
        }
    }

    /// Writes the end into the log, keeps it, and says what became of the package.
    pub(crate) fn end(mut self, result: Result<(), Halt>) -> Result<Outcome, RebuildError> {
        let (state, details, missing) = match result {
            Ok(()) => (State::Succeeded, summary(&self.payloads), Vec::new()),
            Err(Halt::State {
                state,
                details,
                missing,
            }) => (state, details, missing),
            Err(Halt::Error(error)) => return Err(error),
        };
        let duration = self.began.elapsed();
        for line in details.lines() {
            self.log.say(line);
        }
        self.log.say(&format!("ended {}", jiff::Timestamp::now()));
        self.log.say(&format!("{state}, after {:.1} s", duration.as_secs_f64()));
        let log: Digest = self.log.finish()?;
        Ok(Outcome {
            state,
            details,
            missing,
            log: Some(log),
            duration,
            spent: self.spent,
            emulated: self.emulator.is_some(),
            emulator: self.emulator,
            proof: self.request.mode == Mode::Native,
            payloads: self.payloads,
            source: self.package.digest(),
            target: self.target,
            builder: self.builder.to_owned(),
            mode: self.request.mode,
        })
    }
}

fn summary(payloads: &[Payload]) -> String {
    let lines: Vec<_> = payloads.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The last line that says anything.
pub(crate) fn last_line(text: &str) -> &str {
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("(no output)")
}
