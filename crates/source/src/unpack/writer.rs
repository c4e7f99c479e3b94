//! The only code that writes what an archive says.

use std::{
    collections::HashSet,
    ffi::OsStr,
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use fs_err as fs;

use super::UnpackLimits;
use crate::{Progress, SourceError, tree::Modified};

/// Writes entries below one folder and keeps the rules: see the module above.
pub(super) struct TreeWriter<'a> {
    root: &'a Path,
    archive: &'a str,
    limits: &'a UnpackLimits,
    progress: Option<&'a dyn Progress>,
    bytes: u64,
    entries: u64,
    /// Folders that were made here, relative to the root: no link can have taken their place, because a folder is
    /// never replaced.
    folders: HashSet<PathBuf>,
    /// Modification times of folders are set at the end, or writing into them would change them.
    folder_times: Vec<(PathBuf, Modified)>,
}

/// What is known of an entry beside its content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attributes {
    /// Permission bits as written; only `rwx` of each class is kept.
    pub(super) mode: u32,
    /// Modification time.
    pub(super) modified: Modified,
}

/// Longest link target: the kernel's limit for a path.
pub(super) const LONGEST_PATH: u64 = 4096;

impl<'a> TreeWriter<'a> {
    pub(super) fn new(
        root: &'a Path,
        archive: &'a str,
        limits: &'a UnpackLimits,
        progress: Option<&'a dyn Progress>,
    ) -> Self {
        Self {
            root,
            archive,
            limits,
            progress,
            bytes: 0,
            entries: 0,
            folders: HashSet::new(),
            folder_times: Vec::new(),
        }
    }

    /// An error that names an entry.
    pub(super) fn refuse(&self, name: &[u8], problem: &str) -> SourceError {
        SourceError::Archive {
            archive: self.archive.to_owned(),
            problem: format!("entry `{}` {problem}", shown(name)),
        }
    }

    /// An error of the archive's own bytes, such as a cut-off file.
    pub(super) fn damaged(&self, name: &[u8], error: &dyn std::fmt::Display) -> SourceError {
        self.refuse(name, &format!("is cut off or damaged ({error}); get the archive again"))
    }

    /// Makes a folder.
    pub(super) fn folder(&mut self, name: &[u8], attributes: Attributes) -> Result<(), SourceError> {
        let relative = self.enter(name)?;
        if relative.as_os_str().is_empty() {
            return Ok(());
        }
        self.make_parents(name, &relative)?;
        let path = self.root.join(&relative);
        if !self.folders.contains(&relative) {
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(self.refuse(name, "is a folder where the archive already has something else")),
                Err(_) => fs::create_dir(&path).map_err(|error| self.write_error(name, error))?,
            }
            self.folders.insert(relative);
        }
        // Its owner must be able to fill and to delete it.
        fs::set_permissions(
            &path,
            std::fs::Permissions::from_mode((attributes.mode & 0o777) | 0o700),
        )?;
        self.folder_times.push((path, attributes.modified));
        Ok(())
    }

    /// Writes a file; returns how many bytes the reader had. Bytes are counted as they come, so that a bomb is noticed
    /// long before it is on the disk, whatever its header says.
    pub(super) fn file(
        &mut self,
        name: &[u8],
        attributes: Attributes,
        content: &mut dyn Read,
    ) -> Result<u64, SourceError> {
        let path = self.place(name)?;
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|error| self.write_error(name, error))?;
        let mut buffer = vec![0; 1 << 16];
        let mut written = 0;
        loop {
            let count = match content.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.damaged(name, &error)),
            };
            self.count_bytes(name, count as u64)?;
            file.write_all(buffer.get(..count).unwrap_or_default())?;
            written += count as u64;
        }
        drop(file);
        fs::set_permissions(
            &path,
            std::fs::Permissions::from_mode((attributes.mode & 0o777) | 0o600),
        )?;
        attributes.modified.set(&path)?;
        if let Some(progress) = self.progress {
            progress.advance(self.archive, self.bytes, None);
        }
        Ok(written)
    }

    /// Makes a symbolic link. Whether it leads out through other links is asked once the tree is complete.
    pub(super) fn symlink(&mut self, name: &[u8], target: &[u8], modified: Modified) -> Result<(), SourceError> {
        if target.is_empty() || target.contains(&0) || target.len() as u64 >= LONGEST_PATH {
            return Err(self.refuse(name, "is a link without a proper target"));
        }
        if target.starts_with(b"/") {
            return Err(self.refuse(
                name,
                &format!("is a link that leads out of the tree (to `{}`)", shown(target)),
            ));
        }
        let path = self.place(name)?;
        fs::os::unix::fs::symlink(OsStr::from_bytes(target), &path).map_err(|error| self.write_error(name, error))?;
        modified.set(&path)?;
        Ok(())
    }

    /// Makes a hard link to an earlier file of the same archive.
    pub(super) fn hard_link(&mut self, name: &[u8], target: &[u8]) -> Result<(), SourceError> {
        let out = || format!("is a hard link that leads out of the tree (to `{}`)", shown(target));
        let Some(relative) = normalise(target) else {
            return Err(self.refuse(name, &out()));
        };
        // The target's folders must be real ones, or the way could lead out through a link.
        if self.first_link_above(&relative).is_some() {
            return Err(self.refuse(name, &out()));
        }
        let source = self.root.join(&relative);
        let size = match source.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(_) | Err(_) => {
                let problem = format!(
                    "is a hard link to `{}`, which is no earlier file of the archive",
                    shown(target)
                );
                return Err(self.refuse(name, &problem));
            }
        };
        if normalise(name).as_ref() == Some(&relative) {
            return Ok(());
        }
        // Everyone who copies the tree sees the bytes once more, so they count.
        self.count_bytes(name, size)?;
        let path = self.place(name)?;
        fs::hard_link(&source, &path).map_err(|error| self.write_error(name, error))?;
        Ok(())
    }

    /// Sets the folders' times.
    pub(super) fn finish(self) -> Result<(), SourceError> {
        for (path, modified) in self.folder_times.iter().rev() {
            modified.set(path)?;
        }
        Ok(())
    }

    /// Counts an entry and turns its name into a path below the root.
    fn enter(&mut self, name: &[u8]) -> Result<PathBuf, SourceError> {
        self.count_entry(name)?;
        normalise(name).ok_or_else(|| self.refuse(name, "has a name that leads out of the tree"))
    }

    /// Makes room for something that is no folder and returns its path.
    fn place(&mut self, name: &[u8]) -> Result<PathBuf, SourceError> {
        let relative = self.enter(name)?;
        if relative.as_os_str().is_empty() {
            return Err(self.refuse(name, "has no name"));
        }
        self.make_parents(name, &relative)?;
        let path = self.root.join(&relative);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {
                Err(self.refuse(name, "stands where the archive already has a folder"))
            }
            // A later entry replaces an earlier one, as in an archive that was appended to; what a link points to is
            // never written to.
            Ok(_) => {
                fs::remove_file(&path)?;
                Ok(path)
            }
            Err(_) => Ok(path),
        }
    }

    fn make_parents(&mut self, name: &[u8], relative: &Path) -> Result<(), SourceError> {
        let Some(parent) = relative.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
            return Ok(());
        };
        if self.folders.contains(parent) {
            return Ok(());
        }
        if let Some(link) = self.first_link_above(relative) {
            let problem = format!("would be written through `{}`, which is no folder", link.display());
            return Err(self.refuse(name, &problem));
        }
        let mut folder = PathBuf::new();
        for part in parent.components() {
            folder.push(part);
            if self.folders.contains(&folder) {
                continue;
            }
            let path = self.root.join(&folder);
            if path.symlink_metadata().is_err() {
                self.count_entry(name)?;
                fs::create_dir(&path).map_err(|error| self.write_error(name, error))?;
                fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
            }
            self.folders.insert(folder.clone());
        }
        Ok(())
    }

    /// The first of the folders above a path that is there and is no folder.
    fn first_link_above(&self, relative: &Path) -> Option<PathBuf> {
        let mut folder = PathBuf::new();
        for part in relative.parent()?.components() {
            folder.push(part);
            if self.folders.contains(&folder) {
                continue;
            }
            match self.root.join(&folder).symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Some(folder),
                Err(_) => return None,
            }
        }
        None
    }

    fn count_entry(&mut self, name: &[u8]) -> Result<(), SourceError> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let problem = format!(
                "is one too many: more than {} entries are not unpacked",
                self.limits.entries
            );
            return Err(self.refuse(name, &problem));
        }
        Ok(())
    }

    fn count_bytes(&mut self, name: &[u8], count: u64) -> Result<(), SourceError> {
        self.bytes = self.bytes.saturating_add(count);
        if self.bytes > self.limits.bytes {
            let problem = format!(
                "makes the tree too large: more than {} bytes are not unpacked",
                self.limits.bytes
            );
            return Err(self.refuse(name, &problem));
        }
        Ok(())
    }

    /// The file system's complaint about a name is the archive's fault; any other is the machine's.
    fn write_error(&self, name: &[u8], error: io::Error) -> SourceError {
        if matches!(
            error.kind(),
            io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput
        ) {
            self.refuse(name, "has a name that the file system refuses")
        } else {
            error.into()
        }
    }
}

/// A name as a path below the root: `.` parts dropped; `None` for an absolute name, `..` or a NUL byte.
fn normalise(name: &[u8]) -> Option<PathBuf> {
    if name.starts_with(b"/") || name.contains(&0) || name.is_empty() {
        return None;
    }
    let mut path = PathBuf::new();
    for part in name.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => return None,
            part => path.push(OsStr::from_bytes(part)),
        }
    }
    Some(path)
}

/// A name for a message: control characters visible, and not longer than a line.
fn shown(name: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(name)
        .chars()
        .take(200)
        .flat_map(char::escape_debug)
        .collect();
    text
}
