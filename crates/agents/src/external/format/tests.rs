//! Records as each program writes them, cut down to what is read.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use seatrial_core::Part;

use super::*;
use crate::external::told::documents;

/// What is read from a record, in a few lines.
fn check(format: Format, record: &str, expected: &Expect) {
    let mut told = Told::default();
    let (documents, _) = documents(record);
    format.read(&documents, record, &mut told);
    let mut text = String::new();
    for message in &told.messages {
        for part in &message.parts {
            match part {
                Part::Text { text: said } => writeln!(text, "{:?}: {said}", message.role),
                Part::Reasoning { text: said, .. } => writeln!(text, "{:?} thinks: {said}", message.role),
                Part::ToolCall(call) => {
                    writeln!(text, "{:?} {} {} {}", message.role, call.id, call.name, call.arguments)
                }
                Part::ToolResult { id, content, failed } => {
                    writeln!(
                        text,
                        "{:?} {id} {}: {content}",
                        message.role,
                        if *failed { "failed" } else { "done" }
                    )
                }
            }
            .unwrap();
        }
    }
    for ran in &told.commands {
        writeln!(text, "$ {} -> {:?} {:?}", ran.command, ran.code, ran.went_well).unwrap();
    }
    writeln!(text, "written {:?}", told.written).unwrap();
    if told.used.is_told() {
        writeln!(text, "{:?} {:?}", told.used.usage.input, told.used.cost_micros).unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn claude_code_is_read() {
    check(
        Format::ClaudeCode,
        r#"
{"type":"system","subtype":"init","tools":["Bash"]}
{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"I look."}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Exit code 2","is_error":true}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/build/source/a.c"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"ok"}]}]}}
{"type":"result","subtype":"success","result":"Done."}
not json
"#,
        &expect![[r#"
            Assistant thinks: Hm.
            Assistant: I look.
            Assistant t1 Bash {"command":"make"}
            Tool t1 failed: Exit code 2
            Assistant t2 Edit {"file_path":"/build/source/a.c"}
            Tool t2 done: ok
            $ make -> None Some(false)
            written ["/build/source/a.c"]
        "#]],
    );
}

#[test]
fn codex_is_read() {
    check(
        Format::Codex,
        r#"
{"type":"thread.started","thread_id":"x"}
{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"bash -lc 'cd a && make'","status":"in_progress"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"bash -lc 'cd a && make'","aggregated_output":"ok\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"i2","type":"file_change","changes":[{"path":"/build/source/new.c","kind":"add"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"i3","type":"agent_message","text":"Done."}}
{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":2,"output_tokens":3}}
"#,
        &expect![[r#"
            Assistant i1 shell {"command":"cd a && make"}
            Tool i1 done: ok

            Assistant i2 file_change {"changes":[{"kind":"add","path":"/build/source/new.c"}]}
            Assistant: Done.
            $ cd a && make -> Some(0) Some(true)
            written ["/build/source/new.c"]
        "#]],
    );
}

#[test]
fn gemini_cli_is_read_in_both_forms() {
    check(
        Format::GeminiCli,
        r#"
{"type":"init","model":"m"}
{"type":"message","role":"user","content":"Build."}
{"type":"message","role":"assistant","content":"I lo","delta":true}
{"type":"message","role":"assistant","content":"ok.","delta":true}
{"type":"tool_use","tool_name":"run_shell_command","tool_id":"s1","parameters":{"command":"make"}}
{"type":"tool_result","tool_id":"s1","status":"success","output":"built"}
{"type":"result","status":"success","stats":{"input_tokens":1}}
"#,
        &expect![[r#"
            User: Build.
            Assistant: I look.
            Assistant s1 run_shell_command {"command":"make"}
            Tool s1 done: built
            $ make -> None Some(true)
            written []
        "#]],
    );
    check(
        Format::GeminiCli,
        "Loaded.\n{\n  \"response\": \"Done.\",\n  \"stats\": {}\n}\n",
        &expect![[r#"
            Assistant: Done.
            written []
        "#]],
    );
}

#[test]
fn opencode_is_read() {
    check(
        Format::Opencode,
        r#"
{"type":"step_start","part":{"type":"step-start"}}
{"type":"tool_use","part":{"tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"make"},"output":"no","metadata":{"exit":2}}}}
{"type":"tool_use","part":{"tool":"write","callID":"c2","state":{"status":"error","input":{"filePath":"x"},"error":"denied"}}}
{"type":"text","part":{"text":"Done."}}
"#,
        &expect![[r#"
            Assistant c1 bash {"command":"make"}
            Tool c1 failed: no
            Assistant c2 write {"filePath":"x"}
            Tool c2 failed: denied
            Assistant: Done.
            $ make -> Some(2) Some(false)
            written ["x"]
        "#]],
    );
}

#[test]
fn mini_swe_agent_is_read() {
    check(
        Format::MiniSweAgent,
        r#"{
  "info": {"exit_status": "Submitted"},
  "messages": [
    {"role": "system", "content": "Rules."},
    {"role": "user", "content": "Build."},
    {"role": "assistant", "content": "", "extra": {"actions": [{"command": "make", "tool_call_id": "c1"}]}},
    {"role": "tool", "tool_call_id": "c1", "content": "out", "extra": {"returncode": 1}},
    {"role": "assistant", "content": "Again.", "extra": {"actions": [{"command": "echo COMPLETE", "tool_call_id": "c2"}]}},
    {"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": ""}}
  ]
}"#,
        &expect![[r#"
            System: Rules.
            User: Build.
            Assistant c1 bash {"command":"make"}
            Tool c1 failed: out
            Assistant: Again.
            Assistant c2 bash {"command":"echo COMPLETE"}
            $ make -> Some(1) Some(false)
            $ echo COMPLETE -> None Some(true)
            written []
        "#]],
    );
}

#[test]
fn openhands_is_read() {
    check(
        Format::Openhands,
        r#"[
  {"id": 0, "source": "user", "action": "message", "args": {"content": "Build."}},
  {"id": 1, "source": "agent", "action": "run", "args": {"command": "make", "thought": "I build."}},
  {"id": 2, "source": "agent", "observation": "run", "content": "ok", "cause": 1, "extras": {"metadata": {"exit_code": 0}}},
  {"id": 3, "source": "agent", "action": "finish", "args": {"final_thought": "Done."}}
]"#,
        &expect![[r#"
            User: Build.
            Assistant: I build.
            Assistant 1 run {"command":"make","thought":"I build."}
            Tool 1 done: ok
            Assistant: Done.
            $ make -> Some(0) Some(true)
            written []
        "#]],
    );
}

#[test]
fn goose_is_read() {
    check(
        Format::Goose,
        r#"
{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"I lo"}]}}
{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"ok."},{"type":"toolRequest","id":"r1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"make"}}}}]}}
{"type":"message","message":{"role":"user","content":[{"type":"toolResponse","id":"r1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"built"}],"isError":false}}}]}}
{"type":"complete","total_tokens":3}
"#,
        &expect![[r#"
            Assistant: I look.
            Assistant r1 developer__shell {"command":"make"}
            Tool r1 done: built
            $ make -> None Some(true)
            written []
        "#]],
    );
}

#[test]
fn a_chat_of_aider_is_read() {
    check(
        Format::Aider,
        "# aider chat started at now\n\n> Aider v0\n\n#### Build it\n#### now\n\nI write it.\n\n> Applied edit to /build/source/a.c\n\
         > Tokens: 2.5k sent, 120 received. Cost: $0.01 message, $0.02 session.\n",
        &expect![[r#"
            User: Aider v0
            User: Build it
            now
            Assistant: I write it.
            User: Applied edit to /build/source/a.c
            Tokens: 2.5k sent, 120 received. Cost: $0.01 message, $0.02 session.
            written ["/build/source/a.c"]
            Some(2500) Some(20000)
        "#]],
    );
}

#[test]
fn whatever_stands_there_is_no_fault() {
    let odd = [
        "",
        "null",
        "[1, \"x\", null, {}]",
        "{\"type\":\"assistant\",\"message\":null}\n{\"type\":\"item.completed\",\"item\":7}\n{\"type\":3}",
        "{\"messages\":[{\"role\":\"assistant\",\"content\":[null],\"extra\":{\"actions\":[{}]}}]}",
        "{\"type\":\"tool_use\",\"part\":{\"state\":{\"input\":null}}}\n\u{0}\u{1b}[2J",
    ];
    for format in [
        Format::Plain,
        Format::ClaudeCode,
        Format::Codex,
        Format::GeminiCli,
        Format::Opencode,
        Format::Aider,
        Format::MiniSweAgent,
        Format::Openhands,
        Format::Goose,
    ] {
        for record in odd {
            let mut told = Told::default();
            let (documents, _) = documents(record);
            format.read(&documents, record, &mut told);
            assert!(told.commands.iter().all(|ran| ran.went_well != Some(true)), "{record}");
        }
    }
}
