//! OpenAI's Responses.

use seatrial_core::{Finish, Message, Part, Role};
use serde_json::{Map, Value, json};

use super::{Decoded, Decoder, Fault, Outgoing, arguments, assembly::Assembly, count, parse, text};
use crate::{JsonSchema, Piece, ToolChoice, quirks::SchemaForm};

/// Has the provider put its thoughts, encrypted, into the answer, so that they can be handed back.
const THOUGHTS: &str = "reasoning.encrypted_content";

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Value {
    let Outgoing { request, quirks, .. } = outgoing;
    let mut body = Map::new();
    body.insert("model".into(), json!(outgoing.model));
    let mut input = Vec::new();
    for message in &request.messages {
        encode_message(message, quirks.reasoning, &mut input);
    }
    body.insert("input".into(), Value::Array(input));
    // Nothing of a conversation stays with the provider; each request holds all of it.
    body.insert("store".into(), json!(false));
    if quirks.reasoning {
        body.insert("include".into(), json!([THOUGHTS]));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": false,
            })
        });
        body.insert("tools".into(), tools.collect());
        if quirks.tool_choice {
            let choice = match &request.tool_choice {
                ToolChoice::Auto => json!("auto"),
                ToolChoice::None => json!("none"),
                ToolChoice::Required => json!("required"),
                ToolChoice::Tool(name) => json!({"type": "function", "name": name}),
            };
            body.insert("tool_choice".into(), choice);
        }
    }
    if let Some(bound) = outgoing.output.filter(|_| quirks.sends_output_bound) {
        body.insert("max_output_tokens".into(), json!(bound));
    }
    if let Some(temperature) = request.temperature.filter(|_| quirks.temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(JsonSchema { name, schema }) = &request.schema {
        let format = match quirks.schema {
            SchemaForm::Native => Some(json!({"type": "json_schema", "name": name, "schema": schema, "strict": true})),
            SchemaForm::JsonObject => Some(json!({"type": "json_object"})),
            SchemaForm::Words => None,
        };
        body.extend(format.map(|format| ("text".to_owned(), json!({ "format": format }))));
    }
    if quirks.stream {
        body.insert("stream".into(), json!(true));
    }
    Value::Object(body)
}

fn encode_message(message: &Message, reasoning: bool, input: &mut Vec<Value>) {
    let (role, kind) = match message.role {
        Role::System => ("system", "input_text"),
        Role::User | Role::Tool => ("user", "input_text"),
        Role::Assistant => ("assistant", "output_text"),
    };
    for part in &message.parts {
        match part {
            Part::Text { text } if text.is_empty() => {}
            Part::Text { text } => input.push(json!({
                "type": "message", "role": role, "content": [{"type": kind, "text": text}],
            })),
            Part::Reasoning { opaque: Some(item), .. }
                if reasoning && item.get("type").is_some_and(|kind| kind == "reasoning") =>
            {
                input.push(item.clone());
            }
            Part::Reasoning { .. } => {}
            Part::ToolCall(call) => input.push(json!({
                "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments,
            })),
            Part::ToolResult { id, content, .. } => input.push(json!({
                "type": "function_call_output", "call_id": id, "output": content,
            })),
        }
    }
}

/// Reads an answer. Pieces are only for watching: each item comes whole at its end.
#[derive(Debug)]
pub(super) struct Reader {
    assembly: Assembly,
    items: Vec<(u64, Value)>,
    /// Bytes of text that came in pieces, in case no item holds it.
    loose: String,
    is_over: bool,
}

impl Reader {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            assembly: Assembly::new(prefix),
            items: Vec::new(),
            loose: String::new(),
            is_over: false,
        }
    }

    fn read_response(&mut self, response: &Value) -> Result<(), Fault> {
        if response.get("error").is_some_and(|error| !error.is_null()) || response["status"] == "failed" {
            return Err(Fault::Provider(response.clone()));
        }
        if let Some(model) = text(response, "/model") {
            self.assembly.answered_by = Some(model.to_owned());
        }
        if let Some(Value::Array(output)) = response.get("output")
            && !output.is_empty()
        {
            self.items = (0..).zip(output.iter().cloned()).collect();
        }
        if let Some(told) = response.get("usage") {
            let usage = &mut self.assembly.usage;
            usage.input = count(told, "/input_tokens").or(usage.input);
            usage.output = count(told, "/output_tokens").or(usage.output);
            usage.cached_input = count(told, "/input_tokens_details/cached_tokens").or(usage.cached_input);
            usage.reasoning = count(told, "/output_tokens_details/reasoning_tokens").or(usage.reasoning);
        }
        let reason = text(response, "/incomplete_details/reason");
        self.assembly.finish = match (text(response, "/status"), reason) {
            (Some("incomplete"), Some("max_output_tokens")) => Some(Finish::Length),
            (Some("incomplete"), Some("content_filter")) => Some(Finish::Refusal),
            (Some("incomplete" | "cancelled"), _) => Some(Finish::Other),
            (Some("in_progress" | "queued"), _) => None,
            _ => Some(Finish::Stop),
        };
        Ok(())
    }

    fn read_items(&mut self) {
        let mut items = std::mem::take(&mut self.items);
        items.sort_by_key(|(index, _)| *index);
        let nobody = &mut Vec::new();
        for (_, item) in items {
            match text(&item, "/type").unwrap_or_default() {
                "message" => {
                    for content in item.get("content").and_then(Value::as_array).into_iter().flatten() {
                        self.assembly.text(text(content, "/text").unwrap_or_default(), nobody);
                        if let Some(refusal) = text(content, "/refusal") {
                            self.assembly.refusal = Some(refusal.to_owned());
                        }
                    }
                }
                "reasoning" => {
                    let texts = ["summary", "content"].iter().find_map(|field| {
                        let parts = item.get(*field)?.as_array()?;
                        let texts: Vec<&str> = parts.iter().filter_map(|part| text(part, "/text")).collect();
                        (!texts.is_empty()).then(|| texts.join("\n"))
                    });
                    // An item without its encrypted content means something only to a provider that stores.
                    let is_whole = text(&item, "/encrypted_content").is_some();
                    self.assembly.push(Part::Reasoning {
                        text: texts.unwrap_or_default(),
                        opaque: is_whole.then(|| item.clone()),
                    });
                }
                "function_call" => {
                    let id = text(&item, "/call_id")
                        .or_else(|| text(&item, "/id"))
                        .unwrap_or_default();
                    let name = text(&item, "/name").unwrap_or_default();
                    self.assembly.call(id, name, arguments(&item["arguments"]));
                }
                _ => {}
            }
        }
    }
}

impl Decoder for Reader {
    fn event(&mut self, name: &str, data: &str, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let event = parse(data)?;
        match text(&event, "/type").unwrap_or(name) {
            "response.output_text.delta" => {
                let more = text(&event, "/delta").unwrap_or_default();
                self.loose.push_str(more);
                pieces.push(Piece::Text(more.to_owned()));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                pieces.push(Piece::Reasoning(text(&event, "/delta").unwrap_or_default().to_owned()));
            }
            "response.output_item.added" => {
                if let Some(name) = text(&event, "/item/name") {
                    pieces.push(Piece::Call(name.to_owned()));
                }
            }
            "response.output_item.done" => {
                let index = count(&event, "/output_index").unwrap_or(self.items.len() as u64);
                if let Some(item) = event.get("item") {
                    self.items.push((index, item.clone()));
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                self.is_over = true;
                self.read_response(event.get("response").unwrap_or(&Value::Null))?;
            }
            "error" => return Err(Fault::Provider(event)),
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &Value) -> Result<(), Fault> {
        self.read_response(body)?;
        if !body.get("output").is_some_and(Value::is_array) {
            return Err(Fault::Unreadable("it has no output".to_owned()));
        }
        self.is_over = true;
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn finish(mut self: Box<Self>) -> Decoded {
        if self.items.is_empty() && !self.loose.is_empty() {
            let loose = std::mem::take(&mut self.loose);
            self.assembly.text(&loose, &mut Vec::new());
        }
        self.read_items();
        self.assembly.done()
    }
}
