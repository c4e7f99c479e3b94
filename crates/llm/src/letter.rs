//! A request as it goes out, and the room that is kept for it.

use seatrial_core::{Digest, Message, Role};
use serde_json::Value;

use crate::{
    CallContext, ModelError, Request, Wire,
    client::{Client, GLANCE, check},
    digest::request_key,
    estimate::most_input,
    mend::mend,
    meter::{Denied, Hold, Need, USUAL_OUTPUT},
    quirks::{Quirks, SchemaForm},
    text_protocol::{with_schema_in_words, with_tools_in_words},
    wire::Outgoing,
};

/// A request as it goes out.
pub(crate) struct Letter {
    pub(crate) text: String,
    pub(crate) body: Value,
    pub(crate) key: Digest,
    /// Something other than the provider's own form is used for tools.
    pub(crate) tools_in_words: bool,
    /// What had to be done to the conversation, in words.
    pub(crate) note: Option<String>,
    /// Begins the ids of calls that the provider gives none.
    pub(crate) prefix: String,
    pub(crate) bytes: u64,
    pub(crate) most_input: u64,
    pub(crate) output: Option<u64>,
}

impl Client {
    /// Writes a request and keeps room for it.
    pub(crate) fn write<'a>(
        &self,
        request: &Request,
        quirks: &Quirks,
        room: Option<u64>,
        call: &CallContext<'a>,
    ) -> Result<(Letter, Hold<'a>), ModelError> {
        let mended = mend(&request.messages);
        let note = mended.as_ref().map(|(_, note)| note.clone());
        let told;
        let mut request = request;
        if let Some((messages, _)) = mended {
            told = Request {
                messages,
                ..request.clone()
            };
            request = &told;
        }
        let has_tools = |message: &Message| message.tool_calls().next().is_some() || message.role == Role::Tool;
        let in_words = quirks.tools_in_words && (!request.tools.is_empty() || request.messages.iter().any(has_tools));
        let wants_schema_in_words =
            request.schema.is_some() && (quirks.schema != SchemaForm::Native || self.wire == Wire::Messages);
        let mut worded;
        if in_words || wants_schema_in_words {
            worded = if in_words {
                with_tools_in_words(request)
            } else {
                request.clone()
            };
            if wants_schema_in_words {
                with_schema_in_words(&mut worded);
            }
            request = &worded;
        }
        let outgoing = |output: Option<u64>| Outgoing {
            model: self.id.model(),
            request,
            quirks,
            output,
        };
        let highest = self.highest_output(quirks).into_iter().chain(room).min();
        let wanted = match (request.max_output, highest) {
            (Some(wanted), Some(highest)) => Some(wanted.min(highest)),
            (Some(wanted), None) => Some(wanted),
            // This wire wants a bound in every request.
            (None, highest) if self.wire == Wire::Messages => {
                Some(highest.map_or(USUAL_OUTPUT, |highest| highest.min(USUAL_OUTPUT)))
            }
            // What was found out must be said.
            (None, _) => room.into_iter().chain(quirks.highest_output).min(),
        };
        let mut body = self.wire.encode(&outgoing(wanted));
        let mut text = body.to_string();
        let bytes = text.len() as u64;
        let most_input = most_input(bytes, call.meter.seen(call.conversation));
        let need = Need {
            input: most_input,
            output: wanted,
            highest_output: highest,
            price: self.price.as_ref(),
        };
        let meter = call.meter;
        let hold = loop {
            match meter.hold(&need) {
                Ok(hold) => break hold,
                Err(Denied::Busy) => {
                    check(call)?;
                    meter.wait(GLANCE);
                }
                Err(Denied::Spent(by, why)) => return Err(ModelError::Spent { by, why }),
                Err(Denied::Unpriced) => {
                    return Err(ModelError::Unpriced {
                        model: self.id.to_string(),
                    });
                }
            }
        };
        // The key is that of what was wanted: what is left of a bound may be another number when it is replayed.
        let key = request_key(self.wire, self.id.model(), &body);
        if hold.output != wanted {
            body = self.wire.encode(&outgoing(hold.output));
            text = body.to_string();
        }
        let letter = Letter {
            text,
            body,
            key,
            tools_in_words: in_words,
            note,
            prefix: format!("call-{}", request.messages.len()),
            bytes,
            most_input,
            output: hold.output,
        };
        Ok((letter, hold))
    }
}
