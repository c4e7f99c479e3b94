//! Reading and writing a corpus's folder.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::{Digest, Task, TaskId, Truth};
use seatrial_store::{Blobs, StoreError};
use serde::{Serialize, de::DeserializeOwned};

use super::{CorpusError, CorpusFacts, TaskLock, TaskState, facts::FORMAT, lock::CorpusLock};

/// A corpus in memory.
#[derive(Debug, Clone)]
pub struct Corpus {
    folder: PathBuf,
    facts: CorpusFacts,
    entries: BTreeMap<TaskId, CorpusEntry>,
    warnings: Vec<String>,
}

#[derive(Debug, Clone)]
struct CorpusEntry {
    task: Task,
    truth: Truth,
    lock: TaskLock,
}

impl Corpus {
    /// Starts an empty corpus that will live in a folder; nothing is written yet.
    pub fn new(folder: impl Into<PathBuf>, facts: CorpusFacts) -> Self {
        Self {
            folder: folder.into(),
            facts,
            entries: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads a corpus and checks that its parts belong together.
    pub fn load(folder: &Path) -> Result<Self, CorpusError> {
        let facts_path = folder.join("corpus.toml");
        if !facts_path.is_file() {
            return Err(CorpusError::NoCorpus(folder.to_owned()));
        }
        let facts: CorpusFacts = read_toml(&facts_path)?;
        check_format(&facts_path, facts.format)?;
        let lock_path = folder.join("corpus.lock");
        let mut lock = if lock_path.is_file() {
            read_toml(&lock_path)?
        } else {
            CorpusLock::default()
        };
        check_format(&lock_path, lock.format)?;
        let mut corpus = Self::new(folder, facts);
        for path in toml_files(&folder.join("tasks"))? {
            let task: Task = read_toml(&path)?;
            let problem = |problem: String| CorpusError::File {
                path: path.clone(),
                problem,
            };
            if path.file_stem().and_then(|stem| stem.to_str()) != Some(task.id.as_str()) {
                return Err(problem(format!(
                    "key `id` is `{}`, which is not the file's name",
                    task.id
                )));
            }
            if task.suite != corpus.facts.suite {
                return Err(problem(format!(
                    "key `suite` is `{}`, but the corpus is of the suite `{}`",
                    task.suite, corpus.facts.suite
                )));
            }
            let truth_path = folder.join("truth").join(format!("{}.toml", task.id));
            let truth: Truth = read_toml(&truth_path)?;
            if truth.task != task.id {
                return Err(CorpusError::File {
                    path: truth_path,
                    problem: format!("key `task` is `{}`, which is not the file's name", truth.task),
                });
            }
            let locked = lock.tasks.remove(&task.id);
            corpus.insert_locked(task, truth, locked);
        }
        for path in toml_files(&folder.join("truth"))? {
            let known = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .and_then(|stem| stem.parse::<TaskId>().ok())
                .is_some_and(|id| corpus.entries.contains_key(&id));
            if !known {
                corpus.warnings.push(format!("{} belongs to no task", path.display()));
            }
        }
        for id in lock.tasks.keys() {
            corpus.warnings.push(format!(
                "corpus.lock knows the task `{id}`, which is not there any more"
            ));
        }
        Ok(corpus)
    }

    /// Puts what tasks name by its digest, the files of the folder `blobs`, into a store. Those that end in `.zst` are
    /// packed.
    pub fn keep_blobs(&self, store: &Blobs) -> Result<(), CorpusError> {
        let folder = self.folder.join("blobs");
        if !folder.is_dir() {
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let mut file = fs::File::open(&path)?;
            if path.extension().is_some_and(|ending| ending == "zst") {
                store.put_reader(&mut zstd::Decoder::new(file)?)?;
            } else {
                store.put_reader(&mut file)?;
            }
        }
        Ok(())
    }

    /// Writes everything. Files of tasks that are no longer in the corpus are removed.
    pub fn save(&self) -> Result<(), CorpusError> {
        for room in ["tasks", "truth"] {
            let room = self.folder.join(room);
            fs::create_dir_all(&room)?;
            for path in toml_files(&room)? {
                let id = path
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .and_then(|stem| stem.parse::<TaskId>().ok());
                if !id.is_some_and(|id| self.entries.contains_key(&id)) {
                    fs::remove_file(&path)?;
                }
            }
        }
        write_toml(&self.folder.join("corpus.toml"), &self.facts)?;
        for (id, entry) in &self.entries {
            write_toml(&self.folder.join("tasks").join(format!("{id}.toml")), &entry.task)?;
            write_toml(&self.folder.join("truth").join(format!("{id}.toml")), &entry.truth)?;
        }
        self.save_lock()
    }

    /// Writes the states only.
    pub fn save_lock(&self) -> Result<(), CorpusError> {
        let tasks = self
            .entries
            .iter()
            .map(|(id, entry)| (id.clone(), entry.lock.clone()))
            .collect();
        write_toml(&self.folder.join("corpus.lock"), &CorpusLock { format: FORMAT, tasks })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is known of it as a whole.
    pub fn facts(&self) -> &CorpusFacts {
        &self.facts
    }

    /// The same, to be changed before it is saved.
    pub fn facts_mut(&mut self) -> &mut CorpusFacts {
        &mut self.facts
    }

    /// What a person should know of its files, though they can be used.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The tasks that are fit to be run, sorted by name: all but the quarantined ones.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.entries
            .values()
            .filter(|entry| entry.lock.state != TaskState::Quarantined)
            .map(|entry| &entry.task)
    }

    /// All tasks, the quarantined ones too, sorted by name.
    pub fn all_tasks(&self) -> impl Iterator<Item = &Task> {
        self.entries.values().map(|entry| &entry.task)
    }

    /// One task, also when it is quarantined.
    pub fn task(&self, id: &TaskId) -> Result<&Task, CorpusError> {
        Ok(&self.entry(id)?.task)
    }

    /// One task's answer key.
    pub fn truth(&self, id: &TaskId) -> Result<&Truth, CorpusError> {
        Ok(&self.entry(id)?.truth)
    }

    /// One task's state.
    pub fn lock(&self, id: &TaskId) -> Result<&TaskLock, CorpusError> {
        Ok(&self.entry(id)?.lock)
    }

    /// Takes in a task, or a new form of one; its state is `new` then, unless nothing changed.
    pub fn insert(&mut self, task: Task, truth: Truth) {
        let locked = self.entries.get(&task.id).map(|entry| entry.lock.clone());
        self.insert_locked(task, truth, locked);
    }

    /// Puts a better answer key in the place of a task's own. What calibration found out about the task holds for it too.
    pub fn improve_truth(&mut self, truth: Truth) -> Result<(), CorpusError> {
        let name = self.facts.name.clone();
        let entry = self.entries.get_mut(&truth.task).ok_or_else(|| CorpusError::NoTask {
            corpus: name,
            task: truth.task.to_string(),
        })?;
        entry.lock.truth = content_digest(&truth);
        entry.truth = truth;
        Ok(())
    }

    /// Takes a task out.
    pub fn remove(&mut self, id: &TaskId) {
        self.entries.remove(id);
    }

    /// Records the outcome of calibration. `reason` is for quarantine; `image` is what it was run in.
    pub fn set_state(
        &mut self,
        id: &TaskId,
        state: TaskState,
        reason: impl Into<String>,
        image: Option<Digest>,
    ) -> Result<(), CorpusError> {
        let name = self.facts.name.clone();
        let entry = self.entries.get_mut(id).ok_or_else(|| CorpusError::NoTask {
            corpus: name,
            task: id.to_string(),
        })?;
        entry.lock.state = state;
        entry.lock.reason = reason.into();
        entry.lock.image = image;
        Ok(())
    }

    /// Identifies the tasks and truths, whatever their state: the same digest means the same questions and answers.
    pub fn digest(&self) -> Digest {
        let mut text = format!("{} {}\n", self.facts.name, self.facts.version);
        for (id, entry) in &self.entries {
            let _ = writeln!(text, "{id} {} {}", entry.lock.task, entry.lock.truth);
        }
        Digest::of(text.as_bytes())
    }

    fn entry(&self, id: &TaskId) -> Result<&CorpusEntry, CorpusError> {
        self.entries.get(id).ok_or_else(|| CorpusError::NoTask {
            corpus: self.facts.name.clone(),
            task: id.to_string(),
        })
    }

    fn insert_locked(&mut self, task: Task, truth: Truth, locked: Option<TaskLock>) {
        let (task_digest, truth_digest) = (content_digest(&task), content_digest(&truth));
        let lock = match locked {
            Some(lock) if lock.task == task_digest && lock.truth == truth_digest => lock,
            other => {
                if let Some(TaskLock {
                    state: TaskState::Calibrated | TaskState::Quarantined,
                    ..
                }) = other
                {
                    self.warnings
                        .push(format!("the task `{}` changed since it was calibrated", task.id));
                }
                TaskLock {
                    state: TaskState::New,
                    reason: String::new(),
                    task: task_digest,
                    truth: truth_digest,
                    image: None,
                }
            }
        };
        self.entries.insert(task.id.clone(), CorpusEntry { task, truth, lock });
    }
}

/// The digest of a value, independent of how its file is laid out.
fn content_digest(value: &impl Serialize) -> Digest {
    // Plain data with text keys always serialises; an empty text would only make two broken values equal.
    Digest::of(&serde_json::to_vec(value).unwrap_or_default())
}

fn check_format(path: &Path, format: u32) -> Result<(), CorpusError> {
    if format <= FORMAT {
        return Ok(());
    }
    Err(CorpusError::File {
        path: path.to_owned(),
        problem: format!("key `format` is {format}; this program reads up to {FORMAT}: a newer seatrial wrote it"),
    })
}

fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, CorpusError> {
    let text = fs::read_to_string(path)?;
    toml::from_str(&text).map_err(|error| CorpusError::File {
        path: path.to_owned(),
        problem: error.to_string().trim().to_owned(),
    })
}

/// Writes a value as TOML, whole or not at all.
fn write_toml(path: &Path, value: &impl Serialize) -> Result<(), CorpusError> {
    let text = toml::to_string(value).map_err(|error| CorpusError::File {
        path: path.to_owned(),
        problem: error.to_string(),
    })?;
    seatrial_store::write_file(path, text.as_bytes()).map_err(|error| match error {
        StoreError::Io(error) => error.into(),
        other => std::io::Error::other(other).into(),
    })
}
