//! Zip archives.

use std::io::{Cursor, Read as _, Write as _};

use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{Entry, MOST_BYTES, MOST_ENTRIES, What};

const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    if archive.len() > MOST_ENTRIES {
        return Err(format!("it has more than {MOST_ENTRIES} entries"));
    }
    let mut entries = Vec::new();
    let mut total = 0;
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(|error| broken(&error))?;
        let name = file.name_raw().to_vec();
        let mut content = Vec::new();
        (&mut file)
            .take(MOST_BYTES + 1 - total)
            .read_to_end(&mut content)
            .map_err(|error| format!("it is damaged: {error}"))?;
        total += content.len() as u64;
        if total > MOST_BYTES {
            return Err(format!("its files have more than {MOST_BYTES} bytes"));
        }
        let mode = file.unix_mode().unwrap_or(if file.is_dir() { 0o755 } else { 0o644 });
        let what = match mode & KIND {
            LINK => What::Link(content),
            _ if file.is_dir() => What::Folder,
            0 | 0o100_000 => What::File(content),
            _ => {
                return Err(format!(
                    "its entry `{}` is a device or a pipe",
                    crate::text::visible(&String::from_utf8_lossy(&name))
                ));
            }
        };
        let time = file.last_modified().map_or(0, |time| {
            (u64::from(time.datepart()) << 16) | u64::from(time.timepart())
        });
        entries.push(Entry {
            time,
            stored: file.compression() == CompressionMethod::Stored,
            ..Entry::new(name, what, mode & 0o7777)
        });
    }
    Ok(entries)
}

pub(super) fn write(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut contents = std::collections::BTreeMap::new();
    for entry in entries {
        // Zip has its own way to write a time down; what comes from elsewhere has none that fits.
        let time = u32::try_from(entry.time)
            .ok()
            .and_then(|time| DateTime::try_from_msdos((time >> 16) as u16, time as u16).ok())
            .unwrap_or_default();
        let options = SimpleFileOptions::default()
            .compression_method(if entry.stored {
                CompressionMethod::Stored
            } else {
                CompressionMethod::Deflated
            })
            .last_modified_time(time)
            .unix_permissions(entry.mode);
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        let done = match &entry.what {
            What::Folder => writer.add_directory(name, options),
            What::Link(target) => writer.add_symlink(name, String::from_utf8_lossy(target), options),
            What::File(_) | What::Same(_) => {
                let content = match &entry.what {
                    What::Same(target) => contents.get(&super::plain(target)).copied().unwrap_or_default(),
                    What::File(content) => content.as_slice(),
                    What::Folder | What::Link(_) => &[],
                };
                contents.insert(entry.path(), content);
                writer
                    .start_file(name, options)
                    .and_then(|()| Ok(writer.write_all(content)?))
            }
        };
        done.map_err(|error| format!("it cannot be written: {error}"))?;
    }
    writer
        .finish()
        .map(Cursor::into_inner)
        .map_err(|error| format!("it cannot be written: {error}"))
}

fn broken(error: &zip::result::ZipError) -> String {
    format!("it is damaged, or uses what is not known here: {error}")
}
