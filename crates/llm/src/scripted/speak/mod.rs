//! The wires from the server's side: what a request says, and how an answer is written.

mod chat;
mod embeddings;
mod gemini;
mod messages;
mod responses;

use seatrial_core::Finish;
use serde_json::{Value, json};

use super::{Answer, ScriptedUsage, stage::Turn};
use crate::Wire;

/// What a request says, as far as a script cares.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    pub(super) model: String,
    pub(super) streams: bool,
    /// The rules.
    pub(super) system: String,
    /// The first thing that a user says.
    pub(super) first: String,
    /// What was said since the model's last turn.
    pub(super) last: String,
    /// Everything.
    pub(super) all: String,
    /// Texts of which vectors are wanted.
    pub(super) inputs: Vec<String>,
}

/// An answer, with all that a wire wants to know.
#[derive(Debug)]
pub(super) struct Saying {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) reasoning: String,
    pub(super) text: String,
    /// Id, name and arguments.
    pub(super) calls: Vec<(String, String, String)>,
    pub(super) finish: Finish,
    pub(super) usage: Option<ScriptedUsage>,
    pub(super) vectors: Vec<Vec<f32>>,
    piece: usize,
}

/// Characters of a piece.
const USUAL_PIECE: usize = 24;

impl Saying {
    pub(super) fn new(turn: &Turn, view: &View, piece: Option<usize>) -> Self {
        let Answer {
            reasoning,
            text,
            calls,
            finish,
            usage,
            hides_usage,
            ..
        } = &turn.answer;
        let calls: Vec<_> = calls
            .iter()
            .enumerate()
            .map(|(number, call)| {
                (
                    format!("call_{}_{number}", turn.given),
                    call.name.clone(),
                    call.written(),
                )
            })
            .collect();
        let said = reasoning.len() + text.len() + calls.iter().map(|call| call.2.len()).sum::<usize>();
        let guess = ScriptedUsage {
            input: view.all.len() as u64 / 4 + 1,
            output: said as u64 / 4 + 1,
            cached: 0,
            reasoning: reasoning.len() as u64 / 4,
        };
        let usual = if calls.is_empty() {
            Finish::Stop
        } else {
            Finish::ToolCalls
        };
        Self {
            id: format!("scripted-{}", turn.given),
            model: view.model.clone(),
            reasoning: reasoning.clone(),
            text: text.clone(),
            finish: finish.unwrap_or(usual),
            usage: (!hides_usage).then(|| usage.unwrap_or(guess)),
            vectors: view.inputs.iter().map(|text| embeddings::vector(text)).collect(),
            piece: piece.unwrap_or(USUAL_PIECE).max(1),
            calls,
        }
    }

    /// A text in pieces. A long one comes in larger pieces: what is huge shall not take for ever.
    fn pieces(&self, text: &str) -> Vec<String> {
        let size = self.piece.max(text.len() / 2000);
        let characters: Vec<char> = text.chars().collect();
        characters.chunks(size).map(|piece| piece.iter().collect()).collect()
    }
}

/// Why a provider does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum No<'a> {
    Status(u16, &'a str),
    Parameter(&'a str),
    ContextFull,
    Refusal,
    UnknownModel,
    BadKey,
    Credit,
}

impl Wire {
    /// The wire that a path belongs to.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/embeddings") {
            Some(Self::Embeddings)
        } else if path.ends_with("/messages") {
            Some(Self::Messages)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    pub(super) fn view(self, path: &str, body: &Value) -> View {
        let mut view = match self {
            Self::Chat => chat::view(body),
            Self::Responses => responses::view(body),
            Self::Messages => messages::view(body),
            Self::Gemini => gemini::view(path, body),
            Self::Embeddings => embeddings::view(body),
        };
        view.all = body.to_string();
        view
    }

    /// An answer in one piece.
    pub(super) fn whole(self, saying: &Saying) -> Value {
        match self {
            Self::Chat => chat::whole(saying),
            Self::Responses => responses::whole(saying),
            Self::Messages => messages::whole(saying),
            Self::Gemini => gemini::whole(saying),
            Self::Embeddings => embeddings::whole(saying),
        }
    }

    /// An answer as the blocks of a stream.
    pub(super) fn blocks(self, saying: &Saying) -> Vec<String> {
        match self {
            Self::Chat => chat::blocks(saying),
            Self::Responses => responses::blocks(saying),
            Self::Messages => messages::blocks(saying),
            Self::Gemini => gemini::blocks(saying),
            Self::Embeddings => Vec::new(),
        }
    }

    /// An error in the middle of a stream.
    pub(super) fn midway(self) -> String {
        match self {
            Self::Chat | Self::Embeddings => block(
                None,
                &json!({"error": {"message": "the model stumbled", "type": "server_error", "code": 502}}),
            ),
            Self::Responses => block(
                Some("error"),
                &json!({"type": "error", "code": "server_error", "message": "the model stumbled"}),
            ),
            Self::Messages => {
                let error = json!({"type": "overloaded_error", "message": "the model stumbled"});
                block(Some("error"), &json!({"type": "error", "error": error}))
            }
            Self::Gemini => block(
                None,
                &json!({"error": {"code": 503, "message": "the model stumbled", "status": "UNAVAILABLE"}}),
            ),
        }
    }

    /// A status and a body that say no as this wire's provider does.
    pub(super) fn no(self, no: No<'_>) -> (u16, Value) {
        match self {
            Self::Chat | Self::Responses | Self::Embeddings => openai_no(no),
            Self::Messages => messages::no(no),
            Self::Gemini => gemini::no(no),
        }
    }

    /// Whether a request sends a parameter.
    pub(super) fn sends(body: &Value, parameter: &str) -> bool {
        body.get(parameter).is_some()
            || body.pointer(&format!("/generationConfig/{parameter}")).is_some()
            || (parameter == "response_format" && body.pointer("/text/format").is_some())
    }
}

/// A block of a stream.
fn block(name: Option<&str>, data: &Value) -> String {
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

fn openai_no(no: No<'_>) -> (u16, Value) {
    let (status, kind, code, message) = match no {
        No::Status(status, message) => (status, "server_error", "", message.to_owned()),
        No::Parameter("tools") => (
            400,
            "invalid_request_error",
            "unsupported_parameter",
            "This model does not support tools.".to_owned(),
        ),
        No::Parameter(name) => (
            400,
            "invalid_request_error",
            "unsupported_parameter",
            format!("Unsupported parameter: '{name}' is not supported with this model."),
        ),
        No::ContextFull => (
            400,
            "invalid_request_error",
            "context_length_exceeded",
            "Your input exceeds the context window of this model.".to_owned(),
        ),
        No::Refusal => (
            400,
            "invalid_request_error",
            "content_filter",
            "The request was declined by the content filter.".to_owned(),
        ),
        No::UnknownModel => (
            404,
            "invalid_request_error",
            "model_not_found",
            "The model does not exist or you do not have access to it.".to_owned(),
        ),
        No::BadKey => (
            401,
            "invalid_request_error",
            "invalid_api_key",
            "Incorrect API key provided.".to_owned(),
        ),
        No::Credit => (
            429,
            "insufficient_quota",
            "insufficient_quota",
            "You exceeded your current quota, check your plan.".to_owned(),
        ),
    };
    (
        status,
        json!({"error": {"message": message, "type": kind, "code": code}}),
    )
}

/// All texts in a value, whatever the fields are called: good enough to look for words.
fn texts(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, into)),
        Value::Object(fields) => {
            let telling = [
                "text",
                "content",
                "output",
                "response",
                "input_text",
                "error",
                "parts",
                "functionResponse",
            ];
            for (name, value) in fields {
                if telling.contains(&name.as_str()) {
                    texts(value, into);
                }
            }
        }
        _ => {}
    }
}

/// Sorts the turns of a conversation: rules, the first words of a user, what came after the model's last turn.
fn sort(turns: &[Value], is_model: impl Fn(&Value) -> bool, is_rules: impl Fn(&Value) -> bool, view: &mut View) {
    let rules = turns.iter().filter(|turn| is_rules(turn));
    rules.for_each(|turn| texts(turn, &mut view.system));
    let first = turns.iter().find(|turn| !is_rules(turn) && !is_model(turn));
    if let Some(turn) = first {
        texts(turn, &mut view.first);
    }
    let after = turns.iter().rposition(is_model).map_or(0, |at| at + 1);
    let last = turns.iter().skip(after).filter(|turn| !is_rules(turn));
    last.for_each(|turn| texts(turn, &mut view.last));
}

fn turns<'a>(body: &'a Value, field: &str) -> &'a [Value] {
    body.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn named(body: &Value) -> View {
    View {
        model: body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        ..View::default()
    }
}
