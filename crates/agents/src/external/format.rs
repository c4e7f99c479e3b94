//! Forms in which programs tell of their work.

use seatrial_core::Role;
use serde::Deserialize;
use serde_json::Value;

use super::told::Told;

/// A form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Text for people; nothing is read from it.
    #[default]
    Plain,
    /// Lines of JSON as `claude --output-format stream-json` prints them; `qwen` does too.
    ClaudeCode,
    /// Lines of JSON as `codex exec --json` prints them.
    Codex,
    /// Lines of JSON, or one document, as `gemini --output-format stream-json` or `json` prints them.
    GeminiCli,
    /// Lines of JSON as `opencode run --format json` prints them.
    Opencode,
    /// The Markdown of a chat that `aider` keeps.
    Aider,
    /// The document that `mini` leaves.
    MiniSweAgent,
    /// The list of events that OpenHands leaves or prints.
    Openhands,
    /// Lines of JSON, or one document, as `goose run --output-format` prints them.
    Goose,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Opencode => "opencode",
            Self::Aider => "aider",
            Self::MiniSweAgent => "mini-swe-agent",
            Self::Openhands => "openhands",
            Self::Goose => "goose",
        }
    }

    /// Whether its commands run in one shell, in which the working folder stays.
    pub(super) fn has_one_shell(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Openhands)
    }

    /// Whether commands can be read from it.
    pub(super) fn tells_commands(self) -> bool {
        !matches!(self, Self::Plain | Self::Aider)
    }

    /// Reads documents, or the text where it has none. What is not understood is passed over.
    pub(super) fn read(self, documents: &[Value], text: &str, told: &mut Told) {
        let read: fn(&Value, &mut Told) = match self {
            Self::Plain => return,
            Self::Aider => return aider(text, told),
            Self::ClaudeCode => claude_code,
            Self::Codex => codex,
            Self::GeminiCli => gemini_cli,
            Self::Opencode => opencode,
            Self::MiniSweAgent => mini_swe_agent,
            Self::Openhands => openhands,
            Self::Goose => goose,
        };
        for document in documents {
            read(document, told);
        }
    }
}

/// A text at a place.
fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The items at a place.
fn items<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn code(value: &Value, pointer: &str) -> Option<i32> {
    value.pointer(pointer)?.as_i64()?.try_into().ok()
}

/// A content that is a text, or a list of pieces with texts.
fn content(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(pieces)) => {
            let texts: Vec<&str> = pieces.iter().map(|piece| text(piece, "/text")).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn claude_code(line: &Value, told: &mut Told) {
    let role = match text(line, "/type") {
        "assistant" => Role::Assistant,
        "user" => Role::User,
        _ => return,
    };
    if let Some(said) = line.pointer("/message/content").and_then(Value::as_str) {
        return told.text(role, said);
    }
    for part in items(line, "/message/content") {
        match text(part, "/type") {
            "text" => told.text(role, text(part, "/text")),
            "thinking" => told.thought(text(part, "/thinking")),
            "tool_use" => told.call(
                text(part, "/id"),
                text(part, "/name"),
                part.get("input").unwrap_or(&Value::Null),
            ),
            "tool_result" => {
                let failed = part.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                told.answer(
                    text(part, "/tool_use_id"),
                    &content(part.get("content")),
                    None,
                    Some(failed),
                );
            }
            _ => {}
        }
    }
}

fn codex(line: &Value, told: &mut Told) {
    if text(line, "/type") != "item.completed" {
        return;
    }
    let id = text(line, "/item/id");
    // Older versions name the kind otherwise.
    let kind = line.pointer("/item/type").or_else(|| line.pointer("/item/item_type"));
    match kind.and_then(Value::as_str).unwrap_or_default() {
        "agent_message" | "assistant_message" => told.text(Role::Assistant, text(line, "/item/text")),
        "reasoning" => told.thought(text(line, "/item/text")),
        "command_execution" => {
            let command = line.pointer("/item/command").cloned().unwrap_or_default();
            let command = Value::String(in_shell(command.as_str().unwrap_or_default()));
            told.call(id, "shell", &serde_json::json!({ "command": command }));
            let failed = text(line, "/item/status") == "failed";
            told.answer(
                id,
                text(line, "/item/aggregated_output"),
                code(line, "/item/exit_code"),
                Some(failed),
            );
        }
        "file_change" => {
            let changes = line.pointer("/item/changes").cloned().unwrap_or_default();
            for change in items(line, "/item/changes") {
                told.written.push(text(change, "/path").to_owned());
            }
            told.call(id, "file_change", &serde_json::json!({ "changes": changes }));
        }
        "mcp_tool_call" => {
            let arguments = line.pointer("/item/arguments").cloned().unwrap_or_default();
            told.call(id, text(line, "/item/tool"), &arguments);
        }
        "error" => told.text(Role::User, text(line, "/item/message")),
        _ => {}
    }
}

/// The script of `bash -lc 'script'`.
fn in_shell(command: &str) -> String {
    let Some(words) = shell_words(command) else {
        return command.to_owned();
    };
    match words.as_slice() {
        [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => {
            script.clone()
        }
        _ => command.to_owned(),
    }
}

/// The words of a command that has quotes and backslashes and nothing else of a shell.
fn shell_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => match characters.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn gemini_cli(line: &Value, told: &mut Told) {
    match text(line, "/type") {
        "message" => {
            let role = if text(line, "/role") == "user" {
                Role::User
            } else {
                Role::Assistant
            };
            if line.get("delta") == Some(&Value::Bool(true)) {
                told.piece(role, text(line, "/content"));
            } else {
                told.text(role, text(line, "/content"));
            }
        }
        "tool_use" => told.call(
            text(line, "/tool_id"),
            text(line, "/tool_name"),
            line.get("parameters").unwrap_or(&Value::Null),
        ),
        "tool_result" => told.answer(
            text(line, "/tool_id"),
            &content(line.get("output")),
            None,
            Some(text(line, "/status") != "success"),
        ),
        // The one document of the other form.
        "" => told.text(Role::Assistant, text(line, "/response")),
        _ => {}
    }
}

fn opencode(line: &Value, told: &mut Told) {
    match text(line, "/type") {
        "text" => told.text(Role::Assistant, text(line, "/part/text")),
        "reasoning" => told.thought(text(line, "/part/text")),
        "tool_use" => {
            let id = text(line, "/part/callID");
            let input = line.pointer("/part/state/input").cloned().unwrap_or_default();
            told.call(id, text(line, "/part/tool"), &input);
            let failed = text(line, "/part/state/status") == "error";
            let said = if failed {
                "/part/state/error"
            } else {
                "/part/state/output"
            };
            told.answer(
                id,
                text(line, said),
                code(line, "/part/state/metadata/exit"),
                Some(failed),
            );
        }
        _ => {}
    }
}

fn mini_swe_agent(document: &Value, told: &mut Told) {
    for message in items(document, "/messages") {
        let said = content(message.get("content"));
        match text(message, "/role") {
            "system" => told.text(Role::System, &said),
            "assistant" => {
                told.thought(text(message, "/reasoning_content"));
                told.text(Role::Assistant, &said);
                for action in items(message, "/extra/actions") {
                    let arguments = serde_json::json!({ "command": text(action, "/command") });
                    told.call(text(action, "/tool_call_id"), "bash", &arguments);
                }
            }
            "tool" => told.answer(
                text(message, "/tool_call_id"),
                &said,
                code(message, "/extra/returncode"),
                None,
            ),
            "exit" => {
                // The command that says that all is done has no answer.
                let finished = text(message, "/extra/exit_status") == "Submitted";
                if let Some(last) = told.commands.last_mut().filter(|last| last.went_well.is_none()) {
                    last.went_well = Some(finished);
                }
            }
            _ => {
                // Without calls of tools an answer is a user's message, to the command before it.
                let exit = code(message, "/extra/returncode");
                if let Some(last) = told
                    .commands
                    .last_mut()
                    .filter(|last| last.went_well.is_none() && exit.is_some())
                {
                    last.code = exit;
                    last.went_well = exit.map(|exit| exit == 0);
                }
                told.text(Role::User, &said);
            }
        }
    }
}

fn openhands(event: &Value, told: &mut Told) {
    let id = event.get("id").map(ToString::to_string).unwrap_or_default();
    let cause = event.get("cause").map(ToString::to_string).unwrap_or_default();
    let said = |pointer: &str| text(event, pointer);
    let words = || match said("/args/content") {
        "" => said("/content"),
        words => words,
    };
    match (said("/action"), said("/observation")) {
        ("message", _) if said("/source") == "user" => told.text(Role::User, words()),
        ("message", _) => told.text(Role::Assistant, words()),
        ("think", _) => told.thought(said("/args/thought")),
        ("finish", _) => told.text(Role::Assistant, said("/args/final_thought")),
        (action @ ("run" | "write" | "edit" | "read"), _) => {
            told.text(Role::Assistant, said("/args/thought"));
            told.call(&id, action, event.get("args").unwrap_or(&Value::Null));
        }
        ("", "run" | "write" | "edit" | "read" | "error") => {
            let exit = code(event, "/extras/metadata/exit_code").or_else(|| code(event, "/extras/exit_code"));
            told.answer(&cause, said("/content"), exit, Some(said("/observation") == "error"));
        }
        _ => {}
    }
}

fn goose(line: &Value, told: &mut Told) {
    let one = std::slice::from_ref(line);
    let messages = match (line.get("messages"), line.get("message")) {
        (Some(Value::Array(messages)), _) => messages.as_slice(),
        (_, Some(message)) => std::slice::from_ref(message),
        _ => one,
    };
    for message in messages {
        let role = match text(message, "/role") {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => continue,
        };
        for part in items(message, "/content") {
            match text(part, "/type") {
                // As it comes, or whole.
                "text" if text(line, "/type") == "message" => told.piece(role, text(part, "/text")),
                "text" => told.text(role, text(part, "/text")),
                "thinking" => told.thought(text(part, "/thinking")),
                "toolRequest" => told.call(
                    text(part, "/id"),
                    text(part, "/toolCall/value/name"),
                    part.pointer("/toolCall/value/arguments").unwrap_or(&Value::Null),
                ),
                "toolResponse" => {
                    let value = part.pointer("/toolResult/value");
                    let pieces = value.and_then(|value| value.get("content")).or(value);
                    let failed = text(part, "/toolResult/status") != "success"
                        || part.pointer("/toolResult/value/isError") == Some(&Value::Bool(true));
                    told.answer(text(part, "/id"), &content(pieces), None, Some(failed));
                }
                _ => {}
            }
        }
    }
}

/// The chat of `aider`: what the user says has four hashes before it, what the program says an arrow.
fn aider(chat: &str, told: &mut Told) {
    let mut said = String::new();
    let mut whose = Role::Assistant;
    for line in chat.lines() {
        let (role, line) = if let Some(line) = line.strip_prefix("####") {
            (Role::User, line.trim())
        } else if let Some(line) = line.strip_prefix("> ") {
            if let Some(path) = line.strip_prefix("Applied edit to ") {
                told.written.push(path.trim().to_owned());
            }
            aider_used(line, told);
            (Role::Tool, line)
        } else if line.starts_with("# aider chat started") {
            continue;
        } else {
            (Role::Assistant, line)
        };
        // Empty lines belong to whoever speaks.
        if role != whose && !line.trim().is_empty() {
            speak(told, whose, &said);
            said.clear();
            whose = role;
        }
        said.push_str(line);
        said.push('\n');
    }
    speak(told, whose, &said);
}

/// `Tokens: 2.3k sent, 120 received. Cost: $0.01 message, $0.02 session.`
fn aider_used(line: &str, told: &mut Told) {
    let Some(line) = line.strip_prefix("Tokens: ") else {
        return;
    };
    let before = |word: &str| -> Option<f64> {
        let number = line.split(word).next()?.rsplit([' ', '$']).next()?;
        let (number, times) = match number.strip_suffix(['k', 'M']) {
            Some(short) if number.ends_with('k') => (short, 1e3),
            Some(short) => (short, 1e6),
            None => (number, 1.0),
        };
        number.replace(',', "").parse::<f64>().ok().map(|number| number * times)
    };
    let add = |sum: &mut Option<u64>, more: Option<f64>| {
        if let Some(more) = more {
            *sum = Some(sum.unwrap_or(0) + more.round() as u64);
        }
    };
    if line.contains(" sent") {
        add(&mut told.used.usage.input, before(" sent"));
    }
    if line.contains(" received") {
        add(&mut told.used.usage.output, before(" received"));
    }
    if line.contains(" session") {
        // The sum so far.
        told.used.cost_micros = before(" session").map(|dollars| (dollars * 1e6).round() as u64);
    }
    told.used.requests = Some(told.used.requests.unwrap_or(0) + 1);
}

/// The program's own words are no answer of a tool, so they are told as a user's.
fn speak(told: &mut Told, role: Role, said: &str) {
    let role = if role == Role::Tool { Role::User } else { role };
    told.text(role, said.trim());
}

#[cfg(test)]
mod tests;
