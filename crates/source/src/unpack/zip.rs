//! Zip archives.

use std::io::Read;

use fs_err as fs;

use super::writer::{Attributes, LONGEST_PATH, TreeWriter};
use crate::{SourceError, tree::Modified};

/// Kinds of a Unix mode, as `stat` reports them.
const KIND_MASK: u32 = 0o170_000;
const KIND_LINK: u32 = 0o120_000;
const KIND_FOLDER: u32 = 0o040_000;
const KIND_FILE: u32 = 0o100_000;

/// Unpacks a zip archive.
pub(super) fn unpack_zip(path: &std::path::Path, shown: &str, writer: &mut TreeWriter<'_>) -> Result<(), SourceError> {
    let file = fs::File::open(path)?;
    let mut archive = zip::ZipArchive::new(std::io::BufReader::new(file)).map_err(|error| SourceError::Archive {
        archive: shown.to_owned(),
        problem: format!("it is cut off or damaged ({error}); get the archive again"),
    })?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| SourceError::Archive {
            archive: shown.to_owned(),
            problem: format!("entry number {} cannot be read ({error})", index + 1),
        })?;
        let name = entry.name_raw().to_owned();
        let mode = entry.unix_mode().unwrap_or(0);
        let modified = entry.last_modified().map_or_else(Modified::default, |time| {
            Modified::from_civil(
                i64::from(time.year()),
                u32::from(time.month()),
                u32::from(time.day()),
                u32::from(time.hour()) * 3600 + u32::from(time.minute()) * 60 + u32::from(time.second()),
            )
        });
        let attributes = |default: u32| Attributes {
            mode: if mode == 0 { default } else { mode },
            modified,
        };
        match mode & KIND_MASK {
            KIND_LINK => {
                let mut target = Vec::new();
                (&mut entry)
                    .take(LONGEST_PATH)
                    .read_to_end(&mut target)
                    .map_err(|error| writer.damaged(&name, &error))?;
                writer.symlink(&name, &target, modified)?;
            }
            // Archives made elsewhere have no kind; then a folder is known by its name.
            KIND_FOLDER => writer.folder(&name, attributes(0o755))?,
            0 | KIND_FILE if name.ends_with(b"/") => writer.folder(&name, attributes(0o755))?,
            0 | KIND_FILE => {
                let size = entry.size();
                let written = writer.file(&name, attributes(0o644), &mut entry)?;
                if written != size {
                    return Err(writer.damaged(&name, &format_args!("{written} of {size} bytes are there")));
                }
            }
            _ => return Err(writer.refuse(&name, "is a device file, a named pipe or a socket")),
        }
    }
    Ok(())
}
