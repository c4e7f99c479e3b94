//! Layers read as the overlay reads them, without mounting them: what a name is, taken from the topmost layer that knows
//! it, and in which layers a folder goes on. Folders are opened piece by piece, so that no path is too long.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, open, openat2, statat};

/// Bytes of a path that are opened at once; the kernel takes 4096.
const PIECE: usize = 2048;

/// Layers, topmost first.
pub(crate) struct Stack {
    roots: Vec<OwnedFd>,
}

/// One folder, in each layer that has a part of it, topmost first.
pub(crate) struct Folder {
    parts: Vec<(usize, OwnedFd)>,
}

/// What a name is.
pub(crate) struct Entry {
    /// The part of the folder that says so.
    part: usize,
    pub(crate) known: Stat,
    /// The layers in which it goes on, when it is a folder.
    pub(crate) layers: Vec<usize>,
    /// Whether it hides what layers further down have under this name.
    pub(crate) hides: bool,
}

impl Stack {
    pub(crate) fn open(layers: &[String]) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let roots: rustix::io::Result<_> = layers.iter().map(|layer| open(layer, flags, Mode::empty())).collect();
        Ok(Self { roots: roots? })
    }

    /// All layers, for the topmost folder.
    pub(crate) fn all(&self) -> Vec<usize> {
        (0..self.roots.len()).collect()
    }

    /// A folder's parts in some layers. A part that has gone meanwhile is left out.
    pub(crate) fn folder(&self, path: &Path, layers: &[usize]) -> Folder {
        let parts = layers.iter().filter_map(|layer| {
            let root = self.roots.get(*layer)?;
            Some((*layer, open_below(root, path).ok()?))
        });
        Folder { parts: parts.collect() }
    }
}

/// Opens a folder below another one, without following a link.
pub(crate) fn open_below(root: &impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let step = |from: &dyn AsFdObject, piece: &Path| openat2(from.fd(), piece, flags, Mode::empty(), resolve);
    let mut at = step(root, Path::new("."))?;
    let mut piece = PathBuf::new();
    for part in path.components() {
        piece.push(part);
        if piece.as_os_str().len() > PIECE {
            at = step(&at, &piece)?;
            piece = PathBuf::new();
        }
    }
    if !piece.as_os_str().is_empty() {
        at = step(&at, &piece)?;
    }
    Ok(at)
}

/// A descriptor behind a reference.
trait AsFdObject {
    fn fd(&self) -> std::os::fd::BorrowedFd<'_>;
}

impl<T: AsFd> AsFdObject for T {
    fn fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.as_fd()
    }
}

impl Folder {
    /// The names in all parts, with those of things that were taken away.
    pub(crate) fn names(&self) -> io::Result<BTreeSet<OsString>> {
        let mut names = BTreeSet::new();
        for (_, part) in &self.parts {
            for entry in Dir::read_from(part_to_read(part)?)? {
                let entry = entry?;
                let name = entry.file_name().to_bytes();
                if name != b"." && name != b".." {
                    names.insert(OsString::from_vec(name.to_vec()));
                }
            }
        }
        Ok(names)
    }

    /// What a name is.
    pub(crate) fn look(&self, name: &OsString) -> Option<Entry> {
        let mut found: Option<Entry> = None;
        for (index, (layer, part)) in self.parts.iter().enumerate() {
            let Ok(known) = statat(part, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let is_folder = is_folder(&known);
            let entry = match &mut found {
                None => found.insert(Entry {
                    part: index,
                    known,
                    layers: Vec::new(),
                    hides: false,
                }),
                Some(entry) => entry,
            };
            if !is_folder {
                entry.hides = true;
                break;
            }
            entry.layers.push(*layer);
            if is_opaque(part, name) {
                entry.hides = true;
                break;
            }
        }
        found
    }

    /// The folder that an entry is in.
    pub(crate) fn of(&self, entry: &Entry) -> io::Result<&OwnedFd> {
        let part = self.parts.get(entry.part).map(|(_, part)| part);
        part.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Whether something is a folder.
pub(crate) fn is_folder(known: &Stat) -> bool {
    FileType::from_raw_mode(known.st_mode) == FileType::Directory
}

/// Whether something is the overlay's mark of what was taken away.
pub(crate) fn is_whiteout(known: &Stat) -> bool {
    FileType::from_raw_mode(known.st_mode) == FileType::CharacterDevice && known.st_rdev == 0
}

fn part_to_read(part: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(part, ".", flags, Mode::empty())?)
}

/// Attributes are read and written by path: there is no call that takes a folder and a name.
pub(crate) fn path_of(part: &OwnedFd, name: &OsString) -> PathBuf {
    use std::os::fd::AsRawFd;
    Path::new(&format!("/proc/self/fd/{}", part.as_raw_fd())).join(name)
}

fn is_opaque(part: &OwnedFd, name: &OsString) -> bool {
    let mut value = [0_u8; 2];
    let length = rustix::fs::lgetxattr(path_of(part, name), "user.overlay.opaque", &mut value).unwrap_or(0);
    length == 1 && value.first() == Some(&b'y')
}

/// Whether a path is too long to be told of.
pub(crate) fn is_too_long(path: &Path) -> bool {
    path.as_os_str().as_bytes().len() > 16 << 10
}

/// The folder of layers itself, to make things in.
pub(crate) fn layers_folder(path: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(CWD, path, flags, Mode::empty())?)
}
