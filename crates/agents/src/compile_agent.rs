//! A leading model with five tools, two of which are other models: one reads documents, some discuss failures. The method
//! published as CompileAgent, in our words.

mod delegate;
mod discussion;
mod navigator;

use std::time::{Duration, Instant};

use seatrial_core::{BOX_PREFIX, Ending, Message, Role, Submission, ToolCall};
use seatrial_tools::{Answer, Toolbox};
use serde_json::Value;

use crate::{
    Agent, AgentError, AgentSettings, SolveContext,
    talk::{Conversation, Desk, Halt, Prompt, briefing},
};

const SYSTEM: Prompt = Prompt::new("compile-agent", include_str!("../prompts/compile-agent.md"));
const NUDGE: Prompt = Prompt::new("compile-agent-nudge", include_str!("../prompts/compile-agent-nudge.md"));

/// Turns of the leading model.
const TURNS: u32 = 30;

/// Longest time of one command.
const COMMAND: Duration = Duration::from_mins(20);

/// The tools of the leading model.
const TOOLS: [&str; 5] = ["shell", "read", "list", "navigate", "solve_error"];

/// The words that end the work. The first one in an answer counts.
const VERDICTS: [(&str, Ending); 3] = [
    ("COMPILATION-SUCCESS", Ending::Finished),
    ("COMPILATION-FAIL", Ending::GaveUp),
    ("COMPILATION-UNCERTAIN", Ending::GaveUp),
];

/// The agent `compile-agent`.
pub(crate) struct CompileAgent(pub(crate) AgentSettings);

impl Agent for CompileAgent {
    fn name(&self) -> &'static str {
        "compile-agent"
    }

    fn about(&self) -> &'static str {
        "a model with a shell, a colleague that reads documents, and experts that discuss failures"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn searches(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let task = briefing::task(context, false);
        let tools = Toolbox::of(["shell", "read", "list", "search", "fetch_page"])
            .map_err(AgentError::Tool)?
            .with(delegate::navigate())
            .with(delegate::solve_error());
        let mut desk = Desk::new(context, &self.0, self.name(), tools)?.with_search()?;
        desk.longest_command = Some(COMMAND);
        desk.keep_failures();
        let end = self.run(&mut desk, &task);
        desk.hand_in(end, None)
    }
}

impl CompileAgent {
    fn run(&self, desk: &mut Desk<'_, '_>, task: &str) -> Result<(Ending, String), Halt> {
        let mut used = vec![SYSTEM, NUDGE, briefing::task_prompt(), navigator::PROMPT];
        used.extend(discussion::PROMPTS);
        desk.note_prompts(&used.iter().collect::<Vec<_>>())?;
        desk.set_up_shell()?;
        let system = SYSTEM.fill(&[("prefix", BOX_PREFIX), ("turns", &TURNS.to_string())]);
        let mut talk = Conversation::new("main");
        desk.say(&mut talk, Message::text(Role::System, system))?;
        desk.say(&mut talk, Message::text(Role::User, task))?;
        let mut asides = Asides::default();
        for _ in 0..TURNS {
            let completion = desk.ask(&mut talk, &|name| TOOLS.contains(&name))?;
            let calls: Vec<ToolCall> = completion.message.tool_calls().cloned().collect();
            for call in &calls {
                self.use_tool(desk, &mut talk, call, &mut asides)?;
            }
            if !calls.is_empty() {
                continue;
            }
            let text = completion.message.plain_text();
            if let Some(by) = verdict(&text) {
                return Ok((by, text.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
            desk.spoke()?;
            desk.say(&mut talk, Message::text(Role::User, NUDGE.fill(&[])))?;
        }
        Err(Halt::Ended(Ending::Steps, format!("its {TURNS} turns were used")))
    }

    fn use_tool(
        &self,
        desk: &mut Desk<'_, '_>,
        talk: &mut Conversation,
        call: &ToolCall,
        asides: &mut Asides,
    ) -> Result<(), Halt> {
        let name = call.name.trim();
        let words = match name {
            "navigate" => delegate::words(call, "question"),
            "solve_error" => delegate::words(call, "problem"),
            // Tools that only the colleague has are not for the leader.
            _ if !TOOLS.contains(&name) => return desk.refused(talk, call, &TOOLS),
            _ => return desk.use_tool(talk, call).map(drop),
        };
        desk.count_tool_call()?;
        let start = Instant::now();
        let answer = match words {
            Err(why) => Answer::failure(why),
            Ok(question) if name == "navigate" => {
                asides.navigations += 1;
                navigator::ask(desk, &question, asides.navigations)?
            }
            Ok(problem) => {
                asides.discussions += 1;
                discussion::hold(desk, &self.0.models, &problem, asides.discussions)?
            }
        };
        desk.note_call(talk, call, &answer, start)?;
        desk.answered(talk, call, &answer)
    }
}

/// How many conversations there were beside the main one, for their names.
#[derive(Debug, Default)]
struct Asides {
    navigations: u32,
    discussions: u32,
}

/// What an answer says of the end, if it does.
fn verdict(text: &str) -> Option<Ending> {
    let text = text.to_uppercase();
    VERDICTS
        .iter()
        .filter_map(|(word, by)| Some((text.find(word)?, *by)))
        .min_by_key(|(at, _)| *at)
        .map(|(_, by)| by)
}

/// A text argument of a call, which may be JSON in a string of JSON.
fn argument(call: &ToolCall, name: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(call.arguments.trim()).ok()?;
    if let Value::String(inner) = &value {
        value = serde_json::from_str(inner).ok()?;
    }
    let text = value.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_an_answer_is_its_verdict() {
        for (text, expected) in [
            ("COMPILATION-SUCCESS: all is built", Some(Ending::Finished)),
            ("**Compilation-Fail**, not COMPILATION-SUCCESS", Some(Ending::GaveUp)),
            ("COMPILATION-UNCERTAIN", Some(Ending::GaveUp)),
            ("the compilation was a success", None),
        ] {
            assert_eq!(verdict(text), expected, "{text}");
        }
    }
}
