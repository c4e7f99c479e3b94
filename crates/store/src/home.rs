//! The data folder and its rooms.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use fs_err as fs;

use crate::{Alone, Blobs, StoreError, hold::Presence};

/// The data folder (`$SEATRIAL_HOME`, or `seatrial` below the XDG data folder).
///
/// | folder | what |
/// |---|---|
/// | `blobs/` | content under its BLAKE3 digest |
/// | `images/` | root file systems for boxes |
/// | `boxes/` | live boxes, each with a lease; leftovers are swept at the next start |
/// | `scratch/` | one folder a process, with its lease; leftovers are swept at the next start |
/// | `runs/` | one folder a run |
/// | `cache/` | what can be fetched or computed again |
///
/// As long as one is open, other processes know that somebody works here.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
    presence: Arc<Presence>,
}

impl Home {
    /// Opens the data folder, making it and its rooms where they are missing.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let root = root.into();
        // What may only be read can still be read: who needs a room that is missing there will say so.
        let is_used = root.join("cache").is_dir();
        for room in ["blobs", "images", "boxes", "runs", "cache"] {
            match fs::create_dir_all(root.join(room)) {
                Err(error) if is_used && is_read_only(&error) => {}
                answer => answer?,
            }
        }
        for room in ["blobs", "runs"] {
            // The root of boxes has to pass through the folder above, and with it every user of the machine could.
            let path = root.join(room);
            if is_used && !path.is_dir() {
                continue;
            }
            let mode = fs::metadata(&path)?.permissions().mode();
            if mode & 0o077 != 0 {
                // Of somebody else it is theirs to close.
                drop(fs::set_permissions(
                    &path,
                    std::fs::Permissions::from_mode(mode & !0o077),
                ));
            }
        }
        // Absolute, because boxes resolve it from another working folder.
        let root = fs::canonicalize(&root)?;
        let presence = Arc::new(Presence::of(&root)?);
        Ok(Self { root, presence })
    }

    /// Keeps every other process from beginning to work here, for a moment; `None` when there is one already.
    pub fn alone(&self) -> Option<Alone<'_>> {
        self.presence.alone()
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The content-addressed store.
    pub fn blobs(&self) -> Blobs {
        Blobs::new(self.root.join("blobs"))
    }

    /// Where images are.
    pub fn images(&self) -> PathBuf {
        self.root.join("images")
    }

    /// Where live boxes are.
    pub fn boxes(&self) -> PathBuf {
        self.root.join("boxes")
    }

    /// Where processes keep what nobody shall find again.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    /// Where runs are.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// A new folder for a run, `<stem>-<time in ms>`: one that begins in the same moment gets another.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn new_run(&self, stem: &str) -> Result<PathBuf, StoreError> {
        let mut time = unix_millis();
        loop {
            let folder = self.runs().join(format!("{stem}-{time}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => time += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A folder for things that can be fetched or computed again, made on demand.
    pub fn cache(&self, room: &str) -> Result<PathBuf, StoreError> {
        let path = self.root.join("cache").join(room);
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

fn is_read_only(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied
    )
}

/// A name that no other process or thread of this machine gets: process, count, time in ms.
pub fn unique_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    // The time keeps apart processes that got the same number.
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{}-{count}-{}", std::process::id(), unix_millis())
}

/// Milliseconds since the Unix epoch.
pub fn unix_millis() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_begin_in_one_moment_have_folders_of_their_own() {
        let root = tempfile::tempdir().unwrap();
        let home = Home::open(root.path()).unwrap();
        let folders: std::collections::BTreeSet<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        (0..50)
                            .map(|_| home.new_run("build-source").unwrap())
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(folders.len(), 200);
    }
}
