//! A tree on the disk: its digest, its times, and its tar stream.
//!
//! Links are never followed here; whatever they point to is none of the tree's business.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use fs_err as fs;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use seatrial_core::Digest;
use seatrial_store::Hold;
use walkdir::{DirEntry, WalkDir};

use crate::SourceError;

/// A verified, unpacked source on this machine. Read-only by agreement: it is shared by everyone who fetches it.
#[derive(Debug, Clone)]
pub struct SourceTree {
    /// The folder whose content is the project's top folder.
    pub root: PathBuf,
    /// Digest of paths, kinds, executable bits and contents.
    pub digest: Digest,
    /// Keeps it from being evicted from the cache.
    _hold: Option<Arc<Hold>>,
}

impl SourceTree {
    /// A tree that lies somewhere on this machine.
    pub fn new(root: PathBuf, digest: Digest) -> Self {
        Self {
            root,
            digest,
            _hold: None,
        }
    }

    /// The same, kept in its place as long as it is used.
    pub(crate) fn held(self, hold: Hold) -> Self {
        Self {
            _hold: Some(Arc::new(hold)),
            ..self
        }
    }

    /// Packs the tree as an uncompressed tar stream in sorted order, fit for `Sandbox::write_tree`.
    ///
    /// Owners are root; modes and modification times are the tree's, because build systems compare times.
    pub fn write_tar(&self, out: &mut dyn Write) -> Result<(), SourceError> {
        let mut builder = tar::Builder::new(out);
        for entry in sorted(&self.root, &|_| true) {
            let entry = entry?;
            let relative = relative(&self.root, &entry);
            let metadata = entry.metadata().map_err(io::Error::from)?;
            let mut header = tar::Header::new_gnu();
            header.set_uid(0);
            header.set_gid(0);
            header.set_mode(metadata.mode() & 0o777);
            header.set_mtime(u64::try_from(metadata.mtime()).unwrap_or(0));
            header.set_size(0);
            if metadata.is_dir() {
                header.set_entry_type(tar::EntryType::Directory);
                builder.append_data(&mut header, relative, io::empty())?;
            } else if metadata.is_symlink() {
                header.set_entry_type(tar::EntryType::Symlink);
                builder.append_link(&mut header, relative, fs::read_link(entry.path())?)?;
            } else if metadata.is_file() {
                header.set_entry_type(tar::EntryType::Regular);
                header.set_size(metadata.len());
                let file = fs::File::open(entry.path())?;
                builder.append_data(&mut header, relative, file.take(metadata.len()))?;
            }
        }
        builder.finish()?;
        Ok(())
    }
}

/// What of a tree makes its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DigestScope {
    /// Everything.
    Everything,
    /// Everything but what git keeps for itself: two clones of one commit differ there, and the commit pins it anyway.
    WithoutGit,
}

/// The digest of a tree: BLAKE3 over path, kind, executable bit and content of every entry in sorted order.
///
/// Owners, times and other mode bits are left out: they depend on who unpacked it where.
pub(crate) fn digest(root: &Path, scope: DigestScope) -> Result<Digest, SourceError> {
    let mut whole = blake3::Hasher::new();
    whole.update(b"seatrial tree 1\0");
    let wanted = |entry: &DirEntry| scope == DigestScope::Everything || entry.file_name() != ".git";
    for entry in sorted(root, &wanted) {
        let entry = entry?;
        let path = relative(root, &entry).as_os_str().as_bytes();
        let metadata = entry.metadata().map_err(io::Error::from)?;
        let (kind, content) = if metadata.is_dir() {
            (b'd', blake3::hash(b""))
        } else if metadata.is_symlink() {
            (b'l', blake3::hash(fs::read_link(entry.path())?.as_os_str().as_bytes()))
        } else if metadata.is_file() {
            let mut hasher = blake3::Hasher::new();
            io::copy(&mut fs::File::open(entry.path())?, &mut hasher)?;
            (
                if metadata.mode() & 0o111 == 0 { b'f' } else { b'x' },
                hasher.finalize(),
            )
        } else {
            continue;
        };
        whole.update(&(path.len() as u64).to_le_bytes());
        whole.update(path);
        whole.update(&[kind]);
        whole.update(content.as_bytes());
    }
    Ok(Digest::from_bytes(*whole.finalize().as_bytes()))
}

/// All entries of a tree, folders before what is in them, sorted by name within each folder.
fn sorted<'a>(
    root: &Path,
    wanted: &'a dyn Fn(&DirEntry) -> bool,
) -> impl Iterator<Item = Result<DirEntry, SourceError>> + use<'a> {
    WalkDir::new(root)
        .min_depth(1)
        .sort_by(|one, other| one.file_name().cmp(other.file_name()))
        .into_iter()
        .filter_entry(wanted)
        .map(|entry| entry.map_err(|error| SourceError::Io(error.into())))
}

fn relative<'a>(root: &Path, entry: &'a DirEntry) -> &'a Path {
    entry
        .path()
        .strip_prefix(root)
        .unwrap_or_else(|_| Path::new(OsStr::new("")))
}

/// A modification time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Modified {
    /// Seconds since the Unix epoch.
    pub(crate) seconds: i64,
    /// Nanoseconds beside them.
    pub(crate) nanoseconds: i64,
}

impl Modified {
    /// The time of a file.
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
        }
    }

    /// Reads `1700000000.25`.
    pub(crate) fn from_decimal(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits: String = part.chars().take(9).collect();
        let nanoseconds = format!("{digits:0<9}").parse().ok()?;
        Some(Self {
            seconds: whole.parse().ok()?,
            nanoseconds,
        })
    }

    /// A date of the proleptic Gregorian calendar and the second of that day, in UTC.
    pub(crate) fn from_civil(year: i64, month: u32, day: u32, second: u32) -> Self {
        // Counts from March, so that the leap day is the year's last.
        let year = if month <= 2 { year - 1 } else { year };
        let month = i64::from((month + 9) % 12);
        let day_of_year = (153 * month + 2) / 5 + i64::from(day.max(1)) - 1;
        let days =
            365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468;
        Self {
            seconds: days * 86_400 + i64::from(second),
            nanoseconds: 0,
        }
    }

    /// Sets it on a file, a folder or a link itself.
    pub(crate) fn set(self, path: &Path) -> io::Result<()> {
        let time = Timespec {
            tv_sec: self.seconds,
            tv_nsec: self.nanoseconds,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|error| io::Error::new(io::Error::from(error).kind(), format!("{}: {error}", path.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_text_and_from_the_calendar() {
        let time = |seconds, nanoseconds| Modified { seconds, nanoseconds };
        assert_eq!(Modified::from_decimal("17.25"), Some(time(17, 250_000_000)));
        assert_eq!(Modified::from_decimal("17"), Some(time(17, 0)));
        assert_eq!(Modified::from_decimal("x"), None);
        assert_eq!(Modified::from_civil(1970, 1, 1, 0), time(0, 0));
        assert_eq!(Modified::from_civil(2000, 2, 29, 1), time(951_782_401, 0));
        assert_eq!(Modified::from_civil(2026, 11, 30, 0), time(1_795_996_800, 0));
    }
}
