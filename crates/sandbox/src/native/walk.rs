//! What changed since a snapshot, read off the layers above it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{FileTypeExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use seatrial_core::Digest;
use serde::{Deserialize, Serialize};

use super::layers::Layers;
use crate::{Change, ChangeKind};

/// Top folders that are no part of the tree: the kernel's.
const KERNEL: [&str; 3] = ["dev", "proc", "sys"];

/// A change on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    path: String,
    kind: Kind,
}

/// What is at a path, on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    File {
        size: u64,
        mode: u32,
        digest: Digest,
        head: Vec<u8>,
    },
    Link {
        target: String,
    },
    Folder {
        mode: u32,
    },
    Special,
    Deleted,
}

impl From<Kind> for ChangeKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File {
                size,
                mode,
                digest,
                head,
            } => Self::File {
                size,
                mode,
                digest,
                head,
            },
            Kind::Link { target } => Self::Link { target },
            Kind::Folder { mode } => Self::Folder { mode },
            Kind::Special => Self::Special,
            Kind::Deleted => Self::Deleted,
        }
    }
}

impl From<Line> for Change {
    fn from(line: Line) -> Self {
        Self {
            path: line.path,
            kind: line.kind.into(),
        }
    }
}

/// Writes the changes, one JSON line each.
pub(crate) fn changes(layers: &Layers, since: u32, pipe: OwnedFd) -> io::Result<()> {
    let (above, below) = layers.around(since)?;
    let mut found = Found::default();
    folder(&above, &below, Path::new(""), &mut found)?;
    let mut out = io::BufWriter::new(fs::File::from(pipe));
    for (path, kind) in found.kinds {
        let line = Line {
            path: format!("/{}", path.to_string_lossy()),
            kind,
        };
        serde_json::to_writer(&mut out, &line).map_err(io::Error::other)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Bytes of holes that are read in all. Holes cost a box nothing, so no limit of its disk keeps it from making so many
/// that reading them would never end; what is over is listed, but not looked into.
const HOLES: u64 = 1 << 30;

/// What was found so far.
#[derive(Default)]
struct Found {
    kinds: BTreeMap<PathBuf, Kind>,
    reader: Reader,
}

impl Found {
    fn insert(&mut self, path: PathBuf, kind: Kind) {
        self.kinds.insert(path, kind);
    }
}

/// Reads what is at a path.
#[derive(Default)]
pub(crate) struct Reader {
    holes: u64,
}

impl Reader {
    pub(crate) fn read(&mut self, place: &Path, known: &fs::Metadata) -> io::Result<Kind> {
        let (size, mode) = (known.len(), known.mode() & 0o7777);
        let kind = known.file_type();
        if kind.is_dir() {
            Ok(Kind::Folder { mode })
        } else if kind.is_symlink() {
            let target = fs::read_link(place)?.to_string_lossy().into_owned();
            Ok(Kind::Link { target })
        } else if kind.is_file() && self.affords(known) {
            let (digest, head) = read(place)?;
            Ok(Kind::File {
                size,
                mode,
                digest,
                head,
            })
        } else {
            Ok(Kind::Special)
        }
    }

    /// Whether a file may be read.
    fn affords(&mut self, known: &fs::Metadata) -> bool {
        let holes = self.holes + known.len().saturating_sub(known.blocks() * 512);
        if holes > HOLES {
            return false;
        }
        self.holes = holes;
        true
    }
}

/// Compares one folder that is merged from the layers above with the same folder below.
fn folder(above: &[String], below: &[String], at: &Path, found: &mut Found) -> io::Result<()> {
    let mut seen: BTreeMap<OsString, usize> = BTreeMap::new();
    // Layers above, down to the first one in which the folder hides what is under it.
    let mut reach = above.len();
    let mut hides_below = false;
    for (index, layer) in above.iter().enumerate() {
        let place = Path::new(layer).join(at);
        let Ok(entries) = fs::read_dir(&place) else {
            if fs::symlink_metadata(&place).is_ok() {
                // Something that is no folder: whatever is deeper belongs to an earlier life of this name.
                reach = index;
                hides_below = true;
                break;
            }
            continue;
        };
        for entry in entries {
            seen.entry(entry?.file_name()).or_insert(index);
        }
        if is_opaque(&place) {
            reach = index + 1;
            hides_below = true;
            break;
        }
    }
    let above = above.get(..reach).unwrap_or(above);
    for (name, index) in &seen {
        let path = at.join(name);
        if at.as_os_str().is_empty() && KERNEL.iter().any(|kernel| name == kernel) {
            continue;
        }
        let Some(layer) = above.get(*index) else { continue };
        let place = Path::new(layer).join(&path);
        let Ok(known) = fs::symlink_metadata(&place) else {
            continue;
        };
        let was = lookup(below, &path);
        let kind = known.file_type();
        if is_whiteout(&known) {
            if was.is_some() {
                found.insert(path, Kind::Deleted);
            }
        } else if kind.is_dir() {
            // The overlay copies a folder up with its mode when something in it changes.
            if !was.is_some_and(|was| was.is_dir() && was.mode() == known.mode()) {
                let kind = found.reader.read(&place, &known)?;
                found.insert(path.clone(), kind);
            }
            folder(above, below, &path, found)?;
        } else {
            let kind = found.reader.read(&place, &known)?;
            found.insert(path, kind);
        }
    }
    if hides_below {
        for name in names(below, at) {
            if !seen.contains_key(&name) {
                found.insert(at.join(name), Kind::Deleted);
            }
        }
    }
    Ok(())
}

/// What the layers below show at a path.
fn lookup(layers: &[String], path: &Path) -> Option<fs::Metadata> {
    for layer in layers {
        let mut place = PathBuf::from(layer);
        let mut hidden = false;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            place.push(part);
            match fs::symlink_metadata(&place) {
                Ok(known) if is_whiteout(&known) => return None,
                Ok(known) if parts.peek().is_none() => return Some(known),
                Ok(known) if known.is_dir() => hidden |= is_opaque(&place),
                Ok(_) => return None,
                Err(_) => break,
            }
        }
        if hidden {
            return None;
        }
    }
    None
}

/// The names in a folder as the layers below show it.
fn names(layers: &[String], at: &Path) -> BTreeSet<OsString> {
    let mut all = BTreeSet::new();
    for layer in layers {
        for entry in fs::read_dir(Path::new(layer).join(at)).into_iter().flatten().flatten() {
            all.insert(entry.file_name());
        }
    }
    all.retain(|name| lookup(layers, &at.join(name)).is_some());
    all
}

fn is_whiteout(known: &fs::Metadata) -> bool {
    known.file_type().is_char_device() && known.rdev() == 0
}

fn is_opaque(place: &Path) -> bool {
    let mut value = [0_u8; 2];
    let length = rustix::fs::lgetxattr(place, "user.overlay.opaque", &mut value).unwrap_or(0);
    length == 1 && value.first() == Some(&b'y')
}

fn read(place: &Path) -> io::Result<(Digest, Vec<u8>)> {
    let mut file = fs::File::open(place)?;
    let mut hasher = blake3::Hasher::new();
    let mut head = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            break;
        }
        let wanted = 64_usize.saturating_sub(head.len());
        head.extend(bytes.iter().take(wanted));
        hasher.update(bytes);
    }
    Ok((Digest::from_bytes(*hasher.finalize().as_bytes()), head))
}
