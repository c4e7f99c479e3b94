//! Work on files, done by a child of the supervisor whose root is the box's: no link can lead out.

use std::{
    fs,
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::Path,
};

use super::{
    archive::{self, Owners},
    export,
    layers::{MERGED, counts},
    wire::{FileRequest, UnpackRequest},
};

/// Memory of the process that unpacks an image.
const UNPACK_MEMORY: u64 = 2 << 30;

/// Does one piece of work; the pipe carries its bytes.
pub(crate) fn work(request: FileRequest, mut pipe: impl Read + Write) -> io::Result<()> {
    match request {
        FileRequest::WriteTree { folder } => {
            let folder = Path::new(&folder);
            make_folders(folder)?;
            archive::unpack(pipe, folder, Owners::Root, None)
        }
        FileRequest::ReadTree { path } => archive::pack(Path::new(&path), pipe).map_err(named(Path::new(&path))),
        FileRequest::WriteFile { path, mode } => {
            let path = Path::new(&path);
            if let Some(folder) = path.parent() {
                make_folders(folder)?;
            }
            let mut file = fs::OpenOptions::new()
                .create(true)
                .truncate(true)
                .write(true)
                .mode(mode)
                // A pipe that nobody reads must not keep anybody waiting.
                .custom_flags(libc::O_NONBLOCK)
                .open(path)
                .map_err(named(path))?;
            if !file.metadata()?.is_file() {
                return Err(io::Error::other(format!("{}: not a regular file", path.display())));
            }
            file.set_permissions(fs::Permissions::from_mode(mode))
                .map_err(named(path))?;
            io::copy(&mut pipe, &mut file).map(drop)
        }
        FileRequest::ReadFile { path, limit } => {
            let path = Path::new(&path);
            // Opening a pipe or a device could wait for ever.
            let known = fs::metadata(path).map_err(|error| match error.raw_os_error() {
                // Not there, though the kernel has another word for it.
                Some(libc::ENOTDIR | libc::ELOOP | libc::ENAMETOOLONG) => io::ErrorKind::NotFound.into(),
                _ => error,
            });
            let known = known.map_err(named(path))?;
            if !known.is_file() {
                return Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("{}: not a regular file", path.display()),
                ));
            }
            let file = fs::File::open(path).map_err(named(path))?;
            pipe.write_all(&known.size().to_le_bytes())?;
            io::copy(&mut file.take(limit), &mut pipe).map(drop)
        }
        FileRequest::Changes { .. } | FileRequest::Export => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn named(path: &Path) -> impl Fn(io::Error) -> io::Error + '_ {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn make_folders(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)
        .map_err(named(path))
}

/// Unpacks an image into the present folder, which becomes this process's root.
pub(crate) fn unpack_image(pipe: OwnedFd, request: UnpackRequest) -> io::Result<()> {
    rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::chroot(".")?;
    // An archive's own words about itself must not take all of the machine's memory.
    let _ = nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_AS, UNPACK_MEMORY, UNPACK_MEMORY);
    archive::unpack(fs::File::from(pipe), Path::new("/"), Owners::Archive, Some(request))?;
    // Whatever an image lacks, a box mounts something there.
    for (name, mode) in [
        ("/dev", 0o755),
        ("/proc", 0o555),
        ("/sys", 0o555),
        ("/tmp", 0o1777),
        ("/etc", 0o755),
        ("/root", 0o700),
    ] {
        let place = Path::new(name);
        match fs::symlink_metadata(place) {
            Ok(known) if known.is_dir() => {}
            Ok(_) => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("its {name} is no folder, so it is no root file system"),
                ));
            }
            Err(_) => {
                fs::create_dir(place).map_err(named(place))?;
                fs::set_permissions(place, fs::Permissions::from_mode(mode)).map_err(named(place))?;
            }
        }
    }
    Ok(())
}

/// Bytes that a file counts for at least: one without content still has a name and an entry in the disk's table of files,
/// which has an end.
pub(crate) const LEAST_FILE: u64 = 4096;

/// Packs an image, which is the present folder and becomes this process's root, with its owners.
pub(crate) fn pack_image(pipe: OwnedFd) -> io::Result<()> {
    rustix::process::chroot(".")?;
    export::pack(fs::File::from(pipe))
}

/// Bytes of disk that a box's layers take, without following links.
pub(crate) fn usage(layers: &Path) -> u64 {
    let mut sum = 0;
    let mut folders: Vec<_> = entries(layers)
        .filter(|entry| counts(Path::new(&entry.file_name())))
        .map(|entry| entry.path())
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder) {
            let Ok(known) = entry.metadata() else { continue };
            if known.is_dir() {
                folders.push(entry.path());
            }
            // A file with several names is counted for its share under each.
            sum += (known.blocks() * 512).max(LEAST_FILE) / if known.is_dir() { 1 } else { known.nlink().max(1) };
        }
    }
    sum + nameless()
}

/// Bytes of files of the merged tree that have no name any more and are still open somewhere in the box.
fn nameless() -> u64 {
    let Ok(tree) = fs::metadata(MERGED) else { return 0 };
    let mut seen = std::collections::HashSet::new();
    let mut sum = 0;
    // Other processes of the machine cannot be looked into from here.
    let is_process = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit);
    for process in entries(Path::new("/proc")).filter(is_process) {
        for descriptor in entries(&process.path().join("fd")) {
            let Ok(known) = fs::metadata(descriptor.path()) else {
                continue;
            };
            if known.nlink() == 0 && known.is_file() && known.dev() == tree.dev() && seen.insert(known.ino()) {
                sum += known.blocks() * 512;
            }
        }
    }
    sum
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}
