//! Zip archives.

use std::io::{Cursor, Read as _, Write as _};

use jiff::{Timestamp, civil, tz::TimeZone};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{ArchiveError, Entry, EntryKind, Limits, shown};

const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Vec<Entry>, ArchiveError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    if archive.len() > limits.entries {
        return Err(ArchiveError::TooMany(limits.entries));
    }
    let mut entries = Vec::new();
    let mut total = 0;
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(|error| broken(&error))?;
        let name = file.name_raw().to_vec();
        let mut content = Vec::new();
        (&mut file)
            .take(limits.bytes + 1 - total)
            .read_to_end(&mut content)
            .map_err(|error| ArchiveError::Damaged(error.to_string()))?;
        total += content.len() as u64;
        if total > limits.bytes {
            return Err(ArchiveError::TooLarge(limits.bytes));
        }
        let mode = file.unix_mode().unwrap_or(if file.is_dir() { 0o755 } else { 0o644 });
        let kind = match mode & KIND {
            LINK => EntryKind::Link(content),
            _ if file.is_dir() => EntryKind::Folder,
            0 | 0o100_000 => EntryKind::File(content),
            _ => return Err(ArchiveError::Special(shown(&name))),
        };
        entries.push(Entry {
            time: file.last_modified().map_or(0, seconds),
            stored: file.compression() == CompressionMethod::Stored,
            ..Entry::new(name, kind, mode & 0o7777)
        });
    }
    Ok(entries)
}

pub(super) fn write(entries: &[Entry]) -> Result<Vec<u8>, ArchiveError> {
    let failed = |error: zip::result::ZipError| ArchiveError::Write(error.to_string());
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut contents = std::collections::BTreeMap::new();
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(if entry.stored {
                CompressionMethod::Stored
            } else {
                CompressionMethod::Deflated
            })
            .last_modified_time(date(entry.time))
            .unix_permissions(entry.mode);
        // The writer takes text only; another name than the one that was there is no round trip.
        let text = |bytes: &[u8]| {
            String::from_utf8(bytes.to_vec())
                .map_err(|_| ArchiveError::Write(format!("the name `{}` is no UTF-8", shown(bytes))))
        };
        let name = text(&entry.name)?;
        match &entry.kind {
            EntryKind::Folder => writer.add_directory(name, options).map_err(failed)?,
            EntryKind::Link(target) => writer.add_symlink(name, text(target)?, options).map_err(failed)?,
            EntryKind::File(_) | EntryKind::Same(_) => {
                let content = match &entry.kind {
                    EntryKind::Same(target) => contents.get(&super::plain(target)).copied().unwrap_or_default(),
                    EntryKind::File(content) => content.as_slice(),
                    EntryKind::Folder | EntryKind::Link(_) => &[],
                };
                contents.insert(entry.path(), content);
                writer.start_file(name, options).map_err(failed)?;
                writer
                    .write_all(content)
                    .map_err(|error| ArchiveError::Write(error.to_string()))?;
            }
        }
    }
    writer.finish().map(Cursor::into_inner).map_err(failed)
}

/// A time of a zip archive has no zone; it is taken as UTC, so that the way back is the same.
fn seconds(time: DateTime) -> u64 {
    let number = |value: u8| i8::try_from(value).unwrap_or(0);
    civil::DateTime::new(
        i16::try_from(time.year()).unwrap_or(0),
        number(time.month()),
        number(time.day()),
        number(time.hour()),
        number(time.minute()),
        number(time.second()),
        0,
    )
    .and_then(|time| TimeZone::UTC.to_timestamp(time))
    .map_or(0, |time| u64::try_from(time.as_second()).unwrap_or(0))
}

fn date(seconds: u64) -> DateTime {
    let Ok(time) = Timestamp::from_second(i64::try_from(seconds).unwrap_or(0)) else {
        return DateTime::default();
    };
    let time = TimeZone::UTC.to_datetime(time);
    let number = |value: i8| u8::try_from(value).unwrap_or(0);
    DateTime::from_date_and_time(
        u16::try_from(time.year()).unwrap_or(0),
        number(time.month()),
        number(time.day()),
        number(time.hour()),
        number(time.minute()),
        number(time.second()),
    )
    .unwrap_or_default()
}

fn broken(error: &zip::result::ZipError) -> ArchiveError {
    ArchiveError::Damaged(format!("or uses what is not known here: {error}"))
}
