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
    /// Draws half of a corpus as unseen. What an older form of the corpus had already, and so may have been looked at, is
    /// seen.
    pub fn draw(corpus: &Corpus, seed: u64, older: &BTreeSet<TaskId>) -> Self {
        let all: Vec<&TaskId> = corpus.all_tasks().map(|task| &task.id).collect();
        let mut fresh: Vec<(Digest, &TaskId)> = corpus
            .all_tasks()
            .filter(|task| !older.contains(&task.id))
            .map(|task| (Digest::of(format!("{seed} {}", task.source.name).as_bytes()), &task.id))
            .collect();
        fresh.sort();
        let unseen: BTreeSet<TaskId> = fresh
            .into_iter()
            .take(all.len() / 2)
            .map(|(_, id)| id.clone())
            .collect();
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
