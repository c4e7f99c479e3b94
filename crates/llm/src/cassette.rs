//! Cassettes: what went over the wire, in a file that a person can read and compare, to be played again without a provider.
//!
//! One line is one answer, under the key of its request. The request itself is not kept, only the last thing that was said
//! in it; the whole request is in the store, where there is one.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use fs_err as fs;
use seatrial_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Wire, redact};

const VERSION: u32 = 1;
/// Headers of an answer that decide how it is read.
const KEPT_HEADERS: [&str; 3] = ["content-type", "retry-after", "retry-after-ms"];

/// What is done with a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CassetteMode {
    /// Providers are asked, and what they answer is written to a new file.
    Record,
    /// Nobody is asked: what is not on the cassette is an error.
    Replay,
    /// What is on the cassette comes from there; the rest is asked for and added.
    ReplayOrRecord,
}

/// A file of answers.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    mode: CassetteMode,
    state: Mutex<State>,
}

/// A cassette cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file system said no.
    #[error("the cassette: {0}")]
    Io(#[from] std::io::Error),
    /// A line is not one of a cassette.
    #[error("the cassette {path}, line {line}: {problem}: repair it, or record it again")]
    Line {
        /// The file.
        path: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Debug, Default)]
struct State {
    /// Those that were not given yet, in the order of the file.
    answers: HashMap<Digest, VecDeque<Take>>,
    file: Option<fs::File>,
}

/// One answer, as it is on a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Take {
    v: u32,
    key: Digest,
    wire: Wire,
    model: String,
    /// The trial that asked, where it had a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trial: Option<String>,
    /// The last thing that was said in the request, shortened.
    asked: String,
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    /// The blocks of a stream, without the empty lines between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream: Option<Vec<String>>,
    /// A body that came in one piece: JSON where it is, or a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

/// A request, as far as a cassette needs it.
pub(crate) struct Asked<'a> {
    pub(crate) key: Digest,
    pub(crate) wire: Wire,
    pub(crate) model: &'a str,
    pub(crate) trial: Option<&'a str>,
    pub(crate) last: String,
}

impl Cassette {
    /// Opens a cassette. `Record` begins a new file in the place of an old one.
    pub fn open(path: &Path, mode: CassetteMode) -> Result<Self, CassetteError> {
        let mut state = State::default();
        if mode != CassetteMode::Record && (mode == CassetteMode::Replay || path.exists()) {
            let mut text = String::new();
            fs::File::open(path)?.read_to_string(&mut text)?;
            for take in read(path, &text)? {
                state.answers.entry(take.key).or_default().push_back(take);
            }
        }
        if mode != CassetteMode::Replay {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = fs::OpenOptions::new()
                .create(true)
                .read(true)
                .write(true)
                .truncate(mode == CassetteMode::Record)
                .open(path)?;
            // A line that a crash tore is cut off.
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))?;
            state.file = Some(file);
        }
        Ok(Self {
            path: path.to_owned(),
            mode,
            state: Mutex::new(state),
        })
    }

    /// What is done with it.
    pub fn mode(&self) -> CassetteMode {
        self.mode
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next answer to this request. A request that is asked again gets the answers in the order in which they came.
    ///
    /// Trials at the same time may ask the same; in which order is chance. Each gets what was answered to it when it was
    /// recorded, and a trial that was not there then gets what belongs to nobody else first.
    pub(crate) fn next(&self, key: &Digest, trial: Option<&str>) -> Option<Take> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let takes = state.answers.get_mut(key)?;
        let own = takes.iter().position(|take| take.trial.as_deref() == trial);
        let nobodys = || takes.iter().position(|take| take.trial.is_none());
        let at = own.or_else(nobodys).unwrap_or(0);
        takes.remove(at)
    }

    /// Adds an answer; `secrets` are taken out of it.
    pub(crate) fn add(
        &self,
        asked: &Asked<'_>,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        secrets: &[&str],
    ) -> Result<(), CassetteError> {
        let text = String::from_utf8_lossy(body);
        let text = if status >= 400 {
            redact::failure(&text, secrets)
        } else {
            redact::text(&text, secrets)
        };
        let headers: BTreeMap<String, String> = headers
            .iter()
            .filter(|(name, _)| KEPT_HEADERS.contains(&name.as_str()))
            .cloned()
            .collect();
        let is_stream = headers
            .get("content-type")
            .is_some_and(|kind| kind.contains("event-stream"));
        let last: String = asked.last.chars().take(200).collect();
        let take = Take {
            v: VERSION,
            key: asked.key,
            wire: asked.wire,
            model: asked.model.to_owned(),
            trial: asked.trial.map(str::to_owned),
            asked: redact::text(&last, secrets),
            status,
            headers,
            stream: is_stream.then(|| blocks(&text)),
            body: (!is_stream).then(|| serde_json::from_str(&text).unwrap_or(Value::String(text))),
        };
        let mut line = serde_json::to_string(&take).map_err(std::io::Error::other)?;
        line.push('\n');
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &mut state.file {
            file.write_all(line.as_bytes())?;
        }
        Ok(())
    }
}

impl Take {
    /// The body as it came.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match (&self.stream, &self.body) {
            (Some(blocks), _) => blocks
                .iter()
                .flat_map(|block| [block.as_str(), "\n\n"])
                .collect::<String>()
                .into_bytes(),
            (None, Some(Value::String(text))) => text.clone().into_bytes(),
            (None, Some(body)) => body.to_string().into_bytes(),
            (None, None) => Vec::new(),
        }
    }
}

fn blocks(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.split("\n\n")
        .map(|block| block.trim_matches('\n'))
        .filter(|block| !block.is_empty())
        .map(str::to_owned)
        .collect()
}

fn read(path: &Path, text: &str) -> Result<Vec<Take>, CassetteError> {
    let mut takes = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let problem = match serde_json::from_str::<Take>(line) {
            Ok(take) if take.v <= VERSION => {
                takes.push(take);
                continue;
            }
            Ok(take) => format!("it is of format {}; this program reads up to {VERSION}", take.v),
            // The line that a crash tore.
            Err(_) if !line.ends_with('\n') => continue,
            Err(error) => error.to_string(),
        };
        return Err(CassetteError::Line {
            path: path.display().to_string(),
            line: number + 1,
            problem,
        });
    }
    Ok(takes)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn asked(key: &str) -> Asked<'static> {
        Asked {
            key: Digest::of(key.as_bytes()),
            wire: Wire::Chat,
            model: "openai/x",
            trial: None,
            last: "What now?".into(),
        }
    }

    #[test]
    fn a_cassette_is_readable_redacted_and_gives_answers_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/cassette.jsonl");
        let stream = [
            ("content-type".to_owned(), "text/event-stream".to_owned()),
            ("set-cookie".to_owned(), "id=1".to_owned()),
        ];
        let recorder = Cassette::open(&path, CassetteMode::Record).unwrap();
        recorder
            .add(
                &asked("a"),
                200,
                &stream,
                b"data: 1\r\n\r\ndata: my-secret-key\r\n\r\n",
                &["my-secret-key"],
            )
            .unwrap();
        recorder.add(&asked("a"), 200, &[], br#"{"ok":true}"#, &[]).unwrap();
        recorder.add(&asked("b"), 400, &[], b"no, me@example.org", &[]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        expect![[r#"
            {"v":1,"key":"b3:17762fddd969a453925d65717ac3eea21320b66b54342fde15128d6caf21215f","wire":"chat","model":"openai/x","asked":"What now?","status":200,"headers":{"content-type":"text/event-stream"},"stream":["data: 1","data: [redacted]"]}
            {"v":1,"key":"b3:17762fddd969a453925d65717ac3eea21320b66b54342fde15128d6caf21215f","wire":"chat","model":"openai/x","asked":"What now?","status":200,"headers":{},"body":{"ok":true}}
            {"v":1,"key":"b3:10e5cf3d3c8a4f9f3468c8cc58eea84892a22fdadbc1acb22410190044c1d553","wire":"chat","model":"openai/x","asked":"What now?","status":400,"headers":{},"body":"no, [redacted]"}
        "#]].assert_eq(&text);

        fs::write(&path, format!("{text}{{\"torn")).unwrap();
        let replay = Cassette::open(&path, CassetteMode::ReplayOrRecord).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let next = |key: &str| {
            replay
                .next(&asked(key).key, None)
                .map(|take| String::from_utf8(take.bytes()).unwrap())
        };
        assert_eq!(next("a").as_deref(), Some("data: 1\n\ndata: [redacted]\n\n"));
        assert_eq!(next("a").as_deref(), Some("{\"ok\":true}"));
        assert_eq!(next("a"), None);
        assert_eq!(next("b").as_deref(), Some("no, [redacted]"));
        replay.add(&asked("c"), 200, &[], b"new", &[]).unwrap();
        assert_eq!(
            Cassette::open(&path, CassetteMode::Replay)
                .unwrap()
                .next(&asked("c").key, None)
                .unwrap()
                .bytes(),
            b"new"
        );
    }

    #[test]
    fn trials_that_ask_the_same_get_their_own_answers_back_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cassette.jsonl");
        let recorder = Cassette::open(&path, CassetteMode::Record).unwrap();
        for (trial, body) in [
            (Some("one"), "1"),
            (None, "nobody's"),
            (Some("two"), "2"),
            (Some("one"), "1 again"),
        ] {
            let asked = Asked { trial, ..asked("a") };
            recorder.add(&asked, 200, &[], body.as_bytes(), &[]).unwrap();
        }
        let replay = Cassette::open(&path, CassetteMode::Replay).unwrap();
        let next = |trial| {
            let take = replay.next(&asked("a").key, trial)?;
            Some(String::from_utf8(take.bytes()).unwrap())
        };
        for (trial, body) in [
            (Some("two"), Some("2")),
            (Some("one"), Some("1")),
            (Some("three"), Some("nobody's")),
            (Some("one"), Some("1 again")),
            (Some("one"), None),
        ] {
            assert_eq!(next(trial).as_deref(), body, "{trial:?}");
        }
    }

    #[test]
    fn damage_is_named_and_a_missing_cassette_is_not_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cassette.jsonl");
        assert!(matches!(
            Cassette::open(&path, CassetteMode::Replay),
            Err(CassetteError::Io(_))
        ));
        fs::write(&path, "{}\n").unwrap();
        let error = Cassette::open(&path, CassetteMode::Replay).unwrap_err().to_string();
        assert!(error.contains("line 1: missing field"), "{error}");
    }
}
