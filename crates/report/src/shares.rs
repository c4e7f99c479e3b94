//! A table of shares: so many out of so many, each with its interval.

use std::fmt::Write as _;

use crate::stats::wilson;

/// A table whose cells are shares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShareTable {
    /// Titles: of the rows' names, of the number of cases, then of each share.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<ShareRow>,
}

/// A row: its name, its cases, and how many of how many for each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareRow {
    /// Its name.
    pub name: String,
    /// Cases in it.
    pub cases: u64,
    /// Hits and cases that could be hit.
    pub shares: Vec<(u64, u64)>,
}

impl ShareTable {
    /// As plain text, columns under each other.
    pub fn to_text(&self) -> String {
        let mut lines = vec![self.header.clone()];
        lines.extend(self.rows.iter().map(cells));
        let width = |column: usize| {
            lines
                .iter()
                .filter_map(|line| line.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let mut row = String::new();
            for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let _ = if column == 0 {
                    write!(row, "{cell:<width$}")
                } else {
                    write!(row, "  {cell:>width$}")
                };
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }

    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&self.header);
        text.push_str(&line(&vec!["---".to_owned(); self.header.len()]));
        for row in &self.rows {
            text.push_str(&line(&cells(row)));
        }
        text
    }
}

fn cells(row: &ShareRow) -> Vec<String> {
    let mut cells = vec![row.name.clone(), row.cases.to_string()];
    cells.extend(row.shares.iter().map(|(hits, of)| share(*hits, *of)));
    cells
}

/// Percent with the Wilson interval of 95 %, in whole numbers but for the share itself.
fn share(hits: u64, of: u64) -> String {
    match wilson(hits, of) {
        Some(interval) => format!(
            "{:.1} % [{:.0}, {:.0}]",
            100.0 * hits as f64 / of as f64,
            100.0 * interval.low,
            100.0 * interval.high
        ),
        None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn shares_stand_under_each_other_with_their_intervals() {
        let row = |name: &str, cases, shares: &[(u64, u64)]| ShareRow {
            name: name.to_owned(),
            cases,
            shares: shares.to_vec(),
        };
        let table = ShareTable {
            header: ["class", "cases", "class right", "line"].map(str::to_owned).to_vec(),
            rows: vec![
                row("preparation", 120, &[(114, 120), (120, 120)]),
                row("test", 8, &[(0, 8), (0, 0)]),
            ],
        };
        expect![[r#"
            class        cases      class right               line
            preparation    120  95.0 % [90, 98]  100.0 % [97, 100]
            test             8    0.0 % [0, 32]                  -
        "#]]
        .assert_eq(&table.to_text());
        expect![[r#"
            | class | cases | class right | line |
            | --- | --- | --- | --- |
            | preparation | 120 | 95.0 % [90, 98] | 100.0 % [97, 100] |
            | test | 8 | 0.0 % [0, 32] | - |
        "#]]
        .assert_eq(&table.to_markdown());
    }
}
