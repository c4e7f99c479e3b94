//! Results, derived from journals.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::{CommandRecord, Ending, Entry, Event, Outcome, Profile, Submission, TaskId, Verdict};
use seatrial_store::{read_journal, unix_millis};
use serde::{Deserialize, Serialize};

use crate::{RunLock, TrialError};

/// The result of one finished trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// The task.
    pub task: TaskId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// One verdict per profile, strict first.
    pub verdicts: Vec<Verdict>,
    /// Wall-clock milliseconds, without the time in which nothing ran because the run was stopped.
    pub wall_ms: u64,
    /// The agent's note.
    pub note: String,
    /// What the agent used of models and tools, when it asked any model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<ModelSpent>,
}

/// What one trial used of models and tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpent {
    /// Answers of models, those that failed among them.
    pub calls: u64,
    /// Uses of tools.
    pub tool_calls: u64,
    /// Those of them whose answer was remembered.
    #[serde(default)]
    pub cached_tool_calls: u64,
    /// Tokens of requests, as far as they are known.
    pub input: u64,
    /// Tokens of answers, as far as they are known.
    pub output: u64,
    /// Answers of which nobody told the tokens.
    pub untold: u64,
    /// Millionths of a US dollar, as far as prices are known.
    pub cost_micros: u64,
    /// Answers without a known price.
    pub unpriced: u64,
    /// What ended the agent's work.
    pub ended: Option<Ending>,
}

impl ModelSpent {
    fn take(&mut self, event: &Event) {
        match event {
            Event::ModelCalled(record) => {
                self.calls += record.answers();
                self.input += record.usage.input.unwrap_or(0);
                self.output += record.usage.output.unwrap_or(0);
                if record.error.is_none() {
                    self.untold += u64::from(record.usage.input.is_none() || record.usage.output.is_none());
                    self.unpriced += u64::from(record.cost_micros.is_none());
                }
                self.cost_micros += record.cost_micros.unwrap_or(0);
            }
            Event::ToolCalled(record) => {
                self.tool_calls += 1;
                self.cached_tool_calls += u64::from(record.cached);
            }
            Event::Ended { by, .. } => self.ended = Some(*by),
            _ => {}
        }
    }
}

impl TrialResult {
    /// The verdict of a profile.
    pub fn verdict(&self, profile: Profile) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.profile == profile)
    }

    /// The outcome under the strict profile.
    pub fn outcome(&self) -> Outcome {
        self.verdict(Profile::Strict)
            .map_or(Outcome::Invalid, |verdict| verdict.outcome)
    }
}

/// How far a trial's journal has come.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialState {
    /// It has to start from the beginning.
    Pending,
    /// The agent has handed in, the grader has not finished; so many milliseconds were spent.
    Submitted(Box<Submission>, u64),
    /// It is over.
    Finished(TrialResult),
}

impl TrialState {
    /// Reads the state off a journal's entries. What was begun and never finished does not count.
    pub fn of(entries: &[Entry]) -> Self {
        let mut state = Self::Pending;
        let mut open: Option<(TaskId, u32, u64)> = None;
        let mut verdicts = Vec::new();
        let mut submission: Option<(Submission, u64)> = None;
        let mut spent = ModelSpent::default();
        for entry in entries {
            match &entry.event {
                Event::TrialStarted { task, attempt, .. } => {
                    open = Some((task.clone(), *attempt, entry.at));
                    verdicts.clear();
                    submission = None;
                    spent = ModelSpent::default();
                    state = Self::Pending;
                }
                Event::Submitted { submission: handed_in } => {
                    let spent = open.as_ref().map_or(0, |(_, _, since)| entry.at.saturating_sub(*since));
                    submission = Some((handed_in.clone(), spent));
                    verdicts.clear();
                }
                // Verdicts come last, so a phase after one belongs to a resumption, which judges anew, or cannot judge.
                Event::Phase { .. } => verdicts.clear(),
                Event::Judged { verdict } => verdicts.push(verdict.clone()),
                Event::TrialFinished { wall_ms, .. } => {
                    if let Some((task, attempt, _)) = open.take() {
                        let note = submission
                            .take()
                            .map(|(handed_in, _)| handed_in.note)
                            .unwrap_or_default();
                        let verdicts = std::mem::take(&mut verdicts);
                        state = Self::Finished(TrialResult {
                            task,
                            attempt,
                            verdicts,
                            wall_ms: *wall_ms,
                            note,
                            spent: (spent.calls > 0).then_some(spent),
                        });
                    }
                }
                event @ (Event::ModelCalled(_) | Event::ToolCalled(_) | Event::Ended { .. }) => spent.take(event),
                Event::Command(_)
                | Event::Condensed { .. }
                | Event::Decision { .. }
                | Event::Interrupted { .. }
                | Event::Network(_)
                | Event::Note { .. }
                | Event::Said { .. }
                | Event::Unenforced { .. } => {}
            }
        }
        match (state, submission) {
            (Self::Pending, Some((submission, spent))) => Self::Submitted(Box::new(submission), spent),
            (state, _) => state,
        }
    }
}

/// The agent's commands since the trial last began.
pub(crate) fn commands(entries: &[Entry]) -> Vec<CommandRecord> {
    let mut commands = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::TrialStarted { .. } => commands.clear(),
            Event::Command(record) => commands.push(record.clone()),
            // What follows is the grader's.
            Event::Submitted { .. } => break,
            _ => {}
        }
    }
    commands
}

/// A run as its folder shows it.
#[derive(Debug, Clone)]
pub struct RunView {
    /// Its locked configuration.
    pub lock: RunLock,
    /// Its folder.
    pub folder: PathBuf,
    /// Finished trials, in the lock's order, each once.
    pub results: Vec<TrialResult>,
    /// Trials that are not finished.
    pub pending: Vec<(TaskId, u32)>,
}

impl RunView {
    /// Reads a run's folder.
    pub fn read(folder: &Path) -> Result<Self, TrialError> {
        let lock = read_lock(folder)?;
        let (mut results, mut pending) = (Vec::new(), Vec::new());
        for (task, attempt) in trials(&lock) {
            let journal = trial_folder(folder, &task, attempt).join("journal.jsonl");
            match TrialState::of(&read_journal(&journal)?.entries) {
                TrialState::Finished(result) => results.push(result),
                TrialState::Pending | TrialState::Submitted(..) => pending.push((task, attempt)),
            }
        }
        Ok(Self {
            lock,
            folder: folder.to_owned(),
            results,
            pending,
        })
    }
}

impl RunView {
    /// What the journal of one of its trials holds.
    pub fn journal(&self, task: &TaskId, attempt: u32) -> Result<Vec<Entry>, TrialError> {
        let journal = trial_folder(&self.folder, task, attempt).join("journal.jsonl");
        Ok(read_journal(&journal)?.entries)
    }
}

/// The last submission in a trial's folder.
pub fn submission(folder: &Path) -> Result<Option<Submission>, TrialError> {
    let entries = read_journal(&folder.join("journal.jsonl"))?.entries;
    Ok(entries.into_iter().rev().find_map(|entry| match entry.event {
        Event::Submitted { submission } => Some(submission),
        _ => None,
    }))
}

/// Every trial of a run: all tasks' first attempts before any second one, so that a stopped run has seen most tasks.
pub(crate) fn trials(lock: &RunLock) -> impl Iterator<Item = (TaskId, u32)> + '_ {
    (1..=lock.attempts).flat_map(|attempt| lock.tasks.iter().map(move |task| (task.clone(), attempt)))
}

pub(crate) fn trial_folder(run: &Path, task: &TaskId, attempt: u32) -> PathBuf {
    run.join("trials").join(format!("{task}.{attempt}"))
}

/// Moves the folder of a finished trial whose verdict was `invalid` out of the way, so that it is tried again. Its journal
/// is kept beside the new one. Says whether there was such a trial.
pub(crate) fn set_invalid_aside(folder: &Path) -> Result<bool, TrialError> {
    let entries = read_journal(&folder.join("journal.jsonl"))?.entries;
    match TrialState::of(&entries) {
        TrialState::Finished(result) if result.outcome() == Outcome::Invalid => {
            let mut kept = folder.as_os_str().to_owned();
            kept.push(format!(".invalid-{}", unix_millis()));
            fs::rename(folder, kept)?;
            Ok(true)
        }
        TrialState::Finished(_) | TrialState::Pending | TrialState::Submitted(..) => Ok(false),
    }
}

pub(crate) fn read_lock(folder: &Path) -> Result<RunLock, TrialError> {
    let path = folder.join("lock.json");
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(TrialError::NoRun(name, folder.parent().unwrap_or(folder).to_owned()));
        }
        Err(error) => return Err(error.into()),
    };
    serde_json::from_slice(&text).map_err(|error| TrialError::Lock {
        path,
        problem: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use seatrial_core::{Digest, Finish, InvalidReason, ModelRecord, Usage};

    use super::*;

    fn entries(events: Vec<Event>) -> Vec<Entry> {
        events
            .into_iter()
            .zip(0..)
            .map(|(event, seq)| Entry {
                v: 1,
                seq,
                at: seq * 10,
                event,
            })
            .collect()
    }

    fn started() -> Event {
        Event::TrialStarted {
            task: "hull".parse().unwrap(),
            agent: "rules".parse().unwrap(),
            attempt: 1,
            lock: Digest::of(b""),
        }
    }

    fn judged(reason: &str) -> Event {
        Event::Judged {
            verdict: Verdict::invalid(Profile::Strict, InvalidReason::Internal, reason),
        }
    }

    fn submitted() -> Event {
        Event::Submitted {
            submission: Submission::default(),
        }
    }

    #[test]
    fn what_a_program_of_others_tells_counts_as_its_own_calls_and_is_never_priced_at_nothing() {
        let record = |finish, error: Option<&str>, attempts| {
            Event::ModelCalled(ModelRecord {
                conversation: "main".to_owned(),
                model: "some/model".to_owned(),
                answered_by: None,
                finish,
                error: error.map(str::to_owned),
                usage: Usage::default(),
                cost_micros: None,
                attempts,
                adapted: Vec::new(),
                first_piece_ms: None,
                wall_ms: 1,
                request: None,
            })
        };
        let spent = |event: Event| {
            let mut spent = ModelSpent::default();
            spent.take(&event);
            (spent.calls, spent.untold, spent.unpriced)
        };
        // One answer; one that was tried three times; none; all of a program together; those of one that tells no number.
        assert_eq!(spent(record(Some(Finish::Stop), None, 1)), (1, 1, 1));
        assert_eq!(spent(record(Some(Finish::Stop), None, 3)), (1, 1, 1));
        assert_eq!(spent(record(None, Some("gone"), 6)), (1, 0, 0));
        assert_eq!(spent(record(None, None, 4)), (4, 1, 1));
        assert_eq!(spent(record(None, None, 0)), (1, 1, 1));
    }

    #[test]
    fn only_a_finished_trial_counts_and_only_once() {
        let grade = Event::Phase {
            name: "grade".to_owned(),
        };
        let done = Event::TrialFinished {
            wall_ms: 7,
            disk_bytes: None,
        };
        assert_eq!(TrialState::of(&[]), TrialState::Pending);
        assert_eq!(TrialState::of(&entries(vec![started()])), TrialState::Pending);
        let half = entries(vec![started(), submitted(), grade.clone(), judged("first")]);
        assert_eq!(TrialState::of(&half), TrialState::Submitted(Box::default(), 10));
        let again = entries(vec![
            started(),
            submitted(),
            grade.clone(),
            judged("first"),
            grade,
            judged("second"),
            done,
        ]);
        let TrialState::Finished(result) = TrialState::of(&again) else {
            panic!("not finished")
        };
        assert_eq!(
            result.verdicts.len(),
            1,
            "the verdict of the grading that was cut off is not counted"
        );
        assert_eq!(result.verdicts[0].reason, "second");
        assert_eq!(result.wall_ms, 7);
    }
}
