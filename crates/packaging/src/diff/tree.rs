//! The files of a tree on this machine, in the order of their paths.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::MetadataExt as _,
    },
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Digest;
use walkdir::WalkDir;

use crate::PackageError;

/// One file as a tree has it. Folders are not files: what only makes folders changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum File {
    Plain { content: Vec<u8>, runs: bool },
    Link { target: Vec<u8> },
}

impl File {
    pub(crate) fn is_link(&self) -> bool {
        matches!(self, Self::Link { .. })
    }

    pub(crate) fn content(&self) -> &[u8] {
        match self {
            Self::Plain { content, .. } => content,
            Self::Link { target } => target,
        }
    }

    /// The mode as git knows it.
    pub(crate) fn git_mode(&self) -> &'static str {
        match self {
            Self::Plain { runs: false, .. } => "100644",
            Self::Plain { runs: true, .. } => "100755",
            Self::Link { .. } => "120000",
        }
    }
}

/// A tree: the paths of its files, read from the disk when they are asked for.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    paths: BTreeSet<Vec<u8>>,
}

impl Tree {
    /// Lists a tree, without what `skip` says yes to by its path.
    pub(crate) fn list(root: &Path, skip: impl Fn(&[u8]) -> bool) -> Result<Self, PackageError> {
        let mut paths = BTreeSet::new();
        let path_of = |path: &Path| path.strip_prefix(root).unwrap_or(path).as_os_str().as_bytes().to_vec();
        let walk = WalkDir::new(root)
            .min_depth(1)
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !skip(&path_of(entry.path())));
        for entry in walk {
            let entry = entry.map_err(io::Error::from)?;
            let (kind, path) = (entry.file_type(), path_of(entry.path()));
            if kind.is_file() || kind.is_symlink() {
                paths.insert(path);
            } else if !kind.is_dir() {
                return Err(PackageError::not_representable(
                    crate::archive::shown(&path),
                    "it is a device, a pipe or a socket, which no source package holds; remove it",
                ));
            }
        }
        Ok(Self {
            root: root.to_owned(),
            paths,
        })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.paths.iter()
    }

    /// A file of the tree; none when it has no such file.
    pub(crate) fn file(&self, path: &[u8]) -> Result<Option<File>, PackageError> {
        if self.paths.contains(path) {
            read(&self.root.join(OsStr::from_bytes(path)))
        } else {
            Ok(None)
        }
    }

    /// The identity of all that is in the tree.
    pub(crate) fn digest(&self) -> Result<Digest, PackageError> {
        let mut list = Vec::new();
        for path in &self.paths {
            let Some(file) = self.file(path)? else { continue };
            list.extend_from_slice(file.git_mode().as_bytes());
            list.extend_from_slice(Digest::of(file.content()).to_string().as_bytes());
            list.extend_from_slice(path);
            list.push(0);
        }
        Ok(Digest::of(&list))
    }
}

/// A file or a link as it is on the disk.
pub(crate) fn read(path: &Path) -> Result<Option<File>, PackageError> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    Ok(if metadata.is_symlink() {
        let target = fs::read_link(path)?.into_os_string().into_vec();
        Some(File::Link { target })
    } else if metadata.is_file() {
        let runs = metadata.mode() & 0o100 != 0;
        let content = fs::read(path)?;
        Some(File::Plain { content, runs })
    } else {
        None
    })
}
