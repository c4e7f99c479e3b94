//! The colleague that reads documents and changes nothing.

use seatrial_core::{BOX_SOURCE, Message, Role, ToolCall};
use seatrial_llm::{ModelError, ToolChoice};
use seatrial_tools::Answer;

use crate::talk::{Conversation, Desk, Halt, Prompt, briefing};

pub(super) const PROMPT: Prompt = Prompt::new("navigate", include_str!("../../prompts/navigate.md"));

/// Turns of one errand; the last one is without tools.
const TURNS: u32 = 10;

/// What it may use; the last one where somebody provides it.
const TOOLS: [&str; 5] = ["list", "read", "search", "fetch_page", "web_search"];

/// Most bytes of what it brings back.
const MOST: usize = 12_000;

/// Sends it out with a question.
pub(super) fn ask(desk: &mut Desk<'_, '_>, question: &str, number: u32) -> Result<Answer, Halt> {
    let mut talk = Conversation::new(format!("navigator-{number}"));
    let files = briefing::files(desk.context.tree);
    let text = PROMPT.fill(&[("source", BOX_SOURCE), ("files", &files), ("question", question)]);
    desk.say(&mut talk, Message::text(Role::User, text))?;
    let offered: Vec<&str> = TOOLS.into_iter().filter(|name| desk.has(name)).collect();
    for turn in 1..=TURNS {
        let mut request = desk.request_with(&talk, &|name| offered.contains(&name));
        if turn == TURNS {
            request.tool_choice = ToolChoice::None;
        }
        let completion = match desk.ask_once(&mut talk, request) {
            Ok(completion) => completion,
            // The leader can go on without it.
            Err(Halt::Model(error @ (ModelError::ContextFull { .. } | ModelError::TooLong { .. }))) => {
                return Ok(Answer::failure(format!("the colleague could not go on: {error}")));
            }
            Err(halt) => return Err(halt),
        };
        let calls: Vec<ToolCall> = completion.message.tool_calls().cloned().collect();
        if calls.is_empty() {
            let text = completion.message.plain_text();
            let (text, _) = seatrial_tools::shorten(text.trim(), MOST, "");
            return Ok(if text.is_empty() {
                Answer::failure("the colleague said nothing")
            } else {
                Answer::text(text)
            });
        }
        for call in &calls {
            if offered.contains(&call.name.trim()) {
                desk.use_tool(&mut talk, call)?;
            } else {
                desk.refused(&mut talk, call, &offered)?;
            }
        }
    }
    Ok(Answer::failure(format!("the colleague found no end in {TURNS} turns")))
}
