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
    wire::FileRequest,
};

/// Does one piece of work; the pipe carries its bytes.
pub(crate) fn work(request: FileRequest, pipe: OwnedFd) -> io::Result<()> {
    let mut pipe = fs::File::from(pipe);
    match request {
        FileRequest::WriteTree { folder } => {
            let folder = Path::new(&folder);
            make_folders(folder)?;
            archive::unpack(pipe, folder, Owners::Root)
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
        FileRequest::Changes { .. } => Err(io::ErrorKind::InvalidInput.into()),
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
pub(crate) fn unpack_image(pipe: OwnedFd) -> io::Result<()> {
    rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::chroot(".")?;
    archive::unpack(fs::File::from(pipe), Path::new("/"), Owners::Archive)
}

/// Bytes of disk below a folder, without following links or leaving the file system.
pub(crate) fn usage(folder: &Path) -> u64 {
    let mut sum = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(known) = entry.metadata() else { continue };
            if known.is_dir() {
                folders.push(entry.path());
            } else {
                // A file with several names is counted for its share under each.
                sum += known.blocks() * 512 / known.nlink().max(1);
            }
        }
    }
    sum
}

/// Removes a tree whose folders may be closed to their owner.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path);
            fs::remove_dir_all(path)
        }
        other => other,
    }
}

fn open_up(path: &Path) {
    let Ok(known) = fs::symlink_metadata(path) else { return };
    if !known.is_dir() {
        return;
    }
    drop(fs::set_permissions(path, fs::Permissions::from_mode(0o700)));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        open_up(&entry.path());
    }
}
