//! Which answer comes next: each conversation of each trial has its own place in the script.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use super::{Answer, Conversation, Script, speak::View};

/// Scripts by the model's name.
#[derive(Debug, Clone, Default)]
pub struct Scripts {
    by_model: BTreeMap<String, Script>,
    /// For all other models.
    any: Option<Script>,
}

impl Scripts {
    /// One script, whatever the model's name is.
    pub fn any(script: Script) -> Self {
        Self {
            by_model: BTreeMap::new(),
            any: Some(script),
        }
    }

    /// The same with a script for one model.
    #[must_use]
    pub fn with(mut self, model: impl Into<String>, script: Script) -> Self {
        self.by_model.insert(model.into(), script);
        self
    }

    pub(super) fn of(&self, model: &str) -> Option<&Script> {
        self.by_model.get(model).or(self.any.as_ref())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_model.keys().map(String::as_str)
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Asker {
    /// The trial, or whatever is nearest to it.
    trial: String,
    /// The conversation, where the client tells it.
    conversation: String,
}

impl Asker {
    /// Clients of ours tell which trial and conversation asks. Of others, the key and how the conversation began tell it.
    pub(super) fn of(told: Option<&str>, key: Option<&str>, view: &View) -> Self {
        if let Some((trial, conversation)) = told.and_then(|told| told.split_once('/')) {
            return Self {
                trial: trial.to_owned(),
                conversation: conversation.to_owned(),
            };
        }
        let mut hasher = DefaultHasher::new();
        (key, &view.system, &view.first).hash(&mut hasher);
        Self {
            trial: format!("{:016x}", hasher.finish()),
            conversation: String::new(),
        }
    }
}

/// Where each conversation is.
#[derive(Debug, Default)]
pub(super) struct Stage {
    places: HashMap<(String, Asker, usize), Place>,
}

#[derive(Debug, Default)]
struct Place {
    next: usize,
    given: usize,
}

/// An answer that is to be given.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    pub(super) answer: Answer,
    /// Its position in its list, and how many were given before it.
    pub(super) position: usize,
    pub(super) given: usize,
}

impl Stage {
    /// The next answer, and the conversation's place behind it.
    pub(super) fn turn(&mut self, script: &Script, view: &View, asker: &Asker) -> Option<Turn> {
        let fits = |conversation: &Conversation| {
            let named = conversation
                .name
                .as_deref()
                .is_none_or(|name| match name.strip_suffix('*') {
                    Some(start) => asker.conversation.starts_with(start),
                    None => asker.conversation == name,
                });
            named
                && conversation
                    .system
                    .as_deref()
                    .is_none_or(|words| view.system.contains(words))
        };
        let found = script.conversation.iter().position(fits);
        let answers = found
            .and_then(|at| script.conversation.get(at))
            .map_or(&script.answer, |conversation| &conversation.answer);
        let block = found.map_or(0, |at| at + 1);
        let place = self
            .places
            .entry((view.model.clone(), asker.clone(), block))
            .or_default();
        let rest = answers.iter().enumerate().skip(place.next);
        let (position, answer) = rest.into_iter().find(|(_, answer)| is_due(answer, view))?;
        let turn = Turn {
            answer: answer.clone(),
            position,
            given: place.given,
        };
        place.next = if answer.repeat { position } else { position + 1 };
        place.given += 1;
        Some(turn)
    }
}

fn is_due(answer: &Answer, view: &View) -> bool {
    let has = |words: &Option<String>, text: &str| words.as_deref().is_none_or(|words| text.contains(words));
    has(&answer.when, &view.last)
        && has(&answer.when_any, &view.all)
        && answer.unless.as_deref().is_none_or(|words| !view.last.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(last: &str) -> View {
        View {
            model: "m".into(),
            last: last.into(),
            all: last.into(),
            ..View::default()
        }
    }

    #[test]
    fn each_conversation_has_its_place_and_answers_wait_for_their_words() {
        let script = Script::parse(
            r#"
            answer = [
                { text = "start" },
                { text = "mend", when = "error" },
                { text = "look", unless = "done", repeat = true },
                { text = "end" },
            ]
            [[conversation]]
            name = "talk*"
            answer = [{ text = "aside" }]
            "#,
        )
        .unwrap();
        let mut stage = Stage::default();
        let mut say = |told: &str, last: &str| {
            let asker = Asker::of(Some(told), None, &view(last));
            stage.turn(&script, &view(last), &asker).map(|turn| turn.answer.text)
        };
        assert_eq!(say("1/main", ""), Some("start".into()));
        assert_eq!(say("2/main", ""), Some("start".into()));
        assert_eq!(say("1/main", "an error"), Some("mend".into()));
        assert_eq!(say("2/main", "fine"), Some("look".into()));
        assert_eq!(say("2/main", "an error"), Some("look".into()));
        assert_eq!(say("2/main", "done"), Some("end".into()));
        assert_eq!(say("2/main", ""), None);
        assert_eq!(say("1/talk-1", ""), Some("aside".into()));
        assert_eq!(say("1/talk-2", ""), Some("aside".into()));
        assert_eq!(say("1/talk-2", ""), None);
    }

    #[test]
    fn foreign_clients_are_told_apart_by_key_and_beginning() {
        let one = View {
            first: "build a".into(),
            ..view("x")
        };
        let same = View {
            first: "build a".into(),
            ..view("later")
        };
        assert_eq!(Asker::of(None, Some("k"), &one), Asker::of(None, Some("k"), &same));
        assert_ne!(Asker::of(None, Some("k"), &one), Asker::of(None, Some("other"), &one));
        assert_ne!(Asker::of(None, Some("k"), &one), Asker::of(None, Some("k"), &view("x")));
    }
}
