//! The index of what was recorded: one line for each answer. Lines are written as answers end; their numbers tell in which
//! order the requests came.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use fs_err as fs;
use hyper::{HeaderMap, header};
use rustix::fs::{FlockOperation, flock};
use seatrial_core::Digest;
use serde::{Deserialize, Serialize};

use crate::{EgressError, headers::to_text, target::parse_authority};

/// Version of the lines that are written.
const VERSION: u32 = 1;

/// Bytes that an index may have: beyond what any build asks for, a line has about one KiB.
pub(crate) const MOST_BYTES: u64 = 256 << 20;

/// Headers of a request that may change an answer and yet are not compared: they tell of the machine or hold secrets, and
/// what they are about is stripped or answered by the door itself.
const NOT_COMPARED: [&str; 8] = [
    "*",
    "authorization",
    "cookie",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "range",
    "user-agent",
];

/// What a request is found by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) method: String,
    pub(crate) url: String,
    /// Of the request's body, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<Digest>,
}

/// Headers of a request that its answer depends on, with their values.
pub(crate) type Vary = BTreeMap<String, Vec<String>>;

/// One answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    v: u32,
    /// Its place among the requests.
    seq: u64,
    /// Milliseconds since 1970.
    at: u64,
    pub(crate) request: Key,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) vary: Vary,
    pub(crate) answer: Answer,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    Response(Kept),
    /// There was none, or not all of it.
    Failure {
        status: u16,
        reason: String,
    },
}

/// A whole response.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) status: u16,
    /// The words behind the status, where they are not the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) phrase: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Digest,
    pub(crate) length: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) trailers: Vec<(String, String)>,
}

impl Record {
    pub(crate) fn new(seq: u64, request: Key, vary: Vary, answer: Answer) -> Self {
        Self {
            v: VERSION,
            seq,
            at: seatrial_store::unix_millis(),
            request,
            vary,
            answer,
        }
    }
}

/// The records of one file. Any number of doors may share it, and other processes may append to the same file.
#[derive(Debug)]
pub(crate) struct Index {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    records: HashMap<Key, Vec<Record>>,
    next: u64,
    /// Bytes of the lines that they are in the file.
    bytes: u64,
    /// Open for appending, once something was.
    file: Option<fs::File>,
}

/// What was found for a request.
#[derive(Debug)]
pub(crate) enum Found {
    /// The answer that was picked.
    Answer(Answer),
    /// Nothing, and what is near it.
    Nothing(String),
}

impl State {
    fn insert(&mut self, record: Record) {
        self.next = self.next.max(record.seq + 1);
        let records = self.records.entry(record.request.clone()).or_default();
        let place = records.partition_point(|other| other.seq <= record.seq);
        records.insert(place, record);
    }
}

impl Index {
    /// Reads the records of a file; one that is missing has none.
    ///
    /// A last line without its end was never finished and is left out. Any other line that cannot be read is an error.
    pub(crate) fn open(path: &Path) -> Result<Self, EgressError> {
        let mut text = Vec::new();
        match fs::File::open(path) {
            Ok(mut file) => drop(file.read_to_end(&mut text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut state = State::default();
        let lines = text
            .get(..whole)
            .unwrap_or_default()
            .split_inclusive(|byte| *byte == b'\n');
        for (number, line) in lines.enumerate() {
            let record = read_line(line).map_err(|problem| EgressError::Index {
                path: path.display().to_string(),
                line: number + 1,
                problem,
            })?;
            state.insert(record);
        }
        state.bytes = whole as u64;
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// Ports other than the usual ones that were asked for.
    pub(crate) fn ports(&self) -> BTreeSet<u16> {
        let port = |key: &Key| {
            let authority = key.url.split_once("://")?.1.split(['/', '?', '#']).next()?;
            parse_authority(authority)?.1
        };
        self.lock().records.keys().filter_map(port).collect()
    }

    /// Whether it has as many bytes as one may have. All of it is in memory, and a box can ask for anything at any length.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().bytes >= MOST_BYTES
    }

    /// The place of the next request.
    pub(crate) fn number(&self) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        state.next - 1
    }

    /// Adds a record, to the file and for those who look.
    pub(crate) fn append(&self, record: Record) -> io::Result<()> {
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        let mut state = self.lock();
        let file = &mut state.file;
        if file.is_none() {
            let opened = fs::OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(&self.path)?;
            *file = Some(opened);
        }
        if let Some(file) = file {
            flock(&*file, FlockOperation::LockExclusive)?;
            let written = write_line(file, &line);
            flock(&*file, FlockOperation::Unlock)?;
            written?;
        }
        state.bytes += line.len() as u64;
        state.insert(record);
        Ok(())
    }

    /// Makes sure that what was appended is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.lock().file.as_ref().map_or(Ok(()), fs::File::sync_data)
    }

    /// One of the answers to a request with these headers: of so many, in their order, `pick` says which, and beyond the
    /// last it is the last. It is told too where the first of them stands: requests with other headers begin elsewhere.
    /// Failures count only where nothing else is there: a network that was down for a moment is no part of what is
    /// replayed.
    pub(crate) fn find(&self, key: &Key, headers: &HeaderMap, pick: impl FnOnce(u64, usize) -> usize) -> Found {
        let state = self.lock();
        let Some(records) = state.records.get(key) else {
            let near = state.records.keys().filter(|near| near.url == key.url);
            let mut methods: Vec<&str> = near.map(|near| near.method.as_str()).collect();
            methods.sort_unstable();
            methods.dedup();
            let file = self.path.display();
            return Found::Nothing(if methods.is_empty() {
                format!("nothing at that URL was recorded in {file}")
            } else if methods.contains(&key.method.as_str()) {
                format!("it was recorded in {file} with another body of the request")
            } else {
                format!("it was recorded in {file} for {} only", methods.join(", "))
            });
        };
        let fitting: Vec<&Record> = records
            .iter()
            .filter(|record| {
                record
                    .vary
                    .iter()
                    .all(|(name, values)| values_of(headers, name) == *values)
            })
            .collect();
        let responses: Vec<&Record> = fitting
            .iter()
            .copied()
            .filter(|record| matches!(record.answer, Answer::Response(_)))
            .collect();
        if let (Some(first), Some(last)) = (responses.first(), responses.last()) {
            let picked = pick(first.seq, responses.len());
            return Found::Answer(responses.get(picked).unwrap_or(last).answer.clone());
        }
        if let Some(last) = fitting.last() {
            return Found::Answer(last.answer.clone());
        }
        let differing = records
            .iter()
            .flat_map(|record| &record.vary)
            .find_map(|(name, values)| {
                let here = values_of(headers, name);
                (here != *values).then(|| {
                    format!(
                        "it was recorded with `{name}: {}`, not `{}`",
                        values.join(", "),
                        here.join(", ")
                    )
                })
            });
        Found::Nothing(differing.unwrap_or_default())
    }

    /// How many answers it has.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().records.values().map(Vec::len).sum()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The headers that a response says it depends on, as the request had them.
pub(crate) fn vary(request: &HeaderMap, response: &HeaderMap) -> Vary {
    response
        .get_all(header::VARY)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty() && !NOT_COMPARED.contains(&name.as_str()))
        .map(|name| {
            let values = values_of(request, &name);
            (name, values)
        })
        .collect()
}

fn values_of(headers: &HeaderMap, name: &str) -> Vec<String> {
    headers.get_all(name).iter().map(to_text).collect()
}

fn read_line(line: &[u8]) -> Result<Record, String> {
    // The version is read first, so that a newer line gives a clear answer instead of a parser's complaint.
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let version: Version = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if version.v > VERSION {
        return Err(format!(
            "written by a newer seatrial (format {}; this program reads up to {VERSION})",
            version.v
        ));
    }
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

/// Writes at the end, and cuts off before what a crash of any process left half-written.
fn write_line(file: &mut fs::File, line: &[u8]) -> io::Result<()> {
    const STEP: u64 = 4096;
    let length = file.metadata()?.len();
    let mut whole = length;
    let mut torn = false;
    while whole > 0 {
        let from = whole.saturating_sub(if torn { STEP } else { 1 });
        let mut piece = vec![0; (whole - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut piece)?;
        if let Some(end) = piece.iter().rposition(|byte| *byte == b'\n') {
            whole = from + end as u64 + 1;
            break;
        }
        torn = true;
        whole = from;
    }
    if whole < length {
        file.set_len(whole)?;
    }
    file.seek(SeekFrom::Start(whole))?;
    file.write_all(line)
        // Half a line would be cut off by the next one anyway; but a full disk should hold nothing of it.
        .inspect_err(|_| drop(file.set_len(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(url: &str, answer: Answer) -> Record {
        let key = Key {
            method: "GET".to_owned(),
            url: url.to_owned(),
            body: None,
        };
        Record::new(0, key, Vary::new(), answer)
    }

    fn failure() -> Answer {
        Answer::Failure {
            status: 502,
            reason: "x".repeat(3),
        }
    }

    fn response(body: &[u8]) -> Answer {
        Answer::Response(Kept {
            status: 200,
            phrase: None,
            headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
            body: Digest::of(body),
            length: body.len() as u64,
            trailers: Vec::new(),
        })
    }

    #[test]
    fn a_torn_last_line_is_left_out_and_the_next_one_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.jsonl");
        let index = Index::open(&path).unwrap();
        index.append(record("http://a.example/1", failure())).unwrap();
        let first = fs::read(&path).unwrap().len();
        // Longer than a step of the search for the last whole line.
        index
            .append(record(&format!("http://a.example/{}", "2".repeat(10_000)), failure()))
            .unwrap();
        drop(index);
        let whole = fs::read(&path).unwrap();
        for cut in [first + 1, first + 100, first + 4096, first + 4097, whole.len() - 1] {
            fs::write(&path, &whole[..cut]).unwrap();
            let index = Index::open(&path).unwrap();
            assert_eq!(index.len(), 1, "cut at {cut}");
            index.append(record("http://a.example/3", failure())).unwrap();
            assert_eq!(Index::open(&path).unwrap().len(), 2, "cut at {cut}");
        }
        fs::write(&path, &whole[..5]).unwrap();
        Index::open(&path)
            .unwrap()
            .append(record("http://a.example/4", failure()))
            .unwrap();
        assert_eq!(Index::open(&path).unwrap().len(), 1);
    }

    #[test]
    fn many_writers_of_one_file_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.jsonl");
        // Each has a handle of its own, as other processes have.
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let index = Index::open(path).unwrap();
                    for number in 0..25 {
                        index
                            .append(record(&format!("http://a.example/{writer}/{number}"), failure()))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(Index::open(&path).unwrap().len(), 100);
    }

    #[test]
    fn damage_and_newer_lines_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.jsonl");
        for (text, expected) in [
            ("{\"v\":1}\n", "line 1: missing field"),
            ("nonsense\n", "line 1: expected"),
            ("{\"v\":2,\"new\":true}\n", "line 1: written by a newer seatrial"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Index::open(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn failures_count_only_where_nothing_else_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(&folder.path().join("index.jsonl")).unwrap();
        let key = record("http://a.example/", failure()).request;
        let find = |place: usize| match index.find(&key, &HeaderMap::new(), |_, _| place) {
            Found::Answer(Answer::Response(kept)) => Ok(kept.body),
            Found::Answer(Answer::Failure { status, .. }) => Err(status),
            Found::Nothing(reason) => panic!("{reason}"),
        };
        index.append(record("http://a.example/", failure())).unwrap();
        assert_eq!(find(0), Err(502));
        index.append(record("http://a.example/", response(b"a"))).unwrap();
        index.append(record("http://a.example/", failure())).unwrap();
        index.append(record("http://a.example/", response(b"b"))).unwrap();
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        assert_eq!([0, 1, 2].map(find), [Ok(a), Ok(b), Ok(b)], "the last one stays");
    }

    #[test]
    fn an_index_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.jsonl");
        let index = Index::open(&path).unwrap();
        assert!(!index.is_full());
        index.append(record("http://a.example/", failure())).unwrap();
        let size = fs::metadata(&path).unwrap().len();
        assert_eq!(index.lock().bytes, size);
        assert_eq!(Index::open(&path).unwrap().lock().bytes, size);
        index.lock().bytes = MOST_BYTES;
        assert!(index.is_full());
    }
}
