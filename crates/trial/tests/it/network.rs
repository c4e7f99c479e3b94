//! What a trial asked for while it was solved is what its script gets when it is graded, and nothing else.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use expect_test::{Expect, expect};
use seatrial_agents::{Agent, AgentError, SolveContext};
use seatrial_core::{
    Budget, CompileTruth, Digest, Event, EventSink, Goal, Outcome, PinnedSource, Platform, Profile, Submission, Task,
    Truth, TruthBody, Verdict,
};
use seatrial_egress::{AllowList, Egress, EgressConfig};
use seatrial_sandbox::{BoxSpec, Command, Sandbox};
use seatrial_source::{Fetcher, SourceSpec, SourceTree};
use seatrial_store::{Blobs, read_journal};
use seatrial_suites::{GradeRequest, Suite, SuiteError};
use seatrial_trial::{Bench, NetworkPlan, Networks, Silent, Stop, Trial};

use crate::boxes::boxes;

/// A suite in which a script passes that ends well.
pub(crate) struct Script;

impl Suite for Script {
    fn name(&self) -> &'static str {
        "compile"
    }

    fn prepare(&self, _: &Task, _: &SourceTree, _: &Blobs, _: &mut dyn Sandbox) -> Result<(), SuiteError> {
        Ok(())
    }

    fn lay(&self, _: &Submission, _: &mut dyn Sandbox) -> Result<Result<(), String>, SuiteError> {
        Ok(Ok(()))
    }

    fn grade(&self, request: &GradeRequest<'_>, _: &mut dyn EventSink) -> Vec<Verdict> {
        let spec = BoxSpec {
            image: request.image,
            limits: request.limits.clone(),
            network: request.network.clone(),
        };
        let mut sandbox = request.factory.start(&spec).unwrap();
        let script = request.submission.script.as_deref().unwrap();
        let mut output = Vec::new();
        let execution = sandbox.exec(&Command::bash(script), &mut output).unwrap();
        let said = String::from_utf8_lossy(&output);
        vec![Verdict {
            outcome: if execution.succeeded() {
                Outcome::Passed
            } else {
                Outcome::Failed
            },
            profile: Profile::Strict,
            checks: Vec::new(),
            reason: said.lines().last().unwrap_or_default().to_owned(),
            invalid: None,
            figures: std::collections::BTreeMap::default(),
            flags: Vec::new(),
        }]
    }
}

/// Hands in a script, with or without having tried it.
struct Writer {
    script: String,
    tries: bool,
}

impl Agent for Writer {
    fn name(&self) -> &'static str {
        "writer"
    }

    fn about(&self) -> &'static str {
        "hands in one script"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        if self.tries {
            context
                .sandbox
                .exec(&Command::bash(self.script.as_str()), &mut Vec::new())?;
        }
        Ok(Submission {
            script: Some(self.script.clone()),
            ..Submission::default()
        })
    }
}

/// A server on this machine that counts, so that no two of its answers are the same.
fn server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).unwrap();
            let body = format!("answer {}\n", counter.fetch_add(1, Ordering::SeqCst) + 1);
            let head = format!("Content-Length: {}\r\nConnection: close", body.len());
            write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}").unwrap();
        }
    });
    (port, asked)
}

/// A script that asks for addresses and prints the last line of each answer.
fn asks(addresses: &[String]) -> String {
    let mut script = r#"
        get() {
            exec 3<>/dev/tcp/198.18.0.1/80
            printf 'GET %s HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n' "$1" >&3
            answer=$(cat <&3); exec 3<&-
            tail -1 <<<"$answer"
            [[ $answer = "HTTP/1.1 200"* ]]
        }
        set -e
    "#
    .to_owned();
    for address in addresses {
        script.extend(["get ", address, "\n"]);
    }
    script
}

/// A script that asks for an address whose host the resolver is asked for, at the port of the address itself.
fn connects(host: &str, port: u16) -> String {
    format!(
        "exec 3<>/dev/tcp/198.18.0.1/{port} && printf 'GET /c HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nConnection: close\\r\\n\\r\\n' >&3 && tail -1 <&3"
    )
}

/// Runs one trial and tells, a line each, what the journal says of phases, the network and the verdict.
fn check(plan: &NetworkPlan, writer: &Writer, port: u16, expected: &Expect) {
    check_last(1, plan, writer, port, expected);
}

/// The same of the last of several processes: each but the last was killed while the agent was at work.
fn check_last(processes: usize, plan: &NetworkPlan, writer: &Writer, port: u16, expected: &Expect) {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(source.join("main.c"), "int main(void) { return 0; }\n").unwrap();
    let egress = EgressConfig::new(boxes.home.root().join("authority"), boxes.home.blobs());
    let egress = Egress::new(egress).unwrap();
    let fetcher = Fetcher::new(&boxes.home, &Platform::default_host());
    let spec: SourceSpec = source.to_str().unwrap().parse().unwrap();
    let task = task(fetcher.pin(&spec).unwrap());
    let truth = Truth {
        task: task.id.clone(),
        body: TruthBody::Compile(CompileTruth::default()),
    };
    let bench = Bench {
        suite: &Script,
        agent: writer,
        fetcher: &fetcher,
        factory: &boxes.factory,
        network: Some(Networks { plan, egress: &egress }),
        forbid: &[],
        image: boxes.image,
        images: &BTreeMap::new(),
        base_packages: &[],
        resolver: None,
        blobs: boxes.home.blobs(),
        lock: Digest::of(b"lock"),
        stop: Stop::default(),
        deadline: None,
    };
    let trial = Trial {
        task: &task,
        truth: &truth,
        attempt: 1,
    };
    let place = folder.path().join("trial");
    let journal = place.join("journal.jsonl");
    for process in 1..=processes {
        bench.run(&trial, &place, &Silent).unwrap();
        if process < processes {
            let text = std::fs::read_to_string(&journal).unwrap();
            let begun = text.lines().next().unwrap();
            std::fs::write(&journal, format!("{begun}\n")).unwrap();
        }
    }
    let told: Vec<String> = read_journal(&journal)
        .unwrap()
        .entries
        .into_iter()
        .filter_map(|entry| match entry.event {
            Event::Phase { name } => Some(name),
            Event::Network(record) => {
                let refusals = record
                    .refusals
                    .iter()
                    .map(|refusal| format!(", {:?}: {}", refusal.kind, refusal.request));
                Some(format!(
                    "{}: {}{}",
                    record.policy,
                    record.answered,
                    refusals.collect::<String>()
                ))
            }
            Event::Judged { verdict } => Some(format!("{}: {}", verdict.outcome, verdict.reason)),
            _ => None,
        })
        .map(|line| line.replace(&port.to_string(), "PORT"))
        .collect();
    expected.assert_eq(&(told.join("\n") + "\n"));
}

pub(crate) fn task(source: PinnedSource) -> Task {
    Task {
        id: "hull".parse().unwrap(),
        suite: "compile".parse().unwrap(),
        source,
        platform: Platform::default_host(),
        goal: Goal::Compile,
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    }
}

fn recorded(port: u16) -> NetworkPlan {
    NetworkPlan::Recorded {
        allow: AllowList::new([format!("localhost:{port}").as_str()]).unwrap(),
    }
}

#[test]
fn what_was_tried_is_graded_from_the_record() {
    let (port, asked) = server();
    let writer = Writer {
        script: asks(&[
            format!("http://localhost:{port}/a"),
            format!("http://localhost:{port}/b"),
        ]),
        tries: true,
    };
    check(
        &recorded(port),
        &writer,
        port,
        &expect![[r#"
            fetch
            prepare
            solve
            record: 2
            grade
            replay: 2
            passed: answer 2
        "#]],
    );
    assert_eq!(asked.load(Ordering::SeqCst), 2, "grading asked again");
}

#[test]
fn what_a_killed_process_recorded_is_not_replayed() {
    let (port, asked) = server();
    let writer = Writer {
        script: asks(&[format!("http://localhost:{port}/a")]),
        tries: true,
    };
    check_last(
        2,
        &recorded(port),
        &writer,
        port,
        &expect![[r#"
            fetch
            prepare
            solve
            record: 1
            grade
            replay: 1
            passed: answer 2
        "#]],
    );
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn what_was_never_tried_is_recorded_first() {
    let (port, asked) = server();
    let writer = Writer {
        script: asks(&[format!("http://localhost:{port}/a")]),
        tries: false,
    };
    check(
        &recorded(port),
        &writer,
        port,
        &expect![[r#"
            fetch
            prepare
            solve
            grade
            replay: 0, Unrecorded: GET http://localhost:PORT/a
            record
            record: 1
            grade
            replay: 1
            passed: answer 1
        "#]],
    );
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn what_is_not_allowed_is_refused_and_in_the_journal() {
    let (port, asked) = server();
    let writer = Writer {
        script: asks(&[
            format!("http://localhost:{port}/a"),
            "http://forge.example/solution".to_owned(),
        ]),
        tries: true,
    };
    check(
        &recorded(port),
        &writer,
        port,
        &expect![[r#"
            fetch
            prepare
            solve
            record: 1, Forbidden: GET http://forge.example/solution
            grade
            replay: 1, Unrecorded: GET http://forge.example/solution
            failed: What to do: trying again will not help. Ask for exactly what was asked for in the recording, or record again.
        "#]],
    );
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn a_port_that_the_record_names_is_open_in_the_replay() {
    let (port, asked) = server();
    let writer = Writer {
        script: connects("localhost", port),
        tries: true,
    };
    check(
        &recorded(port),
        &writer,
        port,
        &expect![[r#"
        fetch
        prepare
        solve
        record: 1
        grade
        replay: 1
        passed: answer 1
    "#]],
    );
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn without_a_network_nothing_answers() {
    let (port, asked) = server();
    let writer = Writer {
        script: asks(&[format!("http://localhost:{port}/a")]),
        tries: true,
    };
    check(
        &NetworkPlan::Off,
        &writer,
        port,
        &expect![[r#"
            fetch
            prepare
            solve
            grade
            failed: environment: line 3: /dev/tcp/198.18.0.1/80: Network is unreachable
        "#]],
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}
