//! Which projects and mutations are held out.
//!
//! The answer for a name depends on the seed and the name only, until it is revealed: a set that grows moves no case
//! from one half to the other.

use std::collections::BTreeSet;

use seatrial_core::Digest;

use super::{Reveal, SetFacts};
use crate::corpus::Side;

/// Of each, this many of a thousand are seen: about half of the cases then have a project and a mutation that are.
const SEEN_OF_THOUSAND: u64 = 710;

/// Holds out whole projects and whole mutations.
#[derive(Debug, Clone, Default)]
pub struct Share {
    seed: u64,
    /// Names that were held out by the draw, and revealed later.
    projects: BTreeSet<String>,
    mutations: BTreeSet<String>,
}

impl Share {
    /// The split of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// The split of a set: that of its seed, but for what was revealed since.
    pub fn of(facts: &SetFacts) -> Self {
        let names = |of: fn(&Reveal) -> &Vec<String>| facts.reveals.iter().flat_map(of).cloned().collect();
        Self {
            seed: facts.seed,
            projects: names(|reveal| &reveal.projects),
            mutations: names(|reveal| &reveal.mutations),
        }
    }

    /// Whether a project may be looked at.
    pub fn project(&self, name: &str) -> Side {
        if self.projects.contains(name) {
            return Side::Seen;
        }
        self.draw("project", name)
    }

    /// Whether a mutation may be looked at.
    pub fn mutation(&self, name: &str) -> Side {
        if self.mutations.contains(name) {
            return Side::Seen;
        }
        self.draw("mutation", name)
    }

    /// Whether a case of both may be.
    pub fn case(&self, project: &str, mutation: &str) -> Side {
        self.project(project).max(self.mutation(mutation))
    }

    fn draw(&self, what: &str, name: &str) -> Side {
        if number(&format!("{} {what} {name}", self.seed)) % 1000 < SEEN_OF_THOUSAND {
            Side::Seen
        } else {
            Side::Unseen
        }
    }
}

/// A number that is the same for the same text on every machine.
pub(super) fn number(text: &str) -> u64 {
    let hex = Digest::of(text.as_bytes()).hex();
    u64::from_str_radix(hex.get(..15).unwrap_or_default(), 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_seen_when_both_its_project_and_its_mutation_are() {
        let share = Share::new(1);
        let names: Vec<String> = (0..400).map(|n| format!("name-{n}")).collect();
        let mut seen = 0;
        for (project, mutation) in names.iter().zip(names.iter().rev()) {
            let both = share.project(project) == Side::Seen && share.mutation(mutation) == Side::Seen;
            assert_eq!(share.case(project, mutation) == Side::Seen, both);
            seen += usize::from(both);
        }
        assert!((160..240).contains(&seen), "{seen} of 400");
    }
}
