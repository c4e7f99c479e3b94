//! Why trials failed, read off journals and logs that lie in a folder as a run leaves them.

use expect_test::expect;
use seatrial_core::{
    CommandRecord, Digest, Event, Platform, Profile, Purpose, Recipe, Relaxation, RelaxationClass, RelaxationScope,
    Step, Submission,
};
use seatrial_report::FailureReport;
use seatrial_store::{Home, Journal};
use seatrial_trial::RunView;

use crate::{graded, lock};

fn command(home: &Home, purpose: &str, code: i32, log: &str) -> Event {
    Event::Command(CommandRecord {
        purpose: purpose.to_owned(),
        command: purpose.to_owned(),
        code: Some(code),
        signal: None,
        timed_out: false,
        truncated_bytes: 0,
        wall_ms: 1,
        cpu_ms: 1,
        peak_kib: 1,
        log: Some(home.blobs().put(log.as_bytes()).unwrap()),
    })
}

fn recipe() -> Recipe {
    Recipe {
        title: "hull".to_owned(),
        platform: Platform::default_host(),
        base_packages: Vec::new(),
        steps: vec![Step {
            purpose: Purpose::Dependencies,
            why: String::new(),
            folder: "$OUT".to_owned(),
            command: "apt-get install -y zlib1g-dev".to_owned(),
            keep_going: false,
        }],
        relaxations: vec![Relaxation {
            class: *RelaxationClass::ALL.first().unwrap(),
            rule: "soft-warnings".to_owned(),
            what: "-Wno-error".to_owned(),
            scope: RelaxationScope::Project,
            why: "a warning".to_owned(),
        }],
    }
}

#[test]
fn why_the_trials_of_a_run_failed() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path().join("home")).unwrap();
    let run = folder.path().join("r1");
    let tasks = ["anchor", "bilge", "capstan", "davit", "eyelet", "fender"];
    let strange = "make: Entering directory\n!! keel 17 cannot be laid on slip 4\n";
    let stranger = "!! keel 18 cannot be laid on slip 9\n";
    let header = "hull.c:1:10: fatal error: zlib.h: No such file or directory\n";
    // What the agent's command said, how the replay ended and what it said; no replay, no script.
    let cases = [
        ("", Some((0, "fine\n")), 3),
        ("", Some((1, header)), 0),
        ("", None, 0),
        (strange, Some((1, "gone\n")), 0),
        ("", Some((2, stranger)), 0),
        ("", Some((0, "fine\n")), 2),
    ];
    let mut results = Vec::new();
    for (task, (own, replay, reached)) in tasks.into_iter().zip(cases) {
        let trial = run.join("trials").join(format!("{task}.1"));
        fs_err::create_dir_all(&trial).unwrap();
        let (mut journal, _) = Journal::open(trial.join("journal.jsonl")).unwrap();
        let mut events = vec![Event::TrialStarted {
            task: task.parse().unwrap(),
            agent: "rules".parse().unwrap(),
            attempt: 1,
            lock: Digest::of(b"lock"),
        }];
        if !own.is_empty() {
            events.push(command(&home, "build", 2, own));
        }
        events.push(Event::Submitted {
            submission: Submission {
                script: replay.map(|_| "true\n".to_owned()),
                recipe: replay.map(|_| recipe()),
                ..Submission::default()
            },
        });
        if let Some((code, log)) = replay {
            events.push(command(&home, "replay", code, log));
        }
        let mut result = graded(task, 1, 1_000, reached, 1.0, "the reason of the verdict");
        result.note = "no plan: nothing to build".to_owned();
        events.extend(result.verdicts.iter().map(|verdict| Event::Judged {
            verdict: verdict.clone(),
        }));
        for event in events {
            journal.append(event).unwrap();
        }
        assert!(result.verdict(Profile::Strict).is_some());
        results.push(result);
    }
    let view = RunView {
        lock: lock(&tasks, 1),
        folder: run,
        results,
        pending: Vec::new(),
    };
    let report = FailureReport::of(&view, &home.blobs(), &|_| true).unwrap();
    expect![[r#"
        run r1: agent rules, 5 of 6 finished trials failed

        root causes by class: preparation 1, compilation 0, packaging 0, test 0, environment 0; no script 1; nothing failed 1; not explained 2

        root causes by kind
            1  missing_header

        relaxations (class / rule)
            5  warnings / soft-warnings

        packages that recipes install
            5  zlib1g-dev

        failed trials
        task     class        kind            subject  line
        bilge    preparation  missing_header  zlib.h   hull.c:1:10: fatal error: zlib.h: No such file or directory
        capstan  -            -                        no plan: nothing to build
        davit    -            -                        the reason of the verdict
        eyelet   -            -                        the reason of the verdict
        fender   -            -                        the reason of the verdict

        last error lines that no rule explains, by shape: the next rows
        trials  lines  template                                task   example
             2      2  !! keel <*> cannot be laid on slip <*>  davit  !! keel 17 cannot be laid on slip 4
    "#]].assert_eq(&report.to_text(120));
    let json: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    assert_eq!(json["trials"][0]["kind"], "missing_header");
    // Of a task that is kept out of sight no word is said, and every number is the same.
    let hidden = FailureReport::of(&view, &home.blobs(), &|task| task.as_str() == "fender").unwrap();
    let text = hidden.to_text(120);
    for word in ["bilge", "capstan", "davit", "eyelet", "zlib.h", "slip 4"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert!(
        text.contains("4 of the failed trials are of tasks that are kept out of sight"),
        "{text}"
    );
    assert_eq!(hidden.out_of_sight, 4);
    assert_eq!(
        (hidden.failed, &hidden.classes, &hidden.kinds, hidden.not_explained),
        (report.failed, &report.classes, &report.kinds, report.not_explained)
    );
}
