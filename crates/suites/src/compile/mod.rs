//! The compile suite: build a C or C++ project from its pinned source, with nobody's instructions.
//!
//! Grading replays the submission's script in a fresh box and looks at what it made. It reads no exit code as success
//! and no claim of an agent; it knows nothing of how an agent works.

mod collect;
mod debug_info;
mod grade;
mod hacks;
mod installed;
mod judge;
mod kinds;
mod mirror;
mod paper;
mod pinned;
mod prepare;
mod provenance;
mod replay;

pub(crate) use kinds::program_machine;
use seatrial_core::{EventSink, Submission, Task, Verdict};
use seatrial_sandbox::Sandbox;
use seatrial_source::SourceTree;
use seatrial_store::Blobs;

use crate::{GradeRequest, Suite, SuiteError};

/// The compile suite.
pub struct Compile;

impl Suite for Compile {
    fn name(&self) -> &'static str {
        "compile"
    }

    fn prepare(
        &self,
        task: &Task,
        source: &SourceTree,
        _: &Blobs,
        sandbox: &mut dyn Sandbox,
    ) -> Result<(), SuiteError> {
        prepare::prepare(task, source, sandbox)
    }

    fn lay(&self, submission: &Submission, sandbox: &mut dyn Sandbox) -> Result<Result<(), String>, SuiteError> {
        replay::lay(submission, sandbox, &mut |sandbox, command| {
            Ok(sandbox.exec(command, &mut Vec::new())?)
        })
    }

    fn grade(&self, request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict> {
        grade::grade(request, events)
    }
}
