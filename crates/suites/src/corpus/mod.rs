//! Corpora: pinned sets of tasks and their truths, as folders of small text files.
//!
//! | file | what |
//! |---|---|
//! | `corpus.toml` | facts about the whole: name, platform, where it was mined from |
//! | `tasks/ID.toml` | what an agent may see |
//! | `truth/ID.toml` | what only the grader sees |
//! | `corpus.lock` | the state of each task after calibration, with the digests it was reached with |
//! | `left-out.tsv` | why each package that is not here is not here |
//!
//! Facts only: nothing of a project's own text is in a corpus.

mod error;
mod facts;
mod folder;
mod lock;
mod split;

pub use error::CorpusError;
pub use facts::CorpusFacts;
pub use folder::Corpus;
pub use lock::{TaskLock, TaskState};
pub use split::{Side, Split};
