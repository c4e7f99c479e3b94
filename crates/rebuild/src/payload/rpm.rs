//! RPM's packages: a lead, two headers, and a compressed `cpio` archive.

use std::io::{self, Read};

use super::{Contents, decompressed};

/// Bytes of the lead, which says nothing that the headers do not.
const LEAD: usize = 96;
/// Tags of the header.
const ARCH: u32 = 1022;
const COMPRESSOR: u32 = 1125;
/// The most that a header may take.
const MOST_HEADER: u64 = 256 << 20;

/// Looks into a package.
pub(super) fn look(mut rpm: impl Read) -> io::Result<Contents> {
    let mut lead = [0; LEAD];
    rpm.read_exact(&mut lead)?;
    if !lead.starts_with(&[0xed, 0xab, 0xee, 0xdb]) {
        return Err(io::Error::other("it is no RPM package"));
    }
    let signature = Header::read(&mut rpm)?;
    // The second header begins at a multiple of eight.
    let padding = (8 - signature.store.len() % 8) % 8;
    io::copy(&mut (&mut rpm).take(padding as u64), &mut io::sink())?;
    let header = Header::read(&mut rpm)?;
    let mut contents = Contents {
        label: header.text(ARCH).unwrap_or_default(),
        ..Contents::default()
    };
    let how = header.text(COMPRESSOR).unwrap_or_else(|| "gzip".to_owned());
    let mut payload = decompressed(&how, rpm)?;
    each_file(&mut *payload, &mut |name, content| contents.look(name, content))?;
    Ok(contents)
}

struct Header {
    /// Tag, kind and place of each entry.
    entries: Vec<(u32, u32, u32)>,
    store: Vec<u8>,
}

impl Header {
    fn read(rpm: &mut impl Read) -> io::Result<Self> {
        let mut start = [0; 16];
        rpm.read_exact(&mut start)?;
        if !start.starts_with(&[0x8e, 0xad, 0xe8, 0x01]) {
            return Err(io::Error::other("its header is damaged"));
        }
        let (count, size) = (number(&start, 8)?, number(&start, 12)?);
        if u64::from(count) * 16 + u64::from(size) > MOST_HEADER {
            return Err(io::Error::other("its header is larger than any real one"));
        }
        let mut index = vec![0; count as usize * 16];
        rpm.read_exact(&mut index)?;
        let mut store = vec![0; size as usize];
        rpm.read_exact(&mut store)?;
        let entries: io::Result<_> = index
            .chunks_exact(16)
            .map(|entry| Ok((number(entry, 0)?, number(entry, 4)?, number(entry, 8)?)))
            .collect();
        Ok(Self {
            entries: entries?,
            store,
        })
    }

    /// The value of a tag that holds one text.
    fn text(&self, tag: u32) -> Option<String> {
        const TEXT: u32 = 6;
        let (_, _, at) = self
            .entries
            .iter()
            .find(|(own, kind, _)| *own == tag && *kind == TEXT)?;
        let bytes = self.store.get(*at as usize..)?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(bytes.get(..end)?).into_owned())
    }
}

fn number(bytes: &[u8], at: usize) -> io::Result<u32> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(u32::from_be_bytes)
        .ok_or_else(|| io::Error::other("its header is cut short"))
}

/// Hands out the regular files of a `cpio` archive one after the other.
fn each_file(archive: &mut dyn Read, each: &mut dyn FnMut(&str, &mut dyn Read) -> io::Result<()>) -> io::Result<()> {
    loop {
        let mut magic = [0; 6];
        archive.read_exact(&mut magic)?;
        if &magic == b"07070X" {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "it holds files of more than 4 GiB, in a form that cannot be read yet",
            ));
        }
        if !matches!(&magic, b"070701" | b"070702") {
            return Err(io::Error::other("its archive is damaged"));
        }
        let mut fields = [0; 104];
        archive.read_exact(&mut fields)?;
        let field = |at: usize| {
            let text = fields
                .get(at * 8..at * 8 + 8)
                .and_then(|eight| std::str::from_utf8(eight).ok());
            text.and_then(|text| u64::from_str_radix(text, 16).ok())
                .ok_or_else(|| io::Error::other("its archive is damaged"))
        };
        let (mode, size, name_size) = (field(1)?, field(6)?, field(11)?);
        let mut name = Vec::new();
        archive.take(name_size).read_to_end(&mut name)?;
        skip(archive, (4 - (110 + name_size) % 4) % 4)?;
        let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
        if name == "TRAILER!!!" {
            return Ok(());
        }
        let mut content = archive.take(size);
        if mode & 0o170_000 == 0o100_000 {
            each(&name, &mut content)?;
        }
        io::copy(&mut content, &mut io::sink())?;
        if content.limit() > 0 {
            return Err(io::Error::other("its archive is cut short"));
        }
        skip(archive, (4 - size % 4) % 4)?;
    }
}

fn skip(archive: &mut dyn Read, bytes: u64) -> io::Result<()> {
    io::copy(&mut archive.take(bytes), &mut io::sink()).map(drop)
}
