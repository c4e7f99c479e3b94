//! A build's log: read by offset while it grows, kept within a size, and asked which sources it is of.

use std::{
    collections::VecDeque,
    io::{self, Read},
};

use crate::{
    Client, ObsError, Target,
    names::query,
    transport::{Call, content_length, is_timeout},
};

/// How much of a log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLimits {
    /// Of its begin.
    pub head: usize,
    /// Of its end.
    pub tail: usize,
    /// What is read of it at all: after this much, the rest is left where it is.
    pub read: u64,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self {
            head: 1 << 20,
            tail: 8 << 20,
            read: 1 << 30,
        }
    }
}

/// How a log says that its build ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEnd {
    /// Well.
    Finished,
    /// Not well.
    Failed,
}

/// A log, or its begin and its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The text. Where something was left out, a line says how much.
    pub text: Vec<u8>,
    /// How long the log is, as far as it was read.
    pub total: u64,
    /// What was left out between begin and end.
    pub left_out: u64,
    /// The hash of the sources that it says it is of.
    pub srcmd5: Option<String>,
    /// Its last word.
    pub end: Option<LogEnd>,
}

/// What one pull brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pull {
    /// So many new bytes; with none, the log has not grown.
    Grew(u64),
    /// There is no log.
    Absent,
    /// The log is shorter than what was read: another build began. What was read is forgotten.
    Restarted,
    /// The limit of what is read is reached.
    Full,
}

/// Reads a log while it grows.
#[derive(Debug)]
pub struct LogReader {
    client: Client,
    target: Target,
    limits: LogLimits,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl LogReader {
    /// Starts at the begin.
    pub fn new(client: &Client, target: &Target, limits: LogLimits) -> Self {
        Self {
            client: client.clone(),
            target: target.clone(),
            limits,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
        }
    }

    /// Where the next pull goes on.
    pub fn offset(&self) -> u64 {
        self.total
    }

    /// Reads what is new, and shows it. A stream that breaks is resumed where it broke.
    pub fn pull(&mut self, show: &mut dyn FnMut(&[u8])) -> Result<Pull, ObsError> {
        let began = self.total;
        let mut broken = 0;
        loop {
            if self.total >= self.limits.read {
                return Ok(Pull::Full);
            }
            let from = self.total;
            let start = from.to_string();
            let path = format!(
                "{}/_log{}",
                self.target.build(),
                query(&[("nostream", "1"), ("start", &start)])
            );
            let problem = match self.stream(&path, show) {
                Ok(None) => return Ok(Pull::Grew(self.total - began)),
                Ok(Some(problem)) => problem,
                Err(ObsError::Missing { .. }) if from == 0 => return Ok(Pull::Absent),
                Err(ObsError::Missing { .. } | ObsError::Refused { status: 400 | 416, .. }) if from > 0 => {
                    self.forget();
                    return Ok(Pull::Restarted);
                }
                Err(error) => return Err(error),
            };
            // Progress earns new patience.
            broken = if self.total > from { 1 } else { broken + 1 };
            if broken >= self.client.pace().tries {
                return Err(ObsError::Cut {
                    url: self.client.transport.url(&path),
                    problem,
                });
            }
            std::thread::sleep(self.client.pace().retry);
        }
    }

    /// One answer; the problem when it broke.
    fn stream(&mut self, path: &str, show: &mut dyn FnMut(&[u8])) -> Result<Option<String>, ObsError> {
        let response = self.client.transport.open(&Call::get(path.to_owned()))?;
        let length = content_length(&response);
        let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 16];
        let mut got = 0_u64;
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) => return Ok(Some("no more came in time".to_owned())),
                Err(error) => return Ok(Some(error.to_string())),
            };
            let piece = buffer.get(..count).unwrap_or_default();
            got += count as u64;
            self.take(piece);
            show(piece);
            if self.total >= self.limits.read {
                return Ok(None);
            }
        }
        Ok(length
            .filter(|length| got < *length)
            .map(|length| format!("it ended after {got} of {length} bytes")))
    }

    fn take(&mut self, piece: &[u8]) {
        self.total += piece.len() as u64;
        let room = self.limits.head.saturating_sub(self.head.len()).min(piece.len());
        let (head, tail) = piece.split_at_checked(room).unwrap_or((piece, &[]));
        self.head.extend_from_slice(head);
        self.tail.extend(tail);
        let surplus = self.tail.len().saturating_sub(self.limits.tail);
        self.tail.drain(..surplus);
    }

    fn forget(&mut self) {
        self.head.clear();
        self.tail.clear();
        self.total = 0;
    }

    /// What was read so far.
    pub fn log(&self) -> Log {
        let kept = (self.head.len() + self.tail.len()) as u64;
        let left_out = self.total.saturating_sub(kept);
        let mut text = self.head.clone();
        if left_out > 0 {
            text.extend_from_slice(format!("\n[... {left_out} bytes left out ...]\n").as_bytes());
        }
        let (first, second) = self.tail.as_slices();
        text.extend_from_slice(first);
        text.extend_from_slice(second);
        Log {
            srcmd5: srcmd5_of(&self.head),
            end: end_of(&text),
            text,
            total: self.total,
            left_out,
        }
    }
}

impl Client {
    /// The log of a target as it is now; `None` when there is none.
    pub fn log(&self, target: &Target, limits: LogLimits) -> Result<Option<Log>, ObsError> {
        let mut reader = LogReader::new(self, target, limits);
        let mut restarts = 0;
        loop {
            match reader.pull(&mut |_| {})? {
                Pull::Absent => return Ok(None),
                Pull::Restarted if restarts < self.pace().tries => restarts += 1,
                // A log that grows for ever is of a running build: what is there is the answer.
                Pull::Grew(0) | Pull::Full | Pull::Restarted => return Ok(Some(reader.log())),
                Pull::Grew(_) => {}
            }
        }
    }
}

/// The hash in the line that each log begins with: what is built, for which project, of which sources.
fn srcmd5_of(head: &[u8]) -> Option<String> {
    // The line stands among the first; a package's own output comes later and must not be taken for it.
    let head = head.get(..head.len().min(64 << 10))?;
    let text = String::from_utf8_lossy(head);
    text.lines().find_map(|line| {
        let line = without_clock(line);
        let rest = line.strip_prefix("Building ")?;
        let hash = rest.split_once(" srcmd5 '")?.1.split('\'').next()?;
        let is_hash = hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| hash.to_ascii_lowercase())
    })
}

/// The last word: `... finished "build x.spec" at ...` or `... failed "build x.spec" at ...`, with a machine's name before.
fn end_of(text: &[u8]) -> Option<LogEnd> {
    let start = text.len().saturating_sub(4 << 10);
    let tail = String::from_utf8_lossy(text.get(start..)?);
    // A line that is not whole yet is none.
    let whole = tail.rsplit_once('\n')?.0;
    whole.lines().rev().find_map(|line| {
        let mut words = without_clock(line).split(' ').skip(1);
        let word = words.next()?;
        if !words.next()?.starts_with("\"build") {
            return None;
        }
        match word {
            "finished" => Some(LogEnd::Finished),
            "failed" => Some(LogEnd::Failed),
            _ => None,
        }
    })
}

/// A line without the `[   12s] ` before it.
fn without_clock(line: &str) -> &str {
    line.strip_prefix('[')
        .and_then(|rest| rest.split_once("s] "))
        .filter(|(clock, _)| clock.trim().bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(line, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[    0s] Building failpkg for project 'Test' repository 'debian12' arch 'x86_64' srcmd5 '1052aa78fbad66b53ba0a08b2e20b5b9'\n";

    fn reader(head: usize, tail: usize) -> LogReader {
        let client = Client::new(crate::Settings::new("http://127.0.0.1:1")).unwrap();
        let target = Target::new(crate::PackagePath::new("a", "b").unwrap(), "c", "d").unwrap();
        LogReader::new(
            &client,
            &target,
            LogLimits {
                head,
                tail,
                read: 1 << 20,
            },
        )
    }

    #[test]
    fn a_log_names_its_sources_and_its_end() {
        assert_eq!(srcmd5_of(HEAD.as_bytes()).unwrap(), "1052aa78fbad66b53ba0a08b2e20b5b9");
        assert_eq!(srcmd5_of(b"[    1s] echo Building x srcmd5 'nothing'\n"), None);
        let failed = b"x\n[  173s] vm failed \"build failpkg_1.0.dsc\" at Mon Nov 30 02:43:54 UTC 2026.\n[  173s] \n";
        assert_eq!(end_of(failed), Some(LogEnd::Failed));
        let finished = b"[  173s] vm finished \"build failpkg_1.0.dsc\" at Mon Nov 30 02:43:54 UTC 2026.\n";
        assert_eq!(end_of(finished), Some(LogEnd::Finished));
        assert_eq!(end_of(b"[    2s] the build failed \"somehow\"\n"), None);
    }

    #[test]
    fn begin_and_end_are_kept_however_it_comes() {
        let text: Vec<u8> = (0..1000_u32).flat_map(|n| format!("{n:03}\n").into_bytes()).collect();
        for piece in [1, 7, 100, 4000] {
            let mut reader = reader(8, 8);
            for part in text.chunks(piece) {
                reader.take(part);
            }
            let log = reader.log();
            assert_eq!(log.text, b"000\n001\n\n[... 3984 bytes left out ...]\n998\n999\n");
            assert_eq!((log.total, log.left_out), (4000, 3984));
        }
        let mut short = reader(8, 8);
        short.take(b"0123456789");
        assert_eq!(short.log().text, b"0123456789");
    }
}
