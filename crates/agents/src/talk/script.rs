//! What an agent did with its tools, as one script that does it again in a fresh box.
//!
//! Commands that failed are kept as comments. Commands of the shell that stays run in the script's own shell, so that what
//! they set is set for those after them; others run in shells of their own. Files that tools wrote are written whole, as they
//! were after the call.

use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use seatrial_core::{BOX_SOURCE, Recipe, ToolCall};
use seatrial_sandbox::Sandbox;
use seatrial_tools::Answer;
use serde_json::Value;

use crate::steps::quoted;

/// Most bytes of a file that is written whole.
const MOST_BYTES: u64 = 4 << 20;

/// What was done, in order.
#[derive(Debug, Default)]
pub(crate) struct Script {
    acts: Vec<Act>,
    /// Where the acts stood at each snapshot, by the snapshot's name.
    marks: Vec<(String, usize)>,
    /// What could not be put down.
    gaps: Vec<String>,
    /// Whether commands that failed are done again too, since a command of several parts has done some of them.
    keeps_failures: bool,
}

/// How a whole script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptEnd {
    Succeeded,
    Failed,
    /// It was ended from outside: again, it would take as long.
    CutOff,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Act {
    Stay(String),
    Fresh {
        folder: String,
        command: String,
    },
    /// Something that failed after it had done some of its work: in a process of its own, in a folder, or in the shell that
    /// stays.
    Partly {
        folder: Option<String>,
        command: String,
    },
    Failed(String),
    File {
        path: String,
        content: Vec<u8>,
        executable: Option<bool>,
    },
    Gone(String),
}

impl Script {
    /// Whether anything was done that changes a box.
    pub(crate) fn is_empty(&self) -> bool {
        !self
            .acts
            .iter()
            .any(|act| !matches!(act, Act::Failed(_) | Act::Partly { .. }))
    }

    /// From now on, commands that failed are done again too, up to the last that succeeded.
    pub(crate) fn keep_failures(&mut self) {
        self.keeps_failures = true;
    }

    /// What could not be put down, for the note.
    pub(crate) fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// Takes down a whole script that ran in a process of its own, in the source folder. What one that failed had done before
    /// it failed, those after it may need.
    pub(crate) fn ran(&mut self, script: &str, end: ScriptEnd) {
        let command = script.to_owned();
        self.acts.push(match end {
            ScriptEnd::Succeeded => Act::Fresh {
                folder: BOX_SOURCE.to_owned(),
                command,
            },
            ScriptEnd::Failed => Act::Partly {
                folder: Some(BOX_SOURCE.to_owned()),
                command,
            },
            ScriptEnd::CutOff => Act::Failed(command),
        });
    }

    /// Takes down a command that somebody else ran in the folder of the sources, or in a shell that stays.
    pub(crate) fn did(&mut self, command: &str, went_well: bool, stays: bool) {
        let command = command.to_owned();
        self.acts.push(match (went_well, stays) {
            (false, _) => Act::Failed(command),
            (true, true) => Act::Stay(command),
            (true, false) => Act::Fresh {
                folder: BOX_SOURCE.to_owned(),
                command,
            },
        });
    }

    /// Takes down what a call did, by what the tool answered.
    pub(crate) fn take(&mut self, call: &ToolCall, answer: &Answer, sandbox: &mut dyn Sandbox) {
        let arguments: Value = serde_json::from_str(call.arguments.trim()).unwrap_or_default();
        // Arguments may come as JSON in a string of JSON.
        let arguments = match &arguments {
            Value::String(inner) => serde_json::from_str(inner).unwrap_or_default(),
            _ => arguments,
        };
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        match call.name.trim() {
            "shell" => {
                let Some(command) = text("command") else { return };
                let code = answer.data.get("code").and_then(Value::as_i64);
                // A call that was not made at all has no data.
                if answer.data.is_null() {
                    return;
                }
                let folder = text("folder");
                let fresh = arguments.get("fresh").and_then(Value::as_bool).unwrap_or(false) || folder.is_some();
                self.acts.push(match (code, fresh) {
                    (Some(0), true) => Act::Fresh {
                        folder: absolute(folder.as_deref().unwrap_or(".")),
                        command,
                    },
                    (Some(0), false) => Act::Stay(command),
                    (Some(_), _) if self.keeps_failures => Act::Partly {
                        folder: fresh.then(|| absolute(folder.as_deref().unwrap_or("."))),
                        command,
                    },
                    _ => Act::Failed(command),
                });
            }
            "write" | "replace" | "apply_patch" if !answer.failed => {
                let executable = arguments.get("executable").and_then(Value::as_bool);
                let mut paths: Vec<String> = text("path").into_iter().collect();
                // A patch names its files, those that it renames under both names, below a folder of its own.
                let below = text("folder").map(|folder| absolute(&folder));
                for file in answer.data.as_array().into_iter().flatten() {
                    for name in ["from", "path"] {
                        if let Some(path) = file.get(name).and_then(Value::as_str) {
                            paths.push(match &below {
                                Some(below) if !path.starts_with('/') => format!("{below}/{path}"),
                                _ => path.to_owned(),
                            });
                        }
                    }
                }
                for path in paths {
                    self.file(&absolute(&path), executable, sandbox);
                }
            }
            "snapshot" if !answer.failed => {
                if let Some(name) = text("name") {
                    self.marks.retain(|(known, _)| *known != name);
                    self.marks.push((name, self.acts.len()));
                }
            }
            "rollback" if !answer.failed => {
                let name = text("to");
                let mark = self
                    .marks
                    .iter()
                    .rposition(|(known, _)| name.as_ref().is_none_or(|name| name == known));
                match mark {
                    Some(at) => {
                        self.acts.truncate(self.marks[at].1);
                        self.marks.truncate(at + 1);
                    }
                    None => self.gaps.push("a rollback to a snapshot that is not known".to_owned()),
                }
            }
            "try_plan" if !answer.failed => {
                if let Some(script) = answer.data.get("script").and_then(Value::as_str) {
                    self.acts.push(Act::Fresh {
                        folder: BOX_SOURCE.to_owned(),
                        command: script.to_owned(),
                    });
                }
            }
            name @ ("extract" | "pack") if !answer.failed => {
                self.gaps.push(format!("a call of `{name}`"));
            }
            _ => {}
        }
    }

    fn file(&mut self, path: &str, executable: Option<bool>, sandbox: &mut dyn Sandbox) {
        match sandbox.read_file(path, MOST_BYTES) {
            Ok(file) if file.size <= MOST_BYTES => self.acts.push(Act::File {
                path: path.to_owned(),
                content: file.bytes,
                executable,
            }),
            Ok(_) => self.gaps.push(format!("the file {path}, which is too long")),
            Err(seatrial_sandbox::SandboxError::NoSuchFile(_)) => self.acts.push(Act::Gone(path.to_owned())),
            Err(error) => self.gaps.push(format!("the file {path} ({error})")),
        }
    }

    /// The script.
    pub(crate) fn text(&self, title: &str) -> String {
        let mut out = format!("#!/bin/bash\n# Builds {}, as an agent did it.\n", one_line(title));
        out.push_str(&Recipe::preamble());
        let _ = writeln!(out, "cd \"$SRC\" || exit 1\nstep=$(mktemp)");
        let succeeded = |act: &Act| !matches!(act, Act::Failed(_) | Act::Partly { .. });
        let last = self.acts.iter().rposition(succeeded).unwrap_or(0);
        for (index, act) in self.acts.iter().enumerate() {
            out.push('\n');
            match act {
                Act::Stay(command) => {
                    heredoc(&mut out, "cat > \"$step\"", command.as_bytes(), index);
                    out.push_str(". \"$step\" < /dev/null || exit $?\n");
                }
                Act::Fresh { folder, command } => {
                    heredoc(&mut out, "cat > \"$step\"", command.as_bytes(), index);
                    let folder = quoted(folder);
                    let _ = writeln!(out, "(cd {folder} && exec bash \"$step\" < /dev/null) || exit $?");
                }
                // With nothing that succeeds after it, it is of no use to anybody.
                Act::Partly { folder, command } if index < last => {
                    heredoc(&mut out, "cat > \"$step\"", command.as_bytes(), index);
                    let run = match folder {
                        Some(folder) => format!("(cd {} && exec bash \"$step\" < /dev/null)", quoted(folder)),
                        // What ends a shell must not end this one.
                        None if ends_its_shell(command) => "(. \"$step\" < /dev/null)".to_owned(),
                        None => ". \"$step\" < /dev/null".to_owned(),
                    };
                    let _ = writeln!(out, "{run} || echo \"this step failed before too ($?); going on\"");
                }
                Act::Failed(command) | Act::Partly { command, .. } => {
                    out.push_str("# failed:\n");
                    for line in command.lines() {
                        let _ = writeln!(out, "#   {line}");
                    }
                }
                Act::File {
                    path,
                    content,
                    executable,
                } => {
                    let path = quoted(path);
                    let _ = writeln!(out, "mkdir -p \"$(dirname {path})\" || exit $?");
                    heredoc(&mut out, &format!("cat > {path}"), content, index);
                    match executable {
                        Some(true) => drop(writeln!(out, "chmod a+x {path}")),
                        Some(false) => drop(writeln!(out, "chmod a-x {path}")),
                        None => {}
                    }
                }
                Act::Gone(path) => drop(writeln!(out, "rm -rf {}", quoted(path))),
            }
        }
        out.push_str("\nrm -f \"$step\"\n");
        out
    }
}

/// Whether a command may end the shell that runs it.
fn ends_its_shell(command: &str) -> bool {
    command
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .any(|word| ["exit", "exec", "set", "return", "logout"].contains(&word))
}

/// Feeds bytes to a command. What a here-document cannot carry unchanged goes through base64.
fn heredoc(out: &mut String, command: &str, bytes: &[u8], index: usize) {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    match text {
        Some(text) if text.ends_with('\n') || command.contains("$step") => {
            let mut end = format!("END_{index}");
            while text.lines().any(|line| line == end) {
                end.push('_');
            }
            let newline = if text.ends_with('\n') { "" } else { "\n" };
            let _ = writeln!(out, "{command} <<'{end}'\n{text}{newline}{end}");
        }
        _ => {
            let (verb, target) = command.split_once(' ').unwrap_or((command, ""));
            debug_assert_eq!(verb, "cat");
            let _ = writeln!(out, "base64 -d {target} <<'END_{index}'");
            let encoded = BASE64_STANDARD.encode(bytes);
            for line in encoded.as_bytes().chunks(76) {
                let _ = writeln!(out, "{}", String::from_utf8_lossy(line));
            }
            let _ = writeln!(out, "END_{index}");
        }
    }
}

fn absolute(path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else if path == "." || path.is_empty() {
        BOX_SOURCE.to_owned()
    } else {
        format!("{BOX_SOURCE}/{path}")
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a script with Bash, below a folder that stands for the source.
    fn run(script: &str, folder: &std::path::Path) -> (i32, String) {
        let script = script.replace(BOX_SOURCE, folder.to_str().unwrap());
        let out = std::process::Command::new("bash")
            .args(["-c", &script])
            .env("OUT", folder.join("out"))
            .env("PREFIX", folder.join("prefix"))
            .output()
            .unwrap();
        (
            out.status.code().unwrap(),
            String::from_utf8_lossy(&out.stdout).into_owned(),
        )
    }

    #[test]
    fn the_script_does_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let acts = vec![
            Act::Stay("mkdir -p 'a b'; cd 'a b'; export COLOUR=red".to_owned()),
            Act::Failed("make\nrm -rf /".to_owned()),
            Act::Fresh {
                folder: BOX_SOURCE.to_owned(),
                command: "pwd | sed 's|.*/|in |' > where; cat; cd /".to_owned(),
            },
            Act::File {
                path: format!("{BOX_SOURCE}/it's/raw"),
                content: vec![0, 255, b'\n'],
                executable: Some(true),
            },
            Act::File {
                path: format!("{BOX_SOURCE}/text"),
                content: b"$(no) `no` \\n\nEND_4\n".to_vec(),
                executable: None,
            },
            Act::File {
                path: format!("{BOX_SOURCE}/short"),
                content: b"no line end".to_vec(),
                executable: None,
            },
            Act::Gone(format!("{BOX_SOURCE}/where")),
            Act::Stay("echo $COLOUR; basename \"$PWD\"".to_owned()),
        ];
        let script = Script {
            acts,
            ..Script::default()
        };
        let (code, said) = run(&script.text("hull\n1"), folder.path());
        assert_eq!((code, said.as_str()), (0, "red\na b\n"));
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(read("it's/raw"), [0, 255, b'\n']);
        assert_eq!(read("text"), b"$(no) `no` \\n\nEND_4\n");
        assert_eq!(read("short"), b"no line end");
        assert!(!folder.path().join("where").exists());
    }

    #[test]
    fn what_failed_is_done_again_where_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let partly = |folder: Option<&str>, command: &str| Act::Partly {
            folder: folder.map(str::to_owned),
            command: command.to_owned(),
        };
        let acts = vec![
            partly(None, "mkdir deep && cd deep && false"),
            partly(None, "touch made; exit 3"),
            partly(Some(BOX_SOURCE), "touch of-its-own; cd /; exit 4"),
            Act::Stay("basename \"$PWD\"; ls; ls ..".to_owned()),
            partly(None, "echo never"),
        ];
        let script = Script {
            acts,
            ..Script::default()
        };
        let (code, said) = run(&script.text("hull"), folder.path());
        let went_on = |code: u32| format!("this step failed before too ({code}); going on\n");
        let expected = format!(
            "{}{}{}deep\nmade\ndeep\nof-its-own\nout\nprefix\n",
            went_on(1),
            went_on(3),
            went_on(4)
        );
        assert_eq!((code, said), (0, expected));
    }

    #[test]
    fn a_step_that_fails_in_the_replay_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        for act in [
            Act::Stay("(exit 7)".to_owned()),
            Act::Fresh {
                folder: BOX_SOURCE.to_owned(),
                command: "exit 7".to_owned(),
            },
        ] {
            let script = Script {
                acts: vec![act, Act::Stay("echo not reached".to_owned())],
                ..Script::default()
            };
            assert_eq!(run(&script.text("hull"), folder.path()), (7, String::new()));
        }
    }
}
