//! What an agent is told of a repair before it looks for itself.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use fs_err as fs;
use seatrial_core::{BOX_OUT, BOX_SOURCE, RecipeKind};
use seatrial_packaging::Package;

use super::TASK;
use crate::{SolveContext, talk::briefing};

/// Lines of a log's end that are shown.
const END: usize = 40;
/// Most bytes of one file, and most files, for whoever cannot look.
const FILE: usize = 12_000;
const FILES: usize = 4;

/// The task in words.
pub(crate) fn task(context: &SolveContext<'_>) -> String {
    let Some(goal) = context.task.goal.repair() else {
        return String::new();
    };
    let package = Package::open(context.tree).ok();
    let name = package
        .as_ref()
        .map_or(context.task.source.name.as_str(), Package::name);
    let version = package.as_ref().map_or("", Package::version);
    let origin = goal.works_on.map_or_else(String::new, |works| {
        if works == goal.target {
            String::new()
        } else {
            format!(", and builds on {works}")
        }
    });
    let mut logs = String::new();
    for (log, line) in [
        (
            goal.failed_log,
            "- /build/logs/failed.log is the whole log of the failed build.",
        ),
        (
            goal.working_log,
            "- /build/logs/working.log is the log of the build that succeeds elsewhere.",
        ),
    ] {
        if log.is_some() {
            logs.push_str(line);
            logs.push('\n');
        }
    }
    let files = package.as_ref().map_or_else(
        || briefing::files(context.tree),
        |package| briefing::files(package.root()),
    );
    TASK.fill(&[
        ("name", name),
        ("version", version),
        (
            "kind",
            match goal.recipe {
                RecipeKind::Debian => "a Debian package",
                RecipeKind::Rpm => "an RPM package with its archives unpacked beside the spec",
            },
        ),
        ("source", BOX_SOURCE),
        ("out", BOX_OUT),
        ("target", goal.target.as_str()),
        ("origin", &origin),
        ("logs", &logs),
        ("cause", &cause(context)),
        ("files", &files),
    ])
}

/// The failing log, as text.
fn log(context: &SolveContext<'_>) -> Option<String> {
    let digest = context.task.goal.repair()?.failed_log?;
    let bytes = context.blobs.read(&digest).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn cause(context: &SolveContext<'_>) -> String {
    let Some(log) = log(context) else {
        return "There is no log: it fails, and nobody has kept why.".to_owned();
    };
    let diagnosis = seatrial_diagnosis::diagnose(log.as_bytes());
    let mut text = String::new();
    if let Some(cause) = &diagnosis.cause {
        let _ = writeln!(
            text,
            "The cause seems to be {} `{}` ({}), at line {} of the log.",
            cause.kind.name(),
            cause.subject,
            cause.class.name(),
            cause.line
        );
    }
    let lines: Vec<&str> = log.lines().collect();
    text.push_str("The end of the log:\n");
    for line in lines.iter().skip(lines.len().saturating_sub(END)) {
        text.extend(line.chars().take(400));
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// The recipe and the files that the end of the log names, for whoever cannot look.
pub(crate) fn texts(context: &SolveContext<'_>) -> String {
    let Ok(package) = Package::open(context.tree) else {
        return String::new();
    };
    let mut wanted: Vec<String> = names(package.root(), package.root())
        .into_iter()
        .filter(|name| is_recipe(name))
        .collect();
    let all = names(package.root(), package.root());
    for named in log(context).map(|log| mentioned(&log)).unwrap_or_default() {
        let found = all
            .iter()
            .find(|name| **name == named || name.ends_with(&format!("/{named}")));
        if let Some(found) = found
            && !wanted.contains(found)
        {
            wanted.push(found.clone());
        }
    }
    let recipes = wanted.iter().filter(|name| is_recipe(name)).count();
    let mut text = String::new();
    for name in wanted.iter().take(recipes + FILES) {
        let Ok(bytes) = fs::read(package.root().join(name)) else {
            continue;
        };
        let content = String::from_utf8_lossy(&bytes);
        let (content, _) = seatrial_tools::shorten(&content, FILE, "the rest is not shown");
        let _ = writeln!(text, "\n{name}:\n{content}");
    }
    text
}

fn is_recipe(name: &str) -> bool {
    matches!(name, "debian/control" | "debian/rules")
        || (!name.contains('/') && Path::new(name).extension().is_some_and(|ending| ending == "spec"))
}

/// Names with a line number in the last lines of a log, the last first.
fn mentioned(log: &str) -> Vec<String> {
    let lines: Vec<&str> = log.lines().collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for line in lines.iter().rev().take(300) {
        for word in line.split(|c: char| c.is_whitespace() || "'\"`(),[]".contains(c)) {
            let Some((name, rest)) = word.split_once(':') else {
                continue;
            };
            let is_place = rest.chars().next().is_some_and(|c| c.is_ascii_digit());
            if !is_place || !name.contains('.') {
                continue;
            }
            let name = name.trim_start_matches("../").trim_start_matches("./").to_owned();
            if seen.insert(name.clone()) {
                found.push(name);
            }
        }
    }
    found
}

/// All files below a folder, relative to the top.
fn names(top: &Path, folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(names(top, &path)),
            Ok(kind) if kind.is_file() => {
                let name = path.strip_prefix(top).unwrap_or(&path);
                found.push(name.to_string_lossy().into_owned());
            }
            _ => {}
        }
    }
    found.sort();
    found
}
