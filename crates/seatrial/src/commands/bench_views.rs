//! `seatrial bench report --failures` and `seatrial bench compare`.

use std::path::PathBuf;

use seatrial_core::ExitCode;
use seatrial_report::{Comparison, FailureReport, RunSummary};
use seatrial_trial::RunView;

use super::answer;
use crate::{app::App, failure::Failure};

/// Prints why the trials of a run failed.
pub(super) fn failures(app: &App, view: &RunView) -> Result<ExitCode, Failure> {
    let report = FailureReport::of(view, &app.home.blobs())?;
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
        summaries.push(RunSummary::of(&RunView::read(folder)?));
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
