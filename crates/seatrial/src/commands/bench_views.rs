//! `seatrial bench report --failures` and `seatrial bench compare`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use seatrial_core::{ExitCode, Task, TaskId};
use seatrial_report::{Comparison, FailureReport, RepairFacts, RepairFigures, RunSummary};
use seatrial_suites::{Corpus, Side};
use seatrial_trial::RunView;

use super::answer;
use crate::{app::App, failure::Failure};

/// Prints why the trials of a run failed. Whoever writes rules reads it, so nothing of the logs of tasks that are kept out
/// of sight is in it, unless that is asked for. Where the run's corpus cannot be read any more, nobody knows which
/// tasks those are, and none is shown.
pub(super) fn failures(app: &App, view: &RunView, show_unseen: bool) -> Result<ExitCode, Failure> {
    let split = match Corpus::load(Path::new(&view.lock.corpus_path)) {
        Ok(corpus) => Some(corpus.facts().split.clone()),
        Err(error) => {
            if !show_unseen {
                app.show.note(&format!(
                    "which tasks are kept out of sight is not known, so none is listed: {error}\n  \
                     `--show-unseen` lists all"
                ));
            }
            None
        }
    };
    let in_sight = |task: &TaskId| {
        show_unseen
            || split
                .as_ref()
                .is_some_and(|split| split.as_ref().is_none_or(|split| split.has(Side::Seen, task)))
    };
    let report = FailureReport::of(view, &app.home.blobs(), &in_sight)?;
    if app.json {
        answer(&report.to_json().map_err(|error| Failure::invalid(error.to_string()))?)?;
    } else {
        answer(&report.to_text(crate::show::width()))?;
    }
    Ok(ExitCode::Passed)
}

/// Prints runs side by side.
pub(super) fn compare(app: &App, folders: &[PathBuf]) -> Result<ExitCode, Failure> {
    let mut summaries = Vec::new();
    for folder in folders {
        summaries.push(summary(&RunView::read(folder)?)?);
    }
    let comparison = Comparison::of(&summaries);
    if app.json {
        answer(
            &comparison
                .to_json()
                .map_err(|error| Failure::invalid(error.to_string()))?,
        )?;
    } else {
        answer(&comparison.to_text(crate::show::width()))?;
    }
    Ok(ExitCode::Passed)
}

/// The figures of a run; of one of the suite `repair` with what its corpus says of its tasks, where that can still be read.
pub(super) fn summary(view: &RunView) -> Result<RunSummary, Failure> {
    let mut summary = RunSummary::of(view);
    if view.lock.suite.as_str() == "repair" {
        let facts =
            Corpus::load(Path::new(&view.lock.corpus_path)).map_or_else(|_| BTreeMap::new(), |corpus| facts(&corpus));
        summary.repair = Some(RepairFigures::of(view, &facts)?);
    }
    Ok(summary)
}

fn facts(corpus: &Corpus) -> BTreeMap<TaskId, RepairFacts> {
    let of = |task: &Task| {
        let goal = task.goal.repair()?;
        let truth = corpus.truth(&task.id).ok()?;
        let class = truth.body.repair().map_or("unknown", |truth| &truth.class);
        let facts = RepairFacts {
            target: goal.target,
            works_on: goal.works_on,
            class: class.to_owned(),
        };
        Some((task.id.clone(), facts))
    };
    corpus.all_tasks().filter_map(of).collect()
}
