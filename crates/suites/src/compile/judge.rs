//! The `strict` verdict: what we believe is right.

use std::collections::{BTreeMap, BTreeSet};

use seatrial_core::{Answer, Arch, Check, CompileTruth, Digest, Evidence, Outcome, Profile, Verdict};
use seatrial_sandbox::{Execution, Status, TimeoutKind};
use seatrial_store::Blobs;

use super::{
    collect::{Candidate, Standing},
    kinds::Kind,
};

/// Files that a check lists as evidence at most.
const EVIDENCE_LIMIT: usize = 60;

/// What both profiles judge from.
pub(super) struct Facts<'a> {
    pub(super) truth: &'a CompileTruth,
    pub(super) arch: Arch,
    /// Sorted by path.
    pub(super) candidates: &'a [Candidate],
    pub(super) execution: &'a Execution,
    pub(super) log: Digest,
    pub(super) blobs: &'a Blobs,
}

/// Judges what counts.
pub(super) fn strict(facts: &Facts<'_>, flags: Vec<Check>) -> Verdict {
    let counted: Vec<&Candidate> = facts.candidates.iter().filter(|candidate| candidate.counts()).collect();
    let expected: BTreeSet<&str> = facts.truth.artifacts.iter().map(String::as_str).collect();
    let by_name = by_name(&counted);
    let answering = |name: &str| facts.truth.names(name).find_map(|other| by_name.get(other));
    let (matched, missing): (Vec<&str>, Vec<&str>) =
        expected.iter().copied().partition(|name| answering(name).is_some());
    let by_own_name = expected.iter().filter(|name| by_name.contains_key(**name)).count();
    let files = |names: &[&str]| -> Vec<Evidence> {
        names
            .iter()
            .filter_map(|name| answering(name))
            .map(|candidate| evidence(candidate, facts.arch))
            .collect()
    };
    let mut missing_evidence: Vec<Evidence> = missing.iter().map(|name| missing_note(name, facts)).collect();
    let mut strict_evidence = files(&matched);
    strict_evidence.append(&mut missing_evidence);
    let checks = vec![
        replay_check(facts),
        Check {
            name: "completion".to_owned(),
            answer: (!counted.is_empty()).into(),
            detail: format!("{} artifacts were made from the source", counted.len()),
            evidence: completion_evidence(facts, &counted),
        },
        asked(&expected, "flexible", !matched.is_empty(), &matched, files(&matched)),
        asked(&expected, "strict", missing.is_empty(), &matched, strict_evidence),
    ];
    let reached = if expected.is_empty() {
        // Nobody knows what there should be, so the script's own word must at least not be against it, and something must
        // have come out of it.
        facts.execution.succeeded() && counted.iter().any(|candidate| candidate.is_product())
    } else {
        missing.is_empty()
    };
    let cut_short = match facts.execution.status {
        Status::TimedOut(_) => Some(format!(
            "the script did not end within its time ({} s)",
            facts.execution.wall.as_secs()
        )),
        Status::DiskLimit => Some(how_it_ended(facts.execution)),
        Status::Exited(_) | Status::Signaled(_) => None,
    };
    let outcome = if reached && flags.is_empty() && cut_short.is_none() {
        Outcome::Passed
    } else {
        Outcome::Failed
    };
    let reason = if let Some(how) = cut_short {
        how
    } else if reached && !flags.is_empty() {
        format!(
            "not earned: {}",
            flags
                .iter()
                .map(|flag| flag.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        )
    } else if reached && expected.is_empty() {
        format!("{} artifacts were made from the source", counted.len())
    } else if reached {
        format!("all {} expected artifacts were made from the source", expected.len())
    } else if counted.is_empty() {
        format!(
            "no artifact was made from the source; {}",
            how_it_ended(facts.execution)
        )
    } else if expected.is_empty() && facts.execution.succeeded() {
        format!(
            "{} objects were made from the source, and nothing was linked from them",
            counted.len()
        )
    } else if expected.is_empty() {
        format!(
            "{} artifacts were made from the source, but {}",
            counted.len(),
            how_it_ended(facts.execution)
        )
    } else {
        format!(
            "{} of {} expected artifacts are missing: {}",
            missing.len(),
            expected.len(),
            list(&missing)
        )
    };
    Verdict {
        outcome,
        profile: Profile::Strict,
        checks,
        reason,
        invalid: None,
        figures: figures(facts, &counted, matched.len(), by_own_name),
        flags,
    }
}

/// The checks of a submission that was not replayed.
pub(super) fn all_no(expected: usize, reason: &str) -> Vec<Check> {
    let note = |answer: Answer, name: &str| Check {
        name: name.to_owned(),
        answer,
        detail: reason.to_owned(),
        evidence: vec![Evidence::Note {
            text: reason.to_owned(),
        }],
    };
    let named = if expected == 0 { Answer::NotAsked } else { Answer::No };
    vec![
        note(Answer::NotAsked, "replay"),
        note(Answer::No, "completion"),
        note(named, "flexible"),
        note(named, "strict"),
    ]
}

/// A check on expected names; not asked when nobody knows any.
pub(super) fn asked(
    expected: &BTreeSet<&str>,
    name: &str,
    yes: bool,
    matched: &[&str],
    evidence: Vec<Evidence>,
) -> Check {
    if expected.is_empty() {
        return Check {
            name: name.to_owned(),
            answer: Answer::NotAsked,
            detail: "nobody knows the expected names".to_owned(),
            evidence: Vec::new(),
        };
    }
    Check {
        name: name.to_owned(),
        answer: yes.into(),
        detail: format!("{} of {} expected names", matched.len(), expected.len()),
        evidence,
    }
}

/// The best candidate of each name: a program or library over an object.
fn by_name<'a>(counted: &[&'a Candidate]) -> BTreeMap<&'a str, &'a Candidate> {
    let mut names: BTreeMap<&str, &Candidate> = BTreeMap::new();
    for candidate in counted {
        let place = names.entry(candidate.name()).or_insert(candidate);
        if rank(candidate) < rank(place) {
            *place = candidate;
        }
    }
    names
}

fn rank(candidate: &Candidate) -> u8 {
    match candidate.kind {
        Some(Kind::Executable | Kind::Shared) => 0,
        Some(Kind::Archive) => 1,
        Some(Kind::Object) => 2,
        None => 3,
    }
}

fn completion_evidence(facts: &Facts<'_>, counted: &[&Candidate]) -> Vec<Evidence> {
    let mut shown: Vec<&Candidate> = counted.to_vec();
    shown.sort_by_key(|candidate| rank(candidate));
    let mut evidence: Vec<Evidence> = shown
        .iter()
        .take(EVIDENCE_LIMIT)
        .map(|candidate| evidence(candidate, facts.arch))
        .collect();
    if counted.is_empty() {
        evidence.extend(
            facts
                .candidates
                .iter()
                .take(EVIDENCE_LIMIT)
                .map(|each| self::evidence(each, facts.arch)),
        );
    }
    if shown.len() > EVIDENCE_LIMIT {
        evidence.push(Evidence::Note {
            text: format!("and {} more", shown.len() - EVIDENCE_LIMIT),
        });
    }
    evidence
}

fn evidence(candidate: &Candidate, arch: Arch) -> Evidence {
    Evidence::File {
        path: candidate.path.clone(),
        digest: candidate.digest,
        size: candidate.size,
        what: candidate.what(arch),
    }
}

fn missing_note(name: &str, facts: &Facts<'_>) -> Evidence {
    let refused = facts.candidates.iter().find_map(|candidate| match &candidate.standing {
        Standing::Refused(reason) if candidate.name() == name => {
            Some(format!("{name}: {} is there, but {reason}", candidate.path))
        }
        _ => None,
    });
    Evidence::Note {
        text: refused.unwrap_or_else(|| format!("{name}: no file has this name")),
    }
}

/// How the script ended, with its last lines.
pub(super) fn replay_check(facts: &Facts<'_>) -> Check {
    let (code, signal) = match facts.execution.status {
        Status::Exited(code) => (Some(code), None),
        Status::Signaled(signal) => (None, Some(signal)),
        Status::TimedOut(_) | Status::DiskLimit => (None, None),
    };
    let mut evidence = vec![Evidence::Exit {
        command: "bash /build/recipe.sh".to_owned(),
        code,
        signal,
    }];
    if !facts.execution.succeeded()
        && let Some((line, text)) = last_line(facts)
    {
        evidence.push(Evidence::Log {
            log: facts.log,
            line,
            text,
        });
    }
    Check {
        name: "replay".to_owned(),
        answer: facts.execution.succeeded().into(),
        detail: how_it_ended(facts.execution),
        evidence,
    }
}

fn last_line(facts: &Facts<'_>) -> Option<(u64, String)> {
    let bytes = facts.blobs.read(&facts.log).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (index, line) = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .last()?;
    Some((index as u64 + 1, line.chars().take(400).collect()))
}

pub(super) fn how_it_ended(execution: &Execution) -> String {
    match execution.status {
        Status::Exited(0) => "the script ended well".to_owned(),
        Status::Exited(code) => format!("the script ended with code {code}"),
        Status::Signaled(signal) => format!("signal {signal} ended the script"),
        Status::TimedOut(TimeoutKind::Wall) => {
            format!("the script ran out of time after {} s", execution.wall.as_secs())
        }
        Status::TimedOut(TimeoutKind::Idle) => "the script fell silent for too long".to_owned(),
        Status::DiskLimit => "the script wrote more than a box may write".to_owned(),
    }
}

fn figures(facts: &Facts<'_>, counted: &[&Candidate], matched: usize, by_own_name: usize) -> BTreeMap<String, f64> {
    let kinds = |kind: Kind| counted.iter().filter(|candidate| candidate.kind == Some(kind)).count();
    let standing = |refused: bool| {
        facts
            .candidates
            .iter()
            .filter(|candidate| match candidate.standing {
                Standing::Refused(_) => refused,
                Standing::NotInspected => !refused,
                Standing::Counted(_) => false,
            })
            .count()
    };
    let debug = counted
        .iter()
        .filter(|candidate| matches!(&candidate.standing, Standing::Counted(proof) if proof.dwarf.is_some()))
        .count();
    let mut figures: BTreeMap<String, f64> = [
        ("expected", facts.truth.artifacts.iter().collect::<BTreeSet<_>>().len()),
        ("matched", matched),
        ("matched_by_own_name", by_own_name),
        ("artifacts", counted.len()),
        ("executables", kinds(Kind::Executable)),
        ("shared_objects", kinds(Kind::Shared)),
        ("archives", kinds(Kind::Archive)),
        ("objects", kinds(Kind::Object)),
        ("with_debug_information", debug),
        ("refused", standing(true)),
        ("not_inspected", standing(false)),
    ]
    .map(|(name, count)| (name.to_owned(), count as f64))
    .into();
    figures.extend(run_figures(facts.execution));
    figures
}

/// Time and memory of the replay.
pub(super) fn run_figures(execution: &Execution) -> [(String, f64); 3] {
    [
        ("wall_ms".to_owned(), execution.wall.as_millis() as f64),
        ("cpu_ms".to_owned(), execution.cpu.as_millis() as f64),
        ("peak_kib".to_owned(), execution.peak_kib as f64),
    ]
}

fn list(names: &[&str]) -> String {
    let shown = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
    if names.len() > 8 {
        format!("{shown} and {} more", names.len() - 8)
    } else {
        shown
    }
}
