//! Calibration of repairs: the reference repair must pass; handing in nothing, and changing nothing that matters, must not.

use seatrial_core::{Outcome, Submission, Task, Truth};

use crate::{
    Calibration, Calibrator, Observer, TrialError,
    calibrate::{Given, reason},
};

/// A patch that changes nothing a build could see: what is rebuilt with it is the package as it came.
const IDLE: &str = "diff --git a/debian/calibration.txt b/debian/calibration.txt
new file mode 100644
--- /dev/null
+++ b/debian/calibration.txt
@@ -0,0 +1 @@
+Nothing was changed.
";

impl Calibrator<'_> {
    /// Calibrates a task of the repair suite.
    pub(crate) fn repair(
        &self,
        task: &Task,
        truth: &Truth,
        gold: Option<&str>,
        observer: &dyn Observer,
    ) -> Result<Calibration, TrialError> {
        let given = |name: &'static str, patch: Option<&str>| Given {
            name,
            submission: Submission {
                patch: patch.map(str::to_owned),
                ..Submission::default()
            },
        };
        for agent in [given("null", None), given("idle", Some(IDLE))] {
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
            return Ok(Calibration::Quarantined(
                "nobody knows a repair of it, so nothing shows that it can be repaired".to_owned(),
            ));
        };
        for attempt in 1..=self.attempts {
            let result = self.given(&given("gold", Some(gold)), task, truth, attempt, observer)?;
            match result.outcome() {
                Outcome::Passed => {}
                Outcome::Failed => {
                    return Ok(Calibration::Quarantined(format!(
                        "the reference repair fails: {}",
                        reason(&result)
                    )));
                }
                Outcome::Invalid => return Ok(Calibration::Unknown(format!("gold: {}", reason(&result)))),
            }
        }
        Ok(Calibration::Proved)
    }
}
