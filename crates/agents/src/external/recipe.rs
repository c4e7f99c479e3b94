//! Recipes: how a program of others is installed in a box, run there, and read afterwards.

use std::collections::BTreeMap;

use seatrial_core::Digest;
use serde::Deserialize;

use super::format::Format;

/// How a program of others is run as an agent. Places in its texts are `{{prompt_file}}`, `{{source}}`, `{{home}}`,
/// `{{model}}` (as it was named), `{{provider}}` and `{{model_name}}` (before and behind its first slash), and `{{base_url}}`;
/// what is filled in is quoted for the shell in commands, and is plain elsewhere.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalRecipe {
    /// Its name.
    pub name: String,
    /// One line for people.
    pub about: String,
    /// What was tried of it, and what was not.
    #[serde(default)]
    pub tried: String,
    /// Whether it needs the name of a model.
    #[serde(default)]
    pub needs_model: bool,
    /// Variables of which it needs one, unless it asks a server of the user's.
    #[serde(default)]
    pub wants: Vec<String>,
    /// Hosts that it asks, unless it asks a server of the user's.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// What it needs in the box.
    #[serde(default)]
    pub install: Install,
    /// How it is run.
    pub run: Launch,
    /// How it is run when it asks a server of the user's.
    #[serde(default)]
    pub own_server: Option<Launch>,
    /// What it leaves about its work.
    #[serde(default)]
    pub trajectory: TrajectorySpec,
    /// Where tokens and cost are told.
    #[serde(default)]
    pub usage: UsageSpec,
    /// Bounds of its run.
    #[serde(default)]
    pub limits: LimitsSpec,
}

/// What a program needs in the box, before the work begins.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Install {
    /// Packages of the distribution.
    pub apt: Vec<String>,
    /// Packages of Python, in an environment of their own.
    pub pip: Vec<String>,
    /// Packages of Node, in a folder of their own; Node itself comes along.
    pub npm: Vec<String>,
    /// Further lines for the shell.
    pub script: String,
}

/// A command and its variables.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The command, for Bash, in the folder of the sources.
    pub command: String,
    /// Variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// What a program leaves about its work.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrajectorySpec {
    /// The form.
    pub format: Format,
    /// The file, as a pattern for the shell, of which the newest one counts; without it, standard output.
    pub file: Option<String>,
}

/// Where tokens and cost are told: JSON pointers, in which `*` stands for every item. All values that the pointers of one
/// line of the list lead to in a document are added up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UsageSpec {
    /// Of several documents, whether the last one that tells counts, or all together.
    pub take: Take,
    /// Tokens of requests.
    pub input: Vec<String>,
    /// Those of them that came from a cache.
    pub cached_input: Vec<String>,
    /// Tokens of answers.
    pub output: Vec<String>,
    /// Those of them that are reasoning.
    pub reasoning: Vec<String>,
    /// US dollars.
    pub cost: Vec<String>,
    /// Requests.
    pub requests: Vec<String>,
}

/// Of several documents, which one counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// The last one that tells.
    #[default]
    Last,
    /// All together.
    Sum,
}

/// Bounds of a program's run, beside the task's own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSpec {
    /// Wall-clock seconds.
    pub wall_seconds: u64,
    /// Seconds without any output; for programs that tell of their work while they do it.
    pub idle_seconds: Option<u64>,
    /// Bytes of each of its output streams that are kept.
    pub output_bytes: u64,
}

impl Default for LimitsSpec {
    fn default() -> Self {
        Self {
            wall_seconds: 3600,
            idle_seconds: None,
            output_bytes: 32 << 20,
        }
    }
}

/// A recipe cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the recipe cannot be used: {0}")]
pub struct RecipeError(String);

/// The recipes that come along, each with its text.
const BUILT_IN: [(&str, &str); 8] = [
    ("mini-swe-agent", include_str!("../data/external/mini-swe-agent.toml")),
    ("claude-code", include_str!("../data/external/claude-code.toml")),
    ("codex", include_str!("../data/external/codex.toml")),
    ("gemini-cli", include_str!("../data/external/gemini-cli.toml")),
    ("opencode", include_str!("../data/external/opencode.toml")),
    ("aider", include_str!("../data/external/aider.toml")),
    ("qwen-code", include_str!("../data/external/qwen-code.toml")),
    ("goose", include_str!("../data/external/goose.toml")),
];

/// Names of variables that the run itself sets.
const OWN_VARIABLES: [&str; 5] = ["HOME", "PATH", "SRC", "OUT", "PREFIX"];

/// The places of a recipe's texts.
const PLACES: [&str; 7] = [
    "prompt_file",
    "source",
    "home",
    "model",
    "provider",
    "model_name",
    "base_url",
];

impl ExternalRecipe {
    /// The names of the recipes that come along.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The text of a recipe that comes along.
    pub fn built_in(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Reads a recipe, and looks for what cannot work.
    pub fn parse(text: &str) -> Result<Self, RecipeError> {
        let recipe: Self = toml::from_str(text).map_err(|error| RecipeError(error.to_string()))?;
        recipe.check()?;
        Ok(recipe)
    }

    /// What names a recipe in a run's lock: its text.
    pub fn digest(text: &str) -> Digest {
        Digest::of(text.as_bytes())
    }

    fn check(&self) -> Result<(), RecipeError> {
        let launches = std::iter::once(&self.run).chain(&self.own_server);
        for launch in launches {
            if launch.command.trim().is_empty() {
                return Err(RecipeError("its command is empty".to_owned()));
            }
            for (name, value) in &launch.environment {
                if !is_variable(name) {
                    return Err(RecipeError(format!(
                        "`{name}` is no name of a variable that it may set"
                    )));
                }
                places(value)?;
            }
            places(&launch.command)?;
        }
        if let Some(name) = self.wants.iter().find(|name| !is_variable(name)) {
            return Err(RecipeError(format!(
                "`{name}` is no name of a variable that can be handed over"
            )));
        }
        places(self.trajectory.file.as_deref().unwrap_or(""))?;
        let usage = &self.usage;
        let lists = [
            &usage.input,
            &usage.cached_input,
            &usage.output,
            &usage.reasoning,
            &usage.cost,
            &usage.requests,
        ];
        match lists.into_iter().flatten().find(|pointer| !pointer.starts_with('/')) {
            Some(pointer) => Err(RecipeError(format!(
                "`{pointer}` is no JSON pointer: it begins with a slash"
            ))),
            None => Ok(()),
        }
    }

    /// How it is run.
    pub fn launch(&self, own_server: Option<&str>) -> Result<&Launch, RecipeError> {
        match (own_server, &self.own_server) {
            (None, _) => Ok(&self.run),
            (Some(_), Some(launch)) => Ok(launch),
            (Some(url), None) => Err(RecipeError(format!(
                "`{}` does not say how another server is asked, such as {url}; it lacks [own_server]",
                self.name
            ))),
        }
    }
}

/// Whether this is the name of a variable that may be set or handed over.
pub fn is_variable(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && characters.all(|c| c.is_ascii_alphanumeric() || c == '_') && !OWN_VARIABLES.contains(&name)
}

/// What stands in the places of a recipe's texts.
pub(super) struct Values<'a>(pub(super) Vec<(&'a str, &'a str)>);

impl Values<'_> {
    /// A command, with each value as one word of the shell.
    pub(super) fn command(&self, text: &str) -> String {
        self.fill(text, &|value| format!("'{}'", value.replace('\'', "'\\''")))
    }

    /// A text that no shell reads.
    pub(super) fn plain(&self, text: &str) -> String {
        self.fill(text, &str::to_owned)
    }

    fn fill(&self, text: &str, how: &dyn Fn(&str) -> String) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let Some((name, behind)) = after.split_once("}}") else {
                out.push_str("{{");
                rest = after;
                continue;
            };
            let value = self.0.iter().find(|(known, _)| *known == name.trim());
            out.push_str(&value.map_or_else(String::new, |(_, value)| how(value)));
            rest = behind;
        }
        out + rest
    }
}

fn places(text: &str) -> Result<(), RecipeError> {
    for part in text.split("{{").skip(1) {
        let name = part.split_once("}}").map(|(name, _)| name.trim());
        if !name.is_some_and(|name| PLACES.contains(&name)) {
            return Err(RecipeError(format!(
                "`{{{{{}` is no place; there are {}",
                name.unwrap_or("..."),
                PLACES.join(", ")
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_that_comes_along_can_be_used_and_says_what_was_tried() {
        for (name, text) in BUILT_IN {
            let recipe = ExternalRecipe::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(recipe.name, name);
            assert!(!recipe.about.is_empty() && !recipe.tried.is_empty(), "{name}");
            // Nobody's key is handed over because a recipe sets it.
            let environment = std::iter::once(&recipe.run).chain(&recipe.own_server);
            for (variable, value) in environment.flat_map(|launch| &launch.environment) {
                assert!(
                    !variable.ends_with("_KEY") || value == "none",
                    "{name}: {variable} is set to {value}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_work_is_named() {
        for (change, part) in [
            ("[run]\ncommand = ''", "its command is empty"),
            ("[run]\ncommand = 'x {{key}}'", "is no place; there are prompt_file"),
            ("[run]\ncommand = 'x {{model'", "is no place"),
            (
                "[run]\ncommand = 'x'\nenvironment = { PATH = '/x' }",
                "`PATH` is no name",
            ),
            ("wants = ['A B']\n[run]\ncommand = 'x'", "`A B` is no name"),
            ("[run]\ncommand = 'x'\n[usage]\ninput = ['a']", "`a` is no JSON pointer"),
            (
                "[run]\ncommand = 'x'\n[trajectory]\nformat = 'novel'",
                "unknown variant `novel`",
            ),
            ("[run]\ncomand = 'x'", "unknown field `comand`"),
        ] {
            let error = ExternalRecipe::parse(&format!("name = 'a'\nabout = 'b'\n{change}\n")).unwrap_err();
            assert!(error.to_string().contains(part), "{change}: {error}");
        }
    }

    #[test]
    fn values_are_words_of_a_command_and_nothing_else() {
        let values = Values(vec![("model", "it's {{home}}; rm -rf /")]);
        assert_eq!(
            values.command("run -m {{ model }}"),
            "run -m 'it'\\''s {{home}}; rm -rf /'"
        );
        assert_eq!(values.plain("{{model}}!"), "it's {{home}}; rm -rf /!");
    }
}
