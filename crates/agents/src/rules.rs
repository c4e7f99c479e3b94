//! Our own agent without a model: detect, plan, build, diagnose, repair.

use std::sync::LazyLock;

use seatrial_builder::{BuildRequest, Policy, Watcher};
use seatrial_core::{CommandRecord, Event, EventSink, SinkError, Submission};

use crate::{Agent, AgentError, SolveContext};

/// The agent `rules`, under a policy.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What its builds may do.
    pub policy: Policy,
}

pub(crate) static USUAL: LazyLock<Rules> = LazyLock::new(Rules::default);

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
        let resolver = context.resolver.ok_or(AgentError::Missing {
            agent: self.name(),
            what: "the package index",
        })?;
        let mut policy = self.policy.clone();
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
        if let Some(error) = watcher.broken {
            return Err(error.into());
        }
        Ok(Submission {
            script: report.recipe.as_ref().map(seatrial_core::Recipe::to_script),
            recipe: report.recipe,
            note: report.explanation,
            ..Submission::default()
        })
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
