//! How much of the disk something takes.

use std::{
    collections::HashSet,
    io,
    ops::AddAssign,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use fs_err as fs;
use serde::Serialize;

/// Sizes of a file or a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Bytes that files say they have.
    pub apparent: u64,
    /// Bytes that they take on the disk.
    pub real: u64,
    /// Files, folders and links.
    pub files: u64,
    /// Folders that could not be looked into, so that the rest is a lower bound.
    pub closed: u64,
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.apparent += other.apparent;
        self.real += other.real;
        self.files += other.files;
        self.closed += other.closed;
    }
}

/// Bytes that a file system has left for an ordinary user.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let known = rustix::fs::statvfs(folder)?;
    Ok(known.f_bavail.saturating_mul(known.f_frsize))
}

/// Measures things; a file with several names counts where it is met first.
#[derive(Debug, Default)]
pub(super) struct Scale {
    linked: HashSet<(u64, u64)>,
}

impl Scale {
    /// Measures a file or a tree. What vanishes meanwhile is not there; links are not followed.
    pub(super) fn weigh(&mut self, path: &Path) -> Size {
        let mut size = Size::default();
        let mut folders = Vec::new();
        let Ok(metadata) = fs::symlink_metadata(path) else {
            return size;
        };
        self.add(&metadata, &mut size);
        if metadata.is_dir() {
            folders.push(path.to_owned());
        }
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    size.closed += u64::from(error.kind() == io::ErrorKind::PermissionDenied);
                    continue;
                }
            };
            for entry in entries.flatten() {
                // Of the entry itself, links are not followed.
                let Ok(metadata) = entry.metadata() else { continue };
                self.add(&metadata, &mut size);
                if metadata.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        size
    }

    fn add(&mut self, metadata: &std::fs::Metadata, size: &mut Size) {
        size.files += 1;
        if !metadata.is_dir() && metadata.nlink() > 1 && !self.linked.insert((metadata.dev(), metadata.ino())) {
            return;
        }
        if metadata.is_file() {
            size.apparent += metadata.len();
        }
        size.real += metadata.blocks() * 512;
    }
}

/// When something was last written or touched, in milliseconds since the Unix epoch; 0 when it is not there.
pub(super) fn modified(path: &Path) -> u64 {
    fs::symlink_metadata(path)
        .and_then(|metadata| metadata.modified())
        .map_or(0, millis)
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_counted_once_and_not_followed_and_holes_take_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("in")).unwrap();
        fs::write(tree.join("in/file"), vec![7; 10_000]).unwrap();
        fs::hard_link(tree.join("in/file"), tree.join("same")).unwrap();
        fs::write(folder.path().join("outside"), vec![7; 100_000]).unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside"), tree.join("link")).unwrap();
        fs::File::create(tree.join("hole")).unwrap().set_len(1 << 40).unwrap();
        let size = Scale::default().weigh(&tree);
        assert_eq!(size.apparent, 10_000 + (1 << 40));
        assert!(size.real >= 10_000 && size.real < 100_000, "{size:?}");
        assert_eq!((size.files, size.closed), (6, 0));
        assert_eq!(Scale::default().weigh(&folder.path().join("none")), Size::default());
    }
}
