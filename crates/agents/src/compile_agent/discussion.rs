//! Experts that discuss a failure: each model is one; of a single model, three answers that chance makes different are three.

use std::{fmt::Write as _, sync::Arc};

use seatrial_core::{Event, Message, Role};
use seatrial_llm::{Model, ModelError, Request};
use seatrial_tools::Answer;

use crate::talk::{Conversation, Desk, Halt, Prompt, scripts};

const PROPOSE: Prompt = Prompt::new("solve-propose", include_str!("../../prompts/solve-propose.md"));
const DISCUSS: Prompt = Prompt::new("solve-discuss", include_str!("../../prompts/solve-discuss.md"));
const CONCLUDE: Prompt = Prompt::new("solve-conclude", include_str!("../../prompts/solve-conclude.md"));

pub(super) const PROMPTS: [Prompt; 3] = [PROPOSE, DISCUSS, CONCLUDE];

/// Experts when there is one model only.
const SAMPLES: usize = 3;

/// The temperature at which one model's answers differ.
const TEMPERATURE: f64 = 1.0;

/// Rounds: proposals, and one in which each hears the others.
const ROUNDS: u32 = 2;

/// Most bytes of a failure, and of one proposal that others hear.
const MOST_PROBLEM: usize = 12_000;
const MOST_PROPOSAL: usize = 4000;

struct Expert {
    model: Arc<dyn Model>,
    talk: Conversation,
    /// What it says now; `None` when it cannot be had.
    says: Option<String>,
}

/// Holds a discussion and brings back what it came to.
pub(super) fn hold(
    desk: &mut Desk<'_, '_>,
    models: &[Arc<dyn Model>],
    problem: &str,
    number: u32,
) -> Result<Answer, Halt> {
    let (problem, _) = seatrial_tools::shorten(problem, MOST_PROBLEM, "");
    let platform = desk.context.task.platform.to_string();
    let own = Arc::clone(&desk.model);
    let members: Vec<Arc<dyn Model>> = match models {
        [] | [_] => vec![own; SAMPLES],
        several => several.to_vec(),
    };
    let is_sampled = models.len() < 2;
    let mut experts: Vec<Expert> = members
        .into_iter()
        .enumerate()
        .map(|(index, model)| Expert {
            model,
            talk: Conversation::new(format!("discussion-{number}-{}", index + 1)),
            says: None,
        })
        .collect();
    for round in 1..=ROUNDS {
        let said: Vec<Option<String>> = experts.iter().map(|expert| expert.says.clone()).collect();
        for (index, expert) in experts.iter_mut().enumerate() {
            if round > 1 && expert.says.is_none() {
                continue;
            }
            let text = if round == 1 {
                PROPOSE.fill(&[("platform", &platform), ("problem", &problem)])
            } else {
                DISCUSS.fill(&[("others", &others(&said, index))])
            };
            if let Some(says) = speak(desk, expert, text, is_sampled)? {
                expert.says = Some(says);
            }
        }
        let says: Vec<&str> = experts.iter().filter_map(|expert| expert.says.as_deref()).collect();
        if says.len() < 2 || all_agree(&says) {
            break;
        }
    }
    let says: Vec<&str> = experts.iter().filter_map(|expert| expert.says.as_deref()).collect();
    let Some(first) = says.first() else {
        return Ok(Answer::failure("no expert had anything to say"));
    };
    if says.len() == 1 || all_agree(&says) {
        return Ok(Answer::text(*first));
    }
    let mut proposals = String::new();
    for (index, says) in says.iter().enumerate() {
        let (says, _) = seatrial_tools::shorten(says, MOST_PROPOSAL, "");
        let _ = writeln!(proposals, "Expert {}:\n{says}\n", index + 1);
    }
    let mut talk = Conversation::new(format!("discussion-{number}-end"));
    let text = CONCLUDE.fill(&[
        ("platform", &platform),
        ("problem", &problem),
        ("proposals", &proposals),
    ]);
    desk.say(&mut talk, Message::text(Role::User, text))?;
    let request = Request::new(talk.messages());
    let conclusion = desk.ask_once(&mut talk, request)?.message.plain_text();
    Ok(if conclusion.trim().is_empty() {
        Answer::text(*first)
    } else {
        Answer::text(conclusion)
    })
}

/// An expert speaks; `None` when it cannot be had, which ends nothing but its part.
fn speak(desk: &mut Desk<'_, '_>, expert: &mut Expert, text: String, is_sampled: bool) -> Result<Option<String>, Halt> {
    desk.say(&mut expert.talk, Message::text(Role::User, text))?;
    let request = Request {
        temperature: if is_sampled {
            Some(TEMPERATURE)
        } else {
            desk.options.temperature
        },
        ..Request::new(expert.talk.messages())
    };
    match desk.ask_sampled(&*expert.model, &mut expert.talk, request) {
        Ok(completion) => {
            let says = completion.message.plain_text();
            Ok((!says.trim().is_empty()).then_some(says))
        }
        Err(Halt::Model(error)) if !ends_all(&error) => {
            desk.context.events.emit(Event::Note {
                text: format!("{}: {error}", expert.talk.name()),
            })?;
            Ok(None)
        }
        Err(halt) => Err(halt),
    }
}

/// Whether a failure is not the expert's alone.
fn ends_all(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::Spent { .. } | ModelError::Interrupted | ModelError::NotInCassette { .. }
    ) || error.ending() == Some(seatrial_core::Ending::Time)
}

/// Whether all propose the same commands.
fn all_agree(says: &[&str]) -> bool {
    let mut commands = says.iter().map(|says| {
        let scripts = scripts(says).join("\n");
        scripts.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let first = commands.next().unwrap_or_default();
    !first.is_empty() && commands.all(|other| other == first)
}

fn others(said: &[Option<String>], own: usize) -> String {
    let mut text = String::new();
    for (index, says) in said.iter().enumerate() {
        if let (Some(says), true) = (says, index != own) {
            let (says, _) = seatrial_tools::shorten(says, MOST_PROPOSAL, "");
            let _ = writeln!(text, "Expert {}:\n{says}\n", index + 1);
        }
    }
    text
}
