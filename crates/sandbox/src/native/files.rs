//! Work on files, done by a child of the supervisor whose root is the box's: no link can lead out.

use std::{
    fs,
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::{Component, Path, PathBuf},
};

use super::wire::FileRequest;

/// Does one piece of work; the pipe carries its bytes.
pub(crate) fn work(request: FileRequest, pipe: OwnedFd) -> io::Result<()> {
    let mut pipe = fs::File::from(pipe);
    match request {
        FileRequest::WriteTree { folder } => {
            make_folders(Path::new(&folder))?;
            unpack(pipe, Path::new(&folder), Owners::Root)
        }
        FileRequest::ReadTree { path } => pack(&path, pipe),
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
                .open(path)
                .map_err(named(path))?;
            file.set_permissions(fs::Permissions::from_mode(mode))
                .map_err(named(path))?;
            io::copy(&mut pipe, &mut file).map(drop)
        }
        FileRequest::ReadFile { path, limit } => {
            let path = Path::new(&path);
            // Opening a pipe or a device could wait for ever.
            let known = fs::metadata(path).map_err(named(path))?;
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

/// Who owns what is unpacked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owners {
    /// The namespace's root.
    Root,
    /// Whoever the archive says.
    Archive,
}

/// Unpacks an image into the present folder.
pub(crate) fn unpack_image(pipe: OwnedFd) -> io::Result<()> {
    rustix::process::umask(rustix::fs::Mode::empty());
    unpack(fs::File::from(pipe), Path::new("."), Owners::Archive)
}

fn unpack(stream: fs::File, folder: &Path, owners: Owners) -> io::Result<()> {
    let mut stream = io::BufReader::with_capacity(1 << 20, stream);
    {
        let mut archive = tar::Archive::new(&mut stream);
        archive.set_preserve_permissions(true);
        archive.set_preserve_mtime(true);
        archive.set_preserve_ownerships(owners == Owners::Archive);
        archive.set_overwrite(true);
        // Folders get their modes and times last, so that a read-only one can be filled.
        let mut folders = Vec::new();
        for entry in archive.entries()? {
            let mut entry = entry?;
            let path = entry.path()?.into_owned();
            let plain = path
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir | Component::RootDir));
            if !plain {
                return Err(io::Error::other(format!(
                    "the tar entry {} leads out of its folder",
                    path.display()
                )));
            }
            let kind = entry.header().entry_type();
            if kind.is_character_special() || kind.is_block_special() || kind.is_fifo() {
                // A box has its own /dev; an image's is not needed, and anything else has no business with devices.
                continue;
            }
            if kind.is_dir() {
                folders.push(entry);
            } else {
                entry.unpack_in(folder)?;
            }
        }
        folders.sort_by(|a, b| b.path_bytes().cmp(&a.path_bytes()));
        for mut entry in folders {
            entry.unpack_in(folder)?;
        }
    }
    // The writer must not get a broken pipe for the padding after the end mark.
    io::copy(&mut stream, &mut io::sink()).map(drop)
}

fn pack(path: &str, pipe: fs::File) -> io::Result<()> {
    let path = Path::new(path);
    let known = fs::symlink_metadata(path).map_err(named(path))?;
    let mut builder = tar::Builder::new(io::BufWriter::with_capacity(1 << 20, pipe));
    builder.follow_symlinks(false);
    builder.sparse(false);
    if known.is_dir() {
        builder.append_dir_all(".", path)?;
    } else {
        let name = path.file_name().map_or_else(|| PathBuf::from("file"), PathBuf::from);
        builder.append_path_with_name(path, name)?;
    }
    builder.into_inner()?.flush()
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
