//! Corpora: pinned sets of tasks and their truths, as folders of small text files.
//!
//! | file | what |
//! |---|---|
//! | `corpus.toml` | facts about the whole: name, platform, where it was mined from |
//! | `tasks/ID.toml` | what an agent may see |
//! | `truth/ID.toml` | what only the grader sees |
//! | `corpus.lock` | the state of each task after calibration, with the digests it was reached with |
//! | `blobs/` | what tasks name by its digest: logs, patches, sources that nobody else keeps |
//! | `left-out.tsv` | why each package that is not here is not here |
//!
//! Facts, and what cannot be had from elsewhere: of a project's own text, nothing that its distribution still has.

mod error;
mod facts;
mod folder;
mod keep;
mod lock;
mod split;

pub use error::CorpusError;
pub use facts::CorpusFacts;
pub use folder::Corpus;
pub(crate) use keep::{keep, shorten};
pub use lock::{TaskLock, TaskState};
pub use split::{Side, Split};
