//! A diagnosis as a person reads it.

use std::fmt::Write as _;

use seatrial_diagnosis::{Diagnosis, Ending, Kind, Phase, Problem};
use seatrial_report::visible;

/// Names that are missing besides are listed up to this many.
const MOST_NAMES: usize = 20;

struct Colours {
    strong: &'static str,
    error: &'static str,
    faint: &'static str,
    off: &'static str,
}

const COLOURS: Colours = Colours {
    strong: "\x1b[1m",
    error: "\x1b[1;31m",
    faint: "\x1b[2m",
    off: "\x1b[0m",
};
const PLAIN: Colours = Colours {
    strong: "",
    error: "",
    faint: "",
    off: "",
};

/// The whole answer.
pub(super) fn page(diagnosis: &Diagnosis, colours: bool) -> String {
    let colours = if colours { &COLOURS } else { &PLAIN };
    let mut out = String::new();
    match &diagnosis.cause {
        Some(cause) => cause_page(&mut out, diagnosis, cause, colours),
        None => nothing_page(&mut out, diagnosis),
    }
    out
}

fn nothing_page(out: &mut String, diagnosis: &Diagnosis) {
    let facts = &diagnosis.facts;
    let lines = counted(facts.lines, "line");
    let _ = match (facts.ending, &facts.closer) {
        _ if facts.bytes == 0 => writeln!(out, "no failure found: the log is empty"),
        (Ending::Failed, Some(closer)) => writeln!(
            out,
            "it failed, and nothing in {lines} says why\n  line {}: {}\n  next: look at the output of the command before that line, or build again with one process (-j1)",
            closer.line,
            visible(&closer.text)
        ),
        (Ending::Succeeded, _) => writeln!(out, "no failure found: the log of {lines} ends with success"),
        _ => writeln!(out, "no failure found in {lines}"),
    };
}

fn cause_page(out: &mut String, diagnosis: &Diagnosis, cause: &Problem, colours: &Colours) {
    let Colours {
        strong,
        error,
        faint,
        off,
    } = colours;
    let subject = if cause.subject.is_empty() {
        String::new()
    } else {
        format!(": {}", visible(&cause.subject))
    };
    let _ = writeln!(out, "{strong}{}{off}{strong}{subject}{off}", what(cause.kind));
    let place = match phase(cause.phase) {
        "" => String::new(),
        phase => format!(" while {phase}"),
    };
    let file = cause
        .file
        .as_ref()
        .map(|file| format!("{}, ", visible(file)))
        .unwrap_or_default();
    let _ = writeln!(
        out,
        "  {file}line {}{place}; class {}; {} % sure\n",
        cause.line,
        cause.class.name(),
        cause.confidence
    );
    let width = diagnosis.excerpt.last().map_or(1, |last| last.line.to_string().len());
    for quoted in &diagnosis.excerpt {
        let text = visible(&quoted.text);
        let number = quoted.line;
        let _ = if quoted.line == cause.line {
            writeln!(out, "{error}> {number:>width$} | {text}{off}")
        } else if (cause.span.0..=cause.span.1).contains(&quoted.line) {
            writeln!(out, "| {number:>width$} | {text}")
        } else {
            writeln!(out, "{faint}  {number:>width$} | {text}{off}")
        };
    }
    if !cause.remedies.is_empty() {
        let _ = writeln!(out, "\n{strong}what to try{off}");
        for (number, remedy) in cause.remedies.iter().enumerate() {
            let _ = writeln!(out, "  {}. {}", number + 1, visible(&remedy.to_string()));
        }
    }
    if !cause.explains.is_empty() {
        let all: u64 = cause.explains.iter().map(|follow| follow.count).sum();
        let _ = writeln!(out, "\n{strong}what follows from it{off} ({})", counted(all, "error"));
        for follow in &cause.explains {
            let _ = writeln!(
                out,
                "  line {}{}: {}",
                follow.line,
                if follow.count > 1 {
                    format!(", {} times", follow.count)
                } else {
                    String::new()
                },
                visible(&follow.text)
            );
        }
    }
    let others: Vec<_> = diagnosis
        .missing
        .iter()
        .filter(|missing| (missing.kind, &missing.subject) != (cause.kind, &cause.subject))
        .collect();
    if !others.is_empty() {
        let _ = writeln!(out, "\n{strong}also missing{off}");
        for missing in others.iter().take(MOST_NAMES) {
            let _ = writeln!(
                out,
                "  {}: {} (line {})",
                what(missing.kind),
                visible(&missing.subject),
                missing.line
            );
        }
        if let Some(more) = others.len().checked_sub(MOST_NAMES).filter(|more| *more > 0) {
            let _ = writeln!(out, "  and {more} more");
        }
    }
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A kind in words: its name in data is made of them.
fn what(kind: Kind) -> String {
    match kind {
        Kind::Other => "an error of no known kind".to_owned(),
        Kind::MissingPkgConfig => "missing pkg-config module".to_owned(),
        Kind::MissingCMake => "missing CMake package".to_owned(),
        Kind::MissingPython => "missing Python module".to_owned(),
        kind => kind.name().replace('_', " "),
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Unknown => "",
        Phase::Prepare => "preparing the source",
        Phase::Dependencies => "installing dependencies",
        Phase::Configure => "configuring",
        Phase::Build => "building",
        Phase::Test => "testing",
        Phase::Install => "installing",
        Phase::Package => "packaging",
    }
}
