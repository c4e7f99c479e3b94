//! Lays a package and what is known of its failure into a box.

use std::io::Read;

use seatrial_core::{BOX_OUT, BOX_SOURCE, Digest, Task};
use seatrial_packaging::Package;
use seatrial_sandbox::{Command, Sandbox};
use seatrial_source::SourceTree;
use seatrial_store::Blobs;

use super::{goal, package};
use crate::{SuiteError, lay::lay};

/// Where the logs lie in a box, beside the package and not in it: they are no sources.
const LOGS: &str = "/build/logs";

pub(super) fn prepare(
    task: &Task,
    source: &SourceTree,
    blobs: &Blobs,
    sandbox: &mut dyn Sandbox,
) -> Result<(), SuiteError> {
    let goal = goal(task)?;
    let mut logs = [goal.failed_log, goal.working_log]
        .map(|log| log.map(|log| blobs.open(&log)).transpose())
        .into_iter();
    let (failed, working) = (logs.next().transpose()?.flatten(), logs.next().transpose()?.flatten());
    lay_package(&package(task, source)?, failed, working, sandbox)
}

/// Lays a package below [`BOX_SOURCE`], its archives unpacked and its patches applied, and the logs of a build that failed
/// and of one that worked in a folder beside it.
pub fn lay_package<R: Read>(
    package: &Package,
    failed: Option<R>,
    working: Option<R>,
    sandbox: &mut dyn Sandbox,
) -> Result<(), SuiteError> {
    let tree = SourceTree::new(package.root().to_owned(), Digest::of(b""));
    lay(&tree, BOX_SOURCE, sandbox)?;
    sandbox.exec(&Command::bash(format!("mkdir -p {BOX_OUT} {LOGS}")), &mut Vec::new())?;
    for (name, log) in [("failed.log", failed), ("working.log", working)] {
        if let Some(mut log) = log {
            let mut text = Vec::new();
            log.read_to_end(&mut text)?;
            sandbox.write_file(&format!("{LOGS}/{name}"), &text, 0o644)?;
        }
    }
    Ok(())
}
