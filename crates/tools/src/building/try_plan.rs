//! Builds in the box: one plan, a script, or all that the rules know. What fails is undone.

use std::{fmt::Write as _, time::Duration};

use seatrial_builder::{Artifact, ArtifactKind, BuildRequest, BuilderError, Policy, Watcher, artifacts::artifacts};
use seatrial_core::{BOX_SOURCE, CommandRecord, Event, Recipe};
use serde_json::{Value, json};

use super::{diagnose::told, lay::lay, plan::plans};
use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, ToolsError, World,
    shell::run_fresh,
    snapshots::{amount, back},
    text::visible,
    toolbox::{Arguments as _, describe},
};

/// Programs and libraries that are named.
const MOST_MADE: usize = 40;

pub(crate) struct TryPlan(ToolDescription);

impl TryPlan {
    pub(crate) fn new() -> Self {
        Self(describe(
            "try_plan",
            "Builds in the box by a plan of `plan`, or by your own script, after installing packages. When it works, what it \
             made is named and stays; when it fails, the cause is named and all files go back to what they were.",
            "Runs as long as one command may. In a script, `$SRC`, `$OUT`, `$PREFIX` and `$JOBS` are set.",
            Effect::RUNS,
            Caching::No,
            json!({
                "plan": {"type": "integer", "minimum": 1, "description": "The plan's number; 1 when neither is said."},
                "script": {"type": "string", "description": "Bash to run instead of a plan."},
                "packages": {
                    "type": "array",
                    "maxItems": 200,
                    "items": {"type": "string", "minLength": 1},
                    "description": "Packages to install first.",
                },
                "keep": {"type": "boolean", "description": "Keep what a failed build left behind."},
            }),
            &[],
        ))
    }
}

impl Tool for TryPlan {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let mut script = String::from("set -eu\n");
        script.push_str(&Recipe::preamble());
        let _ = writeln!(script, "export SRC=\"{}\"", world.root);
        let packages: Vec<&str> = arguments
            .get("packages")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let is_name = |name: &&str| {
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.:~=_/".contains(c))
        };
        if let Some(bad) = packages.iter().find(|name| !is_name(name) || name.starts_with('-')) {
            return Err(ToolFailure::Told(format!("`{}` is no name of a package", visible(bad))));
        }
        if !packages.is_empty() {
            let _ = writeln!(
                script,
                "apt-get update -q\napt-get install -y -q --no-install-recommends {}",
                packages.join(" ")
            );
        }
        let title = if let Some(own) = arguments.text("script") {
            script.push_str("cd \"$SRC\"\n");
            script.push_str(own);
            "your script".to_owned()
        } else {
            let number = arguments.number("plan").unwrap_or(1);
            let root = world.root.to_owned();
            let plans = plans(&root, world)?;
            let plan = usize::try_from(number - 1)
                .ok()
                .and_then(|at| plans.get(at))
                .ok_or_else(|| ToolFailure::Told(format!("there is no plan {number}; `plan` shows {}", plans.len())))?;
            for step in &plan.steps {
                script.push_str(&step.to_bash());
            }
            plan.title()
        };
        let time = world.time_for(world.limits.command_most)?;
        let before = world.sandbox.snapshot()?;
        let root = world.root.to_owned();
        let ran = run_fresh(&script, &root, time, world)?;
        world.emit(Event::Command(ran.record("try_plan", &script)))?;
        world.state.last_output = Some(ran.output());
        if ran.execution.succeeded() {
            let changes = world.sandbox.changes(&before)?;
            let made = artifacts(&changes);
            let text = format!(
                "{} works; {} written.\n{}",
                visible(&title),
                amount(&changes),
                made_text(&made)
            );
            return Ok(Answer::text(text).with_data(json!({"succeeded": true, "script": script})));
        }
        let log = match ran.whole {
            Some(digest) => world.blobs.read(&digest)?,
            None => ran.text.clone().into_bytes(),
        };
        let diagnosis = seatrial_diagnosis::diagnose(&log);
        let cause = told(&diagnosis, world.resolver);
        let keep = arguments.is("keep");
        if !keep {
            back(before, world)?;
        }
        let text = format!(
            "{} failed ({}); {}.\n{cause}\n\nits output:\n{}",
            visible(&title),
            ran.ending(time),
            if keep {
                "what it left stays"
            } else {
                "all files are as they were before"
            },
            ran.text,
        );
        Ok(Answer {
            left_out_bytes: ran.left_out,
            whole: ran.whole,
            ..Answer::failure(text).with_data(json!({
                "succeeded": false,
                "diagnosis": serde_json::to_value(&diagnosis).unwrap_or(Value::Null),
            }))
        })
    }
}

fn made_text(made: &[Artifact]) -> String {
    let names: Vec<String> = made
        .iter()
        .filter(|artifact| matches!(artifact.kind, ArtifactKind::Executable | ArtifactKind::SharedObject))
        .map(|artifact| visible(&artifact.path))
        .collect();
    if names.is_empty() {
        return format!(
            "It made no program and no shared library ({} other build products).",
            made.len()
        );
    }
    let shown = names.iter().take(MOST_MADE).cloned().collect::<Vec<_>>().join("\n  ");
    let more = names.len().saturating_sub(MOST_MADE);
    let more = if more > 0 {
        format!("\n  and {more} more")
    } else {
        String::new()
    };
    format!("It made:\n  {shown}{more}")
}

pub(crate) struct BuildByRules(ToolDescription);

impl BuildByRules {
    pub(crate) fn new() -> Self {
        Self(describe(
            "build_by_rules",
            "Lets the rule-based builder try its plans and repairs on the source, and gives the script that works, or what \
             stopped it. The files go back to what they were; run the script to have the build.",
            "May take many minutes: say `minutes`.",
            Effect::RUNS,
            Caching::No,
            json!({"minutes": {"type": "integer", "minimum": 1, "maximum": 120, "description": "How long it may take; 20 when left out."}}),
            &[],
        ))
    }
}

/// Writes what the builder does into the journal, and passes output on.
struct Journal<'w, 'a> {
    events: &'w mut dyn seatrial_core::EventSink,
    watch: Option<&'w mut crate::Watch<'a>>,
    broken: Option<seatrial_core::SinkError>,
}

impl Journal<'_, '_> {
    fn emit(&mut self, event: Event) {
        if self.broken.is_none()
            && let Err(error) = self.events.emit(event)
        {
            self.broken = Some(error);
        }
    }
}

impl Watcher for Journal<'_, '_> {
    fn phase(&mut self, _: &str) {}

    fn decision(&mut self, what: &str, why: &str) {
        if let Some(watch) = &mut self.watch {
            watch(format!("{what}\n").as_bytes());
        }
        self.emit(Event::Decision {
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }

    fn command(&mut self, record: CommandRecord) {
        self.emit(Event::Command(record));
    }

    fn output(&mut self, bytes: &[u8]) {
        if let Some(watch) = &mut self.watch {
            watch(bytes);
        }
    }
}

impl Tool for BuildByRules {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let Some(resolver) = world.resolver else {
            return Err(ToolFailure::told(
                "there is no index of packages here, without which the rules cannot build",
            ));
        };
        let Some(platform) = world.ground.platform.cloned() else {
            return Err(ToolFailure::told(
                "the platform of this box is not known, without which the rules cannot build",
            ));
        };
        if world.root != BOX_SOURCE {
            return Err(ToolFailure::Told(format!(
                "the rules build only what lies at {BOX_SOURCE}"
            )));
        }
        let minutes = arguments.number("minutes").unwrap_or(20).max(1) as u64;
        let time = Duration::from_mins(minutes);
        let tree = lay(BOX_SOURCE, world)?;
        world.check_stop()?;
        let end = std::time::Instant::now() + time;
        let deadline = world.deadline.map_or(end, |deadline| deadline.min(end));
        let request = BuildRequest {
            tree: tree.path(),
            title: "the source".to_owned(),
            platform,
            base_packages: world.ground.base_packages.to_vec(),
            command_timeout: Some(world.limits.command_most.min(time)),
            deadline: Some(deadline),
            policy: Policy::default(),
        };
        let before = world.sandbox.snapshot()?;
        let mut journal = Journal {
            events: &mut *world.events,
            watch: world.watch.as_deref_mut(),
            broken: None,
        };
        let report = seatrial_builder::build(&request, world.sandbox, resolver, world.blobs, &mut journal);
        if let Some(error) = journal.broken {
            return Err(ToolsError::Sink(error).into());
        }
        let report = match report {
            Ok(report) => report,
            Err(BuilderError::Sandbox(error)) => return Err(error.into()),
            Err(BuilderError::Store(error)) => return Err(error.into()),
            Err(error @ (BuilderError::Tree(_) | BuilderError::Mirror(_))) => {
                back(before, world)?;
                return Err(ToolFailure::Told(error.to_string()));
            }
        };
        back(before, world)?;
        let tried: Vec<&str> = report.attempts.iter().map(|attempt| attempt.plan.as_str()).collect();
        Ok(match &report.recipe {
            Some(recipe) => Answer::text(format!(
                "{}\n{}\nthe script:\n{}",
                report.explanation,
                made_text(&report.artifacts),
                recipe.to_script()
            ))
            .with_data(json!({"succeeded": true, "tried": tried})),
            None => Answer::failure(report.explanation.clone()).with_data(json!({"succeeded": false, "tried": tried})),
        })
    }
}
