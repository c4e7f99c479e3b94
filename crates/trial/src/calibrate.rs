//! Calibration: the reference solution must pass, doing nothing and faking must not.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use seatrial_agents::{Agent, AgentError, SolveContext, fake_script};
use seatrial_core::{Answer, CompileTruth, Outcome, Profile, Submission, Task, TaskId, Truth, TruthBody};
use seatrial_suites::{
    Corpus, TaskState, aliases, gold_source, gold_submission, lists_only_some, made_by_patches, unpatched_submission,
};

use crate::{Bench, Observer, Room, Trial, TrialError, TrialResult, parallel::side_by_side, result::set_invalid_aside};

/// What calibration found out about one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calibration {
    /// The task can be solved and cannot be faked. The answer key, improved by what the reference made, and what a person should
    /// know about it.
    Fit(CompileTruth, Vec<String>),
    /// The reference repair passes, and the package as it came does not.
    Proved,
    /// Something about it is wrong.
    Quarantined(String),
    /// The infrastructure was at fault, so nothing is known.
    Unknown(String),
}

/// How often a name must be missing without the distribution's patches: one build may fail by chance.
const UNPATCHED: u32 = 2;

impl Calibration {
    /// The state for the corpus's lock file, when something is known.
    pub fn state(&self) -> Option<TaskState> {
        match self {
            Self::Fit(..) | Self::Proved => Some(TaskState::Calibrated),
            Self::Quarantined(_) => Some(TaskState::Quarantined),
            Self::Unknown(_) => None,
        }
    }
}

/// Calibrates tasks.
pub struct Calibrator<'a> {
    /// What trials share. Its agent is not used.
    pub bench: Bench<'a>,
    /// How often the reference solution must pass.
    pub attempts: u32,
    /// Where the journals go; what is finished there, and not `invalid`, is not run again.
    pub folder: &'a Path,
    /// Where there has to be room for them.
    pub room: &'a Room,
}

impl Calibrator<'_> {
    /// Calibrates tasks, `jobs` at a time, and tells of each answer as it comes. Returns the answers, sorted by task;
    /// when the switch is thrown, those that were reached.
    pub fn all(
        &self,
        corpus: &Corpus,
        tasks: &[Task],
        jobs: usize,
        observer: &dyn Observer,
        tell: &(dyn Fn(&TaskId, &Calibration) + Sync),
    ) -> Result<Vec<(TaskId, Calibration)>, TrialError> {
        let found = Mutex::new(Vec::new());
        side_by_side(tasks, jobs, &self.bench.stop, |task| {
            let _place = self.room.enter(&self.bench.stop, self.bench.factory)?;
            let answer = self.one(task, corpus.truth(&task.id)?, observer)?;
            tell(&task.id, &answer);
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((task.id.clone(), answer));
            Ok(())
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    fn one(&self, task: &Task, truth: &Truth, observer: &dyn Observer) -> Result<Calibration, TrialError> {
        let key = match &truth.body {
            TruthBody::Compile(key) => key,
            TruthBody::Repair(key) => return self.repair((task, truth), key, observer),
            TruthBody::Setup(key) => return self.setup((task, truth), key, observer),
        };
        let script = |text: String| Submission {
            script: Some(text),
            ..Submission::default()
        };
        let null = Given {
            name: "null",
            submission: script("true\n".to_owned()),
        };
        let fake = Given {
            name: "fake",
            submission: script(fake_script(&key.artifacts)),
        };
        let (Some(source), Some(submission)) = (gold_source(task), gold_submission(task)) else {
            return Ok(Calibration::Quarantined(
                "there is no reference solution for such a source".to_owned(),
            ));
        };
        // The cheap questions first: most of the time goes into the reference.
        for (agent, level) in [(&null, "flexible"), (&fake, "strict")] {
            let result = self.given(agent, task, truth, 1, observer)?;
            if result.outcome() == Outcome::Invalid {
                return Ok(Calibration::Unknown(format!("{}: {}", agent.name, reason(&result))));
            }
            let scored = result
                .verdict(Profile::Strict)
                .and_then(|verdict| verdict.answer(level))
                == Some(Answer::Yes);
            if scored || result.outcome() == Outcome::Passed {
                return Ok(Calibration::Quarantined(format!(
                    "the agent `{}` passes it: {}",
                    agent.name,
                    reason(&result)
                )));
            }
        }
        let gold_task = Task { source, ..task.clone() };
        let gold = Given {
            name: "gold",
            submission,
        };
        let mut better = key.clone();
        let mut notes = Vec::new();
        for attempt in 1..=self.attempts {
            let result = self.given(&gold, &gold_task, truth, attempt, observer)?;
            match result.outcome() {
                Outcome::Passed => {
                    if let Some(verdict) = result.verdict(Profile::Strict) {
                        better.aliases = aliases(&better, verdict);
                        if lists_only_some(verdict) {
                            notes = vec![
                                "it makes more files than a verdict lists, so other names of the same file may have been missed"
                                    .to_owned(),
                            ];
                        }
                    }
                }
                Outcome::Failed => {
                    return Ok(Calibration::Quarantined(format!(
                        "the reference solution fails: {}",
                        reason(&result)
                    )));
                }
                Outcome::Invalid => return Ok(Calibration::Unknown(format!("gold: {}", reason(&result)))),
            }
        }
        self.without_patches(&gold_task, truth, (better, notes), observer)
    }

    /// Leaves out of the answer key what only the distribution's patches make.
    fn without_patches(
        &self,
        task: &Task,
        truth: &Truth,
        (mut better, mut notes): (CompileTruth, Vec<String>),
        observer: &dyn Observer,
    ) -> Result<Calibration, TrialError> {
        let Some(submission) = unpatched_submission(task) else {
            return Ok(Calibration::Fit(better, notes));
        };
        let truth = Truth {
            body: TruthBody::Compile(better.clone()),
            ..truth.clone()
        };
        let unpatched = Given {
            name: "unpatched",
            submission,
        };
        let mut patched = better.artifacts.clone();
        for attempt in 1..=UNPATCHED {
            let result = self.given(&unpatched, task, &truth, attempt, observer)?;
            let Some(verdict) = result.verdict(Profile::Strict) else {
                return Ok(Calibration::Fit(better, notes));
            };
            if attempt > 1 && result.outcome() == Outcome::Invalid {
                return Ok(Calibration::Unknown(format!("unpatched: {}", reason(&result))));
            }
            let missing = made_by_patches(&better, verdict);
            if attempt > 1 && missing.len() < patched.len() {
                notes.push(
                    "without the distribution's patches it made not the same each time; what it made once counts"
                        .to_owned(),
                );
            }
            patched.retain(|name| missing.contains(name));
            // Nothing is missing, so there is nothing to be sure of.
            if patched.is_empty() {
                break;
            }
        }
        better.artifacts.retain(|name| !patched.contains(name));
        better.aliases.retain(|name, _| !patched.contains(name));
        better.patched.extend(patched);
        better.patched.sort();
        better.patched.dedup();
        if better.artifacts.is_empty() {
            return Ok(Calibration::Quarantined(format!(
                "every expected artifact is made by the distribution's patches: {}",
                better.patched.join(", ")
            )));
        }
        Ok(Calibration::Fit(better, notes))
    }

    pub(crate) fn given(
        &self,
        agent: &Given,
        task: &Task,
        truth: &Truth,
        attempt: u32,
        observer: &dyn Observer,
    ) -> Result<TrialResult, TrialError> {
        let folder = self
            .folder
            .join(task.id.as_str())
            .join(format!("{}.{attempt}", agent.name));
        // What the infrastructure broke last time says nothing about the task, so it is asked again.
        set_invalid_aside(&folder)?;
        self.bench
            .with_agent(agent)
            .run(&Trial { task, truth, attempt }, &folder, observer)
    }
}

pub(crate) fn reason(result: &TrialResult) -> &str {
    result
        .verdict(Profile::Strict)
        .map_or("no verdict", |verdict| verdict.reason.as_str())
}

/// An agent that hands in what it was given.
pub(crate) struct Given {
    pub(crate) name: &'static str,
    pub(crate) submission: Submission,
}

impl Agent for Given {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "hands in a fixed submission"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, _: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        Ok(self.submission.clone())
    }
}
