//! Whole contents in a text, as git writes and reads them.

use std::io::{Read as _, Write as _};

use crate::PackageError;

const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes of one line.
const LINE: usize = 52;

/// `literal SIZE`, the compressed content, and an empty line.
pub(super) fn literal(content: &[u8]) -> Result<String, PackageError> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    let packed = encoder.finish()?;
    let mut text = format!("literal {}\n", content.len());
    for line in packed.chunks(LINE) {
        let length = line.len() as u8;
        text.push(char::from(if length <= 26 {
            b'A' + length - 1
        } else {
            b'a' + length - 27
        }));
        for group in line.chunks(4) {
            let mut value = group
                .iter()
                .chain(&[0; 4])
                .take(4)
                .fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
            let mut digits = [0; 5];
            for digit in digits.iter_mut().rev() {
                *digit = DIGITS.get((value % 85) as usize).copied().unwrap_or(b'0');
                value /= 85;
            }
            text.extend(digits.map(char::from));
        }
        text.push('\n');
    }
    text.push('\n');
    Ok(text)
}

/// Reads the first `literal` of a patch. The error says what is wrong.
pub(super) fn read<'a>(lines: &mut impl Iterator<Item = &'a str>, most: u64) -> Result<Vec<u8>, String> {
    let size: u64 = lines
        .next()
        .and_then(|line| line.strip_prefix("literal "))
        .and_then(|size| size.trim().parse().ok())
        .ok_or("a binary patch is read only when it holds whole contents (`literal`)")?;
    if size > most {
        return Err(format!("its content has more than {most} bytes"));
    }
    let mut packed = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        let damaged = || "a line of its binary content is damaged".to_owned();
        let (first, digits) = line.as_bytes().split_first().ok_or_else(damaged)?;
        let length = match first {
            b'A'..=b'Z' => first - b'A' + 1,
            b'a'..=b'z' => first - b'a' + 27,
            _ => return Err(damaged()),
        };
        let start = packed.len();
        for group in digits.chunks(5) {
            let mut value = 0_u64;
            for digit in group {
                let digit = DIGITS.iter().position(|known| known == digit).ok_or_else(damaged)?;
                value = value * 85 + digit as u64;
            }
            let value = u32::try_from(value).map_err(|_| damaged())?;
            packed.extend_from_slice(&value.to_be_bytes());
        }
        if packed.len() < start + usize::from(length) {
            return Err(damaged());
        }
        packed.truncate(start + usize::from(length));
    }
    let mut content = Vec::new();
    flate2::read::ZlibDecoder::new(packed.as_slice())
        .take(size + 1)
        .read_to_end(&mut content)
        .map_err(|error| format!("its binary content is damaged: {error}"))?;
    if content.len() as u64 == size {
        Ok(content)
    } else {
        Err("its binary content has another size than it says".to_owned())
    }
}
