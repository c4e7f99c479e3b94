//! Entries to a folder of this machine and back.

use std::{
    ffi::OsStr,
    io::{self, Write as _},
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use fs_err as fs;
use walkdir::WalkDir;

use super::{Archive, ArchiveError, Entry, EntryKind, plain, shown};

/// Lays an archive's entries into a folder that is there.
///
/// Nothing is written through a link: names behind links were refused when the archive was read, and what is in a file's way
/// is removed first.
pub fn lay(archive: &Archive, folder: &Path) -> Result<(), ArchiveError> {
    let mut folders: Vec<(PathBuf, u32)> = Vec::new();
    for entry in &archive.entries {
        let path = entry.path();
        if path.is_empty() {
            continue;
        }
        let target = folder.join(OsStr::from_bytes(&path));
        if let Some(parent) = target.parent() {
            real_folder(folder, parent)?;
        }
        match &entry.kind {
            EntryKind::Folder => {
                if !is_folder(&target) {
                    remove(&target)?;
                    fs::create_dir(&target)?;
                }
                folders.push((target, entry.mode & 0o777 | 0o700));
                continue;
            }
            EntryKind::Link(to) => {
                clear(&target, entry)?;
                fs::os::unix::fs::symlink(OsStr::from_bytes(to), &target)?;
                continue;
            }
            EntryKind::File(content) => {
                clear(&target, entry)?;
                new_file(&target, content)?;
            }
            EntryKind::Same(to) => {
                // A copy: an edit of one name must not be one of another by chance.
                let to = folder.join(OsStr::from_bytes(&plain(to)));
                if !to.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
                    return Err(ArchiveError::NoTarget {
                        name: shown(&entry.name),
                        target: shown(to.as_os_str().as_bytes()),
                    });
                }
                clear(&target, entry)?;
                fs::copy(&to, &target)?;
            }
        }
        let file = fs::File::options().write(true).open(&target)?;
        let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(entry.time));
        if let Some(time) = time {
            // A time that the file system cannot hold is no reason to refuse the file.
            drop(file.file().set_modified(time));
        }
        fs::set_permissions(&target, std::fs::Permissions::from_mode(entry.mode & 0o777 | 0o600))?;
    }
    for (path, mode) in folders.into_iter().rev() {
        if is_folder(&path) {
            fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// All below a folder, sorted by path, links not followed.
pub fn read_folder(folder: &Path) -> Result<Vec<Entry>, ArchiveError> {
    let mut entries = Vec::new();
    for found in WalkDir::new(folder).min_depth(1).sort_by_file_name() {
        let found = found.map_err(io::Error::from)?;
        let name = found.path().strip_prefix(folder).unwrap_or(found.path());
        let mut name = name.as_os_str().as_bytes().to_vec();
        let metadata = found.path().symlink_metadata()?;
        let kind = if metadata.is_symlink() {
            EntryKind::Link(fs::read_link(found.path())?.into_os_string().into_vec())
        } else if metadata.is_dir() {
            name.push(b'/');
            EntryKind::Folder
        } else if metadata.is_file() {
            EntryKind::File(fs::read(found.path())?)
        } else {
            return Err(ArchiveError::Special(shown(&name)));
        };
        entries.push(Entry {
            time: u64::try_from(metadata.mtime()).unwrap_or(0),
            ..Entry::new(name, kind, metadata.mode() & 0o7777)
        });
    }
    Ok(entries)
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// Makes the folders on the way to a path; a link among them is an error.
fn real_folder(top: &Path, folder: &Path) -> Result<(), ArchiveError> {
    if folder == top || is_folder(folder) {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        real_folder(top, parent)?;
    }
    if folder.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(ArchiveError::ThroughLink(shown(folder.as_os_str().as_bytes())));
    }
    remove(folder)?;
    fs::create_dir(folder)?;
    Ok(())
}

/// Makes room for a file or a link. A folder that has something in it is not removed for one.
fn clear(path: &Path, entry: &Entry) -> Result<(), ArchiveError> {
    if is_folder(path) && fs::remove_dir(path).is_err() {
        return Err(ArchiveError::Damaged(format!(
            "`{}` is a folder and a file",
            shown(&entry.name)
        )));
    }
    remove(path)?;
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

fn new_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options
        .open(path)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot make `{}`: {error}", path.display())))?;
    file.write_all(content)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display())))
}
