//! Makes one layer of several, so that a box with many snapshots is not slower than one with few. Nothing is copied: files
//! get one more name, and only folders are made again, so the time grows with what the layers hold and not with the tree.
//! The layers themselves stay, because snapshots lead between them.

use std::{
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use rustix::fs::{
    AtFlags, Gid, Mode, RawMode, Stat, Timespec, Timestamps, Uid, XattrFlags, chmodat, chownat, linkat, mkdirat,
    statat, utimensat,
};

use super::stack::{Stack, is_folder, layers_folder, open_below, path_of};

/// Merges layers, topmost first, into a new folder.
pub(crate) fn merge(layers: &[String], place: &str) -> io::Result<()> {
    let stack = Stack::open(layers)?;
    std::fs::create_dir(place)?;
    let out = layers_folder(place)?;
    if let Some(top) = layers.first() {
        let top = layers_folder(top)?;
        let known = statat(&top, ".", AtFlags::empty())?;
        own(&out, ".", &known)?;
    }
    let mut made: Vec<(PathBuf, Stat)> = Vec::new();
    let mut waiting = vec![(PathBuf::new(), stack.all())];
    while let Some((path, parts)) = waiting.pop() {
        let folder = stack.folder(&path, &parts);
        let here = open_below(&out, &path)?;
        for name in folder.names()? {
            let Some(entry) = folder.look(&name) else { continue };
            let from = folder.of(&entry)?;
            if !is_folder(&entry.known) {
                linkat(from, &name, &here, &name, AtFlags::empty())?;
                continue;
            }
            mkdirat(&here, &name, Mode::from_raw_mode(0o700))?;
            attributes(&path_of(from, &name), &path_of(&here, &name))?;
            if entry.hides {
                let place = path_of(&here, &name);
                rustix::fs::lsetxattr(place, "user.overlay.opaque", b"y", XattrFlags::empty())?;
            }
            own(&here, &name, &entry.known)?;
            let path = path.join(&name);
            made.push((path.clone(), entry.known));
            waiting.push((path, entry.layers));
        }
    }
    // Last, because what is made in a folder changes its time.
    for (path, known) in made.iter().rev() {
        let folder = open_below(&out, path)?;
        let time = |seconds: i64, nanos: u64| Timespec {
            tv_sec: seconds,
            tv_nsec: nanos.cast_signed(),
        };
        let times = Timestamps {
            last_access: time(known.st_atime, known.st_atime_nsec),
            last_modification: time(known.st_mtime, known.st_mtime_nsec),
        };
        utimensat(&folder, ".", &times, AtFlags::empty())?;
    }
    Ok(())
}

fn own(folder: &impl std::os::fd::AsFd, name: impl rustix::path::Arg + Copy, known: &Stat) -> io::Result<()> {
    chownat(
        folder,
        name,
        Some(Uid::from_raw(known.st_uid)),
        Some(Gid::from_raw(known.st_gid)),
        AtFlags::SYMLINK_NOFOLLOW,
    )?;
    let mode = Mode::from_raw_mode(known.st_mode as RawMode & 0o7777);
    Ok(chmodat(folder, name, mode, AtFlags::empty())?)
}

/// Copies a folder's extended attributes, the overlay's own among them.
fn attributes(from: &Path, to: &Path) -> io::Result<()> {
    let mut names = vec![0_u8; 64 << 10];
    let length = rustix::fs::llistxattr(from, &mut names)?;
    for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
        if name.is_empty() {
            continue;
        }
        let name = std::ffi::OsStr::from_bytes(name);
        let mut value = vec![0_u8; 64 << 10];
        let length = rustix::fs::lgetxattr(from, name, &mut value)?;
        let value = value.get(..length).unwrap_or_default();
        rustix::fs::lsetxattr(to, name, value, XattrFlags::empty())?;
    }
    Ok(())
}
