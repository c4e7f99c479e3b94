//! Errors of running: the harness's own. An agent's failure or a broken mirror is a verdict.

use std::path::PathBuf;

use seatrial_core::RunId;

/// A trial or a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The user stopped it; everything done so far is in the journals.
    #[error("interrupted")]
    Interrupted,
    /// The same run is being executed by another process.
    #[error("the run {0} is being executed by another process; wait for it or stop it")]
    Busy(RunId),
    /// There is no such run.
    #[error("there is no run {0} (looked in {1})")]
    NoRun(String, PathBuf),
    /// A run's lock file cannot be read.
    #[error("{path}: {problem}")]
    Lock {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The disk has no room for one more trial. Those that ran are finished.
    #[error(
        "the disk of {folder} has no room for one more trial: {available_mib} MiB may be written, {needed_mib} MiB are needed; \
         `seatrial cache gc` frees what is not needed; then the same command goes on where it stopped"
    )]
    NoRoom {
        /// The data folder.
        folder: PathBuf,
        /// What is needed.
        needed_mib: u64,
        /// What may be written.
        available_mib: u64,
    },
    /// The journal could not be written.
    #[error(transparent)]
    Sink(#[from] seatrial_core::SinkError),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] seatrial_store::StoreError),
    /// A network door could not be opened.
    #[error(transparent)]
    Egress(#[from] seatrial_egress::EgressError),
    /// The corpus could not be read.
    #[error(transparent)]
    Corpus(#[from] seatrial_suites::CorpusError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
