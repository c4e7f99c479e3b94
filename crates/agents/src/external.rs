//! `external`: a program of others, run in the box as it is.
//!
//! A recipe says how it is installed, run and listened to. It is told the task in a file, and leaves a script and changed
//! files, or only a record of its commands; that is handed in. What the user hands over to it as a secret is in the
//! environment of its one command, and is taken out of all that is kept.

mod format;
mod handed;
mod installing;
mod recipe;
mod running;
mod secrets;
mod submission;
mod told;

use std::time::{Duration, Instant};

use seatrial_core::{BOX_SOURCE, CommandRecord, Event, Message, ModelRecord, Role, Submission};
use seatrial_sandbox::{DOOR_HOST, SandboxError};

pub use self::{
    format::Format,
    recipe::{ExternalRecipe, Install, Launch, LimitsSpec, RecipeError, Take, TrajectorySpec, UsageSpec, is_variable},
    secrets::{Secrets, ShortSecret},
};
use self::{recipe::Values, running::Run, told::Told};
use crate::{
    Agent, AgentError, SolveContext,
    talk::{Prompt, briefing},
};

const PROMPT: Prompt = Prompt::new("external", include_str!("../prompts/external.md"));

const REPAIR: Prompt = Prompt::new("external-repair", include_str!("../prompts/external-repair.md"));

/// Where the program lies; `/build` is no place for it, because what appears there counts as made.
const PLACE: &str = "/opt/external";
const HOME: &str = "/opt/external/home";
const PROMPT_FILE: &str = "/opt/external/task.md";

/// Where it leaves its script, and the list of files that it added.
const SCRIPT: &str = "/submission/build.sh";
/// Where the script lies while it is tried alone.
const TRIED_SCRIPT: &str = "/opt/external/handed-in.sh";
const LIST: &str = "/submission/files.txt";

/// Most bytes of a record that the program leaves.
const MOST_RECORD: u64 = 64 << 20;

/// A program of others, and how it is run.
#[derive(Debug, Clone)]
pub struct ExternalProgram {
    /// How it is installed, run and listened to.
    pub recipe: ExternalRecipe,
    /// The model that it asks, as it was named.
    pub model: Option<String>,
    /// A server of the user's that it asks instead of the provider.
    pub base_url: Option<String>,
    /// Variables that the user hands over.
    pub secrets: Secrets,
}

impl ExternalProgram {
    /// What a box's door must let through for it, as entries of a list: the user's server, or else the provider's hosts.
    pub fn hosts(&self) -> Vec<String> {
        match self.base_url.as_deref() {
            None => self.recipe.hosts.clone(),
            Some(url) => {
                let url = of_box(url);
                let after = url.split_once("://").map_or(url.as_str(), |(_, after)| after);
                let host = after.split(['/', '?']).next().unwrap_or_default();
                let host = host.rsplit('@').next().unwrap_or_default().to_owned();
                // This machine is reached only where its port is written out.
                if host == DOOR_HOST {
                    let port = if url.starts_with("https:") { 443 } else { 80 };
                    vec![format!("{host}:{port}")]
                } else {
                    vec![host]
                }
            }
        }
    }
}

/// The agent `external`.
pub struct External(pub(crate) Option<ExternalProgram>);

impl External {
    /// Its name among agents.
    pub const NAME: &'static str = "external";
}

impl Agent for External {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "a coding agent of others, run in the box by a recipe: `--recipe NAME` or `--recipe FILE`"
    }

    fn needs_resolver(&self) -> bool {
        false
    }

    fn solve(&self, context: &mut SolveContext<'_>) -> Result<Submission, AgentError> {
        let program = self.0.as_ref().ok_or(AgentError::Missing {
            agent: Self::NAME,
            what: "a recipe: name one with `--recipe`",
        })?;
        installing::install(context, &program.recipe)?;
        Work { program, context }.go()
    }
}

/// An address as it is asked from a box, in which `localhost` is the box itself.
fn of_box(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    for own in ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"] {
        if let Some(after) = rest.strip_prefix(own)
            && (after.is_empty() || after.starts_with([':', '/']))
        {
            return format!("{scheme}://{DOOR_HOST}{after}");
        }
    }
    url.to_owned()
}

/// The work of one program in one box.
struct Work<'w, 'c> {
    program: &'w ExternalProgram,
    context: &'w mut SolveContext<'c>,
}

impl Work<'_, '_> {
    fn go(mut self) -> Result<Submission, AgentError> {
        let own_server = self.program.base_url.as_deref().map(of_box);
        let launch = self
            .program
            .recipe
            .launch(own_server.as_deref())
            .map_err(|error| broken(error.to_string()))?
            .clone();
        let is_repair = self.context.task.goal.repair().is_some();
        let of_task = briefing::task(self.context, true);
        let prompt = if is_repair { REPAIR } else { PROMPT };
        let task = if is_repair {
            prompt.fill(&[("task", &of_task)])
        } else {
            prompt.fill(&[
                ("task", &of_task),
                ("script", SCRIPT),
                ("list", LIST),
                ("platform", &self.context.task.platform.to_string()),
            ])
        };
        self.context.sandbox.write_file(PROMPT_FILE, task.as_bytes(), 0o644)?;
        self.context.events.emit(Event::Note {
            text: format!(
                "prompts: {}, {}",
                prompt.mark(),
                briefing::prompt_of(self.context.task).mark()
            ),
        })?;
        let before = self.context.sandbox.snapshot()?;
        self.context.events.emit(Event::Phase {
            name: "build".to_owned(),
        })?;
        let model = self.program.model.as_deref().unwrap_or_default();
        let (provider, model_name) = model.split_once('/').unwrap_or(("", model));
        let values = Values(vec![
            ("prompt_file", PROMPT_FILE),
            ("source", BOX_SOURCE),
            ("home", HOME),
            ("model", model),
            ("provider", provider),
            ("model_name", model_name),
            ("base_url", own_server.as_deref().unwrap_or_default()),
        ]);
        let run = running::run(self.context, self.program, &launch, &values)?;
        let record = self.record(&run, &values)?;
        let told = self.read(&record);
        self.tell(&told, &run)?;
        if is_repair {
            return self.hand_in_repair(&run, &told);
        }
        self.hand_in(&run, &told, before)
    }

    /// The record of its work, without secrets.
    fn record(&mut self, run: &Run, values: &Values<'_>) -> Result<String, AgentError> {
        let spec = &self.program.recipe.trajectory;
        let Some(pattern) = &spec.file else {
            return Ok(run.output.clone());
        };
        let pattern = values.plain(pattern);
        let Some(path) = running::newest(self.context, &pattern)? else {
            self.context.events.emit(Event::Note {
                text: format!("there is no record of its work at {pattern}"),
            })?;
            return Ok(String::new());
        };
        let file = match self.context.sandbox.read_file(&path, MOST_RECORD) {
            Ok(file) => file,
            Err(SandboxError::NoSuchFile(_)) => return Ok(String::new()),
            Err(error) => return Err(error.into()),
        };
        let text = self.program.secrets.clean(&String::from_utf8_lossy(&file.bytes));
        let digest = self.context.blobs.put(text.as_bytes())?;
        let cut = if file.size > MOST_RECORD {
            ", its beginning only"
        } else {
            ""
        };
        self.context.events.emit(Event::Note {
            text: format!(
                "the program's own record is {path} ({} bytes{cut}): {digest}",
                file.size
            ),
        })?;
        Ok(text)
    }

    fn read(&self, record: &str) -> Told {
        let recipe = &self.program.recipe;
        let mut told = Told::default();
        let (documents, unread) = told::documents(record);
        // Markdown has no lines that must be JSON.
        if !matches!(recipe.trajectory.format, Format::Plain | Format::Aider) {
            told.unread = unread;
        }
        recipe.trajectory.format.read(&documents, record, &mut told);
        let used = told::used(&documents, &recipe.usage);
        if used.is_told() {
            told.used = used;
        }
        if self.program.base_url.is_some() {
            // The program takes a price from the provider's list, and this server is not the provider's.
            told.used.cost_micros = None;
        }
        told
    }

    /// Tells the journal what it told.
    fn tell(&mut self, told: &Told, run: &Run) -> Result<(), AgentError> {
        let recipe = &self.program.recipe;
        let model = ModelRecord {
            conversation: "main".to_owned(),
            model: self
                .program
                .model
                .clone()
                .unwrap_or_else(|| format!("{}/default", recipe.name)),
            answered_by: None,
            finish: None,
            error: None,
            usage: told.used.usage,
            cost_micros: told.used.cost_micros,
            attempts: told.used.requests.unwrap_or(1).try_into().unwrap_or(u32::MAX),
            adapted: vec![format!("all calls together, as `{}` tells them", recipe.name)],
            first_piece_ms: None,
            wall_ms: run.wall.as_millis() as u64,
            request: None,
        };
        let last = told
            .messages
            .iter()
            .rposition(|message| message.role == Role::Assistant);
        let mut commands = told.commands.iter();
        for (index, message) in told.messages.iter().enumerate() {
            if Some(index) == last && told.used.is_told() {
                self.context.events.emit(Event::ModelCalled(model.clone()))?;
            }
            self.said(message)?;
            // A command is noted where it was called, so that what looks for tricks sees it.
            for _ in message.tool_calls() {
                let Some(ran) = commands.clone().next() else { break };
                if !message.tool_calls().any(|call| call.id == ran.id) {
                    break;
                }
                commands.next();
                self.ran(ran)?;
            }
        }
        for ran in commands {
            self.ran(ran)?;
        }
        if last.is_none() && told.used.is_told() {
            self.context.events.emit(Event::ModelCalled(model))?;
        }
        for (count, what) in [
            (told.left_out, "messages of it were left out"),
            (told.unread, "lines of its record are not understood"),
        ] {
            if count > 0 {
                let text = format!("{count} {what}");
                self.context.events.emit(Event::Note { text })?;
            }
        }
        Ok(())
    }

    fn said(&mut self, message: &Message) -> Result<(), AgentError> {
        self.context.events.emit(Event::Said {
            conversation: "main".to_owned(),
            message: message.clone(),
        })?;
        Ok(())
    }

    fn ran(&mut self, ran: &told::RanCommand) -> Result<(), AgentError> {
        self.context.events.emit(Event::Command(CommandRecord {
            purpose: "agent".to_owned(),
            command: ran.command.clone(),
            code: ran.code,
            signal: None,
            timed_out: false,
            truncated_bytes: 0,
            wall_ms: 0,
            cpu_ms: 0,
            peak_kib: 0,
            log: None,
        }))?;
        Ok(())
    }
}

/// The program cannot work, which says nothing of what it could do.
fn broken(why: String) -> AgentError {
    AgentError::Program {
        agent: External::NAME,
        why,
    }
}

/// How long the program may run.
fn time(context: &SolveContext<'_>, recipe: &ExternalRecipe) -> Duration {
    let own = Duration::from_secs(recipe.limits.wall_seconds);
    // Its files must still be read within the time.
    let left = context.deadline.map(|deadline| {
        deadline
            .saturating_duration_since(Instant::now())
            .saturating_sub(Duration::from_secs(5))
            .max(Duration::from_secs(1))
    });
    left.map_or(own, |left| left.min(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_another_name_in_a_box() {
        for (url, of_the_box) in [
            ("http://127.0.0.1:8080/v1", "http://host.seatrial.internal:8080/v1"),
            ("http://localhost/v1", "http://host.seatrial.internal/v1"),
            ("http://[::1]:1", "http://host.seatrial.internal:1"),
            ("http://localhost.example/v1", "http://localhost.example/v1"),
            ("https://models.example/v1", "https://models.example/v1"),
        ] {
            assert_eq!(of_box(url), of_the_box);
        }
    }

    #[test]
    fn the_door_is_asked_for_one_server_and_no_other() {
        let recipe = "name = 'a'\nabout = 'b'\nhosts = ['models.example']\n[run]\ncommand = 'x'";
        let hosts = |url: Option<&str>| {
            ExternalProgram {
                recipe: ExternalRecipe::parse(recipe).unwrap(),
                model: None,
                base_url: url.map(str::to_owned),
                secrets: Secrets::default(),
            }
            .hosts()
        };
        assert_eq!(hosts(None), ["models.example"]);
        assert_eq!(hosts(Some("http://127.0.0.1:8080/v1")), ["host.seatrial.internal:8080"]);
        assert_eq!(hosts(Some("http://localhost/v1")), ["host.seatrial.internal:80"]);
        assert_eq!(hosts(Some("https://own.example:8443/v1?x")), ["own.example:8443"]);
        assert_eq!(hosts(Some("https://own.example")), ["own.example"]);
    }
}
