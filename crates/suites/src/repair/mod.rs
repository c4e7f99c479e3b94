//! The repair suite: a package builds on one architecture and fails on another; make it build there.
//!
//! What is handed in is a patch against the package. Grading applies it to a fresh copy, packs that and rebuilds it from
//! clean on the target. The state of that rebuild decides, never a word of a log.

mod flags;
mod grade;
mod prepare;
mod published;

pub use flags::marks;
pub use prepare::lay_package;
pub use published::{Seen, published_answer, published_success};
use seatrial_core::{EventSink, RepairGoal, Submission, Task, Verdict};
use seatrial_packaging::Package;
use seatrial_sandbox::Sandbox;
use seatrial_source::SourceTree;
use seatrial_store::Blobs;

use crate::{Compile, GradeRequest, Suite, SuiteError};

/// The repair suite.
pub struct Repair;

impl Suite for Repair {
    fn name(&self) -> &'static str {
        "repair"
    }

    fn prepare(
        &self,
        task: &Task,
        source: &SourceTree,
        blobs: &Blobs,
        sandbox: &mut dyn Sandbox,
    ) -> Result<(), SuiteError> {
        prepare::prepare(task, source, blobs, sandbox)
    }

    fn lay(&self, submission: &Submission, sandbox: &mut dyn Sandbox) -> Result<Result<(), String>, SuiteError> {
        Compile.lay(submission, sandbox)
    }

    fn grade(&self, request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict> {
        grade::grade(request, events)
    }
}

/// What a task of this suite asks for.
fn goal(task: &Task) -> Result<&RepairGoal, SuiteError> {
    task.goal.repair().ok_or_else(|| SuiteError::Task {
        task: task.id.to_string(),
        problem: "it asks for something else than a repair".to_owned(),
    })
}

/// The package of a task, as a copy of its own.
fn package(task: &Task, source: &SourceTree) -> Result<Package, SuiteError> {
    Package::open(&source.root).map_err(|error| SuiteError::Task {
        task: task.id.to_string(),
        problem: format!("its package cannot be read: {error}"),
    })
}
