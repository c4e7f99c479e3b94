//! `seatrial doctor`.

use std::fmt::Write as _;

use seatrial_core::ExitCode;

use super::{answer, answer_json};
use crate::{app::App, failure::Failure};

pub(super) fn run(app: &App) -> Result<ExitCode, Failure> {
    let mut findings = seatrial_sandbox::doctor(&app.home, &std::env::current_exe()?);
    findings.push(seatrial_sandbox::probe_daemon(&app.socket()));
    let usable = findings.iter().all(seatrial_sandbox::Finding::usable);
    if app.json {
        answer_json(&findings)?;
    } else {
        let mut text = String::new();
        for finding in &findings {
            let _ = writeln!(
                text,
                "{:<7} {}: {} ({})",
                finding.ok.to_string(),
                finding.name,
                finding.detail,
                finding.how
            );
            if !finding.remedy.is_empty() {
                let _ = writeln!(text, "        {}", finding.remedy);
            }
        }
        let _ = writeln!(text, "\ndata folder: {}", app.home.root().display());
        answer(&text)?;
    }
    Ok(if usable { ExitCode::Passed } else { ExitCode::Invalid })
}
