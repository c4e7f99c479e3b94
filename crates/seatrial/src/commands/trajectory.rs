//! `seatrial trajectory`.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::ExitCode;
use seatrial_report::trajectory::{Trajectory, atif, faults, markdown};
use seatrial_store::read_journal;
use seatrial_trial::RunLock;

use super::{answer, answer_json, bench::find_run};
use crate::{
    app::{App, VERSION},
    failure::Failure,
    trajectory_args::{TrajectoryFormat, TrajectoryVerb},
};

const JOURNAL: &str = "journal.jsonl";

pub(super) fn run(app: &App, verb: TrajectoryVerb) -> Result<ExitCode, Failure> {
    match verb {
        TrajectoryVerb::Export { trial, format, output } => export(app, &trial, format, output.as_deref()),
        TrajectoryVerb::Check { file } => check(app, &file),
    }
}

fn export(app: &App, trial: &str, format: TrajectoryFormat, output: Option<&Path>) -> Result<ExitCode, Failure> {
    let found = find(app, trial)?;
    let contents = read_journal(&found.journal)?;
    let trajectory = Trajectory::read(&contents.entries);
    if trajectory.task.is_empty() {
        return Err(Failure::nothing_run(format!(
            "{}: no trial was begun in it",
            found.journal.display()
        )));
    }
    let text = match format {
        TrajectoryFormat::Atif => {
            let document = atif(&trajectory, &found.session, &found.version);
            let text = serde_json::to_string_pretty(&document).map_err(|error| Failure::invalid(error.to_string()))?;
            format!("{text}\n")
        }
        TrajectoryFormat::Markdown => markdown(&trajectory),
    };
    match output {
        Some(file) => {
            fs::write(file, text)?;
            app.show.note(&format!("written to {}", file.display()));
        }
        None => answer(&text)?,
    }
    Ok(ExitCode::Passed)
}

fn check(app: &App, file: &Path) -> Result<ExitCode, Failure> {
    let text = fs::read(file).map_err(|error| Failure::usage(error.to_string()))?;
    let document = serde_json::from_slice(&text)
        .map_err(|error| Failure::usage(format!("{}: this is no JSON: {error}", file.display())))?;
    let found = faults(&document);
    if app.json {
        let list: Vec<_> = found
            .iter()
            .map(|fault| serde_json::json!({ "place": fault.place, "problem": fault.problem }))
            .collect();
        answer_json(&serde_json::json!({ "valid": found.is_empty(), "faults": list }))?;
    } else if found.is_empty() {
        answer("valid")?;
    } else {
        let lines: Vec<String> = found
            .iter()
            .map(|fault| seatrial_report::visible(&fault.to_string()))
            .collect();
        answer(&lines.join("\n"))?;
    }
    Ok(if found.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// A trial's journal.
pub(super) struct FoundTrial {
    pub(super) journal: PathBuf,
    /// The run's name.
    pub(super) session: String,
    /// The version of the program that ran it, where that is known.
    pub(super) version: String,
}

/// The trial that somebody means.
pub(super) fn find(app: &App, trial: &str) -> Result<FoundTrial, Failure> {
    let direct = Path::new(trial);
    if direct.is_file() {
        return Ok(found(direct.to_owned()));
    }
    if direct.join(JOURNAL).is_file() {
        return Ok(found(direct.join(JOURNAL)));
    }
    let single = app.home.runs().join(trial).join(JOURNAL);
    if !trial.contains('/') && single.is_file() {
        return Ok(found(single));
    }
    let (run, task) = match trial.split_once('/') {
        Some((run, task)) => (run, Some(task)),
        None => (trial, None),
    };
    let trials = find_run(app, run)?.join("trials");
    let mut matching = Vec::new();
    for entry in fs::read_dir(&trials)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let means = |task: &str| name == task || name.rsplit_once('.').is_some_and(|(id, _)| id == task);
        if task.is_none_or(means) && path.join(JOURNAL).is_file() {
            matching.push((name, path));
        }
    }
    matching.sort();
    match matching.as_slice() {
        [(_, path)] => Ok(found(path.join(JOURNAL))),
        [] => Err(Failure::usage(format!(
            "{}: there is no trial of `{}`; `seatrial bench report {run} --tasks` lists them",
            trials.display(),
            task.unwrap_or(trial)
        ))),
        several => {
            let shown: Vec<String> = several
                .iter()
                .take(20)
                .map(|(name, _)| format!("{run}/{name}"))
                .collect();
            let more = several.len().saturating_sub(shown.len());
            let more = if more == 0 {
                String::new()
            } else {
                format!("\n  and {more} more")
            };
            Err(Failure::usage(format!(
                "`{trial}` could be any of:\n  {}{more}",
                shown.join("\n  ")
            )))
        }
    }
}

fn found(journal: PathBuf) -> FoundTrial {
    let mut folders = journal.ancestors().skip(1);
    let own = folders.next();
    // A trial of a run lies in RUN/trials/TASK.ATTEMPT; one of `seatrial build` in the run itself.
    let run = folders.nth(1).filter(|run| run.join("lock.json").is_file()).or(own);
    let name = run
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let lock = run.and_then(|run| fs::read(run.join("lock.json")).ok());
    let lock = lock.and_then(|bytes| serde_json::from_slice::<RunLock>(&bytes).ok());
    FoundTrial {
        session: name
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "trial".to_owned()),
        version: lock.map_or_else(|| VERSION.to_owned(), |lock| lock.tool_version),
        journal,
    }
}
