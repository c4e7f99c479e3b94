//! Our own agent without a model: detect, plan, build, diagnose, repair.

use seatrial_builder::{BuildReport, BuildRequest, Policy, Watcher};
use seatrial_core::{CommandRecord, Event, EventSink, Goal, SinkError, Submission};

use crate::{Agent, AgentError, SolveContext, mend::mend};

/// The agent `rules`, under a policy.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What its builds may do.
    pub policy: Policy,
}

impl Agent for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn about(&self) -> &'static str {
        "detects the build system, installs what the log names, repairs by rule; no model"
    }

    fn needs_resolver(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        if let Goal::Repair(goal) = &context.task.goal {
            return mend(goal, context);
        }
        let report = build_by_rule(context, self.name(), &self.policy)?;
        Ok(Submission {
            script: report.recipe.as_ref().map(seatrial_core::Recipe::to_script),
            recipe: report.recipe,
            note: report.explanation,
            ..Submission::default()
        })
    }
}

/// Builds by rule, in the context's box and within its deadline.
pub(crate) fn build_by_rule(
    context: &mut SolveContext<'_>,
    agent: &'static str,
    policy: &Policy,
) -> Result<BuildReport, AgentError> {
    let resolver = context.resolver.ok_or(AgentError::Missing {
        agent,
        what: "the package index",
    })?;
    let mut policy = policy.clone();
    policy.forbid.extend(context.forbid);
    let request = BuildRequest {
        tree: context.tree,
        title: context.task.source.to_string(),
        platform: context.task.platform.clone(),
        base_packages: context.base_packages.to_vec(),
        command_timeout: context.task.budget.command_seconds.map(std::time::Duration::from_secs),
        deadline: context.deadline,
        policy,
    };
    let mut watcher = JournalWatcher {
        events: context.events,
        output: context.output,
        broken: None,
    };
    let report = seatrial_builder::build(&request, context.sandbox, resolver, context.blobs, &mut watcher)?;
    match watcher.broken {
        Some(error) => Err(error.into()),
        None => Ok(report),
    }
}

/// Writes what the builder does into the journal. A journal that cannot be written ends the trial, at the next chance.
struct JournalWatcher<'a> {
    events: &'a mut dyn EventSink,
    output: &'a mut dyn FnMut(&[u8]),
    broken: Option<SinkError>,
}

impl JournalWatcher<'_> {
    fn emit(&mut self, event: Event) {
        if self.broken.is_none()
            && let Err(error) = self.events.emit(event)
        {
            self.broken = Some(error);
        }
    }
}

impl Watcher for JournalWatcher<'_> {
    fn phase(&mut self, name: &str) {
        self.emit(Event::Phase { name: name.to_owned() });
    }

    fn decision(&mut self, what: &str, why: &str) {
        self.emit(Event::Decision {
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }

    fn command(&mut self, record: CommandRecord) {
        self.emit(Event::Command(record));
    }

    fn output(&mut self, bytes: &[u8]) {
        (self.output)(bytes);
    }
}
