//! What a corpus keeps beside its tasks: patches and logs, packed, under their digests.

use std::{fmt::Write as _, path::Path};

use fs_err as fs;
use seatrial_core::Digest;
use seatrial_store::Blobs;

use super::CorpusError;

/// Bytes of a log's beginning and of its end that are kept.
const HEAD: usize = 24 << 10;
const TAIL: usize = 160 << 10;

/// Up to this size, content is packed as small as can be; what is larger is packed already, or would take minutes.
const PACKED_HARD: usize = 4 << 20;

/// Puts something into the corpus's folder and into the store, under one name.
pub(crate) fn keep(folder: &Path, store: &Blobs, content: &[u8]) -> Result<Digest, CorpusError> {
    let digest = store.put(content)?;
    let blobs = folder.join("blobs");
    fs::create_dir_all(&blobs)?;
    let level = if content.len() <= PACKED_HARD { 19 } else { 3 };
    let packed = zstd::encode_all(content, level)?;
    seatrial_store::write_file(&blobs.join(format!("{}.zst", digest.hex())), &packed)?;
    Ok(digest)
}

/// A log as a corpus keeps it: without what the package manager fetched from where, and cut in the middle where it is long.
pub(crate) fn shorten(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let is_fetching = |line: &&str| {
        ["Get:", "Hit:", "Ign:", "Err:"]
            .iter()
            .any(|start| line.starts_with(start))
            || line.contains("://deb.")
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_fetching(line)).collect();
    let size: usize = lines.iter().map(|line| line.len() + 1).sum();
    let mut short = String::new();
    let (mut before, mut cut) = (0, 0);
    for line in &lines {
        if size > HEAD + TAIL && before >= HEAD && before < size - TAIL {
            cut += 1;
        } else {
            if cut > 0 {
                let _ = writeln!(short, "[{cut} lines were cut here]");
                cut = 0;
            }
            short.push_str(line);
            short.push('\n');
        }
        before += line.len() + 1;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_keeps_its_beginning_and_its_end() {
        let mut log = String::from("first\nGet:1 http://mirror.example bookworm/main amd64 x\n");
        for number in 0..20_000 {
            let _ = writeln!(log, "line {number} of the build");
        }
        log.push_str("last\n");
        let short = shorten(log.as_bytes());
        assert!(short.len() < HEAD + TAIL + 100, "{}", short.len());
        assert!(short.starts_with("first\nline 0 of"), "{}", &short[..40]);
        assert!(short.ends_with("last\n") && short.contains(" lines were cut here]\n"));
        assert_eq!(shorten(b"a\nb\n"), "a\nb\n");
    }
}
