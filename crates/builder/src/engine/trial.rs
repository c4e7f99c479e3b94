//! What one run of a plan came to, and how far that is.

use std::{cmp::Ordering, collections::BTreeSet, time::Duration};

use seatrial_core::{Purpose, Step};
use seatrial_diagnosis::{Diagnosis, Problem, diagnose};

use super::watch;
use crate::{Artifact, ArtifactKind, artifacts, pattern::Pattern, plan::Settings};

/// What one run of a plan's steps came to.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) settings: Settings,
    pub(super) packages: Vec<String>,
    /// The steps as a recipe has them.
    pub(super) steps: Vec<Step>,
    /// Whether every step but installing exited with 0.
    pub(super) clean: bool,
    /// How far it came: larger is later.
    pub(super) reached: u8,
    /// How many questions the configure step had answered when it failed.
    pub(super) checks: usize,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) worth: f64,
    pub(super) wall: Duration,
    /// The phase and the log of the step that failed; of the build when none did.
    pub(super) phase: Purpose,
    pub(super) log: Vec<u8>,
    /// What ended it, when that was a limit.
    pub(super) limit: Option<String>,
    /// Different complaints in it: fewer is further, where nothing else tells.
    pub(super) errors: usize,
    /// Failing calls and downloads of the build, when they were noted.
    pub(super) calls: Vec<watch::Call>,
    /// Steps that failed and may fail: what was asked of them, and how they ended.
    pub(super) tolerated: Vec<String>,
    /// What was tried beside it and did not get through.
    pub(super) beside: Vec<String>,
    /// What the configure step said, when it got through.
    pub(super) configured: Vec<u8>,
    pub(super) problem: Option<Problem>,
    pub(super) stopped_by: Option<String>,
}

impl Trial {
    /// For comparing plans: what was made, and a little for a build without failures.
    pub(super) fn score(&self) -> f64 {
        if self.clean { self.worth * 1.1 } else { self.worth }
    }

    /// Whether it made what a project is for: programs, shared libraries, or at least an archive.
    pub(super) fn is_product(&self) -> bool {
        [
            ArtifactKind::Executable,
            ArtifactKind::SharedObject,
            ArtifactKind::Archive,
        ]
        .into_iter()
        .any(|kind| artifacts::has(&self.artifacts, kind))
    }

    /// Compares how far two runs came, and what they made.
    fn ahead_of(&self, other: &Self) -> Ordering {
        // A build that makes nothing came less far than one that fails over what it makes, whatever it says.
        let place = |trial: &Self| {
            if trial.clean && !trial.is_product() {
                (false, reached(Purpose::Configure), 0)
            } else {
                (trial.clean, trial.reached, trial.checks)
            }
        };
        place(self)
            .cmp(&place(other))
            .then_with(|| self.worth.total_cmp(&other.worth))
    }

    /// Where nothing else tells, fewer different complaints are better.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        match self.ahead_of(other) {
            Ordering::Greater => true,
            Ordering::Equal => self.errors < other.errors,
            Ordering::Less => false,
        }
    }

    /// More complaints are not worse: what is met later may come with more words.
    pub(super) fn is_worse_than(&self, other: &Self) -> bool {
        self.ahead_of(other) == Ordering::Less
    }
}

static UNKNOWN_GOAL: Pattern = Pattern::new(r"(?m)^make: \*\*\* No rule to make target [^\s]+\.(?:\s+Stop\.)?\s*$");

/// Different complaints in a log: lines that call something an error, each counted once without its numbers.
pub(super) fn complaints(log: &[u8]) -> usize {
    let text = String::from_utf8_lossy(log);
    // A make that knows no such goal looked at nothing: its silence is not progress, and must not hide what was wrong.
    if UNKNOWN_GOAL.is_match(&text) {
        return usize::MAX;
    }
    let keys: BTreeSet<String> = text
        .lines()
        .filter(|line| line.contains("error") || line.contains("undefined reference") || line.contains("Error"))
        .filter(|line| !line.starts_with("make"))
        .take(20_000)
        .map(|line| line.chars().filter(|c| !c.is_ascii_digit()).take(160).collect())
        .collect();
    keys.len()
}

/// Lines of a configure log that answer a question.
pub(super) fn checks(log: &[u8]) -> usize {
    log.split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"checking ") || line.starts_with(b"-- ") || line.ends_with(b"YES"))
        .count()
}

/// The order of the phases.
pub(super) fn reached(purpose: Purpose) -> u8 {
    match purpose {
        Purpose::Dependencies => 0,
        Purpose::Prepare => 1,
        Purpose::Configure => 2,
        Purpose::Build => 3,
        Purpose::Install => 4,
    }
}

/// Reads the log of the step that counts, and notes what stopped the run.
pub(super) fn examine(trial: &mut Trial) -> Diagnosis {
    let diagnosis = diagnose(&trial.log);
    if trial.clean {
        if !trial.is_product() {
            trial.stopped_by = Some("every step exited with 0, but no program or library was made".to_owned());
        }
        return diagnosis;
    }
    let words = trial.phase.as_str();
    trial.problem.clone_from(&diagnosis.cause);
    trial.stopped_by = Some(match (&trial.limit, &diagnosis.cause) {
        (Some(limit), _) => format!("{words}: {limit}"),
        (None, Some(cause)) => format!("{words}: {}", cause.text.trim()),
        (None, None) => format!("{words}: {}", last_line(&trial.log)),
    });
    diagnosis
}

/// The last line that says something.
pub(super) fn last_line(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log.get(log.len().saturating_sub(4096)..).unwrap_or(log)).into_owned();
    let says = |line: &&str| !line.trim().is_empty();
    let error = text
        .lines()
        .rfind(|line| line.to_ascii_lowercase().contains("error") && !line.starts_with("make"));
    error
        .or_else(|| text.lines().rfind(says))
        .unwrap_or("it failed without a word")
        .trim()
        .chars()
        .take(300)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_that_make_does_not_know_is_no_progress() {
        assert!(UNKNOWN_GOAL.compiles());
        let missing =
            complaints(b"m.c:1:10: fatal error: a.h: No such file or directory\nmake: *** [Makefile:2: m] Error 1\n");
        assert_eq!(missing, 1);
        for log in [
            "make: *** No rule to make target 'all'.  Stop.\n",
            "make: *** No rule to make target 'all'.\n",
            "cc -c a.c\nmake: *** No rule to make target `linux'.  Stop.",
        ] {
            assert!(complaints(log.as_bytes()) > missing, "{log}");
        }
        // A file that a rule needs is another matter.
        let needed = "make: *** No rule to make target 'a.h', needed by 'a.o'.  Stop.\n";
        assert_eq!(complaints(needed.as_bytes()), 0);
    }
}
