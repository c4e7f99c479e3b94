//! From a journal's entries to the steps of each conversation.

use std::collections::BTreeMap;

use seatrial_core::{
    CommandRecord, Ending, Entry, Event, Message, ModelRecord, Outcome, Part, Profile, Role, ToolRecord,
};

/// The conversation that an agent has with its main model; what is done without a model belongs to it too.
const MAIN: &str = "main";

/// What an agent did in one trial.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    /// The task.
    pub task: String,
    /// The agent.
    pub agent: String,
    /// The attempt, counted from 1.
    pub attempt: u32,
    /// The conversations, in the order in which they began. The first one is the agent's own.
    pub conversations: Vec<Conversation>,
    /// What ended the agent's work, and in which words.
    pub ended: Option<(Ending, String)>,
    /// The note of the submission.
    pub note: Option<String>,
    /// The outcome under the strict profile.
    pub outcome: Option<Outcome>,
}

impl Trajectory {
    /// Reads the last run of a trial off its journal: what an interrupted run before it did is left out.
    pub fn read(entries: &[Entry]) -> Self {
        let mut reader = Reader::default();
        for entry in entries {
            reader.take(entry);
        }
        reader.finish()
    }

    /// The first model that was asked.
    pub fn model(&self) -> Option<&str> {
        self.conversations.iter().find_map(|each| each.model.as_deref())
    }
}

/// One conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// Its name, `main` for the agent's own.
    pub name: String,
    /// The model that was asked first.
    pub model: Option<String>,
    /// What happened, in order.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Milliseconds since the Unix epoch.
    pub at: u64,
    /// What it is.
    pub act: Act,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Somebody but the model said something.
    Said {
        /// Who: the system or the user.
        role: Role,
        /// What.
        text: String,
    },
    /// The model answered, and its tools did what it asked for.
    Answered {
        /// The message.
        message: Message,
        /// The calls that it took, those that failed among them.
        calls: Vec<ModelRecord>,
        /// What its tools answered: the call's id, the text, whether the tool failed.
        results: Vec<(String, String, bool)>,
        /// What the journal says of its tools.
        tools: Vec<ToolRecord>,
    },
    /// A command that no model asked for.
    Ran(CommandRecord),
    /// A decision that no model took.
    Decided {
        /// What was decided.
        what: String,
        /// Why.
        why: String,
    },
    /// Older messages went out of the model's sight.
    Condensed {
        /// How many.
        messages: usize,
        /// What stands in their place.
        summary: String,
    },
    /// The model was asked and never answered.
    Unanswered(Vec<ModelRecord>),
}

/// What calls of models used, summed up. `None` is unknown, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens of requests.
    pub input: Option<u64>,
    /// Those that were read from a cache.
    pub cached_input: Option<u64>,
    /// Tokens of answers.
    pub output: Option<u64>,
    /// Those that were reasoning.
    pub reasoning: Option<u64>,
    /// Millionths of a US dollar; unknown as soon as one answer's price is.
    pub cost_micros: Option<u64>,
}

impl Spent {
    /// Of some calls.
    pub fn of<'a>(calls: impl IntoIterator<Item = &'a ModelRecord>) -> Self {
        let mut spent = Self::default();
        let (mut unknown, mut answers) = (false, 0_usize);
        for call in calls {
            add(&mut spent.input, call.usage.input);
            add(&mut spent.cached_input, call.usage.cached_input);
            add(&mut spent.output, call.usage.output);
            add(&mut spent.reasoning, call.usage.reasoning);
            add(&mut spent.cost_micros, call.cost_micros);
            answers += usize::from(call.finish.is_some());
            unknown |= call.finish.is_some() && call.cost_micros.is_none();
        }
        if unknown || answers == 0 {
            spent.cost_micros = None;
        }
        spent
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

impl Conversation {
    /// Every call of a model in it.
    pub fn calls(&self) -> impl Iterator<Item = &ModelRecord> {
        self.steps.iter().flat_map(|step| match &step.act {
            Act::Answered { calls, .. } | Act::Unanswered(calls) => calls.as_slice(),
            _ => &[],
        })
    }
}

#[derive(Default)]
struct Reader {
    trajectory: Trajectory,
    /// Calls of models whose answer has not been said yet, by conversation, each with its time.
    asked: BTreeMap<String, (u64, Vec<ModelRecord>)>,
    /// Commands and decisions of which it is not known yet whether a tool took them.
    own: Vec<Step>,
    /// Whether the agent is at work: what grading does afterwards is no step of it.
    at_work: bool,
}

impl Reader {
    fn take(&mut self, entry: &Entry) {
        let at = entry.at;
        match &entry.event {
            Event::TrialStarted {
                task, agent, attempt, ..
            } => {
                *self = Self::default();
                self.trajectory.task = task.to_string();
                self.trajectory.agent = agent.to_string();
                self.trajectory.attempt = *attempt;
                self.at_work = true;
            }
            Event::Said { conversation, message } => self.said(at, conversation, message),
            Event::ModelCalled(record) => {
                let talk = self.conversation(&record.conversation);
                talk.model.get_or_insert_with(|| record.model.clone());
                let asked = self.asked.entry(record.conversation.clone());
                asked.or_insert_with(|| (at, Vec::new())).1.push(record.clone());
            }
            Event::ToolCalled(record) => self.used(record),
            Event::Condensed {
                conversation,
                range: [from, to],
                summary,
            } => {
                let act = Act::Condensed {
                    messages: to.saturating_sub(*from),
                    summary: summary.clone(),
                };
                self.conversation(conversation).steps.push(Step { at, act });
            }
            Event::Command(record) if self.at_work => self.own.push(Step {
                at,
                act: Act::Ran(record.clone()),
            }),
            Event::Decision { what, why } if self.at_work => self.own.push(Step {
                at,
                act: Act::Decided {
                    what: what.clone(),
                    why: why.clone(),
                },
            }),
            Event::Ended { by, why } => self.trajectory.ended = Some((*by, why.clone())),
            Event::Submitted { submission } => {
                self.at_work = false;
                self.trajectory.note = Some(submission.note.clone()).filter(|note| !note.is_empty());
            }
            Event::Judged { verdict } if verdict.profile == Profile::Strict => {
                self.trajectory.outcome = Some(verdict.outcome);
            }
            Event::Command(_)
            | Event::Decision { .. }
            | Event::Interrupted { .. }
            | Event::Judged { .. }
            | Event::Network(_)
            | Event::Note { .. }
            | Event::Phase { .. }
            | Event::TrialFinished { .. }
            | Event::Unenforced { .. } => {}
        }
    }

    fn said(&mut self, at: u64, conversation: &str, message: &Message) {
        self.settle();
        let calls = if message.role == Role::Assistant {
            self.asked.remove(conversation).map(|(_, calls)| calls)
        } else {
            None
        };
        let talk = self.conversation(conversation);
        match message.role {
            Role::System | Role::User => talk.steps.push(Step {
                at,
                act: Act::Said {
                    role: message.role,
                    text: message.plain_text(),
                },
            }),
            Role::Assistant => talk.steps.push(Step {
                at,
                act: Act::Answered {
                    message: message.clone(),
                    calls: calls.unwrap_or_default(),
                    results: Vec::new(),
                    tools: Vec::new(),
                },
            }),
            Role::Tool => {
                for part in &message.parts {
                    if let Part::ToolResult { id, content, failed } = part {
                        talk.answered(at, id, content, *failed);
                    }
                }
            }
        }
    }

    /// A tool was used: the commands and decisions before it were the tool's.
    fn used(&mut self, record: &ToolRecord) {
        self.own.clear();
        let talk = self.conversation(&record.conversation);
        if let Some(Act::Answered { tools, .. }) = talk.steps.last_mut().map(|step| &mut step.act) {
            tools.push(record.clone());
        }
    }

    /// What was done since and no tool took is the agent's own doing.
    fn settle(&mut self) {
        let own = std::mem::take(&mut self.own);
        if !own.is_empty() {
            self.conversation(MAIN).steps.extend(own);
        }
    }

    fn conversation(&mut self, name: &str) -> &mut Conversation {
        let all = &mut self.trajectory.conversations;
        let index = all.iter().position(|each| each.name == name).unwrap_or_else(|| {
            let new = Conversation {
                name: name.to_owned(),
                ..Conversation::default()
            };
            // The agent's own comes first, also when it asked somebody else before.
            let place = if name == MAIN { 0 } else { all.len() };
            all.insert(place, new);
            place
        });
        &mut all[index]
    }

    fn finish(mut self) -> Trajectory {
        self.settle();
        for (conversation, (at, calls)) in std::mem::take(&mut self.asked) {
            let act = Act::Unanswered(calls);
            self.conversation(&conversation).steps.push(Step { at, act });
        }
        self.trajectory
    }
}

impl Conversation {
    /// Puts a tool's answer to the message that called it, or, when there is none, down as something the user said.
    fn answered(&mut self, at: u64, id: &str, content: &str, failed: bool) {
        let caller = self.steps.iter_mut().rev().find_map(|step| match &mut step.act {
            Act::Answered { message, results, .. } if message.tool_calls().any(|call| call.id == id) => Some(results),
            _ => None,
        });
        match caller {
            Some(results) => results.push((id.to_owned(), content.to_owned(), failed)),
            None => self.steps.push(Step {
                at,
                act: Act::Said {
                    role: Role::User,
                    text: content.to_owned(),
                },
            }),
        }
    }
}
