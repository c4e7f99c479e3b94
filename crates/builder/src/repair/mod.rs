//! From a failed step to what to change: missing names to packages, and rules for breaks that everybody meets.

mod ancient;
mod derived;
mod language_rules;
mod missing;
mod narrow;
mod options;
mod remedies;
mod rules;
mod setup_rules;

pub(crate) use missing::{Missing, in_tree, keys, other_keys, problems};
use narrow::Asked;
pub(crate) use options::switched_on;
pub(crate) use rules::names;
use seatrial_core::{Purpose, RelaxationClass};
use seatrial_diagnosis::Diagnosis;

use crate::{BuildSystem, plan::Settings, tree::Tree};

/// What is known when a step has failed.
pub(crate) struct Situation<'a> {
    pub(crate) system: BuildSystem,
    pub(crate) phase: Purpose,
    pub(crate) log: &'a str,
    pub(crate) diagnosis: &'a Diagnosis,
    pub(crate) settings: &'a Settings,
    pub(crate) tree: &'a Tree,
    pub(crate) folder: &'a str,
    /// What may not be done.
    pub(crate) bars: &'a Bars,
    /// Flags of installed libraries that have the symbols that a link misses.
    pub(crate) libraries: &'a [String],
    /// Folders of the box that have headers which the compiler does not find.
    pub(crate) include_folders: &'a [String],
}

/// What may not be done, whatever the log calls for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bars {
    /// Classes of relaxations.
    pub(crate) classes: Vec<RelaxationClass>,
    /// Rules, by name.
    pub(crate) rules: Vec<String>,
}

impl Bars {
    /// Whether a rule of this class may be used.
    pub(crate) fn allow(&self, class: RelaxationClass, rule: &str) -> bool {
        !self.classes.contains(&class) && !self.rules.iter().any(|barred| barred == rule)
    }
}

/// A change of the settings, with its reason.
pub(crate) struct Repair {
    /// Names it, so that it is not tried twice.
    pub(crate) id: String,
    /// The rule that it comes from.
    pub(crate) rule: String,
    /// What sort of relaxation it is.
    pub(crate) class: RelaxationClass,
    /// What is done, for the journal.
    pub(crate) what: String,
    /// Why.
    pub(crate) why: String,
    /// When it is tried.
    pub(crate) rank: Rank,
    /// The settings with it.
    pub(crate) settings: Settings,
    /// What asks for it, where lines of the log do.
    pub(crate) asked: Option<Asked>,
}

/// When a repair is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Before any package is looked up: the missing names are consequences.
    First,
    /// Beside packages: it cannot do harm.
    Beside,
    /// When no missing name can be resolved.
    After,
    /// When nothing else is known: a guess.
    Guess,
}

/// Every repair that the situation calls for, best first. Those that change nothing are left out.
pub(crate) fn repairs(situation: &Situation<'_>) -> Vec<Repair> {
    let mut found = rules::apply(situation);
    found.retain(|repair| repair.settings != *situation.settings && situation.bars.allow(repair.class, &repair.rule));
    let mut found = narrow::before_wide(situation, found);
    found.sort_by_key(|repair| repair.rank);
    // Two ways to the same change are one.
    let mut effects: Vec<Settings> = Vec::new();
    found.retain(|repair| {
        let effect = repair.settings.effect();
        let is_new = !effects.contains(&effect);
        effects.push(effect);
        is_new
    });
    found
}
