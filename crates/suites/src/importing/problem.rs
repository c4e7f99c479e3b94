//! What can be wrong with a case folder, and with importing as a whole.

use seatrial_core::Arch;
use seatrial_packaging::PackageError;

use crate::CorpusError;

/// A folder is no case that can be used. Nothing of it is in the corpus.
#[derive(Debug, thiserror::Error)]
pub enum CaseProblem {
    /// It does not say what it is.
    #[error("it has no `manifest.json`, which says what the case is; name a case folder, or a folder of such folders")]
    NoManifest,
    /// What it says of itself cannot be understood.
    #[error("`{file}`: {problem}")]
    Manifest {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// It is of a form that came after this program.
    #[error("`manifest.json` is of version {found}, and this program reads version {known}")]
    Version {
        /// The version that it has.
        found: String,
        /// The version that is read.
        known: &'static str,
    },
    /// Nothing says how it fails.
    #[error("it has no log of the build that failed ({0}), and without one nobody knows what to repair")]
    NoLog(&'static str),
    /// The machine that it fails on is none that is known.
    #[error("`{file}` names the architecture `{arch}`, which is none of those known here ({known})")]
    UnknownArch {
        /// The file.
        file: &'static str,
        /// The word.
        arch: String,
        /// Those that are known.
        known: String,
    },
    /// The manifest lists a file that is not there.
    #[error("`manifest.json` lists `{0}`, which is not there; get the whole case again")]
    MissingFile(String),
    /// A file is not the one that the manifest lists.
    #[error("`{file}` has {found} bytes, and `manifest.json` says {told}; get the whole case again")]
    WrongSize {
        /// The file.
        file: String,
        /// Its size.
        found: u64,
        /// The size that it should have.
        told: u64,
    },
    /// It is the side of a case on which the package builds.
    #[error("it is the side of the case on which the package builds ({0}); its log is used by the other side")]
    BuildsThere(Arch),
    /// Its package cannot be used: no recipe, several, one that cannot be read, a missing archive.
    #[error(transparent)]
    Package(#[from] PackageError),
}

impl CaseProblem {
    pub(super) fn manifest(file: &'static str, problem: impl Into<String>) -> Self {
        Self::Manifest {
            file,
            problem: problem.into(),
        }
    }

    /// Whether it is no fault of the folder, which has only another part to play.
    pub fn is_counterpart(&self) -> bool {
        matches!(self, Self::BuildsThere(_))
    }
}

/// Importing broke off. What is wrong with a single case is a [`CaseProblem`] and stops nothing.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is nothing to import.
    #[error("`{0}` holds no case: neither it nor a folder in it has a `manifest.json`")]
    NoCases(std::path::PathBuf),
    /// The corpus is of something else.
    #[error(
        "the corpus `{corpus}` is of the suite `{suite}`, and these cases are of the suite `repair`; choose another folder"
    )]
    OtherSuite {
        /// The corpus.
        corpus: String,
        /// Its suite.
        suite: String,
    },
    /// The corpus could not be read or written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The packed source could not be unpacked again.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// A name that the corpus needs breaks the rule of its kind.
    #[error(transparent)]
    Name(#[from] seatrial_core::IdError),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
