//! The box's state before a plan runs: the pinned source, and the packages that the plan needs. Nothing else.

use std::time::Duration;

use seatrial_core::{Purpose, Step};
use seatrial_sandbox::{Sandbox, Snapshot};
use seatrial_store::Blobs;

use super::runner;
use crate::{BuildRequest, BuilderError, Watcher, pattern::Pattern, plan::step, repair::Missing};

static NETWORK: Pattern = Pattern::new(
    r"Temporary failure resolving|Could not resolve|Could not connect|Connection (?:timed out|refused|failed)|Network is unreachable|Cannot initiate the connection",
);

/// The box after the first steps of a plan, which the next run need not repeat while they stay as they are.
pub(super) struct Stage {
    steps: Vec<Step>,
    snapshot: Snapshot,
    /// What the configure step said.
    pub(super) configured: Vec<u8>,
    /// How long the steps took.
    pub(super) wall: Duration,
}

/// The frozen states that plans start from.
pub(super) struct Ground {
    /// Stages on top of the latest state, the shortest first.
    stages: Vec<Stage>,
    pristine: Snapshot,
    /// The packages of the latest state on top of the pristine one.
    packages: Vec<String>,
    latest: Snapshot,
    /// Whether the box was changed since.
    dirty: bool,
}

impl Ground {
    /// Freezes the box as the caller prepared it.
    pub(super) fn new(sandbox: &mut dyn Sandbox) -> Result<Self, BuilderError> {
        let pristine = sandbox.snapshot()?;
        Ok(Self {
            stages: Vec::new(),
            pristine,
            packages: Vec::new(),
            latest: pristine,
            dirty: false,
        })
    }

    /// The state that changes are counted from.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.latest
    }

    /// Someone runs commands in the box from here on.
    pub(super) fn soil(&mut self) {
        self.dirty = true;
    }

    /// Freezes the box after the first steps of a plan.
    pub(super) fn stage(
        &mut self,
        steps: &[Step],
        configured: &[u8],
        wall: Duration,
        sandbox: &mut dyn Sandbox,
    ) -> Result<(), BuilderError> {
        let snapshot = sandbox.snapshot()?;
        self.stages.push(Stage {
            steps: steps.to_vec(),
            snapshot,
            configured: configured.to_vec(),
            wall,
        });
        Ok(())
    }

    /// Goes back to the latest stage that begins these steps, with exactly these packages; says how many steps it has.
    pub(super) fn resume(
        &mut self,
        steps: &[Step],
        packages: &[String],
        sandbox: &mut dyn Sandbox,
    ) -> Result<Option<(usize, &Stage)>, BuilderError> {
        let same = self.packages.len() == packages.len() && packages.iter().all(|name| self.packages.contains(name));
        let at = self.stages.iter().rposition(|stage| steps.starts_with(&stage.steps));
        let Some(at) = at.filter(|_| same) else {
            return Ok(None);
        };
        self.stages.truncate(at + 1);
        let Some(stage) = self.stages.last() else {
            return Ok(None);
        };
        sandbox.rollback(&stage.snapshot)?;
        self.dirty = true;
        Ok(Some((stage.steps.len(), stage)))
    }

    /// Brings the box to the pinned source with exactly these packages. Those that cannot be installed leave the list.
    pub(super) fn prepare(
        &mut self,
        wanted: &mut Vec<String>,
        missing: &mut Missing,
        request: &BuildRequest<'_>,
        sandbox: &mut dyn Sandbox,
        blobs: &Blobs,
        watcher: &mut dyn Watcher,
    ) -> Result<(), BuilderError> {
        self.stages.clear();
        if !self.packages.iter().all(|package| wanted.contains(package)) {
            sandbox.rollback(&self.pristine)?;
            self.latest = self.pristine;
            self.packages.clear();
        } else if self.dirty {
            sandbox.rollback(&self.latest)?;
        }
        self.dirty = false;
        let new: Vec<String> = wanted
            .iter()
            .filter(|package| !self.packages.contains(package))
            .cloned()
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let ran = runner::run(&dependencies(&new), request, sandbox, blobs, watcher)?;
        if ran.ok {
            self.packages.extend(new);
        } else {
            if NETWORK.is_match(&ran.text()) {
                return Err(BuilderError::Mirror(last_error(&ran.text())));
            }
            // One bad name fails the whole line: each on its own, to know which.
            for package in new {
                let one = std::slice::from_ref(&package);
                let ok = ran.stopped.is_none() && runner::run(&dependencies(one), request, sandbox, blobs, watcher)?.ok;
                if ok {
                    self.packages.push(package);
                } else {
                    watcher.decision(
                        &format!("do without the package {package}"),
                        "it cannot be installed in this box",
                    );
                    missing.refuse(&package);
                    wanted.retain(|known| *known != package);
                }
            }
        }
        self.latest = sandbox.snapshot()?;
        Ok(())
    }
}

fn last_error(log: &str) -> String {
    log.lines()
        .rfind(|line| line.starts_with("E:") || line.starts_with("Err:"))
        .unwrap_or("the mirror does not answer")
        .to_owned()
}

/// The step that installs packages. Indexes that have grown old are renewed once.
pub(super) fn dependencies(packages: &[String]) -> Step {
    let names = packages.join(" ");
    let install = format!("apt-get install -y --no-install-recommends {names}");
    step(
        Purpose::Dependencies,
        "packages of the distribution that the build asks for",
        "$OUT",
        // Images leave manual pages out; packages that lay a link to one, as Java's do, fail where the folder is missing.
        format!("mkdir -p /usr/share/man/man1\n{install} || {{ apt-get update && {install}; }}"),
    )
}
