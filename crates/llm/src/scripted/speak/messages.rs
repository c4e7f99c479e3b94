//! Anthropic's Messages from the server's side.

use seatrial_core::Finish;
use serde_json::{Value, json};

use super::{No, Saying, View, block, named, sort, texts, turns};

pub(super) fn view(body: &Value) -> View {
    let mut view = named(body);
    if let Some(rules) = body.get("system") {
        texts(rules, &mut view.system);
    }
    sort(
        turns(body, "messages"),
        |turn| turn["role"] == "assistant",
        |_| false,
        &mut view,
    );
    view
}

fn stop_reason(saying: &Saying) -> &'static str {
    match saying.finish {
        Finish::Stop | Finish::Other => "end_turn",
        Finish::ToolCalls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Refusal => "refusal",
    }
}

/// Each block as it begins, with what then comes in pieces: the name of their field and the text.
fn content(saying: &Saying) -> Vec<(Value, &'static str, &'static str, String)> {
    let mut content = Vec::new();
    if !saying.reasoning.is_empty() {
        let start = json!({"type": "thinking", "thinking": "", "signature": ""});
        content.push((start, "thinking_delta", "thinking", saying.reasoning.clone()));
    }
    if !saying.text.is_empty() {
        content.push((
            json!({"type": "text", "text": ""}),
            "text_delta",
            "text",
            saying.text.clone(),
        ));
    }
    for (id, name, arguments) in &saying.calls {
        let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        content.push((start, "input_json_delta", "partial_json", arguments.clone()));
    }
    content
}

fn usage(saying: &Saying) -> Value {
    saying.usage.as_ref().map_or(json!({}), |told| {
        json!({
            "input_tokens": told.input.saturating_sub(told.cached),
            "cache_read_input_tokens": told.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": told.output,
        })
    })
}

pub(super) fn whole(saying: &Saying) -> Value {
    let content: Vec<Value> = content(saying)
        .into_iter()
        .map(|(mut start, _, field, text)| {
            if field == "partial_json" {
                start["input"] = serde_json::from_str(&text).unwrap_or(Value::String(text));
            } else {
                start[field] = json!(text);
            }
            if field == "thinking" {
                start["signature"] = json!(format!("signed-{}", saying.id));
            }
            start
        })
        .collect();
    json!({
        "id": saying.id, "type": "message", "role": "assistant", "model": saying.model, "content": content,
        "stop_reason": stop_reason(saying), "usage": usage(saying),
    })
}

pub(super) fn blocks(saying: &Saying) -> Vec<String> {
    let event = |kind: &str, mut fields: Value| {
        fields["type"] = json!(kind);
        block(Some(kind), &fields)
    };
    let mut head =
        json!({"id": saying.id, "type": "message", "role": "assistant", "model": saying.model, "content": []});
    head["usage"] = usage(saying);
    if saying.usage.is_some() {
        head["usage"]["output_tokens"] = json!(1);
    }
    let mut blocks = vec![
        event("message_start", json!({ "message": head })),
        event("ping", json!({})),
    ];
    for (index, (start, kind, field, text)) in content(saying).into_iter().enumerate() {
        blocks.push(event(
            "content_block_start",
            json!({"index": index, "content_block": start}),
        ));
        for piece in saying.pieces(&text) {
            let delta = json!({"type": kind, field: piece});
            blocks.push(event("content_block_delta", json!({"index": index, "delta": delta})));
        }
        if field == "thinking" {
            let delta = json!({"type": "signature_delta", "signature": format!("signed-{}", saying.id)});
            blocks.push(event("content_block_delta", json!({"index": index, "delta": delta})));
        }
        blocks.push(event("content_block_stop", json!({ "index": index })));
    }
    let told = saying
        .usage
        .map_or(json!({}), |told| json!({"output_tokens": told.output}));
    blocks.push(event(
        "message_delta",
        json!({"delta": {"stop_reason": stop_reason(saying)}, "usage": told}),
    ));
    blocks.push(event("message_stop", json!({})));
    blocks
}

pub(super) fn no(no: No<'_>) -> (u16, Value) {
    let (status, kind, message) = match no {
        No::Status(429, message) => (429, "rate_limit_error", message.to_owned()),
        No::Status(529, message) => (529, "overloaded_error", message.to_owned()),
        No::Status(status, message) => (status, "api_error", message.to_owned()),
        No::Parameter(name) => (
            400,
            "invalid_request_error",
            format!("{name}: this model does not support `{name}`"),
        ),
        No::ContextFull => (
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum".to_owned(),
        ),
        No::Refusal => (
            400,
            "invalid_request_error",
            "Output blocked by content filtering: flagged".to_owned(),
        ),
        No::UnknownModel => (404, "not_found_error", "model: no-such-model".to_owned()),
        No::BadKey => (401, "authentication_error", "invalid x-api-key".to_owned()),
        No::Credit => (
            400,
            "invalid_request_error",
            "Your credit balance is too low.".to_owned(),
        ),
    };
    (
        status,
        json!({"type": "error", "error": {"type": kind, "message": message}}),
    )
}
