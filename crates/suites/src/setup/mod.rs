//! The setup suite: a script that makes the environment of a Python or JVM repository.
//!
//! Grading sources the script in a fresh box and asks a checker what the code does not find. Two boxes are used, one for
//! each profile, because the published procedure lays files of its own into the repository before the script runs.

mod driver;
mod grade;
mod integrity;
mod jvm;
mod paper;
mod python;
mod sourced;
mod unreachable;

use seatrial_core::{BOX_OUT, BOX_PROJECT, EventSink, Goal, Language, SetupGoal, Submission, Task, Verdict};
use seatrial_sandbox::{ImageRecipe, Sandbox};
use seatrial_source::SourceTree;
use seatrial_store::Blobs;

use crate::{GradeRequest, Suite, SuiteError, lay::lay, running::helper};

/// The recipe of the image that Python repositories are set up in.
const PYTHON: &str = include_str!("../../../../images/setup-python.toml");

/// The recipe of the image that JVM repositories are set up in.
const JVM: &str = include_str!("../../../../images/setup-jvm.toml");

/// The setup suite.
pub struct Setup;

impl Suite for Setup {
    fn name(&self) -> &'static str {
        "setup"
    }

    fn image(&self, goal: &Goal) -> Result<Option<ImageRecipe>, SuiteError> {
        let Some(goal) = goal.setup() else { return Ok(None) };
        Ok(match goal.language {
            Language::Python => Some(ImageRecipe::read(PYTHON)?),
            Language::Jvm => Some(ImageRecipe::read(JVM)?),
        })
    }

    fn prepare(
        &self,
        task: &Task,
        source: &SourceTree,
        _: &Blobs,
        sandbox: &mut dyn Sandbox,
    ) -> Result<(), SuiteError> {
        goal(task)?;
        lay(source, BOX_PROJECT, sandbox)?;
        helper(
            sandbox,
            "making the folders",
            &format!("mkdir -p {BOX_PROJECT} {BOX_OUT}"),
        )?;
        Ok(())
    }

    fn lay(&self, submission: &Submission, _: &mut dyn Sandbox) -> Result<Result<(), String>, SuiteError> {
        Ok(taken(submission))
    }

    fn grade(&self, request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict> {
        grade::grade(request, events)
    }
}

/// A script is all that this suite takes: what is patched is not what was pinned.
fn taken(submission: &Submission) -> Result<(), String> {
    let is_patched = submission
        .patch
        .as_deref()
        .is_some_and(|patch| !patch.trim().is_empty());
    if is_patched || !submission.files.is_empty() {
        return Err("a setup is a script; patches and files are not taken".to_owned());
    }
    Ok(())
}

/// What a task of this suite asks for.
fn goal(task: &Task) -> Result<&SetupGoal, SuiteError> {
    task.goal.setup().ok_or_else(|| SuiteError::Task {
        task: task.id.to_string(),
        problem: "it asks for something else than a setup".to_owned(),
    })
}
