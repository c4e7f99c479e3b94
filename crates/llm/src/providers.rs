//! The table of providers.

use std::{fmt, sync::LazyLock};

use serde::Deserialize;

/// The form in which requests and answers go over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI's chat completions, which most servers speak.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// Google's generateContent.
    Gemini,
    /// Vectors of texts, in OpenAI's form. No provider speaks it alone.
    Embeddings,
}

impl Wire {
    /// Those of conversations.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Responses, Self::Messages, Self::Gemini];

    /// Its name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::Gemini => "gemini",
            Self::Embeddings => "embeddings",
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A provider of models.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Its name in a model's.
    pub name: String,
    /// The wire that it speaks.
    pub wire: Wire,
    /// Where it is, when that is known.
    #[serde(default)]
    pub address: Option<String>,
    /// Variables that hold its key, by custom.
    #[serde(default)]
    pub key_variables: Vec<String>,
    /// Variables that hold its address, by custom.
    #[serde(default)]
    pub address_variables: Vec<String>,
    #[serde(default)]
    pub(crate) key: KeyNeed,
    #[serde(default)]
    pub(crate) key_header: KeyHeader,
    #[serde(default)]
    pub(crate) output_bound: OutputBound,
    #[serde(default)]
    pub(crate) reasoning_back: Option<ReasoningBack>,
    #[serde(default = "yes")]
    pub(crate) usage_in_stream: bool,
    #[serde(default)]
    pub(crate) address_ending: Option<String>,
    #[serde(default)]
    pub(crate) asks_cost: bool,
    /// Whether a header names the conversation.
    #[serde(default)]
    pub(crate) tells_conversation: bool,
}

/// Whether a key must be there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyNeed {
    #[default]
    Required,
    Optional,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum KeyHeader {
    #[default]
    Bearer,
    ApiKey,
    XApiKey,
    XGoogApiKey,
}

/// What the bound on an answer's tokens is called on the chat wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputBound {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

impl OutputBound {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

/// In which field reasoning is handed back on the chat wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReasoningBack {
    ReasoningContent,
    ReasoningDetails,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    provider: Vec<Provider>,
}

static TABLE: LazyLock<Vec<Provider>> = LazyLock::new(|| {
    let table: Result<Table, _> = toml::from_str(include_str!("../data/providers.toml"));
    // A test reads the table, so this never leaves users without providers.
    table.map(|table| table.provider).unwrap_or_default()
});

/// All providers, in the order of the table.
pub fn providers() -> &'static [Provider] {
    &TABLE
}

/// The provider of this name.
pub fn provider(name: &str) -> Option<&'static Provider> {
    TABLE.iter().find(|provider| provider.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_names_nobody_twice() {
        let table: Table = toml::from_str(include_str!("../data/providers.toml")).unwrap();
        let mut names: Vec<&str> = table.provider.iter().map(|provider| provider.name.as_str()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!((names.len(), providers().len()), (count, count));
        for provider in &table.provider {
            let has_way = provider.address.is_some() || !provider.address_variables.is_empty();
            assert!(has_way, "{}", provider.name);
            assert!(
                provider.key == KeyNeed::Optional || !provider.key_variables.is_empty(),
                "{}",
                provider.name
            );
            assert!(format!("{}/x", provider.name).parse::<crate::ModelId>().is_ok());
        }
    }
}
