//! Summaries as plain text for a terminal or a file: no colours, no more columns than the caller says.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row as TableRow, Table, presets::NOTHING};
use seatrial_trial::ModelSpent;

use crate::{
    repair::{self, RepairFigures, class_table, direction_table, iteration_table},
    summary::{ModelUse, PassAt, Rate, Row, RunSummary, TrialRow},
    visible::one_line,
};

impl RunSummary {
    /// The head, the counts and the table of rates.
    pub fn to_text(&self, width: u16) -> String {
        let mut text = String::new();
        for line in self.head() {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
        let mut table = plain_table(width);
        table.set_header(self.rate_header());
        for row in &self.rows {
            let cells = self.rate_cells(row).into_iter().enumerate();
            table.add_row(cells.map(|(column, cell)| aligned(cell, column >= 3)));
        }
        text.push_str(&rendered(&table));
        text.push('\n');
        if let Some(figures) = &self.repair {
            text.push('\n');
            text.push_str(&repair_tables(&[(self.lock.agent.as_str(), figures)]));
            text.push('\n');
            text.push_str(&class_table(figures).to_text());
        }
        for note in self.notes() {
            text.push('\n');
            text.push_str(&note);
        }
        text.push('\n');
        text
    }

    /// One line for each trial; a reason that is too long for the width is cut.
    pub fn trials_to_text(&self, width: u16) -> String {
        let header = self.trial_header();
        let mut table = plain_table(width);
        table.set_header(&header);
        for trial in &self.trials {
            let cells = header.iter().zip(self.trial_cells(trial));
            let mut row = TableRow::from(
                cells
                    .map(|(title, cell)| aligned(cell, matches!(title.as_str(), "attempt" | "matched" | "time")))
                    .collect::<Vec<_>>(),
            );
            row.max_height(1);
            table.add_row(row);
        }
        let mut text = rendered(&table);
        text.push('\n');
        text
    }

    /// What is said above the table, in lines.
    pub(crate) fn head(&self) -> Vec<String> {
        let (lock, counts) = (&self.lock, &self.counts);
        let mut trials = format!(
            "{} x {}: {} passed, {} failed, {} invalid, {} pending",
            counted(lock.tasks.len() as u64, "task"),
            counted(u64::from(lock.attempts), "attempt"),
            counts.passed,
            counts.failed,
            counts.invalid,
            counts.pending
        );
        match counts.flagged {
            0 => {}
            1 => trials.push_str("; 1 flagged pass is not counted"),
            many => {
                let _ = write!(trials, "; {many} flagged passes are not counted");
            }
        }
        if !lock.forbid.is_empty() {
            let names: Vec<&str> = lock.forbid.iter().map(|class| class.name()).collect();
            let _ = write!(trials, "; forbidden: {}", names.join(", "));
        }
        let time = match self.wall.median_ms {
            Some(median) => format!(
                "time: median {}, {} in all",
                duration(median),
                duration(self.wall.total_ms)
            ),
            None => "time: no trial has finished".to_owned(),
        };
        let models = self.models.as_ref().map(models_line);
        let lines = vec![
            format!(
                "run {}: corpus {} ({}), agent {}, seatrial {}, image {}, network {}",
                one_line(&self.run),
                one_line(&lock.corpus),
                lock.corpus_digest.short(),
                lock.agent,
                one_line(&lock.tool_version),
                lock.image.short(),
                lock.network.name()
            ),
            trials,
            time,
        ];
        lines.into_iter().chain(models).collect()
    }

    /// What has to be known to read the table.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = vec!["Brackets: Wilson intervals of 95 %. Valid: judged, and not invalid.".to_owned()];
        if self.lock.attempts > 1 {
            notes.push(
                "Rates count trials; their intervals take attempts at one task as independent, so they are too narrow."
                    .to_owned(),
            );
        }
        if let Some(figures) = &self.repair {
            notes.extend(repair::notes(figures.unknown));
        }
        notes
    }

    pub(crate) fn rate_header(&self) -> Vec<String> {
        let mut header = vec!["profile", "artifacts", "level", "of planned", "of valid", "flagged"];
        if self.lock.attempts > 1 {
            header.push("pass@k");
        }
        header.into_iter().map(str::to_owned).collect()
    }

    pub(crate) fn rate_cells(&self, row: &Row) -> Vec<String> {
        let mut cells = vec![
            row.profile.to_string(),
            row.artifacts.as_str().to_owned(),
            row.level.as_str().to_owned(),
            rate(row.passed, &row.of_planned),
            rate(row.passed, &row.of_valid),
            row.flagged.to_string(),
        ];
        if self.lock.attempts > 1 {
            cells.push(pass_at(&row.pass_at));
        }
        cells
    }

    pub(crate) fn trial_header(&self) -> Vec<String> {
        let mut header = vec!["task", "outcome", "matched", "time", "reason"];
        if self.lock.attempts > 1 {
            header.insert(1, "attempt");
        }
        header.into_iter().map(str::to_owned).collect()
    }

    pub(crate) fn trial_cells(&self, trial: &TrialRow) -> Vec<String> {
        let mut cells = vec![
            trial.task.to_string(),
            trial.outcome.as_str().to_owned(),
            match (trial.matched, trial.expected) {
                (Some(matched), Some(expected)) => format!("{matched}/{expected}"),
                (Some(matched), None) => matched.to_string(),
                (None, _) => "-".to_owned(),
            },
            trial.wall_ms.map_or("-".to_owned(), duration),
            trial.reason.clone(),
        ];
        if self.lock.attempts > 1 {
            cells.insert(1, trial.attempt.to_string());
        }
        cells
    }
}

/// What models and tools were used, in one line.
fn models_line(models: &ModelUse) -> String {
    let total = &models.total;
    let mut line = format!(
        "models: {} of {}, {}, {}, {} uses of tools{}; median of a trial {}, {} tokens, {} uses",
        counted(total.calls, "answer"),
        counted(models.trials, "trial"),
        tokens(total),
        cost(total),
        total.tool_calls,
        match total.cached_tool_calls {
            0 => String::new(),
            cached => format!(" ({cached} answered from the cache)"),
        },
        counted(models.median_calls, "answer"),
        if total.untold == 0 {
            models.median_tokens.to_string()
        } else {
            "?".to_owned()
        },
        models.median_tool_calls,
    );
    let endings: Vec<String> = models
        .endings
        .iter()
        .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
        .collect();
    let _ = write!(line, "; ended: {}", endings.join(", "));
    line
}

/// What was used, as far as it is told. Unknown is never 0.
fn tokens(spent: &ModelSpent) -> String {
    match (spent.untold, spent.input, spent.output) {
        (0, input, output) => format!("{input} + {output} tokens"),
        (_, 0, 0) => "tokens unknown".to_owned(),
        (untold, input, output) => format!(
            "{input} + {output} tokens and {} that told none",
            counted(untold, "answer")
        ),
    }
}

/// What was paid, as far as it is known. Unknown is never 0.
pub(crate) fn cost(spent: &ModelSpent) -> String {
    match (spent.unpriced, spent.cost_micros) {
        (0, micros) => format!("${:.4}", micros as f64 / 1e6),
        (_, 0) => "cost unknown".to_owned(),
        (unpriced, micros) => format!(
            "${:.4} and {} without a known price",
            micros as f64 / 1e6,
            counted(unpriced, "answer")
        ),
    }
}

/// Figures of repairs by direction and by iteration, beside the published ones.
pub(crate) fn repair_tables(runs: &[(&str, &RepairFigures)]) -> String {
    let mut text = direction_table(runs).to_text();
    if let Some(table) = iteration_table(runs) {
        text.push('\n');
        text.push_str(&table.to_text());
    }
    text
}

pub(crate) fn plain_table(width: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    table
}

pub(crate) fn aligned(text: String, right: bool) -> Cell {
    let side = if right {
        CellAlignment::Right
    } else {
        CellAlignment::Left
    };
    Cell::new(text).set_alignment(side)
}

/// Without the first column's padding, and without the blanks that fill lines up: they would wrap in a narrower terminal.
pub(crate) fn rendered(table: &Table) -> String {
    let lines = table.lines();
    let lines: Vec<_> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
        .collect();
    lines.join("\n")
}

pub(crate) fn rate(passed: u64, rate: &Rate) -> String {
    match (rate.rate, rate.interval) {
        (Some(share), Some(interval)) => format!(
            "{passed}/{} {:.1} % [{:.1}, {:.1}]",
            rate.of,
            share * 100.0,
            interval.low * 100.0,
            interval.high * 100.0
        ),
        _ => format!("{passed}/{}", rate.of),
    }
}

fn pass_at(values: &[PassAt]) -> String {
    let texts: Vec<_> = values
        .iter()
        .map(|value| format!("@{} {:.1} % ({})", value.k, value.mean * 100.0, value.tasks))
        .collect();
    texts.join(", ")
}

fn counted(number: u64, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// A time for people: `41.2 s`, `12 min 05 s`, `3 h 07 min`.
pub fn duration(milliseconds: u64) -> String {
    let seconds = (milliseconds + 500) / 1000;
    if milliseconds < 59_950 {
        format!("{:.1} s", milliseconds as f64 / 1000.0)
    } else if seconds < 3600 {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    } else {
        format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60)
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn times_are_read_at_a_glance() {
        for (milliseconds, expected) in [
            (0, "0.0 s"),
            (41_249, "41.2 s"),
            (59_949, "59.9 s"),
            (59_950, "1 min 00 s"),
            (725_000, "12 min 05 s"),
            (3_599_499, "59 min 59 s"),
            (3_599_500, "1 h 00 min"),
            (11_220_000, "3 h 07 min"),
        ] {
            assert_eq!(duration(milliseconds), expected);
        }
    }
}
