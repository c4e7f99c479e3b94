//! Tar archives.

use std::io::{self, Read};

use tar::EntryType;

use super::{
    decompress::{Packing, reader},
    writer::{Attributes, TreeWriter},
};
use crate::{SourceError, tree::Modified};

/// Most bytes of a name or of extended attributes; the tar crate itself would read any amount into memory.
const MOST_HEADER_BYTES: u64 = 1 << 20;

/// What the entries before a file say about it.
#[derive(Default)]
struct Ahead {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    modified: Option<Modified>,
}

/// Unpacks a tar archive.
pub(super) fn unpack_tar(
    path: &std::path::Path,
    shown: &str,
    packing: Packing,
    writer: &mut TreeWriter<'_>,
) -> Result<(), SourceError> {
    let whole = |error: &io::Error| SourceError::Archive {
        archive: shown.to_owned(),
        problem: format!("it is cut off or damaged ({error}); get the archive again"),
    };
    let mut archive = tar::Archive::new(ZeroTail::new(reader(path, packing)?));
    let mut ahead = Ahead::default();
    let mut last = Vec::new();
    // Raw entries, because long names and extended headers must be bounded before they are read.
    for entry in archive.entries().map_err(|error| whole(&error))?.raw(true) {
        let mut entry = entry.map_err(|error| {
            if last.is_empty() {
                whole(&error)
            } else {
                writer.refuse(
                    &last,
                    &format!("is followed by something cut off or damaged ({error}); get the archive again"),
                )
            }
        })?;
        let kind = entry.header().entry_type();
        let name = ahead
            .path
            .clone()
            .unwrap_or_else(|| entry.header().path_bytes().into_owned());
        if matches!(
            kind,
            EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader | EntryType::XGlobalHeader
        ) {
            read_ahead(kind, &name, &mut entry, &mut ahead, writer)?;
            continue;
        }
        let said = std::mem::take(&mut ahead);
        let header = entry.header();
        let attributes = Attributes {
            mode: header.mode().unwrap_or(0o644),
            modified: said.modified.unwrap_or_else(|| Modified {
                seconds: i64::try_from(header.mtime().unwrap_or(0)).unwrap_or(0),
                nanoseconds: 0,
            }),
        };
        let target = said
            .link
            .or_else(|| header.link_name_bytes().map(std::borrow::Cow::into_owned))
            .unwrap_or_default();
        let size = header.entry_size().map_err(|error| writer.damaged(&name, &error))?;
        match kind {
            EntryType::Directory => writer.folder(&name, attributes)?,
            EntryType::Symlink => writer.symlink(&name, &target, attributes.modified)?,
            EntryType::Link => writer.hard_link(&name, &target)?,
            EntryType::Char | EntryType::Block => return Err(writer.refuse(&name, "is a device file")),
            EntryType::Fifo => return Err(writer.refuse(&name, "is a named pipe")),
            EntryType::GNUSparse => {
                return Err(writer.refuse(&name, "is a sparse file, which is not understood"));
            }
            // A volume's label, written first by `tar --label`.
            kind if kind.as_byte() == b'V' => {}
            // The oldest tars mark a folder by its name only. What is unknown is a file, says POSIX.
            _ if name.ends_with(b"/") && size == 0 => writer.folder(&name, attributes)?,
            _ => {
                let written = writer.file(&name, attributes, &mut entry)?;
                if written != size {
                    return Err(writer.damaged(&name, &format_args!("{written} of {size} bytes are there")));
                }
            }
        }
        last = name;
    }
    let mut rest = archive.into_inner();
    if packing == Packing::Plain && !rest.ends_in_zeros() {
        let error = io::Error::other("its end mark is missing");
        return Err(whole(&error));
    }
    drain(&mut rest).map_err(|error| whole(&error))
}

/// Reads an entry that only says something about the next one.
fn read_ahead(
    kind: EntryType,
    name: &[u8],
    entry: &mut dyn Read,
    ahead: &mut Ahead,
    writer: &TreeWriter<'_>,
) -> Result<(), SourceError> {
    let mut bytes = Vec::new();
    entry
        .take(MOST_HEADER_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| writer.damaged(name, &error))?;
    if bytes.len() as u64 > MOST_HEADER_BYTES {
        return Err(writer.refuse(name, "has a header that is too large"));
    }
    match kind {
        EntryType::GNULongName => ahead.path = Some(until_nul(bytes)),
        EntryType::GNULongLink => ahead.link = Some(until_nul(bytes)),
        EntryType::XHeader => {
            for extension in tar::PaxExtensions::new(&bytes) {
                let extension = extension.map_err(|error| writer.damaged(name, &error))?;
                let value = extension.value_bytes();
                match extension.key_bytes() {
                    b"path" => ahead.path = Some(value.to_owned()),
                    b"linkpath" => ahead.link = Some(value.to_owned()),
                    b"mtime" => ahead.modified = Modified::from_decimal(&String::from_utf8_lossy(value)),
                    // Needed only beyond 8 GiB, and then it disagrees with the plain header.
                    b"size" => return Err(writer.refuse(name, "is too large for a plain header")),
                    key if key.starts_with(b"GNU.sparse.") => {
                        return Err(writer.refuse(name, "is a sparse file, which is not understood"));
                    }
                    _ => {}
                }
            }
        }
        // A global header: `git archive` puts its commit there. Nothing in it names a file.
        _ => {}
    }
    Ok(())
}

fn until_nul(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    bytes
}

/// Reads what is left, so that the packing's own checksum at the end is verified.
fn drain(reader: &mut dyn Read) -> io::Result<()> {
    /// Padding after the end mark is at most a few blocks; whoever adds more is not read on for ever.
    const MOST_PADDING: u64 = 64 << 20;
    match io::copy(&mut reader.take(MOST_PADDING), &mut io::sink()) {
        Ok(_) => Ok(()),
        // Zeros or a signature after the last gzip member: gzip itself only warns.
        Err(error) if error.to_string() == "invalid gzip header" => Ok(()),
        Err(error) => Err(error),
    }
}

/// Remembers whether the bytes seen last were a block of zeros: the end mark.
struct ZeroTail<R> {
    inner: R,
    zeros: u64,
}

impl<R> ZeroTail<R> {
    fn new(inner: R) -> Self {
        Self { inner, zeros: 0 }
    }

    fn ends_in_zeros(&self) -> bool {
        self.zeros >= 512
    }
}

impl<R: Read> Read for ZeroTail<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let fresh = buffer.get(..count).unwrap_or_default();
        match fresh.iter().rposition(|byte| *byte != 0) {
            Some(at) => self.zeros = (count - at - 1) as u64,
            None => self.zeros += count as u64,
        }
        Ok(count)
    }
}
