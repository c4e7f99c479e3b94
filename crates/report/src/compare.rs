//! Several runs side by side, and whether a difference of two may be chance.

use std::collections::BTreeMap;

use seatrial_core::{Profile, TaskId};
use serde::Serialize;

use crate::{
    repair::{self, RepairFigures},
    stats::mcnemar,
    summary::{ArtifactSet, Counts, Level, ModelUse, Row, RunSummary, TrialOutcome, WallTime},
    text::{aligned, cost, duration, plain_table, rate, rendered, repair_tables},
    visible::one_line,
};

/// The version of the JSON form.
pub const COMPARISON_VERSION: u32 = 1;

/// Runs side by side. Serialises to what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Version of this form.
    pub v: u32,
    /// One row a run, in the order that was asked for.
    pub runs: Vec<ComparedRun>,
    /// The first run against each other one.
    pub pairs: Vec<Pair>,
    /// What makes the runs unlike each other besides their agents.
    pub warnings: Vec<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// Its name.
    pub run: String,
    /// Its agent.
    pub agent: String,
    /// How its trials ended.
    pub counts: Counts,
    /// Time spent.
    pub wall: WallTime,
    /// What its trials used of models and tools, when any asked a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<ModelUse>,
    /// Strict, flexible and completion, each out of what was built, in the strict profile; then, where it was asked, by the
    /// published rule.
    pub rows: Vec<Row>,
    /// What a run of the suite `repair` is measured by besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairFigures>,
}

/// Two runs on the trials that both were to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The first run's agent.
    pub first: String,
    /// The other run's agent.
    pub second: String,
    /// Trials that both passed under the strict profile.
    pub both: u64,
    /// Trials that only the first passed.
    pub only_first: u64,
    /// Trials that only the other passed.
    pub only_second: u64,
    /// Trials that neither passed.
    pub neither: u64,
    /// The exact two-sided McNemar test of the two that differ.
    pub p: f64,
}

impl Comparison {
    /// Compares runs by their summaries.
    pub fn of(summaries: &[RunSummary]) -> Self {
        let mut warnings = Vec::new();
        if let Some((first, rest)) = summaries.split_first() {
            for other in rest {
                let (a, b) = (&first.lock, &other.lock);
                for (what, differs) in [
                    ("corpus", a.corpus_digest != b.corpus_digest),
                    ("tasks", a.tasks != b.tasks),
                    ("image", a.image != b.image),
                    ("forbidden relaxations", a.forbid != b.forbid),
                    ("number of attempts", a.attempts != b.attempts),
                    ("version of this program", a.tool_version != b.tool_version),
                ] {
                    if differs {
                        warnings.push(format!("{} and {} differ in: {what}", first.run, other.run));
                    }
                }
            }
        }
        Self {
            v: COMPARISON_VERSION,
            runs: summaries.iter().map(compared).collect(),
            pairs: summaries
                .split_first()
                .map(|(first, rest)| rest.iter().map(|other| pair(first, other)).collect())
                .unwrap_or_default(),
            warnings,
        }
    }

    /// The form for programs: one JSON document with a line end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The levels that the runs are judged by, the one that counts first.
    fn levels(&self) -> Vec<Level> {
        let is_asked = |level: &Level| {
            self.runs
                .iter()
                .flat_map(|run| &run.rows)
                .any(|row| row.profile == Profile::Strict && row.level == *level)
        };
        [
            Level::Strict,
            Level::Flexible,
            Level::Completion,
            Level::Kept,
            Level::Repaired,
        ]
        .into_iter()
        .filter(is_asked)
        .collect()
    }

    /// One row a run, then one line a pair.
    pub fn to_text(&self, width: u16) -> String {
        let mut table = plain_table(width);
        let levels = self.levels();
        let with_models = self.runs.iter().any(|run| run.models.is_some());
        let mut header = vec!["agent"];
        header.extend(levels.iter().map(|level| level.as_str()));
        header.extend(["invalid", "median", "total"]);
        if with_models {
            header.extend(["answers", "tokens", "tools"]);
        }
        table.set_header(header);
        for run in &self.runs {
            let level = |level: Level| {
                run.rows
                    .iter()
                    .find(|row| row.profile == Profile::Strict && row.level == level)
                    .map_or("-".to_owned(), |row| rate(row.passed, &row.of_planned))
            };
            let mut cells = vec![one_line(&run.agent)];
            cells.extend(levels.iter().copied().map(level));
            cells.extend([
                run.counts.invalid.to_string(),
                run.wall.median_ms.map_or("-".to_owned(), duration),
                duration(run.wall.total_ms),
            ]);
            if with_models {
                let of = |number: fn(&ModelUse) -> u64| {
                    run.models
                        .as_ref()
                        .map_or("-".to_owned(), |models| number(models).to_string())
                };
                cells.extend([
                    of(|models| models.median_calls),
                    of(|models| models.median_tokens),
                    of(|models| models.median_tool_calls),
                ]);
            }
            table.add_row(
                cells
                    .into_iter()
                    .enumerate()
                    .map(|(column, cell)| aligned(cell, column > 0)),
            );
        }
        let mut text = rendered(&table);
        text.push_str("\n\nStrict profile, out of all planned trials; brackets: Wilson intervals of 95 %.");
        if with_models {
            text.push_str(" Answers, tokens and uses of tools: medians of trials with a model.");
        }
        text.push_str(" Runs, in order:\n");
        for run in &self.runs {
            let models = run.models.as_ref().map_or_else(String::new, |models| {
                format!("; models: {} in all", cost(&models.total))
            });
            let line = format!(
                "  {} ({}): {} planned, {} pending{models}\n",
                one_line(&run.run),
                one_line(&run.agent),
                run.counts.planned,
                run.counts.pending
            );
            text.push_str(&line);
        }
        for pair in &self.pairs {
            let line = format!(
                "{} and {}: both {}, only {} {}, only {} {}, neither {}; McNemar, exact, two-sided: p = {:.4}\n",
                one_line(&pair.first),
                one_line(&pair.second),
                pair.both,
                one_line(&pair.first),
                pair.only_first,
                one_line(&pair.second),
                pair.only_second,
                pair.neither,
                pair.p
            );
            text.push_str(&line);
        }
        let repairs: Vec<_> = self
            .runs
            .iter()
            .filter_map(|run| Some((run.agent.as_str(), run.repair.as_ref()?)))
            .collect();
        if !repairs.is_empty() {
            text.push('\n');
            text.push_str(&repair_tables(&repairs));
            let unknown = repairs.iter().map(|(_, figures)| figures.unknown).sum();
            for note in repair::notes(unknown) {
                text.push('\n');
                text.push_str(&note);
            }
            text.push('\n');
        }
        for warning in &self.warnings {
            let line = format!("warning: {}\n", one_line(warning));
            text.push_str(&line);
        }
        text
    }
}

fn compared(summary: &RunSummary) -> ComparedRun {
    ComparedRun {
        run: summary.run.clone(),
        agent: summary.lock.agent.to_string(),
        counts: summary.counts,
        wall: summary.wall,
        models: summary.models.clone(),
        rows: summary
            .rows
            .iter()
            .filter(|row| row.artifacts != ArtifactSet::Extended)
            .cloned()
            .collect(),
        repair: summary.repair.clone(),
    }
}

fn pair(first: &RunSummary, second: &RunSummary) -> Pair {
    let of = |summary: &RunSummary| -> BTreeMap<(TaskId, u32), bool> {
        summary
            .trials
            .iter()
            .map(|trial| {
                let passed = trial.outcome == TrialOutcome::Passed;
                ((trial.task.clone(), trial.attempt), passed)
            })
            .collect()
    };
    let theirs = of(second);
    let (mut both, mut only_first, mut only_second, mut neither) = (0, 0, 0, 0);
    for (trial, passed) in of(first) {
        match (passed, theirs.get(&trial)) {
            (true, Some(true)) => both += 1,
            (true, Some(false)) => only_first += 1,
            (false, Some(true)) => only_second += 1,
            (false, Some(false)) => neither += 1,
            (_, None) => {}
        }
    }
    Pair {
        first: first.lock.agent.to_string(),
        second: second.lock.agent.to_string(),
        both,
        only_first,
        only_second,
        neither,
        p: mcnemar(only_first, only_second),
    }
}
