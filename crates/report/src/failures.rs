//! Why trials failed: classes and kinds, what was relaxed, what was installed, and what no rule explains.
//!
//! Everything is read off journals and the logs that they name, each time; nothing is stored.

use std::{
    collections::BTreeMap,
    io::{Read, Seek, SeekFrom},
};

use seatrial_core::{CommandRecord, Digest, Entry, Event, Outcome, Purpose, Recipe, Submission, TaskId};
use seatrial_diagnosis::{Class, Kind, Problem, diagnose_reader};
use seatrial_store::Blobs;
use seatrial_trial::{RunView, TrialError};
use serde::Serialize;

use crate::{drain::Drain, visible::one_line};

/// The version of the JSON form.
pub const FAILURES_VERSION: u32 = 1;

/// Bytes at a log's end in which the last errors are looked for.
const WINDOW: u64 = 256 << 10;
/// Error lines of one log that are clustered.
const LINES: usize = 5;

/// Why the trials of a run failed. Serialises to what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureReport {
    /// Version of this form.
    pub v: u32,
    /// The run's name.
    pub run: String,
    /// Its agent.
    pub agent: String,
    /// Finished trials.
    pub finished: u64,
    /// Trials that failed under the strict profile.
    pub failed: u64,
    /// Failed trials by class, all five in the order of a build.
    pub classes: Vec<Count>,
    /// Failed trials without a script: the agent found no way.
    pub without_script: u64,
    /// Failed trials in whose logs nothing failed: what was built is not what was expected.
    pub nothing_failed: u64,
    /// Failed trials whose logs no rule explains.
    pub not_explained: u64,
    /// Kinds of root cause, most frequent first.
    pub kinds: Vec<Count>,
    /// Relaxations in the recipes of all finished trials, by class and rule.
    pub relaxations: Vec<Count>,
    /// Packages that recipes install, by how many do.
    pub packages: Vec<Count>,
    /// Shapes of the last error lines of logs that no rule explains: the next rows.
    pub proposals: Vec<Proposal>,
    /// Failed trials of tasks that are kept out of sight: they are counted above, and nothing of their logs is below.
    pub out_of_sight: u64,
    /// One row a failed trial.
    pub trials: Vec<FailedTrial>,
}

/// A name and how often it occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The name.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// A shape of lines that no rule knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The line with its details masked.
    pub template: String,
    /// Lines of this shape.
    pub count: u64,
    /// Trials that have one.
    pub trials: u64,
    /// The first such line.
    pub example: String,
    /// The task that it is from.
    pub task: TaskId,
}

/// Why one trial failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedTrial {
    /// The task.
    pub task: TaskId,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// The class, when a rule explains it.
    pub class: Option<Class>,
    /// The kind, when a rule explains it.
    pub kind: Option<Kind>,
    /// What it is about.
    pub subject: String,
    /// The line that shows it; without one, what the verdict says.
    pub line: String,
}

/// What a trial's journal says that is of use here.
struct Facts {
    submission: Option<Submission>,
    /// The log of the script in a fresh box.
    replay: Option<Digest>,
    /// Whether the script ended well there.
    ended_well: bool,
    /// The logs of the agent's own commands that failed, last first.
    failed: Vec<Digest>,
}

impl Facts {
    fn of(entries: &[Entry]) -> Self {
        let mut facts = Self {
            submission: None,
            replay: None,
            ended_well: false,
            failed: Vec::new(),
        };
        for entry in entries {
            match &entry.event {
                Event::TrialStarted { .. } => {
                    facts = Self {
                        submission: None,
                        replay: None,
                        ended_well: false,
                        failed: Vec::new(),
                    };
                }
                // What follows the submission is the grader's.
                Event::Command(record) if facts.submission.is_none() && is_failed(record) => {
                    facts.failed.extend(record.log);
                }
                Event::Command(record) if facts.submission.is_some() && record.purpose == "replay" => {
                    facts.replay = record.log;
                    facts.ended_well = record.code == Some(0);
                }
                Event::Submitted { submission } => facts.submission = Some(submission.clone()),
                _ => {}
            }
        }
        facts.failed.reverse();
        facts
    }
}

fn is_failed(record: &CommandRecord) -> bool {
    record.code != Some(0) && record.purpose != "look"
}

impl FailureReport {
    /// Reads the run's journals, and from the store the logs that they name. A log that the store no longer has is one that
    /// no rule explains. Tasks that `in_sight` says no to are counted only: whoever writes rules reads this report.
    pub fn of(view: &RunView, blobs: &Blobs, in_sight: &dyn Fn(&TaskId) -> bool) -> Result<Self, TrialError> {
        let name = view.folder.file_name().unwrap_or(view.folder.as_os_str());
        let mut counts = Counts::default();
        let mut unknown = Unknown::default();
        let mut trials = Vec::new();
        let (mut without_script, mut nothing_failed, mut out_of_sight) = (0, 0, 0);
        for result in &view.results {
            let facts = Facts::of(&view.journal(&result.task, result.attempt)?);
            if let Some(recipe) = facts
                .submission
                .as_ref()
                .and_then(|handed_in| handed_in.recipe.as_ref())
            {
                counts.recipe(recipe);
            }
            if result.outcome() != Outcome::Failed {
                continue;
            }
            let has_script = facts
                .submission
                .as_ref()
                .is_some_and(|handed_in| handed_in.script.is_some());
            let is_clean = facts.ended_well && facts.failed.is_empty();
            let logs: Vec<Digest> = facts.replay.into_iter().chain(facts.failed).collect();
            let cause = logs.iter().find_map(|log| cause(blobs, log));
            match &cause {
                Some(problem) => counts.problem(problem),
                None if !has_script => without_script += 1,
                None if is_clean => nothing_failed += 1,
                None if in_sight(&result.task) => unknown.add(blobs, &logs, &result.task),
                None => unknown.logs += 1,
            }
            if !in_sight(&result.task) {
                out_of_sight += 1;
                continue;
            }
            let reason = result
                .verdict(seatrial_core::Profile::Strict)
                .map_or(String::new(), |verdict| verdict.reason.clone());
            let note = if has_script { reason } else { result.note.clone() };
            trials.push(FailedTrial {
                task: result.task.clone(),
                attempt: result.attempt,
                class: cause.as_ref().map(|problem| problem.class),
                kind: cause.as_ref().map(|problem| problem.kind),
                subject: cause
                    .as_ref()
                    .map_or(String::new(), |problem| one_line(&problem.subject)),
                line: one_line(cause.as_ref().map_or(note.as_str(), |problem| problem.text.as_str())),
            });
        }
        Ok(Self {
            v: FAILURES_VERSION,
            run: name.to_string_lossy().into_owned(),
            agent: view.lock.agent.to_string(),
            finished: view.results.len() as u64,
            failed: trials.len() as u64 + out_of_sight,
            classes: Class::ALL
                .iter()
                .map(|class| Count {
                    name: class.name().to_owned(),
                    count: counts.classes.get(class).copied().unwrap_or_default(),
                })
                .collect(),
            without_script,
            nothing_failed,
            not_explained: unknown.logs,
            kinds: ordered(counts.kinds),
            relaxations: ordered(counts.relaxations),
            packages: ordered(counts.packages),
            proposals: unknown.proposals(),
            out_of_sight,
            trials,
        })
    }

    /// The form for programs: one JSON document with a line end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// Occurrences of names.
#[derive(Default)]
struct Counts {
    classes: BTreeMap<Class, u64>,
    kinds: BTreeMap<String, u64>,
    relaxations: BTreeMap<String, u64>,
    packages: BTreeMap<String, u64>,
}

impl Counts {
    fn problem(&mut self, problem: &Problem) {
        *self.classes.entry(problem.class).or_default() += 1;
        *self.kinds.entry(problem.kind.name().to_owned()).or_default() += 1;
    }

    fn recipe(&mut self, recipe: &Recipe) {
        for relaxation in &recipe.relaxations {
            let name = format!("{} / {}", relaxation.class, one_line(&relaxation.rule));
            *self.relaxations.entry(name).or_default() += 1;
        }
        for package in packages(recipe) {
            *self.packages.entry(package).or_default() += 1;
        }
    }
}

/// Most frequent first, then by name.
fn ordered(counts: BTreeMap<String, u64>) -> Vec<Count> {
    let mut counts: Vec<Count> = counts.into_iter().map(|(name, count)| Count { name, count }).collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    counts
}

/// The packages that a recipe's steps install, each once.
fn packages(recipe: &Recipe) -> Vec<String> {
    let steps = recipe.steps.iter().filter(|step| step.purpose == Purpose::Dependencies);
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ':'))
    };
    let mut found = Vec::new();
    for step in steps {
        // A line that goes on is one line.
        let command = step.command.replace("\\\n", " ");
        for line in command.lines() {
            let mut words = line.split_whitespace();
            if line.contains("apt-get") && words.by_ref().any(|word| word == "install") {
                found.extend(words.filter(is_name).map(str::to_owned));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The root cause that a log shows, when it is one of a known kind.
fn cause(blobs: &Blobs, log: &Digest) -> Option<Problem> {
    let file = blobs.open(log).ok()?;
    diagnose_reader(file)
        .ok()?
        .cause
        .filter(|problem| problem.kind != Kind::Other)
}

/// What no rule explains.
#[derive(Default)]
struct Unknown {
    drain: Drain,
    logs: u64,
    /// The first line of each shape, its task, and the trials that have one.
    examples: Vec<(String, TaskId, u64)>,
}

impl Unknown {
    fn add(&mut self, blobs: &Blobs, logs: &[Digest], task: &TaskId) {
        self.logs += 1;
        let tails: Vec<String> = logs.iter().filter_map(|log| tail(blobs, log)).collect();
        let first = |of: fn(&str) -> Vec<String>| tails.iter().map(|text| of(text)).find(|lines| !lines.is_empty());
        let lines = first(last_errors).or_else(|| first(last_lines));
        let mut seen = Vec::new();
        for line in lines.unwrap_or_default() {
            let Some(place) = self.drain.add(&line) else { continue };
            if place >= self.examples.len() {
                self.examples.push((line, task.clone(), 0));
            }
            if !seen.contains(&place)
                && let Some((_, _, trials)) = self.examples.get_mut(place)
            {
                *trials += 1;
                seen.push(place);
            }
        }
    }

    fn proposals(self) -> Vec<Proposal> {
        let shapes = self.drain.shapes().iter().zip(self.examples);
        let mut proposals: Vec<Proposal> = shapes
            .map(|(shape, (example, task, trials))| Proposal {
                template: one_line(&shape.template()),
                count: shape.count,
                trials,
                example: one_line(&example),
                task,
            })
            .collect();
        proposals.sort_by_key(|proposal| std::cmp::Reverse((proposal.trials, proposal.count)));
        proposals
    }
}

/// The end of a log.
fn tail(blobs: &Blobs, log: &Digest) -> Option<String> {
    let mut file = blobs.open(log).ok()?;
    let size = file.seek(SeekFrom::End(0)).ok()?;
    file.seek(SeekFrom::Start(size.saturating_sub(WINDOW))).ok()?;
    let mut bytes = Vec::new();
    file.take(WINDOW).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last lines that speak of an error, in their order.
fn last_errors(text: &str) -> Vec<String> {
    const WORDS: [&str; 12] = [
        "error",
        "fatal",
        "fail",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "not found",
        "no such",
        "undefined",
        "unable",
        "***",
    ];
    let speaks = |line: &&str| {
        let line = line.to_ascii_lowercase();
        WORDS.iter().any(|word| line.contains(word))
    };
    let mut found: Vec<String> = filled(text)
        .rev()
        .filter(speaks)
        .take(LINES)
        .map(str::to_owned)
        .collect();
    found.reverse();
    found
}

/// The last two lines, for logs in which nothing speaks of an error.
fn last_lines(text: &str) -> Vec<String> {
    let mut found: Vec<String> = filled(text).rev().take(2).map(str::to_owned).collect();
    found.reverse();
    found
}

/// The lines that are not empty.
fn filled(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_that_speak_of_errors_are_taken() {
        let mut log = "first error\n".repeat(10);
        log.push_str("checking for keel... no\nconfigure: the keel is\n\tnot found anywhere\n\nbye\n");
        assert_eq!(last_errors(&log).last().map(String::as_str), Some("not found anywhere"));
        assert_eq!(last_errors(&log).len(), LINES);
        assert!(last_errors("one\n\ntwo\nthree\n").is_empty());
        assert_eq!(last_lines("one\n\ntwo\nthree\n"), ["two", "three"]);
        assert!(last_lines("").is_empty());
    }

    #[test]
    fn packages_are_read_off_install_lines() {
        let step = |purpose, command: &str| seatrial_core::Step {
            purpose,
            why: String::new(),
            folder: "$SRC".to_owned(),
            command: command.to_owned(),
            keep_going: false,
        };
        let recipe = Recipe {
            title: String::new(),
            platform: seatrial_core::Platform::default_host(),
            base_packages: Vec::new(),
            steps: vec![
                step(
                    Purpose::Dependencies,
                    "apt-get update -q\napt-get install -q -y --no-install-recommends zlib1g-dev \\\n  libc++-dev",
                ),
                step(Purpose::Dependencies, "apt-get -y install zlib1g-dev gcc:i386 \"$X\""),
                step(Purpose::Install, "apt-get install never"),
            ],
            relaxations: Vec::new(),
        };
        assert_eq!(packages(&recipe), ["gcc:i386", "libc++-dev", "zlib1g-dev"]);
    }
}
