//! Many trials under one lock.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use fs_err as fs;
use seatrial_core::{InvalidReason, Outcome, RunId, TaskId};
use seatrial_store::{Home, Lease, StoreError, write_file};
use seatrial_suites::Corpus;

use crate::{
    Bench, Observer, Room, RunLock, RunView, Trial, TrialError,
    parallel::side_by_side,
    result::{read_lock, set_invalid_aside, trial_folder},
};

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
    /// Trials that were not begun because the run's time was up.
    pub late: usize,
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
            write_file(&path, &text)?;
        }
        Ok(Self {
            id,
            _lease: lease,
            folder,
        })
    }

    /// The lock of an unfinished run that somebody means who asks for this one, if there is one.
    pub fn unfinished(home: &Home, wanted: &RunLock) -> Result<Option<RunLock>, TrialError> {
        for entry in fs::read_dir(home.runs())? {
            let folder = entry?.path();
            // A folder that cannot be read is somebody else's trouble, and is told when it is asked for by name.
            let Ok(lock) = read_lock(&folder) else { continue };
            if lock.is_meant_by(wanted) && !RunView::read(&folder)?.pending.is_empty() {
                return Ok(Some(lock));
            }
        }
        Ok(None)
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
        for result in &view.results {
            let folder = trial_folder(&self.folder, &result.task, result.attempt);
            count += usize::from(set_invalid_aside(&folder)?);
        }
        Ok(count)
    }

    /// Executes every trial that is not finished, `jobs` at a time, as far as there is room.
    pub fn execute(
        &self,
        bench: &Bench<'_>,
        corpus: &Corpus,
        jobs: usize,
        room: &Room,
        observer: &dyn Observer,
    ) -> Result<RunOutcome, TrialError> {
        let pending = RunView::read(&self.folder)?.pending;
        let late = AtomicUsize::new(0);
        side_by_side(&pending, jobs, &bench.stop, |(task, attempt)| {
            let place = room.enter(&bench.stop, bench.factory)?;
            // Whoever has waited for room may have waited too long.
            if bench.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                late.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            let blames_disk = self.one(bench, corpus, task, *attempt, observer)?;
            drop(place);
            if blames_disk && let Some(error) = room.is_short(bench.factory)? {
                // Not its own doing, as its boxes are gone: it is tried again when there is room.
                set_invalid_aside(&trial_folder(&self.folder, task, *attempt))?;
                return Err(error);
            }
            Ok(())
        })?;
        Ok(RunOutcome {
            view: RunView::read(&self.folder)?,
            interrupted: bench.stop.is_thrown(),
            late: late.into_inner(),
        })
    }

    /// Runs one trial; whether a full disk kept it from a verdict.
    fn one(
        &self,
        bench: &Bench<'_>,
        corpus: &Corpus,
        task: &TaskId,
        attempt: u32,
        observer: &dyn Observer,
    ) -> Result<bool, TrialError> {
        let (task, truth) = (corpus.task(task)?, corpus.truth(task)?);
        let folder = trial_folder(&self.folder, &task.id, attempt);
        let result = bench.run(&Trial { task, truth, attempt }, &folder, observer)?;
        Ok(result.outcome() == Outcome::Invalid
            && result
                .verdicts
                .iter()
                .any(|verdict| verdict.invalid == Some(InvalidReason::DiskFull)))
    }
}
