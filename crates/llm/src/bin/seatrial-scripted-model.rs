//! Runs the scripted model server by hand, for clients that are programs of their own.

use std::{path::Path, process::ExitCode};

use fs_err as fs;
use seatrial_llm::{
    Wire,
    scripted::{Script, ScriptedServer, Scripts},
};

const USAGE: &str =
    "usage: seatrial-scripted-model --script FILE|FOLDER [--port N] [--wire chat|responses|messages|gemini]

A file is the script of every model. In a folder, NAME.toml and NAME.json are the scripts of the models NAME.
The server listens on 127.0.0.1, on a free port unless told otherwise, until it is ended.";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let (mut script, mut port, mut only) = (None, 0, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value\n\n{USAGE}"));
        match word.as_str() {
            "--script" => script = Some(value()?),
            "--port" => {
                let text = value()?;
                port = text.parse().map_err(|_| format!("`{text}` is not a port"))?;
            }
            "--wire" => {
                let text = value()?;
                let wire = Wire::ALL.into_iter().find(|wire| wire.name() == text);
                only = Some(wire.ok_or_else(|| format!("`{text}` is not a wire\n\n{USAGE}"))?);
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    let scripts = read(Path::new(&script.ok_or(USAGE)?))?;
    let server = ScriptedServer::start_at(scripts, port, only).map_err(|error| format!("cannot listen: {error}"))?;
    for wire in Wire::ALL {
        if only.is_none_or(|only| only == wire) {
            say(&format!("{wire:<10} {}", server.base_url(wire)));
        }
    }
    loop {
        std::thread::park();
    }
}

fn read(path: &Path) -> Result<Scripts, String> {
    let script = |path: &Path| {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        Script::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if !path.is_dir() {
        return Ok(Scripts::any(script(path)?));
    }
    let mut scripts = Scripts::default();
    for entry in fs::read_dir(path).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let is_script = path.extension().is_some_and(|end| end == "toml" || end == "json");
        if let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_script) {
            scripts = scripts.with(name, script(&path)?);
        }
    }
    Ok(scripts)
}

#[expect(clippy::print_stdout, reason = "a program talks to a person")]
fn say(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "a program talks to a person")]
fn complain(line: &str) {
    eprintln!("{line}");
}
