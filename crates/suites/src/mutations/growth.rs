//! A set while it is mined: written again whenever an instance of a project is done, so that a miner that is killed
//! loses one instance and not the night.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    path::{Path, PathBuf},
};

use seatrial_core::Digest;

use super::{Case, CaseSet, Dropped, MutationError, Reveal, SetFacts, Share, labels::Labels};
use crate::corpus::Side;

/// Cases with their logs, by name.
pub(super) struct Growth {
    folder: PathBuf,
    seed: u64,
    reveals: Vec<Reveal>,
    share: Share,
    cases: BTreeMap<String, (Case, Vec<u8>)>,
    dropped: Vec<Dropped>,
    dropped_before: u64,
}

impl Growth {
    /// Begins with what the folder holds: cases are labelled anew, and those of changes that are gone go.
    pub(super) fn begin(folder: &Path, seed: u64, labels: &Labels) -> Result<Self, MutationError> {
        let old = if folder.join("corpus.toml").is_file() {
            Some(CaseSet::load(folder)?)
        } else {
            None
        };
        let mut facts = old
            .as_ref()
            .map_or_else(|| SetFacts::new("mutations", seed), |old| old.facts().clone());
        facts.seed = seed;
        let share = Share::of(&facts);
        let mut cases = BTreeMap::new();
        if let Some(old) = &old {
            for case in old.cases() {
                let log = old.log(case)?;
                if let Some(case) = labels.renew(case, &log, &share) {
                    cases.insert(case.id.clone(), (case, log));
                }
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            seed,
            reveals: facts.reveals,
            share,
            cases,
            dropped: Vec::new(),
            dropped_before: facts.dropped,
        })
    }

    /// Which names are held out.
    pub(super) fn share(&self) -> Share {
        self.share.clone()
    }

    /// Forgets the cases that a test says no to.
    pub(super) fn keep(&mut self, test: impl Fn(&Case) -> bool) {
        self.cases.retain(|_, (case, _)| test(case));
    }

    /// Forgets what was dropped when the set was made before.
    pub(super) fn count_anew(&mut self) {
        self.dropped_before = 0;
    }

    /// Takes in what an instance gave, in place of what it gave before, and writes the set.
    pub(super) fn take(
        &mut self,
        (project, instance): (&str, &str),
        made: Vec<(Case, Vec<u8>)>,
        mut dropped: Vec<Dropped>,
    ) -> Result<(), MutationError> {
        self.keep(|case| (&*case.project, &*case.instance) != (project, instance));
        for (case, log) in made {
            self.cases.insert(case.id.clone(), (case, log));
        }
        self.dropped.append(&mut dropped);
        self.write().map(|_| ())
    }

    /// Writes the set; tells which cases are not in it since another one has the same log.
    fn write(&self) -> Result<Vec<Dropped>, MutationError> {
        let (cases, twins) = self.without_twins();
        let mut facts = SetFacts::new("mutations", self.seed);
        facts.reveals.clone_from(&self.reveals);
        facts.dropped = self.dropped_before + (self.dropped.len() + twins.len()) as u64;
        let held = |name: fn(&Case) -> &String, side: &dyn Fn(&str) -> Side| {
            let names: BTreeSet<&String> = cases.iter().map(|(case, _)| name(case)).collect();
            let held = names.into_iter().filter(|name| side(name) == Side::Unseen);
            held.cloned().collect()
        };
        facts.unseen_projects = held(|case| &case.project, &|name| self.share.project(name));
        facts.unseen_mutations = held(|case| &case.mutation, &|name| self.share.mutation(name));
        CaseSet::write(&self.folder, &facts, &cases)?;
        Ok(twins)
    }

    /// Writes the set for the last time.
    pub(super) fn finish(mut self) -> Result<(CaseSet, Vec<Dropped>), MutationError> {
        let mut twins = self.write()?;
        self.dropped.append(&mut twins);
        Ok((CaseSet::load(&self.folder)?, self.dropped))
    }

    /// Of several cases with the very same log one stays: a seen one, so that nothing of the unseen half is known already.
    fn without_twins(&self) -> (Vec<(&Case, &[u8])>, Vec<Dropped>) {
        let mut order: Vec<&(Case, Vec<u8>)> = self.cases.values().collect();
        order.sort_by(|(a, _), (b, _)| (a.split, &a.id).cmp(&(b.split, &b.id)));
        let mut first: BTreeMap<Digest, &str> = BTreeMap::new();
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for (case, log) in order {
            match first.entry(Digest::of(log)) {
                Entry::Vacant(entry) => {
                    entry.insert(&case.id);
                    kept.push((case, &**log));
                }
                Entry::Occupied(entry) => dropped.push(Dropped {
                    what: case.id.clone(),
                    why: format!("its log is that of {}", entry.get()),
                    tail: String::new(),
                }),
            }
        }
        kept.sort_by(|a, b| a.0.id.cmp(&b.0.id));
        (kept, dropped)
    }
}
