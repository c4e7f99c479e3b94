//! Which packing a file has, and a reader that undoes it.

use std::{
    io::{BufReader, Read},
    path::Path,
};

use fs_err as fs;
use liblzma::{bufread::XzDecoder, stream::Stream};

use crate::SourceError;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Not at all.
    Plain,
    /// gzip, with any number of members.
    Gzip,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// Zstandard.
    Zstd,
    /// The old LZMA container.
    Lzma,
    /// A zip archive, which is an archive by itself.
    Zip,
}

/// Tells the packing of an archive by its first bytes: names lie, and URLs often have none. `None` for anything else.
pub(crate) fn sniff(path: &Path) -> Result<Option<Packing>, SourceError> {
    let mut head = Vec::with_capacity(512);
    fs::File::open(path)?.take(512).read_to_end(&mut head)?;
    let packing = match head.as_slice() {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
        [0x5d, 0, 0, ..] => Packing::Lzma,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
        head if is_tar(head) => Packing::Plain,
        _ => return Ok(None),
    };
    Ok(Some(packing))
}

/// A tar header is known by its checksum; the `ustar` mark is missing in the oldest ones.
fn is_tar(head: &[u8]) -> bool {
    let Ok(block) = <&[u8; 512]>::try_from(head) else {
        return false;
    };
    let header = tar::Header::from_byte_slice(block);
    let sum: u32 = block
        .iter()
        .enumerate()
        .map(|(at, byte)| u32::from(if (148..156).contains(&at) { b' ' } else { *byte }))
        .sum();
    header.cksum().is_ok_and(|written| written == sum) || block.iter().all(|byte| *byte == 0)
}

/// Opens a file and undoes its packing. A zip archive is read as it is.
pub(crate) fn reader(path: &Path, packing: Packing) -> Result<Box<dyn Read>, SourceError> {
    let named = |error: liblzma::stream::Error| std::io::Error::other(format!("{}: {error}", path.display()));
    let file = BufReader::with_capacity(1 << 16, fs::File::open(path)?);
    Ok(match packing {
        Packing::Plain | Packing::Zip => Box::new(file),
        Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        Packing::Xz => {
            let stream = Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED).map_err(named)?;
            Box::new(XzDecoder::new_stream(file, stream))
        }
        Packing::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(file)),
        Packing::Zstd => Box::new(zstd::Decoder::with_buffer(file)?),
        Packing::Lzma => {
            let stream = Stream::new_lzma_decoder(XZ_MEMORY).map_err(named)?;
            Box::new(XzDecoder::new_stream(file, stream))
        }
    })
}

/// Memory that a header may ask for: enough for the strongest setting that the format's own tools offer.
const XZ_MEMORY: u64 = 2 << 30;
