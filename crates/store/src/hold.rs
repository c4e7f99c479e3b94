//! Holds: something that is shared stays as long as a process says that it uses it.
//!
//! A [`Lease`](crate::Lease) has one owner; a hold has many. Both are kernel locks, so neither outlives its process.

use std::{
    io,
    path::{Path, PathBuf},
};

use fs_err as fs;
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

/// A lock on a file or folder that is used, or about to be removed.
#[derive(Debug)]
pub struct Hold {
    file: fs::File,
    path: PathBuf,
}

/// What came of asking for something that others may be using.
#[derive(Debug)]
pub enum Claim {
    /// Nobody uses it, and nobody begins to while this lives.
    Mine(Hold),
    /// Somebody uses it.
    InUse,
    /// It is not there.
    Gone,
}

impl Hold {
    /// Says that something is used. `None` when it is not there, or somebody is just removing it.
    pub fn shared(path: &Path) -> io::Result<Option<Self>> {
        match Self::lock(path, FlockOperation::NonBlockingLockShared)? {
            Claim::Mine(hold) => Ok(Some(hold)),
            Claim::InUse | Claim::Gone => Ok(None),
        }
    }

    /// Claims something in order to remove or change it.
    pub fn exclusive(path: &Path) -> io::Result<Claim> {
        Self::lock(path, FlockOperation::NonBlockingLockExclusive)
    }

    fn lock(path: &Path, operation: FlockOperation) -> io::Result<Claim> {
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Claim::Gone),
            Err(error) => return Err(error),
        };
        match flock(&file, operation) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(Claim::InUse),
            Err(error) => return Err(error.into()),
        }
        let hold = Self {
            file,
            path: path.to_owned(),
        };
        // Between opening and locking it may have been removed: then this lock is on something that has no name any more.
        Ok(if hold.is_still_there()? {
            Claim::Mine(hold)
        } else {
            Claim::Gone
        })
    }

    fn is_still_there(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let ours = self.file.metadata()?;
        Ok(fs::metadata(&self.path).is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())))
    }

    /// What is held.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Notes that something was used now, by its modification time; whether it is there at all. The one question thus
/// answers both whether a cache has something and keeps it from being evicted as long unused.
pub fn touch(path: &Path) -> io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};
    let time = |nanos| Timespec {
        tv_sec: 0,
        tv_nsec: nanos,
    };
    let times = Timestamps {
        last_access: time(UTIME_OMIT),
        last_modification: time(UTIME_NOW),
    };
    match utimensat(CWD, path, &times, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
        // A data folder that may only be read can still be read.
        Err(Errno::ROFS | Errno::ACCESS | Errno::PERM) => Ok(path.exists()),
        Err(error) => Err(io::Error::other(format!(
            "{}: {}",
            path.display(),
            io::Error::from(error)
        ))),
    }
}

/// The lock by which processes say that they work with a data folder.
#[derive(Debug)]
pub(crate) struct Presence {
    file: fs::File,
}

/// No other process works with the data folder while this lives; whoever wants to begin waits, so this is for moments.
#[derive(Debug)]
pub struct Alone<'a> {
    presence: &'a Presence,
}

impl Presence {
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let presence = Self {
            file: fs::File::open(folder)?,
        };
        presence.share();
        Ok(presence)
    }

    fn share(&self) {
        // A file system without locks has nobody who could be told; then nobody is ever alone either.
        while flock(&self.file, FlockOperation::LockShared) == Err(Errno::INTR) {}
    }

    pub(crate) fn alone(&self) -> Option<Alone<'_>> {
        if flock(&self.file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(Alone { presence: self });
        }
        // A conversion that fails loses the lock that was there.
        self.share();
        None
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.presence.share();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_cannot_be_claimed_and_what_is_claimed_cannot_be_used() {
        let room = tempfile::tempdir().unwrap();
        let tree = room.path().join("tree");
        assert!(matches!(Hold::exclusive(&tree).unwrap(), Claim::Gone));
        assert!(Hold::shared(&tree).unwrap().is_none());
        fs::create_dir(&tree).unwrap();
        let (one, two) = (Hold::shared(&tree).unwrap(), Hold::shared(&tree).unwrap());
        assert!(one.is_some() && two.is_some());
        drop(one);
        assert!(matches!(Hold::exclusive(&tree).unwrap(), Claim::InUse));
        drop(two);
        let Claim::Mine(mine) = Hold::exclusive(&tree).unwrap() else {
            panic!("nobody uses it")
        };
        assert!(Hold::shared(&tree).unwrap().is_none());
        fs::rename(&tree, room.path().join("gone")).unwrap();
        assert!(!mine.is_still_there().unwrap());
    }

    #[test]
    fn one_who_is_alone_is_so_until_somebody_comes() {
        let room = tempfile::tempdir().unwrap();
        let one = Presence::of(room.path()).unwrap();
        assert!(one.alone().is_some());
        let two = Presence::of(room.path()).unwrap();
        assert!(one.alone().is_none());
        assert!(two.alone().is_none(), "a failed try leaves the presence of both");
        drop(two);
        assert!(one.alone().is_some());
    }

    #[test]
    fn touching_tells_whether_it_is_there() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("file");
        assert!(!touch(&file).unwrap());
        fs::write(&file, "x").unwrap();
        let old = std::time::SystemTime::UNIX_EPOCH;
        fs::File::open(&file).unwrap().file().set_modified(old).unwrap();
        assert!(touch(&file).unwrap());
        assert!(fs::metadata(&file).unwrap().modified().unwrap() > old);
    }
}
