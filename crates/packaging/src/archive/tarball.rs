//! Tar archives.

use std::io::Read as _;

use tar::{Archive, Builder, EntryType, Header};

use super::{ArchiveError, Entry, EntryKind, Limits, shown};

/// Whether the bytes are an archive of the time before `ustar`: its first header has a right sum.
pub(super) fn is_old(bytes: &[u8]) -> bool {
    let Some(block) = bytes.get(..512) else { return false };
    let mut header = Header::new_old();
    header.as_mut_bytes().copy_from_slice(block);
    let told = header.cksum();
    header.set_cksum();
    block.iter().any(|byte| *byte != 0) && told.is_ok_and(|told| header.cksum().is_ok_and(|right| right == told))
}

pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Vec<Entry>, ArchiveError> {
    let broken = |error: std::io::Error| ArchiveError::Damaged(error.to_string());
    let mut entries = Vec::new();
    let mut total = 0_u64;
    for entry in Archive::new(bytes).entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = entry.path_bytes().into_owned();
        let link = || {
            entry
                .link_name_bytes()
                .map(std::borrow::Cow::into_owned)
                .ok_or_else(|| ArchiveError::Damaged("a link without a target".to_owned()))
        };
        let kind = match entry.header().entry_type() {
            EntryType::Directory => EntryKind::Folder,
            EntryType::Symlink => EntryKind::Link(link()?),
            EntryType::Link => EntryKind::Same(link()?),
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let mut content = Vec::new();
                // A sparse file has few bytes in the archive and any number outside.
                (&mut entry)
                    .take((limits.bytes + 1).saturating_sub(total))
                    .read_to_end(&mut content)
                    .map_err(broken)?;
                total += content.len() as u64;
                if total > limits.bytes {
                    return Err(ArchiveError::TooLarge(limits.bytes));
                }
                // Before `ustar` a folder was a file whose name ends in a slash.
                if name.ends_with(b"/") && content.is_empty() {
                    EntryKind::Folder
                } else {
                    EntryKind::File(content)
                }
            }
            EntryType::XGlobalHeader => continue,
            _ => return Err(ArchiveError::Special(shown(&name))),
        };
        let header = entry.header();
        let names = |name: Option<&[u8]>| name.unwrap_or_default().to_vec();
        entries.push(Entry {
            name,
            kind,
            mode: header.mode().map_err(broken)? & 0o7777,
            time: header.mtime().map_err(broken)?,
            owner: (header.uid().unwrap_or(0), header.gid().unwrap_or(0)),
            owner_names: (names(header.username_bytes()), names(header.groupname_bytes())),
            stored: false,
        });
        if entries.len() > limits.entries {
            return Err(ArchiveError::TooMany(limits.entries));
        }
    }
    Ok(entries)
}

pub(super) fn write(entries: &[Entry]) -> Result<Vec<u8>, ArchiveError> {
    let broken = |error: std::io::Error| ArchiveError::Write(error.to_string());
    let mut builder = Builder::new(Vec::new());
    for entry in entries {
        let mut header = Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_mtime(entry.time);
        header.set_uid(entry.owner.0);
        header.set_gid(entry.owner.1);
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        header.set_username(&text(&entry.owner_names.0)).map_err(broken)?;
        header.set_groupname(&text(&entry.owner_names.1)).map_err(broken)?;
        header.set_size(0);
        let name = std::path::PathBuf::from(os(&entry.name));
        match &entry.kind {
            EntryKind::File(content) => {
                header.set_entry_type(EntryType::Regular);
                header.set_size(content.len() as u64);
                builder
                    .append_data(&mut header, &name, content.as_slice())
                    .map_err(broken)?;
            }
            EntryKind::Folder => {
                header.set_entry_type(EntryType::Directory);
                builder
                    .append_data(&mut header, &name, std::io::empty())
                    .map_err(broken)?;
            }
            EntryKind::Link(target) => {
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, &name, os(target)).map_err(broken)?;
            }
            EntryKind::Same(target) => {
                header.set_entry_type(EntryType::Link);
                builder.append_link(&mut header, &name, os(target)).map_err(broken)?;
            }
        }
    }
    builder.into_inner().map_err(broken)
}

fn os(bytes: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}
