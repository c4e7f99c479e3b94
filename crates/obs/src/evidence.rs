//! Whether a settled state is of the revision that was committed.
//!
//! A build leaves a log, and a log names its sources. A state without a build leaves nothing: then the scheduler must have
//! looked at the package after the commit, and nobody else may have committed.

use std::time::Duration;

use crate::{
    Client, Log, ObsError, Observation, Pace, Target,
    log::LogLimits,
    wait::{Proof, Wanted},
};

/// What was seen on the way to a settled state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Passage {
    /// The state was dirty or on its way after the commit.
    pub(crate) moved: bool,
    /// How long it has stood there unchanged.
    pub(crate) quiet: Duration,
}

/// What is known of a settled state.
#[derive(Debug)]
pub(crate) enum Judged {
    Proven(Proof, Option<Log>),
    /// It is of these sources, or of sources that are not told.
    Other(Option<String>),
    /// Nothing shows that it was decided after the commit.
    NotYet,
}

impl Client {
    pub(crate) fn judge(
        &self,
        target: &Target,
        wanted: &Wanted,
        seen: &Observation,
        passage: Passage,
        limits: LogLimits,
    ) -> Result<Judged, ObsError> {
        if seen.code.has_log() {
            self.judge_build(target, wanted, limits)
        } else if was_checked(wanted, seen, passage, self.pace()) {
            Ok(Judged::Proven(Proof::Checked, None))
        } else if passage.quiet >= self.pace().settle {
            Ok(Judged::Proven(Proof::Quiet, None))
        } else {
            Ok(Judged::NotYet)
        }
    }

    fn judge_build(&self, target: &Target, wanted: &Wanted, limits: LogLimits) -> Result<Judged, ObsError> {
        if let Some(trigger) = &wanted.after
            && self.jobs(target, 1)?.pop() == trigger.last
        {
            return Ok(Judged::NotYet);
        }
        let log = self.log(target, limits)?;
        if let Some(found) = log.as_ref().and_then(|log| log.srcmd5.clone()) {
            return Ok(if found == wanted.srcmd5 {
                Judged::Proven(Proof::Log, log)
            } else {
                Judged::Other(Some(found))
            });
        }
        // A log that was cut, or thrown away: the service's own list of builds says it too.
        let last = match self.jobs(target, 1) {
            Ok(mut jobs) => jobs.pop().map(|job| job.srcmd5),
            Err(ObsError::Missing { .. } | ObsError::Refused { .. }) => {
                self.builds(target, 1)?.pop().map(|build| build.srcmd5)
            }
            Err(error) => return Err(error),
        };
        Ok(match last {
            Some(found) if found == wanted.srcmd5 => Judged::Proven(Proof::History, log),
            found => Judged::Other(found),
        })
    }
}

/// Whether the scheduler looked at the package after what was asked for. It may have been in the middle of a look that began
/// before, so that its first word after the commit can still be the old one: it has to stand for a while.
fn was_checked(wanted: &Wanted, seen: &Observation, passage: Passage, pace: &Pace) -> bool {
    match (seen.checked, &wanted.after) {
        (Some(checked), None) => checked >= wanted.time && passage.quiet >= pace.quiet,
        (Some(checked), Some(trigger)) => {
            (passage.moved || trigger.checked != Some(checked)) && passage.quiet >= pace.quiet
        }
        (None, _) => passage.moved && passage.quiet >= pace.quiet * 4,
    }
}
