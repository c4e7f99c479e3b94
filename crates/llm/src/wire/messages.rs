//! Anthropic's Messages.

use std::collections::BTreeMap;

use seatrial_core::{Finish, Message, Part, Role};
use serde_json::{Map, Value, json};

use super::{
    Decoded, Decoder, Fault, Outgoing, arguments, arguments_object,
    assembly::{Assembly, greatest},
    count, parse, text,
};
use crate::{Piece, ToolChoice, meter::USUAL_OUTPUT};

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Value {
    let Outgoing { request, quirks, .. } = outgoing;
    let mut body = Map::new();
    body.insert("model".into(), json!(outgoing.model));
    body.insert("max_tokens".into(), json!(outgoing.output.unwrap_or(USUAL_OUTPUT)));
    let rules: Vec<String> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(Message::plain_text)
        .filter(|text| !text.is_empty())
        .collect();
    if !rules.is_empty() {
        let mut block = json!({"type": "text", "text": rules.join("\n\n")});
        mark(&mut block, quirks.cache_marks);
        body.insert("system".into(), json!([block]));
    }
    body.insert(
        "messages".into(),
        encode_messages(&request.messages, quirks.reasoning, quirks.cache_marks),
    );
    if !request.tools.is_empty() {
        let tools = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}));
        body.insert("tools".into(), tools.collect());
        if quirks.tool_choice && request.tool_choice != ToolChoice::Auto {
            let choice = match &request.tool_choice {
                ToolChoice::Auto => json!({"type": "auto"}),
                ToolChoice::None => json!({"type": "none"}),
                ToolChoice::Required => json!({"type": "any"}),
                ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
            };
            body.insert("tool_choice".into(), choice);
        }
    }
    if let Some(temperature) = request.temperature.filter(|_| quirks.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    if quirks.stream {
        body.insert("stream".into(), json!(true));
    }
    Value::Object(body)
}

/// Marks a block as the end of what shall be cached: the next request begins in the same way.
fn mark(block: &mut Value, marks: bool) {
    if let Value::Object(block) = block
        && marks
    {
        block.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
}

fn encode_messages(messages: &[Message], reasoning: bool, marks: bool) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let role = match message.role {
            Role::System => continue,
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        let blocks: Vec<Value> = message
            .parts
            .iter()
            .filter_map(|part| encode_part(part, reasoning))
            .collect();
        if blocks.is_empty() {
            continue;
        }
        // Turns must alternate: results of parallel calls and what is said after them are one.
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if let Some(block) = turns.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        let is_thought = block["type"] == "thinking" || block["type"] == "redacted_thinking";
        mark(block, marks && !is_thought);
    }
    turns
        .into_iter()
        .map(|(role, blocks)| json!({"role": role, "content": blocks}))
        .collect()
}

fn encode_part(part: &Part, reasoning: bool) -> Option<Value> {
    match part {
        Part::Text { text } => (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text})),
        Part::Reasoning { opaque, .. } => opaque
            .clone()
            .filter(|block| reasoning && (block["type"] == "thinking" || block["type"] == "redacted_thinking")),
        Part::ToolCall(call) => Some(json!({
            "type": "tool_use",
            "id": plain_id(&call.id),
            "name": call.name,
            "input": arguments_object(&call.arguments),
        })),
        Part::ToolResult { id, content, failed } => Some(json!({
            "type": "tool_result",
            "tool_use_id": plain_id(id),
            "content": content,
            "is_error": failed,
        })),
    }
}

/// Ids that another provider gave may hold what this one refuses.
fn plain_id(id: &str) -> String {
    id.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect()
}

/// A block that is coming in.
#[derive(Debug)]
struct Block {
    start: Value,
    text: String,
    signature: String,
}

/// Reads an answer.
#[derive(Debug)]
pub(super) struct Reader {
    assembly: Assembly,
    blocks: BTreeMap<u64, Block>,
    /// Tokens of the request outside of the cache.
    fresh_input: Option<u64>,
    is_over: bool,
}

impl Reader {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            assembly: Assembly::new(prefix),
            blocks: BTreeMap::new(),
            fresh_input: None,
            is_over: false,
        }
    }

    fn read_usage(&mut self, told: &Value) {
        // Gateways tell some counts at the start, some at the end, and zero in the other place.
        greatest(&mut self.fresh_input, count(told, "/input_tokens"));
        let usage = &mut self.assembly.usage;
        greatest(&mut usage.cached_input, count(told, "/cache_read_input_tokens"));
        greatest(&mut usage.cache_write, count(told, "/cache_creation_input_tokens"));
        greatest(&mut usage.output, count(told, "/output_tokens"));
        usage.input = self.fresh_input.map(|fresh| {
            let cached = usage
                .cached_input
                .unwrap_or(0)
                .saturating_add(usage.cache_write.unwrap_or(0));
            fresh.saturating_add(cached)
        });
    }

    fn read_stop(&mut self, holder: &Value) {
        if let Some(reason) = text(holder, "/stop_reason") {
            self.assembly.finish = Some(match reason {
                "end_turn" | "stop_sequence" => Finish::Stop,
                "tool_use" => Finish::ToolCalls,
                "max_tokens" | "model_context_window_exceeded" => Finish::Length,
                "refusal" => Finish::Refusal,
                _ => Finish::Other,
            });
        }
    }

    fn read_head(&mut self, message: &Value) {
        if let Some(model) = text(message, "/model") {
            self.assembly.answered_by = Some(model.to_owned());
        }
        self.read_usage(&message["usage"]);
        self.read_stop(message);
    }

    fn add_block(&mut self, index: u64, start: &Value) {
        let block = Block {
            start: start.clone(),
            text: String::new(),
            signature: String::new(),
        };
        self.blocks.insert(index, block);
    }

    fn read_delta(&mut self, event: &Value, pieces: &mut Vec<Piece>) {
        let Some(block) = count(event, "/index").and_then(|index| self.blocks.get_mut(&index)) else {
            return;
        };
        let delta = &event["delta"];
        if let Some(more) = text(delta, "/text") {
            block.text.push_str(more);
            pieces.push(Piece::Text(more.to_owned()));
        }
        if let Some(more) = text(delta, "/thinking") {
            block.text.push_str(more);
            pieces.push(Piece::Reasoning(more.to_owned()));
        }
        if let Some(more) = text(delta, "/partial_json") {
            block.text.push_str(more);
        }
        if let Some(more) = text(delta, "/signature") {
            block.signature.push_str(more);
        }
    }

    fn read_blocks(&mut self) {
        for (
            _,
            Block {
                start,
                text: came,
                signature,
            },
        ) in std::mem::take(&mut self.blocks)
        {
            let joined = |field: &str| format!("{}{came}", text(&start, field).unwrap_or_default());
            match text(&start, "/type").unwrap_or_default() {
                "text" => self.assembly.text(&joined("/text"), &mut Vec::new()),
                "thinking" => {
                    let thought = joined("/thinking");
                    let signature = format!("{}{signature}", text(&start, "/signature").unwrap_or_default());
                    // Without a signature it would be refused when it is handed back.
                    let opaque = (!signature.is_empty())
                        .then(|| json!({"type": "thinking", "thinking": thought, "signature": signature}));
                    self.assembly.push(Part::Reasoning { text: thought, opaque });
                }
                "redacted_thinking" => self.assembly.push(Part::Reasoning {
                    text: String::new(),
                    opaque: Some(start),
                }),
                "tool_use" => {
                    let arguments = if came.is_empty() {
                        arguments(&start["input"])
                    } else {
                        came
                    };
                    let id = text(&start, "/id").unwrap_or_default();
                    self.assembly
                        .call(id, text(&start, "/name").unwrap_or_default(), arguments);
                }
                _ => {}
            }
        }
    }
}

impl Decoder for Reader {
    fn event(&mut self, name: &str, data: &str, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        let event = parse(data)?;
        match text(&event, "/type").unwrap_or(name) {
            "message_start" => self.read_head(&event["message"]),
            "content_block_start" => {
                let start = &event["content_block"];
                if let Some(name) = text(start, "/name") {
                    pieces.push(Piece::Call(name.to_owned()));
                }
                self.add_block(count(&event, "/index").unwrap_or(self.blocks.len() as u64), start);
            }
            "content_block_delta" => self.read_delta(&event, pieces),
            "message_delta" => {
                self.read_usage(&event["usage"]);
                self.read_stop(&event["delta"]);
            }
            "message_stop" => self.is_over = true,
            "error" => return Err(Fault::Provider(event)),
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &Value) -> Result<(), Fault> {
        if body["type"] == "error" || body.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Fault::Provider(body.clone()));
        }
        let Some(content) = body.get("content").and_then(Value::as_array) else {
            return Err(Fault::Unreadable("it has no content".to_owned()));
        };
        self.read_head(body);
        for (index, block) in (0..).zip(content) {
            self.add_block(index, block);
        }
        self.is_over = true;
        self.assembly.finish.get_or_insert(Finish::Stop);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn finish(mut self: Box<Self>) -> Decoded {
        self.read_blocks();
        self.assembly.done()
    }
}
