//! One trial, from source to verdict.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use fs_err as fs;
use seatrial_agents::{Agent, SolveContext};
use seatrial_core::{
    AgentName, Arch, CommandRecord, Digest, Event, EventSink, InvalidReason, NetworkRecord, Outcome, Profile,
    RelaxationClass, SinkError, Submission, Task, Truth, Verdict,
};
use seatrial_packages::Resolver;
use seatrial_rebuild::{Local, LocalWorld, Rebuilder};
use seatrial_sandbox::{BoxSpec, Limits, Network, SandboxError, SandboxFactory};
use seatrial_source::{Fetcher, SourceError, SourceTree};
use seatrial_store::{Blobs, Journal};
use seatrial_suites::{GradeRequest, Suite, SuiteError};

use crate::{
    Networks, Observer, Stop, TrialError, TrialResult,
    network::{Phase, TrialNetwork},
    result::{TrialState, commands},
    stop::Stoppable,
};

/// What every trial of a run shares.
pub struct Bench<'a> {
    /// The suite that prepares and grades.
    pub suite: &'a dyn Suite,
    /// The agent.
    pub agent: &'a dyn Agent,
    /// Fetches pinned sources.
    pub fetcher: &'a Fetcher,
    /// Makes boxes.
    pub factory: &'a dyn SandboxFactory,
    /// How boxes reach the network; not at all without it.
    pub network: Option<Networks<'a>>,
    /// Classes of relaxations that may not be used.
    pub forbid: &'a [RelaxationClass],
    /// The image of every box.
    pub image: Digest,
    /// Images that packages are rebuilt in, by architecture, for suites that ask for that.
    pub images: &'a BTreeMap<Arch, Digest>,
    /// Packages that the image was made with on purpose.
    pub base_packages: &'a [String],
    /// The package index, when the agent needs it.
    pub resolver: Option<Arc<dyn Resolver>>,
    /// Where logs go.
    pub blobs: Blobs,
    /// Digest of the run's lock.
    pub lock: Digest,
    /// The switch that ends everything.
    pub stop: Stop,
    /// When the time of the whole run is up: agents end their work then. Gradings are done whole all the same.
    pub deadline: Option<Instant>,
}

/// One task, one attempt.
pub struct Trial<'a> {
    /// The task.
    pub task: &'a Task,
    /// What only the grader sees.
    pub truth: &'a Truth,
    /// The attempt, counted from 1.
    pub attempt: u32,
}

impl Bench<'_> {
    /// The same with another agent, which gets no package index.
    pub(crate) fn with_agent<'b>(&'b self, agent: &'b dyn Agent) -> Bench<'b> {
        Bench {
            agent,
            resolver: None,
            blobs: self.blobs.clone(),
            stop: self.stop.clone(),
            ..*self
        }
    }

    /// Runs a trial, or finishes one that was begun, and returns its result. The journal is `journal.jsonl` in `folder`;
    /// a trial that is finished there is not run again.
    pub fn run(&self, trial: &Trial<'_>, folder: &Path, observer: &dyn Observer) -> Result<TrialResult, TrialError> {
        fs::create_dir_all(folder)?;
        let (journal, entries) = Journal::open(folder.join("journal.jsonl"))?;
        let begun = Instant::now();
        let state = TrialState::of(&entries);
        if let TrialState::Finished(result) = state {
            return Ok(result);
        }
        observer.started(&trial.task.id, trial.attempt);
        let mut events = Recorder {
            journal,
            observer,
            trial,
            disk_bytes: None,
        };
        let (handed_in, spent) = match state {
            TrialState::Submitted(submission, spent) => {
                events.emit(Event::Note {
                    text: "resumed at grading".to_owned(),
                })?;
                (Some(*submission), Duration::from_millis(spent))
            }
            TrialState::Pending | TrialState::Finished(_) => {
                events.emit(self.started(trial)?)?;
                self.note_limits(&mut events)?;
                (None, Duration::ZERO)
            }
        };
        let end = match self.go(trial, handed_in, folder, &mut events) {
            // What broke after the switch was thrown broke because of it: Ctrl-C reaches a running `git` as well.
            Err(Ended::Invalid(..)) if self.stop.is_thrown() => Err(Ended::Interrupted),
            end => end,
        };
        match end {
            Ok(verdicts) => {
                for verdict in verdicts {
                    events.emit(Event::Judged { verdict })?;
                }
            }
            Err(Ended::Invalid(kind, reason)) => {
                for profile in [Profile::Strict, Profile::Paper] {
                    events.emit(Event::Judged {
                        verdict: Verdict::invalid(profile, kind, reason.clone()),
                    })?;
                }
            }
            Err(Ended::Interrupted) => {
                events.emit(Event::Interrupted {
                    reason: "stopped by the user".to_owned(),
                })?;
                return Err(TrialError::Interrupted);
            }
            Err(Ended::Broken(error)) => return Err(error),
        }
        events.emit(Event::TrialFinished {
            wall_ms: (begun.elapsed() + spent).as_millis() as u64,
            disk_bytes: events.disk_bytes,
        })?;
        match TrialState::of(&seatrial_store::read_journal(events.journal.path())?.entries) {
            TrialState::Finished(result) => {
                observer.finished(&result);
                Ok(result)
            }
            // The line above is on the disk, so only a journal changed by somebody else ends here.
            TrialState::Pending | TrialState::Submitted(..) => Err(TrialError::Lock {
                path: events.journal.path().to_owned(),
                problem: "the journal was changed while the trial ran".to_owned(),
            }),
        }
    }

    /// Tells the journal which limits nobody keeps.
    fn note_limits(&self, events: &mut Recorder<'_>) -> Result<(), SinkError> {
        let limits: Vec<String> = self
            .factory
            .enforcement()
            .into_iter()
            .filter(|limit| !limit.enforced)
            .map(|limit| format!("{}: {}", limit.limit, limit.how))
            .collect();
        if limits.is_empty() {
            return Ok(());
        }
        events.emit(Event::Unenforced { limits })
    }

    fn started(&self, trial: &Trial<'_>) -> Result<Event, TrialError> {
        let agent: AgentName = self
            .agent
            .name()
            .parse()
            .map_err(|error| SinkError(format!("{error}")))?;
        Ok(Event::TrialStarted {
            task: trial.task.id.clone(),
            agent,
            attempt: trial.attempt,
            lock: self.lock,
        })
    }

    fn go(
        &self,
        trial: &Trial<'_>,
        handed_in: Option<Submission>,
        folder: &Path,
        events: &mut Recorder<'_>,
    ) -> Result<Vec<Verdict>, Ended> {
        events.emit(Event::Phase {
            name: "fetch".to_owned(),
        })?;
        if handed_in.is_none() {
            TrialNetwork::forget(folder).map_err(|error| Ended::Broken(error.into()))?;
        }
        let source = self.fetcher.fetch(&trial.task.source)?;
        let mut network = TrialNetwork::new(self.network, folder).map_err(Ended::Broken)?;
        let factory = Stoppable {
            factory: self.factory,
            stop: &self.stop,
        };
        // One for the agent and the grader: nothing of a source gets into what it keeps.
        let world = trial
            .task
            .goal
            .repair()
            .map(|_| LocalWorld::new(&factory, self.images.clone(), network.live.clone(), self.blobs.clone()));
        let local = world.as_ref().map(|world| Local::new(world, self.resolver.as_deref()));
        let rebuilder = local.as_ref().map(|local| local as &dyn Rebuilder);
        let live = network.live.clone();
        let means = Means { live: &live, rebuilder };
        let submission = if let Some(submission) = handed_in {
            submission
        } else {
            let solved = self.solve(trial, &source, &network, rebuilder, events);
            note_network(network.spent(Phase::Live), events)?;
            let submission = solved?;
            events.emit(Event::Submitted {
                submission: submission.clone(),
            })?;
            submission
        };
        if let Some(script) = &submission.script {
            fs::write(folder.join("recipe.sh"), script).map_err(|error| Ended::Broken(error.into()))?;
        }
        events.emit(Event::Phase {
            name: "grade".to_owned(),
        })?;
        let commands = events.commands()?;
        let verdicts = self.grade(trial, &submission, &source, &commands, (&network.sealed, means), events)?;
        let spent = note_network(network.spent(Phase::Sealed), events)?;
        if !spent.is_some_and(|spent| network.has_gaps(&spent)) || passed(&verdicts) {
            return Ok(verdicts);
        }
        // The agent never did what its script does, so there is no record of it yet: the script runs once to make one, and
        // the verdict is of a replay all the same.
        events.emit(Event::Phase {
            name: "record".to_owned(),
        })?;
        // Anew: answers of another day would come first in the replay, and may not fit to those that follow.
        TrialNetwork::forget(folder).map_err(|error| Ended::Broken(error.into()))?;
        self.grade(trial, &submission, &source, &commands, (&network.live, means), events)?;
        note_network(network.spent(Phase::Live), events)?;
        events.emit(Event::Phase {
            name: "grade".to_owned(),
        })?;
        let verdicts = self.grade(trial, &submission, &source, &commands, (&network.sealed, means), events)?;
        note_network(network.spent(Phase::Sealed), events)?;
        Ok(verdicts)
    }

    /// Grades once, in a box with a network.
    fn grade(
        &self,
        trial: &Trial<'_>,
        submission: &Submission,
        source: &SourceTree,
        commands: &[CommandRecord],
        (network, means): (&Network, Means<'_>),
        events: &mut Recorder<'_>,
    ) -> Result<Vec<Verdict>, Ended> {
        let factory = Stoppable {
            factory: self.factory,
            stop: &self.stop,
        };
        let observer = events.observer;
        let output = |bytes: &[u8]| observer.output(&trial.task.id, trial.attempt, bytes);
        let request = GradeRequest {
            network: network.clone(),
            live: means.live.clone(),
            rebuilder: means.rebuilder,
            commands,
            forbid: self.forbid,
            output: Some(&output),
            // Boxes that are made of other boxes know nothing of the switch.
            stopper: Some(self.stop.flag()),
            ..GradeRequest::new(
                trial.task,
                trial.truth,
                submission,
                source,
                &factory,
                self.image,
                &self.blobs,
            )
        };
        let verdicts = self.suite.grade(&request, events);
        // A grading that the user cut short proves nothing; it is done again on resume.
        if self.stop.is_thrown() {
            Err(Ended::Interrupted)
        } else {
            Ok(verdicts)
        }
    }

    fn solve(
        &self,
        trial: &Trial<'_>,
        source: &SourceTree,
        network: &TrialNetwork,
        rebuilder: Option<&dyn Rebuilder>,
        events: &mut Recorder<'_>,
    ) -> Result<Submission, Ended> {
        events.emit(Event::Phase {
            name: "prepare".to_owned(),
        })?;
        let factory = Stoppable {
            factory: self.factory,
            stop: &self.stop,
        };
        let spec = BoxSpec {
            image: self.image,
            limits: Limits::default(),
            network: network.live.clone(),
        };
        let mut sandbox = factory.start(&spec)?;
        self.suite.prepare(trial.task, source, &self.blobs, sandbox.as_mut())?;
        events.emit(Event::Phase {
            name: "solve".to_owned(),
        })?;
        let observer = events.observer;
        let mut output = |bytes: &[u8]| observer.output(&trial.task.id, trial.attempt, bytes);
        let deadline = self.agents_deadline(trial, events)?;
        let mut context = SolveContext {
            task: trial.task,
            tree: &source.root,
            sandbox: sandbox.as_mut(),
            resolver: self.resolver.as_deref(),
            rebuilder,
            blobs: &self.blobs,
            events,
            output: &mut output,
            deadline,
            forbid: self.forbid,
            base_packages: self.base_packages,
        };
        let submission = self.agent.solve(&mut context).map_err(|error| {
            if error.is_interrupt() {
                Ended::Interrupted
            } else {
                Ended::Invalid(error.invalid_reason(), error.to_string())
            }
        })?;
        if self.stop.is_thrown() {
            return Err(Ended::Interrupted);
        }
        // Of use for estimates only: a box that cannot tell is no reason to lose its result.
        events.disk_bytes = sandbox.disk_used().ok().flatten();
        Ok(submission)
    }

    /// When the agent's time is up: the task's own, or what the run leaves of it, which the journal is told.
    fn agents_deadline(&self, trial: &Trial<'_>, events: &mut Recorder<'_>) -> Result<Option<Instant>, SinkError> {
        let now = Instant::now();
        let own = trial.task.budget.wall_seconds.map(Duration::from_secs);
        let own_deadline = own.and_then(|own| now.checked_add(own));
        let Some(of_run) = self.deadline.filter(|run| own_deadline.is_none_or(|own| *run < own)) else {
            return Ok(own_deadline);
        };
        let left = of_run.saturating_duration_since(now).as_secs();
        let instead = own.map_or_else(String::new, |own| format!(" of its {} s", own.as_secs()));
        events.emit(Event::Note {
            text: format!("the time of the run leaves this trial's agent {left} s{instead}"),
        })?;
        Ok(Some(of_run))
    }
}

/// What a grading may use besides its own box.
#[derive(Clone, Copy)]
struct Means<'a> {
    live: &'a Network,
    rebuilder: Option<&'a dyn Rebuilder>,
}

/// Tells the journal what went through a door.
fn note_network(record: Option<NetworkRecord>, events: &mut Recorder<'_>) -> Result<Option<NetworkRecord>, SinkError> {
    if let Some(record) = &record {
        events.emit(Event::Network(record.clone()))?;
    }
    Ok(record)
}

/// Whether any profile is satisfied.
fn passed(verdicts: &[Verdict]) -> bool {
    verdicts.iter().any(|verdict| verdict.outcome == Outcome::Passed)
}

/// Why a trial ended without the grader's verdict.
enum Ended {
    Invalid(InvalidReason, String),
    Interrupted,
    Broken(TrialError),
}

impl From<SinkError> for Ended {
    fn from(error: SinkError) -> Self {
        Self::Broken(error.into())
    }
}

impl From<SourceError> for Ended {
    fn from(error: SourceError) -> Self {
        Self::Invalid(error.invalid_reason().unwrap_or(InvalidReason::Task), error.to_string())
    }
}

impl From<SandboxError> for Ended {
    fn from(error: SandboxError) -> Self {
        if matches!(error, SandboxError::Interrupted) {
            Self::Interrupted
        } else {
            Self::Invalid(error.invalid_reason(), error.to_string())
        }
    }
}

impl From<SuiteError> for Ended {
    fn from(error: SuiteError) -> Self {
        if error.is_interrupt() {
            Self::Interrupted
        } else {
            Self::Invalid(error.invalid_reason(), error.to_string())
        }
    }
}

/// Writes to the journal first and tells the observer then.
struct Recorder<'a> {
    journal: Journal,
    observer: &'a dyn Observer,
    trial: &'a Trial<'a>,
    /// What the agent's box took of the disk.
    disk_bytes: Option<u64>,
}

impl Recorder<'_> {
    /// The agent's commands, also those of an earlier process when this one only grades.
    fn commands(&self) -> Result<Vec<CommandRecord>, Ended> {
        let contents =
            seatrial_store::read_journal(self.journal.path()).map_err(|error| Ended::Broken(error.into()))?;
        Ok(commands(&contents.entries))
    }
}

impl EventSink for Recorder<'_> {
    fn emit(&mut self, event: Event) -> Result<(), SinkError> {
        self.journal.emit(event.clone())?;
        self.observer.event(&self.trial.task.id, self.trial.attempt, &event);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use seatrial_core::{Budget, CompileTruth, Goal, PinnedSource, Platform, SourceKind, TruthBody};
    use seatrial_sandbox::Sandbox;
    use seatrial_store::{Home, read_journal};

    use super::*;
    use crate::Silent;

    /// A machine that makes no boxes; the trials here do not come as far.
    struct NoBoxes;

    impl SandboxFactory for NoBoxes {
        fn start(&self, _: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
            Err(SandboxError::Died("there are no boxes here".to_owned()))
        }
    }

    /// A source that is gone: fetching it fails.
    fn task() -> Task {
        Task {
            id: "hull".parse().unwrap(),
            suite: "compile".parse().unwrap(),
            source: PinnedSource {
                name: "hull".to_owned(),
                origin: SourceKind::Folder {
                    path: "/there/is/no/such/folder".to_owned(),
                },
                tree: Some(Digest::of(b"gone")),
            },
            platform: Platform::default_host(),
            goal: Goal::Compile,
            budget: Budget::default(),
            blocked_sources: Vec::new(),
        }
    }

    fn run(home: &Home, folder: &Path, stop: &Stop) -> Result<TrialResult, TrialError> {
        let task = task();
        let truth = Truth {
            task: task.id.clone(),
            body: TruthBody::Compile(CompileTruth::default()),
        };
        let fetcher = Fetcher::new(home, &task.platform);
        let bench = Bench {
            suite: seatrial_suites::suite(&task.suite).unwrap(),
            agent: &*seatrial_agents::agent("null", &seatrial_agents::AgentSettings::default()).unwrap(),
            fetcher: &fetcher,
            factory: &NoBoxes,
            network: None,
            forbid: &[],
            image: Digest::of(b"image"),
            images: &BTreeMap::new(),
            base_packages: &[],
            resolver: None,
            blobs: home.blobs(),
            lock: Digest::of(b"lock"),
            stop: stop.clone(),
            deadline: None,
        };
        let trial = Trial {
            task: &task,
            truth: &truth,
            attempt: 1,
        };
        bench.run(&trial, folder, &Silent)
    }

    fn home() -> (tempfile::TempDir, Home, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        let trial = folder.path().join("trial");
        (folder, home, trial)
    }

    #[test]
    fn what_breaks_after_a_stop_is_an_interruption_and_tried_again() {
        let (_folder, home, trial) = home();
        let stop = Stop::default();
        stop.throw();
        assert!(matches!(run(&home, &trial, &stop), Err(TrialError::Interrupted)));
        let entries = read_journal(&trial.join("journal.jsonl")).unwrap().entries;
        assert_eq!(TrialState::of(&entries), TrialState::Pending);
        let result = run(&home, &trial, &Stop::default()).unwrap();
        assert_eq!(result.outcome(), Outcome::Invalid);
        assert_eq!(result.verdicts.len(), 2);
    }

    #[test]
    fn a_resumed_grading_that_ends_early_leaves_no_verdict_of_the_one_that_was_cut_off() {
        let (_folder, home, trial) = home();
        fs::create_dir_all(&trial).unwrap();
        let (mut journal, _) = Journal::open(trial.join("journal.jsonl")).unwrap();
        let mut passed = Verdict::invalid(Profile::Strict, InvalidReason::Internal, "of the first grading");
        passed.outcome = Outcome::Passed;
        for event in [
            Event::TrialStarted {
                task: task().id,
                agent: "null".parse().unwrap(),
                attempt: 1,
                lock: Digest::of(b"lock"),
            },
            Event::Submitted {
                submission: Submission::default(),
            },
            Event::Phase {
                name: "grade".to_owned(),
            },
            Event::Judged { verdict: passed },
        ] {
            journal.append(event).unwrap();
        }
        drop(journal);
        let result = run(&home, &trial, &Stop::default()).unwrap();
        assert_eq!(result.verdicts.len(), 2, "{:?}", result.verdicts);
        assert_eq!(result.outcome(), Outcome::Invalid);
    }
}
