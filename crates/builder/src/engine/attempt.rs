//! One plan with its rounds of run, diagnosis and repair.

use std::time::Duration;

use seatrial_core::{Purpose, Step};
use seatrial_diagnosis::diagnose;
use seatrial_packages::Resolver;
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;

use super::{
    beside,
    ground::Ground,
    is_late, runner,
    state::State,
    symbols,
    trial::{Trial, checks, complaints, examine, last_line, reached},
    watch,
};
use crate::{
    AttemptSummary, BuildRequest, BuilderError, Plan, Watcher, artifacts,
    plan::Settings,
    repair::{Bars, Missing, Situation},
    tree::Tree,
};

/// Rounds of one plan.
const ROUNDS: u32 = 18;

/// What every attempt works with.
pub(super) struct Shop<'a, 'b> {
    pub(super) request: &'a BuildRequest<'b>,
    pub(super) sandbox: &'a mut dyn Sandbox,
    pub(super) resolver: &'a dyn Resolver,
    pub(super) blobs: &'a Blobs,
    pub(super) watcher: &'a mut dyn Watcher,
    pub(super) tree: &'a Tree,
    pub(super) ground: Ground,
    pub(super) bars: &'a Bars,
    /// Whether failing calls of compilers and the like are noted.
    pub(super) watches: bool,
}

impl Shop<'_, '_> {
    /// Whether less time than this is left.
    pub(super) fn is_late(&self, need: Duration) -> bool {
        is_late(self.request.deadline, need)
    }

    /// Runs a plan's steps once, from the pinned source with these packages.
    pub(super) fn run(
        &mut self,
        steps: &[Step],
        settings: &Settings,
        packages: &mut Vec<String>,
        missing: &mut Missing,
    ) -> Result<Trial, BuilderError> {
        let resumed = self
            .ground
            .resume(steps, packages, self.sandbox)?
            .map(|(done, stage)| (done, stage.configured.clone(), stage.wall));
        if resumed.is_none() {
            self.ground
                .prepare(packages, missing, self.request, self.sandbox, self.blobs, self.watcher)?;
        }
        self.ground.soil();
        let mut trial = Trial {
            settings: settings.clone(),
            packages: packages.clone(),
            steps: steps.to_vec(),
            clean: true,
            reached: u8::MAX,
            checks: 0,
            artifacts: Vec::new(),
            worth: 0.0,
            wall: Duration::ZERO,
            phase: Purpose::Build,
            log: Vec::new(),
            limit: None,
            errors: 0,
            calls: Vec::new(),
            tolerated: Vec::new(),
            beside: Vec::new(),
            configured: Vec::new(),
            problem: None,
            stopped_by: None,
        };
        if self.watches {
            watch::lay(self.sandbox)?;
        }
        let mut done = 0;
        if let Some((steps, configured, wall)) = resumed {
            (done, trial.configured, trial.wall) = (steps, configured, wall);
        }
        for (number, step) in steps.iter().enumerate().skip(done) {
            // Configuring is what a later run with another build step need not do again.
            let configured = number > done
                && step.purpose == Purpose::Build
                && steps
                    .get(number - 1)
                    .is_some_and(|before| before.purpose == Purpose::Configure);
            if configured {
                let before = steps.get(..number).unwrap_or_default();
                self.ground.stage(before, &trial.configured, trial.wall, self.sandbox)?;
            }
            // The compilers' wrappers of a recipe are laid under them, and so call them.
            let watched = self.watches && matches!(step.purpose, Purpose::Prepare | Purpose::Build);
            let first = if watched { watch::PATH } else { "" };
            let ran = runner::run_after(first, step, self.request, self.sandbox, self.blobs, self.watcher)?;
            if watched && step.purpose == Purpose::Build {
                trial.calls = watch::calls(self.sandbox)?;
            }
            trial.wall += ran.wall;
            if ran.ok {
                match step.purpose {
                    Purpose::Build => trial.log = ran.log,
                    Purpose::Configure => trial.configured = ran.log,
                    Purpose::Dependencies | Purpose::Prepare | Purpose::Install => {}
                }
                continue;
            }
            if step.purpose == Purpose::Install || step.keep_going {
                let cause = diagnose(&ran.log).cause.map(|cause| cause.text.trim().to_owned());
                let end = ran.stopped.or(cause).unwrap_or_else(|| last_line(&ran.log));
                trial
                    .tolerated
                    .push(format!("{} in {}: {end}", step.purpose.as_str(), step.folder));
                // Installing is a bonus; the step stays in the recipe, where its failure is tolerated too.
                continue;
            }
            trial.clean = false;
            trial.reached = reached(step.purpose);
            trial.phase = step.purpose;
            trial.limit = ran.stopped;
            if step.purpose == Purpose::Configure {
                trial.checks = checks(&ran.log);
            }
            trial.errors = complaints(&ran.log);
            trial.log = ran.log;
            if step.purpose == Purpose::Build
                && let Some(step) = trial.steps.get_mut(number)
            {
                step.keep_going = true;
            }
            break;
        }
        let changes = self.sandbox.changes(&self.ground.snapshot())?;
        trial.artifacts = artifacts::artifacts(&changes);
        trial.worth = artifacts::worth(&trial.artifacts);
        Ok(trial)
    }
}

/// Tries a plan until it is clean or nothing more is known; hands back the best run that made something.
pub(super) fn attempt(shop: &mut Shop<'_, '_>, plan: &Plan) -> Result<(Option<Trial>, AttemptSummary), BuilderError> {
    let mut state = State::new(shop, plan);
    let mut best: Option<Trial> = None;
    let mut calls: Vec<watch::Call> = Vec::new();
    let mut rounds = 0;
    while rounds < ROUNDS && !shop.is_late(Duration::from_secs(3)) {
        rounds += 1;
        let steps = plan.steps_with(&state.settings);
        let mut trial = shop.run(&steps, &state.settings, &mut state.packages, &mut state.missing)?;
        let mut diagnosis = examine(&mut trial);
        if !trial.clean && trial.phase == Purpose::Configure {
            beside::add(shop, &steps, &mut diagnosis)?;
        }
        let done = trial.clean && trial.is_product();
        if !trial.calls.is_empty() {
            calls = std::mem::take(&mut trial.calls);
        }
        // From the second round on: a build that works at once is not slowed down.
        shop.watches = !done && trial.phase == Purpose::Build;
        let useless = best.as_ref().is_some_and(|best| {
            trial.is_worse_than(best)
                || !trial.is_better_than(best) && state.is_guess && trial.settings != best.settings
        });
        if useless && !done {
            // What was changed did no good: its settings are dropped. Packages stay, since dropping them could hide why.
            if let Some(best) = &best
                && state.settings != best.settings
            {
                shop.watcher
                    .decision("take the last change back", "no more was built with it");
                state.repairs.pop();
                state.settings = best.settings.clone();
                // What is still wrong is what was wrong before.
                trial = best.clone();
                diagnosis = diagnose(&trial.log);
            }
        } else {
            best = Some(trial.clone());
        }
        if done || trial.limit.is_some() {
            break;
        }
        let text = String::from_utf8_lossy(&trial.log).into_owned();
        let libraries = if trial.phase == Purpose::Build {
            symbols::libraries(shop, &text)?
        } else {
            Vec::new()
        };
        let include_folders = symbols::include_folders(shop, &diagnosis, &state.packages)?;
        let situation = Situation {
            system: plan.system,
            phase: trial.phase,
            log: &text,
            diagnosis: &diagnosis,
            settings: &trial.settings,
            tree: shop.tree,
            folder: &plan.root.folder,
            bars: shop.bars,
            libraries: &libraries,
            include_folders: &include_folders,
        };
        if !state.repair(shop, &situation, &trial) {
            break;
        }
    }
    shop.watches = false;
    let failing = calls.iter().find(|call| call.code != 0 && !call.fetches());
    let summary = AttemptSummary {
        failing_command: failing.map(watch::Call::words),
        downloads: calls
            .iter()
            .filter(|call| call.fetches())
            .map(watch::Call::words)
            .take(8)
            .collect(),
        plan: plan.title(),
        system: plan.system,
        rounds,
        clean: best.as_ref().is_some_and(|best| best.clean),
        linked: best.as_ref().map_or(0, |best| artifacts::linked(&best.artifacts).len()),
        repairs: state.repairs,
        stopped_by: best.as_ref().and_then(|best| best.stopped_by.clone()),
        problem: best.as_ref().and_then(|best| best.problem.clone()),
    };
    Ok((best, summary))
}
