//! Letting go of a part of what is held out, so that rules can be written from it, with a record of what was let go.
//!
//! Only names are drawn from: nothing here reads a log or a label of a case that stays held out.

use std::{collections::BTreeSet, path::Path};

use seatrial_core::Digest;
use serde::{Deserialize, Serialize};

use super::{CaseSet, MutationError, Share};
use crate::corpus::Side;

/// A part of the held-out names that became seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reveal {
    /// The day on which it was drawn, as `2026-01-31`.
    pub drawn: String,
    /// Seed of the draw.
    pub seed: u64,
    /// How much of the projects and of the mutations that were held out until then, in percent.
    pub percent: u32,
    /// The projects that became seen.
    pub projects: Vec<String>,
    /// The mutations that became seen.
    pub mutations: Vec<String>,
}

impl Reveal {
    /// Draws from what is held out, projects and mutations each by themselves. A share that is not nothing takes at
    /// least one of each.
    pub fn draw(set: &CaseSet, seed: u64, percent: u32, drawn: impl Into<String>) -> Self {
        let facts = set.facts();
        Self {
            drawn: drawn.into(),
            seed,
            percent,
            projects: some_of(&facts.unseen_projects, "project", seed, percent),
            mutations: some_of(&facts.unseen_mutations, "mutation", seed, percent),
        }
    }

    /// Whether nothing was held out any more.
    pub fn is_empty(&self) -> bool {
        self.projects.is_empty() && self.mutations.is_empty()
    }
}

fn some_of(names: &[String], what: &str, seed: u64, percent: u32) -> Vec<String> {
    let mut order: Vec<(Digest, &String)> = names
        .iter()
        .map(|name| (Digest::of(format!("reveal {seed} {what} {name}").as_bytes()), name))
        .collect();
    order.sort();
    let count = (names.len() * percent.min(100) as usize).div_ceil(100);
    let chosen: BTreeSet<&String> = order.into_iter().take(count).map(|(_, name)| name).collect();
    chosen.into_iter().cloned().collect()
}

/// Makes what was drawn seen, writes the set, and gives it as it is then.
pub fn reveal(folder: &Path, reveal: Reveal) -> Result<CaseSet, MutationError> {
    let set = CaseSet::load(folder)?;
    let mut facts = set.facts().clone();
    facts.unseen_projects.retain(|name| !reveal.projects.contains(name));
    facts.unseen_mutations.retain(|name| !reveal.mutations.contains(name));
    facts.reveals.push(reveal);
    let share = Share::of(&facts);
    let mut cases = set.cases().to_vec();
    for case in &mut cases {
        let side = share.case(&case.project, &case.mutation);
        // A case of a set whose split was not drawn from its seed never goes out of sight again.
        case.split = case.split.min(side);
    }
    CaseSet::write_labels(folder, &facts, &cases)?;
    CaseSet::load(folder)
}

/// How many cases of a set are on each side: seen, unseen.
pub fn sides(set: &CaseSet) -> (usize, usize) {
    let unseen = set.cases().iter().filter(|case| case.split == Side::Unseen).count();
    (set.cases().len() - unseen, unseen)
}
