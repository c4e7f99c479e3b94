//! Tar streams in and out. The caller has made the tree this process's root, so whatever an archive says, it says about
//! the tree; on top of that nothing is written outside the folder that was asked for.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Component, Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};
use tar::{EntryType, Header};

use super::{whiteouts::Layer, wire::UnpackRequest};

/// How many users and groups a box has.
const IDS: u32 = 65_536;

/// Who owns what is unpacked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owners {
    /// The namespace's root; devices and pipes are refused.
    Root,
    /// Whoever the archive says; devices are left out, because a box has its own.
    Archive,
}

/// Unpacks a tar stream below a folder, which is there. A request bounds it and may make it a layer.
pub(super) fn unpack(
    stream: impl Read,
    folder: &Path,
    owners: Owners,
    request: Option<UnpackRequest>,
) -> io::Result<()> {
    let mut stream = io::BufReader::with_capacity(1 << 20, stream);
    Unpacker {
        folder,
        owners,
        layer: request.filter(|request| request.layer).map(|_| Layer::default()),
        left_bytes: request.map_or(u64::MAX, |request| request.most_bytes),
        left_entries: request.map_or(u64::MAX, |request| request.most_entries),
        checked: PathBuf::new(),
        folders: BTreeMap::new(),
        holes: 0,
    }
    .run(&mut stream)?;
    // The writer must not get a broken pipe for the padding after the end mark.
    io::copy(&mut stream, &mut io::sink()).map(drop)
}

struct Unpacker<'a> {
    folder: &'a Path,
    owners: Owners,
    /// What this layer has placed, when the stream is one.
    layer: Option<Layer>,
    left_bytes: u64,
    left_entries: u64,
    /// The folder that the last entry was in: known to be one, reached without links. What is shared with it needs no
    /// second look, or a deep tree would take the cube of its depth.
    checked: PathBuf,
    /// Folders get their modes and times last, so that a read-only one can be filled.
    folders: BTreeMap<PathBuf, (u32, u64)>,
    /// Bytes of files that may have holes.
    holes: u64,
}

impl Unpacker<'_> {
    fn run(mut self, stream: &mut impl Read) -> io::Result<()> {
        let mut archive = tar::Archive::new(stream);
        let mut any = false;
        // An archive cut off between two entries has no end mark, but neither have some that are whole.
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.into_owned();
            any = true;
            self.place(&mut entry, &name)
                .map_err(|error| io::Error::new(error.kind(), format!("the tar entry {}: {error}", name.display())))?;
        }
        // An empty folder is a tree like any other; an image without files is a mistake.
        if !any && self.owners == Owners::Archive && self.layer.is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the tar stream is empty"));
        }
        // The deepest first: setting a folder's time must come after everything in it.
        for (path, (mode, time)) in self.folders.iter().rev() {
            fs::set_permissions(path, fs::Permissions::from_mode(*mode))?;
            set_time(path, *time)?;
        }
        Ok(())
    }

    fn place(&mut self, entry: &mut tar::Entry<'_, impl Read>, name: &Path) -> io::Result<()> {
        let kind = entry.header().entry_type();
        let mode = entry.header().mode()? & 0o7777;
        let time = entry.header().mtime()?;
        let inside = inside_of(name)?;
        let path = self.folder.join(&inside);
        if inside.as_os_str().is_empty() {
            if kind.is_dir() {
                self.own(&path, entry.header())?;
                self.folders.insert(path, (mode, time));
            }
            return Ok(());
        }
        self.bound(entry.size())?;
        // Marks are files of no content; a folder or a link of such a name is no mark.
        if let Some(layer) = &self.layer
            && kind.is_file()
            && layer.mark(&path)?
        {
            return Ok(());
        }
        self.check_parent(&inside)?;
        if let Some(layer) = &mut self.layer {
            layer.place(&path);
        }
        match kind {
            EntryType::Directory => {
                match fs::symlink_metadata(&path) {
                    Ok(known) if known.is_dir() => {}
                    Ok(_) => {
                        fs::remove_file(&path)?;
                        fs::DirBuilder::new().mode(0o700).create(&path)?;
                    }
                    Err(_) => fs::DirBuilder::new().mode(0o700).create(&path)?,
                }
                self.own(&path, entry.header())?;
                self.folders.insert(path, (mode, time));
            }
            EntryType::Symlink => {
                let target = entry.link_name()?.ok_or(io::ErrorKind::InvalidData)?;
                self.clear(&path)?;
                std::os::unix::fs::symlink(&target, &path)?;
                self.own(&path, entry.header())?;
                set_time(&path, time)?;
            }
            EntryType::Link => {
                let target = entry.link_name()?.ok_or(io::ErrorKind::InvalidData)?;
                let target = match self.owners {
                    Owners::Root => inside_checked(self.folder, &target)?,
                    // The tree is this process's root, so a link on the way leads to somewhere inside.
                    Owners::Archive => self.folder.join(inside_of(&target)?),
                };
                self.clear(&path)?;
                fs::hard_link(target, &path)?;
            }
            EntryType::Char | EntryType::Block | EntryType::Fifo => {
                if self.owners == Owners::Root {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "devices and pipes are refused",
                    ));
                }
            }
            // Facts about the whole archive or the entry that follows; the reader has used them.
            EntryType::XGlobalHeader | EntryType::XHeader | EntryType::GNULongName | EntryType::GNULongLink => {}
            _ => {
                self.clear(&path)?;
                let mut file = fs::OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(&path)?;
                let wanted = entry.size();
                // The one kind of entry that can say more than the stream holds.
                if kind.is_gnu_sparse() {
                    self.holes = self.holes.saturating_add(wanted);
                    if self.holes > HOLES {
                        return Err(io::Error::new(
                            io::ErrorKind::InvalidData,
                            "it has holes beyond all measure",
                        ));
                    }
                }
                if io::copy(entry, &mut file)? != wanted {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is cut off"));
                }
                self.own(&path, entry.header())?;
                file.set_permissions(fs::Permissions::from_mode(mode))?;
                set_time(&path, time)?;
            }
        }
        Ok(())
    }

    /// Counts an entry, before anything of it is written.
    fn bound(&mut self, bytes: u64) -> io::Result<()> {
        let too_much = |what| io::Error::new(io::ErrorKind::InvalidData, format!("the archive has too many {what}"));
        self.left_entries = self.left_entries.checked_sub(1).ok_or_else(|| too_much("entries"))?;
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or_else(|| too_much("bytes"))?;
        Ok(())
    }

    /// Makes the folders that an entry is in, and refuses to go through anything else.
    fn check_parent(&mut self, inside: &Path) -> io::Result<()> {
        let Some(parent) = inside.parent() else { return Ok(()) };
        if parent == self.checked {
            return Ok(());
        }
        let mut path = self.folder.to_owned();
        let mut known = self.checked.components();
        let mut shared = true;
        for part in parent.components() {
            path.push(part);
            shared = shared && known.next() == Some(part);
            if shared {
                continue;
            }
            match fs::symlink_metadata(&path) {
                Ok(known) if known.is_dir() => {}
                // Distributions have `lib -> usr/lib`, and layers that name files below `lib`. The tree is this
                // process's root, so the link leads to somewhere inside.
                Ok(known)
                    if known.is_symlink()
                        && self.owners == Owners::Archive
                        && fs::metadata(&path).is_ok_and(|there| there.is_dir()) => {}
                Ok(_) => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!("{} is no folder", path.display()),
                    ));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    fs::DirBuilder::new().mode(0o755).create(&path)?;
                }
                Err(error) => return Err(error),
            }
        }
        parent.clone_into(&mut self.checked);
        Ok(())
    }

    /// Makes room for a file or link. A folder with something in it stays, and is an error.
    fn clear(&mut self, path: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path) {
            Ok(known) if known.is_dir() => {
                // It may be the one that was checked, and what takes its place may be a link.
                self.checked = PathBuf::new();
                self.folders.remove(path);
                if self.layer.is_some() {
                    // It was a lower layer's.
                    self.folders.retain(|folder, _| !folder.starts_with(path));
                    return super::removal::remove(path);
                }
                fs::remove_dir(path)
            }
            Ok(_) => fs::remove_file(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn own(&self, path: &Path, header: &Header) -> io::Result<()> {
        if self.owners == Owners::Root {
            return Ok(());
        }
        let id = |id: u64| {
            u32::try_from(id).ok().filter(|id| *id < IDS).ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("it belongs to {id}, and users and groups of a box end at {}", IDS - 1),
                )
            })
        };
        std::os::unix::fs::lchown(path, Some(id(header.uid()?)?), Some(id(header.gid()?)?))
    }
}

/// An entry's path below the folder; absolute ones are taken as relative, ones that climb are refused.
fn inside_of(name: &Path) -> io::Result<PathBuf> {
    let mut path = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "it leads out of its folder"));
            }
        }
    }
    Ok(path)
}

/// The file that a hard link names, which must be below the folder and be reached without links.
fn inside_checked(folder: &Path, target: &Path) -> io::Result<PathBuf> {
    let inside = inside_of(target)?;
    let mut path = folder.to_owned();
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        if parts.peek().is_some() && !fs::symlink_metadata(&path)?.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is no folder", path.display()),
            ));
        }
    }
    Ok(path)
}

fn set_time(path: &Path, seconds: u64) -> io::Result<()> {
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: i64::try_from(seconds).unwrap_or(i64::MAX),
            tv_nsec: 0,
        },
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Bytes of holes that are packed or unpacked in all: they cost a box nothing, and whoever reads them would never come to an end.
const HOLES: u64 = 1 << 30;

/// Packs a file or folder, entries relative to it and sorted. Devices, sockets and pipes are left out.
pub(super) fn pack(path: &Path, out: impl Write) -> io::Result<()> {
    let mut builder = tar::Builder::new(io::BufWriter::with_capacity(1 << 20, out));
    let mut holes = 0;
    let known = fs::symlink_metadata(path)?;
    if !known.is_dir() {
        let name = path.file_name().unwrap_or(OsStr::new("file"));
        append(&mut builder, path, Path::new(name), &known, &mut holes)?;
        return builder.into_inner()?.flush();
    }
    // A list instead of recursion: trees may be deeper than a stack.
    let mut waiting = vec![PathBuf::from(".")];
    while let Some(inside) = waiting.pop() {
        let place = path.join(&inside);
        let known = fs::symlink_metadata(&place)?;
        append(&mut builder, &place, &inside, &known, &mut holes)?;
        if known.is_dir() {
            let mut names: Vec<_> = fs::read_dir(&place)?
                .map(|entry| entry.map(|entry| entry.file_name()))
                .collect::<Result<_, _>>()?;
            names.sort_unstable_by(|a, b| b.cmp(a));
            waiting.extend(names.into_iter().map(|name| inside.join(name)));
        }
    }
    builder.into_inner()?.flush()
}

fn append(
    builder: &mut tar::Builder<impl Write>,
    place: &Path,
    inside: &Path,
    known: &fs::Metadata,
    holes: &mut u64,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(known.mode() & 0o7777);
    header.set_mtime(u64::try_from(known.mtime()).unwrap_or(0));
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    if known.is_dir() {
        header.set_entry_type(EntryType::Directory);
        let mut name = inside.as_os_str().to_owned();
        name.push("/");
        builder.append_data(&mut header, Path::new(&name), io::empty())
    } else if known.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        builder.append_link(&mut header, inside, fs::read_link(place)?)
    } else if known.is_file() {
        *holes += known.len().saturating_sub(known.blocks() * 512);
        if *holes > HOLES {
            return Err(io::Error::other(format!(
                "{}: files with holes beyond all measure are not read",
                place.display()
            )));
        }
        header.set_entry_type(EntryType::Regular);
        header.set_size(known.len());
        // Nothing runs in the box now, so the size stays what it is; a short read would still spoil the stream.
        let file = fs::File::open(place)?;
        builder.append_data(
            &mut header,
            inside,
            file.take(known.len()).chain(io::repeat(0)).take(known.len()),
        )
    } else {
        Ok(())
    }
}
