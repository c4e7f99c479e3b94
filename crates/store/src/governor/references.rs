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
    let mut buffer = vec![0; 1 << 17];
    // What is kept of the piece before: a digest may lie across its end.
    let mut kept = 0;
    loop {
        match file.read(buffer.get_mut(kept..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => {
                let filled = kept + count;
                digests_in(buffer.get(..filled).unwrap_or_default(), found);
                kept = filled.min(DIGITS);
                buffer.copy_within(filled - kept..filled, 0);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

/// Finds words of 64 hexadecimal digits. One that is cut off at an end may be part of a longer word; a digest that nobody
/// has does no harm.
fn digests_in(bytes: &[u8], found: &mut dyn FnMut(Digest)) {
    let is_digit = |at: usize| matches!(bytes.get(at), Some(b'0'..=b'9' | b'a'..=b'f'));
    let mut start = 0;
    // Every word that begins in the next 64 bytes covers the last of them, so most bytes are never looked at.
    while start + DIGITS <= bytes.len() {
        let last = start + DIGITS - 1;
        if !is_digit(last) {
            start += DIGITS;
            continue;
        }
        let begin = (start..=last)
            .rev()
            .find(|at| !is_digit(*at))
            .map_or(start, |at| at + 1);
        let end = (last..bytes.len()).find(|at| !is_digit(*at)).unwrap_or(bytes.len());
        if end - begin == DIGITS
            && let Some(digest) = bytes
                .get(begin..end)
                .and_then(|word| std::str::from_utf8(word).ok())
                .and_then(from_hex)
        {
            found(digest);
        }
        start = end;
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
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        let text = format!(
            "{{\"log\":\"{one}\",\"x\":\"{}0\"}}\n{} deadbeef\n/blobs/{}",
            two.hex(),
            &two.hex()[1..],
            two.hex()
        );
        // Wherever a piece of the file ends.
        for before in [0, 1, 63, 64, 65, 131_000, 131_040, 131_071, 131_072, 262_080] {
            let file = folder.path().join("journal");
            fs::write(&file, format!("{}{text}", "x".repeat(before))).unwrap();
            let mut found = Vec::new();
            assert!(named_in(&file, &mut |digest| found.push(digest)));
            found.dedup();
            assert_eq!(found, [one, two], "after {before}");
        }
    }
}
