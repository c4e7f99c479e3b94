//! A package out of the box, as it is there now.

use std::{collections::BTreeSet, io, os::unix::ffi::OsStrExt as _, path::Path};

use seatrial_packaging::{
    Package, PackageError,
    archive::{self, Archive, ArchiveError, Entry, EntryKind, Limits},
};
use seatrial_sandbox::{Sandbox, SandboxError};

use crate::ToolFailure;

/// Bounds of what is taken out of a box.
const LIMITS: Limits = Limits {
    bytes: 1 << 30,
    entries: 200_000,
};
/// Names that are listed.
const LISTED: usize = 20;

/// How the files of compiled programs, objects and libraries begin.
const BUILT: [&[u8]; 2] = [b"\x7fELF", b"!<arch>\n"];

/// A package that was taken out of a box.
#[derive(Debug)]
pub struct Taken {
    /// The package.
    pub package: Package,
    /// What a build left in the sources, and is no source: named, and not taken.
    pub left_out: Vec<String>,
}

/// A package could not be taken out of a box.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// The box broke.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// What is there is no package any more.
    #[error("the package in the box cannot be taken as it is: {0}")]
    Package(#[from] PackageError),
    /// Its files cannot be taken over.
    #[error("the package in the box cannot be taken as it is: {0}")]
    Files(#[from] ArchiveError),
    /// It is too large.
    #[error("the package in the box has more than 1 GiB; remove what a build left there")]
    TooLarge,
    /// This machine's disk said no.
    #[error("cannot keep a copy of the package: {0}")]
    Disk(#[from] io::Error),
}

impl From<TakeError> for ToolFailure {
    fn from(error: TakeError) -> Self {
        match error {
            TakeError::Sandbox(error) => error.into(),
            TakeError::Disk(error) => crate::ToolsError::Rebuild(error.to_string()).into(),
            mended => Self::Told(mended.to_string()),
        }
    }
}

/// Takes a package out of a box: another copy of the pristine one, with the files of the box's folder in it. Nothing of it
/// is run, and what its links lead to is never followed.
pub fn take_package(sandbox: &mut dyn Sandbox, root: &str, pristine: &Package) -> Result<Taken, TakeError> {
    let mut bounded = Bounded(Vec::new());
    match sandbox.read_tree(root, &mut bounded) {
        Ok(()) => {}
        Err(_) if bounded.0.len() as u64 > LIMITS.bytes => return Err(TakeError::TooLarge),
        Err(error) => return Err(error.into()),
    }
    let mut found = Archive::read_with_any_links(&bounded.0, LIMITS)?;
    drop(bounded);
    let mut left_out = BTreeSet::new();
    found.entries.retain(|entry| {
        let leftover = is_leftover(entry, pristine.root());
        if leftover {
            left_out.insert(String::from_utf8_lossy(&entry.path()).into_owned());
        }
        !leftover
    });
    let mut package = pristine.copy()?;
    empty(package.root())?;
    archive::lay(&found, package.root())?;
    package.refresh()?;
    let more = left_out.len().saturating_sub(LISTED);
    let mut left_out: Vec<String> = left_out.into_iter().take(LISTED).collect();
    if more > 0 {
        left_out.push(format!("and {more} more"));
    }
    Ok(Taken { package, left_out })
}

/// Whether an entry is something that a build leaves behind: a compiled file that did not come with the package, or what
/// debhelper notes.
fn is_leftover(entry: &Entry, pristine: &Path) -> bool {
    let path = entry.path();
    let came_along = pristine
        .join(std::ffi::OsStr::from_bytes(&path))
        .symlink_metadata()
        .is_ok();
    if came_along {
        return false;
    }
    let text = String::from_utf8_lossy(&path);
    let noted = text.strip_prefix("debian/").is_some_and(|name| {
        name == "files"
            || name == "debhelper-build-stamp"
            || name == ".debhelper"
            || name.starts_with(".debhelper/")
            || (!name.contains('/') && (name.ends_with(".substvars") || name.ends_with(".debhelper.log")))
    });
    let compiled = match &entry.kind {
        EntryKind::File(content) => BUILT.iter().any(|start| content.starts_with(start)),
        EntryKind::Folder | EntryKind::Link(_) | EntryKind::Same(_) => false,
    };
    noted || compiled
}

fn empty(folder: &Path) -> Result<(), io::Error> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Takes so many bytes and no more.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        if self.0.len() as u64 > LIMITS.bytes {
            return Err(io::Error::other("too much"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
