//! A log's lines as a person would read them: no colours, no overwritten progress, one kind of quote.

use std::borrow::Cow;

use crate::prefix::unprefixed;

/// What is beyond this many bytes of a line is not looked at: no message's name stands that far out.
const LONGEST_LINE: usize = 4096;

/// One line of a log.
#[derive(Debug, Clone)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    /// Where it starts in the part of the log that is at hand.
    pub(crate) start: usize,
    /// The readable text.
    pub(crate) text: Cow<'a, str>,
}

/// Walks over a part of a log by byte offset and keeps count of lines.
///
/// A carriage return ends a line too, for what is read, and not for the count: it shows progress in place. What progress
/// overwrote on a terminal still was said.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    log: &'a [u8],
    /// Where the next line starts.
    position: usize,
    /// Number of the line at `position`.
    number: u64,
    /// Whether `position` is amid a line whose start is gone.
    amid: bool,
}

impl<'a> Lines<'a> {
    #[cfg(test)]
    pub(crate) fn new(log: &'a [u8]) -> Self {
        Self::at(log, 0, 1, false)
    }

    /// Goes on at a place, which is the start of a line with this number, or amid such a line.
    pub(crate) fn at(log: &'a [u8], position: usize, number: u64, amid: bool) -> Self {
        Self {
            log,
            position,
            number,
            amid,
        }
    }

    /// Where the next line starts.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Number of the next line.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the next line's start is gone.
    pub(crate) fn is_amid(&self) -> bool {
        self.amid
    }

    /// Skips to the line that holds the byte at `offset`; never goes back.
    pub(crate) fn seek(&mut self, offset: usize) {
        let offset = offset.min(self.log.len());
        let Some(skipped) = self.log.get(self.position..offset) else {
            return;
        };
        if let Some(last) = memchr::memrchr2(b'\n', b'\r', skipped) {
            self.number += memchr::memchr_iter(b'\n', skipped).count() as u64;
            self.position += last + 1;
            self.amid = false;
        }
    }

    /// Gives up the rest of a line that is longer than what is kept: goes on amid it, at `offset`.
    pub(crate) fn cut(&mut self, offset: usize) {
        self.position = offset.min(self.log.len());
        self.amid = true;
    }

    /// Leaves the line whose start is gone; false when its end is not at hand.
    pub(crate) fn leave_line(&mut self) -> bool {
        self.next_raw();
        !self.amid
    }

    /// The next line; none at the end.
    pub(crate) fn next_line(&mut self) -> Option<Line<'a>> {
        if std::mem::take(&mut self.amid) {
            self.next_raw()?;
            if self.amid {
                return None;
            }
        }
        let (number, start, raw) = self.next_raw()?;
        Some(Line {
            number,
            start,
            text: readable(raw),
        })
    }

    fn next_raw(&mut self) -> Option<(u64, usize, &'a [u8])> {
        let (number, start) = (self.number, self.position);
        let rest = self.log.get(start..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.amid = end == rest.len();
        let raw = rest.get(..end).unwrap_or(rest);
        let tail = rest.get(end..).unwrap_or_default();
        let returns = tail.iter().take_while(|byte| **byte == b'\r').count();
        let feeds = usize::from(tail.get(returns) == Some(&b'\n'));
        self.position += end + returns + feeds;
        self.number += feeds as u64;
        Some((number, start, raw))
    }

    /// Number of the last line that was taken, at least that of `line`.
    pub(crate) fn last_before(&self, line: &Line<'_>) -> u64 {
        let open = !self
            .log
            .get(..self.position)
            .is_some_and(|taken| taken.ends_with(b"\n"));
        (self.number - u64::from(!open && self.number > 0)).max(line.number)
    }

    /// The line before the one that starts at `start`, when it is at hand whole.
    pub(crate) fn before(&self, line: &Line<'_>) -> Option<Line<'a>> {
        let ended = self.log.get(..line.start)?;
        let feeds = u64::from(ended.ends_with(b"\n"));
        let raw = ended.strip_suffix(b"\n").unwrap_or(ended);
        let returns = raw.iter().rev().take_while(|byte| **byte == b'\r').count();
        let raw = raw.get(..raw.len() - returns)?;
        if feeds == 0 && returns == 0 {
            return None;
        }
        let start = memchr::memrchr2(b'\n', b'\r', raw).map_or(0, |at| at + 1);
        let number = line.number.checked_sub(feeds).filter(|number| *number > 0)?;
        // The part of the log at hand may begin amid a line.
        if start == 0 && number > 1 {
            return None;
        }
        Some(Line {
            number,
            start,
            text: readable(raw.get(start..)?),
        })
    }
}

/// Makes a raw line readable.
pub(crate) fn readable(raw: &[u8]) -> Cow<'_, str> {
    let raw = raw.trim_ascii_end();
    let raw = raw.get(..LONGEST_LINE).unwrap_or(raw);
    let text = match std::str::from_utf8(raw) {
        Ok(text) if text.is_ascii() && !text.bytes().any(|byte| matches!(byte, 0x1b | b'`' | 0..=8)) => {
            Cow::Borrowed(text)
        }
        _ => Cow::Owned(cleaned(&String::from_utf8_lossy(raw))),
    };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(unprefixed(text)),
        Cow::Owned(text) => {
            let shorter = unprefixed(&text).len();
            let mut text = text;
            text.drain(..text.len() - shorter);
            Cow::Owned(text)
        }
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
            // French typography keeps colons away from words.
            '\u{a0}' | '\u{202f}' => out.push(' '),
            '`' | '\u{b4}' | '\u{2018}' | '\u{2019}' | '\u{ab}' | '\u{bb}' | '\u{201e}' | '\u{fffd}' => quote(&mut out),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_a_person_reads_them() {
        for (raw, expected) in [
            (&b"plain"[..], "plain"),
            (b"dos\r", "dos"),
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

    #[test]
    fn carriage_returns_end_lines_and_do_not_count() {
        let log = b"one\r\n 10%\r 50%\r\rdone\r\r\nlast\r\n";
        let mut lines = Lines::new(log);
        let mut seen = Vec::new();
        let mut all = Vec::new();
        while let Some(line) = lines.next_line() {
            seen.push((line.number, line.text.to_string()));
            all.push(line);
        }
        let expected = [(1, "one"), (2, " 10%"), (2, " 50%"), (2, "done"), (3, "last")];
        assert_eq!(seen, expected.map(|(number, text)| (number, text.to_owned())));
        let mut back = Vec::new();
        let mut at = all.last().unwrap().clone();
        while let Some(line) = lines.before(&at) {
            back.push((line.number, line.text.to_string()));
            at = line;
        }
        back.reverse();
        assert_eq!(back, seen[..4]);
    }
}
