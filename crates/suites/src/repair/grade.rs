//! One grading: the patch on a fresh copy, rebuilt from clean on the target, and where the package always built.

use std::collections::BTreeMap;

use seatrial_core::{
    Answer, Arch, Check, Event, EventSink, Evidence, InvalidReason, Mark, Outcome, Profile, RepairGoal, Verdict,
};
use seatrial_packaging::Package;
use seatrial_rebuild::{Heard, Outcome as Rebuilt, RebuildRequest, Rebuilder, State};

use super::{flags, goal, package, published::published_verdict};
use crate::{GradeRequest, SuiteError};

/// Payloads that a check lists.
const LISTED: usize = 50;

/// Grades; a fault of the machinery becomes an invalid verdict of each profile.
pub(super) fn grade(request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Vec<Verdict> {
    try_grade(request, events).unwrap_or_else(|error| invalid(error.invalid_reason(), &error.to_string()))
}

fn invalid(kind: InvalidReason, reason: &str) -> Vec<Verdict> {
    [Profile::Strict, Profile::Paper]
        .map(|profile| Verdict::invalid(profile, kind, reason))
        .to_vec()
}

fn try_grade(request: &GradeRequest<'_>, events: &mut dyn EventSink) -> Result<Vec<Verdict>, SuiteError> {
    let goal = goal(request.task)?;
    let rebuilder = request.rebuilder.ok_or_else(|| SuiteError::Task {
        task: request.task.id.to_string(),
        problem: "nothing was given that rebuilds packages".to_owned(),
    })?;
    let pristine = package(request.task, request.source)?;
    let mut repaired = pristine.copy().map_err(seatrial_rebuild::RebuildError::from)?;
    let patch = request.submission.patch.as_deref().unwrap_or_default();
    if patch.trim().is_empty() {
        let note = request.submission.note.lines().next().unwrap_or_default().trim();
        let reason = if note.is_empty() {
            "nothing was handed in: the submission has no patch".to_owned()
        } else {
            format!("nothing was handed in: {note}")
        };
        return Ok(failed(&check("applies", Answer::NotAsked, &reason), &reason));
    }
    if let Err(error) = repaired.apply(patch) {
        let reason = format!("the patch does not apply: {error}");
        return Ok(failed(&check("applies", Answer::No, &reason), &reason));
    }
    let mut marks = flags::marks(patch);
    marks.extend(flags::ruled_out(&pristine.architectures(), &repaired.architectures()));
    let grading = Grading {
        request,
        goal,
        rebuilder,
        repaired: &repaired,
    };
    grading.judge(marks, events)
}

struct Grading<'a> {
    request: &'a GradeRequest<'a>,
    goal: &'a RepairGoal,
    rebuilder: &'a dyn Rebuilder,
    repaired: &'a Package,
}

impl Grading<'_> {
    fn judge(&self, mut marks: Vec<(Mark, String)>, events: &mut dyn EventSink) -> Result<Vec<Verdict>, SuiteError> {
        let target = self.rebuild(self.goal.target, events)?;
        if let State::Invalid(reason) = &target.state {
            return Ok(invalid(InvalidReason::Sandbox, reason));
        }
        let mut checks = vec![
            check("applies", Answer::Yes, "the patch applies to the package"),
            answer("repaired", &target),
        ];
        let mut figures = figures(&target);
        let built = target.state == State::Succeeded && target.proof;
        let (counts, answer_there) = published_verdict(self.repaired.name(), &target);
        let mut asked = checks.clone();
        let mut reason_there = reason(&target);
        if counts != built {
            // What is known of the rebuild stays as evidence; the published procedure's answer is the answer here.
            let as_published =
                format!("the published procedure reads `{answer_there}`, whatever happened: {reason_there}");
            if let Some(check) = asked.iter_mut().find(|check| check.name == "repaired") {
                check.answer = counts.into();
                check.detail.clone_from(&as_published);
            }
            reason_there = as_published;
        }
        let paper = Verdict {
            outcome: outcome(counts),
            profile: Profile::Paper,
            checks: asked,
            reason: reason_there,
            invalid: None,
            figures: figures.clone(),
            flags: Vec::new(),
        };
        let mut kept = true;
        let mut why = reason(&target);
        if let (true, Some(origin)) = (built, self.goal.works_on) {
            let there = self.rebuild(origin, events)?;
            if let State::Invalid(reason) = &there.state {
                return Ok(vec![
                    Verdict::invalid(Profile::Strict, InvalidReason::Sandbox, reason.clone()),
                    paper,
                ]);
            }
            checks.push(answer("kept", &there));
            kept = there.state == State::Succeeded;
            if kept {
                marks.extend(flags::missing(&target, &there));
            } else {
                why = format!(
                    "it builds on {} now, and on {origin} no longer: {}",
                    target.target,
                    reason(&there)
                );
            }
            figures.insert("kept_wall_ms".to_owned(), there.duration.as_millis() as f64);
        }
        let flags = flags::checks(marks);
        if built && kept && !flags.is_empty() {
            let names: Vec<_> = flags.iter().map(|flag| flag.name.as_str()).collect();
            why = format!("not earned: {}", names.join(", "));
        }
        let strict = Verdict {
            outcome: outcome(built && kept && flags.is_empty()),
            profile: Profile::Strict,
            checks,
            reason: why,
            invalid: None,
            figures,
            flags,
        };
        Ok(vec![strict, paper])
    }

    /// What is judged is what was handed in: the package as it is now.
    fn rebuild(&self, arch: Arch, events: &mut dyn EventSink) -> Result<Rebuilt, SuiteError> {
        events.emit(Event::Phase {
            name: format!("rebuild on {arch}"),
        })?;
        let request = RebuildRequest {
            limits: self.request.limits.clone(),
            stop: self.request.stopper.clone(),
            ..RebuildRequest::default()
        };
        let mut heard = |bytes: &[u8]| {
            if let Some(out) = self.request.output {
                out(bytes);
            }
        };
        let rebuilt = self
            .rebuilder
            .rebuild_opened(self.repaired, arch, &request, &mut Heard(&mut heard))?;
        let asked = self.repaired.digest().map_err(seatrial_rebuild::RebuildError::from)?;
        if rebuilt.source == asked {
            Ok(rebuilt)
        } else {
            Err(SuiteError::OtherSources {
                asked,
                told: rebuilt.source,
            })
        }
    }
}

fn outcome(yes: bool) -> Outcome {
    if yes { Outcome::Passed } else { Outcome::Failed }
}

fn reason(rebuilt: &Rebuilt) -> String {
    let emulated = if rebuilt.emulated { ", emulated" } else { "" };
    if rebuilt.state == State::Succeeded {
        format!("rebuilt from clean on {}{emulated}", rebuilt.target)
    } else {
        let details = rebuilt.details.lines().next().unwrap_or_default();
        format!("{} on {}{emulated}: {details}", rebuilt.state, rebuilt.target)
    }
}

fn check(name: &str, answer: Answer, detail: &str) -> Check {
    Check {
        name: name.to_owned(),
        answer,
        detail: detail.to_owned(),
        evidence: Vec::new(),
    }
}

/// Whether a rebuild succeeded, with what was built and the log of just this source.
fn answer(name: &str, rebuilt: &Rebuilt) -> Check {
    let mut evidence: Vec<Evidence> = rebuilt
        .payloads
        .iter()
        .take(LISTED)
        .map(|payload| Evidence::File {
            path: payload.path.clone(),
            digest: payload.digest,
            size: payload.size,
            what: payload.to_string(),
        })
        .collect();
    evidence.push(Evidence::Note {
        text: format!("the source package {}, built by {}", rebuilt.source, rebuilt.builder),
    });
    if let Some(log) = rebuilt.log {
        evidence.push(Evidence::Log {
            log,
            line: 1,
            text: rebuilt.details.lines().next().unwrap_or_default().to_owned(),
        });
    }
    if let Some(emulator) = &rebuilt.emulator {
        evidence.push(Evidence::Note {
            text: format!("emulated by {emulator}"),
        });
    }
    Check {
        name: name.to_owned(),
        answer: (rebuilt.state == State::Succeeded && rebuilt.proof).into(),
        detail: reason(rebuilt),
        evidence,
    }
}

fn figures(rebuilt: &Rebuilt) -> BTreeMap<String, f64> {
    let cpu: u64 = rebuilt.spent.iter().map(|spent| spent.cpu_ms).sum();
    BTreeMap::from([
        ("wall_ms".to_owned(), rebuilt.duration.as_millis() as f64),
        ("cpu_ms".to_owned(), cpu as f64),
        ("emulated".to_owned(), if rebuilt.emulated { 1.0 } else { 0.0 }),
        ("payloads".to_owned(), rebuilt.payloads.len() as f64),
    ])
}

fn failed(check: &Check, reason: &str) -> Vec<Verdict> {
    [Profile::Strict, Profile::Paper]
        .map(|profile| Verdict {
            outcome: Outcome::Failed,
            profile,
            checks: vec![check.clone()],
            reason: reason.to_owned(),
            invalid: None,
            figures: BTreeMap::new(),
            flags: Vec::new(),
        })
        .to_vec()
}
