//! The part of a log that is at hand: a log of any size is read through it once.

use std::io::{self, Read};

use crate::lines::Lines;

/// Bytes that are looked at in one go.
const CHUNK: usize = 1 << 20;
/// Bytes after a line that must be at hand when it is looked at: messages are read on from there. A line longer than this
/// is not looked at beyond its start.
const AHEAD: usize = 64 << 10;
/// Bytes before a line that stay at hand: for what a message began with.
const BEHIND: usize = 16 << 10;

/// Reads a log in parts.
pub(crate) struct Window<R> {
    from: R,
    chunk: usize,
    ahead: usize,
    behind: usize,
    bytes: Vec<u8>,
    /// Where the next line starts.
    position: usize,
    number: u64,
    amid: bool,
    ended: bool,
    /// Whether the last byte read does not end a line.
    open: bool,
    /// Bytes read in all.
    pub(crate) total: u64,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(from: R) -> Self {
        Self::sized(from, CHUNK, AHEAD, BEHIND)
    }

    /// A window of another size.
    pub(crate) fn of_size(from: R, size: usize) -> Self {
        Self::sized(from, size.max(1), size / 2, size / 4)
    }

    fn sized(from: R, chunk: usize, ahead: usize, behind: usize) -> Self {
        Self {
            from,
            chunk,
            ahead,
            behind,
            bytes: Vec::with_capacity(behind + chunk + 2 * ahead),
            position: 0,
            number: 1,
            amid: false,
            ended: false,
            open: false,
            total: 0,
        }
    }

    /// Reads on. What was looked at goes, except for a little before the next line.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        let gone = self.position.saturating_sub(self.behind);
        self.bytes.drain(..gone);
        self.position -= gone;
        let room = (self.behind + self.chunk + 2 * self.ahead).saturating_sub(self.bytes.len());
        let read = self.from.by_ref().take(room as u64).read_to_end(&mut self.bytes)?;
        self.total += read as u64;
        self.ended = read < room;
        if let Some(last) = self.bytes.last() {
            self.open = *last != b'\n';
        }
        Ok(())
    }

    /// The lines from here on, and the offset up to which lines may be looked at now.
    pub(crate) fn lines(&self) -> (Lines<'_>, usize) {
        let limit = if self.ended {
            self.bytes.len()
        } else {
            self.bytes.len().saturating_sub(self.ahead)
        };
        (Lines::at(&self.bytes, self.position, self.number, self.amid), limit)
    }

    /// The bytes at hand.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where to go on after everything before `limit` was looked at.
    pub(crate) fn place_after(&self, mut lines: Lines<'_>, limit: usize) -> Place {
        lines.seek(limit);
        // The start of a line that does not end within reach has been looked at if it is of any interest.
        if !self.ended && limit.saturating_sub(lines.position()) > self.ahead {
            lines.cut(limit);
        }
        Place {
            position: lines.position(),
            number: lines.number(),
            amid: lines.is_amid(),
        }
    }

    /// What is before this place was looked at: goes on there the next time.
    pub(crate) fn advance(&mut self, to: Place) {
        self.position = to.position;
        self.number = to.number;
        self.amid = to.amid;
    }

    /// Whether nothing is left to read.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Lines in all, once everything was looked at.
    pub(crate) fn lines_in_all(&self) -> u64 {
        self.number - 1 + u64::from(self.open)
    }
}

/// A place in the part of a log that is at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    position: usize,
    number: u64,
    amid: bool,
}

#[cfg(test)]
mod tests {
    use crate::{diagnose, diagnose_in_parts};

    #[test]
    fn the_size_of_the_parts_does_not_matter() {
        let mut log = String::new();
        for number in 0..40 {
            log += &"cc -c some_file.c -o some_file.o\n".repeat(number % 7);
            log += "a.c:1:10: fatal error: zlib.h: No such file or directory\n    1 | #include <zlib.h>\n";
            log += "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a package configuration file provided by\n  \"Foo\" with any\n\n";
            log += &"x".repeat(number * 50);
            log += "\n 10%\r 20%\r\n";
        }
        log += "make: *** [all] Error 2";
        let whole = diagnose(log.as_bytes());
        assert!(whole.cause.is_some());
        for size in [2048, 2049, 3000, 4096, 10_000, 100_000] {
            let parts = diagnose_in_parts(log.as_bytes(), size).unwrap();
            assert_eq!(parts, whole, "in parts of {size} bytes");
        }
        for size in (1..300).step_by(43) {
            let parts = diagnose_in_parts(log.as_bytes(), size).unwrap();
            assert_eq!(parts.facts.lines, whole.facts.lines, "in parts of {size} bytes");
        }
    }

    #[test]
    fn a_line_without_an_end_is_passed_over_and_counted_once() {
        let mut log = b"one\n".to_vec();
        log.extend(b"x error: y ".repeat(400_000));
        log.extend(b"\na.c:1:10: fatal error: zlib.h: No such file or directory\n");
        let cause = diagnose(&log).cause.unwrap();
        assert_eq!((cause.line, cause.subject.as_str()), (3, "zlib.h"));
    }
}
