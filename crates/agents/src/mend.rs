//! Repairs by rule: what porters know, tried one at a time, and kept only where a rebuild moves forward.

use std::{collections::BTreeSet, time::Instant};

use seatrial_core::{Arch, Digest, Event, RepairGoal, Submission};
use seatrial_diagnosis::{Diagnosis, Problem, diagnose};
use seatrial_packaging::Package;
use seatrial_porting::{Failure, Repair, candidates};
use seatrial_rebuild::{BUILD_BEGINS, Heard, Outcome, RebuildRequest, Rebuilder, State};

use crate::{AgentError, SolveContext};

/// What is decided, in just these words, about a package that needs no repair.
pub const BUILDS_AS_IT_IS: &str = "it builds as it is";

/// Rebuilds of one task. Each costs minutes where it is emulated.
const MOST_REBUILDS: usize = 12;
/// Repairs that may stand on each other.
const MOST_KEPT: usize = 5;
/// Lines by which a cause may stand earlier in the next build and still be a later one: what is printed before it differs.
const SLACK: u64 = 10;

/// Repairs the package of a task.
pub(crate) fn mend(goal: &RepairGoal, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
    let rebuilder = context.rebuilder.ok_or(AgentError::Missing {
        agent: "rules",
        what: "something that rebuilds packages",
    })?;
    let pristine = Package::open(context.tree)?;
    let mut package = pristine.copy()?;
    let working_log = goal.working_log.map(|log| context.blobs.read(&log)).transpose()?;
    let mut work = Work {
        goal,
        rebuilder,
        context,
        rebuilds: 0,
        tried: BTreeSet::new(),
        kept: Vec::new(),
        told: Vec::new(),
    };
    let mut now = work.rebuild(&package, goal.target)?;
    if let State::Invalid(why) = &now.outcome.state {
        // Without this rebuild nobody knows what there is to repair.
        return Err(AgentError::NothingKnown(why.clone()));
    }
    if now.is_done() {
        work.decide(BUILDS_AS_IT_IS, &now.reason())?;
    }
    while !now.is_done() && work.kept.len() < MOST_KEPT {
        let Some((better, outcome)) = work.step(&package, &now, working_log.as_deref())? else {
            break;
        };
        (package, now) = (better, outcome);
    }
    let patch = package.diff_from(&pristine)?;
    let note = work.note(&now);
    Ok(Submission {
        // What did not get it to build is of no use to anybody.
        patch: (now.is_done() && !patch.is_empty()).then_some(patch),
        note,
        ..Submission::default()
    })
}

/// A rebuild and what its log says.
struct Rebuilt {
    outcome: Outcome,
    log: Vec<u8>,
    diagnosis: Diagnosis,
}

impl Rebuilt {
    fn is_done(&self) -> bool {
        self.outcome.state == State::Succeeded && self.outcome.proof
    }

    /// How far it got; `None` where that says nothing of the package.
    fn rank(&self) -> Option<u8> {
        match self.outcome.state {
            State::Broken => Some(0),
            State::Excluded => Some(1),
            State::Unresolvable => Some(2),
            State::Failed => Some(3),
            State::Succeeded => Some(4),
            State::Timeout | State::Invalid(_) => None,
        }
    }

    /// Whether it got further than another one.
    fn is_further_than(&self, other: &Self) -> bool {
        let (Some(here), Some(there)) = (self.rank(), other.rank()) else {
            return false;
        };
        if here != there {
            return here > there;
        }
        match (&self.diagnosis.cause, &other.diagnosis.cause) {
            (Some(here), Some(there)) => {
                let is_other = |here: &Problem, there: &Problem| {
                    (here.kind, &here.subject, &here.text) != (there.kind, &there.subject, &there.text)
                };
                let (since_here, since_there) = (
                    here.line - self.begin().min(here.line),
                    there.line - other.begin().min(there.line),
                );
                is_other(here, there) && since_here + SLACK >= since_there
            }
            _ => false,
        }
    }

    /// The line of the log at which the build begins: before it dependencies are installed, or were there already.
    fn begin(&self) -> u64 {
        let mark = BUILD_BEGINS.as_bytes();
        let lines = self.log.split(|byte| *byte == b'\n');
        (1..)
            .zip(lines)
            .find(|(_, line)| *line == mark)
            .map_or(0, |(number, _)| number)
    }

    fn reason(&self) -> String {
        match &self.diagnosis.cause {
            Some(cause) if self.outcome.state == State::Failed => cause.text.trim().to_owned(),
            _ => self.outcome.details.lines().next().unwrap_or_default().to_owned(),
        }
    }
}

struct Work<'w, 'c> {
    goal: &'w RepairGoal,
    rebuilder: &'w dyn Rebuilder,
    context: &'w mut SolveContext<'c>,
    rebuilds: usize,
    tried: BTreeSet<(Digest, Digest)>,
    kept: Vec<Repair>,
    told: Vec<String>,
}

impl Work<'_, '_> {
    /// The package after the first candidate that moves it forward.
    fn step(
        &mut self,
        package: &Package,
        now: &Rebuilt,
        working_log: Option<&[u8]>,
    ) -> Result<Option<(Package, Rebuilt)>, AgentError> {
        if now.rank().is_none() {
            return Ok(None);
        }
        let mut found = candidates(&Failure {
            package,
            target: self.goal.target,
            works_on: self.goal.works_on,
            log: &now.log,
            diagnosis: &now.diagnosis,
            working_log,
            state: &now.outcome.state,
            missing: &now.outcome.missing,
            resolver: self.context.resolver,
        });
        // What gives nothing up comes first, whatever else is likely.
        found.sort_by_key(|repair| !repair.is_clean());
        for repair in found {
            if self.is_spent() {
                return Ok(None);
            }
            let mut better = package.copy()?;
            if !self
                .tried
                .insert((package.digest()?, Digest::of(repair.diff().as_bytes())))
            {
                continue;
            }
            self.decide(&format!("try: {}", repair.title), &repair.why)?;
            if let Err(error) = repair.apply(&mut better) {
                self.decide("leave it", &error.to_string())?;
                continue;
            }
            let mut outcome = self.rebuild(&better, self.goal.target)?;
            if outcome.is_done()
                && let Some(origin) = self.goal.works_on
            {
                let there = self.rebuild(&better, origin)?;
                if !there.is_done() {
                    let why = format!("it no longer builds on {origin}: {}", there.reason());
                    self.decide("take it back", &why)?;
                    continue;
                }
            }
            if outcome.is_done() || outcome.is_further_than(now) {
                self.decide("keep it", &outcome.reason())?;
                self.kept.push(repair);
                outcome.log.shrink_to_fit();
                return Ok(Some((better, outcome)));
            }
            self.decide("take it back", &outcome.reason())?;
        }
        Ok(None)
    }

    fn is_spent(&self) -> bool {
        self.rebuilds >= MOST_REBUILDS || self.context.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn decide(&mut self, what: &str, why: &str) -> Result<(), AgentError> {
        self.told.push(format!("{what} ({})", why.replace('\n', "; ")));
        self.context.events.emit(Event::Decision {
            what: what.to_owned(),
            why: why.to_owned(),
        })?;
        Ok(())
    }

    fn rebuild(&mut self, package: &Package, arch: Arch) -> Result<Rebuilt, AgentError> {
        self.rebuilds += 1;
        self.context.events.emit(Event::Phase {
            name: format!("rebuild on {arch}"),
        })?;
        let request = RebuildRequest {
            stop: Some(self.context.sandbox.stopper()),
            ..RebuildRequest::default()
        };
        let mut heard = Heard(&mut *self.context.output);
        let outcome = self.rebuilder.rebuild_opened(package, arch, &request, &mut heard)?;
        let log = outcome
            .log
            .map(|log| self.context.blobs.read(&log))
            .transpose()?
            .unwrap_or_default();
        self.context.events.emit(Event::Note {
            text: format!(
                "{} on {arch}: {}",
                outcome.state,
                outcome.details.lines().next().unwrap_or_default()
            ),
        })?;
        let diagnosis = diagnose(&log);
        Ok(Rebuilt {
            outcome,
            log,
            diagnosis,
        })
    }

    fn note(&self, now: &Rebuilt) -> String {
        let mut lines = Vec::new();
        if now.is_done() && self.kept.is_empty() {
            lines.push(format!("{BUILDS_AS_IT_IS} on {}", self.goal.target));
        } else if now.is_done() {
            lines.push(format!("builds on {} with:", self.goal.target));
        } else {
            lines.push(format!(
                "{} on {}: {}",
                now.outcome.state,
                self.goal.target,
                now.reason()
            ));
        }
        for repair in &self.kept {
            let marks: Vec<_> = repair.marks.iter().map(|mark| mark.as_str()).collect();
            let marks = if marks.is_empty() {
                String::new()
            } else {
                format!(" [{}]", marks.join(", "))
            };
            // One line each: the line of the log, and what it means.
            lines.push(format!("- {}{marks}: {}", repair.title, repair.why.replace('\n', "; ")));
        }
        if !now.is_done() && !self.told.is_empty() {
            lines.push("tried:".to_owned());
            lines.extend(self.told.iter().map(|line| format!("- {line}")));
        }
        lines.join("\n")
    }
}
