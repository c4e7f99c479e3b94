//! What a scripted model says, in order.

use seatrial_core::Finish;
use serde::Deserialize;
use serde_json::Value;

/// What a scripted model says.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Answers to any conversation, each of which gets them from the first.
    #[serde(default)]
    pub answer: Vec<Answer>,
    /// Answers to certain conversations: the first that fits is taken, before `answer`.
    #[serde(default)]
    pub conversation: Vec<Conversation>,
    /// Parameters that are refused as long as they are sent, such as `temperature`, `tools`, `stream`.
    #[serde(default)]
    pub refuses: Vec<String>,
    /// Characters of a piece of a stream; 24 unless told otherwise.
    #[serde(default)]
    pub piece: Option<usize>,
}

/// Answers to certain conversations.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// The conversation's name, as the client tells it; with `*` at its end, how it begins.
    #[serde(default)]
    pub name: Option<String>,
    /// Words that its rules contain.
    #[serde(default)]
    pub system: Option<String>,
    /// The answers.
    #[serde(default)]
    pub answer: Vec<Answer>,
}

/// One answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// It is given only when what was said since the model's last turn contains this. Otherwise the next one is looked at.
    #[serde(default)]
    pub when: Option<String>,
    /// It is given only when what was said since the model's last turn does not contain this.
    #[serde(default)]
    pub unless: Option<String>,
    /// It is given only when the whole request contains this.
    #[serde(default)]
    pub when_any: Option<String>,
    /// It is given again and again, as long as it fits.
    #[serde(default)]
    pub repeat: bool,
    /// What the model thinks.
    #[serde(default)]
    pub reasoning: String,
    /// What it says.
    #[serde(default)]
    pub text: String,
    /// The tools that it calls.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Why it ends: from what it says, unless told otherwise.
    #[serde(default)]
    pub finish: Option<Finish>,
    /// What it used: a guess from lengths, unless told otherwise.
    #[serde(default)]
    pub usage: Option<ScriptedUsage>,
    /// Whether the usage is kept back.
    #[serde(default)]
    pub hides_usage: bool,
    /// What goes wrong.
    #[serde(default)]
    pub fault: Option<Fault>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool's name; it need not exist.
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub arguments: Value,
    /// The arguments byte for byte, where they shall not be JSON.
    #[serde(default)]
    pub raw: Option<String>,
}

/// What an answer used, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedUsage {
    /// Of the request.
    pub input: u64,
    /// Of the answer.
    pub output: u64,
    /// Of the request, from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Of the answer, reasoning.
    #[serde(default)]
    pub reasoning: u64,
}

/// What goes wrong with an answer. It takes the answer's place in the script: the client's next attempt gets the next one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// The server answers with this status.
    Status {
        /// The status.
        status: u16,
        /// The header `retry-after`.
        #[serde(default)]
        retry_after: Option<String>,
        /// Its words.
        #[serde(default)]
        message: Option<String>,
    },
    /// The connection breaks after so many pieces.
    Cut {
        /// Pieces before.
        after: usize,
    },
    /// The stream ends in good order after so many pieces, without the mark of its end.
    Unfinished {
        /// Pieces before.
        after: usize,
    },
    /// A piece that is no JSON comes after so many.
    Malformed {
        /// Pieces before.
        after: usize,
    },
    /// The provider reports an error after so many pieces.
    Midway {
        /// Pieces before.
        after: usize,
    },
    /// The model says nothing.
    Empty,
    /// The body is empty.
    Nothing,
    /// The body is a page for people.
    Page,
    /// The text has so many bytes.
    Huge {
        /// Bytes.
        bytes: usize,
    },
    /// Nothing more comes after so many pieces.
    Hang {
        /// Pieces before; without it, not even a status comes.
        #[serde(default)]
        after: Option<usize>,
    },
    /// The pieces come slowly.
    Slow {
        /// Milliseconds between two of them.
        milliseconds: u64,
    },
    /// The conversation does not fit.
    ContextFull,
    /// The provider declines.
    Refusal,
    /// There is no such model.
    UnknownModel,
    /// The key is wrong.
    BadKey,
    /// The account is empty.
    NoCredit,
}

/// A script cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the script cannot be read: {0}")]
pub struct ScriptError(pub(super) String);

impl Script {
    /// Reads a script: TOML, or JSON when it begins with `{`.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| ScriptError(error.to_string()))
        } else {
            toml::from_str(text).map_err(|error| ScriptError(error.to_string()))
        }
    }

    /// A script with these answers.
    pub fn of(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            answer: answers.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The same, refusing a parameter.
    #[must_use]
    pub fn refusing(mut self, parameter: &str) -> Self {
        self.refuses.push(parameter.to_owned());
        self
    }
}

impl Answer {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A call of a tool.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self::default().and_call(name, arguments)
    }

    /// A fault.
    pub fn fault(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            text: "Something that takes more than one piece to say, so that it can break off.".to_owned(),
            ..Self::default()
        }
    }

    /// The same with one more call.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, arguments: Value) -> Self {
        self.calls.push(Call {
            name: name.into(),
            arguments,
            raw: None,
        });
        self
    }

    /// The same with reasoning before it.
    #[must_use]
    pub fn thinking(mut self, reasoning: impl Into<String>) -> Self {
        self.reasoning = reasoning.into();
        self
    }

    /// The same, given only when what was said last contains this.
    #[must_use]
    pub fn when(mut self, words: impl Into<String>) -> Self {
        self.when = Some(words.into());
        self
    }

    /// The same with this usage.
    #[must_use]
    pub fn using(mut self, input: u64, output: u64) -> Self {
        self.usage = Some(ScriptedUsage {
            input,
            output,
            ..ScriptedUsage::default()
        });
        self
    }
}

impl Call {
    pub(super) fn written(&self) -> String {
        match (&self.raw, &self.arguments) {
            (Some(raw), _) => raw.clone(),
            (None, Value::Null) => "{}".to_owned(),
            (None, arguments) => arguments.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_script_is_read_from_both_forms() {
        let toml = r#"
            refuses = ["temperature"]
            [[answer]]
            text = "I look."
            calls = [{ name = "shell", arguments = { command = "ls" } }]
            [[answer]]
            when = "README"
            fault = { kind = "status", status = 429, retry_after = "1" }
            [[conversation]]
            name = "discussion-*"
            answer = [{ text = "No.", finish = "stop", usage = { input = 1, output = 2 } }]
        "#;
        let script = Script::parse(toml).unwrap();
        assert_eq!(
            script.answer[0],
            Answer::call("shell", json!({"command": "ls"})).with_text("I look.")
        );
        assert!(matches!(
            script.answer[1].fault,
            Some(Fault::Status { status: 429, .. })
        ));
        assert_eq!(script.conversation[0].answer[0], {
            let mut answer = Answer::text("No.").using(1, 2);
            answer.finish = Some(Finish::Stop);
            answer
        });
        let json = r#"{"answer": [{"text": "x", "fault": {"kind": "cut", "after": 1}}]}"#;
        assert_eq!(
            Script::parse(json).unwrap().answer[0].fault,
            Some(Fault::Cut { after: 1 })
        );
        let wrong = Script::parse("[[answer]]\ntxet = 'x'").unwrap_err().to_string();
        assert!(wrong.contains("unknown field `txet`"), "{wrong}");
    }

    impl Answer {
        fn with_text(mut self, text: &str) -> Self {
            self.text = text.to_owned();
            self
        }
    }
}
