//! What a model's provider was found to refuse. It is learned from the first refusal and kept for the calls after it.

use crate::{
    providers::{OutputBound, Provider, ReasoningBack},
    request::ToolProtocol,
};

/// A parameter that a provider may refuse, and that a request can do without or write in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    Temperature,
    OutputBound,
    /// The bound is higher than the model allows; the number is the highest, where it is said.
    OutputBoundTooHigh(Option<u64>),
    /// Beside this request, the context has room for so many tokens of answer.
    Room(u64),
    UsageInStream,
    Stream,
    Tools,
    ToolChoice,
    Schema,
    Reasoning,
    /// Reasoning must be handed back with every turn, and some have none.
    ReasoningMissing,
    GeminiSchema,
    CacheMarks,
}

/// How requests to one model are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quirks {
    pub(crate) temperature: bool,
    pub(crate) output_bound: OutputBound,
    /// Whether the other name of the bound was tried.
    output_bound_swapped: bool,
    pub(crate) sends_output_bound: bool,
    pub(crate) highest_output: Option<u64>,
    pub(crate) usage_in_stream: bool,
    pub(crate) stream: bool,
    pub(crate) tools_in_words: bool,
    pub(crate) tool_choice: bool,
    pub(crate) schema: SchemaForm,
    /// Whether reasoning is asked for and handed back.
    pub(crate) reasoning: bool,
    pub(crate) reasoning_back: Option<ReasoningBack>,
    /// Whether turns without reasoning get something in its place.
    pub(crate) fills_reasoning: bool,
    /// Whether Gemini takes a whole JSON Schema, not only its own part of one.
    pub(crate) gemini_schema: bool,
    pub(crate) cache_marks: bool,
    pub(crate) asks_cost: bool,
    /// What was learned, in words.
    pub(crate) adapted: Vec<String>,
}

/// How the form of an answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaForm {
    /// In the provider's form.
    Native,
    /// As "any JSON object", with the schema in words.
    JsonObject,
    /// In words.
    Words,
}

impl Quirks {
    pub(crate) fn of(provider: &Provider, tools: ToolProtocol) -> Self {
        let mut quirks = Self {
            temperature: true,
            output_bound: provider.output_bound,
            output_bound_swapped: false,
            sends_output_bound: true,
            highest_output: None,
            usage_in_stream: provider.usage_in_stream,
            stream: true,
            tools_in_words: false,
            tool_choice: true,
            schema: SchemaForm::Native,
            reasoning: true,
            reasoning_back: provider.reasoning_back,
            fills_reasoning: false,
            gemini_schema: true,
            cache_marks: true,
            asks_cost: provider.asks_cost,
            adapted: Vec::new(),
        };
        if tools == ToolProtocol::Text {
            quirks.tools_in_words = true;
            quirks
                .adapted
                .push("tools are described in words, as asked for".to_owned());
        }
        quirks
    }

    /// Learns from a refusal of a request with this bound on its output. `false` when there is nothing left to change.
    pub(crate) fn learn(&mut self, parameter: Parameter, output_bound: Option<u64>) -> bool {
        let note: String = match parameter {
            Parameter::Temperature if self.temperature => {
                self.temperature = false;
                "temperature left out: the model refuses it".into()
            }
            Parameter::OutputBound if !self.output_bound_swapped => {
                let refused = self.output_bound.name();
                self.output_bound_swapped = true;
                self.output_bound = self.output_bound.other();
                format!(
                    "`{}` instead of `{refused}`, which the model refuses",
                    self.output_bound.name()
                )
            }
            Parameter::OutputBound if self.sends_output_bound => {
                self.sends_output_bound = false;
                "no bound on the answer's tokens: the model refuses it".into()
            }
            Parameter::OutputBoundTooHigh(said) => {
                let Some(sent) = output_bound else { return false };
                // Some say how much they allow, some do not.
                let highest = said.filter(|said| *said < sent).unwrap_or(sent / 2);
                if highest < 16 {
                    return false;
                }
                self.highest_output = Some(highest);
                format!("at most {highest} tokens of answer: the model refuses {sent}")
            }
            Parameter::UsageInStream if self.usage_in_stream => {
                self.usage_in_stream = false;
                "usage is not asked for in the stream: the server refuses that".into()
            }
            Parameter::Stream if self.stream => {
                self.stream = false;
                "not streamed: the server refuses it".into()
            }
            Parameter::Tools if !self.tools_in_words => {
                self.tools_in_words = true;
                "tools are described in words: the model refuses tool calls".into()
            }
            Parameter::ToolChoice if self.tool_choice => {
                self.tool_choice = false;
                "the choice of tools is left out: the model refuses it".into()
            }
            Parameter::Schema if self.schema == SchemaForm::Native => {
                self.schema = SchemaForm::JsonObject;
                "the answer's form is asked for in words and as any JSON: the model refuses a schema".into()
            }
            Parameter::Schema if self.schema == SchemaForm::JsonObject => {
                self.schema = SchemaForm::Words;
                "the answer's form is asked for in words only: the model refuses more".into()
            }
            Parameter::Reasoning if self.reasoning => {
                self.reasoning = false;
                "reasoning is neither asked for nor handed back: the model refuses it".into()
            }
            Parameter::ReasoningMissing if !self.fills_reasoning => {
                self.fills_reasoning = true;
                self.reasoning_back.get_or_insert(ReasoningBack::ReasoningContent);
                "turns without reasoning get something in its place: the model insists on it".into()
            }
            Parameter::GeminiSchema if self.gemini_schema => {
                self.gemini_schema = false;
                "schemas of tools are cut down to what the model reads".into()
            }
            Parameter::CacheMarks if self.cache_marks => {
                self.cache_marks = false;
                "no marks for the cache: the model refuses them".into()
            }
            _ => return false,
        };
        self.adapted.push(note);
        true
    }
}
