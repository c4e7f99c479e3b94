//! A process's folder for what nobody shall find again.

use std::{os::unix::fs::DirBuilderExt as _, path::Path};

use fs_err as fs;

use crate::{Home, Lease, StoreError, unique_name};

/// A folder of one process in the data folder, removed when it is dropped. What a process left that was killed, the next one
/// removes.
#[derive(Debug)]
pub struct Scratch {
    lease: Lease,
}

impl Scratch {
    /// A new one. Those of dead processes are removed.
    ///
    /// # Errors
    /// A data folder that cannot be written.
    pub fn new(home: &Home) -> Result<Self, StoreError> {
        // Not below `cache`: what is there may be removed by whoever makes room.
        let room = home.scratch();
        fs::create_dir_all(&room)?;
        for entry in fs::read_dir(&room)?.flatten() {
            // One that cannot be taken has a live owner.
            if let Ok(lease) = Lease::take_over(entry.path()) {
                drop(fs::remove_dir_all(lease.folder()));
            }
        }
        loop {
            let folder = room.join(unique_name());
            std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
            match Lease::take(&folder) {
                Ok(lease) => return Ok(Self { lease }),
                // Another process swept it before it had its lock.
                Err(StoreError::Busy(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.lease.folder()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(self.lease.folder()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_dead_left_is_removed_and_what_the_living_use_stays() {
        let root = tempfile::tempdir().unwrap();
        let home = Home::open(root.path()).unwrap();
        let dead = home.scratch().join("1-0-1");
        fs::create_dir_all(dead.join("package")).unwrap();
        let first = Scratch::new(&home).unwrap();
        assert!(!dead.exists());
        fs::write(first.folder().join("kept"), "x").unwrap();
        let second = Scratch::new(&home).unwrap();
        assert!(first.folder().join("kept").is_file());
        let folder = second.folder().to_owned();
        drop(second);
        assert!(!folder.exists() && first.folder().exists());
    }
}
