//! Archives: taken apart, and put together again as they were.
//!
//! Works on bytes and on folders of this machine. An archive may be hostile: it is read within limits, and what leads out of
//! its folder is refused by name before anything is written.

mod check;
mod cpio;
mod folder;
mod shape;
mod squeeze;
mod tarball;
mod zipped;

pub(crate) use self::squeeze::{close, open};
pub use self::{
    folder::{lay, read_folder},
    shape::{Refilled, Shape, Times},
};

/// Bounds of one archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together, and of the archive when it is not compressed any more.
    pub bytes: u64,
    /// Number of entries.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            entries: 200_000,
        }
    }
}

/// What an archive is made as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A tar archive.
    Tar,
    /// A cpio archive of the `newc` kind.
    Cpio {
        /// Whether each file has its checksum.
        sums: bool,
    },
    /// A zip archive.
    Zip,
}

/// How an archive is compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Compression {
    None,
    Gzip,
    Xz,
    Bzip2,
    Zstd,
    /// The container that came before xz.
    Lzma,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A file with its content.
    File(Vec<u8>),
    /// A folder.
    Folder,
    /// A symbolic link to a target.
    Link(Vec<u8>),
    /// Another name of a file that comes before it.
    Same(Vec<u8>),
}

/// One entry as the archive has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name as it is written, such as `./a/b` or `a/`; not always UTF-8.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Permission bits.
    pub mode: u32,
    /// When it was changed, in seconds since 1970.
    pub time: u64,
    /// Numbers of the user and the group.
    pub owner: (u64, u64),
    /// Names of the user and the group.
    pub owner_names: (Vec<u8>, Vec<u8>),
    /// Whether it is a member of a zip file that is not compressed.
    pub stored: bool,
}

impl Entry {
    /// An entry that root owns, with the oldest time.
    pub fn new(name: Vec<u8>, kind: EntryKind, mode: u32) -> Self {
        Self {
            name,
            kind,
            mode,
            time: 0,
            owner: (0, 0),
            owner_names: (b"root".to_vec(), b"root".to_vec()),
            stored: false,
        }
    }

    /// The path without what different programs write around it; empty for the top itself.
    pub fn path(&self) -> Vec<u8> {
        plain(&self.name)
    }
}

/// A path without doubled slashes, dots and a slash at its end.
pub(crate) fn plain(name: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = name
        .split(|byte| *byte == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
        .collect();
    parts.join(&b'/')
}

/// Why an archive is not read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is something else.
    #[error("it is no archive that is known: tar (plain, gz, xz, bz2, zst, lzma), zip, cpio (newc)")]
    Unknown,
    /// A bomb, or honestly large: too many bytes.
    #[error("it holds more than {0} bytes")]
    TooLarge(u64),
    /// Too many entries.
    #[error("it has more than {0} entries")]
    TooMany(usize),
    /// An entry's name leads elsewhere.
    #[error("its entry `{0}` leads out of the archive")]
    LeadsOut(String),
    /// A link leads elsewhere.
    #[error("its link `{name}` leads to `{target}`, out of the archive")]
    LinkOut {
        /// The link.
        name: String,
        /// Where it leads.
        target: String,
    },
    /// An entry would be laid through a link.
    #[error("its entry `{0}` goes through a link of the archive")]
    ThroughLink(String),
    /// A device, a pipe or a socket.
    #[error("its entry `{0}` is a device or a pipe")]
    Special(String),
    /// Another name of nothing.
    #[error("its entry `{name}` is another name of `{target}`, which does not come before it")]
    NoTarget {
        /// The entry.
        name: String,
        /// What is not there.
        target: String,
    },
    /// It is cut off, or its bytes are not what its format says.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// The format cannot hold it.
    #[error("it cannot be written: {0}")]
    Write(String),
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// An archive in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// What it is made as.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Its entries, in its own order. A path is there once.
    pub entries: Vec<Entry>,
}

impl Archive {
    /// Reads an archive whose links stay inside it. Nothing is written anywhere.
    pub fn read(bytes: &[u8], limits: Limits) -> Result<Self, ArchiveError> {
        let archive = Self::read_with_any_links(bytes, limits)?;
        check::links(&archive.entries, |_| false)?;
        Ok(archive)
    }

    /// Reads an archive whose links may lead anywhere; laying it out is safe all the same, but following its links is not.
    pub fn read_with_any_links(bytes: &[u8], limits: Limits) -> Result<Self, ArchiveError> {
        let (compression, whole) = open(bytes, limits.bytes)?;
        let bytes = whole.as_deref().unwrap_or(bytes);
        let (format, entries) = if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            (Format::Zip, zipped::read(bytes, limits)?)
        } else if bytes.starts_with(b"070701") || bytes.starts_with(b"070702") {
            let sums = bytes.starts_with(b"070702");
            (Format::Cpio { sums }, cpio::read(bytes, limits)?)
        } else if bytes.get(257..262) == Some(b"ustar") || tarball::is_old(bytes) || is_empty_tar(bytes) {
            (Format::Tar, tarball::read(bytes, limits)?)
        } else {
            return Err(ArchiveError::Unknown);
        };
        check::names(&entries, limits)?;
        Ok(Self {
            format,
            compression,
            entries: check::once(entries),
        })
    }

    /// Refuses links that lead out, but for those whose path `exempt` says yes to.
    pub(crate) fn check_links(&self, exempt: impl Fn(&[u8]) -> bool) -> Result<(), ArchiveError> {
        check::links(&self.entries, exempt)
    }

    /// The bytes of the archive; the same entries give the same bytes.
    pub fn write(&self) -> Result<Vec<u8>, ArchiveError> {
        let bytes = match self.format {
            Format::Tar => tarball::write(&self.entries),
            Format::Cpio { sums } => cpio::write(&self.entries, sums),
            Format::Zip => zipped::write(&self.entries),
        }?;
        close(self.compression, bytes)
    }

    /// Entries that are no folders.
    pub fn files(&self) -> usize {
        let is_file = |entry: &&Entry| !matches!(entry.kind, EntryKind::Folder);
        self.entries.iter().filter(is_file).count()
    }

    /// Format and compression in words, such as `tar, gzip`.
    pub fn words(&self) -> String {
        words(self.format, self.compression)
    }
}

/// Two blocks of zeros and nothing else: what `tar` makes of no files at all.
fn is_empty_tar(bytes: &[u8]) -> bool {
    bytes.len() >= 1024 && bytes.len().is_multiple_of(512) && bytes.iter().all(|byte| *byte == 0)
}

fn words(format: Format, compression: Compression) -> String {
    let format = match format {
        Format::Tar => "tar",
        Format::Cpio { sums: false } => "cpio",
        Format::Cpio { sums: true } => "cpio with sums",
        Format::Zip => "zip",
    };
    match compression {
        Compression::None => format.to_owned(),
        Compression::Gzip => format!("{format}, gzip"),
        Compression::Xz => format!("{format}, xz"),
        Compression::Bzip2 => format!("{format}, bzip2"),
        Compression::Zstd => format!("{format}, zstd"),
        Compression::Lzma => format!("{format}, lzma"),
    }
}

/// Endings of names of archives, longer ones first, each with what it says.
const ENDINGS: [(&str, Format, Compression); 18] = {
    const CPIO: Format = Format::Cpio { sums: false };
    [
        (".tar.lzma", Format::Tar, Compression::Lzma),
        (".tar.bz2", Format::Tar, Compression::Bzip2),
        (".tar.zst", Format::Tar, Compression::Zstd),
        (".tar.gz", Format::Tar, Compression::Gzip),
        (".tar.xz", Format::Tar, Compression::Xz),
        (".tbz2", Format::Tar, Compression::Bzip2),
        (".tzst", Format::Tar, Compression::Zstd),
        (".tgz", Format::Tar, Compression::Gzip),
        (".txz", Format::Tar, Compression::Xz),
        (".tbz", Format::Tar, Compression::Bzip2),
        (".tar", Format::Tar, Compression::None),
        (".zip", Format::Zip, Compression::None),
        (".crate", Format::Tar, Compression::Gzip),
        (".cpio.gz", CPIO, Compression::Gzip),
        (".cpio.xz", CPIO, Compression::Xz),
        (".cpio.zst", CPIO, Compression::Zstd),
        (".obscpio", CPIO, Compression::None),
        (".cpio", CPIO, Compression::None),
    ]
};

/// What the name of an archive says: the name without its ending, the format, and the compression.
pub fn by_name(name: &str) -> Option<(&str, Format, Compression)> {
    ENDINGS.iter().find_map(|(ending, format, compression)| {
        let stem = name.strip_suffix(ending).filter(|stem| !stem.is_empty())?;
        Some((stem, *format, *compression))
    })
}

/// Text with control characters written out, for names that come from outside.
pub(crate) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .chars()
        .flat_map(|c| {
            let written: Vec<char> = if c.is_control() {
                c.escape_default().collect()
            } else {
                vec![c]
            };
            written
        })
        .collect()
}

#[cfg(test)]
mod tests;
