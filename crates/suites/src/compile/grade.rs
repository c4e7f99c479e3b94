//! One grading, from the request to the verdicts of both profiles.

use std::collections::HashSet;

use seatrial_core::{CompileTruth, Digest, Event, EventSink, Outcome, Profile, RelaxationClass, Verdict};
use seatrial_sandbox::{Change, ChangeKind, Network, Status};

use super::{
    collect::collect,
    hacks,
    judge::{self, Facts},
    kinds::base_name,
    mirror, paper,
    pinned::{is_source, retention},
    replay::{REPLACED, Replay, below_source, packages, replay},
};
use crate::{GradeRequest, SuiteError, running::read_if_there};

/// Grades; a fault of the machinery becomes an invalid verdict of each profile.
pub(super) fn grade(request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict> {
    try_grade(request, events).unwrap_or_else(|error| {
        [Profile::Strict, Profile::Paper]
            .map(|profile| Verdict::invalid(profile, error.invalid_reason(), error.to_string()))
            .to_vec()
    })
}

fn try_grade(request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Result<Vec<Verdict>, SuiteError> {
    let first = replay_and_judge(request, &request.network, events)?;
    let passed = first.verdicts.iter().any(|verdict| verdict.outcome == Outcome::Passed);
    let complaint = first.log.filter(|_| !passed);
    let Some(complaint) = complaint.and_then(|log| mirror::complaint(request.blobs, &log)) else {
        return Ok(first.verdicts);
    };
    mirror::ask(request, &complaint)?;
    events.emit(Event::Note {
        text: format!("replayed once more, because the mirror could not be reached and can be now: {complaint}"),
    })?;
    // What the mirror did not give then is fetched now; the verdict is of a replay that has it in the record.
    replay_and_judge(request, &request.live, events)?;
    Ok(replay_and_judge(request, &request.network, events)?.verdicts)
}

/// What one replay came to.
struct Judged {
    verdicts: Vec<Verdict>,
    /// The script's output, when it ran.
    log: Option<Digest>,
}

fn replay_and_judge(
    request: &GradeRequest<'_>,
    network: &Network,
    events: &mut dyn EventSink,
) -> Result<Judged, SuiteError> {
    let Some(truth) = request.truth.body.compile() else {
        return Err(SuiteError::Task {
            task: request.task.id.to_string(),
            problem: "its truth is of another suite".to_owned(),
        });
    };
    if request.truth.task != request.task.id {
        return Err(SuiteError::Task {
            task: request.task.id.to_string(),
            problem: format!("its truth belongs to the task {}", request.truth.task),
        });
    }
    let no_script = |reason: &str| Judged {
        verdicts: refused(truth.artifacts.len(), reason),
        log: None,
    };
    let Some(script) = request
        .submission
        .script
        .as_deref()
        .filter(|script| !script.trim().is_empty())
    else {
        let note = request.submission.note.trim();
        let reason = if note.is_empty() {
            "nothing was handed in: the submission has no script".to_owned()
        } else {
            format!("nothing was handed in: {}", note.lines().next().unwrap_or_default())
        };
        return Ok(no_script(&reason));
    };
    events.emit(Event::Phase {
        name: "replay".to_owned(),
    })?;
    let mut replay = match replay(request, script, network, events)? {
        Ok(replay) => replay,
        Err(refusal) => return Ok(no_script(&refusal.reason)),
    };
    events.emit(Event::Phase {
        name: "inspect".to_owned(),
    })?;
    let log = Some(replay.log);
    if replay.execution.status == Status::DiskLimit {
        // There is no room left for a look at what it made.
        return Ok(Judged {
            verdicts: refused(truth.artifacts.len(), &judge::how_it_ended(&replay.execution)),
            log,
        });
    }
    let verdicts = match inspect(request, script, truth, &mut replay) {
        // The same programs worked before the script ran, so this is its doing; no script may make itself `invalid`.
        Err(SuiteError::Helper {
            what, by_content: true, ..
        }) => refused(
            truth.artifacts.len(),
            &format!("the script left a box that cannot be looked at: {what} failed"),
        ),
        other => other?,
    };
    Ok(Judged { verdicts, log })
}

/// Looks at what the script made.
fn inspect(
    request: &GradeRequest<'_>,
    script: &str,
    truth: &CompileTruth,
    replay: &mut Replay,
) -> Result<Vec<Verdict>, SuiteError> {
    let changes = replay.sandbox.changes(&replay.pristine)?;
    let expected: HashSet<&str> = truth.artifacts.iter().flat_map(|name| truth.names(name)).collect();
    let arch = request.task.platform.arch;
    let candidates = collect(replay, &changes, &expected, arch)?;
    let mut flags = hacks::scan_script(script, request.task);
    if request.forbid.contains(&RelaxationClass::Deceives) {
        flags.extend(hacks::scan_deceit(script));
    }
    flags.extend(hacks::scan_commands(request.commands));
    flags.extend(hacks::scan_packages(
        &replay.packages_before,
        &packages(replay.sandbox.as_mut())?,
        &request.task.blocked_sources,
    ));
    let mut replaced = replay.replaced.clone();
    replaced.extend(replaced_sources(replay, &changes)?);
    flags.extend(hacks::replaced(&replaced));
    flags.extend(hacks::tools(&changes));
    let facts = Facts {
        truth,
        arch,
        candidates: &candidates,
        execution: &replay.execution,
        log: replay.log,
        blobs: request.blobs,
    };
    Ok(vec![
        judge::strict(&facts, flags),
        paper::judge(&facts, &replay.tree, &changes),
    ])
}

/// The verdicts on a submission that could not even be replayed.
fn refused(expected: usize, reason: &str) -> Vec<Verdict> {
    [Profile::Strict, Profile::Paper]
        .map(|profile| Verdict {
            outcome: Outcome::Failed,
            profile,
            checks: judge::all_no(expected, reason),
            reason: reason.to_owned(),
            invalid: None,
            figures: [("expected".to_owned(), expected as f64), ("matched".to_owned(), 0.0)].into(),
            flags: Vec::new(),
        })
        .to_vec()
}

/// Pinned sources that the script wrote anew under their old names. What a generator writes anew is none of them.
fn replaced_sources(replay: &mut Replay, changes: &[Change]) -> Result<Vec<String>, SuiteError> {
    let mut replaced = Vec::new();
    for change in changes {
        let ChangeKind::File { digest, .. } = &change.kind else {
            continue;
        };
        let Some(path) = below_source(&change.path) else {
            continue;
        };
        if !is_source(&path) || replay.tree.digest(&path).is_none() || replay.tree.has_content(digest) {
            continue;
        }
        let old = replay.tree.content(&path);
        if is_generated(&path, &old, &replay.tree) {
            continue;
        }
        let Some(new) = read_if_there(replay.sandbox.as_mut(), &change.path, 8 << 20)? else {
            continue;
        };
        if retention(&old, &new) < REPLACED {
            replaced.push(path);
        }
    }
    Ok(replaced)
}

fn is_generated(path: &str, content: &[u8], tree: &super::pinned::PinnedTree) -> bool {
    let head = String::from_utf8_lossy(content.get(..2048).unwrap_or(content)).to_ascii_lowercase();
    if ["generated", "made by", "do not edit", "produced by"]
        .iter()
        .any(|mark| head.contains(mark))
    {
        return true;
    }
    let stem = base_name(path).split('.').next().unwrap_or_default();
    let stem = stem.strip_suffix("_tab").unwrap_or(stem);
    ["y", "yy", "l", "ll", "rl", "re", "gperf", "vala"]
        .iter()
        .any(|end| !tree.named(&format!("{stem}.{end}")).is_empty())
}
