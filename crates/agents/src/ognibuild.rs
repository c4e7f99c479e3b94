//! `ognibuild`, a program of others that detects build systems and installs what is missing, run in the box as it is.
//!
//! It is a program beside ours: it is given to the agent, put into the box, run there and listened to; nothing of it is part
//! of this one. What it notes about its commands becomes the script, which then runs in a fresh box without it.

mod log;

use std::time::Instant;

use seatrial_core::{BOX_SOURCE, Event, Purpose, Recipe, Step, Submission};

use crate::{
    Agent, AgentError, SolveContext,
    steps::{Heard, Ran, hand_in, install, limit, no_way, run_heard},
};

/// Where the program lies in the box; `/build` is no place for it, because what appears there counts as made.
const PROGRAM: &str = "/opt/ognibuild/ogni";

/// Where the names of the packages that it needs are noted.
const NEEDS: &str = "/opt/ognibuild/needs";

/// Where modules of Python lie that it needs and that the release does not have.
const MODULES: &str = "/opt/ognibuild/python";

/// Makes the box one in which it runs.
const PREPARE: &str = include_str!("data/ognibuild-needs.sh");

/// The agent `ognibuild`, with the program it runs.
#[derive(Debug, Clone, Default)]
pub struct Ognibuild {
    program: Option<Vec<u8>>,
}

impl Ognibuild {
    /// Its name among agents.
    pub const NAME: &'static str = "ognibuild";

    /// The name of its program.
    pub const PROGRAM: &'static str = "ogni";

    /// The agent with the bytes of the program `ogni`, made for machines like the box; without them it says that they are missing.
    pub fn of(program: Option<Vec<u8>>) -> Self {
        Self { program }
    }
}

impl Agent for Ognibuild {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "baseline: the program `ogni`, named by `--program` or on the search path, run in the box and replayed without it"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let program = self.program.as_deref().ok_or(AgentError::Missing {
            agent: Self::NAME,
            what: "its program `ogni`",
        })?;
        let needs = prepare(context, program)?;
        let before = context.sandbox.snapshot()?;
        context.events.emit(Event::Phase {
            name: "build".to_owned(),
        })?;
        let command = format!("{PROGRAM} --debug -d {BOX_SOURCE} -i apt build");
        let script = format!("set -eu\n{}PYTHONPATH={MODULES} {command}\n", Recipe::preamble());
        // One command that does the work of many has all the time there is.
        let time = context
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
            .or_else(|| limit(context));
        let mut heard = Heard::default();
        let ran = Ran {
            purpose: "build",
            script: &script,
            shown: &command,
            time,
        };
        let end = run_heard(context, &ran, &mut heard)?.err();
        let steps = log::steps(&heard.text());
        if steps.is_empty() {
            return no_way(context, "the program ran no command");
        }
        let end = match end {
            None => "the program ended well".to_owned(),
            Some(how) => format!("the program {how}"),
        };
        let all = std::iter::once(stand_in(&needs)).chain(steps).collect::<Vec<Step>>();
        let plan = format!("what the program ran, in {} commands", all.len() - 1);
        context.events.emit(Event::Decision {
            what: plan.clone(),
            why: end.clone(),
        })?;
        hand_in(context, before, &plan, &end, all)
    }
}

/// A build may find what the program needs, so the fresh box has it too.
fn stand_in(needs: &[String]) -> Step {
    let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
    install("stands for the box that the program ran in", &needs)
}

/// Puts the program into the box; the packages that this took.
fn prepare(context: &mut SolveContext<'_>, program: &[u8]) -> Result<Vec<String>, AgentError> {
    context.events.emit(Event::Phase {
        name: Purpose::Dependencies.as_str().to_owned(),
    })?;
    context.sandbox.write_file(PROGRAM, program, 0o755)?;
    let script = format!(
        "set -eu\n{}PROGRAM={PROGRAM} NEEDS={NEEDS} MODULES={MODULES}\n{PREPARE}",
        Recipe::preamble()
    );
    let time = limit(context);
    let ran = Ran {
        purpose: Purpose::Dependencies.as_str(),
        script: &script,
        shown: "what the program needs",
        time,
    };
    let mut heard = Heard::default();
    if let Err(how) = run_heard(context, &ran, &mut heard)? {
        let text = heard.text();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("");
        return Err(AgentError::Program {
            agent: Ognibuild::NAME,
            why: format!("{how}: {last}"),
        });
    }
    let needs = context.sandbox.read_file(NEEDS, 64 << 10)?.bytes;
    Ok(String::from_utf8_lossy(&needs)
        .split_whitespace()
        .map(str::to_owned)
        .collect())
}
