//! Asks a provider: one request, one answer, and all that may go wrong between them.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use seatrial_core::{Ending, Event, Finish, Message, Part, Role};

use crate::{
    Abilities, Attempt, CallContext, Cassette, Completion, Model, ModelError, ModelId, Piece, Price, Provider, Request,
    Secret, Settings, ToolProtocol, Wire,
    course::Course,
    estimate::Seen,
    exchange::Outcome,
    letter::Letter,
    meter::Hold,
    pace::{Pace, Stopped},
    quirks::{Parameter, Quirks},
    redact,
    text_protocol::find_calls,
    transport::Transport,
    wire::{Decoded, Failure},
};

/// The longest that nobody looks whether to stop.
pub(crate) const GLANCE: Duration = Duration::from_millis(50);
/// So often may a request be written in another way; there are not more parameters.
const MOST_CHANGES: usize = 16;

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

    /// The address without what stands before its host: a name and a password.
    fn shown_address(&self) -> String {
        match self.address.split_once("://") {
            Some((scheme, rest)) => {
                let host = rest.split_once('@').map_or(rest, |(_, host)| host);
                let plain = host.split('?').next().unwrap_or_default();
                format!("{scheme}://{plain}")
            }
            None => "it".to_owned(),
        }
    }

    pub(crate) fn highest_output(&self, quirks: &Quirks) -> Option<u64> {
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
        // Vectors are part of a search and no turn of a conversation.
        if self.wire != Wire::Embeddings {
            call.meter
                .count_step()
                .map_err(|(by, why)| ModelError::Spent { by, why })?;
        }
        let (mut tries, mut changes, mut room) = (0, 0, None);
        loop {
            check(call)?;
            let quirks = self.quirks();
            course.adapted.clone_from(&quirks.adapted);
            let (letter, hold) = self.write(request, &quirks, room, call)?;
            course.adapted.extend(letter.note.clone());
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
                } => {
                    // Others may use the room while this call waits.
                    drop(hold);
                    (Attempt::Status { status, message }, wait)
                }
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
        // One batch of texts is no beginning of the next.
        if let Some(tokens) = decoded.usage.input.filter(|_| self.wire != Wire::Embeddings) {
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
                message: if matches!(status, 300..400 | 404 | 405) {
                    format!("{message}; is {} the right address?", self.shown_address())
                } else {
                    message
                },
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
