//! What goes into a build and what comes out of it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use seatrial_core::{CommandRecord, Platform, Recipe, RelaxationClass};
use seatrial_diagnosis::Problem;

use crate::{Artifact, BuildSystem};

/// What is to be built, and within which bounds.
#[derive(Debug, Clone)]
pub struct BuildRequest<'a> {
    /// The pinned source on this machine, to be read only. The same tree lies in the box at `BOX_SOURCE`.
    pub tree: &'a Path,
    /// What is built, for the head of the recipe.
    pub title: String,
    /// The platform of the box.
    pub platform: Platform,
    /// Packages that the box's image was made with on purpose.
    pub base_packages: Vec<String>,
    /// Limit of any one command.
    pub command_timeout: Option<Duration>,
    /// When the best result so far must be handed back.
    pub deadline: Option<Instant>,
    /// What may be done, and how far the result is worked over.
    pub policy: Policy,
}

/// What a build may do, and how far its result is worked over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// Classes of relaxations that are not used.
    pub forbid: Vec<RelaxationClass>,
    /// Rules that are not used, by name: what a build does without one of them shows what that one is for.
    pub without: Vec<String>,
    /// How long a recipe that works is tried to be made smaller; not at all without it.
    pub minimise: Option<Duration>,
}

impl Policy {
    /// Names in `without` that no rule has.
    pub fn unknown(&self) -> Vec<&str> {
        let known = Self::rules();
        self.without
            .iter()
            .map(String::as_str)
            .filter(|name| !known.contains(name))
            .collect()
    }

    /// The names of all rules that `without` may have, sorted.
    pub fn rules() -> Vec<&'static str> {
        crate::repair::names()
    }
}

/// Is told what the builder does while it does it.
pub trait Watcher {
    /// A phase of the work began.
    fn phase(&mut self, name: &str);
    /// A plan was chosen, tried or dropped, or something was repaired.
    fn decision(&mut self, what: &str, why: &str);
    /// A command ended.
    fn command(&mut self, record: CommandRecord);
    /// A running command wrote something.
    fn output(&mut self, bytes: &[u8]);
}

/// What a build came to.
#[derive(Debug, Clone)]
pub struct BuildReport {
    /// How to do it again in a fresh box; absent when nothing was built.
    pub recipe: Option<Recipe>,
    /// What the recipe made.
    pub artifacts: Vec<Artifact>,
    /// For a person: on success what was done, on failure what was tried, why it failed and what to do next.
    pub explanation: String,
    /// The problem that stopped the best attempt, when one was recognised.
    pub problem: Option<Problem>,
    /// The plans that were tried, in order.
    pub attempts: Vec<AttemptSummary>,
}

/// How one plan went.
#[derive(Debug, Clone)]
pub struct AttemptSummary {
    /// The plan, such as `CMake in src`.
    pub plan: String,
    /// Its build system.
    pub system: BuildSystem,
    /// Rounds of run and repair.
    pub rounds: u32,
    /// Whether every step exited with 0.
    pub clean: bool,
    /// Programs and shared libraries made, by distinct name.
    pub linked: usize,
    /// What was repaired on the way, in order.
    pub repairs: Vec<String>,
    /// What stopped it, when it was not clean.
    pub stopped_by: Option<String>,
    /// The same as a typed problem, when one was recognised.
    pub problem: Option<Problem>,
    /// The first call of a compiler or the like that failed in the build, when it was noted.
    pub failing_command: Option<String>,
    /// What the build tried to fetch, when it was noted.
    pub downloads: Vec<String>,
}
