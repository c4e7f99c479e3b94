//! Does again what an agent did in a trial, in a fresh box and without a model.

use seatrial_core::{Answer, BOX_SOURCE, CommandRecord, Entry, Event, Recipe, Submission, ToolCall, ToolRecord};
use seatrial_sandbox::Command;
use seatrial_tools::{CacheRule, Ground, GuardRule, ToolLimits, ToolState, Toolbox, World};
use serde_json::json;

use crate::{AgentError, SolveContext};

/// One thing that was done again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redone {
    /// What, in one line: a tool and its arguments, or `script`.
    pub what: String,
    /// How it ended then.
    pub then: How,
    /// How it ended now; `None` when it was not done again, because its tool is none of the program's own.
    pub now: Option<How>,
}

impl Redone {
    /// Whether it ended as it did then.
    pub fn is_same(&self) -> bool {
        self.now.is_some_and(|now| {
            let codes = now.code.zip(self.then.code);
            now.failed == self.then.failed && codes.is_none_or(|(now, then)| now == then)
        })
    }
}

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// Whether the tool could not do what it was asked for.
    pub failed: bool,
    /// The exit code, of what has one.
    pub code: Option<i32>,
}

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.failed) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (None, true) => f.write_str("failed"),
            (None, false) => f.write_str("done"),
        }
    }
}

/// Where the script lies while it runs.
const SCRIPT: &str = "/build/recipe.sh";

/// Tools that change nothing in the box, and may answer otherwise on another day. Behind some of them are models.
const IDLE: [&str; 6] = ["think", "finish", "web_search", "fetch_page", "navigate", "solve_error"];

/// What a trial handed in, when its agent used no tool, so that nothing else can be done again. Whoever replays lays its patch and
/// its files first, as the grader does.
pub fn handed_in_alone(entries: &[Entry]) -> Option<&Submission> {
    if !uses(entries).is_empty() {
        return None;
    }
    submission(entries)
}

/// Does again what the last run of a trial did: each use of a tool, in order; or, when its agent used none, the script that it
/// handed in. `told` hears of each thing as it is done.
pub fn replay(
    entries: &[Entry],
    context: &mut SolveContext<'_>,
    told: &mut dyn FnMut(&Redone),
) -> Result<Vec<Redone>, AgentError> {
    let done = uses(entries);
    let mut redone = Vec::new();
    if done.is_empty() {
        if let Some(script) = submission(entries).and_then(|submission| submission.script.as_deref()) {
            let mut output = Vec::new();
            // By way of a file, as when it is graded: a script may be longer than an argument can be.
            context.sandbox.write_file(SCRIPT, script.as_bytes(), 0o755)?;
            let mut command = Command::bash("").in_folder(BOX_SOURCE);
            command.argv = vec!["/bin/bash".to_owned(), SCRIPT.to_owned()];
            command.timeout = crate::steps::limit(context);
            let execution = context.sandbox.exec(&command, &mut output)?;
            (context.output)(&output);
            let code = match execution.status {
                seatrial_sandbox::Status::Exited(code) => Some(code),
                _ => None,
            };
            let now = How {
                failed: code != Some(0),
                code,
            };
            let one = Redone {
                what: "script".to_owned(),
                then: graded(entries).unwrap_or(How {
                    failed: false,
                    code: None,
                }),
                now: Some(now),
            };
            told(&one);
            redone.push(one);
        }
        return Ok(redone);
    }
    let tools = Toolbox::all();
    let mut state = ToolState::with_rules(CacheRule::Off, GuardRule::Off);
    let stop = context.sandbox.stopper();
    for (record, command) in done {
        let then = How {
            failed: record.failed,
            code: command.as_ref().and_then(|command| command.code),
        };
        let what = format!("{} {}", record.name, record.arguments);
        if IDLE.contains(&record.name.as_str()) {
            continue;
        }
        let now = if tools.get(&record.name).is_some() {
            let limits = ToolLimits {
                command_most: crate::steps::limit(context).unwrap_or(ToolLimits::default().command_most),
                ..ToolLimits::default()
            };
            let mut world = World {
                sandbox: context.sandbox,
                root: BOX_SOURCE,
                resolver: context.resolver,
                blobs: context.blobs,
                events: context.events,
                deadline: context.deadline,
                limits,
                stop: &stop,
                watch: Some(context.output),
                state: &mut state,
                ground: Ground {
                    platform: Some(&context.task.platform),
                    base_packages: context.base_packages,
                    ..Ground::default()
                },
            };
            let call = ToolCall {
                id: record.id.clone(),
                name: record.name.clone(),
                arguments: record.arguments.clone(),
            };
            let answer = tools.call(&record.conversation, &call, &mut world)?;
            Some(How {
                failed: answer.failed,
                code: answer
                    .data
                    .get("code")
                    .and_then(serde_json::Value::as_i64)
                    .map(|code| code as i32),
            })
        } else {
            None
        };
        let one = Redone { what, then, now };
        told(&one);
        redone.push(one);
    }
    Ok(redone)
}

/// The uses of tools in the last run of a trial, each with the command that it ran.
fn uses(entries: &[Entry]) -> Vec<(ToolRecord, Option<CommandRecord>)> {
    let mut all = Vec::new();
    let mut command = None;
    for entry in entries {
        match &entry.event {
            Event::TrialStarted { .. } => {
                all.clear();
                command = None;
            }
            Event::Command(record) if record.purpose == crate::oss_build::SCRIPT => {
                all.push((as_use(record), Some(record.clone())));
            }
            Event::Command(record) => command = Some(record.clone()),
            Event::ToolCalled(record) => {
                let of_shell = command.take().filter(|_| record.name == "shell");
                all.push((record.clone(), of_shell));
            }
            // What comes now is the grader's.
            Event::Submitted { .. } => command = None,
            _ => {}
        }
    }
    all
}

/// A whole script that an agent ran without a tool, as the use of a tool that does the same.
fn as_use(record: &CommandRecord) -> ToolRecord {
    let command = format!("{}cd \"$SRC\" || exit 1\n{}", Recipe::preamble(), record.command);
    ToolRecord {
        conversation: "main".to_owned(),
        id: "script".to_owned(),
        name: "shell".to_owned(),
        arguments: json!({"command": command, "fresh": true}).to_string(),
        failed: record.code.is_none() && record.signal.is_none(),
        cached: false,
        left_out_bytes: 0,
        whole: None,
        wall_ms: record.wall_ms,
    }
}

/// What was handed in last.
fn submission(entries: &[Entry]) -> Option<&Submission> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Submitted { submission } => Some(submission),
        _ => None,
    })
}

/// How the grader's run of the script ended.
fn graded(entries: &[Entry]) -> Option<How> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Judged { verdict } => {
            let check = verdict.checks.iter().find(|check| check.name == "replay")?;
            let failed = match check.answer {
                Answer::Yes => false,
                Answer::No => true,
                Answer::NotAsked => return None,
            };
            Some(How { failed, code: None })
        }
        _ => None,
    })
}
