//! Compression of a whole archive.

use std::io::{self, Read, Write as _};

use liblzma::stream::{CONCATENATED, LzmaOptions, Stream};

use super::{ArchiveError, Compression};

/// Memory that a header may ask for: enough for the strongest setting that the format's own tools offer.
const XZ_MEMORY: u64 = 2 << 30;

/// What a compressed file holds; none when it is not compressed.
pub(crate) fn open(bytes: &[u8], most: u64) -> Result<(Compression, Option<Vec<u8>>), ArchiveError> {
    let compression = match bytes {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
        [0x5d, 0, 0, ..] => Compression::Lzma,
        _ => return Ok((Compression::None, None)),
    };
    let stream = |stream: Result<Stream, liblzma::stream::Error>| {
        stream.map_err(|error| ArchiveError::Damaged(error.to_string()))
    };
    let reader: Box<dyn Read + '_> = match compression {
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        Compression::Xz => {
            let stream = stream(Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(bytes, stream))
        }
        Compression::Lzma => {
            let stream = stream(Stream::new_lzma_decoder(XZ_MEMORY))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(bytes, stream))
        }
        Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(bytes)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(bytes).map_err(|error| broken(&error))?),
        Compression::None => Box::new(bytes),
    };
    let mut whole = Vec::new();
    reader
        .take(most + 1)
        .read_to_end(&mut whole)
        .map_err(|error| broken(&error))?;
    if whole.len() as u64 > most {
        return Err(ArchiveError::TooLarge(most));
    }
    Ok((compression, Some(whole)))
}

/// Compresses bytes; the same bytes give the same.
pub(crate) fn close(compression: Compression, bytes: Vec<u8>) -> Result<Vec<u8>, ArchiveError> {
    let squeezed = || -> io::Result<Vec<u8>> {
        match compression {
            Compression::None => Ok(bytes),
            Compression::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Compression::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Compression::Lzma => {
                let options = LzmaOptions::new_preset(6).map_err(io::Error::from)?;
                let stream = Stream::new_lzma_encoder(&options).map_err(io::Error::from)?;
                let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Compression::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Compression::Zstd => zstd::stream::encode_all(bytes.as_slice(), 0),
        }
    };
    squeezed().map_err(|error| ArchiveError::Write(format!("it cannot be compressed: {error}")))
}

fn broken(error: &io::Error) -> ArchiveError {
    ArchiveError::Damaged(error.to_string())
}
