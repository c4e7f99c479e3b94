//! Labels of cases that are there already, from the catalogue as it is now.

use std::collections::BTreeMap;

use super::{Case, Catalogue, Change, Share};

/// Every change of a catalogue, by the name of the case that it makes.
pub(super) struct Labels {
    changes: BTreeMap<String, Change>,
}

impl Labels {
    pub(super) fn new(catalogue: &Catalogue) -> Self {
        let mut changes = BTreeMap::new();
        for project in &catalogue.projects {
            for (instance, made) in project.instances() {
                for change in made.mutation {
                    changes.insert(change.case_name(&project.name, &instance.name), change);
                }
            }
        }
        Self { changes }
    }

    /// The case as its change labels it now; `None` when the catalogue has no such change any more.
    pub(super) fn renew(&self, case: &Case, log: &[u8], share: &Share) -> Option<Case> {
        let suffix = case
            .variant
            .last()
            .and_then(|variant| case.id.strip_suffix(&format!(".{variant}")));
        let change = self
            .changes
            .get(suffix.unwrap_or(&case.id))
            .or_else(|| self.changes.get(&case.id))?;
        Some(Case {
            class: change.class,
            also: change.also.clone(),
            kind: change.kind.clone(),
            subject: change.subject.clone(),
            // What a dress put before a line may hide it from a witness that begins with the line.
            lines: change.witnessed(&String::from_utf8_lossy(log)).unwrap_or(case.lines),
            remedy: change.remedy.clone(),
            split: share.case(&case.project, &case.mutation),
            ..case.clone()
        })
    }
}
