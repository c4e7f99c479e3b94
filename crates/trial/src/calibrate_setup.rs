//! Calibration of setups: the reference script must pass; a script that does nothing, and one that only leaves, must not.

use seatrial_core::{Outcome, Submission, Task, Truth};

use crate::{
    Calibration, Calibrator, Observer, TrialError,
    calibrate::{Given, reason},
};

impl Calibrator<'_> {
    /// Calibrates a task of the setup suite. One without a reference script stays unproved: nothing shows that it can be
    /// solved, and nothing that it cannot.
    pub(crate) fn setup(
        &self,
        task: &Task,
        truth: &Truth,
        gold: Option<&str>,
        observer: &dyn Observer,
    ) -> Result<Calibration, TrialError> {
        let given = |name: &'static str, script: &str| Given {
            name,
            submission: Submission {
                script: Some(script.to_owned()),
                ..Submission::default()
            },
        };
        for agent in [given("null", "true\n"), given("fake", "exit 0\n")] {
            let result = self.given(&agent, task, truth, 1, observer)?;
            match result.outcome() {
                Outcome::Failed => {}
                Outcome::Passed => {
                    return Ok(Calibration::Quarantined(format!(
                        "the agent `{}` passes it: {}",
                        agent.name,
                        reason(&result)
                    )));
                }
                Outcome::Invalid => return Ok(Calibration::Unknown(format!("{}: {}", agent.name, reason(&result)))),
            }
        }
        let Some(gold) = gold else {
            return Ok(Calibration::Unknown("nobody has written a script for it".to_owned()));
        };
        for attempt in 1..=self.attempts {
            let result = self.given(&given("gold", gold), task, truth, attempt, observer)?;
            match result.outcome() {
                Outcome::Passed => {}
                Outcome::Failed => {
                    return Ok(Calibration::Quarantined(format!(
                        "the reference script fails: {}",
                        reason(&result)
                    )));
                }
                Outcome::Invalid => return Ok(Calibration::Unknown(format!("gold: {}", reason(&result)))),
            }
        }
        Ok(Calibration::Proved)
    }
}
