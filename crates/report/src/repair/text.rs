//! The figures as rows of tables: ours, then the published ones, each marked.

use seatrial_core::Arch;

use super::{DirectionRow, EditMode, RepairFigures, published};
use crate::{ShareRow, ShareTable, visible::one_line};

/// The iterations that the published tables have columns for.
const ITERATIONS: usize = 3;

/// Rows by direction of one or several runs, each with its agent, then the published rows of the modes that occur.
pub(crate) fn direction_table(runs: &[(&str, &RepairFigures)]) -> (Vec<String>, Vec<Vec<String>>) {
    let counted = runs
        .iter()
        .flat_map(|(_, figures)| &figures.directions)
        .map(|row| row.built_after.len());
    let iterations = counted.max().unwrap_or(0).max(ITERATIONS);
    let mut header = ["who", "mode", "direction", "strict", "paper", "minutes", "ktokens"]
        .map(str::to_owned)
        .to_vec();
    header.extend((1..=iterations).map(|number| format!("iter-{number}")));
    header.extend(["to success", "calls"].map(str::to_owned));
    let mut rows = Vec::new();
    for (agent, figures) in runs {
        let mode = figures.mode.map_or("-", EditMode::as_str);
        for row in &figures.directions {
            let mut cells = vec![one_line(agent), mode.to_owned(), direction(row.works_on, row.target)];
            cells.extend([share(row.strict, row.planned), share(row.paper, row.planned)]);
            cells.extend([figure(row.minutes), figure(row.kilotokens)]);
            cells.extend(after(&row.built_after, row.planned, iterations));
            cells.extend([figure(row.iterations_to_success), calls(row)]);
            rows.push(cells);
        }
        if let Some(mean) = &figures.mean {
            let mut cells = vec![one_line(agent), mode.to_owned(), "mean".to_owned()];
            cells.extend([percent(mean.strict), percent(mean.paper)]);
            cells.extend([figure(mean.minutes), figure(mean.kilotokens)]);
            cells.extend(vec!["-".to_owned(); iterations + 2]);
            rows.push(cells);
        }
    }
    rows.extend(published_rows(&modes(runs), iterations));
    (header, rows)
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

fn published_rows(modes: &[EditMode], iterations: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let all = published();
    let mut shown: Vec<(EditMode, &str)> = Vec::new();
    for first in all.iter().filter(|row| modes.contains(&row.mode)) {
        if shown.contains(&(first.mode, first.model)) {
            continue;
        }
        shown.push((first.mode, first.model));
        let own: Vec<_> = all
            .iter()
            .filter(|row| (row.mode, row.model) == (first.mode, first.model))
            .collect();
        let who = format!("{} (published)", first.model);
        for row in &own {
            let mut cells = vec![
                who.clone(),
                row.mode.as_str().to_owned(),
                direction(Some(row.works_on), row.target),
                "-".to_owned(),
                share(row.success, row.packages),
                figure(row.minutes),
                figure(row.kilotokens),
            ];
            cells.extend(after(&row.built_after, row.packages, iterations));
            cells.extend(["-".to_owned(), "-".to_owned()]);
            rows.push(cells);
        }
        let shares: f64 = own.iter().map(|row| row.success as f64 / row.packages as f64).sum();
        let mut cells = vec![who, first.mode.as_str().to_owned(), "mean".to_owned(), "-".to_owned()];
        cells.push(percent(shares / own.len() as f64));
        cells.extend(vec!["-".to_owned(); iterations + 4]);
        rows.push(cells);
    }
    rows
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
