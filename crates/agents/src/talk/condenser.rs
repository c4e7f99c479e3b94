//! Keeps a conversation from growing beyond what a model takes in.

use std::fmt::Write as _;

use seatrial_core::{Message, Part, Role};
use seatrial_llm::Request;

use super::{CondenserKind, Conversation, Desk, Halt, Prompt};

const SUMMARY: Prompt = Prompt::new("condense", include_str!("../../prompts/condense.md"));

/// Most bytes of one message that goes into a summary.
const MOST_OF_ONE: usize = 4000;

/// Takes the middle out of a conversation when it has become too long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Condenser {
    kind: CondenserKind,
    /// So many messages at most.
    most: usize,
    /// So many stay at the start: the rules and the task.
    keep_first: usize,
}

impl Condenser {
    /// The usual one: at 240 messages, the first two stay.
    pub(crate) fn new(kind: CondenserKind) -> Self {
        Self {
            kind,
            most: 240,
            keep_first: 2,
        }
    }

    /// Whether a conversation has become too long.
    pub(crate) fn is_due(&self, talk: &Conversation) -> bool {
        self.kind != CondenserKind::Off && talk.len() > self.most
    }

    /// Takes out the middle, keeping the newer half of what is left; false when nothing can be taken out.
    pub(crate) fn condense(&self, desk: &mut Desk<'_, '_>, talk: &mut Conversation) -> Result<bool, Halt> {
        if self.kind == CondenserKind::Off {
            return Ok(false);
        }
        let keep_last = talk.len().saturating_sub(self.keep_first) / 2;
        let [from, to] = talk.middle(self.keep_first, keep_last.max(2));
        // A single message is not made shorter by a text about it, unless it is a long one.
        if to <= from {
            return Ok(false);
        }
        let summary = match self.kind {
            CondenserKind::Summary => sum_up(desk, talk, from, to)?,
            CondenserKind::Window | CondenserKind::Off => None,
        };
        let summary =
            summary.unwrap_or_else(|| format!("[{} older messages were left out here to save room.]", to - from));
        desk.note_condensed(talk, [from, to], summary)?;
        Ok(true)
    }
}

/// The model's own words for a part of a conversation; `None` when it has none.
fn sum_up(desk: &mut Desk<'_, '_>, talk: &Conversation, from: usize, to: usize) -> Result<Option<String>, Halt> {
    let mut text = String::new();
    for message in talk.part(from, to) {
        tell(&mut text, message.as_ref());
    }
    let mut aside = Conversation::new(format!("{}-summary", talk.name()));
    desk.say(
        &mut aside,
        Message::text(Role::User, SUMMARY.fill(&[("messages", &text)])),
    )?;
    let request = Request::new(aside.messages());
    match desk.ask_once(&mut aside, request) {
        Ok(completion) => {
            let words = completion.message.plain_text();
            Ok((!words.trim().is_empty()).then(|| format!("[What happened before, in short:]\n{}", words.trim())))
        }
        // A summary that cannot be had is no reason to end: the middle is dropped instead.
        Err(Halt::Model(error)) if error.ending() != Some(seatrial_core::Ending::Model) => Ok(None),
        Err(halt) => Err(halt),
    }
}

fn tell(out: &mut String, message: &Message) {
    for part in &message.parts {
        let (who, text) = match part {
            Part::Text { text } => (
                if message.role == Role::Assistant {
                    "agent"
                } else {
                    "user"
                },
                text.clone(),
            ),
            Part::ToolCall(call) => ("agent calls", format!("{} {}", call.name, call.arguments)),
            Part::ToolResult { content, .. } => ("result", content.clone()),
            Part::Reasoning { .. } => continue,
        };
        let (text, _) = seatrial_tools::shorten(&text, MOST_OF_ONE, "");
        let _ = writeln!(out, "[{who}] {text}");
    }
}
