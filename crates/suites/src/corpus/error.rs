//! Errors of corpora.

use std::path::PathBuf;

/// A corpus could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// There is no corpus in the folder.
    #[error("{0} is not a corpus: it has no `corpus.toml`; name the folder that holds it, such as `corpora/NAME`")]
    NoCorpus(PathBuf),
    /// A file says something that cannot be understood.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line and the key where the parser knows them.
        problem: String,
    },
    /// Nothing with this name.
    #[error("the corpus {corpus} has no task `{task}`; `seatrial corpus list` shows what there is")]
    NoTask {
        /// The corpus.
        corpus: String,
        /// The task.
        task: String,
    },
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
