//! Failure reports as plain text.

use std::fmt::Write as _;

use crate::{
    failures::{Count, FailureReport},
    text::{aligned, plain_table, rendered},
    visible::one_line,
};

/// Rows of a list before it is cut; the JSON form has all.
const SHOWN: usize = 25;

impl FailureReport {
    /// Classes, kinds, relaxations, packages, failed trials, and shapes of lines that no rule explains.
    pub fn to_text(&self, width: u16) -> String {
        let mut text = format!(
            "run {}: agent {}, {} of {} finished trials failed\n\nroot causes by class: ",
            one_line(&self.run),
            one_line(&self.agent),
            self.failed,
            self.finished
        );
        let classes: Vec<String> = self
            .classes
            .iter()
            .map(|class| format!("{} {}", class.name, class.count))
            .collect();
        let _ = writeln!(
            text,
            "{}; no script {}; nothing failed {}; not explained {}",
            classes.join(", "),
            self.without_script,
            self.nothing_failed,
            self.not_explained
        );
        list(&mut text, "root causes by kind", &self.kinds);
        list(&mut text, "relaxations (class / rule)", &self.relaxations);
        list(&mut text, "packages that recipes install", &self.packages);
        if self.out_of_sight > 0 {
            let _ = writeln!(
                text,
                "\n{} of the failed trials are of tasks that are kept out of sight: counted above, not listed below",
                self.out_of_sight
            );
        }
        if !self.trials.is_empty() {
            let mut table = plain_table(width);
            table.set_header(["task", "class", "kind", "subject", "line"]);
            for trial in &self.trials {
                let mut row = comfy_table::Row::from([
                    trial.task.to_string(),
                    trial.class.map_or("-", seatrial_diagnosis::Class::name).to_owned(),
                    trial.kind.map_or("-", seatrial_diagnosis::Kind::name).to_owned(),
                    trial.subject.clone(),
                    trial.line.clone(),
                ]);
                row.max_height(1);
                table.add_row(row);
            }
            let _ = write!(text, "\nfailed trials\n{}\n", rendered(&table));
        }
        if !self.proposals.is_empty() {
            let mut table = plain_table(width);
            table.set_header(["trials", "lines", "template", "task", "example"]);
            for proposal in self.proposals.iter().take(SHOWN) {
                let mut row = comfy_table::Row::from(vec![
                    aligned(proposal.trials.to_string(), true),
                    aligned(proposal.count.to_string(), true),
                    aligned(proposal.template.clone(), false),
                    aligned(proposal.task.to_string(), false),
                    aligned(proposal.example.clone(), false),
                ]);
                row.max_height(1);
                table.add_row(row);
            }
            let _ = write!(
                text,
                "\nlast error lines that no rule explains, by shape: the next rows\n{}\n",
                rendered(&table)
            );
        }
        text
    }
}

fn list(text: &mut String, title: &str, counts: &[Count]) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for Count { name, count } in counts.iter().take(SHOWN) {
        let _ = writeln!(text, "{count:>5}  {}", one_line(name));
    }
    if counts.len() > SHOWN {
        let _ = writeln!(text, "       and {} more", counts.len() - SHOWN);
    }
}
