//! What can go wrong with the set, its catalogue and its miner.

use std::path::PathBuf;

/// The set could not be read, written or mined.
#[derive(Debug, thiserror::Error)]
pub enum MutationError {
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A box broke.
    #[error(transparent)]
    Sandbox(#[from] seatrial_sandbox::SandboxError),
    /// A source package could not be fetched.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// The folder holds no such set.
    #[error(
        "{0} holds no set of failing logs: it has no corpus.toml of the suite `diagnosis`; name the folder of one, such as corpora/mutations"
    )]
    NoSet(PathBuf),
    /// The set is of a newer version.
    #[error("{path}: version {found} of the form, this program knows up to {known}; use a newer program")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// What is known here.
        known: u32,
    },
    /// A line or a file of it is wrong.
    #[error("{path}{}: {problem}", line.map_or(String::new(), |line| format!(", line {line}")))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, where it is one.
        line: Option<usize>,
        /// What is wrong.
        problem: String,
    },
    /// A project of the catalogue does not fit.
    #[error("{project}: {problem}; mend the catalogue")]
    Catalogue {
        /// The project.
        project: String,
        /// What is wrong.
        problem: String,
    },
}
