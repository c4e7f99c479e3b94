//! One trial of a task that is made up on the spot: what `build` and `repair` do alike.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use seatrial_agents::Agent;
use seatrial_core::{Arch, Digest, Profile, RelaxationClass, SuiteName, Task, Truth, Verdict};
use seatrial_source::Fetcher;
use seatrial_trial::{Bench, NetworkPlan, Networks, Trial, TrialError, TrialResult};

use super::output::LOG;
use crate::{app::App, failure::Failure};

/// A trial to be run.
pub(super) struct Single<'a> {
    /// The verb, which the run is named after.
    pub(super) verb: &'static str,
    pub(super) task: &'a Task,
    pub(super) truth: &'a Truth,
    pub(super) agent: &'a dyn Agent,
    pub(super) fetcher: &'a Fetcher,
    pub(super) plan: &'a NetworkPlan,
    pub(super) forbid: &'a [RelaxationClass],
    pub(super) images: &'a BTreeMap<Arch, Digest>,
    /// What the user named, as bytes.
    pub(super) named: &'a [u8],
    /// Where the log goes.
    pub(super) output: &'a Path,
}

/// A trial that was run.
pub(super) struct Ran {
    /// Its folder, with the journal.
    pub(super) folder: PathBuf,
    pub(super) result: TrialResult,
    /// Under the strict profile.
    pub(super) verdict: Verdict,
}

/// The name of a suite of this program.
pub(super) fn suite_name(name: &str) -> Result<SuiteName, Failure> {
    name.parse()
        .map_err(|error: seatrial_core::IdError| Failure::invalid(error.to_string()))
}

impl Single<'_> {
    /// Runs it.
    pub(super) fn run(self, app: &App) -> Result<Ran, Failure> {
        let platform = &self.task.platform;
        let image = app.image(platform)?;
        let resolver = Arc::new(app.index(platform, None)?);
        let (factory, egress) = (app.factory()?, app.egress()?);
        let suite = seatrial_suites::suite(&self.task.suite).ok_or_else(|| {
            Failure::invalid(format!(
                "this program has no suite `{}`; it was built wrong",
                self.task.suite
            ))
        })?;
        let bench = Bench {
            suite,
            agent: self.agent,
            fetcher: self.fetcher,
            factory: &*factory,
            network: Some(Networks {
                plan: self.plan,
                egress: &egress,
            }),
            forbid: self.forbid,
            image: image.id,
            images: self.images,
            base_packages: &image.requested,
            resolver: Some(resolver),
            blobs: app.home.blobs(),
            lock: Digest::of(self.named),
            stop: app.stop.clone(),
            deadline: None,
        };
        let folder = app.home.new_run(&format!("{}-{}", self.verb, self.task.id))?;
        let trial = Trial {
            task: self.task,
            truth: self.truth,
            attempt: 1,
        };
        app.trials_begin();
        let result = match bench.run(&trial, &folder, app.show.as_ref()) {
            Ok(result) => result,
            Err(TrialError::Interrupted) => {
                app.show.clear();
                app.show.note(&format!(
                    "stopped; the log so far is {}",
                    self.output.join(LOG).display()
                ));
                return Err(Failure::interrupted());
            }
            Err(error) => return Err(error.into()),
        };
        app.show.clear();
        let Some(verdict) = result.verdict(Profile::Strict).cloned() else {
            return Err(Failure::invalid("the grader gave no verdict"));
        };
        Ok(Ran {
            folder,
            result,
            verdict,
        })
    }
}
