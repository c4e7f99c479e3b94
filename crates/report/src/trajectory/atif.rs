//! The Agent Trajectory Interchange Format of the Harbor framework, version 1.8 (RFC 0001 there): one JSON document a trial.
//!
//! The agent's own conversation is the root. Conversations beside it (a discussion among models, a document read by another
//! one) are embedded as trajectories of sub-agents. What was done without a model is a step of the agent with a count of
//! 0 model calls, so that the journal of any agent can be exported.

use seatrial_core::{CommandRecord, Message, ModelRecord, Part, Role};
use serde_json::{Map, Value, json};

use super::{Act, Conversation, Spent, Step, Trajectory};

/// The version that is written.
pub const ATIF_VERSION: &str = "ATIF-v1.8";

/// The document of a trial. `session` names the run; `version` is that of the program that ran the agent.
pub fn atif(trajectory: &Trajectory, session: &str, version: &str) -> Value {
    let own = trajectory.conversations.first();
    let mut root = document(trajectory, own.unwrap_or(&Conversation::default()), session, version);
    let others: Vec<Value> = trajectory
        .conversations
        .iter()
        .skip(1)
        .map(|each| Value::Object(document(trajectory, each, session, version)))
        .collect();
    if !others.is_empty() {
        root.insert("subagent_trajectories".to_owned(), Value::Array(others));
    }
    if let Some(note) = &trajectory.note {
        root.insert("notes".to_owned(), json!(note));
    }
    let mut extra = Map::new();
    extra.insert("task".to_owned(), json!(trajectory.task));
    extra.insert("attempt".to_owned(), json!(trajectory.attempt));
    if let Some((by, why)) = &trajectory.ended {
        extra.insert("ended".to_owned(), json!({ "by": by, "why": why }));
    }
    if let Some(outcome) = &trajectory.outcome {
        extra.insert("outcome".to_owned(), json!(outcome));
    }
    root.insert("extra".to_owned(), Value::Object(extra));
    Value::Object(root)
}

fn document(trajectory: &Trajectory, talk: &Conversation, session: &str, version: &str) -> Map<String, Value> {
    let mut agent = Map::new();
    agent.insert("name".to_owned(), json!(trajectory.agent));
    agent.insert("version".to_owned(), json!(version));
    if let Some(model) = &talk.model {
        agent.insert("model_name".to_owned(), json!(model));
    }
    let mut steps: Vec<Value> = Vec::new();
    for step in &talk.steps {
        steps.push(Value::Object(one(steps.len() + 1, step)));
    }
    if steps.is_empty() {
        // The format wants at least one step; an agent that did nothing did that.
        let nothing = json!({ "step_id": 1, "source": "system", "message": "The agent did nothing." });
        steps.push(nothing);
    }
    let count = steps.len();
    let mut root = Map::new();
    root.insert("schema_version".to_owned(), json!(ATIF_VERSION));
    root.insert("session_id".to_owned(), json!(session));
    let name = if talk.name.is_empty() { "main" } else { &talk.name };
    let id = format!("{session}/{}.{}/{name}", trajectory.task, trajectory.attempt);
    root.insert("trajectory_id".to_owned(), json!(id));
    root.insert("agent".to_owned(), Value::Object(agent));
    root.insert("steps".to_owned(), Value::Array(steps));
    root.insert("final_metrics".to_owned(), total(&Spent::of(talk.calls()), count));
    root
}

fn one(id: usize, step: &Step) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("step_id".to_owned(), json!(id));
    if let Some(time) = timestamp(step.at) {
        out.insert("timestamp".to_owned(), json!(time));
    }
    match &step.act {
        Act::Said { role, text } => {
            let source = if *role == Role::System { "system" } else { "user" };
            put(&mut out, source, text);
        }
        Act::Answered {
            message,
            calls,
            results,
            tools,
        } => {
            put(&mut out, "agent", &message.plain_text());
            answered(&mut out, message, calls);
            if !results.is_empty() {
                let results: Vec<Value> = results
                    .iter()
                    .map(|(id, content, failed)| {
                        let mut result = json!({ "source_call_id": id, "content": content });
                        let record = tools.iter().find(|tool| tool.id == *id);
                        let extra = record.map(|tool| {
                            json!({ "failed": failed, "cached": tool.cached, "left_out_bytes": tool.left_out_bytes, "wall_ms": tool.wall_ms })
                        });
                        result["extra"] = extra.unwrap_or_else(|| json!({ "failed": failed }));
                        result
                    })
                    .collect();
                out.insert("observation".to_owned(), json!({ "results": results }));
            }
        }
        Act::Ran(command) => ran(&mut out, id, command),
        Act::Decided { what, why } => {
            let text = if why.is_empty() {
                what.clone()
            } else {
                format!("{what} ({why})")
            };
            put(&mut out, "agent", &text);
            out.insert("llm_call_count".to_owned(), json!(0));
        }
        Act::Condensed { messages, summary } => {
            put(&mut out, "system", summary);
            out.insert(
                "extra".to_owned(),
                json!({ "context_management": { "type": "condensation", "messages": messages } }),
            );
        }
        Act::Unanswered(calls) => {
            put(&mut out, "system", "The model was asked and did not answer.");
            let errors: Vec<&str> = calls.iter().filter_map(|call| call.error.as_deref()).collect();
            out.insert("extra".to_owned(), json!({ "errors": errors }));
        }
    }
    out
}

fn put(out: &mut Map<String, Value>, source: &str, message: &str) {
    out.insert("source".to_owned(), json!(source));
    out.insert("message".to_owned(), json!(message));
}

fn answered(out: &mut Map<String, Value>, message: &Message, calls: &[ModelRecord]) {
    let reasoning: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Reasoning { text, .. } if !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if !reasoning.is_empty() {
        out.insert("reasoning_content".to_owned(), json!(reasoning.join("\n")));
    }
    let tools: Vec<Value> = message
        .tool_calls()
        .map(|call| {
            // The format wants an object; what is none is kept as it came.
            let (arguments, extra) = match serde_json::from_str::<Value>(&call.arguments) {
                Ok(Value::Object(object)) => (Value::Object(object), None),
                _ => (json!({}), Some(json!({ "raw_arguments": call.arguments }))),
            };
            let mut tool = json!({ "tool_call_id": call.id, "function_name": call.name, "arguments": arguments });
            if let Some(extra) = extra {
                tool["extra"] = extra;
            }
            tool
        })
        .collect();
    if !tools.is_empty() {
        out.insert("tool_calls".to_owned(), Value::Array(tools));
    }
    let Some(last) = calls.last() else { return };
    out.insert("model_name".to_owned(), json!(last.model));
    out.insert("llm_call_count".to_owned(), json!(calls.len()));
    let spent = Spent::of(calls);
    let mut metrics = Map::new();
    let mut number = |name: &str, value: Option<u64>| {
        if let Some(value) = value {
            metrics.insert(name.to_owned(), json!(value));
        }
    };
    number("prompt_tokens", spent.input);
    number("completion_tokens", spent.output);
    number("cached_tokens", spent.cached_input);
    if let Some(micros) = spent.cost_micros {
        metrics.insert("cost_usd".to_owned(), dollars(micros));
    }
    let mut extra = Map::new();
    if let Some(reasoning) = spent.reasoning {
        extra.insert("reasoning_tokens".to_owned(), json!(reasoning));
    }
    let attempts: u32 = calls.iter().map(|call| call.attempts).sum();
    extra.insert("attempts".to_owned(), json!(attempts));
    extra.insert(
        "wall_ms".to_owned(),
        json!(calls.iter().map(|call| call.wall_ms).sum::<u64>()),
    );
    extra.insert("finish".to_owned(), json!(last.finish));
    metrics.insert("extra".to_owned(), Value::Object(extra));
    out.insert("metrics".to_owned(), Value::Object(metrics));
}

fn ran(out: &mut Map<String, Value>, id: usize, command: &CommandRecord) {
    put(out, "agent", &command.purpose);
    out.insert("llm_call_count".to_owned(), json!(0));
    let call = format!("command-{id}");
    out.insert(
        "tool_calls".to_owned(),
        json!([{ "tool_call_id": call, "function_name": "shell", "arguments": { "command": command.command } }]),
    );
    let how = match (command.timed_out, command.code, command.signal) {
        (true, _, _) => "ran longer than it may".to_owned(),
        (false, Some(code), _) => format!("exit code {code}"),
        (false, None, Some(signal)) => format!("ended by signal {signal}"),
        (false, None, None) => "ended".to_owned(),
    };
    out.insert(
        "observation".to_owned(),
        json!({ "results": [{
            "source_call_id": call,
            "content": how,
            "extra": { "wall_ms": command.wall_ms, "cpu_ms": command.cpu_ms, "peak_kib": command.peak_kib, "log": command.log },
        }] }),
    );
}

fn total(spent: &Spent, steps: usize) -> Value {
    let mut out = Map::new();
    let mut number = |name: &str, value: Option<u64>| {
        if let Some(value) = value {
            out.insert(name.to_owned(), json!(value));
        }
    };
    number("total_prompt_tokens", spent.input);
    number("total_completion_tokens", spent.output);
    number("total_cached_tokens", spent.cached_input);
    if let Some(micros) = spent.cost_micros {
        out.insert("total_cost_usd".to_owned(), dollars(micros));
    }
    out.insert("total_steps".to_owned(), json!(steps));
    Value::Object(out)
}

fn dollars(micros: u64) -> Value {
    json!(micros as f64 / 1e6)
}

fn timestamp(milliseconds: u64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(milliseconds).ok()?).ok()?;
    Some(format!("{time:.3}"))
}
