//! One request, one script, no feedback.

use seatrial_core::{BOX_SOURCE, Ending, Message, Role, Submission, ToolCall};
use seatrial_llm::Request;
use seatrial_tools::Toolbox;

use crate::{
    Agent, AgentError, AgentSettings, SolveContext,
    talk::{Conversation, Desk, Halt, Prompt, briefing},
};

const PROMPT: Prompt = Prompt::new("single-turn", include_str!("../prompts/single-turn.md"));

const REPAIR: Prompt = Prompt::new("single-turn-repair", include_str!("../prompts/single-turn-repair.md"));

/// The agent `single-turn`.
pub(crate) struct SingleTurn(pub(crate) AgentSettings);

impl Agent for SingleTurn {
    fn name(&self) -> &'static str {
        "single-turn"
    }

    fn about(&self) -> &'static str {
        "a model writes one script from the README and the list of files, and hears nothing of it"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let task = briefing::task(context, true);
        if context.task.goal.repair().is_some() {
            return self.repair(context, &task);
        }
        let mut desk = Desk::new(context, &self.0, self.name(), Toolbox::default())?;
        match ask(&mut desk, &task) {
            Ok(Some(script)) => {
                let end = (Ending::Finished, "it wrote its script".to_owned());
                desk.hand_in(Ok(end), Some(script))
            }
            Ok(None) => desk.hand_in(Ok((Ending::BadForm, "the answer has no script".to_owned())), None),
            Err(halt) => desk.hand_in(Err(halt), None),
        }
    }
}

impl SingleTurn {
    /// One request, one diff.
    fn repair(&self, context: &mut SolveContext<'_>, task: &str) -> Result<Submission, AgentError> {
        let texts = crate::repair::texts(context);
        let tools = Toolbox::of(["apply_patch"]).map_err(AgentError::Tool)?;
        let mut desk = Desk::new(context, &self.0, self.name(), tools)?;
        let end = ask_for_diff(&mut desk, task, &texts);
        desk.hand_in(end, None)
    }
}

fn ask_for_diff(desk: &mut Desk<'_, '_>, task: &str, texts: &str) -> Result<(Ending, String), Halt> {
    desk.note_prompts(&[&REPAIR, &crate::repair::TASK])?;
    let mut talk = Conversation::new("main");
    let text = REPAIR.fill(&[("task", task), ("source", BOX_SOURCE), ("texts", texts)]);
    desk.say(&mut talk, Message::text(Role::User, text))?;
    let request = Request::new(talk.messages());
    let text = desk.ask_once(&mut talk, request)?.message.plain_text();
    let diff = crate::talk::diffs(&text).into_iter().next().unwrap_or(text);
    let call = ToolCall {
        id: "diff".to_owned(),
        name: "apply_patch".to_owned(),
        arguments: serde_json::json!({ "patch": diff }).to_string(),
    };
    let answer = desk.call(talk.name(), &call)?;
    Ok(if answer.failed {
        (Ending::BadForm, format!("its diff does not apply: {}", answer.text))
    } else {
        (Ending::Finished, "it wrote its diff".to_owned())
    })
}

fn ask(desk: &mut Desk<'_, '_>, task: &str) -> Result<Option<String>, Halt> {
    desk.note_prompts(&[&PROMPT, &briefing::task_prompt()])?;
    let mut talk = Conversation::new("main");
    let text = PROMPT.fill(&[("task", task), ("source", BOX_SOURCE)]);
    desk.say(&mut talk, Message::text(Role::User, text))?;
    let request = Request::new(talk.messages());
    let completion = desk.ask_once(&mut talk, request)?;
    let text = completion.message.plain_text();
    Ok(crate::talk::scripts(&text)
        .into_iter()
        .next()
        .map(|script| format!("#!/bin/bash\nset -e\ncd {BOX_SOURCE}\n{script}")))
}
