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
        match fs::create_dir_all(&folder) {
            // There when it was to be made, and gone when it was looked at: its owner has removed it meanwhile.
            Err(error)
                if error.kind() == std::io::ErrorKind::AlreadyExists
                    && folder.symlink_metadata().map_or(true, |known| known.is_dir()) =>
            {
                return Err(StoreError::Busy(folder));
            }
            made => made?,
        }
        Self::lock(folder)
    }

    /// Takes the lease of a folder that is there; `Busy` when a live process has it or has just removed it.
    pub fn take_over(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::lock(folder.into())
    }

    fn lock(folder: PathBuf) -> Result<Self, StoreError> {
        let file = match fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("lease"))
        {
            Ok(file) => file,
            // Its owner has removed the folder since the line above.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(StoreError::Busy(folder)),
            Err(error) => return Err(error.into()),
        };
        match own(&file) {
            // Between opening and locking, the one who had it before may have moved or removed the folder: then this
            // lock guards nothing.
            Ok(true) if !is_still_there(&file, &folder)? => Err(StoreError::Busy(folder)),
            Ok(true) => Ok(Self { _file: file, folder }),
            Ok(false) => Err(StoreError::Busy(folder)),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder it guards.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Takes a lock that has one owner; whether there was no other. Somebody who only looks whether it is owned has it shared
/// for a moment, which is not owning it.
pub(crate) fn own(file: &fs::File) -> std::io::Result<bool> {
    for _ in 0..1000 {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
        match flock(file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => flock(file, FlockOperation::Unlock)?,
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        std::thread::yield_now();
    }
    Ok(false)
}

fn is_still_there(file: &fs::File, folder: &Path) -> Result<bool, StoreError> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    Ok(fs::metadata(folder.join("lease")).is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_its_owner_removes_is_busy_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("box");
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    drop(std::fs::create_dir(&place));
                    drop(std::fs::remove_dir_all(&place));
                }
            });
            for _ in 0..5_000 {
                let taken = Lease::take(&place);
                if !matches!(taken, Ok(_) | Err(StoreError::Busy(_))) {
                    over.store(true, std::sync::atomic::Ordering::Relaxed);
                    panic!("{taken:?}");
                }
            }
            over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    #[test]
    fn what_is_gone_is_not_made_again_by_taking_it_over() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("box");
        assert!(matches!(Lease::take_over(&folder), Err(StoreError::Busy(_))));
        assert!(!folder.exists());
        fs::create_dir(&folder).unwrap();
        drop(Lease::take_over(&folder).unwrap());
    }

    #[test]
    fn a_lease_has_one_owner_and_a_lock_on_a_folder_that_is_gone_is_none() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("box");
        let lease = Lease::take(&folder).unwrap();
        assert!(matches!(Lease::take(&folder), Err(StoreError::Busy(_))));
        drop(lease);
        let file = fs::File::open(folder.join("lease")).unwrap();
        assert!(is_still_there(&file, &folder).unwrap());
        fs::rename(&folder, room.path().join("gone")).unwrap();
        assert!(!is_still_there(&file, &folder).unwrap());
        drop(Lease::take(&folder).unwrap());
        assert!(
            !is_still_there(&file, &folder).unwrap(),
            "a new folder of that name is another one"
        );
    }
}
