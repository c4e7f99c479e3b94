//! The contract of a suite.

use std::sync::{Arc, atomic::AtomicBool};

use seatrial_core::{CommandRecord, Digest, EventSink, Goal, RelaxationClass, Submission, Task, Truth, Verdict};
use seatrial_rebuild::Rebuilder;
use seatrial_sandbox::{ImageRecipe, Limits, Network, Sandbox, SandboxFactory};
use seatrial_source::SourceTree;
use seatrial_store::Blobs;

use crate::SuiteError;

/// How tasks of one kind are laid into a box and how submissions are judged.
pub trait Suite: Send + Sync {
    /// Its stable name, as tasks write it in `suite`.
    fn name(&self) -> &'static str;

    /// The recipe of the image that boxes of such a goal are made from; without one it is the platform's own.
    fn image(&self, goal: &Goal) -> Result<Option<ImageRecipe>, SuiteError> {
        let _ = goal;
        Ok(None)
    }

    /// Lays the source, and what blocks the answer key, into a box. What a task only names by its digest is in `blobs`.
    fn prepare(
        &self,
        task: &Task,
        source: &SourceTree,
        blobs: &Blobs,
        sandbox: &mut dyn Sandbox,
    ) -> Result<(), SuiteError>;

    /// Lays the patch and the files of a submission into a box that was prepared, as grading does before the script runs. The inner
    /// error says why they cannot be laid.
    fn lay(&self, submission: &Submission, sandbox: &mut dyn Sandbox) -> Result<Result<(), String>, SuiteError>;

    /// Judges a submission in a fresh box: one verdict per profile, `strict` first, then `paper`.
    ///
    /// A fault of the machinery is an `invalid` verdict, so this never fails. When the request's stopper is raised the
    /// verdicts are `invalid` too, and the caller, who raised it, must not record them.
    fn grade(&self, request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict>;
}

/// Takes output as it comes, for a person who watches.
pub type Live<'a> = &'a dyn Fn(&[u8]);

/// What a grader works with.
pub struct GradeRequest<'a> {
    /// What was asked for.
    pub task: &'a Task,
    /// The answer key.
    pub truth: &'a Truth,
    /// What was handed in.
    pub submission: &'a Submission,
    /// The commands that led to it, for the scan for results that were not earned.
    pub commands: &'a [CommandRecord],
    /// The pinned source on this machine.
    pub source: &'a SourceTree,
    /// Makes the fresh box.
    pub factory: &'a dyn SandboxFactory,
    /// Classes of relaxations that may not be used: where one shows in what was handed in, that is flagged.
    pub forbid: &'a [RelaxationClass],
    /// The image of the fresh box.
    pub image: Digest,
    /// Bounds of the fresh box.
    pub limits: Limits,
    /// Network of the fresh box: in a benchmark a replay of what the trial recorded, so that nothing new can come in.
    pub network: Network,
    /// Network of a box that asks whether a mirror is there; no code of the submission runs in it, unless the mirror was
    /// away while the trial ran and the whole is recorded anew.
    pub live: Network,
    /// Rebuilds packages from clean, for suites that grade by that.
    pub rebuilder: Option<&'a dyn Rebuilder>,
    /// Where logs go.
    pub blobs: &'a Blobs,
    /// Takes the script's output as it comes, for a person who watches.
    pub output: Option<Live<'a>>,
    /// Raised by the caller, from any thread, to give up.
    pub stopper: Option<Arc<AtomicBool>>,
}

impl<'a> GradeRequest<'a> {
    /// A request with the default bounds, what measured runs forbid, no network, no recorded commands and nobody watching.
    pub fn new(
        task: &'a Task,
        truth: &'a Truth,
        submission: &'a Submission,
        source: &'a SourceTree,
        factory: &'a dyn SandboxFactory,
        image: Digest,
        blobs: &'a Blobs,
    ) -> Self {
        Self {
            task,
            truth,
            submission,
            commands: &[],
            source,
            factory,
            forbid: RelaxationClass::NOT_GRADED,
            image,
            limits: Limits::default(),
            network: Network::Off,
            live: Network::Off,
            rebuilder: None,
            blobs,
            output: None,
            stopper: None,
        }
    }
}
