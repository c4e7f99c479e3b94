//! Why a model did not answer.

use std::time::Duration;

use seatrial_core::{Ending, InvalidReason};

/// A model did not answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// There is no provider of this name.
    #[error("there is no provider `{name}`: use one of {known}, or `local` with `--base-url` for a server of your own")]
    UnknownProvider {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The provider's address is not known.
    #[error("`{provider}` has no address of its own: give `--base-url`{}", named(.variables, ", or set "))]
    NoAddress {
        /// The provider.
        provider: String,
        /// Variables that may hold it.
        variables: Vec<String>,
    },
    /// No key was given.
    #[error("`{provider}` wants a key: set {}", named(.variables, ""))]
    NoKey {
        /// The provider.
        provider: String,
        /// Variables that may hold it.
        variables: Vec<String>,
    },
    /// The key cannot be kept out of what is written.
    #[error(
        "the key of `{provider}` has fewer than {least} characters, too few to be found in what is recorded and taken out: use a longer \
         key in {}; where the server wants none, give none",
        named(.variables, "")
    )]
    ShortKey {
        /// The provider.
        provider: String,
        /// Variables that may hold it.
        variables: Vec<String>,
        /// The least number of characters.
        least: usize,
    },
    /// The provider does not take the key.
    #[error("`{provider}` does not take the key ({message}): check {}", named(.variables, ""))]
    BadKey {
        /// The provider.
        provider: String,
        /// What the provider said.
        message: String,
        /// Variables that hold the key.
        variables: Vec<String>,
    },
    /// The account has no credit.
    #[error("`{provider}` says that the account cannot pay for this ({message}): add credit, or use another key")]
    NoCredit {
        /// The provider.
        provider: String,
        /// What the provider said.
        message: String,
    },
    /// The provider has no such model.
    #[error("`{provider}` has no model `{model}` ({message}): check the name, and whether your key may use it")]
    UnknownModel {
        /// The provider.
        provider: String,
        /// The model.
        model: String,
        /// What the provider said.
        message: String,
    },
    /// The provider makes no vectors, as far as this program knows.
    #[error(
        "`{provider}` is not asked for vectors: use a provider that speaks OpenAI's wire, or `local` with the address of a server"
    )]
    NoVectors {
        /// The provider.
        provider: String,
    },
    /// What came are not the vectors that were asked for.
    #[error("the vectors of `{model}` cannot be used: {problem}")]
    BadVectors {
        /// The model.
        model: String,
        /// What is wrong.
        problem: String,
    },
    /// The model cannot call tools, and telling it of them in words was not allowed.
    #[error("`{model}` cannot call tools ({message}): let them be described in words, or use another model")]
    NoToolCalls {
        /// The model.
        model: String,
        /// What the provider said.
        message: String,
    },
    /// The conversation does not fit the model.
    #[error(
        "the conversation does not fit the context of `{model}` ({message}): condense it, or use a model with more"
    )]
    ContextFull {
        /// The model.
        model: String,
        /// What the provider said.
        message: String,
    },
    /// The model or its provider declined.
    #[error("`{model}` declined to answer: {message}")]
    Refused {
        /// The model.
        model: String,
        /// What it said.
        message: String,
    },
    /// The provider does not understand the request.
    #[error("`{provider}` does not take the request (status {status}): {message}")]
    BadRequest {
        /// The provider.
        provider: String,
        /// The status.
        status: u16,
        /// What the provider said.
        message: String,
    },
    /// The answer is longer than anybody wants to hold.
    #[error("the answer of `{model}` is longer than {limit} bytes and was cut off")]
    TooLong {
        /// The model.
        model: String,
        /// The bound.
        limit: usize,
    },
    /// It was tried as often as it may.
    #[error("`{model}` did not answer: {last} (tried {attempts} {})", if *.attempts == 1 { "time" } else { "times" })]
    Exhausted {
        /// The model.
        model: String,
        /// Requests sent.
        attempts: u32,
        /// What went wrong the last time.
        last: Attempt,
    },
    /// A bound was reached before the call was made.
    #[error("the call was not made: {why}")]
    Spent {
        /// Which bound.
        by: Ending,
        /// In words.
        why: String,
    },
    /// There is a bound on cost, and no price.
    #[error(
        "the call was not made: there is a bound on cost, and the price of `{model}` is not known: add it to a price file"
    )]
    Unpriced {
        /// The model.
        model: String,
    },
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
    /// Only a cassette is asked, and it has no such request.
    #[error(
        "the cassette {cassette} has no answer to this request of `{conversation}` ({key}; {asked}): record it again"
    )]
    NotInCassette {
        /// The cassette's file.
        cassette: String,
        /// The conversation.
        conversation: String,
        /// The request's key.
        key: String,
        /// The last thing that was said in it.
        asked: String,
    },
    /// The cassette cannot be read or written.
    #[error("{0}")]
    Cassette(String),
    /// The record of the call could not be kept.
    #[error("the record of the call cannot be kept: {0}")]
    Record(String),
    /// The client of the network could not be set up.
    #[error("the client for models cannot be set up: {0}")]
    Setup(String),
}

/// What went wrong in one attempt that another might mend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Attempt {
    /// The provider's server said that it cannot now.
    #[error("status {status}: {message}")]
    Status {
        /// The status.
        status: u16,
        /// What the provider said.
        message: String,
    },
    /// The provider wants a longer wait than there is time.
    #[error("status {status}: {message}; it wants to be left alone for {} s, which is too long", .wait.as_secs())]
    Wait {
        /// The status.
        status: u16,
        /// What the provider said.
        message: String,
        /// How long it wants to wait.
        wait: Duration,
    },
    /// The server could not be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The answer broke off or could not be read.
    #[error("the answer broke off: {0}")]
    Broken(String),
    /// The provider reported an error in the middle of the answer.
    #[error("an error came in the middle of the answer: {0}")]
    Midway(String),
    /// It went on and on.
    #[error("it was not over after {} s", .0.as_secs())]
    Endless(Duration),
    /// Nothing came for too long.
    #[error("nothing came for {} s", .0.as_secs())]
    Silence(Duration),
}

impl ModelError {
    /// What this is as an end of an agent's work; `None` when the user stopped it.
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Self::Interrupted => None,
            Self::Spent { by, .. } => Some(*by),
            Self::ContextFull { .. } => Some(Ending::ContextFull),
            Self::Refused { .. } => Some(Ending::Refused),
            Self::TooLong { .. } => Some(Ending::BadForm),
            _ => Some(Ending::Model),
        }
    }

    /// Whether a trial that ends by this says nothing about the agent, and why.
    pub fn invalid_reason(&self) -> Option<InvalidReason> {
        match self {
            Self::Record(_) => Some(InvalidReason::Internal),
            other if other.ending() == Some(Ending::Model) => Some(InvalidReason::Model),
            _ => None,
        }
    }
}

fn named(names: &[String], before: &str) -> String {
    if names.is_empty() {
        return if before.is_empty() {
            "the key".to_owned()
        } else {
            String::new()
        };
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{before}{}", names.join(" or "))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn an_error_names_the_thing_the_reason_and_the_next_step() {
        let message = || "Incorrect API key provided".to_owned();
        let errors = [
            ModelError::NoKey {
                provider: "gemini".into(),
                variables: vec!["A_KEY".into(), "B_KEY".into()],
            },
            ModelError::NoAddress {
                provider: "azure".into(),
                variables: vec!["AN_ENDPOINT".into()],
            },
            ModelError::NoAddress {
                provider: "local".into(),
                variables: vec![],
            },
            ModelError::BadKey {
                provider: "openai".into(),
                message: message(),
                variables: vec![],
            },
            ModelError::Exhausted {
                model: "openai/x".into(),
                attempts: 1,
                last: Attempt::Wait {
                    status: 429,
                    message: "busy".into(),
                    wait: Duration::from_hours(1),
                },
            },
            ModelError::Spent {
                by: Ending::Steps,
                why: "30 of 30 steps are used".into(),
            },
        ];
        let mut listing = String::new();
        for error in errors {
            use std::fmt::Write as _;
            writeln!(listing, "{error} | {:?} {:?}", error.ending(), error.invalid_reason()).unwrap();
        }
        expect![[r#"
            `gemini` wants a key: set `A_KEY` or `B_KEY` | Some(Model) Some(Model)
            `azure` has no address of its own: give `--base-url`, or set `AN_ENDPOINT` | Some(Model) Some(Model)
            `local` has no address of its own: give `--base-url` | Some(Model) Some(Model)
            `openai` does not take the key (Incorrect API key provided): check the key | Some(Model) Some(Model)
            `openai/x` did not answer: status 429: busy; it wants to be left alone for 3600 s, which is too long (tried 1 time) | Some(Model) Some(Model)
            the call was not made: 30 of 30 steps are used | Some(Steps) None
        "#]].assert_eq(&listing);
    }
}
