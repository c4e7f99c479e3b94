//! The scripted server as a program of its own.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use seatrial_llm::{Settings, Wire, connect};

use crate::support::{ask, question, unbounded};

const PROGRAM: &str = env!("CARGO_BIN_EXE_seatrial-scripted-model");

/// Ended with the test, whatever becomes of it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_folder_of_scripts_is_served_by_the_models_names() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("brief.toml"), "[[answer]]\ntext = 'Yes.'\n").unwrap();
    fs_err::write(folder.path().join("other.json"), r#"{"answer": [{"text": "No."}]}"#).unwrap();
    let child = Command::new(PROGRAM)
        .args(["--wire", "chat", "--script"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut line = String::new();
    BufReader::new(running.0.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    let settings = Settings {
        base_url: line.split_whitespace().nth(1).map(str::to_owned),
        ..Settings::default()
    };
    for (name, answer) in [("brief", "Yes."), ("other", "No.")] {
        let model = connect(&format!("local/{name}").parse().unwrap(), &settings).unwrap();
        let completion = ask(&*model, &question(), &unbounded()).result.unwrap();
        assert_eq!(completion.message.plain_text(), answer);
    }
    let missing = connect(&"local/third".parse().unwrap(), &settings).unwrap();
    let error = ask(&*missing, &question(), &unbounded())
        .result
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("`local` has no model `third`"), "{error}");
    assert_eq!(Wire::Chat.name(), line.split_whitespace().next().unwrap());
}

#[test]
fn wrong_words_are_answered_with_the_right_ones() {
    for (arguments, words) in [
        (&["--nonsense"][..], "usage: "),
        (&["--script"], "--script wants a value"),
        (&["--script", "x", "--port", "high"], "`high` is not a port"),
        (&["--script", "/nowhere"], "/nowhere"),
    ] {
        let output = Command::new(PROGRAM).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}
