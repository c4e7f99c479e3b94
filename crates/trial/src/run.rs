//! Many trials under one lock.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::{RunId, TaskId};
use seatrial_store::{Home, Lease, StoreError, unix_millis};
use seatrial_suites::Corpus;

use crate::{Bench, Observer, RunLock, RunView, Trial, TrialError, parallel::side_by_side, result::trial_folder};

/// A run whose folder this process owns.
pub struct Run {
    id: RunId,
    _lease: Lease,
    folder: PathBuf,
}

/// How executing a run ended.
#[derive(Debug)]
pub struct RunOutcome {
    /// What the folder shows now.
    pub view: RunView,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

impl Run {
    /// Makes the folder of a run, or takes over the one of an equal run that was stopped.
    pub fn open(home: &Home, lock: &RunLock) -> Result<Self, TrialError> {
        let id = lock.run_id().map_err(|error| TrialError::Lock {
            path: home.runs(),
            problem: error.to_string(),
        })?;
        let folder = home.runs().join(id.as_str());
        let lease = Lease::take(&folder).map_err(|error| match error {
            StoreError::Busy(_) => TrialError::Busy(id.clone()),
            other => other.into(),
        })?;
        let path = folder.join("lock.json");
        if !path.is_file() {
            let text = serde_json::to_vec_pretty(lock).map_err(|error| TrialError::Lock {
                path: path.clone(),
                problem: error.to_string(),
            })?;
            let half = folder.join("lock.json.writing");
            fs::write(&half, text)?;
            fs::rename(&half, &path)?;
        }
        Ok(Self {
            id,
            _lease: lease,
            folder,
        })
    }

    /// Its name.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Forgets finished trials whose verdict was `invalid`, so that they are tried again. Their journals are kept beside
    /// the new ones.
    pub fn retry_invalid(&self) -> Result<usize, TrialError> {
        let view = RunView::read(&self.folder)?;
        let mut count = 0;
        for result in view
            .results
            .iter()
            .filter(|result| result.outcome() == seatrial_core::Outcome::Invalid)
        {
            let folder = trial_folder(&self.folder, &result.task, result.attempt);
            let kept = format!("{}.{}.invalid-{}", result.task, result.attempt, unix_millis());
            fs::rename(&folder, folder.with_file_name(kept))?;
            count += 1;
        }
        Ok(count)
    }

    /// Executes every trial that is not finished, `jobs` at a time.
    pub fn execute(
        &self,
        bench: &Bench<'_>,
        corpus: &Corpus,
        jobs: usize,
        observer: &dyn Observer,
    ) -> Result<RunOutcome, TrialError> {
        let pending = RunView::read(&self.folder)?.pending;
        side_by_side(&pending, jobs, &bench.stop, |(task, attempt)| {
            self.one(bench, corpus, task, *attempt, observer)
        })?;
        Ok(RunOutcome {
            view: RunView::read(&self.folder)?,
            interrupted: bench.stop.is_thrown(),
        })
    }

    fn one(
        &self,
        bench: &Bench<'_>,
        corpus: &Corpus,
        task: &TaskId,
        attempt: u32,
        observer: &dyn Observer,
    ) -> Result<(), TrialError> {
        let (task, truth) = (corpus.task(task)?, corpus.truth(task)?);
        let folder = trial_folder(&self.folder, &task.id, attempt);
        bench.run(&Trial { task, truth, attempt }, &folder, observer).map(drop)
    }
}
