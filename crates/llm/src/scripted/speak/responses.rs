//! OpenAI's Responses from the server's side.

use seatrial_core::Finish;
use serde_json::{Value, json};

use super::{Saying, View, block, named, sort, texts, turns};

pub(super) fn view(body: &Value) -> View {
    let mut view = named(body);
    if let Some(rules) = body.get("instructions") {
        texts(rules, &mut view.system);
    }
    if let Some(text) = body.get("input").and_then(Value::as_str) {
        (view.first, view.last) = (text.to_owned(), text.to_owned());
    }
    sort(
        turns(body, "input"),
        |turn| turn["role"] == "assistant" || turn["type"] == "function_call" || turn["type"] == "reasoning",
        |turn| turn["role"] == "system" || turn["role"] == "developer",
        &mut view,
    );
    view
}

fn items(saying: &Saying) -> Vec<Value> {
    let mut items = Vec::new();
    if !saying.reasoning.is_empty() {
        items.push(json!({
            "type": "reasoning",
            "id": format!("rs_{}", saying.id),
            "summary": [{"type": "summary_text", "text": saying.reasoning}],
            "encrypted_content": format!("sealed-{}", saying.id),
        }));
    }
    if saying.finish == Finish::Refusal {
        items.push(json!({
            "type": "message", "id": format!("msg_{}", saying.id), "role": "assistant", "status": "completed",
            "content": [{"type": "refusal", "refusal": saying.text}],
        }));
    } else if !saying.text.is_empty() {
        items.push(json!({
            "type": "message", "id": format!("msg_{}", saying.id), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": saying.text, "annotations": []}],
        }));
    }
    for (number, (id, name, arguments)) in saying.calls.iter().enumerate() {
        items.push(json!({
            "type": "function_call", "id": format!("fc_{}_{number}", saying.id), "call_id": id, "name": name,
            "arguments": arguments, "status": "completed",
        }));
    }
    items
}

pub(super) fn whole(saying: &Saying) -> Value {
    let is_cut = saying.finish == Finish::Length;
    let mut response = json!({
        "id": saying.id,
        "object": "response",
        "model": saying.model,
        "status": if is_cut { "incomplete" } else { "completed" },
        "output": items(saying),
        "error": null,
    });
    if is_cut {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    if let Some(told) = &saying.usage {
        response["usage"] = json!({
            "input_tokens": told.input,
            "input_tokens_details": {"cached_tokens": told.cached},
            "output_tokens": told.output,
            "output_tokens_details": {"reasoning_tokens": told.reasoning},
            "total_tokens": told.input + told.output,
        });
    }
    response
}

pub(super) fn blocks(saying: &Saying) -> Vec<String> {
    let event = |kind: &str, mut fields: Value| {
        fields["type"] = json!(kind);
        block(Some(kind), &fields)
    };
    let begun = json!({"id": saying.id, "model": saying.model, "status": "in_progress", "output": []});
    let mut blocks = vec![event("response.created", json!({ "response": begun }))];
    for (index, item) in items(saying).iter().enumerate() {
        blocks.push(event(
            "response.output_item.added",
            json!({"output_index": index, "item": item}),
        ));
        let (kind, text) = match item["type"].as_str() {
            Some("reasoning") => ("response.reasoning_summary_text.delta", saying.reasoning.as_str()),
            Some("message") => ("response.output_text.delta", saying.text.as_str()),
            _ => (
                "response.function_call_arguments.delta",
                item["arguments"].as_str().unwrap_or_default(),
            ),
        };
        for piece in saying.pieces(text) {
            blocks.push(event(kind, json!({"output_index": index, "delta": piece})));
        }
        blocks.push(event(
            "response.output_item.done",
            json!({"output_index": index, "item": item}),
        ));
    }
    let response = whole(saying);
    let kind = if response["status"] == "incomplete" {
        "response.incomplete"
    } else {
        "response.completed"
    };
    blocks.push(event(kind, json!({ "response": response })));
    blocks
}
