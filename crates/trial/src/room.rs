//! Room on the disk: what trials will need, and whether one more may begin.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use seatrial_sandbox::{Limits, SandboxFactory};
use seatrial_store::{Home, governor::free_bytes};

use crate::{Stop, TrialError, estimate::Estimate};

/// How often somebody who waits for room looks at the stop switch.
const BEAT: Duration = Duration::from_millis(100);

/// Admits trials as long as the disk has room for them.
///
/// A run that the preflight let begin can still meet a disk that others fill. Then no further trial begins while others
/// run; when none is left that could give room back, the run stops, and can be resumed.
#[derive(Debug)]
pub struct Room {
    folder: PathBuf,
    /// Bytes that one trial may take; `None` admits every trial.
    per_trial: Option<u64>,
    reserve: u64,
    limit: Option<Limit>,
    running: Mutex<usize>,
    left: Condvar,
}

/// A bound on the data folder. What it takes is measured once, and followed by what the disk loses from then on.
#[derive(Debug)]
struct Limit {
    most: u64,
    taken: u64,
    free: u64,
}

/// Somebody's place; the next one may come when it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    room: &'a Room,
}

impl Room {
    /// A room that admits every trial.
    pub fn unbounded(home: &Home) -> Self {
        Self {
            folder: home.root().to_owned(),
            per_trial: None,
            reserve: 0,
            limit: None,
            running: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// A room for trials as estimated. `max_size` bounds the data folder, which takes `taken` bytes now.
    pub fn new(home: &Home, estimate: &Estimate, max_size: Option<u64>, taken: u64) -> io::Result<Self> {
        let free = free_bytes(home.root())?;
        Ok(Self {
            per_trial: Some(estimate.per_trial),
            reserve: Limits::default().host_reserve_bytes,
            limit: max_size.map(|most| Limit { most, taken, free }),
            ..Self::unbounded(home)
        })
    }

    /// Bytes that may still be written.
    pub fn available(&self) -> io::Result<u64> {
        let free = free_bytes(&self.folder)?;
        let Some(limit) = &self.limit else { return Ok(free) };
        let taken = (limit.taken + limit.free).saturating_sub(free);
        Ok(free.min(limit.most.saturating_sub(taken)))
    }

    /// Whether there is no room for one trial even when nothing else runs.
    pub(crate) fn is_short(&self, factory: &dyn SandboxFactory) -> Result<Option<TrialError>, TrialError> {
        factory.settle();
        let available = self.available()?;
        Ok(self.lacks(1, available).map(|needed| self.shortage(needed, available)))
    }

    /// Waits until there is room for one more trial. An error when there is none and nobody is left to make some.
    pub(crate) fn enter(&self, stop: &Stop, factory: &dyn SandboxFactory) -> Result<Place<'_>, TrialError> {
        let mut running = self.running();
        let mut settled = false;
        loop {
            if stop.is_thrown() {
                return Err(TrialError::Interrupted);
            }
            let available = self.available()?;
            let Some(needed) = self.lacks(*running + 1, available) else {
                *running += 1;
                return Ok(Place { room: self });
            };
            if *running == 0 && settled {
                return Err(self.shortage(needed, available));
            }
            if *running == 0 {
                // What the last trial's boxes took may still be on its way out.
                factory.settle();
                settled = true;
            } else {
                let (guard, _) = self
                    .left
                    .wait_timeout(running, BEAT)
                    .unwrap_or_else(PoisonError::into_inner);
                running = guard;
            }
        }
    }

    /// What so many trials need, if it is more than there is.
    fn lacks(&self, trials: usize, available: u64) -> Option<u64> {
        let needed = self
            .reserve
            .saturating_add(self.per_trial?.saturating_mul(trials as u64));
        (needed > available).then_some(needed)
    }

    fn shortage(&self, needed: u64, available: u64) -> TrialError {
        TrialError::NoRoom {
            folder: self.folder.clone(),
            needed_mib: needed >> 20,
            available_mib: available >> 20,
        }
    }

    fn running(&self) -> MutexGuard<'_, usize> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder whose disk is meant.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut running = self.room.running();
        *running = running.saturating_sub(1);
        self.room.left.notify_all();
    }
}
