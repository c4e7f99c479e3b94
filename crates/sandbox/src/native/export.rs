//! A box's whole tree as the archive of an image: with owners, modes and hard links, and without what would make two
//! equal trees differ.

use std::{
    collections::HashMap,
    fs,
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use tar::{EntryType, Header};

use super::IMAGE_TIME;

/// Folders whose content is a running system's, not an image's.
const EMPTY: [&str; 6] = ["dev", "proc", "sys", "run", "tmp", "var/tmp"];
/// Records of when something was done; they differ each time.
const RECORDS: [&str; 7] = [
    "var/log/alternatives.log",
    "var/log/apt/eipp.log.xz",
    "var/log/apt/history.log",
    "var/log/apt/term.log",
    "var/log/dpkg.log",
    "var/cache/ldconfig/aux-cache",
    "var/lib/dbus/machine-id",
];

/// Packs the tree below this process's root.
pub(super) fn pack(out: impl Write) -> io::Result<()> {
    let mut builder = tar::Builder::new(io::BufWriter::with_capacity(1 << 20, out));
    // First names of files that have several.
    let mut names: HashMap<(u64, u64), PathBuf> = HashMap::new();
    let mut waiting = vec![PathBuf::from(".")];
    while let Some(inside) = waiting.pop() {
        let place = Path::new("/").join(&inside);
        let known = fs::symlink_metadata(&place)?;
        append(&mut builder, &place, &inside, &known, &mut names)?;
        let name = inside.strip_prefix(".").unwrap_or(&inside);
        if known.is_dir() && !EMPTY.iter().any(|empty| name == Path::new(empty)) {
            let mut names: Vec<_> = fs::read_dir(&place)?
                .map(|entry| entry.map(|entry| inside.join(entry.file_name())))
                .collect::<Result<_, _>>()?;
            names.retain(|name| {
                let name = name.strip_prefix(".").unwrap_or(name);
                !RECORDS.iter().any(|record| name == Path::new(record))
            });
            names.sort_unstable_by(|a, b| b.cmp(a));
            waiting.extend(names);
        }
    }
    builder.into_inner()?.flush()
}

fn append(
    builder: &mut tar::Builder<impl Write>,
    place: &Path,
    inside: &Path,
    known: &fs::Metadata,
    names: &mut HashMap<(u64, u64), PathBuf>,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(known.mode() & 0o7777);
    // What was made while the image was made has one time, so that the same steps make the same image.
    header.set_mtime(u64::try_from(known.mtime()).unwrap_or(0).min(IMAGE_TIME));
    header.set_uid(known.uid().into());
    header.set_gid(known.gid().into());
    header.set_size(0);
    if known.is_dir() {
        header.set_entry_type(EntryType::Directory);
        let mut name = inside.as_os_str().to_owned();
        name.push("/");
        return builder.append_data(&mut header, Path::new(&name), io::empty());
    }
    if known.nlink() > 1 {
        let first = names
            .entry((known.dev(), known.ino()))
            .or_insert_with(|| inside.to_owned());
        if first != inside {
            header.set_entry_type(EntryType::Link);
            return builder.append_link(&mut header, inside, first);
        }
    }
    if known.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        builder.append_link(&mut header, inside, fs::read_link(place)?)
    } else if known.is_file() {
        header.set_entry_type(EntryType::Regular);
        header.set_size(known.len());
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
