//! Reads the body of an answer, however it comes: in events or in one piece, from the network or from a cassette.

use crate::{
    Piece, Wire,
    sse::{Event, Parser},
    wire::{Decoded, Decoder, Fault},
};

/// So many times longer than what it says may an answer be with all that is around it.
const WRAPPING: usize = 8;

/// An answer that is coming in.
pub(crate) struct Reading {
    decoder: Box<dyn Decoder>,
    parser: Parser,
    events: Vec<Event>,
    form: Option<Form>,
    whole: Vec<u8>,
    /// Everything as it came, for a cassette.
    kept: Option<Vec<u8>>,
    said: usize,
    came: usize,
    bound: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Events,
    Whole,
}

/// Why reading stops.
#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    Fault(Fault),
    TooLong,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Reading {
    /// A reader for an answer of this kind that says at most so many bytes.
    pub(crate) fn new(wire: Wire, prefix: String, content_type: &str, keeps: bool, bound: usize) -> Self {
        let form = if content_type.contains("event-stream") {
            Some(Form::Events)
        } else if content_type.contains("json") {
            Some(Form::Whole)
        } else {
            None
        };
        Self {
            decoder: wire.decoder(prefix),
            parser: Parser::new(bound),
            events: Vec::new(),
            form,
            whole: Vec::new(),
            kept: keeps.then(Vec::new),
            said: 0,
            came: 0,
            bound,
        }
    }

    /// The most bytes of an answer that it takes.
    pub(crate) fn most_bytes(bound: usize) -> usize {
        bound.saturating_mul(WRAPPING)
    }

    /// Takes bytes. `true`: the answer is over, whatever may follow.
    pub(crate) fn push(&mut self, bytes: &[u8], pieces: &mut Vec<Piece>) -> Result<bool, Stop> {
        self.came = self.came.saturating_add(bytes.len());
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
        if self.came > Self::most_bytes(self.bound) {
            return Err(Stop::TooLong);
        }
        let form = if let Some(form) = self.form {
            form
        } else {
            // Nobody said what it is. JSON begins with a bracket.
            let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) else {
                return Ok(false);
            };
            let form = if matches!(first, b'{' | b'[') {
                Form::Whole
            } else {
                Form::Events
            };
            self.form = Some(form);
            form
        };
        match form {
            Form::Whole => {
                self.whole.extend_from_slice(bytes);
                if self.whole.len() > self.bound {
                    Err(Stop::TooLong)
                } else {
                    Ok(false)
                }
            }
            Form::Events => {
                self.parser.push(bytes, &mut self.events).map_err(|_| Stop::TooLong)?;
                self.read_events(pieces)
            }
        }
    }

    /// The body ended.
    pub(crate) fn end(&mut self, pieces: &mut Vec<Piece>) -> Result<(), Stop> {
        if self.form == Some(Form::Whole) {
            let body = serde_json::from_slice(&self.whole)
                .map_err(|error| Fault::Unreadable(format!("it is not JSON: {error}")))?;
            self.decoder.whole(&body)?;
            return Ok(());
        }
        self.parser.end(&mut self.events).map_err(|_| Stop::TooLong)?;
        self.read_events(pieces)?;
        Ok(())
    }

    /// What was read, and everything as it came.
    pub(crate) fn finish(self) -> (Decoded, Option<Vec<u8>>) {
        (self.decoder.finish(), self.kept)
    }

    fn read_events(&mut self, pieces: &mut Vec<Piece>) -> Result<bool, Stop> {
        let before = pieces.len();
        for event in std::mem::take(&mut self.events) {
            // What follows an end is not part of the answer.
            if self.decoder.is_over() {
                break;
            }
            self.decoder.event(&event.name, &event.data, pieces)?;
        }
        self.said += pieces
            .iter()
            .skip(before)
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Reasoning(text) => text.len(),
                Piece::Call(_) | Piece::Restart => 0,
            })
            .sum::<usize>();
        if self.said > self.bound {
            return Err(Stop::TooLong);
        }
        Ok(self.decoder.is_over())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of answers of all wires, whole and damaged.
    const SEEDS: [&str; 14] = [
        r#"data: {"model":"m","choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"id":"x","function":{"name":"n","arguments":"{"}}]}}]}"#,
        r#"data: {"choices":[{"delta":{"reasoning_details":[{"index":0,"type":"t","text":"u"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1}}"#,
        r#"data: {"choices":[{"delta":{"content":[{"text":"a"},7],"tool_calls":[{"function":{"arguments":{"a":1}}},null]}}]}"#,
        "data: [DONE]",
        r#"{"choices":[{"message":{"content":null,"tool_calls":"none"},"finish_reason":""}],"usage":[]}"#,
        r#"event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"text":"s"}],"encrypted_content":"e"}}"#,
        r#"data: {"type":"response.completed","response":{"output":[{"type":"message","content":[{"refusal":"no"}]},{"type":"function_call"}],"usage":{"input_tokens":1.5}}}"#,
        r#"data: {"type":"message_start","message":{"model":"c","usage":{"input_tokens":3}}}"#,
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}"#,
        r#"data: {"type":"content_block_delta","index":0,"delta":{"partial_json":"{\"a\""}}"#,
        r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":18446744073709551615}}"#,
        r#"data: {"candidates":[{"content":{"parts":[{"thought":true,"text":"t"},{"functionCall":{"name":"f"},"thoughtSignature":"s"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}"#,
        r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#,
        r#"{"error":{"code":500,"message":"x"}}"#,
    ];

    #[test]
    fn no_answer_makes_a_reader_panic_and_cuts_change_nothing() {
        let mut random = fastrand::Rng::with_seed(11);
        for round in 0..6000 {
            let mut bytes: Vec<u8> = Vec::new();
            for _ in 0..random.usize(1..8) {
                bytes.extend_from_slice(SEEDS[random.usize(..SEEDS.len())].as_bytes());
                bytes.extend_from_slice(b"\n\n");
            }
            if round % 2 == 1 {
                for _ in 0..random.usize(1..6) {
                    let at = random.usize(..bytes.len());
                    match random.u8(..3) {
                        0 => bytes[at] = random.u8(..),
                        1 => drop(bytes.remove(at)),
                        _ => bytes.insert(at, b"{}[]\",:0"[random.usize(..8)]),
                    }
                }
            }
            let kind = ["text/event-stream", "application/json", ""][random.usize(..3)];
            for wire in Wire::ALL {
                let read = |cuts: &mut dyn FnMut(usize) -> usize| {
                    let mut reading = Reading::new(wire, "call".into(), kind, true, 1 << 16);
                    let mut pieces = Vec::new();
                    let mut rest: &[u8] = &bytes;
                    let mut result = Ok(false);
                    while !rest.is_empty() && result == Ok(false) {
                        let (head, tail) = rest.split_at(cuts(rest.len()));
                        result = reading.push(head, &mut pieces);
                        rest = tail;
                    }
                    let end = if result == Ok(false) {
                        reading.end(&mut pieces)
                    } else {
                        result.map(|_| ())
                    };
                    (end, reading.finish().0)
                };
                let whole = read(&mut |length| length);
                let mut random = fastrand::Rng::with_seed(round);
                let cut = read(&mut |length| random.usize(1..=length.min(50)));
                if whole.0.is_ok() {
                    assert_eq!(cut, whole, "{wire} {kind} {}", String::from_utf8_lossy(&bytes));
                }
            }
        }
    }

    #[test]
    fn an_answer_has_a_bound_in_every_form() {
        let long = "x".repeat(3000);
        for (kind, body) in [
            (
                "text/event-stream",
                format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{long}\"}}}}]}}\n\n"),
            ),
            ("text/event-stream", format!("data: {long}")),
            (
                "application/json",
                format!("{{\"choices\":[{{\"message\":{{\"content\":\"{long}\"}}}}]}}"),
            ),
            ("text/event-stream", format!(": {}\n\n", "y\n: ".repeat(4000))),
        ] {
            let mut reading = Reading::new(Wire::Chat, "call".into(), kind, false, 1000);
            let result = reading.push(body.as_bytes(), &mut Vec::new());
            assert_eq!(result, Err(Stop::TooLong), "{kind} {}", &body[..40]);
        }
    }
}
