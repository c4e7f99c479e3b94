//! Cpio archives of the `newc` kind, which build services use for checked-out sources.

use std::collections::BTreeMap;

use super::{ArchiveError, Entry, EntryKind, Limits, shown};

const END: &[u8] = b"TRAILER!!!";
const KIND: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const HEADER: usize = 110;

pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Vec<Entry>, ArchiveError> {
    let cut = || ArchiveError::Damaged("it ends in the middle".to_owned());
    let mut entries = Vec::new();
    // Files with several names: the content comes with the last one.
    let mut several: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    let mut at = 0;
    loop {
        let header = bytes.get(at..at + HEADER).ok_or_else(cut)?;
        if !header.starts_with(b"070701") && !header.starts_with(b"070702") {
            return Err(ArchiveError::Damaged(format!("no header at byte {at}")));
        }
        let field = |number: usize| -> Result<u32, ArchiveError> {
            let digits = header.get(6 + number * 8..14 + number * 8).unwrap_or_default();
            let digits = std::str::from_utf8(digits).unwrap_or_default();
            u32::from_str_radix(digits, 16).map_err(|_| ArchiveError::Damaged(format!("no number at byte {at}")))
        };
        let (inode, mode, time, size) = (field(0)?, field(1)?, field(5)?, field(6)? as usize);
        let (length, sum) = (field(11)? as usize, field(12)?);
        let name_end = (at + HEADER).checked_add(length).ok_or_else(cut)?;
        let name = bytes.get(at + HEADER..name_end).ok_or_else(cut)?;
        let name = name.strip_suffix(b"\0").unwrap_or(name).to_vec();
        if name == END {
            break;
        }
        let start = padded(name_end);
        let end = start.checked_add(size).ok_or_else(cut)?;
        let content = bytes.get(start..end).ok_or_else(cut)?;
        let shown = shown(&name);
        if header.starts_with(b"070702") && mode & KIND == FILE && checksum(content) != sum {
            return Err(ArchiveError::Damaged(format!("the sum of `{shown}` is another")));
        }
        let kind = match mode & KIND {
            FOLDER => EntryKind::Folder,
            FILE => EntryKind::File(content.to_vec()),
            LINK => EntryKind::Link(content.to_vec()),
            _ => return Err(ArchiveError::Special(shown)),
        };
        if field(4)? > 1 && mode & KIND == FILE {
            several
                .entry((field(7)? << 16 | field(8)?, inode))
                .or_default()
                .push(entries.len());
        }
        entries.push(Entry {
            time: u64::from(time),
            owner: (u64::from(field(2)?), u64::from(field(3)?)),
            ..Entry::new(name, kind, mode & 0o7777)
        });
        if entries.len() > limits.entries {
            return Err(ArchiveError::TooMany(limits.entries));
        }
        at = padded(end);
    }
    for names in several.values() {
        let content = names
            .iter()
            .find_map(|name| match entries.get(*name).map(|entry| &entry.kind) {
                Some(EntryKind::File(content)) if !content.is_empty() => Some(content.clone()),
                _ => None,
            });
        for name in names {
            if let (Some(entry), Some(content)) = (entries.get_mut(*name), &content) {
                entry.kind = EntryKind::File(content.clone());
            }
        }
    }
    Ok(entries)
}

pub(super) fn write(entries: &[Entry], sums: bool) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    let mut contents: BTreeMap<Vec<u8>, &[u8]> = BTreeMap::new();
    for (inode, entry) in (1..).zip(entries) {
        let (kind, content) = match &entry.kind {
            EntryKind::File(content) => (FILE, content.as_slice()),
            EntryKind::Folder => (FOLDER, &[][..]),
            EntryKind::Link(target) => (LINK, target.as_slice()),
            EntryKind::Same(target) => (FILE, contents.get(&super::plain(target)).copied().unwrap_or_default()),
        };
        if kind == FILE {
            contents.insert(entry.path(), content);
        }
        let size = u32::try_from(content.len())
            .map_err(|_| ArchiveError::Write(format!("`{}` is too large for the format", shown(&entry.name))))?;
        let links = if kind == FOLDER { 2 } else { 1 };
        let sum = if sums && kind == FILE { checksum(content) } else { 0 };
        header(
            &mut bytes,
            sums,
            &[
                inode,
                kind | entry.mode,
                entry.owner.0 as u32,
                entry.owner.1 as u32,
                links,
                entry.time as u32,
                size,
                0,
                0,
                0,
                0,
                entry.name.len() as u32 + 1,
                sum,
            ],
            &entry.name,
        );
        bytes.extend_from_slice(content);
        bytes.resize(padded(bytes.len()), 0);
    }
    header(
        &mut bytes,
        sums,
        &[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, END.len() as u32 + 1, 0],
        END,
    );
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    Ok(bytes)
}

fn header(bytes: &mut Vec<u8>, sums: bool, fields: &[u32; 13], name: &[u8]) {
    bytes.extend_from_slice(if sums { b"070702" } else { b"070701" });
    for field in fields {
        bytes.extend_from_slice(format!("{field:08X}").as_bytes());
    }
    bytes.extend_from_slice(name);
    bytes.push(0);
    bytes.resize(padded(bytes.len()), 0);
}

fn padded(at: usize) -> usize {
    at.next_multiple_of(4)
}

fn checksum(content: &[u8]) -> u32 {
    content
        .iter()
        .fold(0, |sum: u32, byte| sum.wrapping_add(u32::from(*byte)))
}
