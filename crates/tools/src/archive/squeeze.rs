//! Compression of a whole archive.

use std::io::{self, Read, Write as _};

use super::Squeeze;

/// What a compressed file holds; none when it is not compressed.
pub(super) fn open(bytes: &[u8], most: u64) -> Result<(Squeeze, Option<Vec<u8>>), String> {
    let squeeze = match bytes {
        [0x1f, 0x8b, ..] => Squeeze::Gzip,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Squeeze::Xz,
        [b'B', b'Z', b'h', ..] => Squeeze::Bzip2,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Squeeze::Zstd,
        _ => return Ok((Squeeze::None, None)),
    };
    let reader: Box<dyn Read + '_> = match squeeze {
        Squeeze::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        Squeeze::Xz => Box::new(liblzma::read::XzDecoder::new_multi_decoder(bytes)),
        Squeeze::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(bytes)),
        Squeeze::Zstd => Box::new(zstd::stream::read::Decoder::new(bytes).map_err(|error| broken(&error))?),
        Squeeze::None => Box::new(bytes),
    };
    let mut whole = Vec::new();
    reader
        .take(most + 1)
        .read_to_end(&mut whole)
        .map_err(|error| broken(&error))?;
    if whole.len() as u64 > most {
        return Err(format!("it holds more than {most} bytes"));
    }
    Ok((squeeze, Some(whole)))
}

pub(super) fn close(squeeze: Squeeze, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let squeezed = || -> io::Result<Vec<u8>> {
        match squeeze {
            Squeeze::None => Ok(bytes),
            Squeeze::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Squeeze::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Squeeze::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
                encoder.write_all(&bytes)?;
                encoder.finish()
            }
            Squeeze::Zstd => zstd::stream::encode_all(bytes.as_slice(), 0),
        }
    };
    squeezed().map_err(|error| format!("it cannot be compressed: {error}"))
}

fn broken(error: &io::Error) -> String {
    format!("it is damaged: {error}")
}
