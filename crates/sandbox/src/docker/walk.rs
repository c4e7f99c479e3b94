//! Walks over the container's tree, in a child of the agent.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::PathBuf,
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Statx, StatxFlags, open, openat, statx},
    time::{ClockId, clock_gettime},
};

use super::listing::{Entry, Sort, encode, take_path};
use crate::{ChangeKind, native::Reader};

/// Top folders that are no part of the tree: the kernel's.
const KERNEL: [&[u8]; 3] = [b"dev", b"proc", b"sys"];
/// Bytes of a path that the kernel takes at once, with some to spare.
const SPAN: usize = 3000;

/// Lists the whole tree, without what other file systems are mounted on.
pub(super) fn list(out: &mut impl Write) -> io::Result<()> {
    let root = open_folder(b"")?;
    let device = device(&look(&root, b".")?);
    let mut newest = (0, 0);
    let mut waiting = vec![Vec::new()];
    let mut line = Vec::new();
    while let Some(path) = waiting.pop() {
        let folder = match open_folder(&path) {
            Ok(folder) => folder,
            // Something that still runs has removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." || path.is_empty() && KERNEL.contains(&name) {
                continue;
            }
            let known = match look(&folder, name) {
                Ok(known) => known,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let inside = join(&path, name);
            let is_folder = FileType::from_raw_mode(known.stx_mode.into()) == FileType::Directory;
            let stamp = if is_folder {
                u64::from(known.stx_mode & 0o7777)
            } else {
                newest = newest.max((known.stx_ctime.tv_sec, known.stx_ctime.tv_nsec));
                stamp(&known)
            };
            let sort = if is_folder { Sort::Folder } else { Sort::Other };
            line.clear();
            encode(&mut line, &inside, Entry { sort, stamp });
            out.write_all(&line)?;
            if is_folder && self::device(&known) == device {
                waiting.push(inside);
            }
        }
    }
    settle(newest);
    Ok(())
}

/// Waits until the clock that change times are taken from has passed the newest of them: what is written from now on
/// gets a later one. A few milliseconds at most; a time in the future is not waited for.
fn settle(newest: (i64, u32)) {
    for _ in 0..50 {
        let now = clock_gettime(ClockId::RealtimeCoarse);
        if (now.tv_sec, now.tv_nsec) > (newest.0, newest.1.into()) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn look(folder: &OwnedFd, name: &[u8]) -> io::Result<Statx> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    Ok(statx(folder, name, flags, StatxFlags::BASIC_STATS)?)
}

fn device(known: &Statx) -> (u32, u32) {
    (known.stx_dev_major, known.stx_dev_minor)
}

/// Changes when anybody writes to a file or changes its mode.
fn stamp(known: &Statx) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u16(known.stx_mode);
    hasher.write_u64(known.stx_size);
    hasher.write_u32(known.stx_rdev_major);
    hasher.write_u32(known.stx_rdev_minor);
    for time in [known.stx_mtime, known.stx_ctime] {
        hasher.write_i64(time.tv_sec);
        hasher.write_u32(time.tv_nsec);
    }
    hasher.finish()
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Opens a folder by its path relative to the root, however long that is.
fn open_folder(path: &[u8]) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut folder = open("/", flags, Mode::empty())?;
    let mut rest = path;
    while !rest.is_empty() {
        let end = if rest.len() <= SPAN {
            rest.len()
        } else {
            let span = rest.get(..SPAN).unwrap_or(rest);
            span.iter()
                .rposition(|byte| *byte == b'/')
                .ok_or(io::ErrorKind::InvalidInput)?
        };
        let (span, after) = rest.split_at(end);
        folder = openat(&folder, span, flags, Mode::empty())?;
        rest = after.strip_prefix(b"/").unwrap_or(after);
    }
    Ok(folder)
}

/// Reads paths and tells what is at each, one JSON line each; `null` where nothing is any more.
pub(super) fn describe(stream: &mut (impl Read + Write)) -> io::Result<()> {
    let mut paths = Vec::new();
    stream.read_to_end(&mut paths)?;
    let mut rest = &paths[..];
    let mut reader = Reader::default();
    while !rest.is_empty() {
        let path = take_path(&mut rest)?;
        let kind = match tell(path, &mut reader) {
            Ok(kind) => Some(kind),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        serde_json::to_writer(&mut *stream, &kind).map_err(io::Error::other)?;
        stream.write_all(b"\n")?;
    }
    Ok(())
}

fn tell(path: &[u8], reader: &mut Reader) -> io::Result<ChangeKind> {
    let slash = path.iter().rposition(|byte| *byte == b'/');
    let (folder, name) = match slash {
        Some(slash) => (path.get(..slash), path.get(slash + 1..)),
        None => (Some(&b""[..]), Some(path)),
    };
    let folder = open_folder(folder.unwrap_or_default())?;
    let mut place = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    place.push(std::ffi::OsStr::from_bytes(name.unwrap_or_default()));
    let known = fs::symlink_metadata(&place)?;
    reader.read(&place, &known)
}
