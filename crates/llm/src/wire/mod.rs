//! What goes over the network: requests written for each wire, answers read from it.
//!
//! Answers are read tolerantly. A field that has another type than it should, or that nobody knows, is passed over; only
//! what makes an answer unreadable is a fault.

mod assembly;
mod chat;
mod embeddings;
mod failure;
mod gemini;
mod messages;
mod responses;

use seatrial_core::{Finish, Part, Usage};
use serde_json::Value;

pub(crate) use self::failure::{Failure, classify, status_of};
use crate::{Piece, Request, Wire, quirks::Quirks};

/// All that decides how a request is written.
pub(crate) struct Outgoing<'a> {
    pub(crate) model: &'a str,
    pub(crate) request: &'a Request,
    pub(crate) quirks: &'a Quirks,
    /// The bound on the answer's tokens.
    pub(crate) output: Option<u64>,
}

/// Why an answer cannot be read.
#[derive(Debug, PartialEq)]
pub(crate) enum Fault {
    /// It is not in the wire's form.
    Unreadable(String),
    /// The provider reports an error in the middle of it.
    Provider(Value),
}

/// An answer, read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Decoded {
    pub(crate) parts: Vec<Part>,
    /// `None` when the answer does not say why it ended: it broke off.
    pub(crate) finish: Option<Finish>,
    pub(crate) usage: Usage,
    pub(crate) answered_by: Option<String>,
    /// The provider's words, when it declined.
    pub(crate) refusal: Option<String>,
    /// The cost in US dollars, where the provider tells it.
    pub(crate) cost: Option<f64>,
}

/// Reads an answer of one wire.
pub(crate) trait Decoder {
    /// Takes one event of a stream.
    fn event(&mut self, name: &str, data: &str, pieces: &mut Vec<Piece>) -> Result<(), Fault>;

    /// Takes an answer that came in one piece.
    fn whole(&mut self, body: &Value) -> Result<(), Fault>;

    /// Whether nothing more will come.
    fn is_over(&self) -> bool;

    /// What was read so far.
    fn finish(self: Box<Self>) -> Decoded;
}

impl Wire {
    /// The body of a request.
    pub(crate) fn encode(self, outgoing: &Outgoing<'_>) -> Value {
        match self {
            Self::Chat => chat::encode(outgoing),
            Self::Responses => responses::encode(outgoing),
            Self::Messages => messages::encode(outgoing),
            Self::Gemini => gemini::encode(outgoing),
            Self::Embeddings => embeddings::encode(outgoing),
        }
    }

    /// A reader for one answer; `prefix` begins the ids of calls that the provider gives none.
    pub(crate) fn decoder(self, prefix: String) -> Box<dyn Decoder> {
        match self {
            Self::Chat => Box::new(chat::Reader::new(prefix)),
            Self::Responses => Box::new(responses::Reader::new(prefix)),
            Self::Messages => Box::new(messages::Reader::new(prefix)),
            Self::Gemini => Box::new(gemini::Reader::new(prefix)),
            Self::Embeddings => Box::new(embeddings::Reader::default()),
        }
    }

    /// Where a request goes.
    pub(crate) fn url(self, base: &str, model: &str, stream: bool) -> String {
        let (base, query) = base
            .split_once('?')
            .map_or((base, None), |(base, query)| (base, Some(query)));
        let base = base.trim_end_matches('/');
        let mut url = match self {
            Self::Chat => format!("{base}/chat/completions"),
            Self::Responses => format!("{base}/responses"),
            Self::Embeddings => format!("{base}/embeddings"),
            Self::Messages if base.ends_with("/v1") => format!("{base}/messages"),
            Self::Messages => format!("{base}/v1/messages"),
            Self::Gemini => {
                let model = model.strip_prefix("models/").unwrap_or(model);
                let verb = if stream {
                    "streamGenerateContent?alt=sse"
                } else {
                    "generateContent"
                };
                format!("{base}/models/{}:{verb}", percent_encoded(model))
            }
        };
        if let Some(query) = query {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(query);
        }
        url
    }

    /// Headers that every request has.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Messages => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }
}

/// A name as a part of a path; `#` and `?` would end it.
fn percent_encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~@:/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            use std::fmt::Write as _;
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// The data of an event as JSON.
fn parse(data: &str) -> Result<Value, Fault> {
    serde_json::from_str(data).map_err(|error| Fault::Unreadable(format!("it is not JSON: {error}")))
}

/// A text field, when it is one and not empty.
fn text<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    value.pointer(path)?.as_str().filter(|text| !text.is_empty())
}

/// A count. Some write it as a float.
fn count(value: &Value, path: &str) -> Option<u64> {
    let number = value.pointer(path)?;
    number.as_u64().or_else(|| {
        number
            .as_f64()
            .filter(|number| *number >= 0.0)
            .map(|number| number as u64)
    })
}

/// A call's arguments as a text, however they came.
fn arguments(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A call's arguments as an object, for wires that take nothing else.
fn arguments_object(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => object,
        _ if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        // What the model wrote must stay in sight, or it would not understand the answer to it.
        _ => serde_json::json!({ "unreadable": text }),
    }
}

#[cfg(test)]
mod tests {
    use seatrial_core::{Message, Role, ToolCall};
    use serde_json::json;

    use super::*;
    use crate::{JsonSchema, ToolProtocol, ToolSpec, provider};

    fn some_text(random: &mut fastrand::Rng) -> String {
        ["", " ", "word", "ü 😀", "{\"a\":1}", "```tool\n{}\n```", "{broken"][random.usize(..7)].to_owned()
    }

    fn some_part(random: &mut fastrand::Rng) -> Part {
        let id = ["", "call_1", "a:b/c", "ü"][random.usize(..4)].to_owned();
        let opaque = [
            None,
            Some(json!({"type": "thinking", "thinking": "t", "signature": "s"})),
            Some(json!({"type": "reasoning", "encrypted_content": "e"})),
            Some(json!({"thoughtSignature": "s"})),
            Some(json!({"reasoning_details": [{"type": "x"}]})),
            Some(json!(7)),
        ];
        match random.u8(..4) {
            0 => Part::Text {
                text: some_text(random),
            },
            1 => Part::Reasoning {
                text: some_text(random),
                opaque: opaque[random.usize(..opaque.len())].clone(),
            },
            2 => Part::ToolCall(ToolCall {
                id,
                name: "shell".into(),
                arguments: some_text(random),
            }),
            _ => Part::ToolResult {
                id,
                content: some_text(random),
                failed: random.bool(),
            },
        }
    }

    #[test]
    fn any_conversation_is_written_in_a_form_that_providers_take() {
        let mut random = fastrand::Rng::with_seed(31);
        let roles = [Role::System, Role::User, Role::Assistant, Role::Tool];
        for _ in 0..3000 {
            let messages = (0..random.usize(..8))
                .map(|_| Message {
                    role: roles[random.usize(..4)],
                    parts: (0..random.usize(..4)).map(|_| some_part(&mut random)).collect(),
                })
                .collect();
            let mut request = Request::new(messages).with_tools(vec![ToolSpec {
                name: "shell".into(),
                description: "Runs a command.".into(),
                parameters: json!({"type": ["object", "null"], "additionalProperties": false, "properties": {"a": {"type": "string"}}}),
            }]);
            request.schema = random.bool().then(|| JsonSchema {
                name: "answer".into(),
                schema: json!({"type": "object"}),
            });
            let names = ["openai", "openrouter", "deepseek", "anthropic", "gemini"];
            let mut quirks = Quirks::of(provider(names[random.usize(..5)]).unwrap(), ToolProtocol::Auto);
            quirks.reasoning = random.bool();
            quirks.gemini_schema = random.bool();
            for wire in Wire::ALL {
                let body = wire.encode(&Outgoing {
                    model: "m",
                    request: &request,
                    quirks: &quirks,
                    output: None,
                });
                check(wire, &body);
            }
        }
    }

    /// What each provider insists on.
    fn check(wire: Wire, body: &Value) {
        let turns = |field: &str| body[field].as_array().unwrap().clone();
        match wire {
            Wire::Chat => {
                for turn in turns("messages") {
                    let says = turn["content"].as_str().is_some_and(|text| !text.is_empty());
                    assert!(
                        says || turn["tool_calls"].is_array() || turn["role"] == "tool",
                        "{turn}"
                    );
                }
            }
            Wire::Embeddings => assert!(body["input"].is_array(), "{body}"),
            Wire::Responses => assert!(turns("input").iter().all(|item| item["type"].is_string()), "{body}"),
            Wire::Messages | Wire::Gemini => {
                let (field, inner) = if wire == Wire::Messages {
                    ("messages", "content")
                } else {
                    ("contents", "parts")
                };
                let turns = turns(field);
                for pair in turns.windows(2) {
                    assert_ne!(pair[0]["role"], pair[1]["role"], "{body}");
                }
                for turn in &turns {
                    let blocks = turn[inner].as_array().unwrap();
                    assert!(!blocks.is_empty(), "{body}");
                    for block in blocks {
                        let id = block["id"].as_str().or(block["tool_use_id"].as_str()).unwrap_or("a");
                        assert!(
                            id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'),
                            "{block}"
                        );
                        let is_empty = block["text"].as_str().is_some_and(str::is_empty);
                        assert!(!is_empty || block.get("thoughtSignature").is_some(), "{block}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_request_goes_where_its_wire_wants_it() {
        for (wire, base, stream, url) in [
            (Wire::Chat, "http://h/v1/", true, "http://h/v1/chat/completions"),
            (
                Wire::Chat,
                "http://h/o?api-version=1",
                true,
                "http://h/o/chat/completions?api-version=1",
            ),
            (Wire::Responses, "http://h/v1", true, "http://h/v1/responses"),
            (Wire::Embeddings, "http://h/v1/", true, "http://h/v1/embeddings"),
            (Wire::Messages, "http://h", true, "http://h/v1/messages"),
            (Wire::Messages, "http://h/v1", true, "http://h/v1/messages"),
            (
                Wire::Gemini,
                "http://h/v1beta",
                true,
                "http://h/v1beta/models/a%23b:streamGenerateContent?alt=sse",
            ),
            (
                Wire::Gemini,
                "http://h/v1beta?x=1",
                false,
                "http://h/v1beta/models/a%23b:generateContent?x=1",
            ),
        ] {
            assert_eq!(wire.url(base, "a#b", stream), url);
        }
    }
}
