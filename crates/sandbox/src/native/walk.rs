//! What changed since a snapshot, read off the layers above it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStringExt, fs::MetadataExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{FileType, Mode, OFlags, Stat, openat, readlinkat};
use seatrial_core::Digest;

use super::{
    layers::Layers,
    stack::{Entry, Folder, Stack, is_folder, is_too_long, is_whiteout},
};
use crate::{Before, Change, ChangeKind};

/// Top folders that are no part of the tree: the kernel's.
const KERNEL: [&str; 3] = ["dev", "proc", "sys"];

/// Writes the changes, one JSON line each.
pub(crate) fn changes(layers: &Layers, since: u32, pipe: OwnedFd) -> io::Result<()> {
    let (above, below) = layers.around(since)?;
    let mut walk = Walk {
        above: Stack::open(&above)?,
        below: Stack::open(&below)?,
        waiting: Vec::new(),
        found: BTreeMap::new(),
        contents: HashMap::new(),
        reader: Reader::default(),
    };
    walk.waiting.push(Pair {
        path: PathBuf::new(),
        above: walk.above.all(),
        below: walk.below.all(),
        hidden: false,
    });
    while let Some(pair) = walk.waiting.pop() {
        walk.folder(&pair)?;
    }
    let mut out = io::BufWriter::new(fs::File::from(pipe));
    let mut names: HashMap<Identity, String> = HashMap::new();
    for (path, (mut change, file)) in walk.found {
        let path = Path::new("/").join(path).into_os_string().into_vec();
        match String::from_utf8(path) {
            Ok(path) => change.path = path,
            Err(error) => {
                change.path = String::from_utf8_lossy(error.as_bytes()).into_owned();
                change.raw_path = Some(error.into_bytes());
            }
        }
        if let Some(file) = file {
            change.same_file_as = names.get(&file).cloned();
            names.entry(file).or_insert_with(|| change.path.clone());
        }
        serde_json::to_writer(&mut out, &change).map_err(io::Error::other)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Bytes of holes that are read in all. Holes cost a box nothing, so no limit of its disk keeps it from making so many
/// that reading them would never end; what is over is listed, but not looked into.
const HOLES: u64 = 1 << 30;

/// A file, whatever it is called: its device and number.
type Identity = (u64, u64);

/// One folder, above and below the snapshot.
struct Pair {
    path: PathBuf,
    above: Vec<usize>,
    below: Vec<usize>,
    /// Whether only what is above is there.
    hidden: bool,
}

struct Walk {
    above: Stack,
    below: Stack,
    waiting: Vec<Pair>,
    /// What was found, with the file behind it where it is one.
    found: BTreeMap<PathBuf, (Change, Option<Identity>)>,
    /// What was read, so that a file with many names is read once.
    contents: HashMap<Identity, (Digest, Vec<u8>)>,
    reader: Reader,
}

/// Reads what is at a path.
#[derive(Default)]
pub(crate) struct Reader {
    holes: u64,
}

impl Reader {
    pub(crate) fn read(&mut self, place: &Path, known: &fs::Metadata) -> io::Result<ChangeKind> {
        let (size, mode) = (known.len(), known.mode() & 0o7777);
        let kind = known.file_type();
        if kind.is_dir() {
            Ok(ChangeKind::Folder { mode })
        } else if kind.is_symlink() {
            let target = fs::read_link(place)?.to_string_lossy().into_owned();
            Ok(ChangeKind::Link { target })
        } else if kind.is_file() && self.affords(size, known.blocks()) {
            let (digest, head) = read(fs::File::open(place)?)?;
            Ok(ChangeKind::File {
                size,
                mode,
                digest,
                head,
            })
        } else {
            Ok(ChangeKind::Special)
        }
    }

    /// Whether a file may be read.
    fn affords(&mut self, size: u64, blocks: u64) -> bool {
        let holes = self.holes + size.saturating_sub(blocks * 512);
        if holes > HOLES {
            return false;
        }
        self.holes = holes;
        true
    }
}

impl Walk {
    /// Compares one folder.
    fn folder(&mut self, pair: &Pair) -> io::Result<()> {
        let now = self.above.folder(&pair.path, &pair.above);
        let then = self.below.folder(&pair.path, &pair.below);
        let names = now.names()?;
        for name in &names {
            let path = pair.path.join(name);
            let is_kernels = pair.path.as_os_str().is_empty() && KERNEL.iter().any(|kernel| name == kernel);
            if is_kernels || is_too_long(&path) {
                continue;
            }
            let Some(entry) = now.look(name) else { continue };
            let was = then.look(name).filter(|was| !is_whiteout(&was.known));
            let is = &entry.known;
            if is_whiteout(is) {
                if let Some(was) = was {
                    let before = self.before(&then, &was, name, None)?;
                    self.note(path, ChangeKind::Deleted, before, None);
                }
                continue;
            }
            let kind = FileType::from_raw_mode(is.st_mode);
            let mut content = None;
            let change = match kind {
                FileType::Directory => ChangeKind::Folder {
                    mode: is.st_mode & 0o7777,
                },
                FileType::Symlink => ChangeKind::Link {
                    target: target(&now, &entry, name)?,
                },
                FileType::RegularFile => match self.content(&now, &entry, name)? {
                    Some((digest, head)) => {
                        content = Some((is.st_size, digest));
                        ChangeKind::File {
                            size: is.st_size.cast_unsigned(),
                            mode: is.st_mode & 0o7777,
                            digest,
                            head,
                        }
                    }
                    None => ChangeKind::Special,
                },
                _ => ChangeKind::Special,
            };
            let before = match &was {
                Some(was) => self.before(&then, was, name, content)?,
                None => Before::Nothing,
            };
            if is_folder(is) {
                // The overlay copies a folder up with its mode when something in it changes.
                if before
                    != (Before::Folder {
                        mode: is.st_mode & 0o7777,
                    })
                {
                    self.note(path.clone(), change, before, None);
                }
                self.waiting.push(Pair {
                    path,
                    above: entry.layers,
                    below: was.map(|was| was.layers).unwrap_or_default(),
                    hidden: pair.hidden || entry.hides,
                });
            } else {
                let file = (kind == FileType::RegularFile && is.st_nlink > 1).then_some(identity(is));
                self.note(path, change, before, file);
            }
        }
        if pair.hidden {
            for name in then.names()? {
                let was = then.look(&name).filter(|was| !is_whiteout(&was.known));
                if let Some(was) = was
                    && !names.contains(&name)
                {
                    let before = self.before(&then, &was, &name, None)?;
                    self.note(pair.path.join(&name), ChangeKind::Deleted, before, None);
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, path: PathBuf, kind: ChangeKind, before: Before, file: Option<Identity>) {
        let change = Change {
            before,
            ..Change::new("", kind)
        };
        self.found.insert(path, (change, file));
    }

    /// What was there. Its content is only read where it may be the same as a present one: size and digest.
    fn before(
        &mut self,
        folder: &Folder,
        was: &Entry,
        name: &std::ffi::OsString,
        now: Option<(i64, Digest)>,
    ) -> io::Result<Before> {
        let mode = was.known.st_mode & 0o7777;
        Ok(match FileType::from_raw_mode(was.known.st_mode) {
            FileType::Directory => Before::Folder { mode },
            FileType::Symlink => Before::Link {
                target: target(folder, was, name)?,
            },
            FileType::RegularFile => {
                let same_content = match now {
                    Some((size, digest)) if size == was.known.st_size => self
                        .content(folder, was, name)?
                        .is_some_and(|(before, _)| before == digest),
                    _ => false,
                };
                Before::File {
                    size: was.known.st_size.cast_unsigned(),
                    mode,
                    same_content,
                }
            }
            _ => Before::Special,
        })
    }

    /// Reads a file to its end; `None` when it has more holes than may be read.
    fn content(
        &mut self,
        folder: &Folder,
        entry: &Entry,
        name: &std::ffi::OsString,
    ) -> io::Result<Option<(Digest, Vec<u8>)>> {
        let known = identity(&entry.known);
        if let Some(content) = self.contents.get(&known) {
            return Ok(Some(content.clone()));
        }
        let (size, blocks) = (
            entry.known.st_size.cast_unsigned(),
            entry.known.st_blocks.cast_unsigned(),
        );
        if !self.reader.affords(size, blocks) {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(folder.of(entry)?, name, flags, Mode::empty())?;
        let content = read(fs::File::from(file))?;
        if entry.known.st_nlink > 1 {
            self.contents.insert(known, content.clone());
        }
        Ok(Some(content))
    }
}

fn identity(known: &Stat) -> Identity {
    (known.st_dev, known.st_ino)
}

fn target(folder: &Folder, entry: &Entry, name: &std::ffi::OsString) -> io::Result<String> {
    let target = readlinkat(folder.of(entry)?, name, Vec::new())?;
    Ok(String::from_utf8_lossy(target.as_bytes()).into_owned())
}

fn read(mut file: fs::File) -> io::Result<(Digest, Vec<u8>)> {
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
