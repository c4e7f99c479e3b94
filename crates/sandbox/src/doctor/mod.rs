//! What this machine can do for boxes, how that was found out, and how to get the rest.
//!
//! | module | tries |
//! |---|---|
//! | [`machine`] | programs, ids, disk |
//! | [`namespaces`] | each namespace, filters |
//! | [`boxes`] | a whole box, and each limit in one |

mod boxes;
mod machine;
mod namespaces;

use std::{fmt, path::Path};

use seatrial_store::Home;
use serde::Serialize;

use crate::images::foreign;

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub name: String,
    /// Whether it is there.
    pub ok: Ok,
    /// How that was found out.
    pub how: String,
    /// What was found.
    pub detail: String,
    /// What a person can do about it; empty when nothing is needed.
    pub remedy: String,
}

impl Finding {
    /// Something that is there.
    fn good(name: impl Into<String>, how: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ok: Ok::Yes,
            how: how.into(),
            detail: detail.into(),
            remedy: String::new(),
        }
    }

    /// The same, but something is wrong with it.
    #[must_use]
    fn but(mut self, ok: Ok, remedy: impl Into<String>) -> Self {
        self.ok = ok;
        self.remedy = remedy.into();
        self
    }
}

/// Whether something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ok {
    /// It is.
    Yes,
    /// It is not, and boxes work without it.
    Partly,
    /// It is not, and boxes do not work without it.
    No,
}

impl Finding {
    /// Whether boxes work in spite of it.
    pub fn usable(&self) -> bool {
        self.ok != Ok::No
    }
}

impl fmt::Display for Ok {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "ok",
            Self::Partly => "limited",
            Self::No => "missing",
        })
    }
}

/// What the probes look at.
struct Subject<'a> {
    home: &'a Home,
    helper: &'a Path,
}

/// A probe looks at one thing, or at a few of a kind.
type Probe = fn(&Subject<'_>) -> Vec<Finding>;

/// What boxes are made of.
const PARTS: &[Probe] = &[
    machine::ids,
    machine::id_map_programs,
    namespaces::each,
    namespaces::filters,
];

/// What is tried with boxes; left out where a part is missing, which says it all.
const BOXES: &[Probe] = &[boxes::whole, boxes::groups, boxes::limits, |subject| {
    vec![foreign::finding(subject.home, subject.helper)]
}];

/// What is needed besides.
const BESIDE: &[Probe] = &[machine::programs, machine::disk];

/// Looks at this machine, by trying where trying is possible.
pub fn doctor(home: &Home, helper: &Path) -> Vec<Finding> {
    let subject = Subject { home, helper };
    let ask = |probes: &[Probe]| -> Vec<Finding> { probes.iter().flat_map(|probe| probe(&subject)).collect() };
    let mut findings = ask(PARTS);
    if findings.iter().all(Finding::usable) {
        findings.extend(ask(BOXES));
    }
    findings.extend(ask(BESIDE));
    findings
}
