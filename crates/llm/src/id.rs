//! The name of a model.

use std::{fmt, str::FromStr};

/// A model's name as a user writes it: `provider/model`. What follows the first slash is the provider's own name for it and
/// may hold more of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId {
    provider: String,
    model: String,
}

/// The text is not a model's name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a model: write `provider/model`, such as `openai/gpt-5` or `ollama/qwen3:8b`")]
pub struct ModelIdError(String);

impl ModelId {
    /// The provider, such as `openai`.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The provider's own name for the model.
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl FromStr for ModelId {
    type Err = ModelIdError;

    fn from_str(text: &str) -> Result<Self, ModelIdError> {
        let wrong = || ModelIdError(text.to_owned());
        let (provider, model) = text.split_once('/').ok_or_else(wrong)?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_provider = !provider.is_empty() && provider.chars().all(plain);
        let is_model = !model.is_empty() && !model.chars().any(|c| c.is_whitespace() || c.is_control());
        if is_provider && is_model {
            Ok(Self {
                provider: provider.to_owned(),
                model: model.to_owned(),
            })
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_provider_and_the_rest() {
        for (text, parts) in [
            ("openai/gpt-5", Some(("openai", "gpt-5"))),
            (
                "openrouter/meta-llama/llama-3.3:free",
                Some(("openrouter", "meta-llama/llama-3.3:free")),
            ),
            ("gpt-5", None),
            ("/gpt-5", None),
            ("openai/", None),
            ("Open AI/x", None),
            ("openai/a b", None),
        ] {
            let id: Result<ModelId, _> = text.parse();
            assert_eq!(id.as_ref().ok().map(|id| (id.provider(), id.model())), parts, "{text}");
            if let Ok(id) = id {
                assert_eq!(id.to_string(), text);
            }
        }
    }
}
