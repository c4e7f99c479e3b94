//! What tools remember over one trial.

use std::collections::BTreeMap;

use seatrial_core::Digest;
use seatrial_sandbox::{Session, Snapshot};
use serde_json::Value;

use crate::{Answer, RepairState, archive::Manifest};

/// What tools remember over one trial: the open shell, snapshots, results, and how often the same was asked.
#[derive(Debug, Default)]
pub struct ToolState {
    /// The shell that stays.
    pub(crate) session: Option<Session>,
    /// This kind of box has no shells that stay.
    pub(crate) no_sessions: bool,
    /// Outputs of which a part was not shown; the first is `output:1`.
    pub(crate) outputs: Vec<Digest>,
    /// What the last command wrote.
    pub(crate) last_output: Option<Output>,
    /// Snapshots that were taken, by name, oldest first.
    pub(crate) snapshots: Vec<(String, Snapshot)>,
    /// Archives that were taken apart, by folder.
    pub(crate) archives: BTreeMap<String, Manifest>,
    /// What an agent said when it was done.
    pub(crate) finished: Option<Finished>,
    /// What was uploaded and rebuilt.
    pub(crate) repair: RepairState,
    cache: BTreeMap<String, (u64, Answer)>,
    cache_rule: CacheRule,
    /// Counts what may have changed files.
    age: u64,
    hits: BTreeMap<String, u64>,
    guard: GuardRule,
    /// How often each call was made since the last reset.
    seen: BTreeMap<String, u32>,
    last: Option<(String, u32)>,
    calls: u64,
}

/// What a command wrote.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// What was shown of it.
    pub(crate) text: String,
    /// All of it, where that is more.
    pub(crate) whole: Option<Digest>,
}

/// How an agent said that it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Whether it says that it succeeded.
    pub succeeded: bool,
    /// What it says.
    pub message: String,
}

/// Which results are remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheRule {
    /// None.
    Off,
    /// Those of tools that say so.
    #[default]
    Described,
    /// Those of every tool that did what it was asked for, also of tools that write: a benchmark of tools works so.
    Everything,
}

/// When the same call is not made once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardRule {
    /// Never.
    Off,
    /// When it was made so often in a row, with nothing else in between.
    InARow(u32),
    /// When it was made so often since the last reset.
    InAll(u32),
}

impl Default for GuardRule {
    fn default() -> Self {
        Self::InARow(3)
    }
}

impl ToolState {
    /// With other rules.
    pub fn with_rules(cache: CacheRule, guard: GuardRule) -> Self {
        Self {
            cache_rule: cache,
            guard,
            ..Self::default()
        }
    }

    /// Forgets all results and how often something was asked; what was hit so far stays counted.
    pub fn reset(&mut self) {
        self.cache.clear();
        self.seen.clear();
        self.last = None;
    }

    /// What was uploaded and rebuilt.
    pub fn repair(&self) -> &RepairState {
        &self.repair
    }

    /// The same, to forget results.
    pub fn repair_mut(&mut self) -> &mut RepairState {
        &mut self.repair
    }

    /// Counts what may have changed files.
    pub(crate) fn age(&self) -> u64 {
        self.age
    }

    /// How often a remembered result was given, by tool.
    pub fn cache_hits(&self) -> &BTreeMap<String, u64> {
        &self.hits
    }

    /// Calls of tools so far, those among them that were not run.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// How the agent said that it is done, when it did.
    pub fn finished(&self) -> Option<&Finished> {
        self.finished.as_ref()
    }

    /// The name under which an output that was not shown whole can be read.
    pub(crate) fn keep_output(&mut self, digest: Digest) -> String {
        let at = self
            .outputs
            .iter()
            .position(|known| *known == digest)
            .unwrap_or_else(|| {
                self.outputs.push(digest);
                self.outputs.len() - 1
            });
        format!("output:{}", at + 1)
    }

    /// An output by its name.
    pub(crate) fn output(&self, name: &str) -> Option<Digest> {
        let number: usize = name.strip_prefix("output:")?.parse().ok()?;
        self.outputs.get(number.checked_sub(1)?).copied()
    }

    /// Counts a call; how often it was made before, when that is too often.
    pub(crate) fn too_often(&mut self, key: &str) -> Option<u32> {
        self.calls += 1;
        let row = match &self.last {
            Some((last, count)) if last == key => count + 1,
            _ => 1,
        };
        self.last = Some((key.to_owned(), row));
        let all = self.seen.entry(key.to_owned()).or_insert(0);
        *all += 1;
        match self.guard {
            GuardRule::Off => None,
            GuardRule::InARow(most) => (row > most).then(|| row - 1),
            GuardRule::InAll(most) => (*all > most).then(|| *all - 1),
        }
    }

    /// A result that is still true.
    pub(crate) fn remembered(&mut self, tool: &str, key: &str) -> Option<Answer> {
        let (age, answer) = self.cache.get(key)?;
        if *age != FOREVER && *age != self.age {
            return None;
        }
        let answer = Answer {
            cached: true,
            ..answer.clone()
        };
        *self.hits.entry(tool.to_owned()).or_insert(0) += 1;
        Some(answer)
    }

    /// Remembers a result.
    pub(crate) fn remember(&mut self, caching: crate::Caching, key: String, answer: &Answer) {
        let age = match (self.cache_rule, caching) {
            (CacheRule::Off, _) | (CacheRule::Described, crate::Caching::No) => return,
            (CacheRule::Everything, _) | (CacheRule::Described, crate::Caching::UntilReset) => FOREVER,
            // A job of the shell that stays may write at any time.
            (CacheRule::Described, crate::Caching::WhileFilesStay) if self.session.is_some() => return,
            (CacheRule::Described, crate::Caching::WhileFilesStay) => self.age,
        };
        if !answer.failed {
            self.cache.insert(key, (age, answer.clone()));
        }
    }

    /// Files may be others from now on.
    pub(crate) fn files_changed(&mut self) {
        self.age += 1;
    }

    /// A call as a key: the same arguments in another order or with other blanks are the same.
    pub(crate) fn key(name: &str, arguments: &Value) -> String {
        format!("{name} {arguments}")
    }
}

/// An age that never passes.
const FOREVER: u64 = u64::MAX;
