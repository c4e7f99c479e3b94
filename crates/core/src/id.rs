//! Names with rules.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A name breaks the rule of its kind.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a valid {kind}: use letters, digits and `.`, `_`, `+`, `-`, starting with a letter or digit")]
pub struct IdError {
    kind: &'static str,
    text: String,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// The name as text: safe as one path component.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
                if text.len() <= 200
                    && text.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && text.chars().all(good)
                {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(IdError { kind: $kind, text: text.to_owned() })
                }
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }
    };
}

id!(
    /// A task's name, unique in its corpus.
    TaskId, "task id"
);
id!(
    /// A run's name: many trials with one locked configuration.
    RunId, "run id"
);
id!(
    /// An agent's name, such as `rules`.
    AgentName, "agent name"
);
id!(
    /// A suite's name: `compile`, `repair`, `setup` or `create`.
    SuiteName, "suite name"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_safe_path_component() {
        assert!("hello_2.10-3+b1".parse::<TaskId>().is_ok());
        for bad in ["", "..", "a/b", "-x", ".hidden", "a b", "a\0"] {
            assert!(bad.parse::<TaskId>().is_err(), "{bad:?}");
        }
    }
}
