//! Calibration of tasks whose reference is handed in as it is: it must pass, and submissions that earn nothing must not.

use seatrial_core::{Outcome, RepairTruth, SetupTruth, Submission, Task, Truth};

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

/// What a task is calibrated with.
struct Panel {
    /// What must not pass, by name.
    unearned: [(&'static str, Submission); 2],
    /// What must pass.
    gold: Option<Submission>,
    /// What the task is when there is no such thing.
    without: Calibration,
}

impl Calibrator<'_> {
    /// Calibrates a task of the repair suite: handing in nothing, and changing nothing that matters, must not pass.
    pub(crate) fn repair(
        &self,
        (task, truth): (&Task, &Truth),
        key: &RepairTruth,
        observer: &dyn Observer,
    ) -> Result<Calibration, TrialError> {
        let patch = |text: &str| Submission {
            patch: Some(text.to_owned()),
            ..Submission::default()
        };
        let panel = Panel {
            unearned: [("null", Submission::default()), ("idle", patch(IDLE))],
            gold: key.gold.as_deref().map(patch),
            without: Calibration::Quarantined(
                "nobody knows a repair of it, so nothing shows that it can be repaired".to_owned(),
            ),
        };
        self.panel((task, truth), panel, observer)
    }

    /// Calibrates a task of the setup suite: a script that does nothing, and one that only leaves, must not pass. A task
    /// without a reference stays unproved: nothing shows that it can be solved, and nothing that it cannot.
    pub(crate) fn setup(
        &self,
        (task, truth): (&Task, &Truth),
        key: &SetupTruth,
        observer: &dyn Observer,
    ) -> Result<Calibration, TrialError> {
        let script = |text: &str| Submission {
            script: Some(text.to_owned()),
            ..Submission::default()
        };
        let panel = Panel {
            unearned: [("null", script("true\n")), ("fake", script("exit 0\n"))],
            gold: key.gold.as_deref().map(script),
            without: Calibration::Unknown("nobody has written a script for it".to_owned()),
        };
        self.panel((task, truth), panel, observer)
    }

    fn panel(
        &self,
        (task, truth): (&Task, &Truth),
        panel: Panel,
        observer: &dyn Observer,
    ) -> Result<Calibration, TrialError> {
        for (name, submission) in panel.unearned {
            let result = self.given(&Given { name, submission }, task, truth, 1, observer)?;
            match result.outcome() {
                Outcome::Failed => {}
                Outcome::Passed => {
                    return Ok(Calibration::Quarantined(format!(
                        "the agent `{name}` passes it: {}",
                        reason(&result)
                    )));
                }
                Outcome::Invalid => return Ok(Calibration::Unknown(format!("{name}: {}", reason(&result)))),
            }
        }
        let Some(submission) = panel.gold else {
            return Ok(panel.without);
        };
        let gold = Given {
            name: "gold",
            submission,
        };
        for attempt in 1..=self.attempts {
            let result = self.given(&gold, task, truth, attempt, observer)?;
            match result.outcome() {
                Outcome::Passed => {}
                Outcome::Failed => {
                    return Ok(Calibration::Quarantined(format!(
                        "the reference fails: {}",
                        reason(&result)
                    )));
                }
                Outcome::Invalid => return Ok(Calibration::Unknown(format!("gold: {}", reason(&result)))),
            }
        }
        Ok(Calibration::Proved)
    }
}
