//! Output as a model reads it: without colours, bounded, and never shortened in silence.

use std::io::Write as _;

use seatrial_core::Digest;
use seatrial_store::{BlobWriter, Blobs, StoreError};

/// Output of a program as text: what overwrites itself and colours are left out, bytes that are no UTF-8 are replaced.
pub(crate) fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = match line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')) {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        // A progress display goes back to the start of its line and writes over it.
        let last = body.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
        strip_escapes(last, &mut plain);
        plain.push_str(end);
    }
    plain
}

/// Leaves out what a terminal would take as a command.
fn strip_escapes(line: &str, plain: &mut String) {
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next() {
                Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => while rest.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
                _ => {}
            },
            '\u{8}' => drop(plain.pop().filter(|c| *c != '\n')),
            '\t' => plain.push('\t'),
            c if c.is_control() => plain.push(char::REPLACEMENT_CHARACTER),
            c => plain.push(c),
        }
    }
}

/// A count with its noun: `1 line`, `2 lines`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Text with control characters written out, for names from a box.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let written: Vec<char> = if c.is_control() {
                c.escape_default().collect()
            } else {
                vec![c]
            };
            written
        })
        .collect()
}

/// The head and the tail of a text with a line between them that says what is left out; whole where it fits. The second
/// is the count of bytes that are left out. `where_whole` says where the whole can be read.
pub fn shorten(text: &str, most: usize, where_whole: &str) -> (String, u64) {
    if text.len() <= most {
        return (text.to_owned(), 0);
    }
    let head = head_of(text, most / 2);
    let tail = tail_of(text, most - most / 2);
    let middle = text.get(head.len()..text.len() - tail.len()).unwrap_or_default();
    (
        join(
            head,
            tail,
            middle.len() as u64,
            middle.matches('\n').count() as u64,
            where_whole,
        ),
        middle.len() as u64,
    )
}

fn join(head: &str, tail: &str, bytes: u64, lines: u64, where_whole: &str) -> String {
    let after = if where_whole.is_empty() {
        String::new()
    } else {
        format!("; {where_whole}")
    };
    let line_end = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!(
        "{head}{line_end}[... {bytes} bytes in {} left out here{after} ...]\n{tail}",
        counted(lines, "line")
    )
}

/// At most so many bytes from the start, up to the end of a line where there is one in reach.
fn head_of(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('\n') {
        Some(at) if at >= end / 2 => head.get(..=at).unwrap_or(head),
        _ => head,
    }
}

/// At most so many bytes from the end, from the start of a line where there is one in reach.
fn tail_of(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = text.get(start..).unwrap_or_default();
    if text
        .get(..start)
        .is_some_and(|before| before.is_empty() || before.ends_with('\n'))
    {
        return tail;
    }
    match tail.find('\n') {
        Some(at) if at < tail.len() / 2 => tail.get(at + 1..).unwrap_or(tail),
        _ => tail,
    }
}

/// Takes output of any size in bounded memory: its head, its tail, and all of it in the store when it is long.
pub(crate) struct Collector<'a> {
    blobs: &'a Blobs,
    most: usize,
    head: Vec<u8>,
    /// The last bytes; cut down when it has grown to twice what is kept.
    tail: Vec<u8>,
    /// Bytes that have left the tail.
    dropped: u64,
    dropped_lines: u64,
    writer: Option<BlobWriter>,
    failed: Option<StoreError>,
}

/// What became of an output.
pub(crate) struct Collected {
    pub(crate) text: String,
    pub(crate) left_out: u64,
    pub(crate) whole: Option<Digest>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(blobs: &'a Blobs, most: usize) -> Self {
        Self {
            blobs,
            most,
            head: Vec::new(),
            tail: Vec::new(),
            dropped: 0,
            dropped_lines: 0,
            writer: None,
            failed: None,
        }
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        if self.writer.is_none() && self.head.len() + bytes.len() <= self.most {
            self.head.extend_from_slice(bytes);
            return;
        }
        if let Err(error) = self.spill(bytes) {
            self.failed.get_or_insert(error);
        }
    }

    fn spill(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let half = self.most / 2;
        let mut rest = bytes;
        let writer = if let Some(writer) = &mut self.writer {
            writer
        } else {
            let mut writer = self.blobs.writer()?;
            writer.write_all(&self.head)?;
            if self.head.len() > half {
                self.tail = self.head.split_off(half);
            } else {
                let (first, others) = bytes.split_at((half - self.head.len()).min(bytes.len()));
                writer.write_all(first)?;
                self.head.extend_from_slice(first);
                rest = others;
            }
            self.writer.insert(writer)
        };
        writer.write_all(rest)?;
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * self.most {
            let cut = self.tail.len() - self.most;
            self.dropped += cut as u64;
            self.dropped_lines += memchr::memchr_iter(b'\n', self.tail.get(..cut).unwrap_or_default()).count() as u64;
            drop(self.tail.drain(..cut));
        }
        Ok(())
    }

    /// The text, and under which name the whole of it is kept: `keep` makes one from the digest.
    pub(crate) fn finish(self, keep: impl FnOnce(Digest) -> String) -> Result<Collected, StoreError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Some(writer) = self.writer else {
            return Ok(Collected {
                text: plain(&self.head),
                left_out: 0,
                whole: None,
            });
        };
        let (digest, _) = writer.finish()?;
        let (head, tail) = (plain(&self.head), plain(&self.tail));
        let tail = tail_of(&tail, self.most - self.most / 2);
        let raw_tail = self.tail.len().saturating_sub(tail.len());
        let left_out = self.dropped + raw_tail as u64;
        let lines = self.dropped_lines
            + memchr::memchr_iter(b'\n', self.tail.get(..raw_tail).unwrap_or_default()).count() as u64;
        let name = keep(digest);
        Ok(Collected {
            text: join(
                &head,
                tail,
                left_out,
                lines,
                &format!("read the whole with the path `{name}`"),
            ),
            left_out,
            whole: Some(digest),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn what_only_a_terminal_understands_is_left_out() {
        for (bytes, expected) in [
            (&b"\x1b[1;31merror\x1b[0m: x\r\n"[..], "error: x\n"),
            (b"10%\r50%\rdone\nnext", "done\nnext"),
            (b"abc\r\n", "abc\n"),
            (b"\x1b]0;title\x07text\x1b", "text"),
            (b"a\xffb\x00c", "a\u{fffd}b\u{fffd}c"),
            (b"ab\x08c", "ac"),
        ] {
            assert_eq!(plain(bytes), expected);
        }
        assert_eq!(visible("a\nb\u{1b}"), "a\\nb\\u{1b}");
    }

    #[test]
    fn nothing_is_left_out_in_silence() {
        let mut text = String::new();
        for number in 0..100 {
            writeln!(text, "line {number}").unwrap();
        }
        let (short, left) = shorten(&text, 60, "");
        assert_eq!(
            short,
            "line 0\nline 1\nline 2\nline 3\n[... 738 bytes in 93 lines left out here ...]\nline 97\nline 98\nline 99\n"
        );
        assert_eq!(left, 738);
        assert_eq!(shorten("short", 60, ""), ("short".to_owned(), 0));
        // One line without an end, and characters of several bytes.
        let (short, left) = shorten(&"ä".repeat(100), 21, "");
        assert_eq!(left + short.matches('ä').count() as u64 * 2, 200);
    }

    #[test]
    fn long_output_is_kept_whole_in_the_store_and_bounded_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let home = seatrial_store::Home::open(folder.path()).unwrap();
        let blobs = home.blobs();
        let mut whole = Vec::new();
        for piece in [1, 7, 4000] {
            let mut collector = Collector::new(&blobs, 100);
            whole.clear();
            for number in 0..3000 {
                let line = format!("{number:>9}\n");
                whole.extend_from_slice(line.as_bytes());
            }
            for chunk in whole.chunks(piece) {
                collector.take(chunk);
                assert!(collector.head.len() <= 100 && collector.tail.len() <= 200 + piece);
            }
            let collected = collector.finish(|_| "output:1".to_owned()).unwrap();
            assert_eq!(blobs.read(&collected.whole.unwrap()).unwrap(), whole);
            assert_eq!(collected.left_out, 29_900);
            assert!(
                collected.text.contains(
                    "[... 29900 bytes in 2990 lines left out here; read the whole with the path `output:1` ...]"
                ),
                "{}",
                collected.text
            );
            assert!(collected.text.ends_with("     2999\n"));
        }
    }
}
