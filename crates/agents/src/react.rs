//! Agents that call tools in a loop: `bash` with a shell alone, `codeact` with a shell, an editor, thoughts and an end.

use seatrial_core::{Ending, Message, Role, Submission};
use seatrial_tools::Toolbox;

use crate::{
    Agent, AgentError, AgentSettings, SolveContext,
    talk::{Conversation, Desk, Halt, NUDGE, Prompt, briefing},
};

const BASH: Prompt = Prompt::new("bash", include_str!("../prompts/bash.md"));
const BASH_REPAIR: Prompt = Prompt::new("bash-repair", include_str!("../prompts/bash-repair.md"));
const CODEACT: Prompt = Prompt::new("codeact", include_str!("../prompts/codeact.md"));

const CODEACT_REPAIR: Prompt = Prompt::new("codeact-repair", include_str!("../prompts/codeact-repair.md"));

/// The tools of `codeact`.
const EDITOR: [&str; 9] = [
    "shell",
    "list",
    "read",
    "search",
    "write",
    "replace",
    "apply_patch",
    "think",
    "finish",
];

/// The agent `bash`.
pub(crate) struct BashLoop(pub(crate) AgentSettings);

impl Agent for BashLoop {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn about(&self) -> &'static str {
        "a model with one tool, the shell, until it answers without using it"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn needs_model(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let work = Work {
            system: BASH,
            repair: BASH_REPAIR,
            tools: &["shell"],
            silence_ends: true,
        };
        work.solve(context, &self.0, self.name())
    }
}

/// The agent `codeact`.
pub(crate) struct CodeAct(pub(crate) AgentSettings);

impl Agent for CodeAct {
    fn name(&self) -> &'static str {
        "codeact"
    }

    fn about(&self) -> &'static str {
        "a model with a shell, an editor and thoughts, until it says that it is done"
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

    fn takes_tools(&self) -> bool {
        true
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let work = Work {
            system: CODEACT,
            repair: CODEACT_REPAIR,
            tools: &EDITOR,
            silence_ends: false,
        };
        work.solve(context, &self.0, self.name())
    }
}

/// What tells the two apart.
struct Work {
    system: Prompt,
    /// The same for a package that is to be repaired.
    repair: Prompt,
    tools: &'static [&'static str],
    /// Whether an answer that uses no tool is the end.
    silence_ends: bool,
}

impl Work {
    fn solve(
        &self,
        context: &mut SolveContext<'_>,
        settings: &AgentSettings,
        name: &'static str,
    ) -> Result<Submission, AgentError> {
        let task = briefing::task(context, true);
        let tools = Toolbox::of(self.tools.iter().copied()).map_err(AgentError::Tool)?;
        let mut desk = Desk::new(context, settings, name, tools)?;
        // Whoever has a shell alone is measured with a shell alone.
        if self.tools.len() > 1 {
            desk = desk.with_search()?.with_tools(&settings.outside);
        }
        let end = self.run(&mut desk, &task);
        desk.hand_in(end, None)
    }

    fn run(&self, desk: &mut Desk<'_, '_>, task: &str) -> Result<(Ending, String), Halt> {
        let of_task = briefing::prompt_of(desk.context.task);
        let system = if desk.package.is_some() {
            self.repair
        } else {
            self.system
        };
        desk.note_prompts(&[&system, &of_task, &NUDGE])?;
        desk.keep_failures();
        desk.set_up_shell()?;
        let mut talk = Conversation::new("main");
        desk.say(&mut talk, Message::text(Role::System, system.fill(&[])))?;
        desk.say(&mut talk, Message::text(Role::User, task))?;
        desk.work(&mut talk, self.silence_ends)
    }
}
