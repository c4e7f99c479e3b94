//! Puts the pieces of an answer together, in order.

use seatrial_core::{Finish, Part, ToolCall, Usage};
use serde_json::Value;

use super::Decoded;
use crate::Piece;

/// An answer that is coming in.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    parts: Vec<Part>,
    prefix: String,
    pub(super) finish: Option<Finish>,
    pub(super) usage: Usage,
    pub(super) answered_by: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) cost: Option<f64>,
}

impl Assembly {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            prefix,
            ..Self::default()
        }
    }

    /// Appends to the text at the end, or begins one.
    pub(super) fn text(&mut self, more: &str, pieces: &mut Vec<Piece>) {
        if more.is_empty() {
            return;
        }
        pieces.push(Piece::Text(more.to_owned()));
        if let Some(Part::Text { text }) = self.parts.last_mut() {
            text.push_str(more);
        } else {
            self.parts.push(Part::Text { text: more.to_owned() });
        }
    }

    /// Appends to the reasoning at the end, or begins one.
    pub(super) fn reasoning(&mut self, more: &str, pieces: &mut Vec<Piece>) {
        if more.is_empty() {
            return;
        }
        pieces.push(Piece::Reasoning(more.to_owned()));
        if let Some(Part::Reasoning { text, .. }) = self.parts.last_mut() {
            text.push_str(more);
        } else {
            self.push(Part::Reasoning {
                text: more.to_owned(),
                opaque: None,
            });
        }
    }

    /// Appends a part as it is.
    pub(super) fn push(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Appends a call. One without an id gets one that no other call of the conversation has.
    pub(super) fn call(&mut self, id: &str, name: &str, arguments: String) {
        let taken = |id: &str| {
            self.parts
                .iter()
                .any(|part| matches!(part, Part::ToolCall(call) if call.id == id))
        };
        let id = if id.is_empty() || taken(id) {
            let count = self
                .parts
                .iter()
                .filter(|part| matches!(part, Part::ToolCall(_)))
                .count();
            format!("{}-{count}", self.prefix)
        } else {
            id.to_owned()
        };
        self.parts.push(Part::ToolCall(ToolCall {
            id,
            name: name.to_owned(),
            arguments,
        }));
    }

    /// Gives the last call these arguments, if it has none yet. `false` when there is no such call.
    pub(super) fn complete_call(&mut self, arguments: &str) -> bool {
        match self.parts.last_mut() {
            Some(Part::ToolCall(call)) if matches!(call.arguments.as_str(), "" | "{}") => {
                arguments.clone_into(&mut call.arguments);
                true
            }
            _ => false,
        }
    }

    /// Gives the first reasoning part, or a new one before all others, what its provider wants back.
    pub(super) fn set_opaque(&mut self, opaque: Value) {
        for part in &mut self.parts {
            if let Part::Reasoning { opaque: place, .. } = part {
                *place = Some(opaque);
                return;
            }
        }
        let part = Part::Reasoning {
            text: String::new(),
            opaque: Some(opaque),
        };
        self.parts.insert(0, part);
    }

    /// Servers that do not know a model's format leave its thoughts in the text, between marks.
    pub(super) fn split_thoughts(&mut self) {
        let Some(Part::Text { text }) = self.parts.first() else {
            return;
        };
        let Some(inner) = text.trim_start().strip_prefix("<think>") else {
            return;
        };
        let Some((thought, rest)) = inner.split_once("</think>") else {
            return;
        };
        let (thought, rest) = (thought.trim().to_owned(), rest.trim_start().to_owned());
        self.parts.remove(0);
        if !rest.is_empty() {
            self.parts.insert(0, Part::Text { text: rest });
        }
        self.parts.insert(
            0,
            Part::Reasoning {
                text: thought,
                opaque: None,
            },
        );
    }

    pub(super) fn done(self) -> Decoded {
        let has_calls = self.parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        let finish = match self.finish {
            // Whatever the word, a model that calls tools waits for them.
            Some(Finish::Stop | Finish::Other) if has_calls => Some(Finish::ToolCalls),
            Some(Finish::ToolCalls) if !has_calls => Some(Finish::Stop),
            Some(_) if self.refusal.is_some() && !has_calls => Some(Finish::Refusal),
            other => other,
        };
        Decoded {
            parts: self.parts,
            finish,
            usage: self.usage,
            answered_by: self.answered_by,
            refusal: self.refusal,
            cost: self.cost,
        }
    }
}

/// A count that is told more than once, sometimes as nothing at first: the greatest holds.
pub(super) fn greatest(place: &mut Option<u64>, number: Option<u64>) {
    *place = (*place).max(number);
}
