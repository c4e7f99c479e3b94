//! Which tasks whoever writes rules may look at, and which are kept out of sight.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
    str::FromStr,
};

use seatrial_core::{Digest, TaskId};
use serde::{Deserialize, Serialize};

use super::Corpus;

/// How a corpus is divided. Whole sources are on one side or the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The seed of the draw.
    pub seed: u64,
    /// How it was made, for people.
    pub about: String,
    /// The tasks that are kept out of sight; all others are seen.
    pub unseen: BTreeSet<TaskId>,
}

/// Tasks that belong together.
struct Group<'a> {
    /// Their sources and planted faults.
    marks: BTreeSet<(&'a str, &'a str)>,
    tasks: BTreeSet<TaskId>,
}

impl Group<'_> {
    fn name(&self) -> &str {
        let sources = self.marks.iter().filter(|(what, _)| *what == "source");
        sources.map(|(_, name)| *name).next().unwrap_or_default()
    }
}

/// What has a source or a planted fault in common, also by way of others, is one group.
fn groups(corpus: &Corpus) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for task in corpus.all_tasks() {
        let truth = corpus.truth(&task.id).ok().and_then(|truth| truth.body.repair());
        let fault = truth.and_then(|truth| truth.fault.as_deref());
        let mut group = Group {
            marks: BTreeSet::from([("source", task.source.name.as_str())]),
            tasks: BTreeSet::from([task.id.clone()]),
        };
        group.marks.extend(fault.map(|fault| ("fault", fault)));
        let (with, without): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|other| !other.marks.is_disjoint(&group.marks));
        groups = without;
        for other in with {
            group.marks.extend(other.marks);
            group.tasks.extend(other.tasks);
        }
        groups.push(group);
    }
    groups
}

/// A side of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Rules may be written with these in view.
    Seen,
    /// Nobody looks at these before the rules are done.
    Unseen,
}

impl Side {
    /// The name in data and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Unseen => "unseen",
        }
    }
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "seen" => Ok(Self::Seen),
            "unseen" => Ok(Self::Unseen),
            _ => Err(format!("`{text}` is no side of a split; say seen or unseen")),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seen => "seen",
            Self::Unseen => "unseen",
        })
    }
}

impl Split {
    /// Draws half of a corpus as unseen, in groups of what belongs together: tasks of one source, and tasks with the same
    /// planted fault. A group of which an older form of the corpus had some already, so that it may have been looked at,
    /// is seen.
    pub fn draw(corpus: &Corpus, seed: u64, older: &BTreeSet<TaskId>) -> Self {
        let all: Vec<&TaskId> = corpus.all_tasks().map(|task| &task.id).collect();
        let mut fresh: Vec<(Digest, Group<'_>)> = groups(corpus)
            .into_iter()
            .filter(|group| group.tasks.is_disjoint(older))
            .map(|group| (Digest::of(format!("{seed} {}", group.name()).as_bytes()), group))
            .collect();
        fresh.sort_by_key(|(place, _)| *place);
        let mut unseen = BTreeSet::new();
        for (_, group) in fresh {
            if unseen.len() + group.tasks.len() <= all.len() / 2 {
                unseen.extend(group.tasks);
            }
        }
        let mut about = format!("{} of {} tasks, drawn by source", unseen.len(), all.len());
        if !older.is_empty() {
            let _ = write!(
                about,
                "; the {} tasks of the corpus's earlier form are all on the other side, since they were looked at before",
                older.iter().filter(|id| all.contains(id)).count()
            );
        }
        Self { seed, about, unseen }
    }

    /// Makes a share of what is out of sight seen, drawn by source, and says so. Without a change when nothing is out of sight.
    pub fn reveal(&mut self, corpus: &Corpus, seed: u64, share: f64) -> Vec<TaskId> {
        let mut drawn: Vec<(Digest, TaskId)> = corpus
            .all_tasks()
            .filter(|task| self.unseen.contains(&task.id))
            .map(|task| {
                let digest = Digest::of(format!("reveal {seed} {}", task.source.name).as_bytes());
                (digest, task.id.clone())
            })
            .collect();
        drawn.sort();
        let count = (drawn.len() as f64 * share).round() as usize;
        let revealed: Vec<TaskId> = drawn.into_iter().take(count).map(|(_, id)| id).collect();
        for id in &revealed {
            self.unseen.remove(id);
        }
        if !revealed.is_empty() {
            let _ = write!(
                self.about,
                "; {} of them made seen later, with the seed {seed}: {} are left",
                revealed.len(),
                self.unseen.len()
            );
        }
        revealed
    }

    /// Whether a task is on a side.
    pub fn has(&self, side: Side, task: &TaskId) -> bool {
        self.unseen.contains(task) == (side == Side::Unseen)
    }
}
