//! Archives of the box: taken apart, and put together again as they were.

mod cpio;
mod squeeze;
mod tarball;
mod tool;
mod zipped;

use seatrial_core::Digest;

pub(crate) use self::tool::{Extract, Pack};

/// Entries of one archive.
const MOST_ENTRIES: usize = 200_000;
/// Bytes of all files of one archive, and of the archive itself.
const MOST_BYTES: u64 = 1 << 30;

/// What an archive is made as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Tar,
    /// The `newc` kind; with checksums or without.
    Cpio {
        sums: bool,
    },
    Zip,
}

/// How it is compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Squeeze {
    None,
    Gzip,
    Xz,
    Bzip2,
    Zstd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    File(Vec<u8>),
    Folder,
    Link(Vec<u8>),
    /// Another name of a file.
    Same(Vec<u8>),
}

/// One entry as the archive has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// As it is written, such as `./a/b` or `a/`.
    name: Vec<u8>,
    what: What,
    mode: u32,
    time: u64,
    owner: (u64, u64),
    owner_names: (Vec<u8>, Vec<u8>),
    /// A member of a zip file that is not compressed.
    stored: bool,
}

impl Entry {
    fn new(name: Vec<u8>, what: What, mode: u32) -> Self {
        Self {
            name,
            what,
            mode,
            time: 0,
            owner: (0, 0),
            owner_names: (b"root".to_vec(), b"root".to_vec()),
            stored: false,
        }
    }

    /// The path without what different programs write around it.
    fn path(&self) -> String {
        plain(&self.name)
    }
}

fn plain(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    parts.join("/")
}

/// What is remembered of an archive that was taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Manifest {
    /// Where the archive is.
    archive: String,
    format: Format,
    squeeze: Squeeze,
    /// Its entries without contents, each file with its digest.
    entries: Vec<(Entry, Option<Digest>)>,
}

/// Reads an archive. The error says what is wrong with it; nothing was written anywhere.
fn read(bytes: &[u8]) -> Result<(Format, Squeeze, Vec<Entry>), String> {
    let (squeeze, whole) = squeeze::open(bytes, MOST_BYTES)?;
    let bytes = whole.as_deref().unwrap_or(bytes);
    let (format, entries) = if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        (Format::Zip, zipped::read(bytes)?)
    } else if bytes.starts_with(b"070701") || bytes.starts_with(b"070702") {
        let sums = bytes.starts_with(b"070702");
        (Format::Cpio { sums }, cpio::read(bytes)?)
    } else if bytes.get(257..262) == Some(b"ustar") || tarball::is_old(bytes) {
        (Format::Tar, tarball::read(bytes)?)
    } else {
        return Err("it is no archive that is known: tar (plain, gz, xz, bz2, zst), zip, cpio (newc)".to_owned());
    };
    check(&entries)?;
    Ok((format, squeeze, entries))
}

fn write(format: Format, squeeze: Squeeze, entries: &[Entry]) -> Result<Vec<u8>, String> {
    let bytes = match format {
        Format::Tar => tarball::write(entries),
        Format::Cpio { sums } => Ok(cpio::write(entries, sums)),
        Format::Zip => zipped::write(entries),
    }?;
    squeeze::close(squeeze, bytes)
}

/// Refuses what leads out of the tree, by name.
fn check(entries: &[Entry]) -> Result<(), String> {
    if entries.len() > MOST_ENTRIES {
        return Err(format!(
            "it has {} entries; at most {MOST_ENTRIES} are taken",
            entries.len()
        ));
    }
    let mut bytes = 0_u64;
    let mut files = std::collections::BTreeSet::new();
    for entry in entries {
        let name = String::from_utf8_lossy(&entry.name);
        if name.starts_with('/') || name.split('/').any(|part| part == "..") || name.contains('\0') {
            return Err(format!(
                "its entry `{}` leads out of the archive",
                crate::text::visible(&name)
            ));
        }
        match &entry.what {
            What::File(content) => {
                bytes += content.len() as u64;
                if bytes > MOST_BYTES {
                    return Err(format!("its files have more than {MOST_BYTES} bytes"));
                }
                files.insert(entry.path());
            }
            What::Link(target) => {
                let target = String::from_utf8_lossy(target);
                let path = entry.path();
                let mut depth = i64::try_from(path.matches('/').count()).unwrap_or(0);
                let leads_out = target.starts_with('/')
                    || target.split('/').any(|part| {
                        match part {
                            ".." => depth -= 1,
                            "" | "." => {}
                            _ => depth += 1,
                        }
                        depth < 0
                    });
                if leads_out {
                    return Err(format!(
                        "its link `{}` leads to `{}`, out of the archive",
                        crate::text::visible(&name),
                        crate::text::visible(&target)
                    ));
                }
            }
            What::Same(target) => {
                if !files.contains(&plain(target)) {
                    return Err(format!(
                        "its entry `{}` is another name of `{}`, which does not come before it",
                        crate::text::visible(&name),
                        crate::text::visible(&String::from_utf8_lossy(target))
                    ));
                }
            }
            What::Folder => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let mut entries = vec![
            Entry::new(b"./".to_vec(), What::Folder, 0o755),
            Entry::new(b"./b".to_vec(), What::File(b"second first\n".to_vec()), 0o644),
            Entry::new(b"./a/".to_vec(), What::Folder, 0o750),
            Entry::new(b"./a/run".to_vec(), What::File(vec![7; 5000]), 0o755),
            Entry::new(b"./a/link".to_vec(), What::Link(b"../b".to_vec()), 0o777),
            Entry::new(
                format!("./a/{}", "n".repeat(150)).into_bytes(),
                What::File(Vec::new()),
                0o600,
            ),
        ];
        for (number, entry) in (1..).zip(&mut entries) {
            entry.time = 1_700_000_000 + number * 2;
        }
        entries
    }

    #[test]
    fn each_format_gives_back_what_was_put_in() {
        for format in [
            Format::Tar,
            Format::Cpio { sums: false },
            Format::Cpio { sums: true },
            Format::Zip,
        ] {
            for squeeze in [Squeeze::None, Squeeze::Gzip, Squeeze::Xz, Squeeze::Bzip2, Squeeze::Zstd] {
                if format == Format::Zip && squeeze != Squeeze::None {
                    continue;
                }
                let bytes = write(format, squeeze, &entries()).unwrap();
                let (found, squeezed, read) = read(&bytes).unwrap();
                assert_eq!((found, squeezed), (format, squeeze));
                let facts = |entries: &[Entry]| -> Vec<_> {
                    entries
                        .iter()
                        .map(|entry| (entry.path(), entry.what.clone(), entry.mode))
                        .collect()
                };
                assert_eq!(facts(&read), facts(&entries()), "{format:?} {squeeze:?}");
                assert_eq!(write(format, squeeze, &read).unwrap(), bytes, "{format:?} {squeeze:?}");
            }
        }
    }

    #[test]
    fn what_leads_out_is_refused_by_name() {
        let file = |name: &str| Entry::new(name.as_bytes().to_vec(), What::File(Vec::new()), 0o644);
        let link =
            |name: &str, to: &str| Entry::new(name.as_bytes().to_vec(), What::Link(to.as_bytes().to_vec()), 0o777);
        for (entries, part) in [
            (vec![file("../x")], "`../x` leads out"),
            (vec![file("/etc/x")], "`/etc/x` leads out"),
            (vec![file("a/../../x")], "leads out"),
            (vec![link("l", "/etc/passwd")], "`l` leads to `/etc/passwd`"),
            (vec![link("a/l", "../../x")], "`a/l` leads to"),
            (vec![link("a/l", "x/../../../y")], "`a/l` leads to"),
            (
                vec![Entry::new(b"h".to_vec(), What::Same(b"none".to_vec()), 0o644)],
                "another name of `none`",
            ),
        ] {
            let error = check(&entries).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(check(&[link("a/l", "../x"), link("l", "a/b")]).is_ok());
    }

    #[test]
    fn damaged_archives_are_refused_and_never_break_anything() {
        for format in [Format::Tar, Format::Cpio { sums: true }, Format::Zip] {
            let bytes = write(format, Squeeze::None, &entries()).unwrap();
            for at in 0..bytes.len().min(3000) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x5a;
                drop(read(&damaged));
                drop(read(&bytes[..at]));
            }
        }
        assert!(read(b"hello").is_err());
        // Little that becomes much.
        let bomb = squeeze::close(Squeeze::Gzip, vec![0; 4 << 20]).unwrap();
        assert!(squeeze::open(&bomb, 1 << 20).unwrap_err().contains("more than"));
    }
}
