//! One run as figures: how often, out of how many, how sure, how long.

use std::collections::BTreeMap;

use seatrial_core::{Answer, Outcome, Profile, TaskId, Verdict};
use seatrial_trial::{ModelSpent, RunLock, RunView, TrialResult};
use serde::Serialize;

use crate::{
    rates::rows,
    repair::RepairFigures,
    stats::{Interval, median, wilson},
    visible::one_line,
};

/// The version of the summary's JSON form.
pub const SUMMARY_VERSION: u32 = 1;

/// A run's figures. Serialises to what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// Version of this form.
    pub v: u32,
    /// The run's name.
    pub run: String,
    /// What was locked when it began.
    pub lock: RunLock,
    /// How its trials ended, under the strict profile. They add up to `planned`.
    pub counts: Counts,
    /// Time spent.
    pub wall: WallTime,
    /// What its trials used of models and tools, when any asked a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<ModelUse>,
    /// One row for each profile, set of artifacts and level.
    pub rows: Vec<Row>,
    /// One row for each planned trial.
    pub trials: Vec<TrialRow>,
    /// What a run of the suite `repair` is measured by besides; whoever knows the corpus adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairFigures>,
}

/// What the trials of a run used of models and tools. Medians are of the trials that asked a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelUse {
    /// Trials that asked a model.
    pub trials: u64,
    /// The sum of all of them; `ended` is of none.
    pub total: ModelSpent,
    /// Answers of models in a trial.
    pub median_calls: u64,
    /// Uses of tools in a trial.
    pub median_tool_calls: u64,
    /// Tokens of a trial, requests and answers together.
    pub median_tokens: u64,
    /// How often each end was reached.
    pub endings: BTreeMap<String, u64>,
}

impl ModelUse {
    fn of(trials: &[TrialRow]) -> Option<Self> {
        let spent: Vec<ModelSpent> = trials.iter().filter_map(|trial| trial.spent).collect();
        let mut total = ModelSpent::default();
        let mut endings = BTreeMap::new();
        for one in &spent {
            total.calls += one.calls;
            total.tool_calls += one.tool_calls;
            total.cached_tool_calls += one.cached_tool_calls;
            total.input += one.input;
            total.output += one.output;
            total.untold += one.untold;
            total.cost_micros += one.cost_micros;
            total.unpriced += one.unpriced;
            // The name in data: `tool_calls`.
            let ending = one.ended.and_then(|ended| serde_json::to_value(ended).ok());
            let name = ending.as_ref().and_then(|name| name.as_str()).unwrap_or("unknown");
            *endings.entry(name.to_owned()).or_insert(0) += 1;
        }
        let of = |figure: fn(&ModelSpent) -> u64| median(&spent.iter().map(figure).collect::<Vec<_>>());
        Some(Self {
            trials: spent.len() as u64,
            median_calls: of(|one| one.calls)?,
            median_tool_calls: of(|one| one.tool_calls)?,
            median_tokens: of(|one| one.input + one.output)?,
            total,
            endings,
        })
    }
}

/// How trials ended, under the strict profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All that the run is to do: tasks times attempts.
    pub planned: u64,
    /// Passed, without any flag.
    pub passed: u64,
    /// Would have passed, but there are signs that the result was not earned.
    pub flagged: u64,
    /// Failed.
    pub failed: u64,
    /// The infrastructure was at fault.
    pub invalid: u64,
    /// Not finished.
    pub pending: u64,
}

/// Wall-clock time of finished trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WallTime {
    /// The median trial, when any has finished.
    pub median_ms: Option<u64>,
    /// All trials together, as if run one after the other.
    pub total_ms: u64,
}

/// How far a build or a repair came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It made any artifact.
    Completion,
    /// It made at least one of the expected artifacts.
    Flexible,
    /// It made all of them.
    Strict,
    /// A repaired package builds on its target.
    Repaired,
    /// It also still builds where it always did.
    Kept,
}

impl Level {
    pub(crate) const OF_BUILDS: [Self; 3] = [Self::Completion, Self::Flexible, Self::Strict];
    pub(crate) const OF_REPAIRS: [Self; 2] = [Self::Repaired, Self::Kept];

    /// The word for tables and for names of checks.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completion => "completion",
            Self::Flexible => "flexible",
            Self::Strict => "strict",
            Self::Repaired => "repaired",
            Self::Kept => "kept",
        }
    }
}

/// Which files count as artifacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactSet {
    /// Files that this build made, as the strict profile proves it.
    Built,
    /// ELF files below the tree: the published rule.
    Official,
    /// The published rule with archives, scripts and other new files.
    Extended,
}

impl ArtifactSet {
    /// The word for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Built => "built",
            Self::Official => "official",
            Self::Extended => "extended",
        }
    }

    /// The answer of this set's check; the official set's checks need not carry its name.
    pub(crate) fn answer(self, verdict: &Verdict, level: Level) -> Option<Answer> {
        let plain = level.as_str();
        match self {
            Self::Built => verdict.answer(plain),
            Self::Official => verdict
                .answer(&format!("official-{plain}"))
                .or_else(|| verdict.answer(plain)),
            Self::Extended => verdict.answer(&format!("extended-{plain}")),
        }
    }
}

/// How often one question was answered with yes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The procedure.
    pub profile: Profile,
    /// What counts as an artifact.
    pub artifacts: ArtifactSet,
    /// The question.
    pub level: Level,
    /// Trials with the answer yes. In the strict profile, without those that are flagged.
    pub passed: u64,
    /// In the strict profile, trials with the answer yes that are flagged.
    pub flagged: u64,
    /// Out of all planned trials; what is invalid or not finished counts as not passed.
    pub of_planned: Rate,
    /// Out of the trials that were judged and are not invalid.
    pub of_valid: Rate,
    /// The mean over tasks of the estimated chance to pass within k attempts; empty in a run with one attempt.
    pub pass_at: Vec<PassAt>,
}

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// The denominator.
    pub of: u64,
    /// The share, when the denominator is not 0.
    pub rate: Option<f64>,
    /// Its Wilson interval of 95 %.
    pub interval: Option<Interval>,
}

impl Rate {
    pub(crate) fn new(passed: u64, of: u64) -> Self {
        Self {
            of,
            rate: (of > 0).then(|| passed as f64 / of as f64),
            interval: wilson(passed, of),
        }
    }
}

/// One value of pass@k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassAt {
    /// Attempts.
    pub k: u64,
    /// Tasks with at least k valid attempts; the others cannot be asked.
    pub tasks: u64,
    /// The mean over these tasks.
    pub mean: f64,
}

/// How one trial ended, under the strict profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialRow {
    /// The task.
    pub task: TaskId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// How it ended.
    pub outcome: TrialOutcome,
    /// Expected artifacts, when the grader said how many.
    pub expected: Option<u64>,
    /// Expected artifacts that were made.
    pub matched: Option<u64>,
    /// Wall-clock milliseconds, when it has finished.
    pub wall_ms: Option<u64>,
    /// What it used of models and tools, when it asked any model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<ModelSpent>,
    /// Why, in one line without control characters.
    pub reason: String,
}

/// How one trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// Passed, without any flag.
    Passed,
    /// Would have passed, but is flagged.
    Flagged,
    /// Failed.
    Failed,
    /// The infrastructure was at fault.
    Invalid,
    /// Not finished.
    Pending,
}

impl TrialOutcome {
    /// The word for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flagged => "flagged",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::Pending => "pending",
        }
    }

    fn of(result: Option<&TrialResult>) -> Self {
        let Some(result) = result else {
            return Self::Pending;
        };
        // A finished trial without a verdict says nothing about the agent.
        let Some(verdict) = result.verdict(Profile::Strict) else {
            return Self::Invalid;
        };
        match verdict.outcome {
            Outcome::Invalid => Self::Invalid,
            _ if is_flagged_pass(verdict) => Self::Flagged,
            Outcome::Passed => Self::Passed,
            Outcome::Failed => Self::Failed,
        }
    }
}

/// A grader calls a flagged pass failed, so the answer that would have made it pass decides.
fn is_flagged_pass(verdict: &Verdict) -> bool {
    let deciding = match verdict.answer(Level::Strict.as_str()) {
        Some(answer @ (Answer::Yes | Answer::No)) => Some(answer),
        Some(Answer::NotAsked) | None => verdict
            .answer(Level::Completion.as_str())
            .or_else(|| verdict.answer(Level::Kept.as_str()))
            .or_else(|| verdict.answer(Level::Repaired.as_str())),
    };
    !verdict.flags.is_empty() && (verdict.outcome == Outcome::Passed || deciding == Some(Answer::Yes))
}

impl RunSummary {
    /// The figures of a run as its folder shows it.
    pub fn of(view: &RunView) -> Self {
        let run = view.folder.file_name().unwrap_or(view.folder.as_os_str());
        Self::new(&run.to_string_lossy(), &view.lock, &view.results)
    }

    /// The figures of a run from its lock and its finished trials. What the lock plans and no result is there for is
    /// pending; a result that the lock does not plan is left out, and of several for one trial the last one counts.
    pub fn new(run: &str, lock: &RunLock, results: &[TrialResult]) -> Self {
        let finished: BTreeMap<(&TaskId, u32), &TrialResult> = results
            .iter()
            .map(|result| ((&result.task, result.attempt), result))
            .collect();
        let planned: Vec<_> = lock
            .tasks
            .iter()
            .flat_map(|task| (1..=lock.attempts).map(move |attempt| (task, attempt)))
            .map(|(task, attempt)| (task, attempt, finished.get(&(task, attempt)).copied()))
            .collect();
        let trials: Vec<_> = planned
            .iter()
            .map(|(task, attempt, result)| trial_row(task, *attempt, *result))
            .collect();
        let walls: Vec<_> = trials.iter().filter_map(|trial| trial.wall_ms).collect();
        Self {
            v: SUMMARY_VERSION,
            run: run.to_owned(),
            lock: lock.clone(),
            counts: Counts::of(&trials),
            wall: WallTime {
                median_ms: median(&walls),
                total_ms: walls.iter().sum(),
            },
            models: ModelUse::of(&trials),
            rows: rows(&planned, lock),
            trials,
            repair: None,
        }
    }

    /// The form for programs: one JSON document with a line end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

impl Counts {
    fn of(trials: &[TrialRow]) -> Self {
        let mut counts = Self::default();
        for trial in trials {
            counts.planned += 1;
            let place = match trial.outcome {
                TrialOutcome::Passed => &mut counts.passed,
                TrialOutcome::Flagged => &mut counts.flagged,
                TrialOutcome::Failed => &mut counts.failed,
                TrialOutcome::Invalid => &mut counts.invalid,
                TrialOutcome::Pending => &mut counts.pending,
            };
            *place += 1;
        }
        counts
    }
}

fn trial_row(task: &TaskId, attempt: u32, result: Option<&TrialResult>) -> TrialRow {
    let verdict = result.and_then(|result| result.verdict(Profile::Strict));
    let figure = |name: &str| {
        let value = verdict?.figures.get(name)?;
        (value.is_finite() && *value >= 0.0).then_some(*value as u64)
    };
    let outcome = TrialOutcome::of(result);
    let reason = match verdict {
        Some(verdict) if outcome == TrialOutcome::Flagged => {
            let flags: Vec<_> = verdict
                .flags
                .iter()
                .map(|flag| format!("{}: {}", flag.name, flag.detail))
                .collect();
            flags.join("; ")
        }
        Some(verdict) => verdict.reason.clone(),
        None if result.is_some() => "the trial finished without a verdict".to_owned(),
        None => String::new(),
    };
    TrialRow {
        task: task.clone(),
        attempt,
        outcome,
        expected: figure("expected"),
        matched: figure("matched"),
        wall_ms: result.map(|result| result.wall_ms),
        spent: result.and_then(|result| result.spent),
        reason: one_line(&reason),
    }
}
