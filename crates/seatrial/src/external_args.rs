//! Words about programs of others that work as agents.

use clap::Args;

/// Words about programs of others that work as agents.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Programs of others")]
pub(crate) struct ExternalArgs {
    /// How the agent `external` runs its program: a recipe that comes along, or a file with one. Along come mini-swe-agent,
    /// claude-code, codex, gemini-cli, opencode, aider, qwen-code and goose; see docs/agents.md
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// A variable of this environment that the program gets, such as a key that its recipe wants; may be repeated. Whoever
    /// works in the box can read it; in journals and logs it is not
    #[arg(long, value_name = "VARIABLE", requires = "recipe")]
    pub(crate) pass: Vec<String>,
}
