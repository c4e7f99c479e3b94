//! `mcp-repair`: the published loop of iterations over tools.
//!
//! Each iteration is a new conversation; the edits stay, and what was edited and how that went is told to the next one. What
//! counts is the state of the sources that were uploaded, and nothing that a text says.

use std::{fmt::Write as _, time::Duration};

use seatrial_core::{BOX_SOURCE, Ending, Event, Message, Role, Submission, ToolCall};
use seatrial_packaging::Package;
use seatrial_tools::{
    CacheRule, GuardRule, PackageRebuilds as _, RepairTools, TakeError, ToolState, Toolbox, take_package,
};
use serde::{Deserialize, Serialize};

use super::TASK;
use crate::{
    Agent, AgentError, AgentSettings, SolveContext,
    talk::{Conversation, Desk, Halt, Prompt},
};

const SYSTEM: Prompt = Prompt::new("mcp-repair", include_str!("../../prompts/mcp-repair.md"));
const AGAIN: Prompt = Prompt::new("mcp-repair-again", include_str!("../../prompts/mcp-repair-again.md"));

/// Characters of a line of an earlier edit, and bytes of all of them, that are told again.
const LINE: usize = 200;
const HISTORY: usize = 24_000;

/// How `mcp-repair` works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepairOptions {
    /// Iterations, each with a new conversation.
    pub iterations: u32,
    /// Turns of the model in an iteration.
    pub turns: u32,
    /// Seconds that one call of a tool may take.
    pub call_seconds: u64,
    /// How often the very same call is made in an iteration.
    pub same_calls: u32,
    /// Files are changed by patches, and not written as a whole.
    pub patches: bool,
    /// The published tools by their names, instead of ours.
    pub compat: bool,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            iterations: 3,
            turns: 20,
            call_seconds: 600,
            same_calls: 3,
            patches: false,
            compat: false,
        }
    }
}

impl RepairOptions {
    /// The names of the tools that upload and check.
    fn names(&self) -> [&'static str; 2] {
        if self.compat {
            ["upload_file_to_obs_tool", "check_build_result"]
        } else {
            ["upload", "check"]
        }
    }
}

/// The agent `mcp-repair`.
pub(crate) struct McpRepair(pub(crate) AgentSettings);

impl Agent for McpRepair {
    fn name(&self) -> &'static str {
        "mcp-repair"
    }

    fn about(&self) -> &'static str {
        "a model repairs a package through tools alone, in three iterations of twenty turns, as published"
    }

    fn needs_resolver(&self) -> bool {
        true
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let missing = |what| AgentError::Missing {
            agent: self.name(),
            what,
        };
        if context.task.goal.repair().is_none() {
            return Err(missing("a package to repair: it works on tasks of the suite `repair`"));
        }
        if context.rebuilder.is_none() {
            return Err(missing("something that rebuilds packages"));
        }
        let options = self.0.options.repair;
        let task = super::task(context);
        let tools = Toolbox::repair(RepairTools {
            patches: options.patches,
            compat: options.compat,
        })
        // Whoever leads the repair does this.
        .without(&["init_package_environment_tool"]);
        let mut desk = Desk::new(context, &self.0, self.name(), tools)?;
        desk.longest_command = Some(Duration::from_secs(options.call_seconds));
        desk.state = ToolState::with_rules(CacheRule::Described, GuardRule::InAll(options.same_calls));
        let end = repair(&mut desk, &task, &options);
        desk.hand_in(end, None)
    }
}

/// What came of an iteration.
#[derive(Default)]
struct Spent {
    turns: u32,
    calls: u32,
}

fn repair(desk: &mut Desk<'_, '_>, task: &str, options: &RepairOptions) -> Result<(Ending, String), Halt> {
    desk.note_prompts(&[&SYSTEM, &AGAIN, &TASK])?;
    let mut history = String::new();
    let mut before = now(desk)?;
    for iteration in 1..=options.iterations {
        desk.state.reset();
        let uploads = desk.state.repair().uploads();
        let checks = desk.state.repair().checks();
        let mut spent = Spent::default();
        let worked = iterate(desk, task, &history, iteration, options, &mut spent);
        let state = last_state(desk);
        desk.context.events.emit(Event::Note {
            text: format!(
                "iteration {iteration} of {}: turns={} calls={} uploads={} checks={} state={state}",
                options.iterations,
                spent.turns,
                spent.calls,
                desk.state.repair().uploads() - uploads,
                desk.state.repair().checks() - checks,
            ),
        })?;
        worked?;
        if desk.state.repair().proved().is_some() {
            return Ok((Ending::Finished, format!("succeeded in iteration {iteration}")));
        }
        let after = now(desk)?;
        tell(&mut history, iteration, desk, before.as_ref(), after.as_ref());
        before = after;
    }
    Ok((
        Ending::GaveUp,
        format!("no success in {} iterations", options.iterations),
    ))
}

/// One iteration: turn after turn, until the model stops, its turns are over, or a check succeeds.
fn iterate(
    desk: &mut Desk<'_, '_>,
    task: &str,
    history: &str,
    iteration: u32,
    options: &RepairOptions,
    spent: &mut Spent,
) -> Result<(), Halt> {
    let [upload, check] = options.names();
    let how = if options.patches {
        "Change files with unified diffs as `git` writes them: exact headers of hunks, three lines of context, paths relative \
         to the source folder."
    } else {
        "Change a file by writing all of it anew: read it first, and give back every line that stays."
    };
    let mut talk = Conversation::new(format!("iteration-{iteration}"));
    let system = SYSTEM.fill(&[("upload", upload), ("check", check), ("how", how)]);
    desk.say(&mut talk, Message::text(Role::System, system))?;
    let mut text = task.to_owned();
    if !history.is_empty() {
        let again = AGAIN.fill(&[
            ("iteration", &iteration.to_string()),
            ("most", &options.iterations.to_string()),
            ("history", history.trim_end()),
        ]);
        let _ = write!(text, "\n\n{again}");
    }
    desk.say(&mut talk, Message::text(Role::User, text))?;
    let uploads = desk.state.repair().uploads();
    while spent.turns < options.turns {
        let completion = desk.ask(&mut talk, &|_| true)?;
        spent.turns += 1;
        let calls: Vec<ToolCall> = completion.message.tool_calls().cloned().collect();
        if calls.is_empty() {
            break;
        }
        for call in &calls {
            desk.count_tool_call()?;
            spent.calls += 1;
            let answer = desk.call(talk.name(), call)?;
            desk.say(&mut talk, Message::tool_result(&call.id, answer.text, answer.failed))?;
            if desk.state.repair().proved().is_some() {
                return Ok(());
            }
        }
    }
    // Whoever stops without handing anything over is judged by what is there.
    if desk.state.repair().uploads() == uploads {
        own(desk, &talk, upload)?;
    }
    if desk.state.repair().uploaded().is_some() {
        desk.state.reset();
        own(desk, &talk, check)?;
    }
    Ok(())
}

/// A call that the model did not make.
fn own(desk: &mut Desk<'_, '_>, talk: &Conversation, name: &str) -> Result<(), Halt> {
    let arguments = if name == "upload_file_to_obs_tool" {
        serde_json::json!({"package_path": "."})
    } else {
        serde_json::json!({})
    };
    let call = ToolCall {
        id: format!("own-{name}"),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    desk.call(talk.name(), &call)?;
    Ok(())
}

/// The package as it is in the box; none when it is no package at the moment.
fn now(desk: &mut Desk<'_, '_>) -> Result<Option<Package>, Halt> {
    let Some(package) = &desk.package else { return Ok(None) };
    match take_package(desk.context.sandbox, BOX_SOURCE, package.pristine()) {
        Ok(taken) => Ok(Some(taken.package)),
        Err(TakeError::Sandbox(error)) => Err(Halt::Broken(error.into())),
        Err(_) => Ok(None),
    }
}

/// The state of the last upload, in one word.
fn last_state(desk: &Desk<'_, '_>) -> String {
    let repair = desk.state.repair();
    match (repair.uploaded(), repair.last()) {
        (None, _) => "nothing-uploaded".to_owned(),
        (Some(uploaded), Some(last)) if last.source == uploaded.source => {
            format!("{} sources={}", last.state.as_str(), last.source.short())
        }
        (Some(uploaded), _) => format!("unchecked sources={}", uploaded.source.short()),
    }
}

/// Adds an iteration to the history that the next one is told.
fn tell(history: &mut String, iteration: u32, desk: &Desk<'_, '_>, before: Option<&Package>, after: Option<&Package>) {
    let _ = write!(history, "Attempt {iteration}: ");
    match desk.state.repair().last() {
        Some(last) => {
            let details: String = last.details.lines().take(3).collect::<Vec<_>>().join("; ");
            let _ = writeln!(history, "the check said {}: {details}", last.state.as_str());
        }
        None => history.push_str("nothing was checked\n"),
    }
    let (Some(before), Some(after)) = (before, after) else {
        history.push_str("its edits left something that is no package any more\n");
        return;
    };
    let diff = after.diff_from(before).unwrap_or_default();
    if diff.trim().is_empty() {
        history.push_str("it edited nothing\n");
        return;
    }
    let mut left_out = 0;
    for line in diff.lines() {
        if history.len() > HISTORY {
            left_out += 1;
            continue;
        }
        history.extend(line.chars().take(LINE));
        history.push('\n');
    }
    if left_out > 0 {
        let _ = writeln!(history, "[{left_out} lines are left out]");
    }
}
