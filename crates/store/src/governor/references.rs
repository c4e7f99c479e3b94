//! Which digests the files of a folder name, in whatever format they are written.

use std::{io::Read, path::Path};

use fs_err as fs;
use seatrial_core::Digest;

/// Hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// Calls `found` with each digest that a regular file below a folder names. What cannot be read names nothing; says
/// whether there was such a thing.
pub(super) fn named_below(folder: &Path, found: &mut dyn FnMut(Digest)) -> bool {
    let mut folders = vec![folder.to_owned()];
    let mut complete = true;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            complete &= !folder.is_dir();
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => complete &= named_in(&entry.path(), found),
                Ok(_) | Err(_) => {}
            }
        }
    }
    complete
}

/// The same for one file. A journal of gigabytes is read in pieces.
pub(super) fn named_in(path: &Path, found: &mut dyn FnMut(Digest)) -> bool {
    let Ok(mut file) = fs::File::open(path) else {
        return !path.exists();
    };
    let mut scanner = Scanner::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => scanner.feed(buffer.get(..count).unwrap_or_default(), found),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    scanner.end(found);
    true
}

/// Finds words of exactly 64 hexadecimal digits in a stream.
#[derive(Default)]
struct Scanner {
    word: Vec<u8>,
    length: usize,
}

impl Scanner {
    fn feed(&mut self, bytes: &[u8], found: &mut dyn FnMut(Digest)) {
        for &byte in bytes {
            if matches!(byte, b'0'..=b'9' | b'a'..=b'f') {
                if self.length < DIGITS {
                    self.word.push(byte);
                }
                self.length += 1;
            } else if self.length > 0 {
                self.end(found);
            }
        }
    }

    fn end(&mut self, found: &mut dyn FnMut(Digest)) {
        if self.length == DIGITS
            && let Ok(text) = std::str::from_utf8(&self.word)
            && let Some(digest) = from_hex(text)
        {
            found(digest);
        }
        self.word.clear();
        self.length = 0;
    }
}

/// The digest with these hexadecimal digits.
pub(super) fn from_hex(text: &str) -> Option<Digest> {
    if text.len() != DIGITS {
        return None;
    }
    format!("b3:{text}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_whatever_is_around_them_and_wherever_a_piece_ends() {
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        let text = format!(
            "{{\"log\":\"{one}\",\"x\":\"{}0\"}}\n{} deadbeef\n/blobs/{}",
            two.hex(),
            &two.hex()[1..],
            two.hex()
        );
        for piece in [1, 7, 64, 4096] {
            let mut scanner = Scanner::default();
            let mut found = Vec::new();
            for part in text.as_bytes().chunks(piece) {
                scanner.feed(part, &mut |digest| found.push(digest));
            }
            scanner.end(&mut |digest| found.push(digest));
            assert_eq!(found, [one, two], "pieces of {piece}");
        }
    }
}
