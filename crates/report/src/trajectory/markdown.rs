//! A trajectory as text for a person: what was said, what was run, what it took.

use std::fmt::Write as _;

use seatrial_core::{CommandRecord, Message, ModelRecord, Part, Role, ToolRecord};

use super::{Act, Conversation, Spent, Trajectory};
use crate::{duration, visible};

/// So many lines of one text are shown; the journal has the rest.
const MOST_LINES: usize = 60;

/// The whole trajectory as Markdown. Control characters are made visible, and nothing that was said can end a block early.
pub fn markdown(trajectory: &Trajectory) -> String {
    let mut out = format!(
        "# {} by {}, attempt {}\n\n",
        visible(&trajectory.task),
        visible(&trajectory.agent),
        trajectory.attempt
    );
    let spent = Spent::of(trajectory.conversations.iter().flat_map(Conversation::calls));
    let mut facts = Vec::new();
    if let Some(outcome) = trajectory.outcome {
        facts.push(format!("outcome {outcome}"));
    }
    if let Some((_, why)) = &trajectory.ended {
        facts.push(format!("ended: {}", visible(why)));
    }
    if let Some(model) = trajectory.model() {
        facts.push(format!("model {}", visible(model)));
        facts.push(tokens(&spent));
    }
    let (used, cached) = tools(trajectory);
    if cached > 0 {
        facts.push(format!("{used} uses of tools, {cached} answered from the cache"));
    } else if used > 0 {
        facts.push(format!("{used} uses of tools"));
    }
    for fact in facts {
        let _ = writeln!(out, "- {fact}");
    }
    for talk in &trajectory.conversations {
        if trajectory.conversations.len() > 1 {
            let _ = writeln!(out, "\n## Conversation {}", visible(&talk.name));
        }
        for (index, step) in talk.steps.iter().enumerate() {
            one(&mut out, index + 1, &step.act);
        }
    }
    if let Some(note) = &trajectory.note {
        let _ = writeln!(out, "\n## Handed in\n\n{}", block(note, ""));
    }
    out
}

fn one(out: &mut String, number: usize, act: &Act) {
    match act {
        Act::Said { role, text } => {
            let who = if *role == Role::System { "system" } else { "user" };
            let _ = writeln!(out, "\n### {number}. {who}\n\n{}", block(text, ""));
        }
        Act::Answered {
            message,
            calls,
            results,
            tools,
        } => answered(out, number, message, (calls, tools), results),
        Act::Ran(command) => {
            let _ = writeln!(
                out,
                "\n### {number}. {}\n\n{}\n{} in {}",
                visible(&command.purpose),
                block(&command.command, "sh"),
                ended(command),
                duration(command.wall_ms)
            );
        }
        Act::Decided { what, why } => {
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {}", visible(why))
            };
            let _ = writeln!(out, "\n{number}. *{}*{why}", visible(what));
        }
        Act::Condensed { messages, summary } => {
            let _ = writeln!(
                out,
                "\n### {number}. {messages} messages condensed\n\n{}",
                block(summary, "")
            );
        }
        Act::Unanswered(calls) => {
            let _ = writeln!(out, "\n### {number}. no answer\n");
            for error in calls.iter().filter_map(|call| call.error.as_deref()) {
                let _ = writeln!(out, "- {}", visible(error));
            }
        }
    }
}

fn answered(
    out: &mut String,
    number: usize,
    message: &Message,
    (calls, tools): (&[ModelRecord], &[ToolRecord]),
    results: &[(String, String, bool)],
) {
    let _ = writeln!(out, "\n### {number}. agent");
    for part in &message.parts {
        match part {
            Part::Text { text } => {
                let _ = writeln!(out, "\n{}", block(text, ""));
            }
            Part::Reasoning { text, .. } if !text.is_empty() => {
                let _ = writeln!(out, "\nthought:\n\n{}", block(text, ""));
            }
            Part::ToolCall(call) => {
                let _ = writeln!(
                    out,
                    "\n`{}`:\n\n{}",
                    visible(&call.name).replace('`', "'"),
                    block(&call.arguments, "json")
                );
                if let Some((_, content, failed)) = results.iter().find(|(id, ..)| *id == call.id) {
                    let cached = tools.iter().any(|tool| tool.id == call.id && tool.cached);
                    let how = match (failed, cached) {
                        (true, _) => "failed",
                        (false, true) => "answered from the cache",
                        (false, false) => "answered",
                    };
                    let _ = writeln!(out, "\n{how}:\n\n{}", block(content, ""));
                }
            }
            Part::Reasoning { .. } | Part::ToolResult { .. } => {}
        }
    }
    if !calls.is_empty() {
        let wall: u64 = calls.iter().map(|call| call.wall_ms).sum();
        let _ = writeln!(out, "\n{}, {}", tokens(&Spent::of(calls)), duration(wall));
    }
}

/// Uses of tools, and those of them whose answer was remembered.
fn tools(trajectory: &Trajectory) -> (usize, usize) {
    let steps = trajectory.conversations.iter().flat_map(|talk| &talk.steps);
    let records = || {
        steps.clone().flat_map(|step| match &step.act {
            Act::Answered { tools, .. } => tools.as_slice(),
            Act::Said { .. } | Act::Ran(_) | Act::Decided { .. } | Act::Condensed { .. } | Act::Unanswered(_) => &[],
        })
    };
    (records().count(), records().filter(|record| record.cached).count())
}

fn ended(command: &CommandRecord) -> String {
    match (command.timed_out, command.code, command.signal) {
        (true, _, _) => "ran longer than it may,".to_owned(),
        (false, Some(code), _) => format!("exited with {code}"),
        (false, None, Some(signal)) => format!("was ended by signal {signal}"),
        (false, None, None) => "ended".to_owned(),
    }
}

fn tokens(spent: &Spent) -> String {
    let number = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let cost = spent.cost_micros.map_or_else(
        || "cost unknown".to_owned(),
        |micros| format!("${:.4}", micros as f64 / 1e6),
    );
    format!("{} + {} tokens, {cost}", number(spent.input), number(spent.output))
}

/// A fenced block that its content cannot end.
fn block(text: &str, language: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = lines.iter().map(|line| visible(line)).collect();
    if lines.len() > MOST_LINES {
        let half = MOST_LINES / 2;
        let left = lines.len() - 2 * half;
        shown = shown[..half]
            .iter()
            .cloned()
            .chain([format!("[{left} lines left out]")])
            .chain(shown[shown.len() - half..].iter().cloned())
            .collect();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", shown.join("\n"))
}
