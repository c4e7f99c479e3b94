//! What others published of the same question.

use seatrial_core::Arch;
use serde::Serialize;

use super::EditMode;

const TABLE: &str = include_str!("../../data/published-repair.csv");

/// A published row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Published {
    /// How files were changed.
    pub mode: EditMode,
    /// The model.
    pub model: &'static str,
    /// Where the packages build.
    pub works_on: Arch,
    /// Where they fail.
    pub target: Arch,
    /// Packages.
    pub packages: u64,
    /// Those that built within the iterations.
    pub success: u64,
    /// Mean minutes.
    pub minutes: Option<f64>,
    /// Mean thousands of tokens.
    pub kilotokens: Option<f64>,
    /// Packages that built after one iteration, two, three; empty where it was not published.
    pub built_after: Vec<u64>,
}

/// All published rows, those of a model together.
pub fn published() -> Vec<Published> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.filter_map(row).collect()
}

fn row(line: &'static str) -> Option<Published> {
    let cells: Vec<&str> = line.split(',').collect();
    let [
        mode,
        model,
        works_on,
        target,
        packages,
        success,
        minutes,
        kilotokens,
        iterations @ ..,
    ] = cells.as_slice()
    else {
        return None;
    };
    Some(Published {
        mode: match *mode {
            "full-file" => EditMode::FullFile,
            "patch" => EditMode::Patch,
            _ => return None,
        },
        model,
        works_on: works_on.parse().ok()?,
        target: target.parse().ok()?,
        packages: packages.parse().ok()?,
        success: success.parse().ok()?,
        minutes: minutes.parse().ok(),
        kilotokens: kilotokens.parse().ok(),
        built_after: iterations.iter().filter_map(|count| count.parse().ok()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read_and_its_figures_hold_together() {
        let rows = published();
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(rows.len(), lines);
        for row in &rows {
            let packages = if row.target == Arch::Aarch64 { 163 } else { 105 };
            assert_eq!(row.packages, packages, "{row:?}");
            assert!(row.built_after.is_empty() || row.built_after.len() == 3, "{row:?}");
            assert!(row.built_after.is_sorted(), "{row:?}");
            assert!(
                row.built_after.last().is_none_or(|last| *last == row.success),
                "{row:?}"
            );
        }
    }
}
