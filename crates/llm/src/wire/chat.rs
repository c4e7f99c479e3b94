//! Chat completions.

use seatrial_core::{Finish, Message, Part, Role};
use serde_json::{Map, Value, json};

use super::{Decoded, Decoder, Fault, Outgoing, arguments, assembly::Assembly, count, parse, text};
use crate::{JsonSchema, Piece, ToolChoice, ToolSpec, providers::ReasoningBack, quirks::SchemaForm};

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Value {
    let Outgoing { request, quirks, .. } = outgoing;
    let mut body = Map::new();
    body.insert("model".into(), json!(outgoing.model));
    let back = quirks.reasoning_back.filter(|_| quirks.reasoning);
    body.insert(
        "messages".into(),
        encode_messages(&request.messages, back, quirks.fills_reasoning),
    );
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(encode_tool).collect());
        if quirks.tool_choice {
            let choice = match &request.tool_choice {
                ToolChoice::Auto => json!("auto"),
                ToolChoice::None => json!("none"),
                ToolChoice::Required => json!("required"),
                ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
            };
            body.insert("tool_choice".into(), choice);
        }
    }
    if let Some(bound) = outgoing.output.filter(|_| quirks.sends_output_bound) {
        body.insert(quirks.output_bound.name().into(), json!(bound));
    }
    if let Some(temperature) = request.temperature.filter(|_| quirks.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(JsonSchema { name, schema }) = &request.schema {
        let format = match quirks.schema {
            SchemaForm::Native => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": name, "schema": schema, "strict": true},
            })),
            SchemaForm::JsonObject => Some(json!({"type": "json_object"})),
            SchemaForm::Words => None,
        };
        body.extend(format.map(|format| ("response_format".to_owned(), format)));
    }
    if quirks.asks_cost {
        body.insert("usage".into(), json!({"include": true}));
    }
    if quirks.stream {
        body.insert("stream".into(), json!(true));
        if quirks.usage_in_stream {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
    }
    Value::Object(body)
}

fn encode_tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}

fn encode_messages(messages: &[Message], back: Option<ReasoningBack>, fills: bool) -> Value {
    let mut encoded = Vec::new();
    for message in messages {
        for part in &message.parts {
            if let Part::ToolResult { id, content, .. } = part {
                encoded.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
            }
        }
        let role = match message.role {
            Role::System => "system",
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        encoded.extend(encode_message(message, role, back, fills));
    }
    Value::Array(encoded)
}

fn encode_message(message: &Message, role: &str, back: Option<ReasoningBack>, fills: bool) -> Option<Value> {
    let content = message.plain_text();
    let calls: Vec<Value> = message
        .tool_calls()
        .map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })
        })
        .collect();
    // An empty message is refused by most.
    if content.is_empty() && calls.is_empty() {
        return None;
    }
    let mut encoded = Map::new();
    encoded.insert("role".into(), json!(role));
    encoded.insert(
        "content".into(),
        if content.is_empty() {
            Value::Null
        } else {
            json!(content)
        },
    );
    if !calls.is_empty() {
        encoded.insert("tool_calls".into(), Value::Array(calls));
    }
    if message.role == Role::Assistant {
        encoded.extend(back.and_then(|back| reasoning_back(message, back, fills)));
    }
    Some(Value::Object(encoded))
}

fn reasoning_back(message: &Message, back: ReasoningBack, fills: bool) -> Option<(String, Value)> {
    match back {
        ReasoningBack::ReasoningContent => {
            let thoughts: Vec<&str> = message
                .parts
                .iter()
                .filter_map(|part| match part {
                    Part::Reasoning { text, .. } if !text.is_empty() => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            // Those who insist on it refuse an empty one.
            let thought = match thoughts.join("\n") {
                none if none.is_empty() => fills.then(|| " ".to_owned())?,
                some => some,
            };
            Some(("reasoning_content".to_owned(), json!(thought)))
        }
        ReasoningBack::ReasoningDetails => message.parts.iter().find_map(|part| match part {
            Part::Reasoning {
                opaque: Some(opaque), ..
            } => {
                let details = opaque.get("reasoning_details")?;
                Some(("reasoning_details".to_owned(), details.clone()))
            }
            _ => None,
        }),
    }
}

/// A call whose pieces are coming in.
#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// Reads an answer.
#[derive(Debug)]
pub(super) struct Reader {
    assembly: Assembly,
    calls: Vec<Call>,
    details: Vec<Value>,
    is_done: bool,
}

impl Reader {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            assembly: Assembly::new(prefix),
            calls: Vec::new(),
            details: Vec::new(),
            is_done: false,
        }
    }

    /// A chunk of a stream, or a whole answer: they differ in the name of the field that holds what is said.
    fn read(&mut self, body: &Value, said: &str, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        if body.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Fault::Provider(body.clone()));
        }
        if let Some(model) = text(body, "/model") {
            self.assembly.answered_by = Some(model.to_owned());
        }
        // Some put the usage into the choice.
        for place in ["/usage", "/choices/0/usage", "/x_groq/usage"] {
            if let Some(usage) = body.pointer(place).filter(|usage| usage.is_object()) {
                self.read_usage(usage);
            }
        }
        let Some(choice) = body.pointer("/choices/0") else {
            return Ok(());
        };
        if let Some(message) = choice.get(said) {
            self.read_message(message, pieces);
        }
        if let Some(reason) = text(choice, "/finish_reason") {
            self.assembly.finish = Some(match reason {
                "stop" | "eos_token" | "eos" | "stop_sequence" => Finish::Stop,
                "tool_calls" | "function_call" => Finish::ToolCalls,
                "length" | "max_tokens" => Finish::Length,
                "content_filter" | "refusal" | "sensitive" => Finish::Refusal,
                _ => Finish::Other,
            });
        }
        Ok(())
    }

    fn read_message(&mut self, message: &Value, pieces: &mut Vec<Piece>) {
        let thought = text(message, "/reasoning_content").or_else(|| text(message, "/reasoning"));
        self.assembly.reasoning(thought.unwrap_or_default(), pieces);
        if let Some(Value::Array(details)) = message.get("reasoning_details") {
            for detail in details {
                self.add_detail(detail);
            }
        }
        match message.get("content") {
            Some(Value::String(content)) => self.assembly.text(content, pieces),
            Some(Value::Array(contents)) => {
                for content in contents {
                    if let Some(thought) = text(content, "/thinking/0/text").or_else(|| text(content, "/thinking")) {
                        self.assembly.reasoning(thought, pieces);
                    }
                    self.assembly.text(text(content, "/text").unwrap_or_default(), pieces);
                }
            }
            _ => {}
        }
        if let Some(refusal) = text(message, "/refusal") {
            self.assembly.refusal.get_or_insert_default().push_str(refusal);
        }
        if let Some(Value::Array(calls)) = message.get("tool_calls") {
            for call in calls {
                self.read_call(call, pieces);
            }
        }
    }

    fn read_call(&mut self, piece: &Value, pieces: &mut Vec<Piece>) {
        let id = text(piece, "/id").unwrap_or_default();
        let index = count(piece, "/index");
        let known = if index.is_some() {
            self.calls.iter().position(|call| call.index == index)
        } else {
            // Without an index, a piece with another id begins a call, and one without an id continues the last. A piece
            // that brings a name and no id begins one too.
            let begins = if id.is_empty() {
                text(piece, "/function/name").is_some()
            } else {
                true
            };
            match self.calls.iter().position(|call| !id.is_empty() && call.id == id) {
                Some(place) => Some(place),
                None if begins => None,
                None => self.calls.len().checked_sub(1),
            }
        };
        if known.is_none() {
            self.calls.push(Call {
                index,
                ..Call::default()
            });
        }
        let place = known.unwrap_or(self.calls.len() - 1);
        let Some(call) = self.calls.get_mut(place) else { return };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if let Some(name) = text(piece, "/function/name")
            && call.name.is_empty()
        {
            name.clone_into(&mut call.name);
            pieces.push(Piece::Call(name.to_owned()));
        }
        if let Some(more) = piece.pointer("/function/arguments") {
            call.arguments.push_str(&arguments(more));
        }
    }

    /// Pieces of a detail have the same index; their texts are joined.
    fn add_detail(&mut self, piece: &Value) {
        let same = |detail: &&mut Value| {
            piece.get("index").is_some()
                && detail.get("index") == piece.get("index")
                && detail.get("type") == piece.get("type")
        };
        let (Some(detail), Some(fields)) = (self.details.iter_mut().find(same), piece.as_object()) else {
            self.details.push(piece.clone());
            return;
        };
        for (name, value) in fields {
            let is_text = matches!(name.as_str(), "text" | "summary" | "data");
            match (detail.get_mut(name), value) {
                (Some(Value::String(text)), Value::String(more)) if is_text => text.push_str(more),
                (_, Value::Null) => {}
                _ => {
                    if let Value::Object(detail) = detail {
                        detail.insert(name.clone(), value.clone());
                    }
                }
            }
        }
    }

    fn read_usage(&mut self, told: &Value) {
        let usage = &mut self.assembly.usage;
        usage.input = count(told, "/prompt_tokens").or(usage.input);
        usage.output = count(told, "/completion_tokens").or(usage.output);
        usage.cached_input = count(told, "/prompt_tokens_details/cached_tokens")
            .or_else(|| count(told, "/prompt_cache_hit_tokens"))
            .or_else(|| count(told, "/cached_tokens"))
            .or(usage.cached_input);
        usage.cache_write = count(told, "/prompt_tokens_details/cache_write_tokens").or(usage.cache_write);
        usage.reasoning = count(told, "/completion_tokens_details/reasoning_tokens").or(usage.reasoning);
        self.assembly.cost = told.get("cost").and_then(Value::as_f64).or(self.assembly.cost);
    }
}

impl Decoder for Reader {
    fn event(&mut self, _name: &str, data: &str, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        self.read(&parse(data)?, "delta", pieces)
    }

    fn whole(&mut self, body: &Value) -> Result<(), Fault> {
        let had_choice = body.pointer("/choices/0").is_some();
        self.read(body, "message", &mut Vec::new())?;
        if !had_choice {
            return Err(Fault::Unreadable("it has no choices".to_owned()));
        }
        self.is_done = true;
        // A whole answer is whole, also without a reason.
        self.assembly.finish.get_or_insert(Finish::Stop);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_done
    }

    fn finish(mut self: Box<Self>) -> Decoded {
        // The mark at the end says that it is whole, also when no reason was given.
        if self.is_done && self.assembly.finish.is_none() {
            let has_something = !self.calls.is_empty();
            self.assembly.finish = Some(if has_something { Finish::ToolCalls } else { Finish::Stop });
        }
        self.assembly.split_thoughts();
        for call in std::mem::take(&mut self.calls) {
            self.assembly.call(&call.id, &call.name, call.arguments);
        }
        if !self.details.is_empty() {
            let details = std::mem::take(&mut self.details);
            self.assembly.set_opaque(json!({ "reasoning_details": details }));
        }
        self.assembly.done()
    }
}
