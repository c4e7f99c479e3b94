//! What a caller decides about agents with a model.

use std::sync::Arc;

use seatrial_builder::Policy;
use seatrial_llm::{Bounds, EmbeddingModel, Meter, Model};
use seatrial_tools::{PageSource, Tool, WebSearcher};
use serde::{Deserialize, Serialize};

use crate::{AgentError, Embedder, Labels, RepairOptions, Retrieval, external::ExternalProgram};

/// What agents are made from.
#[derive(Clone, Default)]
pub struct AgentSettings {
    /// The models: the first one is asked, the others join discussions.
    pub models: Vec<Arc<dyn Model>>,
    /// What all trials of a run may spend together.
    pub run_meter: Option<Arc<Meter>>,
    /// What each trial may spend, beside its task's budget: the tighter bound holds.
    pub bounds: Bounds,
    /// How agents work.
    pub options: AgentOptions,
    /// Where pages come from instead of the box's own way out.
    pub pages: Option<Arc<dyn PageSource>>,
    /// What makes vectors of texts for the retrieval `rag`; hashed words without it.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// A provider's model that makes the vectors, before `embedder`.
    pub embedding: Option<Arc<dyn EmbeddingModel>>,
    /// What searches the web for the tool `web_search`, which is not offered without it.
    pub searcher: Option<Arc<dyn WebSearcher>>,
    /// Tools of outside servers, for agents that take further tools.
    pub outside: Vec<Arc<dyn Tool>>,
    /// Where people found the instructions, for the retrieval `perfect`.
    pub labels: Option<Arc<Labels>>,
    /// The bytes of a program that an agent runs in the box.
    pub program: Option<Vec<u8>>,
    /// A program of others that works in the box as an agent, and how it is run.
    pub external: Option<ExternalProgram>,
    /// What builds by rule may do.
    pub policy: Policy,
}

/// How agents with a model work. Part of a run's lock: another value is another run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentOptions {
    /// Rounds of `oss-build`: scripts that are run, one a round.
    pub rounds: u32,
    /// Turns after which an agent with tools is stopped when the task's budget names none.
    pub turns: u32,
    /// How `oss-build` looks for instructions before it builds.
    pub retrieval: Retrieval,
    /// What `oss-build` hears of a script.
    pub feedback: Feedback,
    /// What is done about a conversation that grows.
    pub condenser: CondenserKind,
    /// Most tokens of an answer; `None` leaves it to the model.
    pub max_output: Option<u64>,
    /// 0 unless told otherwise; `None` leaves it to the provider.
    pub temperature: Option<f64>,
    /// How `mcp-repair` works.
    #[serde(skip_serializing_if = "is_usual")]
    pub repair: RepairOptions,
}

/// Left out where it is as ever, so that what has nothing to do with repairs says nothing of them.
fn is_usual(options: &RepairOptions) -> bool {
    *options == RepairOptions::default()
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            rounds: 10,
            turns: 100,
            retrieval: Retrieval::default(),
            feedback: Feedback::Full,
            condenser: CondenserKind::Summary,
            max_output: None,
            temperature: Some(0.0),
            repair: RepairOptions::default(),
        }
    }
}

/// What an agent that writes whole scripts hears of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// As the published program tells it: standard error alone when it failed, and next to nothing when it did not.
    Upstream,
    /// Head and tail of both streams, and the exit code.
    #[default]
    Full,
}

/// What is done about a conversation that grows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CondenserKind {
    /// Nothing: it ends when it does not fit any more.
    Off,
    /// The middle is dropped.
    Window,
    /// The model sums the middle up.
    #[default]
    Summary,
}

/// The models, of which there must be one.
pub(crate) fn models<'s>(settings: &'s AgentSettings, agent: &'static str) -> Result<&'s Arc<dyn Model>, AgentError> {
    settings.models.first().ok_or(AgentError::Missing {
        agent,
        what: "a model: name one with `--model provider/name`",
    })
}
