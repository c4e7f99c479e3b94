//! Rules first; what is left goes to a model, with a case file and the rules as tools.

mod case;

use std::time::Duration;

use seatrial_builder::BuildReport;
use seatrial_core::{BOX_SOURCE, Ending, Event, Message, Recipe, Role, Submission, ToolCall};
use seatrial_tools::Toolbox;

use crate::{
    Agent, AgentError, AgentSettings, SolveContext,
    rules::build_by_rule,
    talk::{Conversation, Desk, Halt, NUDGE, Prompt, briefing},
};

const SYSTEM: Prompt = Prompt::new("hybrid", include_str!("../prompts/hybrid.md"));

/// Where the rules' script lies for the model to run.
const SCRIPT: &str = "/root/rules.sh";

/// Of the time that there is, the rules get at most this share, in percent.
const SHARE_OF_RULES: u32 = 60;

/// The agent `hybrid`.
pub(crate) struct Hybrid(pub(crate) AgentSettings);

impl Agent for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn about(&self) -> &'static str {
        "rules first; where they stop, a model goes on with the diagnosis, what was tried, and the rules as tools"
    }

    fn needs_resolver(&self) -> bool {
        true
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn searches(&self) -> bool {
        true
    }

    fn takes_tools(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let before = context.sandbox.snapshot()?;
        let whole = context.deadline;
        context.deadline = share(whole);
        let report = build_by_rule(context, self.name(), &self.0.policy);
        context.deadline = whole;
        let report = report?;
        if report.recipe.is_some() && report.problem.is_none() {
            return Ok(by_rule(&report, "no model was asked"));
        }
        context.sandbox.rollback(&before)?;
        let script = report.recipe.as_ref().map(Recipe::to_script);
        let task = briefing::task(context, false);
        let case = case::file(&report, script.is_some().then_some(SCRIPT));
        context.events.emit(Event::Decision {
            what: "ask a model".to_owned(),
            why: report
                .problem
                .as_ref()
                .map_or_else(|| "no rule goes on".to_owned(), case::title),
        })?;
        let tools = Toolbox::all().without(&["web_search", "fetch_page", "extract", "pack"]);
        let mut desk = Desk::new(context, &self.0, self.name(), tools)?
            .with_search()?
            .with_tools(&self.0.outside);
        let end = run(&mut desk, &task, &case, script.as_deref());
        let done = matches!(end, Ok((Ending::Finished, _)));
        let own = desk.hand_in(end, None)?;
        // What the model left unfinished is worth less than what the rules reached.
        match report.recipe {
            Some(_) if !done || own.script.is_none() => Ok(Submission {
                note: format!("{}; of the rules: {}", own.note, report.explanation),
                ..by_rule(&report, "")
            }),
            _ => Ok(own),
        }
    }
}

fn by_rule(report: &BuildReport, more: &str) -> Submission {
    let note = if more.is_empty() {
        report.explanation.clone()
    } else {
        format!("{}; {more}", report.explanation)
    };
    Submission {
        script: report.recipe.as_ref().map(Recipe::to_script),
        recipe: report.recipe.clone(),
        note,
        ..Submission::default()
    }
}

/// The rules' deadline, of the deadline of all.
fn share(deadline: Option<std::time::Instant>) -> Option<std::time::Instant> {
    let now = std::time::Instant::now();
    let left: Duration = deadline?.saturating_duration_since(now);
    now.checked_add(left * SHARE_OF_RULES / 100)
}

fn run(desk: &mut Desk<'_, '_>, task: &str, case: &str, script: Option<&str>) -> Result<(Ending, String), Halt> {
    desk.note_prompts(&[&SYSTEM, &briefing::task_prompt(), &NUDGE])?;
    desk.keep_failures();
    desk.set_up_shell()?;
    if let Some(script) = script {
        // With a tool, so that it is part of what is handed in: the model's own commands may run it.
        let write = ToolCall {
            id: "rules".to_owned(),
            name: "write".to_owned(),
            arguments: serde_json::json!({ "path": SCRIPT, "content": script, "executable": true }).to_string(),
        };
        desk.call("setup", &write)?;
    }
    let mut talk = Conversation::new("main");
    desk.say(&mut talk, Message::text(Role::System, SYSTEM.fill(&[])))?;
    desk.say(
        &mut talk,
        Message::text(
            Role::User,
            format!("{task}\n\n{case}\n\nThe sources are in {BOX_SOURCE}."),
        ),
    )?;
    desk.work(&mut talk, false)
}
