//! A fresh box in which a script was sourced.

use std::{collections::BTreeMap, time::Duration};

use seatrial_core::{BOX_PROJECT, Digest, EventSink};
use seatrial_sandbox::{BoxSpec, Command, Execution, Sandbox, Snapshot, Status, StopLink, TimeoutKind};

use super::{
    Setup,
    driver::{DRIVER, ENVIRONMENT, SCRIPT, environment, strict},
};
use crate::{
    GradeRequest, Suite as _, SuiteError,
    running::{read_if_there, run},
};

/// Bytes of an environment that are read.
const ENVIRONMENT_LIMIT: u64 = 4 << 20;
/// The time of a command of a check, unless the task's budget says less.
const CHECK: Duration = Duration::from_mins(20);

/// A box that holds the repository, before or after a script.
pub(super) struct Bed<'a> {
    pub(super) request: &'a GradeRequest<'a>,
    pub(super) sandbox: Box<dyn Sandbox>,
    _link: StopLink,
}

impl<'a> Bed<'a> {
    /// A fresh box with the repository in it.
    pub(super) fn make(request: &'a GradeRequest<'a>) -> Result<Self, SuiteError> {
        let mut sandbox = request.factory.start(&BoxSpec {
            image: request.image,
            limits: request.limits.clone(),
            network: request.network.clone(),
        })?;
        let link = StopLink::new(request.stopper.clone(), sandbox.stopper());
        Setup.prepare(request.task, request.source, request.blobs, sandbox.as_mut())?;
        Ok(Self {
            request,
            sandbox,
            _link: link,
        })
    }

    /// Runs a command with its output kept, and recorded under a name.
    pub(super) fn run(
        &mut self,
        command: &Command,
        purpose: &str,
        events: &mut dyn EventSink,
    ) -> Result<(Execution, Digest), SuiteError> {
        run(self.request, self.sandbox.as_mut(), command, purpose, events)
    }

    /// How long the script may take.
    pub(super) fn time(&self) -> Option<Duration> {
        self.request.task.budget.grade_seconds.map(Duration::from_secs)
    }
}

/// A box after the script was sourced in it.
pub(super) struct Sourced<'a> {
    pub(super) bed: Bed<'a>,
    /// The state before the script.
    pub(super) pristine: Snapshot,
    /// How the shell around the script ended.
    pub(super) execution: Execution,
    /// The script's output.
    pub(super) log: Digest,
    /// The environment that the script left; `None` when it did not come to its end.
    pub(super) left: Option<BTreeMap<String, String>>,
}

impl<'a> Sourced<'a> {
    /// Sources a script under the strict procedure.
    pub(super) fn strict(
        request: &'a GradeRequest<'a>,
        script: &str,
        events: &mut dyn EventSink,
    ) -> Result<Self, SuiteError> {
        let mut bed = Bed::make(request)?;
        bed.sandbox.write_file(SCRIPT, script.as_bytes(), 0o644)?;
        bed.sandbox.write_file(DRIVER, strict(BOX_PROJECT).as_bytes(), 0o644)?;
        let pristine = bed.sandbox.snapshot()?;
        let mut command = Command::bash("").in_folder(BOX_PROJECT);
        command.argv = vec!["/bin/bash".to_owned(), DRIVER.to_owned()];
        command.timeout = bed.time();
        let (execution, log) = bed.run(&command, "script", events)?;
        let left = if execution.succeeded() {
            read_if_there(bed.sandbox.as_mut(), ENVIRONMENT, ENVIRONMENT_LIMIT)?.map(|bytes| environment(&bytes))
        } else {
            None
        };
        Ok(Self {
            bed,
            pristine,
            execution,
            log,
            left,
        })
    }

    /// A command of a check: in the repository's root, with the environment that the script left, and nothing else of its
    /// shell.
    pub(super) fn command(&self, script: &str) -> Command {
        Command {
            env: self.left.clone().unwrap_or_default(),
            ..Command::bash(script).in_folder(BOX_PROJECT).with_timeout(CHECK)
        }
    }

    /// Why there is no environment to check, in words for a person.
    pub(super) fn why_not(&self) -> String {
        match self.execution.status {
            Status::Exited(0) => "the script ended the shell before its own end; it must not call `exit`".to_owned(),
            Status::Exited(code) => format!("the script stopped with code {code}"),
            Status::TimedOut(TimeoutKind::Wall) => "the script was still running when its time was over".to_owned(),
            other => format!("the script did not come to its end: {other:?}"),
        }
    }

    /// The one file that the grader's own shell writes, which is no change of the script's.
    pub(super) fn is_ours(path: &str) -> bool {
        path == ENVIRONMENT
    }
}
