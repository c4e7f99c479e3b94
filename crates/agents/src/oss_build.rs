//! Whole scripts in rounds, after a search for instructions: the method published with BuildBench, in our words.

mod execute;

use fs_err as fs;
use seatrial_core::{BOX_PREFIX, BOX_SOURCE, Ending, Message, Role, Submission};
use seatrial_tools::Toolbox;

use crate::{
    Agent, AgentError, AgentSettings, Feedback, Retrieval, SolveContext,
    retrieval::{self, Means},
    talk::{Conversation, Desk, Halt, Prompt, briefing, scripts},
};

const SYSTEM: Prompt = Prompt::new("oss-build", include_str!("../prompts/oss-build.md"));
const START: Prompt = Prompt::new("oss-build-start", include_str!("../prompts/oss-build-start.md"));
const NUDGE: Prompt = Prompt::new("oss-build-nudge", include_str!("../prompts/oss-build-nudge.md"));

/// What ends the work, in any case of letters.
const WORD: &str = "terminate";

/// What the journal calls a script that is run.
pub(crate) const SCRIPT: &str = "script";

/// Parts of names of files that build something or tell how.
const BUILD_FILES: [&str; 9] = [
    "makefile",
    "cmakelists.txt",
    "configure",
    "build.ninja",
    "bootstrap",
    "autogen",
    "meson.build",
    "install",
    "build",
];

/// Answers in a row that run nothing, after which it is over.
const MOST_IDLE: u32 = 3;

/// The agent `oss-build`.
pub(crate) struct OssBuild(pub(crate) AgentSettings);

impl Agent for OssBuild {
    fn name(&self) -> &'static str {
        "oss-build"
    }

    fn about(&self) -> &'static str {
        "a search for instructions, then a model that writes whole scripts, up to so many rounds, and ends with a word"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let task = briefing::task(context, true);
        let build_files = build_files(context);
        let tools = Toolbox::of(["fetch_page"]).map_err(AgentError::Tool)?;
        let mut desk = Desk::new(context, &self.0, self.name(), tools)?;
        let end = self.run(&mut desk, &task, &build_files);
        desk.hand_in(end, None)
    }
}

impl OssBuild {
    fn run(&self, desk: &mut Desk<'_, '_>, task: &str, build_files: &str) -> Result<(Ending, String), Halt> {
        let [read, form] = retrieval::prompts();
        desk.note_prompts(&[&SYSTEM, &START, &NUDGE, &briefing::task_prompt(), read, form])?;
        let instructions = self.instructions(desk)?;
        let jobs = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let system = SYSTEM.fill(&[
            ("source", BOX_SOURCE),
            ("prefix", BOX_PREFIX),
            ("jobs", &jobs.to_string()),
        ]);
        let start = START.fill(&[
            ("task", task),
            ("build_files", build_files),
            ("instructions", &instructions),
        ]);
        let mut talk = Conversation::new("main");
        desk.say(&mut talk, Message::text(Role::System, system))?;
        desk.say(&mut talk, Message::text(Role::User, start))?;
        let mut rounds = 0;
        let mut idle = 0;
        let mut built = false;
        loop {
            let completion = desk.ask(&mut talk, &|_| false)?;
            let text = completion.message.plain_text();
            let blocks = scripts(&text);
            if blocks.is_empty() {
                if text.to_lowercase().contains(WORD) {
                    let by = if built { Ending::Finished } else { Ending::GaveUp };
                    return Ok((by, reason(&text)));
                }
                idle += 1;
                if idle >= MOST_IDLE {
                    let why = format!("{idle} answers in a row had neither a script nor the word that ends the work");
                    return Err(Halt::Ended(Ending::BadForm, why));
                }
                desk.say(&mut talk, Message::text(Role::User, NUDGE.fill(&[])))?;
                continue;
            }
            idle = 0;
            rounds += 1;
            let (heard, succeeded) = self.round(desk, &blocks)?;
            built = succeeded;
            if rounds >= self.0.options.rounds {
                let how = if built { "ended well" } else { "failed" };
                return Ok((
                    Ending::Steps,
                    format!("all {rounds} rounds were used; the last script {how}"),
                ));
            }
            desk.say(&mut talk, Message::text(Role::User, heard))?;
        }
    }

    /// Runs the blocks of one answer up to the first that fails: what the model hears, and whether all ended well.
    fn round(&self, desk: &mut Desk<'_, '_>, blocks: &[String]) -> Result<(String, bool), Halt> {
        let mut heard = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            desk.count_tool_call()?;
            let ran = execute::run(desk.context, block, desk.longest())?;
            desk.ran_script(block, ran.end());
            heard.push(match self.0.options.feedback {
                Feedback::Upstream => ran.upstream(block),
                Feedback::Full => ran.full(index + 1, blocks.len()),
            });
            if !ran.succeeded() {
                return Ok((heard.join("\n"), false));
            }
        }
        Ok((heard.join("\n"), true))
    }

    /// What the model is told of how to build it.
    fn instructions(&self, desk: &mut Desk<'_, '_>) -> Result<String, Halt> {
        let label = match (&self.0.labels, self.0.options.retrieval) {
            (Some(labels), Retrieval::Perfect) => labels.of(&desk.context.task.source),
            _ => None,
        };
        if self.0.options.retrieval == Retrieval::Perfect && label.is_none() {
            return Err(Halt::Broken(AgentError::Missing {
                agent: "oss-build",
                what: "a label of this source for the retrieval `perfect`: give a table of labels that has it",
            }));
        }
        let means = Means {
            strategy: self.0.options.retrieval,
            embedder: self.0.embedder.as_deref(),
            embedding: self.0.embedding.as_deref(),
            label,
        };
        let found = retrieval::of_task(desk, &means)?;
        if found.text.trim().is_empty() {
            return Ok(String::new());
        }
        Ok(format!("\nFound on how to build it:\n\n{}\n", found.text.trim()))
    }
}

/// The reason in a last answer, in one line without the word.
fn reason(text: &str) -> String {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase() != WORD)
        .collect();
    let reason: String = words.join(" ").chars().take(500).collect();
    if reason.is_empty() {
        "it gave no reason".to_owned()
    } else {
        reason
    }
}

/// Names at the top that have to do with building, in a sentence.
fn build_files(context: &SolveContext<'_>) -> String {
    let Ok(entries) = fs::read_dir(context.tree) else {
        return String::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| {
            let name = name.to_lowercase();
            BUILD_FILES.iter().any(|part| name.contains(part))
        })
        .collect();
    names.sort();
    names.truncate(50);
    if names.is_empty() {
        return String::new();
    }
    format!(
        "\nFiles at the top that have to do with building: {}\n",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_no_part_of_the_reason() {
        for (text, expected) in [
            ("All is built.\n\nTERMINATE", "All is built."),
            ("**Terminate**: no compiler", "no compiler"),
            ("terminate.", "it gave no reason"),
        ] {
            assert_eq!(reason(text), expected);
        }
    }
}
