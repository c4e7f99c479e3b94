//! Retrieval at an agent's desk: in its box, on its budget, in its journal.

use std::time::Instant;

use seatrial_core::{Ending, Event, Message, ToolCall};
use seatrial_llm::{Completion, EmbeddingModel, JsonSchema, ModelError, Request};
use serde_json::json;

use super::{Page, library::Outside};
use crate::talk::{Conversation, Desk, Halt};

/// The conversation under which the journal has the pages that are fetched.
const CONVERSATION: &str = "retrieve";

/// What a model cannot take in, or declines, is no end of the work: there is another way to find parts of texts.
pub(super) fn vectors(made: Result<Vec<Vec<f32>>, ModelError>) -> Result<Result<Vec<Vec<f32>>, String>, Halt> {
    match made {
        Ok(vectors) => Ok(Ok(vectors)),
        Err(error @ (ModelError::ContextFull { .. } | ModelError::Refused { .. } | ModelError::TooLong { .. })) => {
            Ok(Err(error.to_string()))
        }
        Err(error) => Err(Halt::Model(error)),
    }
}

/// A desk whose tools can fetch pages.
pub(crate) struct AtDesk<'a, 'd, 'c>(pub(crate) &'a mut Desk<'d, 'c>);

impl Outside for AtDesk<'_, '_, '_> {
    fn ask(
        &mut self,
        conversation: &str,
        messages: Vec<Message>,
        schema: Option<JsonSchema>,
    ) -> Result<Completion, Halt> {
        let mut talk = Conversation::new(conversation);
        for message in messages {
            self.0.say(&mut talk, message)?;
        }
        let mut request = Request::new(talk.messages());
        request.schema = schema;
        self.0.ask_once(&mut talk, request)
    }

    fn embed(&mut self, model: &dyn EmbeddingModel, texts: &[String]) -> Result<Result<Vec<Vec<f32>>, String>, Halt> {
        vectors(self.0.embed(model, CONVERSATION, texts))
    }

    fn page(&mut self, address: &str) -> Result<Result<Page, String>, Halt> {
        let deadline = self.0.context.deadline;
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Err(Halt::Ended(
                Ending::Time,
                "the time was up while it read pages".to_owned(),
            ));
        }
        let call = ToolCall {
            id: "page".to_owned(),
            name: "fetch_page".to_owned(),
            arguments: json!({"url": address, "raw": true}).to_string(),
        };
        let answer = self.0.call(CONVERSATION, &call)?;
        if answer.failed {
            return Ok(Err(answer.text));
        }
        let whole = match answer.whole {
            None => answer.text,
            Some(digest) => {
                let bytes = self
                    .0
                    .context
                    .blobs
                    .read(&digest)
                    .map_err(|error| Halt::Broken(error.into()))?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        // The tool's first line is where the page came from and what it is.
        let (head, body) = whole.split_once("\n\n").unwrap_or(("", &whole));
        let (from, kind) = head.rsplit_once(" (").unwrap_or((head, ""));
        let from = if from.contains("://") { from } else { address };
        Ok(Ok(Page::new(from, kind.trim_end_matches(')'), body)))
    }

    fn tell(&mut self, event: Event) -> Result<(), Halt> {
        Ok(self.0.context.events.emit(event)?)
    }
}
