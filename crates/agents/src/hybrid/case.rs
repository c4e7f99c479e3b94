//! The case file: what a model has to know of what the rules did, in at most 2,000 tokens.

use std::fmt::Write as _;

use seatrial_builder::{AttemptSummary, BuildReport};
use seatrial_diagnosis::Problem;

/// Most bytes. Texts of builds have about four bytes a token and never fewer than three, so that this is 2,000 tokens at most.
const MOST_BYTES: usize = 6000;

/// Most bytes of one part, so that no part drives out the others.
const MOST_OF_A_PART: usize = 1500;

/// The case file. `script` is where the rules' own script lies in the box.
pub(super) fn file(report: &BuildReport, script: Option<&str>) -> String {
    let mut parts = vec!["The case file of the rule-based builder.".to_owned()];
    if let Some(problem) = &report.problem {
        parts.push(cause(problem));
    }
    if let Some(attempt) = report
        .attempts
        .iter()
        .rev()
        .find(|attempt| attempt.failing_command.is_some())
    {
        let command = attempt.failing_command.as_deref().unwrap_or_default();
        parts.push(format!("The command that failed first:\n{command}"));
    }
    if let Some(script) = script {
        parts.push(format!(
            "The furthest that it got is what the script {script} does; run it with `bash {script}`."
        ));
    }
    parts.push(tried(&report.attempts));
    let downloads: Vec<&str> = report
        .attempts
        .iter()
        .flat_map(|attempt| attempt.downloads.iter().map(String::as_str))
        .collect();
    if !downloads.is_empty() {
        parts.push(format!("The build tried to fetch:\n{}", downloads.join("\n")));
    }
    let parts: Vec<String> = parts.iter().map(|part| short(part, MOST_OF_A_PART)).collect();
    short(&parts.join("\n\n"), MOST_BYTES)
}

/// A problem in one line.
pub(super) fn title(problem: &Problem) -> String {
    if problem.subject.is_empty() {
        problem.kind.name().replace('_', " ")
    } else {
        format!("{} `{}`", problem.kind.name().replace('_', " "), problem.subject)
    }
}

fn cause(problem: &Problem) -> String {
    let mut out = format!(
        "It stopped at: {}\nThe line that shows it:\n{}\n",
        title(problem),
        problem.text.trim_end()
    );
    for other in &problem.explains {
        let _ = writeln!(out, "Then, {} times like this:\n{}", other.count, other.text.trim_end());
    }
    if !problem.remedies.is_empty() {
        let remedies: Vec<String> = problem.remedies.iter().map(|remedy| format!("- {remedy}")).collect();
        let _ = writeln!(out, "What may cure it:\n{}", remedies.join("\n"));
    }
    out
}

fn tried(attempts: &[AttemptSummary]) -> String {
    if attempts.is_empty() {
        return "It found no way to build the project.".to_owned();
    }
    let mut out = String::from("What it tried:\n");
    for attempt in attempts {
        let end = attempt.stopped_by.as_deref().unwrap_or("every step ended well");
        let _ = writeln!(
            out,
            "- {}: {} rounds, {} programs and libraries made; {end}",
            attempt.plan, attempt.rounds, attempt.linked
        );
        for repair in &attempt.repairs {
            let _ = writeln!(out, "  - {repair}");
        }
    }
    out
}

fn short(text: &str, most: usize) -> String {
    seatrial_tools::shorten(text, most, "").0
}
