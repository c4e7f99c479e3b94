//! A source that cannot change any more.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// One file of a source package, as its `.dsc` pins it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePin {
    /// File name without folder.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// A source with its identity: fetching it twice gives the same tree or an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedSource {
    /// A short name for people and folders, such as `hello`.
    pub name: String,
    /// Where it comes from.
    pub origin: SourceKind,
    /// The digest of the unpacked tree (paths, kinds, modes, contents), once it has been unpacked.
    pub tree: Option<Digest>,
}

/// The kinds of origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SourceKind {
    /// A folder of this machine, identified by `tree` alone.
    Folder {
        /// Absolute path.
        path: String,
    },
    /// A tar or zip archive.
    Archive {
        /// URL or absolute path.
        location: String,
        /// SHA-256 in hexadecimal.
        sha256: String,
    },
    /// A git commit, with its submodules.
    Git {
        /// Repository URL.
        url: String,
        /// Full commit id.
        commit: String,
    },
    /// A Debian source package.
    Debian {
        /// Source package name.
        package: String,
        /// Full Debian version.
        version: String,
        /// Folder below the archive's root that holds the files, such as `pool/main/h/hello`.
        directory: String,
        /// The `.dsc` and every file it names.
        files: Vec<FilePin>,
        /// Whether `debian/` and the distribution's patches are laid too (never in a task: that is the answer key).
        packaging: bool,
    },
    /// Another source with a patch applied to its tree.
    Changed {
        /// What is changed.
        base: Box<Self>,
        /// The patch, in git's format, as a blob. Its text stands nowhere in a task, because it may be what is to be found.
        change: Digest,
    },
    /// Files that the corpus itself keeps, because nobody else can be relied on to: a tar archive, as a blob.
    Kept {
        /// The archive.
        archive: Digest,
    },
}

impl fmt::Display for PinnedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.origin.fmt(f)
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { path } => write!(f, "{path}"),
            Self::Archive { location, .. } => write!(f, "{location}"),
            Self::Git { url, commit } => write!(f, "git+{url}@{commit}"),
            Self::Debian { package, version, .. } => write!(f, "debian:{package}={version}"),
            Self::Changed { base, .. } => write!(f, "{base}, changed"),
            Self::Kept { archive } => write!(f, "kept:{}", archive.short()),
        }
    }
}
