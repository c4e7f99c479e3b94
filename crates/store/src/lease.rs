//! Leases: a folder belongs to a live process exactly as long as that process holds its lock.

use std::path::{Path, PathBuf};

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};

use crate::StoreError;

/// An exclusive lock on a folder's `lease` file. The kernel lets go of it when the process dies, however it dies.
#[derive(Debug)]
pub struct Lease {
    _file: fs::File,
    folder: PathBuf,
}

impl Lease {
    /// Takes the lease of a folder, making the folder where it is missing; `Busy` when a live process has it.
    pub fn take(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = folder.into();
        fs::create_dir_all(&folder)?;
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lease"))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file, folder }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::Busy(folder)),
            Err(error) => Err(std::io::Error::from(error).into()),
        }
    }

    /// The folder it guards.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
