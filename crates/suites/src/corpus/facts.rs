//! What is known of a corpus as a whole.

use seatrial_core::SuiteName;
use serde::{Deserialize, Serialize};

use super::Split;

/// The version of the corpus format that this program writes. It reads this one and older ones.
pub(crate) const FORMAT: u32 = 1;

/// The content of `corpus.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusFacts {
    /// Version of the format.
    pub format: u32,
    /// The corpus's name.
    pub name: String,
    /// The corpus's own version, raised whenever a task or a truth changes.
    pub version: u32,
    /// One sentence for people.
    pub about: String,
    /// The suite of all its tasks.
    pub suite: SuiteName,
    /// The platform of all its tasks, such as `debian:bookworm/x86_64`.
    pub platform: String,
    /// The state of the archive that it was mined from.
    pub archive_revision: String,
    /// The seed of the draw.
    pub seed: u64,
    /// The version of this program that made it.
    pub tool: String,
    /// How it is divided, when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}
