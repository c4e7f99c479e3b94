//! One request, one script, no feedback.

use seatrial_core::{BOX_SOURCE, Ending, Message, Role, Submission};
use seatrial_llm::Request;
use seatrial_tools::Toolbox;

use crate::{
    Agent, AgentError, AgentSettings, SolveContext,
    talk::{Conversation, Desk, Halt, Prompt, briefing},
};

const PROMPT: Prompt = Prompt::new("single-turn", include_str!("../prompts/single-turn.md"));

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
