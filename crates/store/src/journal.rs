//! The append-only journal: JSON lines, versioned, on disk before the act they report counts as done.

use std::{
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::{Entry, Event, EventSink, JOURNAL_VERSION, SinkError};

use crate::{StoreError, files::sync_folder_of, lease::own, unix_millis};

/// A journal open for appending. Only one process may have it open.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: fs::File,
    next: u64,
    /// Length of the whole lines, in bytes.
    length: u64,
    /// A line may be half on the disk and could not be taken back; nothing may follow it.
    torn: bool,
}

/// What a journal holds.
#[derive(Debug, Default)]
pub struct JournalContents {
    /// The entries, in order.
    pub entries: Vec<Entry>,
    /// Bytes at the end that a crash left half-written; they are no entry and the next append drops them.
    pub torn_bytes: u64,
    /// Length of the whole lines, in bytes.
    pub whole_bytes: u64,
}

impl Journal {
    /// Opens a journal for appending, making it where it is missing, and cuts off a last line that a crash left
    /// half-written. Returns the entries it already holds.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Vec<Entry>), StoreError> {
        let path = path.into();
        let mut file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)?;
        if !own(&file)? {
            return Err(StoreError::Busy(path));
        }
        let contents = read_journal(&path)?;
        if contents.whole_bytes == 0 {
            // The file may be new: its name must be on the disk before its first line counts.
            sync_folder_of(&path)?;
        }
        if contents.torn_bytes > 0 {
            file.set_len(contents.whole_bytes)?;
            file.sync_data()?;
        }
        file.seek(SeekFrom::End(0))?;
        let journal = Self {
            path,
            file,
            next: contents.entries.last().map_or(0, |entry| entry.seq + 1),
            length: contents.whole_bytes,
            torn: false,
        };
        Ok((journal, contents.entries))
    }

    /// Appends one event. When this returns and the event is an act, its line and all before it are on the disk; what is only
    /// said or begun goes there with the next act, at the latest. When it fails (a full disk, for instance), the
    /// journal holds nothing of the line, and further events are refused if that cannot be had.
    pub fn append(&mut self, event: Event) -> Result<(), StoreError> {
        let entry = Entry {
            v: JOURNAL_VERSION,
            seq: self.next,
            at: unix_millis(),
            event,
        };
        let is_act = entry.event.is_act();
        let mut line = serde_json::to_vec(&entry).map_err(std::io::Error::other)?;
        line.push(b'\n');
        if self.torn {
            return Err(std::io::Error::other("an earlier line could not be written whole").into());
        }
        if let Err(error) = self.write(&line, is_act) {
            // Half a line in the middle of a journal is damage that no reader could tell from somebody's tampering.
            self.torn = self.take_back().is_err();
            return Err(error.into());
        }
        self.length += line.len() as u64;
        self.next += 1;
        Ok(())
    }

    fn write(&mut self, line: &[u8], is_act: bool) -> std::io::Result<()> {
        self.file.write_all(line)?;
        if is_act { self.file.sync_data() } else { Ok(()) }
    }

    fn take_back(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl EventSink for Journal {
    fn emit(&mut self, event: Event) -> Result<(), SinkError> {
        self.append(event)
            .map_err(|error| SinkError(format!("{}: {error}", self.path.display())))
    }
}

/// Reads a journal without changing it. A missing file is an empty journal.
///
/// A last line without its line end was never finished and is left out. Any other line that cannot be read is an
/// error that names it: it is damage, not a crash.
pub fn read_journal(path: &Path) -> Result<JournalContents, StoreError> {
    let mut contents = JournalContents::default();
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(contents),
        Err(error) => return Err(error.into()),
    };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = reader.read_until(b'\n', &mut line)? as u64;
        if count == 0 {
            break;
        }
        if line.last() != Some(&b'\n') {
            contents.torn_bytes = count;
            break;
        }
        let problem = |problem: String| StoreError::Journal {
            path: path.to_owned(),
            line: number,
            problem,
        };
        // The version is read first, so that a newer line gives a clear answer instead of a parser's complaint.
        let version = serde_json::from_slice::<Version>(&line)
            .map_err(|error| problem(error.to_string()))?
            .v;
        if version > JOURNAL_VERSION {
            return Err(problem(format!(
                "written by a newer seatrial (format {version}; this program reads up to {JOURNAL_VERSION})"
            )));
        }
        contents
            .entries
            .push(serde_json::from_slice(&line).map_err(|error| problem(error.to_string()))?);
        contents.whole_bytes += count;
    }
    Ok(contents)
}

#[derive(serde::Deserialize)]
struct Version {
    v: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str) -> Event {
        Event::Note { text: text.to_owned() }
    }

    #[test]
    fn a_torn_last_line_is_cut_off_wherever_the_crash_fell() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.append(note("one")).unwrap();
        journal.append(note("two")).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for cut in first + 1..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, entries) = Journal::open(&path).unwrap();
            assert_eq!(entries.len(), 1, "cut at {cut}");
            journal.append(note("again")).unwrap();
            drop(journal);
            let events: Vec<_> = read_journal(&path)
                .unwrap()
                .entries
                .into_iter()
                .map(|e| (e.seq, e.event))
                .collect();
            assert_eq!(events, [(0, note("one")), (1, note("again"))]);
        }
    }

    #[test]
    fn damage_in_the_middle_and_newer_formats_are_errors_that_name_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        fs::write(
            &path,
            "{\"v\":1,\"seq\":0,\"at\":0,\"event\":{\"type\":\"note\",\"text\":\"x\"}}\ngarbage\n",
        )
        .unwrap();
        assert!(read_journal(&path).unwrap_err().to_string().contains("line 2"));
        fs::write(&path, "{\"v\":99,\"new\":true}\n").unwrap();
        assert!(read_journal(&path).unwrap_err().to_string().contains("newer seatrial"));
    }

    #[test]
    fn a_line_that_the_disk_refuses_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.append(note("one")).unwrap();
        let whole = fs::read(&path).unwrap();
        // A disk that takes half a line: what reached the file is there, and the write is an error.
        journal.file.write_all(b"{\"v\":1,\"se").unwrap();
        journal.take_back().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        journal.append(note("two")).unwrap();
        assert_eq!(read_journal(&path).unwrap().entries.len(), 2);
        // A file that can be neither written nor cut: nothing follows the line that may be torn.
        journal.file = fs::File::open(&path).unwrap();
        assert!(journal.append(note("three")).is_err());
        let error = journal.append(note("four")).unwrap_err().to_string();
        assert!(error.contains("could not be written whole"), "{error}");
        drop(journal);
        assert_eq!(read_journal(&path).unwrap().entries.len(), 2);
    }

    #[test]
    fn two_writers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let first = Journal::open(&path).unwrap();
        assert!(matches!(Journal::open(&path), Err(StoreError::Busy(_))));
        drop(first);
        assert!(Journal::open(&path).is_ok());
    }
}
