//! Does nothing: calibration's lower bound.

use seatrial_core::Submission;

use crate::{Agent, AgentError, SolveContext};

pub(crate) struct Null;

impl Agent for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn about(&self) -> &'static str {
        "does nothing; a task that it passes is broken"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, _: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        Ok(Submission {
            script: Some("true\n".to_owned()),
            note: "nothing was done".to_owned(),
            ..Submission::default()
        })
    }
}
