//! Chat completions from the server's side.

use seatrial_core::Finish;
use serde_json::{Value, json};

use super::{Saying, View, block, named, sort, turns};
use crate::scripted::ScriptedUsage;

pub(super) fn view(body: &Value) -> View {
    let mut view = named(body);
    sort(
        turns(body, "messages"),
        |turn| turn["role"] == "assistant",
        |turn| turn["role"] == "system" || turn["role"] == "developer",
        &mut view,
    );
    view
}

fn finish(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::Other => "stop",
        Finish::ToolCalls => "tool_calls",
        Finish::Length => "length",
        Finish::Refusal => "content_filter",
    }
}

fn usage(usage: &ScriptedUsage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}

pub(super) fn whole(saying: &Saying) -> Value {
    let mut message = json!({"role": "assistant", "content": saying.text});
    if !saying.reasoning.is_empty() {
        message["reasoning_content"] = json!(saying.reasoning);
    }
    if !saying.calls.is_empty() {
        let calls = saying.calls.iter().map(|(id, name, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        });
        message["tool_calls"] = calls.collect();
    }
    let mut body = json!({
        "id": saying.id,
        "object": "chat.completion",
        "model": saying.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish(saying.finish)}],
    });
    if let Some(told) = &saying.usage {
        body["usage"] = usage(told);
    }
    body
}

pub(super) fn blocks(saying: &Saying) -> Vec<String> {
    let chunk = |choices: Value| json!({"id": saying.id, "object": "chat.completion.chunk", "model": saying.model, "choices": choices});
    let delta = |delta: Value| {
        block(
            None,
            &chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}])),
        )
    };
    let mut blocks = vec![delta(json!({"role": "assistant", "content": ""}))];
    for piece in saying.pieces(&saying.reasoning) {
        blocks.push(delta(json!({"reasoning_content": piece})));
    }
    for piece in saying.pieces(&saying.text) {
        blocks.push(delta(json!({"content": piece})));
    }
    for (index, (id, name, arguments)) in saying.calls.iter().enumerate() {
        let head = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        blocks.push(delta(json!({ "tool_calls": [head] })));
        for piece in saying.pieces(arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            blocks.push(delta(json!({ "tool_calls": [more] })));
        }
    }
    blocks.push(block(
        None,
        &chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish(saying.finish)}])),
    ));
    if let Some(told) = &saying.usage {
        let mut last = chunk(json!([]));
        last["usage"] = usage(told);
        blocks.push(block(None, &last));
    }
    blocks.push("data: [DONE]\n\n".to_owned());
    blocks
}
