//! Runs of the suite `repair`: what is counted, and how it stands beside what was published.

use std::collections::BTreeMap;

use expect_test::expect;
use seatrial_core::{Arch, Digest, Entry, Event, InvalidReason, Outcome, Profile, Submission, TaskId, Verdict};
use seatrial_report::{Comparison, RepairFacts, RepairFigures, RepairWork, RunSummary};
use seatrial_trial::{ModelSpent, RunLock, TrialResult};

use crate::{check, lock, trial};

/// A task with its direction and class, and what came of it: strict, paper.
type Row = (&'static str, Arch, &'static str, Option<(bool, bool)>);

const ROWS: [Row; 6] = [
    ("anchor", Arch::Aarch64, "compilation", Some((true, true))),
    ("bilge", Arch::Aarch64, "compilation", Some((false, true))),
    ("capstan", Arch::Aarch64, "test", Some((false, false))),
    ("davit", Arch::Aarch64, "test", None),
    ("eyelet", Arch::X86_64, "packaging", Some((true, true))),
    ("fender", Arch::X86_64, "packaging", Some((false, false))),
];

fn other(arch: Arch) -> Arch {
    if arch == Arch::X86_64 {
        Arch::Aarch64
    } else {
        Arch::X86_64
    }
}

fn facts() -> BTreeMap<TaskId, RepairFacts> {
    ROWS.iter()
        .map(|(task, target, class, _)| {
            let facts = RepairFacts {
                target: *target,
                works_on: Some(other(*target)),
                class: (*class).to_owned(),
            };
            (task.parse().unwrap(), facts)
        })
        .collect()
}

fn verdict(profile: Profile, passed: bool) -> Verdict {
    Verdict {
        outcome: if passed { Outcome::Passed } else { Outcome::Failed },
        profile,
        checks: vec![check("applies", true), check("repaired", passed), check("kept", passed)],
        reason: String::new(),
        invalid: None,
        figures: BTreeMap::new(),
        flags: Vec::new(),
    }
}

fn results() -> Vec<TrialResult> {
    ROWS.iter()
        .map(|(task, _, _, came)| {
            let verdicts = match came {
                Some((strict, paper)) => vec![verdict(Profile::Strict, *strict), verdict(Profile::Paper, *paper)],
                None => [Profile::Strict, Profile::Paper]
                    .map(|profile| Verdict::invalid(profile, InvalidReason::Network, "no mirror"))
                    .to_vec(),
            };
            TrialResult {
                spent: Some(ModelSpent {
                    calls: 3,
                    input: 90_000,
                    output: 10_000,
                    ..ModelSpent::default()
                }),
                ..trial(task, 1, 600_000, verdicts)
            }
        })
        .collect()
}

fn entries(minutes: u64, states: &[(u32, &str)]) -> Vec<Entry> {
    let mut events = vec![(
        0,
        Event::TrialStarted {
            task: "t".parse().unwrap(),
            agent: "mcp-repair".parse().unwrap(),
            attempt: 1,
            lock: Digest::of(b""),
        },
    )];
    for (place, (calls, state)) in states.iter().enumerate() {
        let text = format!(
            "iteration {} of 3: turns=9 calls={calls} uploads=1 checks=1 state={state} sources=b3:1",
            place + 1
        );
        events.push((1, Event::Note { text }));
    }
    let submission = Submission::default();
    events.push((minutes * 60_000, Event::Submitted { submission }));
    events
        .into_iter()
        .zip(0..)
        .map(|((at, event), seq)| Entry { v: 4, seq, at, event })
        .collect()
}

fn repair_lock(patches: bool) -> RunLock {
    let mut lock = lock(&ROWS.map(|(task, ..)| task), 1);
    lock.suite = "repair".parse().unwrap();
    "repair-cross-isa".clone_into(&mut lock.corpus);
    lock.agent = "mcp-repair".parse().unwrap();
    lock.model = Some(serde_json::json!({ "options": { "repair": { "patches": patches } } }));
    lock
}

fn summary(patches: bool) -> RunSummary {
    let lock = repair_lock(patches);
    let journals = [
        ("anchor", entries(2, &[(4, "failed"), (6, "succeeded")])),
        // Handed in without a check that succeeded: what it built with is the last iteration's.
        ("bilge", entries(4, &[(8, "failed"), (8, "failed"), (2, "unchecked")])),
        (
            "capstan",
            entries(6, &[(20, "failed"), (20, "unresolvable"), (20, "failed")]),
        ),
        ("eyelet", entries(1, &[(5, "succeeded")])),
        ("fender", entries(3, &[(5, "failed"), (5, "failed"), (5, "failed")])),
    ];
    let work: BTreeMap<_, _> = journals
        .iter()
        .map(|(task, entries)| ((task.parse().unwrap(), 1), RepairWork::of(entries)))
        .collect();
    let mut summary = RunSummary::new("r1", &lock, &results());
    summary.repair = Some(RepairFigures::new(&lock, &results(), &facts(), &work));
    summary
}

#[test]
fn success_is_told_by_direction_class_and_iteration_beside_what_was_published() {
    expect![[r#"
        run r1: corpus repair-cross-isa (4d12346eabd5), agent mcp-repair, seatrial 0.1.0, image 0229ff7dec8a, network none
        6 tasks x 1 attempt: 2 passed, 3 failed, 1 invalid, 0 pending
        time: median 10 min 00 s, 1 h 00 min in all
        models: 18 answers of 6 trials, 540000 + 60000 tokens, $0.0000, 0 uses of tools; median of a trial 3 answers, 100000 tokens, 0 uses; ended: unknown 6

        profile  artifacts  level     of planned               of valid                 flagged
        strict   built      repaired   2/6 33.3 % [9.7, 70.0]  2/5 40.0 % [11.8, 76.9]        0
        strict   built      kept       2/6 33.3 % [9.7, 70.0]  2/5 40.0 % [11.8, 76.9]        0
        paper    official   repaired  3/6 50.0 % [18.8, 81.2]  3/5 60.0 % [23.1, 88.2]        0
        paper    official   kept      3/6 50.0 % [18.8, 81.2]  3/5 60.0 % [23.1, 88.2]        0

        who                              mode       direction             strict            paper  minutes  ktokens
        mcp-repair                       full-file  x86_64->aarch64  1/4 25.00 %      2/4 50.00 %     4.00   100.00
        mcp-repair                       full-file  aarch64->x86_64  1/2 50.00 %      1/2 50.00 %     2.00   100.00
        mcp-repair                       full-file  mean                 37.50 %          50.00 %     3.00   100.00
        GPT-5 (published)                full-file  x86_64->aarch64            -  103/163 63.19 %    31.18  1830.91
        GPT-5 (published)                full-file  aarch64->x86_64            -   31/105 29.52 %    18.55  1518.66
        GPT-5 (published)                full-file  mean                       -          46.36 %        -        -
        GPT-5-mini (published)           full-file  x86_64->aarch64            -   47/163 28.83 %    13.80  1683.95
        GPT-5-mini (published)           full-file  aarch64->x86_64            -   28/105 26.67 %    14.37  1894.60
        GPT-5-mini (published)           full-file  mean                       -          27.75 %        -        -
        Qwen3-max (published)            full-file  x86_64->aarch64            -   28/163 17.18 %    64.69   505.39
        Qwen3-max (published)            full-file  aarch64->x86_64            -     6/105 5.71 %    52.44   714.08
        Qwen3-max (published)            full-file  mean                       -          11.45 %        -        -
        GPT-4o (published)               full-file  x86_64->aarch64            -   22/163 13.50 %     5.93   541.66
        GPT-4o (published)               full-file  aarch64->x86_64            -   13/105 12.38 %     5.82   614.12
        GPT-4o (published)               full-file  mean                       -          12.94 %        -        -
        Claude Sonnet 4.5 (published)    full-file  x86_64->aarch64            -    16/163 9.82 %     6.27   328.76
        Claude Sonnet 4.5 (published)    full-file  aarch64->x86_64            -     6/105 5.71 %     4.52   332.99
        Claude Sonnet 4.5 (published)    full-file  mean                       -           7.77 %        -        -
        DeepSeek V3 (published)          full-file  x86_64->aarch64            -    13/163 7.98 %    11.37   235.53
        DeepSeek V3 (published)          full-file  aarch64->x86_64            -     4/105 3.81 %    19.27   445.03
        DeepSeek V3 (published)          full-file  mean                       -           5.89 %        -        -
        Qwen2.5-3B-Instruct (published)  full-file  x86_64->aarch64            -     8/163 4.91 %        -        -
        Qwen2.5-3B-Instruct (published)  full-file  aarch64->x86_64            -     2/105 1.90 %        -        -
        Qwen2.5-3B-Instruct (published)  full-file  mean                       -           3.41 %        -        -

        who                            mode       direction         iter-1   iter-2   iter-3  to success           calls
        mcp-repair                     full-file  x86_64->aarch64   0.00 %  25.00 %  50.00 %        2.50  10.7 11.3 11.0
        mcp-repair                     full-file  aarch64->x86_64  50.00 %  50.00 %  50.00 %        1.00     5.0 5.0 5.0
        GPT-5 (published)              full-file  x86_64->aarch64  36.81 %  48.47 %  63.19 %           -               -
        GPT-5 (published)              full-file  aarch64->x86_64  11.43 %  16.19 %  29.52 %           -               -
        GPT-5-mini (published)         full-file  x86_64->aarch64  15.34 %  20.25 %  28.83 %           -               -
        GPT-5-mini (published)         full-file  aarch64->x86_64  12.38 %  18.10 %  26.67 %           -               -
        Qwen3-max (published)          full-file  x86_64->aarch64   6.13 %   9.82 %  17.18 %           -               -
        Qwen3-max (published)          full-file  aarch64->x86_64   0.95 %   0.95 %   5.71 %           -               -
        GPT-4o (published)             full-file  x86_64->aarch64   4.91 %  12.88 %  13.50 %           -               -
        GPT-4o (published)             full-file  aarch64->x86_64   0.95 %   8.57 %  12.38 %           -               -
        Claude Sonnet 4.5 (published)  full-file  x86_64->aarch64   9.82 %   9.82 %   9.82 %           -               -
        Claude Sonnet 4.5 (published)  full-file  aarch64->x86_64   4.76 %   4.76 %   5.71 %           -               -
        DeepSeek V3 (published)        full-file  x86_64->aarch64   3.68 %   6.13 %   7.98 %           -               -
        DeepSeek V3 (published)        full-file  aarch64->x86_64   0.95 %   0.95 %   3.81 %           -               -

        class        planned          strict              paper
        compilation        2  50.0 % [9, 91]  100.0 % [34, 100]
        packaging          2  50.0 % [9, 91]     50.0 % [9, 91]
        test               2   0.0 % [0, 66]      0.0 % [0, 66]

        Brackets: Wilson intervals of 95 %. Valid: judged, and not invalid.
        Strict: builds on the target and where it did, and gives nothing up. Paper: builds on the target, which is all that was asked in what is published. Out of all planned trials. Minutes: from the start to what was handed in. iter-k: share of paper that built within k iterations. Calls: mean uses of tools in each iteration. Mean: of directions, unweighted.
        Published: 268 packages that nobody else has, on a build service, verdicts by the published procedure with its faults (docs/repair.md); beside these rows, not comparable with them case by case.
    "#]].assert_eq(&summary(false).to_text(180));
}

#[test]
fn modes_of_editing_stand_side_by_side_each_with_its_published_rows() {
    let comparison = Comparison::of(&[summary(false), summary(true)]);
    let text = comparison.to_text(180);
    for part in [
        " full-file  x86_64->aarch64  1/4",
        " patch      x86_64->aarch64  1/4",
        "Claude 4 Sonnet (published)",
        "Claude Sonnet 4.5 (published)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let patch = RunSummary::to_text(&summary(true), 180);
    assert!(!patch.contains("Sonnet 4.5"), "only its own mode's: {patch}");
    let markdown = summary(false).to_markdown();
    assert!(
        markdown.contains("\n| GPT-5 (published) | full-file | x86\\_64->aarch64 | - | 103/163 63.19 % |"),
        "{markdown}"
    );
    let json = comparison.to_json().unwrap();
    assert!(json.contains("\"built_after\""), "{json}");
}

#[test]
fn what_the_corpus_does_not_know_any_more_is_counted_and_in_no_row() {
    let lock = repair_lock(false);
    let mut known = facts();
    known.retain(|task, _| task.as_str() != "anchor");
    let figures = RepairFigures::new(&lock, &results(), &known, &BTreeMap::new());
    assert_eq!(figures.unknown, 1);
    assert_eq!(figures.directions.iter().map(|row| row.planned).sum::<u64>(), 5);
    assert!(
        figures
            .directions
            .iter()
            .all(|row| row.built_after.is_empty() && row.minutes.is_none())
    );
}

#[test]
fn a_trial_that_began_again_counts_from_there() {
    let mut twice = entries(9, &[(1, "failed"), (1, "failed")]);
    twice.extend(entries(3, &[(7, "succeeded")]));
    let work = RepairWork::of(&twice);
    assert_eq!(work.iterations.len(), 1);
    assert_eq!(work.repair_ms, Some(180_000));
}

#[test]
fn a_run_of_repairs_in_which_nothing_was_judged_asks_its_own_questions() {
    let lock = repair_lock(false);
    let summary = RunSummary::new("r1", &lock, &[]);
    let levels: Vec<_> = summary.rows.iter().map(|row| row.level.as_str()).collect();
    assert_eq!(levels, ["repaired", "kept"]);
}
