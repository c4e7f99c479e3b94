//! What a run will take of the disk, as far as that can be told before it begins.

use std::{collections::BTreeSet, path::Path};

use fs_err as fs;
use seatrial_core::{AgentName, Event, SourceKind, Task};
use seatrial_sandbox::Limits;
use seatrial_source::Fetcher;
use seatrial_store::{Home, read_journal};

use crate::{TrialError, result::read_lock};

/// What one trial is taken to need as long as none like it was measured.
const UNKNOWN_TRIAL: u64 = 2 << 30;
/// What a trial is taken to need at least.
const SMALLEST_TRIAL: u64 = 64 << 20;
/// What a source is taken to need whose size is not written anywhere.
const UNKNOWN_SOURCE: u64 = 50 << 20;
/// How much larger than its packed files a source is taken to be, these files included.
const UNPACKED: u64 = 6;
/// What an image takes while it is made.
const IMAGE: u64 = 2 << 30;
/// So many trials are looked at; more do not make the estimate better.
const MOST: usize = 500;

/// Bytes that a run is expected to need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Trials at one time.
    pub jobs: u64,
    /// What one trial takes while it runs.
    pub per_trial: u64,
    /// How many earlier trials say so; with 0 it is a guess.
    pub measured: usize,
    /// Sources that are not in the cache.
    pub sources: u64,
    /// An image that has to be made first.
    pub image: u64,
    /// What stays free for the machine.
    pub reserve: u64,
}

/// Which earlier trials are like those that are to come.
#[derive(Debug, Clone, Copy)]
pub enum Like<'a> {
    /// Those of runs of a corpus with an agent.
    Run(&'a str, &'a AgentName),
    /// Those of `build`.
    Build,
}

impl Estimate {
    /// Estimates trials of tasks, `jobs` at a time. Whoever knows that an image has to be made says so.
    pub fn of(
        home: &Home,
        like: Like<'_>,
        tasks: &[&Task],
        jobs: usize,
        image_missing: bool,
    ) -> Result<Self, TrialError> {
        let mut sizes = measured(home, like)?;
        sizes.sort_unstable();
        // The upper end, without the odd one that is larger than all others; the grader's box has what the agent's had and
        // some more.
        let upper = sizes.get(sizes.len().saturating_sub(1) * 19 / 20).copied();
        let per_trial = upper.map_or(UNKNOWN_TRIAL, |size| (size.saturating_mul(3) / 2).max(SMALLEST_TRIAL));
        Ok(Self {
            jobs: (jobs as u64).clamp(1, (tasks.len() as u64).max(1)),
            per_trial,
            measured: sizes.len(),
            sources: sources(home, tasks)?,
            image: if image_missing { IMAGE } else { 0 },
            reserve: Limits::default().host_reserve_bytes,
        })
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.jobs
            .saturating_mul(self.per_trial)
            .saturating_add(self.sources)
            .saturating_add(self.image)
            .saturating_add(self.reserve)
    }
}

/// What the boxes of earlier trials took.
fn measured(home: &Home, like: Like<'_>) -> Result<Vec<u64>, TrialError> {
    let mut sizes = Vec::new();
    for entry in fs::read_dir(home.runs())? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match like {
            Like::Build if name.starts_with("build-") => sizes.extend(last_size(&folder)),
            Like::Run(corpus, agent) => {
                let known = read_lock(&folder).is_ok_and(|lock| lock.corpus == corpus && lock.agent == *agent);
                let Some(trials) = known.then(|| fs::read_dir(folder.join("trials")).ok()).flatten() else {
                    continue;
                };
                let left = MOST.saturating_sub(sizes.len());
                sizes.extend(trials.flatten().filter_map(|trial| last_size(&trial.path())).take(left));
            }
            Like::Build => {}
        }
        if sizes.len() >= MOST {
            break;
        }
    }
    Ok(sizes)
}

/// What a finished trial's box took. A journal that cannot be read says nothing.
fn last_size(trial: &Path) -> Option<u64> {
    let entries = read_journal(&trial.join("journal.jsonl")).ok()?.entries;
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::TrialFinished { disk_bytes, .. } => *disk_bytes,
        _ => None,
    })
}

/// What the sources take that are not in the cache.
fn sources(home: &Home, tasks: &[&Task]) -> Result<u64, TrialError> {
    let trees = home.cache("trees")?;
    let mut seen = BTreeSet::new();
    let mut sum: u64 = 0;
    for task in tasks {
        let Ok(key) = Fetcher::key(&task.source) else { continue };
        if trees.join(&key).is_dir() || !seen.insert(key) {
            continue;
        }
        sum = sum.saturating_add(size(&task.source.origin));
    }
    Ok(sum)
}

fn size(origin: &SourceKind) -> u64 {
    match origin {
        SourceKind::Debian { files, .. } => files
            .iter()
            .fold(0_u64, |sum, file| sum.saturating_add(file.size))
            .saturating_mul(UNPACKED),
        SourceKind::Changed { base, .. } => size(base),
        SourceKind::Folder { .. } | SourceKind::Archive { .. } | SourceKind::Git { .. } | SourceKind::Kept { .. } => {
            UNKNOWN_SOURCE
        }
    }
}
