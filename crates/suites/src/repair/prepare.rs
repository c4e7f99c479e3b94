//! Lays a package and what is known of its failure into a box.

use seatrial_core::{BOX_OUT, BOX_SOURCE, Task};
use seatrial_sandbox::{Command, Sandbox};
use seatrial_source::SourceTree;
use seatrial_store::Blobs;

use super::{goal, package};
use crate::{SuiteError, lay::lay};

/// Where the logs lie in a box, beside the package and not in it: they are no sources.
const LOGS: &str = "/build/logs";

/// Lays the package below [`BOX_SOURCE`], its archives unpacked and its patches applied, and the logs in a folder beside it.
pub(super) fn prepare(
    task: &Task,
    source: &SourceTree,
    blobs: &Blobs,
    sandbox: &mut dyn Sandbox,
) -> Result<(), SuiteError> {
    let goal = goal(task)?;
    let package = package(task, source)?;
    lay(
        &SourceTree::new(package.root().to_owned(), source.digest),
        BOX_SOURCE,
        sandbox,
    )?;
    let logs = [("failed.log", goal.failed_log), ("working.log", goal.working_log)];
    for (name, log) in logs {
        if let Some(log) = log {
            sandbox.write_file(&format!("{LOGS}/{name}"), &blobs.read(&log)?, 0o644)?;
        }
    }
    sandbox.exec(&Command::bash(format!("mkdir -p {BOX_OUT} {LOGS}")), &mut Vec::new())?;
    Ok(())
}
