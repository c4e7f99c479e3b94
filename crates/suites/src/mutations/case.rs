//! The set as it is stored: one line a case, one file a log.

use std::{
    collections::BTreeSet,
    io::Write as _,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_diagnosis::{Class, Kind};
use serde::{Deserialize, Serialize};

use super::{MutationError, Reveal};
use crate::corpus::Side;

/// Version of the stored form.
/// 2 knows parts that were revealed.
const VERSION: u32 = 2;
/// The name under which `corpus.toml` tells that the folder is such a set.
const SUITE: &str = "diagnosis";

/// One failing log with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its name, which is also that of its log.
    pub id: String,
    /// The project that was broken.
    pub project: String,
    /// Which of the project's instances: the library or the like that it was made for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// The kind of change that broke it.
    pub mutation: String,
    /// How it was built and what was laid over the log, such as `keep-going` or `docker`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variant: Vec<String>,
    /// The class of failure.
    pub class: Class,
    /// Classes that are right too, where the classes overlap: a module that only the tests miss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Class>,
    /// The kinds that are right.
    pub kind: Vec<Kind>,
    /// The spellings of the subject that are right; empty where the kind has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subject: Vec<String>,
    /// First and last line of the message that names the cause, counted from 1.
    pub lines: (u64, u64),
    /// What undoes the change.
    pub remedy: String,
    /// Programs that took part, with their versions.
    pub tools: Vec<String>,
    /// Distribution, release and architecture.
    pub platform: String,
    /// Whether it may be looked at.
    pub split: Side,
}

/// What `corpus.toml` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFacts {
    /// Version of the stored form.
    pub version: u32,
    /// `diagnosis`.
    pub suite: String,
    /// The set's name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Seed of the split.
    pub seed: u64,
    /// Projects that are held out.
    pub unseen_projects: Vec<String>,
    /// Mutations that are held out.
    pub unseen_mutations: Vec<String>,
    /// How many logs were dropped while the set grew: without their witness, without a failure, or the same as another.
    pub dropped: u64,
    /// What was held out once and then was revealed, in the order of its drawing.
    #[serde(default, rename = "reveal", skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<Reveal>,
}

impl SetFacts {
    /// Facts of a new set.
    pub fn new(name: impl Into<String>, seed: u64) -> Self {
        Self {
            version: VERSION,
            suite: SUITE.to_owned(),
            name: name.into(),
            about: "Logs of builds that worked until one thing was changed; cause and repair are known from the change"
                .to_owned(),
            seed,
            unseen_projects: Vec::new(),
            unseen_mutations: Vec::new(),
            dropped: 0,
            reveals: Vec::new(),
        }
    }
}

/// A set of cases in a folder.
#[derive(Debug, Clone)]
pub struct CaseSet {
    folder: PathBuf,
    facts: SetFacts,
    cases: Vec<Case>,
}

impl CaseSet {
    /// Reads a set; logs are read one by one, later.
    pub fn load(folder: &Path) -> Result<Self, MutationError> {
        let path = folder.join("corpus.toml");
        if !path.is_file() {
            return Err(MutationError::NoSet(folder.to_owned()));
        }
        let text = fs::read_to_string(&path)?;
        let malformed = |path: &Path, line, problem: String| MutationError::Malformed {
            path: path.to_owned(),
            line,
            problem,
        };
        let facts: SetFacts = toml::from_str(&text).map_err(|error| malformed(&path, None, error.to_string()))?;
        if facts.suite != SUITE {
            return Err(MutationError::NoSet(folder.to_owned()));
        }
        if facts.version > VERSION {
            return Err(MutationError::Newer {
                path,
                found: facts.version,
                known: VERSION,
            });
        }
        let path = folder.join("cases.jsonl");
        let mut cases = Vec::new();
        let mut names = BTreeSet::new();
        let bytes = fs::read(&path)?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.split(|byte| *byte == b'\n').count();
            malformed(&path, Some(line), "it is not text in UTF-8".to_owned())
        })?;
        for (index, line) in text.lines().enumerate() {
            let case: Case =
                serde_json::from_str(line).map_err(|error| malformed(&path, Some(index + 1), error.to_string()))?;
            if let Err(problem) = check(&case, &mut names) {
                return Err(malformed(&path, Some(index + 1), problem));
            }
            let log = log_path(folder, &case.id);
            if !log.is_file() {
                let problem = format!("the log of `{}` is not there: {}", case.id, log.display());
                return Err(malformed(&path, Some(index + 1), problem));
            }
            cases.push(case);
        }
        Ok(Self {
            folder: folder.to_owned(),
            facts,
            cases,
        })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is.
    pub fn facts(&self) -> &SetFacts {
        &self.facts
    }

    /// Its cases, in order of their names.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Where a case's log is.
    pub fn log_path(&self, case: &Case) -> PathBuf {
        log_path(&self.folder, &case.id)
    }

    /// A case's log.
    pub fn log(&self, case: &Case) -> Result<Vec<u8>, MutationError> {
        Ok(fs::read(self.log_path(case))?)
    }

    /// Writes a set: its logs first, so that a set that was interrupted is still the old one.
    pub(super) fn write(folder: &Path, facts: &SetFacts, cases: &[(&Case, &[u8])]) -> Result<(), MutationError> {
        fs::create_dir_all(folder.join("logs"))?;
        for (case, log) in cases {
            let path = log_path(folder, &case.id);
            // Most logs are as they were: what is the same is not written again.
            if fs::read(&path).ok().as_deref() != Some(log) {
                replace(&path, log)?;
            }
        }
        let labels: Vec<Case> = cases.iter().map(|(case, _)| (*case).clone()).collect();
        Self::write_labels(folder, facts, &labels)?;
        let names: BTreeSet<String> = labels.iter().map(|case| format!("{}.log", case.id)).collect();
        for entry in fs::read_dir(folder.join("logs"))? {
            let entry = entry?;
            if !names.contains(&*entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Writes what is known of a set's logs, and leaves the logs alone.
    pub(super) fn write_labels(folder: &Path, facts: &SetFacts, cases: &[Case]) -> Result<(), MutationError> {
        let mut lines = Vec::new();
        for case in cases {
            serde_json::to_writer(&mut lines, case).map_err(std::io::Error::from)?;
            lines.write_all(b"\n")?;
        }
        let facts = SetFacts {
            version: VERSION,
            ..facts.clone()
        };
        let text = toml::to_string(&facts).map_err(|error| MutationError::Malformed {
            path: folder.join("corpus.toml"),
            line: None,
            problem: error.to_string(),
        })?;
        replace(&folder.join("cases.jsonl"), &lines)?;
        replace(&folder.join("corpus.toml"), text.as_bytes())
    }
}

/// Writes a file under another name first: who is killed meanwhile leaves the old one whole.
fn replace(path: &Path, content: &[u8]) -> Result<(), MutationError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    let aside = PathBuf::from(aside);
    fs::write(&aside, content)?;
    Ok(fs::rename(&aside, path)?)
}

fn log_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("logs").join(format!("{id}.log"))
}

/// A case's name becomes a path, so it is looked at before it is used.
fn check(case: &Case, names: &mut BTreeSet<String>) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+');
    if case.id.is_empty() || case.id.starts_with('.') || !case.id.bytes().all(plain) {
        return Err(format!("`{}` is no name of a case", case.id));
    }
    if !names.insert(case.id.clone()) {
        return Err(format!("`{}` is there twice", case.id));
    }
    if case.kind.is_empty() {
        return Err(format!("`{}` has no kind", case.id));
    }
    if case.lines.0 == 0 || case.lines.1 < case.lines.0 {
        return Err(format!("`{}`: {:?} are no lines", case.id, case.lines));
    }
    Ok(())
}
