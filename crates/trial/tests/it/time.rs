//! The time of a whole run: it ends the work of agents and not their gradings, and the journal has it.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use seatrial_agents::{Agent, AgentError, SolveContext};
use seatrial_core::{Budget, CompileTruth, Digest, Event, Outcome, Platform, Submission, Task, Truth, TruthBody};
use seatrial_source::{Fetcher, SourceSpec};
use seatrial_store::read_journal;
use seatrial_trial::{Bench, Silent, Stop, Trial};

use crate::{
    boxes::boxes,
    network::{Script, task},
};

/// Hands in a script, and remembers until when it could have worked.
#[derive(Default)]
struct Punctual(Mutex<Option<Instant>>);

impl Agent for Punctual {
    fn name(&self) -> &'static str {
        "punctual"
    }

    fn about(&self) -> &'static str {
        "looks at the clock"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        *self.0.lock().unwrap() = context.deadline;
        Ok(Submission {
            script: Some("echo built".to_owned()),
            ..Submission::default()
        })
    }
}

/// What an agent's deadline is, and what the journal says of it, for a task and a run with so many seconds.
fn check(of_task: Option<u64>, of_run: Option<u64>) -> Option<(Option<Duration>, Vec<String>)> {
    let boxes = boxes()?;
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(source.join("main.c"), "int main(void) { return 0; }\n").unwrap();
    let fetcher = Fetcher::new(&boxes.home, &Platform::default_host());
    let spec: SourceSpec = source.to_str().unwrap().parse().unwrap();
    let task = Task {
        budget: Budget {
            wall_seconds: of_task,
            ..Budget::default()
        },
        ..task(fetcher.pin(&spec).unwrap())
    };
    let truth = Truth {
        task: task.id.clone(),
        body: TruthBody::Compile(CompileTruth::default()),
    };
    let agent = Punctual::default();
    let begun = Instant::now();
    let bench = Bench {
        suite: &Script,
        agent: &agent,
        fetcher: &fetcher,
        factory: &boxes.factory,
        network: None,
        forbid: &[],
        image: boxes.image,
        images: &BTreeMap::new(),
        base_packages: &[],
        resolver: None,
        blobs: boxes.home.blobs(),
        lock: Digest::of(b"lock"),
        stop: Stop::default(),
        deadline: of_run.map(|seconds| begun + Duration::from_secs(seconds)),
    };
    let trial = Trial {
        task: &task,
        truth: &truth,
        attempt: 1,
    };
    let place = folder.path().join("trial");
    let result = bench.run(&trial, &place, &Silent).unwrap();
    // The time of a run is the agent's affair alone: what was handed in is graded.
    assert_eq!(result.outcome(), Outcome::Passed);
    let notes = read_journal(&place.join("journal.jsonl"))
        .unwrap()
        .entries
        .into_iter()
        .filter_map(|entry| match entry.event {
            Event::Note { text } => Some(text),
            _ => None,
        });
    let deadline = *agent.0.lock().unwrap();
    Some((deadline.map(|deadline| deadline - begun), notes.collect()))
}

#[test]
fn the_nearer_of_two_deadlines_counts_and_the_runs_is_told() {
    const HOUR: u64 = 3600;
    let Some((none, silent)) = check(None, None) else {
        return;
    };
    assert_eq!((none, silent), (None, Vec::new()));
    // The task's own time begins with its agent, so that it is a little later than its seconds say.
    let (own, silent) = check(Some(HOUR), Some(3 * HOUR)).unwrap();
    assert!(own.is_some_and(|own| own >= Duration::from_secs(HOUR) && own < Duration::from_secs(2 * HOUR)));
    assert_eq!(silent, Vec::<String>::new());
    for of_task in [None, Some(3 * HOUR)] {
        let (of_run, told) = check(of_task, Some(HOUR)).unwrap();
        assert_eq!(of_run, Some(Duration::from_secs(HOUR)));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("the time of the run leaves this trial's agent 3"),
            "{told:?}"
        );
        assert_eq!(told[0].ends_with(" of its 10800 s"), of_task.is_some(), "{told:?}");
    }
    // A run whose time is up leaves none, and what is handed in nevertheless is graded.
    let (of_run, told) = check(None, Some(0)).unwrap();
    assert_eq!(of_run, Some(Duration::ZERO));
    assert_eq!(told, ["the time of the run leaves this trial's agent 0 s"]);
}
