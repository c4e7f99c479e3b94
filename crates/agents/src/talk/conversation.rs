//! A conversation with a model: what was said, and what of it the model still sees.

use seatrial_core::{Event, EventSink, Message, Role, SinkError};

/// A conversation. Each message goes to the journal once, when it is said.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    name: String,
    seen: Vec<Seen>,
    said: usize,
}

/// A message that the model sees.
#[derive(Debug, Clone)]
struct Seen {
    message: Message,
    /// Its position among those said; of a summary, the range that it stands for.
    stands_for: [usize; 2],
}

impl Conversation {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seen: Vec::new(),
            said: 0,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Says something.
    pub(crate) fn say(&mut self, events: &mut dyn EventSink, message: Message) -> Result<(), SinkError> {
        events.emit(Event::Said {
            conversation: self.name.clone(),
            message: message.clone(),
        })?;
        self.seen.push(Seen {
            message,
            stands_for: [self.said, self.said + 1],
        });
        self.said += 1;
        Ok(())
    }

    /// What the model sees.
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.seen.iter().map(|seen| seen.message.clone()).collect()
    }

    /// How many messages the model sees.
    pub(crate) fn len(&self) -> usize {
        self.seen.len()
    }

    /// The texts, calls and results of some messages that the model sees, for whoever sums them up.
    pub(crate) fn part(&self, from: usize, to: usize) -> &[impl AsRef<Message>] {
        &self.seen[from..to]
    }

    /// The range that can go, when so many messages at the start and so many at the end must stay: it never parts a call of
    /// a tool from its answer. Empty when nothing can.
    pub(crate) fn middle(&self, keep_first: usize, keep_last: usize) -> [usize; 2] {
        let fits = |at: usize| self.seen.get(at).is_none_or(|seen| seen.message.role != Role::Tool);
        let mut from = keep_first.min(self.seen.len());
        while !fits(from) {
            from += 1;
        }
        let mut to = self.seen.len().saturating_sub(keep_last).max(from);
        while to > from && !fits(to) {
            to -= 1;
        }
        [from, to]
    }

    /// Puts a text in the place of some of the messages that the model sees.
    pub(crate) fn replace(
        &mut self,
        events: &mut dyn EventSink,
        [from, to]: [usize; 2],
        summary: String,
    ) -> Result<(), SinkError> {
        let (Some(first), Some(last)) = (self.seen.get(from), self.seen.get(to.wrapping_sub(1))) else {
            return Ok(());
        };
        let stands_for = [first.stands_for[0], last.stands_for[1]];
        events.emit(Event::Condensed {
            conversation: self.name.clone(),
            range: stands_for,
            summary: summary.clone(),
        })?;
        let message = Message::text(Role::User, summary);
        self.seen.splice(from..to, [Seen { message, stands_for }]);
        Ok(())
    }
}

impl AsRef<Message> for Seen {
    fn as_ref(&self) -> &Message {
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use seatrial_core::{Part, ToolCall};

    use super::*;

    fn call(id: &str) -> Message {
        Message {
            role: Role::Assistant,
            parts: vec![Part::ToolCall(ToolCall {
                id: id.to_owned(),
                name: "shell".to_owned(),
                arguments: "{}".to_owned(),
            })],
        }
    }

    #[test]
    fn a_call_is_never_parted_from_its_answer_and_ranges_count_what_was_said() {
        let mut events = Vec::new();
        let mut talk = Conversation::new("main");
        talk.say(&mut events, Message::text(Role::System, "rules")).unwrap();
        for id in ["a", "b", "c", "d"] {
            talk.say(&mut events, call(id)).unwrap();
            talk.say(&mut events, Message::tool_result(id, "ok", false)).unwrap();
        }
        assert_eq!(talk.middle(1, 2), [1, 7]);
        assert_eq!(talk.middle(2, 3), [3, 5], "neither a nor the end begins with an answer");
        talk.replace(&mut events, [3, 5], "b was done".to_owned()).unwrap();
        talk.replace(&mut events, [1, 6], "a to c were done".to_owned())
            .unwrap();
        let ranges: Vec<[usize; 2]> = events
            .iter()
            .filter_map(|event| match event {
                Event::Condensed { range, .. } => Some(*range),
                _ => None,
            })
            .collect();
        assert_eq!(ranges, [[3, 5], [1, 7]]);
        assert_eq!(talk.len(), 4);
        assert_eq!(talk.middle(9, 9), [4, 4]);
    }
}
