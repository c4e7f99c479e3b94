//! Words about models, shared by the verbs that let an agent work.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use seatrial_agents::Retrieval;

/// Words about models.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Models")]
pub(crate) struct ModelArgs {
    /// The model that the agent asks, such as openai/gpt-5, anthropic/claude-sonnet-4-5, ollama/qwen3:8b, or local/NAME with
    /// --base-url; given more than once, the others join discussions
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) model: Vec<String>,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
    /// Most US dollars of a trial; models without a known price are not asked then
    #[arg(long, value_name = "USD", value_parser = parse_dollars)]
    pub(crate) max_cost: Option<u64>,
    /// Most US dollars of all trials together
    #[arg(long, value_name = "USD", value_parser = parse_dollars)]
    pub(crate) max_cost_of_run: Option<u64>,
    /// Most tokens of all trials together
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens_of_run: Option<u64>,
    /// Most turns with a model in all trials together
    #[arg(long, value_name = "N")]
    pub(crate) max_steps_of_run: Option<u64>,
    /// Most uses of tools in all trials together
    #[arg(long, value_name = "N")]
    pub(crate) max_tool_calls_of_run: Option<u64>,
    /// Most tokens of a trial, requests and answers together
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Most turns with a model in a trial
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// Most uses of tools in a trial
    #[arg(long, value_name = "N")]
    pub(crate) max_tool_calls: Option<u64>,
    /// What is done about a conversation that grows too long
    #[arg(long, value_name = "HOW", default_value = "summary")]
    pub(crate) condenser: CondenserWord,
    /// Scripts that oss-build may run, one a round
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// How mcp-repair changes files
    #[arg(long, value_name = "MODE", default_value = "full-file")]
    pub(crate) repair_mode: crate::mcp_args::RepairMode,
    /// Give mcp-repair the published tools by their names instead of ours
    #[arg(long)]
    pub(crate) repair_compat: bool,
    /// How oss-build looks for instructions before it builds
    #[arg(long, value_name = "HOW", default_value = "llm")]
    pub(crate) retrieval: RetrievalWord,
    /// The model that makes the vectors of the retrieval `rag`, with `=URL` for a server of its own; words are hashed without it
    #[arg(long, value_name = "PROVIDER/NAME[=URL]")]
    pub(crate) embedder: Option<String>,
    /// Who searches the web for agents that have a tool for it: searxng=URL, brave or tavily; nobody when left out
    #[arg(long, value_name = "PROVIDER[=URL]")]
    pub(crate) search: Option<String>,
    /// A tool server for agents that take further tools, by its address or by the command that starts it on this machine; may be
    /// repeated
    #[arg(long, value_name = "NAME=URL-OR-COMMAND")]
    pub(crate) mcp: Vec<String>,
    /// The variable with the token of a server over HTTP; one that is started gets the variable itself
    #[arg(long, value_name = "NAME=VARIABLE", requires = "mcp")]
    pub(crate) mcp_token: Vec<String>,
    /// A table of where the instructions are, for the retrieval `perfect`, in the form that `bench retrieval` reads
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// What oss-build hears of a script: as the published program tells it, or head and tail of everything
    #[arg(long, value_name = "HOW", default_value = "full")]
    pub(crate) feedback: FeedbackWord,
    /// Requests to models at one time, for each key
    #[arg(long, value_name = "N")]
    pub(crate) requests_at_once: Option<u32>,
    /// Requests to models in a minute, for each key
    #[arg(long, value_name = "N")]
    pub(crate) requests_per_minute: Option<u32>,
    /// Tokens in a minute, for each key
    #[arg(long, value_name = "N")]
    pub(crate) tokens_per_minute: Option<u64>,
}

/// How a model is asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct AskingArgs {
    /// The address of the server that is asked instead of the provider's own
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The wire that the server speaks, when it is not the provider's own
    #[arg(long, value_name = "WIRE")]
    pub(crate) wire: Option<WireWord>,
    /// How the model is told of tools
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) tool_protocol: ToolProtocolWord,
    /// Prices that take the place of those built in: a TOML file, see docs/models.md
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Most tokens of one answer
    #[arg(long, value_name = "N")]
    pub(crate) max_output: Option<u64>,
    /// The temperature; dropped when the model takes none [default: 0]
    #[arg(long, value_name = "X")]
    pub(crate) temperature: Option<f64>,
    /// A file of recorded answers: what is on it is not asked again
    #[arg(long, value_name = "FILE")]
    pub(crate) cassette: Option<PathBuf>,
    /// What is done with the cassette
    #[arg(long, value_name = "HOW", default_value = "replay-or-record", requires = "cassette")]
    pub(crate) cassette_mode: CassetteWord,
}

/// The wires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WireWord {
    /// OpenAI's chat completions, which most servers speak
    Chat,
    /// OpenAI's Responses
    Responses,
    /// Anthropic's Messages
    Messages,
    /// Google's generateContent
    Gemini,
}

/// How a model is told of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolProtocolWord {
    /// In the provider's form; in words when it refuses that
    Auto,
    /// In the provider's form only
    Native,
    /// In words
    Text,
}

/// What is done about a conversation that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CondenserWord {
    /// Nothing: it ends when it is full
    Off,
    /// Its middle is dropped
    Window,
    /// The model sums its middle up
    Summary,
}

/// How instructions are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RetrievalWord {
    /// Not at all: the README must do
    None,
    /// The model reads on from the README, in up to three rounds
    Llm,
    /// Parts of the project's documents, by TF-IDF
    Tfidf,
    /// Parts of documents and of the pages that they lead to, by vectors
    Rag,
    /// What a table of labels says
    Perfect,
}

impl RetrievalWord {
    /// What it means.
    pub(crate) fn kind(self) -> Retrieval {
        match self {
            Self::None => Retrieval::None,
            Self::Llm => Retrieval::Llm,
            Self::Tfidf => Retrieval::Tfidf,
            Self::Rag => Retrieval::Rag,
            Self::Perfect => Retrieval::Perfect,
        }
    }
}

/// What an agent hears of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeedbackWord {
    /// Standard error of a script that failed
    Upstream,
    /// Head and tail of everything, and the exit code
    Full,
}

/// What is done with a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CassetteWord {
    /// Ask, and write a new file
    Record,
    /// Ask nobody
    Replay,
    /// Ask for what is not on it
    ReplayOrRecord,
}

/// US dollars as millionths.
fn parse_dollars(text: &str) -> Result<u64, String> {
    let dollars: f64 = text
        .trim_start_matches('$')
        .parse()
        .map_err(|_| "it is no number".to_owned())?;
    if !dollars.is_finite() || !(0.0..1e9).contains(&dollars) {
        return Err("it must be from 0 to a thousand million".to_owned());
    }
    Ok((dollars * 1e6).round() as u64)
}
