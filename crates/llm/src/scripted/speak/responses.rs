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
    let mut script = Events::default();
    let begun =
        json!({"id": saying.id, "object": "response", "model": saying.model, "status": "in_progress", "output": []});
    script.event("response.created", json!({ "response": begun }));
    script.event("response.in_progress", json!({ "response": begun }));
    for (index, item) in items(saying).into_iter().enumerate() {
        script.item(saying, index, &item);
    }
    let response = whole(saying);
    let kind = if response["status"] == "incomplete" {
        "response.incomplete"
    } else {
        "response.completed"
    };
    script.event(kind, json!({ "response": response }));
    script.blocks
}

/// The events of a stream, numbered as they come.
#[derive(Default)]
struct Events {
    blocks: Vec<String>,
}

impl Events {
    fn event(&mut self, kind: &str, mut fields: Value) {
        fields["type"] = json!(kind);
        fields["sequence_number"] = json!(self.blocks.len());
        self.blocks.push(block(Some(kind), &fields));
    }

    /// An item as it begins, the pieces of what is in it, and all of it at its end.
    fn item(&mut self, saying: &Saying, index: usize, item: &Value) {
        let mut begun = item.clone();
        let at = |more: Value| {
            let mut fields = json!({"output_index": index, "item_id": item["id"]});
            if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
                fields.extend(more);
            }
            fields
        };
        match item["type"].as_str() {
            Some("reasoning") => {
                begun["summary"] = json!([]);
                begun["encrypted_content"] = Value::Null;
                self.event(
                    "response.output_item.added",
                    json!({"output_index": index, "item": begun}),
                );
                let part = |text: &str| json!({"type": "summary_text", "text": text});
                let place = |name: &str, value: Value| at(json!({"summary_index": 0, name: value}));
                self.event("response.reasoning_summary_part.added", place("part", part("")));
                for piece in saying.pieces(&saying.reasoning) {
                    self.event("response.reasoning_summary_text.delta", place("delta", json!(piece)));
                }
                self.event(
                    "response.reasoning_summary_text.done",
                    place("text", json!(saying.reasoning)),
                );
                self.event(
                    "response.reasoning_summary_part.done",
                    place("part", part(&saying.reasoning)),
                );
            }
            Some("message") => {
                begun["content"] = json!([]);
                begun["status"] = json!("in_progress");
                self.event(
                    "response.output_item.added",
                    json!({"output_index": index, "item": begun}),
                );
                let whole = &item["content"][0];
                let field = if whole["type"] == "refusal" { "refusal" } else { "text" };
                let name = if field == "refusal" { "refusal" } else { "output_text" };
                let mut empty = whole.clone();
                empty[field] = json!("");
                let place = |name: &str, value: Value| at(json!({"content_index": 0, "logprobs": [], name: value}));
                self.event("response.content_part.added", place("part", empty));
                for piece in saying.pieces(&saying.text) {
                    self.event(&format!("response.{name}.delta"), place("delta", json!(piece)));
                }
                self.event(&format!("response.{name}.done"), place(field, json!(saying.text)));
                self.event("response.content_part.done", place("part", whole.clone()));
            }
            _ => {
                let arguments = item["arguments"].as_str().unwrap_or_default();
                begun["arguments"] = json!("");
                begun["status"] = json!("in_progress");
                self.event(
                    "response.output_item.added",
                    json!({"output_index": index, "item": begun}),
                );
                for piece in saying.pieces(arguments) {
                    self.event("response.function_call_arguments.delta", at(json!({"delta": piece})));
                }
                let done = at(json!({"arguments": arguments, "name": item["name"]}));
                self.event("response.function_call_arguments.done", done);
            }
        }
        self.event(
            "response.output_item.done",
            json!({"output_index": index, "item": item}),
        );
    }
}
