//! `seatrial mcp --suite repair` as an agent uses it, over standard input and output.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use seatrial_core::{Arch, Digest};
use seatrial_store::Home;
use serde_json::{Value, json};

use crate::{
    small_package::write_package,
    support::{boxes, home, seatrial},
};

/// A server that is talked to.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Talk {
    fn begin(words: &[&str]) -> Self {
        let mut child = seatrial()
            .arg("mcp")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut talk = Self {
            child,
            input,
            output,
            asked: 0,
        };
        let client = json!({"name": "test", "version": "1"});
        talk.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        );
        talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        talk
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// What a tool answers: its text, whether it failed, and its data.
    fn call(&mut self, name: &str, arguments: &Value) -> (String, bool, Value) {
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, result["isError"] == true, result["structuredContent"].clone())
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The whole log of a rebuild.
fn log(data: &Value) -> String {
    let digest: Digest = data["rebuild"]["log"].as_str().unwrap().parse().unwrap();
    let bytes = Home::open(home()).unwrap().blobs().read(&digest).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_repair_over_tools_installs_what_the_package_builds_with_once() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let broken = "#include <no-such-port.h>\nint main(void) { return 0; }\n";
    write_package(folder.path(), "any", broken);
    let source = folder.path().display().to_string();
    let mut talk = Talk::begin(&[
        &source,
        "--suite",
        "repair",
        "--target",
        Arch::host().as_str(),
        "--network",
        "none",
    ]);
    let (text, failed, _) = talk.call("check", &json!({}));
    assert!(failed && text.contains("nothing was uploaded yet"), "{text}");
    talk.call("upload", &json!({}));
    let (text, _, first) = talk.call("check", &json!({}));
    if text.contains("the machine failed") {
        println!("skipped: the mirror is not there: {text}");
        return talk.end();
    }
    assert!(
        text.contains("state: failed") && text.contains("no-such-port.h"),
        "{text}"
    );
    let mended = json!({"path": "prog.c", "content": broken.replace("#include <no-such-port.h>\n", "")});
    let (text, failed, _) = talk.call("write", &mended);
    assert!(!failed, "{text}");
    let (text, ..) = talk.call("check", &json!({}));
    assert!(
        text.contains("state: failed") && text.contains("upload again"),
        "{text}"
    );
    let (text, ..) = talk.call("upload", &json!({}));
    assert!(text.contains("1 file changed"), "{text}");
    let (text, _, second) = talk.call("check", &json!({}));
    assert!(text.contains("state: succeeded"), "{text}");
    talk.end();
    let kept = "what it builds with is there from an earlier build";
    let (first, second) = (log(&first), log(&second));
    assert!(!first.contains(kept), "{first}");
    assert!(second.contains(kept), "{second}");
}
