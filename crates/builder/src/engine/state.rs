//! What one attempt has changed so far, and what it changes next.

use std::collections::BTreeSet;

use seatrial_core::Purpose;
use seatrial_packages::Key;

use super::{
    attempt::Shop,
    needs::{last_checks, missing_keys, packages_for, wishes},
    trial::Trial,
};
use crate::{
    Plan,
    declared::{Declared, Hint, declared},
    plan::Settings,
    repair::{Missing, Rank, Repair, Situation, repairs},
};

/// What an attempt has changed so far.
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) packages: Vec<String>,
    pub(super) missing: Missing,
    declared: Declared,
    tried: BTreeSet<String>,
    /// Settings that were tried with the packages as they are now.
    seen: Vec<Settings>,
    pub(super) repairs: Vec<String>,
    /// Whether the last change was a guess, which is kept only where it helps.
    pub(super) is_guess: bool,
}

impl State {
    /// Starts with what the project declares to be needed.
    pub(super) fn new(shop: &mut Shop<'_, '_>, plan: &Plan) -> Self {
        let declared = declared(shop.tree, plan);
        let missing = Missing::default();
        let mut packages = packages_for(&declared.required, &missing, shop.resolver);
        packages.extend(declared.packages.iter().cloned());
        if !packages.is_empty() {
            let names: Vec<String> = declared.required.iter().map(ToString::to_string).collect();
            shop.watcher.decision(
                &format!("install {}", packages.join(" ")),
                &format!("the project declares that it needs {}", names.join(", ")),
            );
        }
        Self {
            settings: plan.settings.clone(),
            packages,
            missing,
            declared,
            tried: BTreeSet::new(),
            seen: Vec::new(),
            repairs: Vec::new(),
            is_guess: false,
        }
    }

    /// Changes something that the log calls for. False when nothing is left to try.
    pub(super) fn repair(&mut self, shop: &mut Shop<'_, '_>, situation: &Situation<'_>, trial: &Trial) -> bool {
        let (diagnosis, text) = (situation.diagnosis, situation.log);
        let mut found = repairs(situation);
        found.retain(|repair| !self.tried.contains(&repair.id) && !self.seen.contains(&repair.settings.effect()));
        if let Some(at) = found.iter().position(|repair| repair.rank == Rank::First) {
            self.apply(shop, found.swap_remove(at));
            return true;
        }
        let mut changed = self.install(shop, &missing_keys(diagnosis, shop.tree));
        while let Some(at) = found.iter().position(|repair| repair.rank == Rank::Beside) {
            let repair = found.swap_remove(at);
            self.apply_beside(shop, &repair, situation);
            changed = true;
        }
        if changed {
            return true;
        }
        if trial.phase == Purpose::Configure && self.install(shop, &last_checks(text)) {
            return true;
        }
        found.sort_by_key(|repair| repair.rank);
        if let Some(at) = found.iter().position(|repair| repair.rank == Rank::After) {
            self.apply(shop, found.remove(at));
            return true;
        }
        if trial.phase == Purpose::Configure && self.tried.insert("optional packages".to_owned()) {
            let keys: Vec<Vec<Key>> = wishes(&self.declared).into_iter().map(|key| vec![key]).collect();
            if self.install(shop, &keys) {
                return true;
            }
        }
        if trial.worth < 0.25 && self.tried.insert("mentioned packages".to_owned()) && self.install_mentioned(shop) {
            return true;
        }
        // A guess is only worth a run where nothing at all was made.
        if trial.worth < 0.25
            && let Some(at) = found.iter().position(|repair| repair.rank == Rank::Guess)
        {
            self.apply(shop, found.remove(at));
            return true;
        }
        false
    }

    /// Installs what the repository mentions somewhere: the last resort where an error names nothing.
    fn install_mentioned(&mut self, shop: &mut Shop<'_, '_>) -> bool {
        let mut new = Vec::new();
        for hint in &self.declared.hints {
            let package = match hint {
                Hint::Package(name) => Some(name.clone()),
                Hint::Name(key) => self.missing.best(key, shop.resolver),
            };
            if let Some(package) = package.filter(|name| !self.packages.contains(name) && !new.contains(name)) {
                new.push(package);
            }
        }
        if new.is_empty() {
            return false;
        }
        let what = format!("install {}", new.join(" "));
        shop.watcher.decision(
            &what,
            "the repository mentions them, and no error names what is missing",
        );
        self.repairs.push(what);
        self.is_guess = false;
        self.packages.extend(new);
        true
    }

    fn apply(&mut self, shop: &mut Shop<'_, '_>, repair: Repair) {
        shop.watcher.decision(&repair.what, &repair.why);
        self.is_guess = matches!(repair.rank, Rank::After | Rank::Guess);
        self.tried.insert(repair.id);
        self.repairs.push(repair.what);
        self.settings = repair.settings;
        self.seen.push(self.settings.effect());
        if let Some(compiler) = self.settings.compiler
            && let Some(package) = self.missing.best(&Key::Command(compiler.to_owned()), shop.resolver)
            && !self.packages.contains(&package)
        {
            self.packages.push(package);
        }
    }

    /// Applies a repair on top of what was changed in the same round.
    fn apply_beside(&mut self, shop: &mut Shop<'_, '_>, repair: &Repair, situation: &Situation<'_>) {
        let now = Situation {
            settings: &self.settings,
            ..*situation
        };
        let again = repairs(&now).into_iter().find(|other| other.id == repair.id);
        self.tried.insert(repair.id.clone());
        if let Some(again) = again {
            self.apply(shop, again);
        }
    }

    /// Takes the next candidate for each missing name. False when there is none.
    fn install(&mut self, shop: &mut Shop<'_, '_>, wanted: &[Vec<Key>]) -> bool {
        let mut new = Vec::new();
        let mut reasons = Vec::new();
        for keys in wanted {
            // A package whose name is still missing was the wrong one for it.
            let wrong = self.missing.wrong(keys);
            self.packages.retain(|package| !wrong.contains(package));
            // One answer in this round may cure several names.
            if let Some((package, reason)) = self.missing.next(keys, shop.resolver, &self.packages)
                && !new.contains(&package)
            {
                new.push(package);
                reasons.push(reason);
            }
        }
        if new.is_empty() {
            return false;
        }
        let what = format!("install {}", new.join(" "));
        self.is_guess = false;
        shop.watcher.decision(&what, &reasons.join("; "));
        self.repairs.push(what);
        self.packages.extend(new);
        self.seen.clear();
        true
    }
}
