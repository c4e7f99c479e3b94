//! `seatrial corpus import`.

use std::fmt::Write as _;

use seatrial_core::ExitCode;
use seatrial_suites::{CaseFormat, ImportOptions, ImportReport, import_cases};

use super::{answer, answer_json, platform};
use crate::{
    app::App,
    failure::Failure,
    import_args::{ImportArgs, ImportFormat},
};

pub(super) fn run(app: &App, words: &ImportArgs) -> Result<ExitCode, Failure> {
    if !words.from.is_dir() {
        return Err(Failure::usage(format!(
            "`{}` is no folder; name a case folder, or a folder of case folders",
            words.from.display()
        )));
    }
    let platform = platform(&words.platform)?;
    let fetcher = app.fetcher(&platform);
    let options = ImportOptions {
        format: match words.format {
            ImportFormat::BuildBench => CaseFormat::BuildBench,
            ImportFormat::Challenge => CaseFormat::Challenge,
        },
        corpus: words.output.clone(),
        platform,
        works_on: words.works_on,
        fetcher: &fetcher,
        blobs: app.home.blobs(),
    };
    let report = import_cases(&words.from, &options)?;
    app.show.clear();
    for note in &report.notes {
        app.show.note(note);
    }
    let refused = report
        .refused
        .iter()
        .filter(|refused| !refused.problem.is_counterpart())
        .count();
    tell(app, words, &report, refused)?;
    Ok(match (report.tasks.len(), refused) {
        (0, _) => ExitCode::Usage,
        (_, 0) => ExitCode::Passed,
        _ => ExitCode::Failed,
    })
}

fn tell(app: &App, words: &ImportArgs, report: &ImportReport, refused: usize) -> Result<(), Failure> {
    if app.json {
        let left_out: Vec<_> = report
            .refused
            .iter()
            .map(|refused| {
                serde_json::json!({
                    "folder": refused.folder, "reason": refused.problem.to_string(),
                    "counterpart": refused.problem.is_counterpart(),
                })
            })
            .collect();
        return answer_json(&serde_json::json!({
            "folder": words.output, "tasks": report.tasks, "left_out": left_out, "notes": report.notes,
        }));
    }
    let mut text = String::new();
    for id in &report.tasks {
        let task = report.corpus.task(id)?;
        let Some(goal) = task.goal.repair() else { continue };
        let works = goal.works_on.map_or("unknown".to_owned(), |arch| arch.to_string());
        let _ = writeln!(
            text,
            "{id}: {}, builds on {works}, fails on {}",
            goal.recipe, goal.target
        );
    }
    for refused in &report.refused {
        let _ = writeln!(text, "left out: {}: {}", refused.folder.display(), refused.problem);
    }
    let _ = write!(text, "{}: {} tasks", words.output.display(), report.tasks.len());
    if refused > 0 {
        let _ = write!(text, "; {refused} folders were no case that can be used");
    }
    if !report.tasks.is_empty() {
        let _ = write!(
            text,
            "\nnext: `seatrial bench run {} --agent rules`",
            words.output.display()
        );
    }
    answer(&text)
}
