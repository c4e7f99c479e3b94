//! The index file: a header with a checksum of all the rest, and seven sections found through it.
//!
//! | section | holds |
//! |---|---|
//! | keys | an `fst` map from family byte and name to `first candidate * 16 + count` |
//! | candidates | 12 bytes each: package, path pattern, score |
//! | name ends, names | package names, sorted, and where each ends |
//! | popularity | 4 bytes a package name |
//! | pattern ends, patterns | paths in which [`PLACEHOLDER`] stands for the name, and where each ends |
//!
//! All numbers are little-endian. The file is written under another name and renamed, and never changed afterwards.

use std::{io::Write, ops::Range, path::Path};

use crc32fast::Hasher;

use crate::PackagesError;

/// Stands for the looked-up name in a path pattern. No path of a distribution holds this byte.
pub(crate) const PLACEHOLDER: u8 = 1;
/// No more candidates than this are kept for one name.
pub(crate) const MOST_CANDIDATES: usize = 8;
/// Bits of a key's value that hold the number of its candidates.
pub(crate) const COUNT_BITS: u32 = 4;
/// Bytes of a candidate.
pub(crate) const CANDIDATE_SIZE: usize = 12;

const MAGIC: &[u8; 8] = b"SEAPKIX\0";
/// Raised with every change of the format *or* of what is put into it.
pub(crate) const VERSION: u64 = 8;
const SECTIONS: usize = 7;
/// Where the sections' places begin, which is also where what the checksum covers begins.
const TABLE: usize = 8 + 8 + 8;
const HEADER_SIZE: usize = TABLE + SECTIONS * 16;

/// Why bytes are not an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// They are something else, or of another version.
    Foreign,
    /// They were an index once.
    Damaged,
}

/// The sections' places in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) keys: Range<usize>,
    pub(crate) candidates: Range<usize>,
    pub(crate) name_ends: Range<usize>,
    pub(crate) names: Range<usize>,
    pub(crate) pattern_ends: Range<usize>,
    pub(crate) patterns: Range<usize>,
    pub(crate) popularity: Range<usize>,
}

/// The sections' contents, in the order of [`Layout`].
pub(crate) type Sections<'a> = [&'a [u8]; SECTIONS];

/// Writes a whole index next to `path` and renames it there.
pub(crate) fn write(path: &Path, sections: &Sections<'_>) -> Result<u64, PackagesError> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut table = Vec::with_capacity(SECTIONS * 16);
    let mut offset = HEADER_SIZE as u64;
    for section in sections {
        table.extend_from_slice(&offset.to_le_bytes());
        table.extend_from_slice(&(section.len() as u64).to_le_bytes());
        offset += section.len() as u64;
    }
    let mut checksum = Hasher::new();
    checksum.update(&table);
    for section in sections {
        checksum.update(section);
    }
    let mut header = Vec::with_capacity(HEADER_SIZE);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&u64::from(checksum.finalize()).to_le_bytes());
    header.extend_from_slice(&table);
    let mut file = tempfile::Builder::new().prefix(".index-").tempfile_in(folder)?;
    file.write_all(&header)?;
    for section in sections {
        file.write_all(section)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(offset)
}

/// Reads the header, and says why when the bytes are not a whole index of this version.
///
/// The checksum is of all bytes: the key map is trusted by the code that walks it, and an index that lies would
/// install wrong packages without a word. It costs a millisecond or two.
pub(crate) fn read(bytes: &[u8]) -> Result<Layout, Flaw> {
    if bytes.get(..8) != Some(MAGIC) || number(bytes, 8) != Some(VERSION) {
        return Err(Flaw::Foreign);
    }
    let mut checksum = Hasher::new();
    checksum.update(bytes.get(TABLE..).unwrap_or_default());
    if number(bytes, 16) != Some(u64::from(checksum.finalize())) {
        return Err(Flaw::Damaged);
    }
    layout(bytes).ok_or(Flaw::Damaged)
}

fn layout(bytes: &[u8]) -> Option<Layout> {
    let mut sections = (0..SECTIONS).map(|section| {
        let at = TABLE + section * 16;
        let start = usize::try_from(number(bytes, at)?).ok()?;
        let end = start.checked_add(usize::try_from(number(bytes, at + 8)?).ok()?)?;
        bytes.get(start..end).map(|_| start..end)
    });
    let mut next = || sections.next().flatten();
    let layout = Layout {
        keys: next()?,
        candidates: next()?,
        name_ends: next()?,
        names: next()?,
        pattern_ends: next()?,
        patterns: next()?,
        popularity: next()?,
    };
    (layout.popularity.end == bytes.len()).then_some(layout)
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// Reads a small number.
pub(crate) fn small(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// A list of texts, packed: where each ends, and all of them together.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) ends: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
}

impl Texts {
    /// Adds a text and returns its number.
    pub(crate) fn push(&mut self, parts: &[&[u8]]) -> Result<u32, PackagesError> {
        let number = u32::try_from(self.ends.len() / 4).map_err(|_| PackagesError::TooLarge("texts"))?;
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        let end = u32::try_from(self.bytes.len()).map_err(|_| PackagesError::TooLarge("texts"))?;
        self.ends.extend_from_slice(&end.to_le_bytes());
        Ok(number)
    }
}

/// Reads a text of a packed list.
pub(crate) fn text<'a>(ends: &[u8], bytes: &'a [u8], number: u32) -> Option<&'a [u8]> {
    let at = usize::try_from(number).ok()?.checked_mul(4)?;
    let start = match at.checked_sub(4) {
        Some(before) => small(ends, before)?,
        None => 0,
    };
    let end = small(ends, at)?;
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}
