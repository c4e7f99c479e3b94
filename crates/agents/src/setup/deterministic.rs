//! The published decision procedures: one look at the repository's root, one script. They filtered the published benchmark:
//! a repository is in it when they fail on it.
//!
//! Source: arXiv 2503.14443, section 3, and the documentation of the scripts of its repository.

use seatrial_core::{Event, Language, Submission};

use super::{jvm, python};
use crate::{Agent, AgentError, SolveContext, survey::Survey};

/// Which form of the procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Procedure {
    /// As it was published, faults included.
    Published,
    /// With its faults mended: the same decisions, in commands that work.
    Mended,
}

/// The agents `deterministic` and `deterministic-mended`.
pub(crate) struct Deterministic(pub(crate) Procedure);

impl Agent for Deterministic {
    fn name(&self) -> &'static str {
        match self.0 {
            Procedure::Published => "deterministic",
            Procedure::Mended => "deterministic-mended",
        }
    }

    fn about(&self) -> &'static str {
        match self.0 {
            Procedure::Published => {
                "baseline of setups: the published script, which takes the first file that it knows"
            }
            Procedure::Mended => "the same decisions without the published script's faults",
        }
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let Some(goal) = context.task.goal.setup() else {
            return Ok(Submission {
                note: format!(
                    "the agent `{}` sets up environments, and nothing else is asked for here",
                    self.name()
                ),
                ..Submission::default()
            });
        };
        let survey = Survey::of(context.tree);
        let read = |name: &str| {
            let path = context.tree.join(name);
            fs_err::read(path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let (what, script) = match goal.language {
            Language::Python => {
                let decision = python::Decision::of(|name| survey.has(name), || root_files(&survey), &read);
                (decision.to_string(), decision.script(self.0))
            }
            Language::Jvm => {
                let decision = jvm::Decision::of(|name| survey.has(name), &read, self.0);
                (decision.to_string(), decision.script(self.0))
            }
        };
        context.events.emit(Event::Decision {
            what: what.clone(),
            why: "the first file of the procedure's list that is in the root".to_owned(),
        })?;
        Ok(Submission {
            script: Some(script),
            note: what,
            ..Submission::default()
        })
    }
}

fn root_files(survey: &Survey) -> Vec<String> {
    survey
        .files()
        .filter(|path| !path.contains('/'))
        .map(str::to_owned)
        .collect()
}
