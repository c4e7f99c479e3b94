//! Makes a recipe that works smaller: fewer packages, fewer relaxations, fewer steps. What is left is what it needs.
//!
//! Every smaller recipe is run from the pinned source in a box that was rolled back, so what remains at the end is proved.

use std::time::{Duration, Instant};

use seatrial_core::{Purpose, Step};

use super::{attempt::Shop, trial::Trial};
use crate::{BuilderError, Plan, artifacts, plan::Settings, repair::Missing};

/// How much smaller a recipe became, for the explanation.
#[derive(Debug, Default)]
pub(super) struct Shrunk {
    pub(super) runs: u32,
    pub(super) packages: Vec<String>,
    pub(super) relaxations: Vec<String>,
    pub(super) steps: usize,
}

/// What is tried, and until when.
struct Work<'p> {
    plan: &'p Plan,
    until: Instant,
    shrunk: Shrunk,
}

/// Takes away what a working recipe does not need, for no longer than this.
pub(super) fn minimise(
    shop: &mut Shop<'_, '_>,
    plan: &Plan,
    best: &mut Trial,
    budget: Duration,
) -> Result<Shrunk, BuilderError> {
    shop.watcher.phase("minimise");
    let mut work = Work {
        plan,
        until: Instant::now() + budget,
        shrunk: Shrunk::default(),
    };
    // A recipe whose steps come from several roots is taken as it is: its settings do not make its steps.
    if plan.steps_with(&best.settings).len() != best.steps.len() {
        return Ok(work.shrunk);
    }
    relaxations(shop, &mut work, best)?;
    packages(shop, &mut work, best)?;
    steps(shop, &mut work, best)?;
    Ok(work.shrunk)
}

impl Work<'_> {
    /// Runs a smaller recipe and keeps it where it makes everything that the larger one made.
    fn keep(
        &mut self,
        shop: &mut Shop<'_, '_>,
        best: &mut Trial,
        (steps, settings, packages): (Vec<Step>, &Settings, &[String]),
    ) -> Result<bool, BuilderError> {
        let need = best.wall * 2 + Duration::from_secs(5);
        if self.until.saturating_duration_since(Instant::now()) < need || shop.is_late(need) {
            return Ok(false);
        }
        self.shrunk.runs += 1;
        let mut packages = packages.to_vec();
        let wanted = packages.len();
        let trial = shop.run(&steps, settings, &mut packages, &mut Missing::default())?;
        let lost = artifacts::linked(&best.artifacts)
            .difference(&artifacts::linked(&trial.artifacts))
            .count();
        let good = packages.len() == wanted
            && (trial.clean || !best.clean && trial.reached >= best.reached)
            && lost == 0
            && trial.worth >= best.worth - 1e-9;
        if good {
            *best = trial;
        }
        Ok(good)
    }
}

/// The latest relaxation first: later ones were often what an earlier one was tried in vain for.
fn relaxations(shop: &mut Shop<'_, '_>, work: &mut Work<'_>, best: &mut Trial) -> Result<(), BuilderError> {
    let changes = best.settings.changes.clone();
    for change in changes.iter().rev() {
        let settings = best.settings.without(change);
        let steps = work.plan.steps_with(&settings);
        let packages = best.packages.clone();
        if work.keep(shop, best, (steps, &settings, &packages))? {
            for relaxation in &change.relaxations {
                shop.watcher.decision(
                    &format!("no need to: {}", relaxation.what),
                    "it builds the same without",
                );
                work.shrunk.relaxations.push(relaxation.what.clone());
            }
        }
    }
    Ok(())
}

/// Delta debugging over packages: large parts first, then single ones.
fn packages(shop: &mut Shop<'_, '_>, work: &mut Work<'_>, best: &mut Trial) -> Result<(), BuilderError> {
    let mut size = best.packages.len().div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < best.packages.len() {
            let end = (start + size).min(best.packages.len());
            let (mut fewer, mut gone) = (Vec::new(), Vec::new());
            for (at, package) in best.packages.iter().enumerate() {
                let list = if (start..end).contains(&at) {
                    &mut gone
                } else {
                    &mut fewer
                };
                list.push(package.clone());
            }
            let steps = best.steps.clone();
            let settings = best.settings.clone();
            if work.keep(shop, best, (steps, &settings, &fewer))? {
                shop.watcher
                    .decision(&format!("do without {}", gone.join(" ")), "it builds the same without");
                work.shrunk.packages.extend(gone);
            } else {
                start = end;
            }
        }
        size /= 2;
    }
    Ok(())
}

/// Preparations, and an installation that brings nothing new.
fn steps(shop: &mut Shop<'_, '_>, work: &mut Work<'_>, best: &mut Trial) -> Result<(), BuilderError> {
    for at in (0..best.steps.len()).rev() {
        let Some(step) = best.steps.get(at) else { continue };
        // Installing is what a reader expects at the end, even where the same files lie in the build folder.
        if step.purpose != Purpose::Prepare {
            continue;
        }
        let why = step.why.clone();
        let mut fewer = best.steps.clone();
        fewer.remove(at);
        let (settings, packages) = (best.settings.clone(), best.packages.clone());
        if work.keep(shop, best, (fewer, &settings, &packages))? {
            shop.watcher
                .decision(&format!("leave out a step: {why}"), "it builds the same without");
            work.shrunk.steps += 1;
        }
    }
    Ok(())
}
