//! Edits in the making.

use std::collections::{BTreeMap, BTreeSet};

use seatrial_core::Digest;
use seatrial_packaging::file_diff;

use crate::{
    Edit, Mark, Repair,
    case::{Case, encode},
};

/// Files as a repair would leave them.
pub(crate) struct Draft<'c, 'a> {
    pub(crate) case: &'c Case<'a>,
    files: BTreeMap<String, String>,
    marks: BTreeSet<Mark>,
}

impl<'c, 'a> Draft<'c, 'a> {
    pub(crate) fn new(case: &'c Case<'a>) -> Self {
        Self {
            case,
            files: BTreeMap::new(),
            marks: BTreeSet::new(),
        }
    }

    /// A file as it would be now.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        match self.files.get(path) {
            Some(text) => Some(text.clone()),
            None => self.case.text(path).map(|text| text.to_string()),
        }
    }

    /// Gives a file another text, or makes it.
    pub(crate) fn put(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), text);
    }

    /// Edits a file; says whether that changed it.
    pub(crate) fn edit(&mut self, path: &str, edit: impl FnOnce(&str) -> Option<String>) -> bool {
        let Some(old) = self.text(path) else { return false };
        match edit(&old) {
            Some(new) if new != old => {
                self.put(path, new);
                true
            }
            _ => false,
        }
    }

    pub(crate) fn mark(&mut self, mark: Mark) {
        self.marks.insert(mark);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The repair; none when nothing would change, or a change cannot be written down.
    pub(crate) fn finish(
        self,
        name: &str,
        confidence: u8,
        title: impl Into<String>,
        why: impl Into<String>,
    ) -> Option<Repair> {
        let mut edits = Vec::new();
        for (path, text) in &self.files {
            let old = self.case.bytes(path);
            let (before, runs) = match &old {
                Some((bytes, runs)) => (bytes.as_slice(), *runs),
                None => (&[][..], false),
            };
            let new = encode(text, before)?;
            let side = old.as_ref().map(|(bytes, runs)| (bytes.as_slice(), *runs));
            let diff = file_diff(path, side, Some((new.as_slice(), runs))).ok()?;
            if !diff.is_empty() {
                edits.push(Edit {
                    path: path.clone(),
                    diff,
                    after: Digest::of(&new),
                });
            }
        }
        (!edits.is_empty()).then(|| Repair {
            name: name.to_owned(),
            title: title.into(),
            why: why.into(),
            edits,
            marks: self.marks.into_iter().collect(),
            confidence,
        })
    }
}

/// A text as lines with their ends.
pub(crate) fn split(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}
