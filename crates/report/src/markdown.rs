//! Summaries as Markdown, for issues and notes.

use crate::{
    repair::{class_table, direction_table, iteration_table},
    summary::RunSummary,
};

impl RunSummary {
    /// The head, the counts, the table of rates, and one line for each trial.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        for line in self.head() {
            text.push_str("- ");
            text.push_str(&escaped(&line));
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&table(
            &self.rate_header(),
            self.rows.iter().map(|row| self.rate_cells(row)),
        ));
        if let Some(figures) = &self.repair {
            let runs = [(self.lock.agent.as_str(), figures)];
            for lines in [Some(direction_table(&runs)), iteration_table(&runs)]
                .into_iter()
                .flatten()
            {
                text.push('\n');
                text.push_str(&table(&lines.header, lines.rows.into_iter()));
            }
            text.push('\n');
            text.push_str(&class_table(figures).to_markdown());
        }
        for note in self.notes() {
            text.push('\n');
            text.push_str(&escaped(&note));
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&table(
            &self.trial_header(),
            self.trials.iter().map(|trial| self.trial_cells(trial)),
        ));
        text
    }
}

fn table(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = line(header);
    text.push_str(&line(&vec!["---".to_owned(); header.len()]));
    for row in rows {
        text.push_str(&line(&row.iter().map(|cell| escaped(cell)).collect::<Vec<_>>()));
    }
    text
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The text with everything escaped that Markdown or HTML inside it would act on.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
