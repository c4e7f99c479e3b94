//! Google's generateContent from the server's side.

use seatrial_core::Finish;
use serde_json::{Value, json};

use super::{No, Saying, View, block, sort, texts, turns};

pub(super) fn view(path: &str, body: &Value) -> View {
    let name = path.rsplit_once("/models/").map_or(path, |(_, name)| name);
    let (model, verb) = name.rsplit_once(':').unwrap_or((name, ""));
    let mut view = View {
        model: model.to_owned(),
        streams: verb == "streamGenerateContent",
        ..View::default()
    };
    if let Some(rules) = body.get("systemInstruction") {
        texts(rules, &mut view.system);
    }
    sort(
        turns(body, "contents"),
        |turn| turn["role"] == "model",
        |_| false,
        &mut view,
    );
    view
}

fn reason(saying: &Saying) -> &'static str {
    match saying.finish {
        Finish::Stop | Finish::ToolCalls => "STOP",
        Finish::Length => "MAX_TOKENS",
        Finish::Refusal => "SAFETY",
        Finish::Other => "OTHER",
    }
}

/// A signature is base64, and clients look.
fn signature(saying: &Saying) -> String {
    let number = saying.id.rsplit('-').next().unwrap_or_default();
    let width = number.len().next_multiple_of(4);
    format!("c2lnbmVk{number:0>width$}")
}

fn calls(saying: &Saying) -> Vec<Value> {
    saying
        .calls
        .iter()
        .enumerate()
        .map(|(number, (_, name, arguments))| {
            // This wire cannot carry what is no object.
            let args: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({"broken": arguments}));
            let mut part = json!({"functionCall": {"name": name, "args": args}});
            if number == 0 {
                part["thoughtSignature"] = json!(signature(saying));
            }
            part
        })
        .collect()
}

fn chunk(saying: &Saying, parts: &[Value], is_last: bool) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    let mut body = json!({"modelVersion": saying.model, "responseId": saying.id});
    if is_last {
        candidate["finishReason"] = json!(reason(saying));
        if let Some(told) = &saying.usage {
            body["usageMetadata"] = json!({
                "promptTokenCount": told.input,
                "cachedContentTokenCount": told.cached,
                "candidatesTokenCount": told.output.saturating_sub(told.reasoning),
                "thoughtsTokenCount": told.reasoning,
                "totalTokenCount": told.input + told.output,
            });
        }
    }
    body["candidates"] = json!([candidate]);
    body
}

pub(super) fn whole(saying: &Saying) -> Value {
    let mut parts = Vec::new();
    if !saying.reasoning.is_empty() {
        parts.push(json!({"text": saying.reasoning, "thought": true}));
    }
    if !saying.text.is_empty() {
        parts.push(json!({"text": saying.text}));
    }
    parts.extend(calls(saying));
    chunk(saying, &parts, true)
}

pub(super) fn blocks(saying: &Saying) -> Vec<String> {
    let mut parts = Vec::new();
    for piece in saying.pieces(&saying.reasoning) {
        parts.push(json!({"text": piece, "thought": true}));
    }
    for piece in saying.pieces(&saying.text) {
        parts.push(json!({ "text": piece }));
    }
    parts.extend(calls(saying));
    let mut blocks: Vec<String> = parts
        .into_iter()
        .map(|part| block(None, &chunk(saying, &[part], false)))
        .collect();
    blocks.push(block(None, &chunk(saying, &[], true)));
    blocks
}

pub(super) fn no(no: No<'_>) -> (u16, Value) {
    let (status, kind, message) = match no {
        No::Status(status, message) => (status, "UNAVAILABLE", message.to_owned()),
        No::Parameter("tools") => (
            400,
            "INVALID_ARGUMENT",
            "Function calling is not enabled for this model: tools".to_owned(),
        ),
        No::Parameter(name) => (
            400,
            "INVALID_ARGUMENT",
            format!("{name} is not supported by this model"),
        ),
        No::ContextFull => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).".to_owned(),
        ),
        No::Refusal => (400, "INVALID_ARGUMENT", "The request was flagged.".to_owned()),
        No::UnknownModel => (
            404,
            "NOT_FOUND",
            "models/no-such-model is not found for API version v1beta.".to_owned(),
        ),
        No::BadKey => (
            400,
            "INVALID_ARGUMENT",
            "API key not valid. Please pass a valid API key.".to_owned(),
        ),
        No::Credit => (
            429,
            "RESOURCE_EXHAUSTED",
            "Your prepayment credits are depleted.".to_owned(),
        ),
    };
    (
        status,
        json!({"error": {"code": status, "message": message, "status": kind}}),
    )
}
