//! Figures of runs of the suite `repair`: how often, by direction, by class and by iteration, beside what was published.
//!
//! Two counts stand side by side. *Strict* is what the strict profile lets pass: it builds on the target, still builds where
//! it did, and gives nothing up. *Paper* is the published question alone: does it build on the target.

mod iterations;
mod published;
mod text;

use std::collections::BTreeMap;

pub use iterations::Iteration;
pub use published::{Published, published};
use seatrial_core::{Arch, Entry, Event, Outcome, Profile, TaskId};
use seatrial_trial::{RunLock, RunView, TrialError, TrialResult};
use serde::Serialize;
pub(crate) use text::{class_table, direction_table, iteration_table, notes};

/// What is known of a task besides its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairFacts {
    /// Where it fails.
    pub target: Arch,
    /// Where it builds, when that is known.
    pub works_on: Option<Arch>,
    /// The class of its failure.
    pub class: String,
}

/// How an agent changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditMode {
    /// A file is written anew.
    FullFile,
    /// By patches.
    Patch,
}

impl EditMode {
    /// The word for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FullFile => "full-file",
            Self::Patch => "patch",
        }
    }

    /// Of a run's agent, when it is one of the published loop.
    fn of(lock: &RunLock) -> Option<Self> {
        let patches = lock
            .model
            .as_ref()
            .and_then(|model| model.pointer("/options/repair/patches"))
            .and_then(serde_json::Value::as_bool);
        match (lock.agent.as_str(), patches) {
            ("mcp-repair", Some(true)) => Some(Self::Patch),
            ("mcp-repair", _) => Some(Self::FullFile),
            _ => None,
        }
    }
}

/// The figures of a run of the suite `repair`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepairFigures {
    /// How files were changed, by an agent of the published loop.
    pub mode: Option<EditMode>,
    /// By direction.
    pub directions: Vec<DirectionRow>,
    /// The mean over directions, each counting the same; of two or more.
    pub mean: Option<MeanRow>,
    /// By class of the failure.
    pub classes: Vec<ClassRow>,
    /// Trials whose task the corpus does not know any more: they are in no row.
    pub unknown: u64,
}

/// One direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionRow {
    /// Where its packages build; empty where that is not known.
    pub works_on: Option<Arch>,
    /// Where they fail.
    pub target: Arch,
    /// Trials that the run is to do.
    pub planned: u64,
    /// Those that are invalid or not finished.
    pub without: u64,
    /// Passed in the strict profile.
    pub strict: u64,
    /// Passed in the paper profile.
    pub paper: u64,
    /// Mean minutes of a trial, from its start to what was handed in; of those that were judged.
    pub minutes: Option<f64>,
    /// Mean thousands of tokens, in and out, of trials that were told all of theirs.
    pub kilotokens: Option<f64>,
    /// Those of `paper` whose success came in iteration 1, up to 2, and so on; empty for agents without iterations.
    pub built_after: Vec<u64>,
    /// Mean iteration of success.
    pub iterations_to_success: Option<f64>,
    /// Mean uses of tools in iteration 1, 2 and so on, of trials that came there.
    pub calls: Vec<f64>,
}

/// The unweighted mean of directions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanRow {
    /// Share that passed in the strict profile.
    pub strict: f64,
    /// Share that passed in the paper profile.
    pub paper: f64,
    /// Minutes, when each direction has some.
    pub minutes: Option<f64>,
    /// Thousands of tokens, when each direction has some.
    pub kilotokens: Option<f64>,
}

/// One class of failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassRow {
    /// Its name.
    pub class: String,
    /// Trials that the run is to do.
    pub planned: u64,
    /// Passed in the strict profile.
    pub strict: u64,
    /// Passed in the paper profile.
    pub paper: u64,
}

/// What a finished trial's journal adds to its result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepairWork {
    /// The iterations, in order.
    pub iterations: Vec<Iteration>,
    /// Milliseconds from the start to what was handed in.
    pub repair_ms: Option<u64>,
}

impl RepairWork {
    /// Reads it off a journal. What was begun and never finished does not count.
    pub fn of(entries: &[Entry]) -> Self {
        let mut work = Self::default();
        let mut since = None;
        for entry in entries {
            match &entry.event {
                Event::TrialStarted { .. } => {
                    work = Self::default();
                    since = Some(entry.at);
                }
                Event::Submitted { .. } => work.repair_ms = since.map(|since| entry.at.saturating_sub(since)),
                Event::Note { text } => work.iterations.extend(Iteration::read(text)),
                _ => {}
            }
        }
        work
    }
}

impl RepairFigures {
    /// The figures of a run as its folder shows it, with what its corpus says of its tasks.
    pub fn of(view: &RunView, facts: &BTreeMap<TaskId, RepairFacts>) -> Result<Self, TrialError> {
        let mut work = BTreeMap::new();
        for result in &view.results {
            let entries = view.journal(&result.task, result.attempt)?;
            work.insert((result.task.clone(), result.attempt), RepairWork::of(&entries));
        }
        Ok(Self::new(&view.lock, &view.results, facts, &work))
    }

    /// The figures from a run's lock, its results and what their journals add.
    pub fn new(
        lock: &RunLock,
        results: &[TrialResult],
        facts: &BTreeMap<TaskId, RepairFacts>,
        work: &BTreeMap<(TaskId, u32), RepairWork>,
    ) -> Self {
        let none = RepairWork::default();
        let mut unknown = 0;
        let mut directions: BTreeMap<(Option<Arch>, Arch), Vec<Trial<'_>>> = BTreeMap::new();
        let mut classes: BTreeMap<&str, Vec<Trial<'_>>> = BTreeMap::new();
        for task in &lock.tasks {
            for attempt in 1..=lock.attempts {
                let Some(facts) = facts.get(task) else {
                    unknown += 1;
                    continue;
                };
                let is_it = |result: &&TrialResult| result.task == *task && result.attempt == attempt;
                let trial = Trial {
                    result: results.iter().rev().find(is_it),
                    work: work.get(&(task.clone(), attempt)).unwrap_or(&none),
                };
                directions
                    .entry((facts.works_on, facts.target))
                    .or_default()
                    .push(trial);
                classes.entry(&facts.class).or_default().push(trial);
            }
        }
        let directions: Vec<_> = directions
            .iter()
            .map(|((works_on, target), trials)| direction(*works_on, *target, trials))
            .collect();
        let classes = classes.iter().map(|(class, trials)| ClassRow {
            class: (*class).to_owned(),
            planned: trials.len() as u64,
            strict: count(trials, Profile::Strict),
            paper: count(trials, Profile::Paper),
        });
        Self {
            mode: EditMode::of(lock),
            mean: mean_row(&directions),
            classes: classes.collect(),
            directions,
            unknown,
        }
    }
}

#[derive(Clone, Copy)]
struct Trial<'a> {
    result: Option<&'a TrialResult>,
    work: &'a RepairWork,
}

impl Trial<'_> {
    fn outcome(&self, profile: Profile) -> Option<Outcome> {
        Some(self.result?.verdict(profile)?.outcome)
    }

    fn is_judged(&self) -> bool {
        self.outcome(Profile::Strict)
            .is_some_and(|outcome| outcome != Outcome::Invalid)
    }

    /// The iteration that a trial which built by the published question succeeded in. What is handed in without a successful
    /// check is of the last one.
    fn succeeded_in(&self) -> Option<u32> {
        if self.outcome(Profile::Paper) != Some(Outcome::Passed) {
            return None;
        }
        let iterations = &self.work.iterations;
        let found = iterations.iter().find(|iteration| iteration.state == "succeeded");
        Some(found.or(iterations.last())?.number)
    }
}

fn count(trials: &[Trial<'_>], profile: Profile) -> u64 {
    let passed = trials
        .iter()
        .filter(|trial| trial.outcome(profile) == Some(Outcome::Passed));
    passed.count() as u64
}

fn direction(works_on: Option<Arch>, target: Arch, trials: &[Trial<'_>]) -> DirectionRow {
    let judged: Vec<_> = trials.iter().filter(|trial| trial.is_judged()).collect();
    let minutes = judged
        .iter()
        .filter_map(|trial| Some(trial.work.repair_ms? as f64 / 60_000.0));
    let tokens = judged.iter().filter_map(|trial| {
        let spent = trial.result?.spent.filter(|spent| spent.untold == 0)?;
        Some((spent.input + spent.output) as f64 / 1000.0)
    });
    let most = trials
        .iter()
        .flat_map(|trial| &trial.work.iterations)
        .map(|iteration| iteration.of.max(iteration.number))
        .max()
        .unwrap_or(0);
    let successes: Vec<u32> = trials.iter().filter_map(Trial::succeeded_in).collect();
    let until = |last: u32| successes.iter().filter(|number| **number <= last).count() as u64;
    let calls = |number: u32| {
        let of = trials.iter().flat_map(|trial| &trial.work.iterations);
        mean(
            of.filter(|iteration| iteration.number == number)
                .map(|iteration| f64::from(iteration.calls)),
        )
    };
    DirectionRow {
        works_on,
        target,
        planned: trials.len() as u64,
        without: (trials.len() - judged.len()) as u64,
        strict: count(trials, Profile::Strict),
        paper: count(trials, Profile::Paper),
        minutes: mean(minutes),
        kilotokens: mean(tokens),
        built_after: (1..=most).map(until).collect(),
        iterations_to_success: mean(successes.iter().map(|number| f64::from(*number))),
        calls: (1..=most).map_while(calls).collect(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut number) = (0.0, 0_u32);
    for value in values {
        sum += value;
        number += 1;
    }
    (number > 0).then(|| sum / f64::from(number))
}

fn mean_row(directions: &[DirectionRow]) -> Option<MeanRow> {
    if directions.len() < 2 {
        return None;
    }
    let all = |of: fn(&DirectionRow) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = directions.iter().map(of).collect();
        mean(values?.into_iter())
    };
    Some(MeanRow {
        strict: all(|row| Some(row.strict as f64 / row.planned as f64))?,
        paper: all(|row| Some(row.paper as f64 / row.planned as f64))?,
        minutes: all(|row| row.minutes),
        kilotokens: all(|row| row.kilotokens),
    })
}
