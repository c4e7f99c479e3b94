//! Tools and forms of answers in words, for models whose provider has no parameters for them.

use std::fmt::Write as _;

use seatrial_core::{Message, Part, Role, ToolCall};
use serde_json::Value;

use crate::{JsonSchema, Request, ToolChoice};

const TOOLS: &str = include_str!("../prompts/tools-in-words.md");
const SCHEMA: &str = include_str!("../prompts/schema-in-words.md");
/// First words of a fence that holds a call; the first is what the prompt asks for.
const FENCES: [&str; 3] = ["tool", "tool_call", "tool-call"];
/// The name of a call in which no name can be read.
const NAMELESS: &str = "unreadable";

/// The same request with everything about tools in its texts.
pub(crate) fn with_tools_in_words(request: &Request) -> Request {
    let mut told = request.clone();
    told.tools.clear();
    told.messages = request
        .messages
        .iter()
        .map(|message| in_words(message, request))
        .collect();
    if request.tools.is_empty() || request.tool_choice == ToolChoice::None {
        return told;
    }
    let mut rules = TOOLS.trim_end().to_owned();
    for tool in &request.tools {
        let _ = write!(
            rules,
            "\n\n`{}`: {}\n{}",
            tool.name,
            tool.description.trim(),
            tool.parameters
        );
    }
    match &request.tool_choice {
        ToolChoice::Required => rules.push_str("\n\nIn your next message you must call a tool."),
        ToolChoice::Tool(name) => {
            let _ = write!(rules, "\n\nIn your next message you must call `{name}`.");
        }
        ToolChoice::Auto | ToolChoice::None => {}
    }
    add_rules(&mut told.messages, rules);
    told
}

/// Asks for the form of the answer in words.
pub(crate) fn with_schema_in_words(request: &mut Request) {
    if let Some(JsonSchema { schema, .. }) = &request.schema {
        let rules = format!("{}\n\n{schema}", SCHEMA.trim_end());
        add_rules(&mut request.messages, rules);
    }
}

/// Finds the calls in an answer's texts. `prefix` begins their ids.
pub(crate) fn find_calls(parts: Vec<Part>, prefix: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut count = 0;
    for part in parts {
        let Part::Text { text } = part else {
            found.push(part);
            continue;
        };
        let mut prose = String::new();
        let mut lines = text.split_inclusive('\n');
        while let Some(line) = lines.next() {
            if !is_fence(line) {
                prose.push_str(line);
                continue;
            }
            // A fence that is never closed was the last thing that was written.
            let body: String = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            push_text(&mut found, &mut prose);
            let (name, arguments) = read_call(body.trim());
            found.push(Part::ToolCall(ToolCall {
                id: format!("{prefix}-{count}"),
                name,
                arguments,
            }));
            count += 1;
        }
        push_text(&mut found, &mut prose);
    }
    found
}

fn is_fence(line: &str) -> bool {
    let word = line.trim().strip_prefix("```").map(str::trim);
    word.is_some_and(|word| FENCES.contains(&word))
}

fn push_text(parts: &mut Vec<Part>, prose: &mut String) {
    let text = std::mem::take(prose);
    if !text.trim().is_empty() {
        parts.push(Part::Text {
            text: text.trim().to_owned(),
        });
    }
}

/// The name and the arguments of a call. What is no JSON is passed on as arguments, so that whoever runs tools can say why
/// it cannot be read.
fn read_call(body: &str) -> (String, String) {
    if let Ok(Value::Object(call)) = serde_json::from_str(body) {
        let name = call.get("name").or_else(|| call.get("tool")).and_then(Value::as_str);
        let arguments = call.get("arguments").or_else(|| call.get("parameters"));
        if let Some(name) = name {
            let arguments = match arguments {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => "{}".to_owned(),
            };
            return (name.to_owned(), arguments);
        }
    }
    let name = body
        .split_once("\"name\"")
        .and_then(|(_, rest)| {
            rest.trim_start()
                .strip_prefix(':')?
                .trim_start()
                .strip_prefix('"')?
                .split_once('"')
        })
        .map_or(NAMELESS, |(name, _)| name);
    (name.to_owned(), body.to_owned())
}

/// A message with its calls and results as texts.
fn in_words(message: &Message, request: &Request) -> Message {
    let is_plain = |part: &Part| matches!(part, Part::Text { .. } | Part::Reasoning { .. });
    if message.parts.iter().all(is_plain) {
        return message.clone();
    }
    let mut text = String::new();
    for part in &message.parts {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        match part {
            Part::Text { text: said } => text.push_str(said),
            Part::Reasoning { .. } => {}
            Part::ToolCall(call) => {
                let arguments: Value =
                    serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
                let name = Value::String(call.name.clone());
                let _ = write!(text, "```tool\n{{\"name\": {name}, \"arguments\": {arguments}}}\n```");
            }
            Part::ToolResult { id, content, failed } => {
                let name = request
                    .messages
                    .iter()
                    .flat_map(Message::tool_calls)
                    .find(|call| call.id == *id)
                    .map_or("a tool", |call| call.name.as_str());
                let how = if *failed { "failed" } else { "answered" };
                let _ = write!(text, "`{name}` {how}:\n{content}");
            }
        }
    }
    let role = match message.role {
        Role::Tool => Role::User,
        other => other,
    };
    Message::text(role, text)
}

/// Adds to the rules at the beginning.
fn add_rules(messages: &mut Vec<Message>, rules: String) {
    match messages.iter_mut().find(|message| message.role == Role::System) {
        Some(message) => message.parts.push(Part::Text { text: rules }),
        None => messages.insert(0, Message::text(Role::System, rules)),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;
    use crate::ToolSpec;

    #[test]
    fn a_conversation_with_tools_can_be_told_in_words() {
        let call = ToolCall {
            id: "c1".into(),
            name: "shell".into(),
            arguments: r#"{"command":"ls"}"#.into(),
        };
        let request = Request::new(vec![
            Message::text(Role::System, "Be brief."),
            Message::text(Role::User, "What is here?"),
            Message {
                role: Role::Assistant,
                parts: vec![Part::Text { text: "I look.".into() }, Part::ToolCall(call)],
            },
            Message::tool_result("c1", "README", false),
        ])
        .with_tools(vec![ToolSpec {
            name: "shell".into(),
            description: "Runs a command.".into(),
            parameters: json!({"type": "object"}),
        }]);
        let told = with_tools_in_words(&request);
        let listing: Vec<String> = told
            .messages
            .iter()
            .map(|message| {
                format!(
                    "{:?}: {}",
                    message.role,
                    message.plain_text().replace(TOOLS.trim_end(), "<tools>")
                )
            })
            .collect();
        expect![[r#"
            System: Be brief.
            <tools>

            `shell`: Runs a command.
            {"type":"object"}
            ---
            User: What is here?
            ---
            Assistant: I look.

            ```tool
            {"name": "shell", "arguments": {"command":"ls"}}
            ```
            ---
            User: `shell` answered:
            README"#]]
        .assert_eq(&listing.join("\n---\n"));
        assert!(told.tools.is_empty());
    }

    #[test]
    fn calls_are_found_in_fences_and_nothing_else_is_one() {
        let cases = [
            "No call.\n```sh\nls\n```",
            "First.\n```tool\n{\"name\": \"shell\", \"arguments\": {\"command\": \"a\\nb\"}}\n```\nThen.\n```tool_call\n{\"name\": \"done\"}\n```",
            "```tool\n{\"name\": \"shell\", \"arguments\": {\"command\": \"unclosed",
            "```tool\nnothing of the kind\n```",
            "  ``` tool\n{\"tool\": \"x\", \"parameters\": \"{\\\"a\\\":1}\"}\n  ```  ",
        ];
        let mut listing = String::new();
        for text in cases {
            let parts = find_calls(vec![Part::Text { text: text.into() }], "call-3");
            for part in parts {
                match part {
                    Part::Text { text } => writeln!(listing, "text {text:?}").unwrap(),
                    Part::ToolCall(call) => {
                        writeln!(listing, "call {} {} {}", call.id, call.name, call.arguments).unwrap();
                    }
                    _ => {}
                }
            }
            listing.push('\n');
        }
        expect![[r#"
            text "No call.\n```sh\nls\n```"

            text "First."
            call call-3-0 shell {"command":"a\nb"}
            text "Then."
            call call-3-1 done {}

            call call-3-0 shell {"name": "shell", "arguments": {"command": "unclosed

            call call-3-0 unreadable nothing of the kind

            call call-3-0 x {"a":1}

        "#]]
        .assert_eq(&listing);
    }
}
