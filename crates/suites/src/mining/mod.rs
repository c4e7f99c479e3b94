//! Mining: corpora made from a distribution's own indexes, with nobody labelling by hand.
//!
//! The answer key of a compile task is what the distribution's binary packages hold: the ELF programs and shared
//! libraries in them. Whether it is a fair key is for calibration to say. Nothing here runs foreign code, and nothing
//! here is used when a task is solved.

mod archive;
mod candidates;
mod deb;
mod derive;
mod draw;
mod refresh;
mod strata;

use std::{collections::BTreeMap, path::PathBuf};

pub use archive::{Archive, LiveArchive};
pub use draw::mine_debian_compile;
pub use refresh::{RefreshReport, Repinned, refresh};
use seatrial_core::{Budget, Platform, TaskId};

use crate::{Corpus, CorpusError};

/// What to mine.
#[derive(Debug, Clone)]
pub struct MineOptions {
    /// The corpus's name.
    pub name: String,
    /// Where it is written.
    pub folder: PathBuf,
    /// The platform that the archive is for.
    pub platform: Platform,
    /// Decides the order in which packages are drawn.
    pub seed: u64,
    /// Tasks wanted.
    pub count: usize,
    /// Bytes, compressed, of a source's upstream archives.
    pub source_bytes: u64,
    /// Bytes of the binary packages built from a source.
    pub binary_bytes: u64,
    /// Packages that a source may need to be built.
    pub build_depends: usize,
    /// Expected names that a task may have.
    pub labels: usize,
    /// Packages that the image is made with: what they bring along is no task.
    pub image_packages: Vec<String>,
    /// Budget of each task.
    pub budget: Budget,
    /// Packages whose files are looked at before the draw ends short.
    pub examined: usize,
}

impl MineOptions {
    /// Options with bounds that keep a task within minutes on a small machine.
    pub fn new(name: impl Into<String>, folder: impl Into<PathBuf>, platform: Platform) -> Self {
        Self {
            name: name.into(),
            folder: folder.into(),
            platform,
            seed: 1,
            count: 64,
            source_bytes: 1_500_000,
            binary_bytes: 3_000_000,
            build_depends: 14,
            labels: 16,
            image_packages: [
                "build-essential",
                "pkg-config",
                "cmake",
                "ninja-build",
                "meson",
                "autoconf",
                "automake",
                "libtool",
                "autopoint",
                "gettext",
                "git",
                "ca-certificates",
                "python3",
                "file",
                "xz-utils",
                "patch",
                "apt",
            ]
            .map(str::to_owned)
            .to_vec(),
            budget: Budget {
                wall_seconds: Some(1800),
                command_seconds: Some(900),
                grade_seconds: Some(900),
                ..Budget::default()
            },
            examined: 1500,
        }
    }
}

/// What was mined.
#[derive(Debug)]
pub struct MineReport {
    /// The corpus, already written.
    pub corpus: Corpus,
    /// Tasks by kind of build.
    pub strata: BTreeMap<String, Vec<TaskId>>,
    /// Packages that are not in it.
    pub left_out: Vec<LeftOut>,
    /// Packages whose files were looked at.
    pub examined: usize,
}

/// A package that is not in a corpus.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Why.
    pub reason: String,
    /// The source package.
    pub package: String,
}

/// Mining broke off.
#[derive(Debug, thiserror::Error)]
pub enum MineError {
    /// The archive could not be read; nothing was written.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// The corpus could not be written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A name that mining needs breaks the rule of its kind.
    #[error(transparent)]
    Name(#[from] seatrial_core::IdError),
    /// The archive has nothing for the platform.
    #[error(
        "the archive has no {what} for {platform}; check this machine's package sources, then run `apt-get update`"
    )]
    Empty {
        /// What is missing.
        what: &'static str,
        /// The platform.
        platform: String,
    },
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
