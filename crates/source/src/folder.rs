//! Snapshots of a folder.

use std::{
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use fs_err as fs;
use walkdir::WalkDir;

use crate::{Progress, SourceError, UnpackLimits, tree::Modified};

/// Our own output, never part of a source.
const OUTPUT_FOLDER: &str = "seatrial-out";

/// Copies a folder with everything in it, hidden files too. Links are copied as links, wherever they lead. Returns the
/// paths of what cannot be copied because it is no file, folder or link.
///
/// `keep_out` is a folder that is not copied even when it is inside: the data folder, which is being written to.
pub(crate) fn copy(
    from: &Path,
    to: &Path,
    keep_out: &Path,
    limits: &UnpackLimits,
    progress: Option<&dyn Progress>,
) -> Result<Vec<PathBuf>, SourceError> {
    let mut special = Vec::new();
    let mut folders = Vec::new();
    let (mut bytes, mut entries) = (0_u64, 0_u64);
    let shown = from.display().to_string();
    let walk = WalkDir::new(from).into_iter().filter_entry(|entry| {
        !(entry.depth() == 1 && entry.file_name() == OUTPUT_FOLDER && entry.file_type().is_dir())
            && entry.path() != keep_out
    });
    for entry in walk {
        let entry = entry.map_err(|error| readable(io::Error::from(error)))?;
        let metadata = entry.metadata().map_err(|error| readable(io::Error::from(error)))?;
        let relative = entry.path().strip_prefix(from).unwrap_or(entry.path());
        let target = to.join(relative);
        entries += 1;
        // Before it is copied: a file with holes takes their full size on many a file system.
        if metadata.is_file() {
            bytes = bytes.saturating_add(metadata.len());
        }
        if entries > limits.entries || bytes > limits.bytes {
            return Err(SourceError::Usage(format!(
                "`{shown}` is too large to be a source (more than {} entries or {} GiB); name the project's own folder",
                limits.entries,
                limits.bytes >> 30
            )));
        }
        if metadata.is_dir() {
            fs::create_dir_all(&target).map_err(nested)?;
            let mode = (metadata.mode() & 0o777) | 0o700;
            fs::set_permissions(&target, std::fs::Permissions::from_mode(mode))?;
            folders.push((target, Modified::of(&metadata)));
        } else if metadata.is_symlink() {
            let link = fs::read_link(entry.path()).map_err(readable)?;
            fs::os::unix::fs::symlink(link, &target)?;
            Modified::of(&metadata).set(&target)?;
        } else if metadata.is_file() {
            // Shares the blocks where the file system can.
            fs::copy(entry.path(), &target).map_err(readable)?;
            let mode = (metadata.mode() & 0o777) | 0o400;
            fs::set_permissions(&target, std::fs::Permissions::from_mode(mode))?;
            Modified::of(&metadata).set(&target)?;
            if let Some(progress) = progress {
                progress.advance(&shown, bytes, None);
            }
        } else {
            special.push(relative.to_owned());
        }
    }
    // Writing into a folder changes its time, so these come last.
    for (folder, modified) in folders.iter().rev() {
        modified.set(folder)?;
    }
    Ok(special)
}

/// A file that the user may not read is the user's to set right.
fn readable(error: io::Error) -> SourceError {
    if error.kind() == io::ErrorKind::PermissionDenied {
        SourceError::Usage(format!(
            "a file of the source cannot be read: {error}; make it readable or take it out of the folder"
        ))
    } else {
        nested(error)
    }
}

/// Folders that no path reaches to the end are the user's to set right, too.
fn nested(error: io::Error) -> SourceError {
    if error.kind() == io::ErrorKind::InvalidFilename {
        // The path itself is what nobody can read.
        let start: String = error.to_string().chars().take(200).collect();
        SourceError::Usage(format!(
            "the source holds folders that are nested deeper than paths can be long ({start}...); take them out of the \
             folder"
        ))
    } else {
        error.into()
    }
}
