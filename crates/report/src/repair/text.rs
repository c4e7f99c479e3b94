//! The figures as rows of tables: ours, then the published ones, each marked.

use std::fmt::Write as _;

use seatrial_core::Arch;

use super::{DirectionRow, EditMode, Published, RepairFigures, published};
use crate::{ShareRow, ShareTable, visible::one_line};

/// The iterations that the published tables have columns for.
const ITERATIONS: usize = 3;

/// A table whose first three columns are words.
pub(crate) struct Lines {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Lines {
    fn new(header: &[&str]) -> Self {
        Self {
            header: header.iter().map(|title| (*title).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Columns under each other. Nothing is broken into several lines: a row is one line, however narrow the terminal.
    pub(crate) fn to_text(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| {
            all()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
        };
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| width(column).unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in all() {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                let _ = match column {
                    0..WORDS => write!(line, "{gap}{cell:<width$}"),
                    _ => write!(line, "{gap}{cell:>width$}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Columns of words.
const WORDS: usize = 3;

/// Rows by direction of one or several runs, each with its agent, then the published rows of the modes that occur: how often,
/// and at what cost.
pub(crate) fn direction_table(runs: &[(&str, &RepairFigures)]) -> Lines {
    let mut lines = Lines::new(&["who", "mode", "direction", "strict", "paper", "minutes", "ktokens"]);
    for (agent, figures) in runs {
        let mut add = |direction: String, cells: [String; 4]| {
            lines
                .rows
                .push([who(agent, figures, direction).to_vec(), cells.to_vec()].concat());
        };
        for row in &figures.directions {
            let strict = share(row.strict, row.planned);
            let cells = [
                strict,
                share(row.paper, row.planned),
                figure(row.minutes),
                figure(row.kilotokens),
            ];
            add(direction(row.works_on, row.target), cells);
        }
        if let Some(mean) = &figures.mean {
            let strict = percent(mean.strict);
            let cells = [
                strict,
                percent(mean.paper),
                figure(mean.minutes),
                figure(mean.kilotokens),
            ];
            add("mean".to_owned(), cells);
        }
    }
    let mut add = |row: &Published, direction: String, cells: [String; 3]| {
        let words = [marked(row), row.mode.as_str().to_owned(), direction, "-".to_owned()];
        lines.rows.push([words.to_vec(), cells.to_vec()].concat());
    };
    for rows in published_of(runs) {
        for row in &rows {
            let success = share(row.success, row.packages);
            let cells = [success, figure(row.minutes), figure(row.kilotokens)];
            add(row, direction(Some(row.works_on), row.target), cells);
        }
        if let Some(first) = rows.first() {
            let shares: f64 = rows.iter().map(|row| row.success as f64 / row.packages as f64).sum();
            let mean = percent(shares / rows.len() as f64);
            add(first, "mean".to_owned(), [mean, "-".to_owned(), "-".to_owned()]);
        }
    }
    lines
}

/// The same rows by iteration; none when no run has iterations.
pub(crate) fn iteration_table(runs: &[(&str, &RepairFigures)]) -> Option<Lines> {
    let counted = runs
        .iter()
        .flat_map(|(_, figures)| &figures.directions)
        .map(|row| row.built_after.len());
    let most = counted.max().filter(|most| *most > 0)?.max(ITERATIONS);
    let mut lines = Lines::new(&["who", "mode", "direction"]);
    lines.header.extend((1..=most).map(|number| format!("iter-{number}")));
    lines.header.extend(["to success", "calls"].map(str::to_owned));
    for (agent, figures) in runs {
        for row in &figures.directions {
            let mut cells = who(agent, figures, direction(row.works_on, row.target)).to_vec();
            cells.extend(after(&row.built_after, row.planned, most));
            cells.extend([figure(row.iterations_to_success), calls(row)]);
            lines.rows.push(cells);
        }
    }
    for row in published_of(runs)
        .iter()
        .flatten()
        .filter(|row| !row.built_after.is_empty())
    {
        let mut cells = vec![
            marked(row),
            row.mode.as_str().to_owned(),
            direction(Some(row.works_on), row.target),
        ];
        cells.extend(after(&row.built_after, row.packages, most));
        cells.extend(["-".to_owned(), "-".to_owned()]);
        lines.rows.push(cells);
    }
    Some(lines)
}

fn who(agent: &str, figures: &RepairFigures, direction: String) -> [String; WORDS] {
    let mode = figures.mode.map_or("-", EditMode::as_str);
    [one_line(agent), mode.to_owned(), direction]
}

/// A model's name, marked as one of others' rows.
fn marked(row: &Published) -> String {
    format!("{} (published)", row.model)
}

/// The modes whose published rows are shown: those that occur, else the first.
fn modes(runs: &[(&str, &RepairFigures)]) -> Vec<EditMode> {
    let mut modes: Vec<EditMode> = runs.iter().filter_map(|(_, figures)| figures.mode).collect();
    modes.sort_unstable();
    modes.dedup();
    if modes.is_empty() {
        modes.push(EditMode::FullFile);
    }
    modes
}

/// The published rows of the modes that occur, those of a model together.
fn published_of(runs: &[(&str, &RepairFigures)]) -> Vec<Vec<Published>> {
    let modes = modes(runs);
    let mut groups: Vec<Vec<Published>> = Vec::new();
    for row in published().into_iter().filter(|row| modes.contains(&row.mode)) {
        let own = |group: &&mut Vec<Published>| {
            group
                .first()
                .is_some_and(|first| (first.mode, first.model) == (row.mode, row.model))
        };
        match groups.iter_mut().find(own) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// Success by class of the failure.
pub(crate) fn class_table(figures: &RepairFigures) -> ShareTable {
    let rows = figures.classes.iter().map(|row| ShareRow {
        name: one_line(&row.class),
        cases: row.planned,
        shares: vec![(row.strict, row.planned), (row.paper, row.planned)],
    });
    ShareTable {
        header: ["class", "planned", "strict", "paper"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// What has to be known to read the tables.
pub(crate) fn notes(unknown: u64) -> Vec<String> {
    let mut notes = vec![
        "Strict: builds on the target and where it did, and gives nothing up. Paper: builds on the target, which is all that was \
         asked in what is published. Out of all planned trials. Minutes: from the start to what was handed in. iter-k: share of \
         paper that built within k iterations. Calls: mean uses of tools in each iteration. Mean: of directions, unweighted."
            .to_owned(),
        "Published: 268 packages that nobody else has, on a build service, verdicts by the published procedure with its faults \
         (docs/repair.md); beside these rows, not comparable with them case by case."
            .to_owned(),
    ];
    if unknown > 0 {
        notes.push(format!(
            "{unknown} trials are in no row: the corpus does not know their tasks any more, or could not be read."
        ));
    }
    notes
}

fn direction(works_on: Option<Arch>, target: Arch) -> String {
    format!("{}->{target}", works_on.map_or("?", Arch::as_str))
}

fn share(part: u64, of: u64) -> String {
    format!("{part}/{of} {}", percent(part as f64 / of.max(1) as f64))
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

fn figure(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
}

fn after(built: &[u64], of: u64, columns: usize) -> Vec<String> {
    (0..columns)
        .map(|column| {
            built
                .get(column)
                .map_or("-".to_owned(), |count| percent(*count as f64 / of.max(1) as f64))
        })
        .collect()
}

fn calls(row: &DirectionRow) -> String {
    if row.calls.is_empty() {
        return "-".to_owned();
    }
    let each: Vec<_> = row.calls.iter().map(|mean| format!("{mean:.1}")).collect();
    each.join(" ")
}
