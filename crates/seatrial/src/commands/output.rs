//! What a trial of its own leaves in the user's output folder.

use std::{path::Path, time::Duration};

use fs_err as fs;
use seatrial_core::{ExitCode, InvalidReason, Outcome, Verdict};
use seatrial_trial::TrialResult;

use crate::failure::Failure;

/// All output of boxes.
pub(super) const LOG: &str = "build.log";
/// In so little time nothing further is begun.
const TOO_SHORT: Duration = Duration::from_secs(5);

/// A task called after a source.
pub(super) fn task_id(name: &str) -> Result<seatrial_core::TaskId, Failure> {
    let clean: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+') {
                c
            } else {
                '-'
            }
        })
        .collect();
    let clean = clean.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let clean: String = clean.chars().take(100).collect();
    let clean = if clean.is_empty() { "source".to_owned() } else { clean };
    clean
        .parse()
        .map_err(|error: seatrial_core::IdError| Failure::usage(error.to_string()))
}

/// How the program ends after a trial that had so many seconds.
pub(super) fn exit_code(verdict: &Verdict, result: &TrialResult, seconds: u64) -> ExitCode {
    let spent = Duration::from_millis(result.wall_ms) + TOO_SHORT >= Duration::from_secs(seconds);
    match (verdict.outcome, verdict.invalid) {
        (Outcome::Passed, _) => ExitCode::Passed,
        (Outcome::Failed, _) if spent => ExitCode::BudgetSpent,
        (Outcome::Failed, _) => ExitCode::Failed,
        // The task of `build` is the user's own input.
        (Outcome::Invalid, Some(InvalidReason::Task)) => ExitCode::Usage,
        (Outcome::Invalid, _) => ExitCode::Invalid,
    }
}

/// Makes the output folder; what an earlier build left in it must not be taken for this one's.
pub(super) fn start_output(output: &Path, outputs: &[&str]) -> Result<fs::File, Failure> {
    // The default folder lies in the project, and a project that nobody knows may bring it as a link to anywhere.
    if output.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Failure::usage(format!(
            "the output folder {} is a link, through which nothing is written\n  name the folder that it leads to with \
             `-o DIR`, or remove it",
            output.display()
        )));
    }
    let make = || {
        fs::create_dir_all(output)?;
        for name in outputs {
            match fs::remove_file(output.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::File::create(output.join(LOG))
    };
    make().map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => error.into(),
        // The folder is the user's choice.
        _ => Failure::usage(format!(
            "cannot write to the output folder {}: {error}\n  choose another one with `-o DIR`",
            output.display()
        )),
    })
}

/// Writes the verdicts and the journal, which are the proof.
pub(super) fn write_proof(output: &Path, folder: &Path, result: &TrialResult) -> Result<(), Failure> {
    let verdicts =
        serde_json::to_string_pretty(&result.verdicts).map_err(|error| Failure::invalid(error.to_string()))?;
    fs::write(output.join("verdict.json"), verdicts + "\n")?;
    fs::copy(folder.join("journal.jsonl"), output.join("journal.jsonl"))?;
    Ok(())
}
