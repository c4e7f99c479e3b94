//! `seatrial model`.

use std::sync::atomic::AtomicBool;

use seatrial_core::{Event, ExitCode, Message, ModelRecord, Role};
use seatrial_llm::{Bounds, CallContext, Meter, Model, ModelError, Request, ToolSpec};
use serde_json::{Value, json};

use super::{answer, answer_json};
use crate::{app::App, args::ModelCheckArgs, failure::Failure};

/// What is asked first.
const GREETING: &str = "Answer with the one word: ready";

/// What is asked with a tool at hand.
const CALL: &str = "Call the tool `report` once, with the word `ready` as `word`.";

pub(super) fn run(app: &App, args: &ModelCheckArgs) -> Result<ExitCode, Failure> {
    let model = super::models::one(app, &args.model, &args.asking)?;
    app.show.note(&format!("asking {} ...", args.model));
    let greeted = ask(&*model, Request::new(vec![Message::text(Role::User, GREETING)]));
    let with_tool = match &greeted {
        // Whoever does not answer a greeting is not asked again.
        Err(_) => None,
        Ok(_) => Some(ask(&*model, with_tool())),
    };
    if app.json {
        let asked = |asked: &Asked| match asked {
            Ok((message, record)) => json!({
                "text": message.plain_text(),
                "calls": message.tool_calls().map(|call| json!({ "name": call.name, "arguments": call.arguments })).collect::<Vec<Value>>(),
                "record": record,
            }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        let tools = with_tool.as_ref().map(asked);
        answer_json(&json!({ "model": args.model, "answer": asked(&greeted), "tools": tools }))?;
    }
    let (message, record) = match greeted {
        Ok(greeted) => greeted,
        Err(error) if app.json => {
            drop(error);
            return Ok(ExitCode::Invalid);
        }
        Err(error) => return Err(Failure::invalid(error.to_string())),
    };
    if !app.json {
        let mut lines = vec![
            format!("{} answers: {}", args.model, told(&message)),
            format!("  {}", used(&record)),
        ];
        match &with_tool {
            Some(Ok((message, record))) => {
                lines.push(format!("with a tool: {}", called(message)));
                lines.push(format!("  {}", used(record)));
            }
            Some(Err(error)) => lines.push(format!("with a tool: {}", seatrial_report::visible(&error.to_string()))),
            None => {}
        }
        answer(&lines.join("\n"))?;
    }
    Ok(match with_tool {
        Some(Ok(_)) => ExitCode::Passed,
        _ => ExitCode::Failed,
    })
}

type Asked = Result<(Message, ModelRecord), ModelError>;

fn ask(model: &dyn Model, request: Request) -> Asked {
    let meter = Meter::new(Bounds::default());
    let stop = AtomicBool::new(false);
    let mut events: Vec<Event> = Vec::new();
    let mut call = CallContext {
        events: Some(&mut events),
        ..CallContext::new("check", &meter, &stop)
    };
    let request = Request {
        max_output: Some(512),
        ..request
    };
    let completion = model.complete(&request, &mut call)?;
    Ok((completion.message, completion.record))
}

fn with_tool() -> Request {
    let report = ToolSpec {
        name: "report".to_owned(),
        description: "Reports a word.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "word": { "type": "string", "description": "The word." } },
            "required": ["word"],
        }),
    };
    Request::new(vec![Message::text(Role::User, CALL)]).with_tools(vec![report])
}

fn told(message: &Message) -> String {
    let text = seatrial_report::one_line(&message.plain_text());
    let short: String = text.chars().take(200).collect();
    if short.is_empty() {
        "(nothing)".to_owned()
    } else {
        short
    }
}

fn called(message: &Message) -> String {
    let calls: Vec<String> = message
        .tool_calls()
        .map(|call| seatrial_report::one_line(&format!("{} {}", call.name, call.arguments)))
        .collect();
    if calls.is_empty() {
        format!("it was not called; the answer was: {}", told(message))
    } else {
        format!("it was called: {}", calls.join("; "))
    }
}

fn used(record: &ModelRecord) -> String {
    let number = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let cost = record.cost_micros.map_or_else(
        || "cost unknown".to_owned(),
        |micros| format!("${:.6}", micros as f64 / 1e6),
    );
    let mut parts = vec![
        format!(
            "{} + {} tokens",
            number(record.usage.input),
            number(record.usage.output)
        ),
        cost,
        format!("{} ms", record.wall_ms),
    ];
    if record.attempts > 1 {
        parts.push(format!("{} requests", record.attempts));
    }
    parts.extend(record.adapted.iter().map(|what| seatrial_report::one_line(what)));
    parts.join(", ")
}
