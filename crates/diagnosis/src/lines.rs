//! A log's lines as a person would read them: no colours, no overwritten progress, one kind of quote.

use std::borrow::Cow;

/// What is beyond this many bytes of a line is not looked at: no message's name stands that far out.
const LONGEST_LINE: usize = 4096;

/// One line of a log.
#[derive(Debug, Clone)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    /// The readable text.
    pub(crate) text: Cow<'a, str>,
}

/// Walks over a log by byte offset and keeps count of lines.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    log: &'a [u8],
    /// Where the next line starts.
    position: usize,
    /// Number of the line at `position`.
    number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(log: &'a [u8]) -> Self {
        Self {
            log,
            position: 0,
            number: 1,
        }
    }

    /// Where the next line starts.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Skips to the line that holds the byte at `offset`; never goes back.
    pub(crate) fn seek(&mut self, offset: usize) {
        let offset = offset.min(self.log.len());
        let Some(skipped) = self.log.get(self.position..offset) else {
            return;
        };
        if let Some(last) = memchr::memrchr(b'\n', skipped) {
            self.number += memchr::memchr_iter(b'\n', skipped).count() as u64;
            self.position += last + 1;
        }
    }

    /// The next line; none at the end.
    pub(crate) fn next_line(&mut self) -> Option<Line<'a>> {
        let rest = self.log.get(self.position..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let raw = rest.get(..end).unwrap_or(rest);
        let line = Line {
            number: self.number,
            text: readable(raw),
        };
        self.position += (end + 1).min(rest.len());
        self.number += 1;
        Some(line)
    }
}

/// Makes a raw line readable.
pub(crate) fn readable(raw: &[u8]) -> Cow<'_, str> {
    let raw = raw.trim_ascii_end();
    // A lone carriage return starts the line again: what was before it has been overwritten on a terminal.
    let raw = memchr::memrchr(b'\r', raw).map_or(raw, |at| raw.get(at + 1..).unwrap_or_default());
    let raw = raw.get(..LONGEST_LINE).unwrap_or(raw);
    let text = match std::str::from_utf8(raw) {
        Ok(text) if text.is_ascii() && !text.bytes().any(|byte| matches!(byte, 0x1b | b'`' | 0..=8)) => {
            Cow::Borrowed(text)
        }
        _ => Cow::Owned(cleaned(&String::from_utf8_lossy(raw))),
    };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(unprefixed(text)),
        Cow::Owned(text) => Cow::Owned(unprefixed(&text).to_owned()),
    }
}

/// Without escape sequences and control bytes, and with each kind of quote as an apostrophe.
fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\t' => out.push('\t'),
            '`' | '\u{b4}' | '\u{2018}' | '\u{2019}' | '\u{fffd}' => quote(&mut out),
            '\u{201c}' | '\u{201d}' => out.push('"'),
            // A quote in UTF-8 that some tool read as Latin-1 or as Windows-1252.
            '\u{e2}' if matches!(rest.peek(), Some('\u{80}' | '\u{20ac}')) => {
                rest.next();
                rest.next_if(|c| !c.is_ascii());
                quote(&mut out);
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// One quote, also where several broken bytes stood for it.
fn quote(out: &mut String) {
    if !out.ends_with('\'') {
        out.push('\'');
    }
}

fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => {
            for c in rest.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    break;
                }
            }
        }
        Some(']') => {
            while let Some(c) = rest.next() {
                if c == '\u{7}' || (c == '\u{1b}' && rest.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Without the clock of a build service (`[  12s] `) or of an image build (`#12 3.45 `).
fn unprefixed(text: &str) -> &str {
    let digits = |text: &str| text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.trim_start();
        let after = inner.get(inner.len() - digits(inner)..).unwrap_or_default();
        if after.len() < inner.len()
            && let Some(rest) = after.strip_prefix("s] ")
        {
            return rest;
        }
    }
    if let Some(inner) = text.strip_prefix('#') {
        let after = inner.get(inner.len() - digits(inner)..).unwrap_or_default();
        if after.len() < inner.len()
            && let Some((clock, rest)) = after.strip_prefix(' ').and_then(|tail| tail.split_once(' '))
            && clock.contains('.')
            && clock.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return rest;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_a_person_reads_them() {
        for (raw, expected) in [
            (&b"plain"[..], "plain"),
            (b"dos\r", "dos"),
            (b" 10%\r 50%\r100% done", "100% done"),
            (
                b"\x1b[01m\x1b[Ka.c:1:2:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kx",
                "a.c:1:2: error: x",
            ),
            (b"\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
            (
                "undefined reference to `main'".as_bytes(),
                "undefined reference to 'main'",
            ),
            ("unknown ‘x’".as_bytes(), "unknown 'x'"),
            ("unknown â\u{80}\u{98}xâ\u{80}\u{99}".as_bytes(), "unknown 'x'"),
            ("unknown â€˜xâ€™".as_bytes(), "unknown 'x'"),
            (b"unknown \xff\xfex\xff", "unknown 'x'"),
            (b"[   12s] make: x", "make: x"),
            (b"#7 12.34 make: x", "make: x"),
            (b"[1/2] Building", "[1/2] Building"),
            (b"# 1 \"a.c\"", "# 1 \"a.c\""),
            (b"#define X 1.0 y", "#define X 1.0 y"),
            (b"", ""),
        ] {
            assert_eq!(readable(raw), expected, "{:?}", String::from_utf8_lossy(raw));
        }
    }

    #[test]
    fn seeking_counts_lines() {
        let log = b"one\ntwo\nthree\nfour";
        let mut lines = Lines::new(log);
        lines.seek(9);
        let line = lines.next_line().unwrap();
        assert_eq!((line.number, line.text.as_ref()), (3, "three"));
        lines.seek(0);
        assert_eq!(lines.next_line().unwrap().number, 4);
        assert!(lines.next_line().is_none());
    }
}
