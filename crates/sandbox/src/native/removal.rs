//! Removes trees that a box has made. Its last processes may still be on their way out and exchange a folder for a link
//! while the tree is removed, and whoever removes it may remove other things of this machine too: so every folder is
//! opened from the tree's own root without following a link, and names are taken away in what was opened.

use std::{
    ffi::OsStr,
    fs, io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{ffi::OsStrExt, fs::PermissionsExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, open, openat, renameat, statat, unlinkat};

use super::stack::{is_folder, open_below};

/// Levels of folders that are deleted where they are; deeper ones are moved up first, so that no path gets longer than
/// the kernel takes and no list longer than memory, whatever a box has built.
const LEVELS: usize = 64;

/// A folder that is still to be removed, by its path below the top.
struct Waiting {
    path: PathBuf,
    level: usize,
    /// Whether nothing is in it any more.
    emptied: bool,
}

/// Removes a tree, whatever its shape and modes. One that is not there is removed already. An error tells that something
/// is in the way, or that somebody changed the tree meanwhile; trying again goes on with what is left.
pub(crate) fn remove(top: &Path) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let root = match open(top, flags, Mode::empty()) {
        Ok(root) => root,
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        // Not a folder; nothing but the name itself goes.
        Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => return ignore_missing(fs::remove_file(top)),
        Err(error) => return Err(error.into()),
    };
    let mut moved = 0_u64;
    let mut waiting = vec![Waiting {
        path: PathBuf::new(),
        level: 0,
        emptied: false,
    }];
    while let Some(Waiting { path, level, emptied }) = waiting.pop() {
        if emptied {
            ignore_missing(take_away(&root, top, &path))?;
            continue;
        }
        let folder = match open_below(&root, &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        let listed = Dir::read_from(readable(&folder)?)?;
        waiting.push(Waiting {
            path: path.clone(),
            level,
            emptied: true,
        });
        for entry in listed {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if !leads_on(&folder, name, entry.file_type()) {
                ignore_missing(unlinkat(&folder, name, AtFlags::empty()).map_err(Into::into))?;
            } else if level < LEVELS {
                waiting.push(Waiting {
                    path: path.join(name),
                    level: level + 1,
                    emptied: false,
                });
            } else {
                let place = free_name(&root, &mut moved);
                renameat(&folder, name, &root, &place)?;
                waiting.push(Waiting {
                    path: place,
                    level: 1,
                    emptied: false,
                });
            }
        }
    }
    Ok(())
}

/// Removes a folder in which nothing is any more.
fn take_away(root: &OwnedFd, top: &Path, path: &Path) -> io::Result<()> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(unlinkat(open_below(root, folder)?, name, AtFlags::REMOVEDIR)?),
        _ => fs::remove_dir(top),
    }
}

/// Opens a folder to be read. One that its owner may not read or change is changed first.
fn readable(folder: &OwnedFd) -> io::Result<OwnedFd> {
    if fstat(folder)?.st_mode & 0o700 != 0o700 {
        // By descriptor, because the name may be another one's by now. What is refused here is told by what follows.
        let place = format!("/proc/self/fd/{}", folder.as_raw_fd());
        drop(fs::set_permissions(place, fs::Permissions::from_mode(0o700)));
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(folder, ".", flags, Mode::empty())?)
}

/// Whether a name is a folder's. Some file systems do not tell in their lists.
fn leads_on(folder: &impl AsFd, name: &OsStr, kind: FileType) -> bool {
    match kind {
        FileType::Directory => true,
        FileType::Unknown => statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|known| is_folder(&known)),
        _ => false,
    }
}

/// A name in the topmost folder that nobody has. One that is taken is taken by a folder on the list or by a file of the
/// box.
fn free_name(root: &OwnedFd, moved: &mut u64) -> PathBuf {
    loop {
        *moved += 1;
        let name = PathBuf::from(format!(".seatrial-moved-{moved}"));
        if statat(root, &name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            return name;
        }
    }
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_tree_of_any_shape_goes_and_what_its_links_lead_to_stays() {
        let room = tempfile::tempdir().unwrap();
        let top = room.path().join("top");
        let kept = room.path().join("kept");
        fs::create_dir_all(kept.join("inner")).unwrap();
        let mut deep = top.clone();
        for level in 0..3 * LEVELS {
            deep.push(format!("f{level}"));
        }
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("file"), "x").unwrap();
        fs::create_dir_all(top.join(".seatrial-moved-1/closed/in")).unwrap();
        fs::write(top.join("closed"), "x").unwrap();
        symlink(&kept, top.join("link")).unwrap();
        symlink(&kept, deep.join("link")).unwrap();
        for mode in [0o000, 0o555] {
            let closed = top.join(format!("closed-{mode:o}"));
            fs::create_dir_all(closed.join("in")).unwrap();
            fs::write(closed.join("file"), "x").unwrap();
            fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
        }
        remove(&top).unwrap();
        assert!(!top.exists());
        remove(&top).unwrap();
        let link = room.path().join("link");
        symlink(&kept, &link).unwrap();
        remove(&link).unwrap();
        assert!(!link.is_symlink());
        assert!(kept.join("inner").is_dir());
    }

    #[test]
    fn a_folder_that_became_a_link_since_it_was_listed_is_not_entered() {
        let room = tempfile::tempdir().unwrap();
        let (top, kept) = (room.path().join("top"), room.path().join("kept"));
        fs::create_dir_all(kept.join("inner")).unwrap();
        fs::create_dir(&top).unwrap();
        symlink(&kept, top.join("folder")).unwrap();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(&top, flags, Mode::empty()).unwrap();
        for path in ["folder", "folder/inner"] {
            open_below(&root, Path::new(path)).unwrap_err();
        }
        take_away(&root, &top, Path::new("folder/inner")).unwrap_err();
        assert!(kept.join("inner").is_dir());
    }
}
