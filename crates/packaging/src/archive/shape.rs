//! What is remembered of an archive that was taken apart, so that it can be put together as it was.

use std::collections::BTreeMap;

use seatrial_core::Digest;

use super::{Archive, Compression, Entry, EntryKind, Format, plain};

/// Bits that a folder of this machine may have more than the archive: those that let it be worked with.
const WORKABLE: u32 = 0o600;

/// An archive without contents.
#[derive(Debug, Clone)]
pub struct Shape {
    format: Format,
    compression: Compression,
    /// Its entries, each file with its content's digest instead of the content.
    entries: Vec<(Entry, Option<Digest>)>,
}

/// Which time an entry gets that was edited or is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// The one that it was found with.
    AsFound,
    /// One that is just after all others of the archive, so that the same edit gives the same bytes.
    AfterAll,
}

/// An archive that was filled again.
#[derive(Debug, Clone)]
pub struct Refilled {
    /// The archive.
    pub archive: Archive,
    /// Files and links that were not there before.
    pub new: usize,
    /// Entries with another content or mode.
    pub changed: usize,
    /// Entries that are there no more.
    pub gone: usize,
}

impl Refilled {
    /// Whether anything is other than before.
    pub fn is_edited(&self) -> bool {
        self.new + self.changed + self.gone > 0
    }
}

impl From<Archive> for Shape {
    fn from(archive: Archive) -> Self {
        let entries = archive.entries.into_iter().map(|entry| match entry.kind {
            EntryKind::File(content) => {
                let digest = Digest::of(&content);
                let kind = EntryKind::File(Vec::new());
                (Entry { kind, ..entry }, Some(digest))
            }
            _ => (entry, None),
        });
        Self {
            format: archive.format,
            compression: archive.compression,
            entries: entries.collect(),
        }
    }
}

impl Shape {
    /// A shape that nothing is known of but its format: entries are taken as they are found.
    pub fn new(format: Format, compression: Compression) -> Self {
        Self {
            format,
            compression,
            entries: Vec::new(),
        }
    }

    /// The same entries in another format.
    #[must_use]
    pub fn with_format(self, format: Format, compression: Compression) -> Self {
        Self {
            format,
            compression,
            ..self
        }
    }

    /// What was found in the folder, in the order of the archive that it came from and with what only the archive knew.
    pub fn refill(&self, found: Vec<Entry>, times: Times) -> Refilled {
        let mut contents: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let mut now: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
        for mut entry in found {
            // A file with several names is one file with several contents that are the same.
            if let EntryKind::Same(target) = &entry.kind {
                entry.kind = EntryKind::File(contents.get(&plain(target)).cloned().unwrap_or_default());
            }
            if let EntryKind::File(content) = &entry.kind {
                contents.insert(entry.path(), content.clone());
            }
            now.insert(entry.path(), entry);
        }
        let after = self
            .entries
            .iter()
            .map(|(entry, _)| entry.time)
            .max()
            .map(|time| time + 2);
        let time = |found: u64| match times {
            Times::AsFound => found,
            Times::AfterAll => after.unwrap_or(found),
        };
        let mut entries = Vec::new();
        let (mut new, mut changed, mut gone) = (0, 0, 0);
        let (mut dotted, mut folders) = (false, self.entries.is_empty());
        for (before, digest) in &self.entries {
            dotted |= before.name.starts_with(b"./");
            folders |= matches!(before.kind, EntryKind::Folder);
            let path = before.path();
            let Some(entry) = now.remove(&path) else {
                // A folder is its own top, and nobody finds that in itself.
                if path.is_empty() {
                    entries.push(before.clone());
                } else {
                    gone += 1;
                }
                continue;
            };
            let mut kept = before.clone();
            let same = match (&before.kind, &entry.kind) {
                (EntryKind::File(_), EntryKind::File(content)) => *digest == Some(Digest::of(content)),
                (EntryKind::Same(target), EntryKind::File(content)) => contents.get(&plain(target)) == Some(content),
                (before, now) => before == now,
            };
            let is_link = matches!(entry.kind, EntryKind::Link(_));
            let same_mode = is_link || (before.mode | WORKABLE) & 0o777 == (entry.mode | WORKABLE) & 0o777;
            if !same_mode {
                kept.mode = entry.mode;
            }
            if !same || !same_mode {
                changed += 1;
                kept.time = time(entry.time);
            }
            if !(same && matches!(before.kind, EntryKind::Same(_))) {
                kept.kind = entry.kind;
            }
            entries.push(kept);
        }
        for (path, entry) in now {
            let is_folder = matches!(entry.kind, EntryKind::Folder);
            // The folder itself, and folders in an archive that names only files.
            if path.is_empty() || (is_folder && !folders) {
                continue;
            }
            new += usize::from(!is_folder);
            let mut name = if dotted { b"./".to_vec() } else { Vec::new() };
            name.extend_from_slice(&path);
            if is_folder {
                name.push(b'/');
            }
            entries.push(Entry {
                time: time(entry.time),
                ..Entry::new(name, entry.kind, entry.mode)
            });
        }
        Refilled {
            archive: Archive {
                format: self.format,
                compression: self.compression,
                entries,
            },
            new,
            changed,
            gone,
        }
    }
}
