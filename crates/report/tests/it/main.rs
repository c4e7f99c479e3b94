//! Summaries of made-up runs, as people and programs see them.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, which clippy does not take for tests"
)]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod failures;
mod repairs;

use std::collections::BTreeMap;

use expect_test::expect;
use seatrial_core::{Answer, Check, Digest, InvalidReason, Outcome, Profile, Verdict};
use seatrial_report::{Comparison, RunSummary, TrialOutcome};
use seatrial_trial::{NetworkPlan, RunLock, TrialResult};

fn lock(tasks: &[&str], attempts: u32) -> RunLock {
    RunLock {
        v: 1,
        suite: "compile".parse().unwrap(),
        corpus: "compile-debian".to_owned(),
        corpus_path: "corpora/compile-debian".to_owned(),
        corpus_digest: Digest::of(b"corpus"),
        tasks: tasks.iter().map(|task| task.parse().unwrap()).collect(),
        agent: "rules".parse().unwrap(),
        program: None,
        model: None,
        attempts,
        wall_seconds: None,
        image: Digest::of(b"image"),
        index: None,
        forbid: Vec::new(),
        network: NetworkPlan::Off,
        tool_version: "0.1.0".to_owned(),
    }
}

fn check(name: &str, yes: bool) -> Check {
    Check {
        name: name.to_owned(),
        answer: Answer::from(yes),
        detail: "seen in line 3".to_owned(),
        evidence: Vec::new(),
    }
}

/// A verdict from the levels that were reached, as `completion flexible strict` in order.
fn verdict(profile: Profile, reached: usize, matched: f64, reason: &str) -> Verdict {
    let levels = ["completion", "flexible", "strict"];
    let mut checks: Vec<_> = levels
        .iter()
        .enumerate()
        .map(|(place, level)| check(level, place < reached))
        .collect();
    if profile == Profile::Paper {
        checks.extend(
            levels
                .iter()
                .map(|level| check(&format!("extended-{level}"), reached > 0)),
        );
    }
    Verdict {
        outcome: if reached == 3 { Outcome::Passed } else { Outcome::Failed },
        profile,
        checks,
        reason: reason.to_owned(),
        invalid: None,
        figures: BTreeMap::from([("expected".to_owned(), 3.0), ("matched".to_owned(), matched)]),
        flags: Vec::new(),
    }
}

fn trial(task: &str, attempt: u32, wall_ms: u64, verdicts: Vec<Verdict>) -> TrialResult {
    TrialResult {
        task: task.parse().unwrap(),
        attempt,
        verdicts,
        wall_ms,
        note: String::new(),
        spent: None,
    }
}

fn graded(task: &str, attempt: u32, wall_ms: u64, reached: usize, matched: f64, reason: &str) -> TrialResult {
    trial(
        task,
        attempt,
        wall_ms,
        vec![
            verdict(Profile::Strict, reached, matched, reason),
            verdict(Profile::Paper, reached, matched, reason),
        ],
    )
}

/// One trial of each kind, and more.
fn mixed_run() -> RunSummary {
    let mut flagged = graded("ghost", 1, 9_000, 3, 3.0, "all expected artifacts were made");
    flagged.verdicts[0].outcome = Outcome::Failed;
    flagged.verdicts[0].flags = vec![check("package-installed", true)];
    let invalid = Profile::Strict;
    let results = [
        graded("anchor", 1, 41_200, 3, 3.0, "all expected artifacts were made"),
        graded(
            "bilge",
            1,
            725_000,
            2,
            1.0,
            "`libbilge.so.1` | is missing\x1b[31m\nsecond line",
        ),
        graded("capstan", 1, 12_000, 1, 0.0, "none of the expected artifacts was made"),
        graded(
            "davit",
            1,
            3_000,
            0,
            0.0,
            "nothing was built: cmake: `FOO` was not found in any of the places that were looked at, and so it was given up",
        ),
        trial(
            "eyelet",
            1,
            500,
            vec![Verdict::invalid(
                invalid,
                InvalidReason::Network,
                "the mirror did not answer",
            )],
        ),
        flagged,
        graded("stranger", 1, 1, 3, 3.0, "not in the lock"),
    ];
    let tasks = ["anchor", "bilge", "capstan", "davit", "eyelet", "fender", "ghost"];
    RunSummary::new("r1", &lock(&tasks, 1), &results)
}

#[test]
fn the_rates_of_a_run() {
    expect![[r#"
        run r1: corpus compile-debian (4d12346eabd5), agent rules, seatrial 0.1.0, image 0229ff7dec8a, network none
        7 tasks x 1 attempt: 1 passed, 3 failed, 1 invalid, 1 pending; 1 flagged pass is not counted
        time: median 10.5 s, 13 min 11 s in all

        profile  artifacts  level       of planned               of valid                 flagged
        strict   built      completion  3/7 42.9 % [15.8, 75.0]  3/5 60.0 % [23.1, 88.2]        1
        strict   built      flexible     2/7 28.6 % [8.2, 64.1]  2/5 40.0 % [11.8, 76.9]        1
        strict   built      strict       1/7 14.3 % [2.6, 51.3]   1/5 20.0 % [3.6, 62.4]        1
        paper    official   completion  4/7 57.1 % [25.0, 84.2]  4/5 80.0 % [37.6, 96.4]        0
        paper    official   flexible    3/7 42.9 % [15.8, 75.0]  3/5 60.0 % [23.1, 88.2]        0
        paper    official   strict       2/7 28.6 % [8.2, 64.1]  2/5 40.0 % [11.8, 76.9]        0
        paper    extended   completion  4/7 57.1 % [25.0, 84.2]  4/5 80.0 % [37.6, 96.4]        0
        paper    extended   flexible    4/7 57.1 % [25.0, 84.2]  4/5 80.0 % [37.6, 96.4]        0
        paper    extended   strict      4/7 57.1 % [25.0, 84.2]  4/5 80.0 % [37.6, 96.4]        0

        Brackets: Wilson intervals of 95 %. Valid: judged, and not invalid.
    "#]]
    .assert_eq(&mixed_run().to_text(110));
}

#[test]
fn the_trials_of_a_run_one_line_each() {
    let text = mixed_run().trials_to_text(80);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    expect![[r#"
         task     outcome  matched  time         reason
         anchor   passed       3/3       41.2 s  all expected artifacts were made
         bilge    failed       1/3  12 min 05 s  `libbilge.so.1` | is missing\x1b[31m…
         capstan  failed       0/3       12.0 s  none of the expected artifacts was…
         davit    failed       0/3        3.0 s  nothing was built: cmake: `FOO` was…
         eyelet   invalid        -        0.5 s  the mirror did not answer
         fender   pending        -            -
         ghost    flagged      3/3        9.0 s  package-installed: seen in line 3
    "#]]
    .assert_eq(&text);
}

#[test]
fn markdown_cannot_be_broken_by_a_reason() {
    expect![[r#"
        - run r1: corpus compile-debian (4d12346eabd5), agent rules, seatrial 0.1.0, image 0229ff7dec8a, network none
        - 7 tasks x 1 attempt: 1 passed, 3 failed, 1 invalid, 1 pending; 1 flagged pass is not counted
        - time: median 10.5 s, 13 min 11 s in all

        | profile | artifacts | level | of planned | of valid | flagged |
        | --- | --- | --- | --- | --- | --- |
        | strict | built | completion | 3/7 42.9 % \[15.8, 75.0\] | 3/5 60.0 % \[23.1, 88.2\] | 1 |
        | strict | built | flexible | 2/7 28.6 % \[8.2, 64.1\] | 2/5 40.0 % \[11.8, 76.9\] | 1 |
        | strict | built | strict | 1/7 14.3 % \[2.6, 51.3\] | 1/5 20.0 % \[3.6, 62.4\] | 1 |
        | paper | official | completion | 4/7 57.1 % \[25.0, 84.2\] | 4/5 80.0 % \[37.6, 96.4\] | 0 |
        | paper | official | flexible | 3/7 42.9 % \[15.8, 75.0\] | 3/5 60.0 % \[23.1, 88.2\] | 0 |
        | paper | official | strict | 2/7 28.6 % \[8.2, 64.1\] | 2/5 40.0 % \[11.8, 76.9\] | 0 |
        | paper | extended | completion | 4/7 57.1 % \[25.0, 84.2\] | 4/5 80.0 % \[37.6, 96.4\] | 0 |
        | paper | extended | flexible | 4/7 57.1 % \[25.0, 84.2\] | 4/5 80.0 % \[37.6, 96.4\] | 0 |
        | paper | extended | strict | 4/7 57.1 % \[25.0, 84.2\] | 4/5 80.0 % \[37.6, 96.4\] | 0 |

        Brackets: Wilson intervals of 95 %. Valid: judged, and not invalid.

        | task | outcome | matched | time | reason |
        | --- | --- | --- | --- | --- |
        | anchor | passed | 3/3 | 41.2 s | all expected artifacts were made |
        | bilge | failed | 1/3 | 12 min 05 s | \`libbilge.so.1\` \| is missing\\x1b\[31m second line |
        | capstan | failed | 0/3 | 12.0 s | none of the expected artifacts was made |
        | davit | failed | 0/3 | 3.0 s | nothing was built: cmake: \`FOO\` was not found in any of the places that were looked at, and so it was given up |
        | eyelet | invalid | - | 0.5 s | the mirror did not answer |
        | fender | pending | - | - |  |
        | ghost | flagged | 3/3 | 9.0 s | package-installed: seen in line 3 |
    "#]].assert_eq(&mixed_run().to_markdown());
}

#[test]
fn several_attempts_show_pass_at_k() {
    let results = [
        graded("anchor", 1, 1_000, 3, 3.0, "ok"),
        graded("anchor", 2, 1_000, 2, 1.0, "no"),
        graded("bilge", 1, 1_000, 0, 0.0, "no"),
        graded("bilge", 2, 1_000, 3, 3.0, "superseded"),
        graded("bilge", 2, 1_000, 0, 0.0, "no"),
    ];
    let summary = RunSummary::new("r2", &lock(&["anchor", "bilge"], 2), &results);
    expect![[r#"
        run r2: corpus compile-debian (4d12346eabd5), agent rules, seatrial 0.1.0, image 0229ff7dec8a, network none
        2 tasks x 2 attempts: 1 passed, 3 failed, 0 invalid, 0 pending
        time: median 1.0 s, 4.0 s in all

        profile  artifacts  level       of planned               of valid                 flagged  pass@k
        strict   built      completion  2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)
        strict   built      flexible    2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)
        strict   built      strict       1/4 25.0 % [4.6, 69.9]   1/4 25.0 % [4.6, 69.9]        0  @1 25.0 % (2), @2 50.0 % (2)
        paper    official   completion  2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)
        paper    official   flexible    2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)
        paper    official   strict       1/4 25.0 % [4.6, 69.9]   1/4 25.0 % [4.6, 69.9]        0  @1 25.0 % (2), @2 50.0 % (2)
        paper    extended   completion  2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)
        paper    extended   flexible    2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)
        paper    extended   strict      2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0  @1 50.0 % (2), @2 50.0 % (2)

        Brackets: Wilson intervals of 95 %. Valid: judged, and not invalid.
        Rates count trials; their intervals take attempts at one task as independent, so they are too narrow.
    "#]].assert_eq(&summary.to_text(130));
    expect![[r#"
         task    attempt  outcome  matched  time   reason
         anchor        1  passed       3/3  1.0 s  ok
         anchor        2  failed       1/3  1.0 s  no
         bilge         1  failed       0/3  1.0 s  no
         bilge         2  failed       0/3  1.0 s  no
    "#]]
    .assert_eq(&summary.trials_to_text(60));
}

#[test]
fn an_empty_run_shows_zeros() {
    expect![[r#"
        run r3: corpus compile-debian (4d12346eabd5), agent rules, seatrial 0.1.0, image 0229ff7dec8a, network none
        0 tasks x 1 attempt: 0 passed, 0 failed, 0 invalid, 0 pending
        time: no trial has finished

        profile  artifacts  level       of planned  of valid  flagged
        strict   built      completion         0/0       0/0        0
        strict   built      flexible           0/0       0/0        0
        strict   built      strict             0/0       0/0        0

        Brackets: Wilson intervals of 95 %. Valid: judged, and not invalid.
    "#]]
    .assert_eq(&RunSummary::new("r3", &lock(&[], 1), &[]).to_text(100));
}

#[test]
fn counts_add_up_and_the_json_form_holds_them() {
    let summary = mixed_run();
    let counts = summary.counts;
    assert_eq!(
        counts.planned,
        counts.passed + counts.flagged + counts.failed + counts.invalid + counts.pending
    );
    let pending: Vec<_> = summary
        .trials
        .iter()
        .filter(|trial| trial.outcome == TrialOutcome::Pending)
        .map(|trial| trial.task.as_str())
        .collect();
    assert_eq!(pending, ["fender"]);
    let json: serde_json::Value = serde_json::from_str(&summary.to_json().unwrap()).unwrap();
    expect![[r#"
        {
          "artifacts": "built",
          "flagged": 1,
          "level": "strict",
          "of_planned": {
            "interval": {
              "high": 0.5131278292743189,
              "low": 0.02567962434474355
            },
            "of": 7,
            "rate": 0.14285714285714285
          },
          "of_valid": {
            "interval": {
              "high": 0.6244653702374747,
              "low": 0.03622410863243014
            },
            "of": 5,
            "rate": 0.2
          },
          "pass_at": [],
          "passed": 1,
          "profile": "strict"
        }"#]]
    .assert_eq(&format!("{:#}", json["rows"][2]));
    expect![[r#"
        {
          "failed": 3,
          "flagged": 1,
          "invalid": 1,
          "passed": 1,
          "pending": 1,
          "planned": 7
        }"#]]
    .assert_eq(&format!("{:#}", json["counts"]));
    expect![[r#"
        {
          "attempt": 1,
          "expected": 3,
          "matched": 1,
          "outcome": "failed",
          "reason": "`libbilge.so.1` | is missing\\x1b[31m second line",
          "task": "bilge",
          "wall_ms": 725000
        }"#]]
    .assert_eq(&format!("{:#}", json["trials"][1]));
}

#[test]
fn two_runs_side_by_side() {
    let first = mixed_run();
    let mut lock = lock(&["anchor", "bilge", "capstan", "oar"], 1);
    lock.agent = "ghcc".parse().unwrap();
    lock.image = Digest::of(b"another image");
    let results = [
        graded("anchor", 1, 1_000, 0, 0.0, "nothing was built"),
        graded("bilge", 1, 90_000, 3, 3.0, "all expected artifacts were made"),
        graded("oar", 1, 2_000, 3, 3.0, "all expected artifacts were made"),
    ];
    let comparison = Comparison::of(&[first, RunSummary::new("r2", &lock, &results)]);
    expect![[r#"
        agent  strict                   flexible                 completion               invalid  median  total
        rules   1/7 14.3 % [2.6, 51.3]   2/7 28.6 % [8.2, 64.1]  3/7 42.9 % [15.8, 75.0]        1  10.5 s  13 min 11 s
        ghcc   2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]  2/4 50.0 % [15.0, 85.0]        0   2.0 s   1 min 33 s

        Strict profile, out of all planned trials; brackets: Wilson intervals of 95 %. Runs, in order:
          r1 (rules): 7 planned, 1 pending
          r2 (ghcc): 4 planned, 1 pending
        rules and ghcc: both 0, only rules 1, only ghcc 1, neither 1; McNemar, exact, two-sided: p = 1.0000
        warning: r1 and r2 differ in: tasks
        warning: r1 and r2 differ in: image
    "#]]
    .assert_eq(&comparison.to_text(120));
    let json: serde_json::Value = serde_json::from_str(&comparison.to_json().unwrap()).unwrap();
    assert_eq!(json["pairs"][0]["only_first"], 1);
}
