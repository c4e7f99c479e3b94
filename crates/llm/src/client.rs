//! Asks a provider: one request, one answer, and all that may go wrong between them.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use seatrial_core::{Digest, Ending, Event, Finish, Message, Part, Role};
use serde_json::Value;

use crate::{
    Abilities, Attempt, CallContext, Cassette, CassetteMode, Completion, Model, ModelError, ModelId, Piece, Price,
    Provider, Request, Secret, Settings, ToolProtocol, Wire,
    course::Course,
    digest::request_key,
    estimate::{Seen, most_input},
    exchange::Outcome,
    meter::{Denied, Hold, Need},
    pace::{Pace, Stopped},
    providers::{KeyNeed, provider, providers},
    quirks::{Parameter, Quirks, SchemaForm},
    redact,
    text_protocol::{find_calls, with_schema_in_words, with_tools_in_words},
    transport::Transport,
    wire::{Decoded, Failure, Outgoing},
};

/// The longest that nobody looks whether to stop.
pub(crate) const GLANCE: Duration = Duration::from_millis(50);
/// So often may a request be written in another way; there are not more parameters.
const MOST_CHANGES: usize = 16;

/// Finds the provider of a model and makes ready to ask it. Nothing is sent yet.
pub fn connect(id: &ModelId, settings: &Settings) -> Result<Arc<dyn Model>, ModelError> {
    let Some(provider) = provider(id.provider()) else {
        let names = providers().iter().map(|provider| provider.name.as_str());
        let known: Vec<&str> = names.filter(|name| !name.starts_with("scripted")).collect();
        return Err(ModelError::UnknownProvider {
            name: id.provider().to_owned(),
            known: known.join(", "),
        });
    };
    let asks_nobody = settings
        .cassette
        .as_ref()
        .is_some_and(|cassette| cassette.mode() == CassetteMode::Replay);
    let address = settings
        .base_url
        .clone()
        .or_else(|| settings.addresses.get(&provider.name).cloned())
        .or_else(|| provider.address.clone());
    if address.is_none() && !asks_nobody {
        return Err(ModelError::NoAddress {
            provider: provider.name.clone(),
            variables: provider.address_variables.clone(),
        });
    }
    let key = settings.keys.get(&provider.name).cloned();
    if key.is_none() && provider.key == KeyNeed::Required && !asks_nobody {
        return Err(ModelError::NoKey {
            provider: provider.name.clone(),
            variables: provider.key_variables.clone(),
        });
    }
    let address = address.unwrap_or_default();
    let transport = if asks_nobody {
        None
    } else {
        Some(settings.shared.transport(settings).map_err(ModelError::Setup)?)
    };
    // The name of a key's limits is not the key.
    let holder = key
        .as_ref()
        .map_or_else(String::new, |key| Digest::of(key.reveal().as_bytes()).hex());
    let pace = settings
        .shared
        .pace(format!("{address} {holder} {:?}", settings.pacing), &settings.pacing);
    let wire = settings.wire.unwrap_or(provider.wire);
    let quirks = settings.shared.quirks(
        format!("{wire} {address} {} {:?}", id.model(), settings.tools),
        &Quirks::of(provider, settings.tools),
    );
    Ok(Arc::new(Client {
        id: id.clone(),
        provider,
        wire,
        address,
        key,
        price: settings.prices.of(id).cloned(),
        cassette: settings.cassette.clone(),
        settings: settings.clone(),
        transport,
        pace,
        quirks,
    }))
}

/// A model behind a provider's wire.
pub(crate) struct Client {
    pub(crate) id: ModelId,
    pub(crate) provider: &'static Provider,
    pub(crate) wire: Wire,
    pub(crate) address: String,
    pub(crate) key: Option<Secret>,
    pub(crate) price: Option<Price>,
    pub(crate) cassette: Option<Arc<Cassette>>,
    pub(crate) settings: Settings,
    /// `None` when only a cassette is asked.
    pub(crate) transport: Option<Arc<Transport>>,
    pub(crate) pace: Arc<Pace>,
    pub(crate) quirks: Arc<Mutex<Quirks>>,
}

/// A request as it goes out.
pub(crate) struct Letter {
    pub(crate) text: String,
    pub(crate) body: Value,
    pub(crate) key: Digest,
    /// Something other than the provider's own form is used for tools.
    tools_in_words: bool,
    /// Begins the ids of calls that the provider gives none.
    pub(crate) prefix: String,
    pub(crate) bytes: u64,
    most_input: u64,
    pub(crate) output: Option<u64>,
}

impl Model for Client {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn abilities(&self) -> Abilities {
        let quirks = self.quirks();
        let tools = if quirks.tools_in_words {
            ToolProtocol::Text
        } else {
            self.settings.tools
        };
        Abilities {
            tools,
            context_tokens: self.price.as_ref().and_then(|price| price.context),
            output_tokens: self.highest_output(&quirks),
            reasoning: None,
        }
    }

    fn complete(&self, request: &Request, call: &mut CallContext<'_>) -> Result<Completion, ModelError> {
        let mut course = Course::new();
        let result = self.ask(request, call, &mut course);
        let error = result.as_ref().err().map(ToString::to_string);
        let record = course.record(call, self.id.to_string(), error);
        if let Some(events) = call.events.as_deref_mut()
            && let Err(error) = events.emit(Event::ModelCalled(record.clone()))
        {
            return Err(ModelError::Record(error.to_string()));
        }
        let (message, finish) = result?;
        Ok(Completion {
            message,
            finish,
            usage: record.usage,
            record,
        })
    }
}

impl Client {
    pub(crate) fn quirks(&self) -> Quirks {
        self.quirks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn learn(&self, parameter: Parameter, output: Option<u64>) -> bool {
        self.quirks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .learn(parameter, output)
    }

    fn highest_output(&self, quirks: &Quirks) -> Option<u64> {
        let published = self.price.as_ref().and_then(|price| price.max_output);
        [published, quirks.highest_output].into_iter().flatten().min()
    }

    pub(crate) fn secrets(&self) -> Vec<&str> {
        self.key.iter().map(Secret::reveal).collect()
    }

    fn ask(
        &self,
        request: &Request,
        call: &mut CallContext<'_>,
        course: &mut Course,
    ) -> Result<(Message, Finish), ModelError> {
        check(call)?;
        call.meter
            .count_step()
            .map_err(|(by, why)| ModelError::Spent { by, why })?;
        let (mut tries, mut changes, mut room) = (0, 0, None);
        loop {
            check(call)?;
            let quirks = self.quirks();
            course.adapted.clone_from(&quirks.adapted);
            let (letter, hold) = self.write(request, &quirks, room, call)?;
            self.keep_request(&letter, call, course)?;
            let outcome = match self.recorded(&letter, request, call)? {
                Some(take) => self.replay(&take, &letter, call, course),
                None => self.send(&letter, request, call, course)?,
            };
            let (why, wait) = match outcome {
                Outcome::Answer(decoded) => {
                    self.settle(hold, &decoded, &letter, call, course);
                    return self.answer(decoded, &letter, course);
                }
                Outcome::End(error, decoded) => {
                    self.settle_broken(hold, &decoded, &letter, course);
                    return Err(error);
                }
                Outcome::Broken(why, decoded) => {
                    self.settle_broken(hold, &decoded, &letter, course);
                    (why, None)
                }
                Outcome::No {
                    failure: Failure::Parameter(parameter),
                    status,
                    message,
                    ..
                } => {
                    drop(hold);
                    if parameter == Parameter::Tools && self.settings.tools == ToolProtocol::Native {
                        return Err(ModelError::NoToolCalls {
                            model: self.id.to_string(),
                            message,
                        });
                    }
                    changes += 1;
                    let changed = match parameter {
                        Parameter::Room(left) => room.replace(left).is_none_or(|before| left < before),
                        // A colleague may have learned the same meanwhile: what is known now was not known then.
                        other => self.learn(other, letter.output) || self.quirks() != quirks,
                    };
                    if changed && changes <= MOST_CHANGES {
                        continue;
                    }
                    return Err(self.final_no(&Failure::Bad, status, message));
                }
                Outcome::No {
                    failure: Failure::Again,
                    status,
                    message,
                    wait,
                } => (Attempt::Status { status, message }, wait),
                Outcome::No {
                    failure,
                    status,
                    message,
                    ..
                } => return Err(self.final_no(&failure, status, message)),
            };
            tries += 1;
            if tries >= self.settings.patience.attempts || course.attempts == 0 {
                return Err(self.exhausted(course, why));
            }
            self.wait(why, wait, tries, call, course)?;
            if let Some(watch) = call.watch.as_deref_mut() {
                watch(Piece::Restart);
            }
        }
    }

    /// Writes a request and keeps room for it.
    fn write<'a>(
        &self,
        request: &Request,
        quirks: &Quirks,
        room: Option<u64>,
        call: &CallContext<'a>,
    ) -> Result<(Letter, Hold<'a>), ModelError> {
        let mut told;
        let has_tools = |message: &Message| message.tool_calls().next().is_some() || message.role == Role::Tool;
        let in_words = quirks.tools_in_words && (!request.tools.is_empty() || request.messages.iter().any(has_tools));
        let wants_schema_in_words =
            request.schema.is_some() && (quirks.schema != SchemaForm::Native || self.wire == Wire::Messages);
        let mut request = request;
        if in_words || wants_schema_in_words {
            told = if in_words {
                with_tools_in_words(request)
            } else {
                request.clone()
            };
            if wants_schema_in_words {
                with_schema_in_words(&mut told);
            }
            request = &told;
        }
        let outgoing = |output: Option<u64>| Outgoing {
            model: self.id.model(),
            request,
            quirks,
            output,
        };
        let highest = self.highest_output(quirks).into_iter().chain(room).min();
        let wanted = match (request.max_output, highest) {
            (Some(wanted), Some(highest)) => Some(wanted.min(highest)),
            (Some(wanted), None) => Some(wanted),
            // What was found out must be said.
            (None, _) => room.into_iter().chain(quirks.highest_output).min(),
        };
        let mut body = self.wire.encode(&outgoing(wanted));
        let mut text = body.to_string();
        let bytes = text.len() as u64;
        let most_input = most_input(bytes, call.meter.seen(call.conversation));
        let need = Need {
            input: most_input,
            output: wanted,
            highest_output: highest,
            price: self.price.as_ref(),
        };
        let meter = call.meter;
        let hold = loop {
            match meter.hold(&need) {
                Ok(hold) => break hold,
                Err(Denied::Busy) => {
                    check(call)?;
                    meter.wait(GLANCE);
                }
                Err(Denied::Spent(by, why)) => return Err(ModelError::Spent { by, why }),
                Err(Denied::Unpriced) => {
                    return Err(ModelError::Unpriced {
                        model: self.id.to_string(),
                    });
                }
            }
        };
        if hold.output != wanted {
            body = self.wire.encode(&outgoing(hold.output));
            text = body.to_string();
        }
        let key = request_key(self.wire, self.id.model(), &body);
        let letter = Letter {
            text,
            body,
            key,
            tools_in_words: in_words,
            prefix: format!("call-{}", request.messages.len()),
            bytes,
            most_input,
            output: hold.output,
        };
        Ok((letter, hold))
    }

    fn keep_request(&self, letter: &Letter, call: &CallContext<'_>, course: &mut Course) -> Result<(), ModelError> {
        if let Some(blobs) = call.blobs {
            let clean = redact::text(&letter.text, &self.secrets());
            let digest = blobs
                .put(clean.as_bytes())
                .map_err(|error| ModelError::Record(error.to_string()))?;
            course.request = Some(digest);
        }
        Ok(())
    }

    fn settle(&self, hold: Hold<'_>, decoded: &Decoded, letter: &Letter, call: &CallContext<'_>, course: &mut Course) {
        let charge = course.charge(
            decoded,
            self.price.as_ref(),
            letter.most_input,
            most_output(decoded, letter),
        );
        hold.settle(&charge);
        if let Some(tokens) = decoded.usage.input {
            let seen = Seen {
                bytes: letter.bytes,
                tokens,
            };
            call.meter.see(call.conversation, seen);
        }
    }

    /// An attempt that broke off costs what had come of it, and its request.
    fn settle_broken(&self, hold: Hold<'_>, decoded: &Decoded, letter: &Letter, course: &mut Course) {
        let is_started = !decoded.parts.is_empty() || decoded.usage.input.is_some() || decoded.usage.output.is_some();
        if !is_started {
            return;
        }
        let charge = course.charge(
            decoded,
            self.price.as_ref(),
            letter.most_input,
            most_output(decoded, letter),
        );
        hold.settle(&charge);
    }

    fn answer(&self, decoded: Decoded, letter: &Letter, course: &mut Course) -> Result<(Message, Finish), ModelError> {
        let mut finish = decoded.finish.unwrap_or(Finish::Other);
        course.finish = Some(finish);
        if finish == Finish::Refusal {
            let words = decoded.refusal.unwrap_or_else(|| {
                let message = Message {
                    role: Role::Assistant,
                    parts: decoded.parts,
                };
                message.plain_text()
            });
            let message = if words.trim().is_empty() {
                "it gives no reason".to_owned()
            } else {
                words
            };
            return Err(ModelError::Refused {
                model: self.id.to_string(),
                message,
            });
        }
        let mut message = Message {
            role: Role::Assistant,
            parts: decoded.parts,
        };
        if letter.tools_in_words {
            message.parts = find_calls(message.parts, &letter.prefix);
            if finish == Finish::Stop && message.tool_calls().next().is_some() {
                finish = Finish::ToolCalls;
                course.finish = Some(finish);
            }
        }
        Ok((message, finish))
    }

    pub(crate) fn final_no(&self, failure: &Failure, status: u16, message: String) -> ModelError {
        let (provider, model) = (self.provider.name.clone(), self.id.to_string());
        match failure {
            Failure::BadKey => ModelError::BadKey {
                provider,
                message,
                variables: self.provider.key_variables.clone(),
            },
            Failure::NoCredit => ModelError::NoCredit { provider, message },
            Failure::UnknownModel => ModelError::UnknownModel {
                provider,
                model: self.id.model().to_owned(),
                message,
            },
            Failure::ContextFull => ModelError::ContextFull { model, message },
            Failure::Refused => ModelError::Refused { model, message },
            Failure::Parameter(_) | Failure::Again | Failure::Bad => ModelError::BadRequest {
                provider,
                status,
                message,
            },
        }
    }

    fn exhausted(&self, course: &Course, last: Attempt) -> ModelError {
        ModelError::Exhausted {
            model: self.id.to_string(),
            attempts: course.attempts,
            last,
        }
    }

    /// Waits before another attempt.
    fn wait(
        &self,
        why: Attempt,
        asked: Option<Duration>,
        tries: u32,
        call: &CallContext<'_>,
        course: &Course,
    ) -> Result<(), ModelError> {
        let patience = &self.settings.patience;
        let own = patience.wait(tries);
        let wait = asked.map_or(own, |asked| asked.max(own));
        let left = call
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let is_too_long =
            asked.is_some_and(|asked| asked > patience.longest_asked_wait) || left.is_some_and(|left| wait >= left);
        if is_too_long {
            let last = match why {
                Attempt::Status { status, message } if asked.is_some() => Attempt::Wait { status, message, wait },
                other => other,
            };
            return Err(self.exhausted(course, last));
        }
        if let Some(asked) = asked {
            // Others with the same key would hear the same.
            self.pace.pause(asked);
        }
        let until = Instant::now() + wait;
        loop {
            check(call)?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(GLANCE));
        }
    }
}

/// Whether the call may go on.
pub(crate) fn check(call: &CallContext<'_>) -> Result<(), ModelError> {
    if call.stop.load(Ordering::Relaxed) {
        return Err(ModelError::Interrupted);
    }
    if call.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        return Err(stopped(Stopped::OutOfTime));
    }
    Ok(())
}

pub(crate) fn stopped(stopped: Stopped) -> ModelError {
    match stopped {
        Stopped::Interrupted => ModelError::Interrupted,
        Stopped::OutOfTime => ModelError::Spent {
            by: Ending::Time,
            why: "the time is up".to_owned(),
        },
    }
}

/// Every byte that came may have been a token, within what was allowed.
fn most_output(decoded: &Decoded, letter: &Letter) -> u64 {
    let said: usize = decoded.parts.iter().map(bytes_of).sum();
    (said as u64).min(letter.output.unwrap_or(u64::MAX))
}

fn bytes_of(part: &Part) -> usize {
    match part {
        Part::Text { text } => text.len(),
        Part::Reasoning { text, opaque } => text.len() + opaque.as_ref().map_or(0, |opaque| opaque.to_string().len()),
        Part::ToolCall(call) => call.name.len() + call.arguments.len(),
        Part::ToolResult { content, .. } => content.len(),
    }
}
