//! Google's generateContent.

use std::collections::HashMap;

use seatrial_core::{Finish, Message, Part, Role};
use serde_json::{Map, Value, json};

use super::{
    Decoded, Decoder, Fault, Outgoing, arguments, arguments_object,
    assembly::{Assembly, greatest},
    count, parse, text,
};
use crate::{JsonSchema, Piece, ToolChoice, quirks::SchemaForm};

/// The only fields of a JSON Schema that older models read.
const READ: [&str; 14] = [
    "type",
    "description",
    "properties",
    "required",
    "items",
    "enum",
    "format",
    "nullable",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "anyOf",
    "title",
];

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Value {
    let Outgoing { request, quirks, .. } = outgoing;
    let mut body = Map::new();
    let rules: Vec<Value> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(Message::plain_text)
        .filter(|text| !text.is_empty())
        .map(|text| json!({ "text": text }))
        .collect();
    if !rules.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": rules }));
    }
    body.insert(
        "contents".into(),
        encode_messages(&request.messages, quirks.reasoning, quirks.fills_reasoning),
    );
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                let mut declared = json!({"name": tool.name, "description": tool.description});
                if quirks.gemini_schema {
                    declared["parametersJsonSchema"] = tool.parameters.clone();
                } else if tool
                    .parameters
                    .pointer("/properties")
                    .and_then(Value::as_object)
                    .is_some_and(|all| !all.is_empty())
                {
                    declared["parameters"] = cut_schema(&tool.parameters);
                }
                declared
            })
            .collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": tools }]));
        if quirks.tool_choice && request.tool_choice != ToolChoice::Auto {
            let choice = match &request.tool_choice {
                ToolChoice::Auto => json!({"mode": "AUTO"}),
                ToolChoice::None => json!({"mode": "NONE"}),
                ToolChoice::Required => json!({"mode": "ANY"}),
                ToolChoice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
            };
            body.insert("toolConfig".into(), json!({ "functionCallingConfig": choice }));
        }
    }
    let mut options = Map::new();
    if let Some(bound) = outgoing.output.filter(|_| quirks.sends_output_bound) {
        options.insert("maxOutputTokens".into(), json!(bound));
    }
    if let Some(temperature) = request.temperature.filter(|_| quirks.temperature) {
        options.insert("temperature".into(), json!(temperature));
    }
    if let Some(JsonSchema { schema, .. }) = &request.schema {
        if quirks.schema != SchemaForm::Words {
            options.insert("responseMimeType".into(), json!("application/json"));
        }
        if quirks.schema == SchemaForm::Native {
            options.insert("responseJsonSchema".into(), schema.clone());
        }
    }
    if quirks.reasoning {
        options.insert("thinkingConfig".into(), json!({"includeThoughts": true}));
    }
    if !options.is_empty() {
        body.insert("generationConfig".into(), Value::Object(options));
    }
    Value::Object(body)
}

/// A schema with only what older models read. Types that are a choice become the first that is not `null`.
fn cut_schema(schema: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let mut cut = Map::new();
    for (name, value) in fields.iter().filter(|(name, _)| READ.contains(&name.as_str())) {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(all)) => all
                .iter()
                .map(|(name, schema)| (name.clone(), cut_schema(schema)))
                .collect::<Map<_, _>>()
                .into(),
            ("items", schema) => cut_schema(schema),
            ("anyOf", Value::Array(all)) => all.iter().map(cut_schema).collect(),
            ("type", Value::Array(all)) => all
                .iter()
                .find(|kind| *kind != "null")
                .cloned()
                .unwrap_or(json!("string")),
            (_, other) => other.clone(),
        };
        cut.insert(name.clone(), value);
    }
    Value::Object(cut)
}

fn encode_messages(messages: &[Message], reasoning: bool, fills: bool) -> Value {
    // Results are matched with calls by the tool's name here.
    let names: HashMap<&str, &str> = messages
        .iter()
        .flat_map(Message::tool_calls)
        .map(|call| (call.id.as_str(), call.name.as_str()))
        .collect();
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let role = match message.role {
            Role::System => continue,
            Role::User | Role::Tool => "user",
            Role::Assistant => "model",
        };
        let mut parts = encode_parts(&message.parts, &names, reasoning);
        if fills && role == "model" {
            fill_signature(&mut parts);
        }
        if parts.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns
        .into_iter()
        .map(|(role, parts)| json!({"role": role, "parts": parts}))
        .collect()
}

fn encode_parts(parts: &[Part], names: &HashMap<&str, &str>, reasoning: bool) -> Vec<Value> {
    let mut encoded = Vec::new();
    // A signature belongs to the part after it.
    let mut signature: Option<Value> = None;
    for part in parts {
        let mut value = match part {
            Part::Text { text } if text.is_empty() => continue,
            Part::Text { text } => json!({ "text": text }),
            Part::Reasoning { opaque, .. } => {
                let found = opaque.as_ref().and_then(|opaque| opaque.get("thoughtSignature"));
                signature = found.filter(|_| reasoning).cloned().or(signature);
                continue;
            }
            Part::ToolCall(call) => json!({
                "functionCall": {"name": call.name, "args": arguments_object(&call.arguments)},
            }),
            Part::ToolResult { id, content, failed } => {
                let name = names.get(id.as_str()).copied().unwrap_or("unknown");
                let field = if *failed { "error" } else { "output" };
                json!({"functionResponse": {"name": name, "response": {field: content}}})
            }
        };
        if let Some(signature) = signature.take() {
            value["thoughtSignature"] = signature;
        }
        encoded.push(value);
    }
    // One that came last belongs to an empty text.
    if let Some(signature) = signature {
        encoded.push(json!({"text": "", "thoughtSignature": signature}));
    }
    encoded
}

/// The first call of a turn must be signed. One that another model made is not; this is what its provider takes instead.
fn fill_signature(parts: &mut [Value]) {
    const UNSIGNED: &str = "skip_thought_signature_validator";
    if let Some(call) = parts.iter_mut().find(|part| part.get("functionCall").is_some())
        && call.get("thoughtSignature").is_none()
    {
        call["thoughtSignature"] = json!(UNSIGNED);
    }
}

/// Reads an answer.
#[derive(Debug)]
pub(super) struct Reader {
    assembly: Assembly,
    has_reason: bool,
}

impl Reader {
    pub(super) fn new(prefix: String) -> Self {
        Self {
            assembly: Assembly::new(prefix),
            has_reason: false,
        }
    }

    fn read(&mut self, body: &Value, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        if body.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Fault::Provider(body.clone()));
        }
        if let Some(model) = text(body, "/modelVersion") {
            self.assembly.answered_by = Some(model.to_owned());
        }
        self.read_usage(&body["usageMetadata"]);
        if let Some(reason) = text(body, "/promptFeedback/blockReason") {
            self.assembly.refusal = Some(format!("the request was blocked: {reason}"));
            self.assembly.finish = Some(Finish::Refusal);
            self.has_reason = true;
        }
        let Some(candidate) = body.pointer("/candidates/0") else {
            return Ok(());
        };
        for part in candidate
            .pointer("/content/parts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.read_part(part, pieces);
        }
        if let Some(reason) = text(candidate, "/finishReason") {
            self.has_reason = true;
            self.assembly.finish = Some(match reason {
                "STOP" => Finish::Stop,
                "MAX_TOKENS" => Finish::Length,
                "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => Finish::Refusal,
                _ => Finish::Other,
            });
            if self.assembly.finish == Some(Finish::Refusal) {
                let words = text(candidate, "/finishMessage").unwrap_or(reason);
                self.assembly.refusal = Some(words.to_owned());
            }
        }
        Ok(())
    }

    fn read_part(&mut self, part: &Value, pieces: &mut Vec<Piece>) {
        if let Some(signature) = text(part, "/thoughtSignature") {
            self.assembly.push(Part::Reasoning {
                text: String::new(),
                opaque: Some(json!({ "thoughtSignature": signature })),
            });
        }
        if let Some(call) = part.get("functionCall") {
            let name = text(call, "/name").unwrap_or_default();
            let arguments = match call.get("args") {
                None | Some(Value::Null) => "{}".to_owned(),
                Some(args) => arguments(args),
            };
            // The arguments of a call may come after its name, in a part of their own without one.
            if name.is_empty() && self.assembly.complete_call(&arguments) {
                return;
            }
            pieces.push(Piece::Call(name.to_owned()));
            self.assembly
                .call(text(call, "/id").unwrap_or_default(), name, arguments);
            return;
        }
        let words = text(part, "/text").unwrap_or_default();
        if part["thought"] == true {
            self.assembly.reasoning(words, pieces);
        } else {
            self.assembly.text(words, pieces);
        }
    }

    fn read_usage(&mut self, told: &Value) {
        let usage = &mut self.assembly.usage;
        let sum =
            |first: Option<u64>, second: Option<u64>| first.map(|first| first.saturating_add(second.unwrap_or(0)));
        greatest(
            &mut usage.input,
            sum(
                count(told, "/promptTokenCount"),
                count(told, "/toolUsePromptTokenCount"),
            ),
        );
        greatest(&mut usage.cached_input, count(told, "/cachedContentTokenCount"));
        greatest(&mut usage.reasoning, count(told, "/thoughtsTokenCount"));
        greatest(
            &mut usage.output,
            sum(count(told, "/candidatesTokenCount"), count(told, "/thoughtsTokenCount"))
                .or_else(|| count(told, "/thoughtsTokenCount")),
        );
    }
}

impl Decoder for Reader {
    fn event(&mut self, _name: &str, data: &str, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        self.read(&parse(data)?, pieces)
    }

    fn whole(&mut self, body: &Value) -> Result<(), Fault> {
        self.read(body, &mut Vec::new())?;
        if !self.has_reason && body.pointer("/candidates/0").is_none() {
            return Err(Fault::Unreadable("it has no candidates".to_owned()));
        }
        self.has_reason = true;
        self.assembly.finish.get_or_insert(Finish::Stop);
        Ok(())
    }

    fn is_over(&self) -> bool {
        // The last event may come in several with the same reason; the connection's end is the end.
        false
    }

    fn finish(self: Box<Self>) -> Decoded {
        self.assembly.done()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn calls_in_pieces_are_joined_and_signatures_stay_where_they_were() {
        let mut reader = Reader::new("call-1".into());
        for parts in [
            json!([{"text": "I ", "thought": true}]),
            json!([{"functionCall": {"name": "list", "args": {}}, "thoughtSignature": "s1"}]),
            json!([{"functionCall": {"args": {"path": "a"}}}]),
            json!([{"functionCall": {"name": "list", "args": {"path": "b"}}}]),
            json!([{"text": "", "thoughtSignature": "s2"}]),
        ] {
            let body = json!({"candidates": [{"content": {"parts": parts}}]});
            reader.event("", &body.to_string(), &mut Vec::new()).unwrap();
        }
        let decoded = Box::new(reader).finish();
        let message = Message {
            role: Role::Assistant,
            parts: decoded.parts,
        };
        let back = encode_messages(&[message], true, false);
        expect![[r#"[{"functionCall":{"args":{"path":"a"},"name":"list"},"thoughtSignature":"s1"},{"functionCall":{"args":{"path":"b"},"name":"list"}},{"text":"","thoughtSignature":"s2"}]"#]].assert_eq(&back[0]["parts"].to_string());
    }

    #[test]
    fn a_turn_of_another_model_is_signed_when_the_provider_insists() {
        let call = seatrial_core::ToolCall {
            id: "a".into(),
            name: "list".into(),
            arguments: "{}".into(),
        };
        let message = Message {
            role: Role::Assistant,
            parts: vec![Part::ToolCall(call.clone()), Part::ToolCall(call)],
        };
        let signed = |fills| {
            let turns = encode_messages(std::slice::from_ref(&message), true, fills);
            let parts = turns[0]["parts"].as_array().unwrap().clone();
            parts
                .iter()
                .filter(|part| part.get("thoughtSignature").is_some())
                .count()
        };
        assert_eq!((signed(false), signed(true)), (0, 1));
    }
}
