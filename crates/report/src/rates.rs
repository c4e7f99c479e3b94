//! How often each question was answered with yes.

use std::collections::BTreeMap;

use seatrial_core::{Answer, Outcome, Profile, TaskId};
use seatrial_trial::{RunLock, TrialResult};

use crate::{
    stats::pass_at_k,
    summary::{ArtifactSet, Level, PassAt, Rate, Row},
};

/// A task, an attempt, and its result when it has finished.
pub(crate) type Planned<'a> = (&'a TaskId, u32, Option<&'a TrialResult>);

pub(crate) fn rows(planned: &[Planned<'_>], lock: &RunLock) -> Vec<Row> {
    let mut rows = Vec::new();
    let levels = if lock.suite.as_str() == "repair" {
        &Level::OF_REPAIRS[..]
    } else {
        &Level::OF_BUILDS[..]
    };
    for (profile, artifacts) in [
        (Profile::Strict, ArtifactSet::Built),
        (Profile::Paper, ArtifactSet::Official),
        (Profile::Paper, ArtifactSet::Extended),
    ] {
        for level in levels.iter().copied() {
            let is_asked = planned
                .iter()
                .filter_map(|(_, _, result)| result.as_ref()?.verdict(profile))
                .any(|verdict| artifacts.answer(verdict, level).is_some());
            // The strict rows are always there, so that an empty run shows zeros and not nothing.
            if is_asked || profile == Profile::Strict {
                rows.push(row(planned, lock.attempts, profile, artifacts, level));
            }
        }
    }
    rows
}

fn row(planned: &[Planned<'_>], attempts: u32, profile: Profile, artifacts: ArtifactSet, level: Level) -> Row {
    let (mut passed, mut flagged, mut valid) = (0, 0, 0);
    let mut tasks: BTreeMap<&TaskId, (u64, u64)> = BTreeMap::new();
    for (task, _, result) in planned {
        let Some(verdict) = result.and_then(|result| result.verdict(profile)) else {
            continue;
        };
        if verdict.outcome == Outcome::Invalid {
            continue;
        }
        valid += 1;
        let of_task = tasks.entry(task).or_default();
        of_task.0 += 1;
        // A question that could not be asked was not answered with yes: nothing leaves a denominator that way.
        if artifacts.answer(verdict, level) != Some(Answer::Yes) {
            continue;
        }
        // The published procedure knows no flags.
        if profile == Profile::Strict && !verdict.flags.is_empty() {
            flagged += 1;
        } else {
            passed += 1;
            of_task.1 += 1;
        }
    }
    Row {
        profile,
        artifacts,
        level,
        passed,
        flagged,
        of_planned: Rate::new(passed, planned.len() as u64),
        of_valid: Rate::new(passed, valid),
        pass_at: pass_at(&tasks, attempts),
    }
}

/// The mean of pass@k over tasks, for k = 1, 2, 4, ... and the run's number of attempts.
fn pass_at(tasks: &BTreeMap<&TaskId, (u64, u64)>, attempts: u32) -> Vec<PassAt> {
    if attempts < 2 {
        return Vec::new();
    }
    let attempts = u64::from(attempts);
    let doubling = std::iter::successors(Some(1_u64), |k| k.checked_mul(2)).take_while(|k| *k < attempts);
    doubling
        .chain([attempts])
        .filter_map(|k| {
            let values: Vec<_> = tasks
                .values()
                .filter_map(|(valid, passed)| pass_at_k(*valid, *passed, k))
                .collect();
            (!values.is_empty()).then(|| PassAt {
                k,
                tasks: values.len() as u64,
                mean: values.iter().sum::<f64>() / values.len() as f64,
            })
        })
        .collect()
}
