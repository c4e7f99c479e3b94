//! What a program told of its work, in one form for all.

use seatrial_core::{Message, Part, Role, ToolCall, Usage};
use serde_json::Value;

use super::recipe::{Take, UsageSpec};
use crate::steps::quoted;

/// Most messages that are taken over, most bytes of one of their parts, and most bytes in all.
const MOST_MESSAGES: usize = 2000;
const MOST_PART: usize = 16 << 10;
const MOST_BYTES: usize = 4 << 20;

/// What a program told of its work.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// What was said, in order.
    pub(super) messages: Vec<Message>,
    /// The commands that it ran, in order.
    pub(super) commands: Vec<RanCommand>,
    /// Files that its tools for editing wrote.
    pub(super) written: Vec<String>,
    /// What it says that it used.
    pub(super) used: Used,
    /// Lines and items that could not be read.
    pub(super) unread: usize,
    /// Messages that were left out because there were too many.
    pub(super) left_out: usize,
    bytes: usize,
}

/// A command that it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RanCommand {
    /// The call's id, where there is one.
    pub(super) id: String,
    /// The command.
    pub(super) command: String,
    /// The exit code, where it is told.
    pub(super) code: Option<i32>,
    /// Whether it went well, where that is told.
    pub(super) went_well: Option<bool>,
}

/// What it says that it used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Used {
    /// Tokens.
    pub(super) usage: Usage,
    /// Millionths of a US dollar.
    pub(super) cost_micros: Option<u64>,
    /// Requests.
    pub(super) requests: Option<u64>,
}

impl Used {
    /// Whether it says anything.
    pub(super) fn is_told(&self) -> bool {
        *self != Self::default()
    }
}

impl Told {
    /// A text or a thought of the model, or what somebody said to it.
    pub(super) fn say(&mut self, role: Role, parts: Vec<Part>) {
        let parts: Vec<Part> = parts
            .into_iter()
            .filter(|part| !is_empty(part))
            .map(shortened)
            .collect();
        if parts.is_empty() {
            return;
        }
        let bytes: usize = parts.iter().map(size).sum();
        if self.messages.len() >= MOST_MESSAGES || self.bytes + bytes > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        self.bytes += bytes;
        // Parts of one turn come one by one; calls and answers of tools part the turns.
        match self.messages.last_mut() {
            Some(last) if last.role == role && role == Role::Assistant && last.tool_calls().next().is_none() => {
                last.parts.extend(parts);
            }
            _ => self.messages.push(Message { role, parts }),
        }
    }

    /// A text.
    pub(super) fn text(&mut self, role: Role, text: &str) {
        let text = text.to_owned();
        self.say(role, vec![Part::Text { text }]);
    }

    /// A piece of a text that goes on.
    pub(super) fn piece(&mut self, role: Role, text: &str) {
        if let Some(last) = self.messages.last_mut()
            && last.role == role
            && let Some(Part::Text { text: begun }) = last.parts.last_mut()
            && begun.len() + text.len() <= MOST_PART
        {
            begun.push_str(text);
            self.bytes += text.len();
        } else {
            self.text(role, text);
        }
    }

    /// A thought.
    pub(super) fn thought(&mut self, text: &str) {
        let text = text.to_owned();
        self.say(Role::Assistant, vec![Part::Reasoning { text, opaque: None }]);
    }

    /// A use of a tool.
    pub(super) fn call(&mut self, id: &str, name: &str, arguments: &Value) {
        if let Some(command) = command_of(name, arguments) {
            self.commands.push(RanCommand {
                id: id.to_owned(),
                command,
                code: None,
                went_well: None,
            });
        } else if let Some(path) = written_by(name, arguments) {
            self.written.push(path);
        }
        self.say(
            Role::Assistant,
            vec![Part::ToolCall(ToolCall {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_string(),
            })],
        );
    }

    /// A tool's answer.
    pub(super) fn answer(&mut self, id: &str, content: &str, code: Option<i32>, failed: Option<bool>) {
        let went_well = code.map(|code| code == 0).or_else(|| failed.map(|failed| !failed));
        if let Some(ran) = self.commands.iter_mut().rev().find(|ran| ran.id == id) {
            ran.code = code;
            ran.went_well = went_well;
        }
        self.say(
            Role::Tool,
            vec![Part::ToolResult {
                id: id.to_owned(),
                content: content.to_owned(),
                failed: went_well == Some(false),
            }],
        );
    }

    /// The last words of the model.
    pub(super) fn last_words(&self) -> Option<String> {
        let said = |message: &Message| (message.role == Role::Assistant).then(|| message.plain_text());
        self.messages
            .iter()
            .rev()
            .filter_map(said)
            .find(|text| !text.trim().is_empty())
    }

    /// Whether the model did anything at all.
    pub(super) fn is_silent(&self) -> bool {
        self.commands.is_empty() && !self.messages.iter().any(|message| message.role == Role::Assistant)
    }
}

fn is_empty(part: &Part) -> bool {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.trim().is_empty(),
        Part::ToolCall(_) | Part::ToolResult { .. } => false,
    }
}

fn shortened(part: Part) -> Part {
    let short = |text: String| seatrial_tools::shorten(&text, MOST_PART, "the program's own record").0;
    match part {
        Part::Text { text } => Part::Text { text: short(text) },
        Part::Reasoning { text, opaque } => Part::Reasoning {
            text: short(text),
            opaque,
        },
        Part::ToolCall(call) => Part::ToolCall(ToolCall {
            arguments: short(call.arguments),
            ..call
        }),
        Part::ToolResult { id, content, failed } => Part::ToolResult {
            id,
            content: short(content),
            failed,
        },
    }
}

fn size(part: &Part) -> usize {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.len(),
        Part::ToolCall(call) => call.arguments.len(),
        Part::ToolResult { content, .. } => content.len(),
    }
}

/// The command of a call, when the tool is a shell.
fn command_of(name: &str, arguments: &Value) -> Option<String> {
    const SHELLS: [&str; 10] = [
        "bash",
        "shell",
        "run_shell_command",
        "execute_bash",
        "execute_command",
        "terminal",
        "run_command",
        "command",
        "run",
        "sh",
    ];
    let plain = plain_name(name);
    if !SHELLS.contains(&plain.as_str()) {
        return None;
    }
    let command = arguments.get("command").or_else(|| arguments.get("cmd"))?;
    match command {
        Value::String(command) => Some(command.clone()),
        // Words: a shell that is called with a script is that script.
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => {
                    Some((*script).to_owned())
                }
                _ => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            }
        }
        _ => None,
    }
}

/// The file that a call writes, when the tool is for editing.
fn written_by(name: &str, arguments: &Value) -> Option<String> {
    const EDITORS: [&str; 11] = [
        "write",
        "edit",
        "multiedit",
        "write_file",
        "edit_file",
        "replace",
        "create_file",
        "str_replace_editor",
        "text_editor",
        "file_editor",
        "apply_patch",
    ];
    if !EDITORS.contains(&plain_name(name).as_str()) {
        return None;
    }
    let looks = arguments.get("command").and_then(Value::as_str) == Some("view");
    let path = ["file_path", "filePath", "path", "absolute_path"]
        .iter()
        .find_map(|key| arguments.get(*key)?.as_str())?;
    (!looks).then(|| path.to_owned())
}

/// A tool's name without the server that offers it, in small letters.
fn plain_name(name: &str) -> String {
    name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase()
}

/// The JSON documents of a text: the text itself, or its lines.
pub(super) fn documents(text: &str) -> (Vec<Value>, usize) {
    if let Ok(whole) = serde_json::from_str::<Value>(text.trim())
        && (whole.is_object() || whole.is_array())
    {
        return match whole {
            Value::Array(items) => (items, 0),
            other => (vec![other], 0),
        };
    }
    let mut unread = 0;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(document) if document.is_object() => found.push(document),
            _ => unread += 1,
        }
    }
    // A program may say something before the one document that it prints.
    if found.is_empty()
        && let Some(start) = text.find("\n{")
        && let Ok(document) = serde_json::from_str::<Value>(text.get(start..).unwrap_or_default().trim())
    {
        return (vec![document], 0);
    }
    (found, unread)
}

/// Reads tokens and cost off documents.
pub(super) fn used(documents: &[Value], spec: &UsageSpec) -> Used {
    let tokens = |pointers: &[String]| number(documents, pointers, spec.take).map(|number| number.round() as u64);
    Used {
        usage: Usage {
            input: tokens(&spec.input),
            cached_input: tokens(&spec.cached_input),
            cache_write: None,
            output: tokens(&spec.output),
            reasoning: tokens(&spec.reasoning),
        },
        cost_micros: number(documents, &spec.cost, spec.take).map(|dollars| (dollars * 1e6).round() as u64),
        requests: tokens(&spec.requests),
    }
}

fn number(documents: &[Value], pointers: &[String], take: Take) -> Option<f64> {
    let of = |document: &Value| -> Option<f64> {
        let mut found = Vec::new();
        for pointer in pointers {
            let steps: Vec<String> = pointer
                .split('/')
                .skip(1)
                .map(|step| step.replace("~1", "/").replace("~0", "~"))
                .collect();
            follow(document, &steps, &mut found);
        }
        let found: Vec<f64> = found.into_iter().filter(|number| *number >= 0.0).collect();
        (!found.is_empty()).then(|| found.iter().sum())
    };
    let mut all = documents.iter().filter_map(of);
    match take {
        Take::Last => all.next_back(),
        Take::Sum => all.reduce(|sum, number| sum + number),
    }
}

fn follow(value: &Value, steps: &[String], found: &mut Vec<f64>) {
    let Some((step, rest)) = steps.split_first() else {
        found.extend(value.as_f64());
        return;
    };
    match (step.as_str(), value) {
        ("*", Value::Array(items)) => items.iter().for_each(|item| follow(item, rest, found)),
        ("*", Value::Object(items)) => items.values().for_each(|item| follow(item, rest, found)),
        (key, Value::Object(items)) => {
            if let Some(item) = items.get(key) {
                follow(item, rest, found);
            }
        }
        (index, Value::Array(items)) => {
            if let Some(item) = index.parse::<usize>().ok().and_then(|index| items.get(index)) {
                follow(item, rest, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_found_by_pointers() {
        let documents = [
            json!({ "usage": { "in": 10, "cached": 4 }, "turns": [{ "cost": 0.25 }, { "cost": 0.5 }, { "none": 1 }] }),
            json!({ "other": true }),
            json!({ "usage": { "in": 1, "cached": -7 } }),
        ];
        let spec = |take| UsageSpec {
            take,
            input: vec!["/usage/in".to_owned(), "/usage/cached".to_owned()],
            output: vec!["/usage/out".to_owned()],
            cost: vec!["/turns/*/cost".to_owned()],
            ..UsageSpec::default()
        };
        let last = used(&documents, &spec(Take::Last));
        assert_eq!((last.usage.input, last.usage.output), (Some(1), None));
        assert_eq!(last.cost_micros, Some(750_000));
        assert_eq!(used(&documents, &spec(Take::Sum)).usage.input, Some(15));
        assert!(!used(&documents, &UsageSpec::default()).is_told());
    }

    #[test]
    fn commands_are_those_of_shells() {
        for (name, arguments, command) in [
            ("Bash", json!({ "command": "make -j2" }), Some("make -j2")),
            ("developer__shell", json!({ "command": "ls" }), Some("ls")),
            (
                "shell",
                json!({ "command": ["bash", "-lc", "cd a && make"] }),
                Some("cd a && make"),
            ),
            ("shell", json!({ "command": ["echo", "a b"] }), Some("echo 'a b'")),
            ("Read", json!({ "command": "x" }), None),
            ("Bash", json!({ "command": 3 }), None),
        ] {
            assert_eq!(command_of(name, &arguments).as_deref(), command, "{name}");
        }
    }
}
