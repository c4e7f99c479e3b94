//! One attempt: a request goes out, or is looked up on a cassette, and what comes back is read.

use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::{
    Attempt, CallContext, CassetteMode, ModelError, Piece, Request,
    cassette::{Asked, Take},
    client::{Client, GLANCE, check, stopped},
    course::Course,
    letter::Letter,
    patience::{asked_wait, wait_in_words},
    providers::KeyHeader,
    reading::{Reading, Stop},
    redact,
    transport::{Arrival, Inbound, Outbound},
    wire::{Decoded, Failure, Fault, classify, status_of},
};

/// Most bytes of a refusal that are read.
const MOST_REFUSAL: usize = 1 << 20;
/// Names the conversation to a scripted server.
pub(crate) const CONVERSATION_HEADER: &str = "x-seatrial-conversation";

/// How one attempt went.
pub(crate) enum Outcome {
    Answer(Decoded),
    /// The provider said no.
    No {
        status: u16,
        failure: Failure,
        message: String,
        wait: Option<Duration>,
    },
    /// It broke off, maybe after something had come.
    Broken(Attempt, Decoded),
    /// There is no point in going on.
    End(ModelError, Decoded),
}

impl Client {
    /// The recorded answer, if there is one; an error, if there must be one.
    pub(crate) fn recorded(
        &self,
        letter: &Letter,
        request: &Request,
        call: &CallContext<'_>,
    ) -> Result<Option<Take>, ModelError> {
        let Some(cassette) = &self.cassette else {
            return Ok(None);
        };
        let take = cassette.next(&letter.key, call.meter.label());
        if take.is_none() && cassette.mode() == CassetteMode::Replay {
            return Err(ModelError::NotInCassette {
                cassette: cassette.path().display().to_string(),
                conversation: call.conversation.to_owned(),
                key: letter.key.short(),
                asked: last_words(request).chars().take(80).collect(),
            });
        }
        Ok(take)
    }

    pub(crate) fn replay(
        &self,
        take: &Take,
        letter: &Letter,
        call: &mut CallContext<'_>,
        course: &mut Course,
    ) -> Outcome {
        let header = |name: &str| take.headers.get(name).cloned();
        if take.status >= 300 {
            return no(
                take.status,
                &String::from_utf8_lossy(&take.bytes()),
                &letter.body,
                &header,
            );
        }
        let kind = header("content-type").unwrap_or_default();
        let mut reading = self.reading(letter, &kind, false);
        let mut pieces = Vec::new();
        let stop = reading
            .push(&take.bytes(), &mut pieces)
            .and_then(|_| reading.end(&mut pieces))
            .err();
        hand_out(pieces, call, course);
        self.outcome(stop, reading.finish().0)
    }

    fn reading(&self, letter: &Letter, content_type: &str, keeps: bool) -> Reading {
        let bound = self.settings.patience.answer_bytes;
        Reading::new(self.wire, letter.prefix.clone(), content_type, keeps, bound)
    }

    /// Sends a request and reads what comes back.
    pub(crate) fn send(
        &self,
        letter: &Letter,
        request: &Request,
        call: &mut CallContext<'_>,
        course: &mut Course,
    ) -> Result<Outcome, ModelError> {
        let Some(transport) = &self.transport else {
            return Err(ModelError::Setup("only a cassette may be asked".to_owned()));
        };
        // For limits by the minute, the usual three to four bytes a token are near enough.
        let tokens = letter.bytes / 4 + letter.output.unwrap_or(1000).min(1000);
        let pass = self.pace.pass(tokens, call.stop, call.deadline).map_err(stopped)?;
        course.attempts += 1;
        let bound = Reading::most_bytes(self.settings.patience.answer_bytes).saturating_add(1);
        let outbound = Outbound {
            url: self.wire.url(&self.address, self.id.model(), self.streams()),
            headers: self.headers(call),
            body: letter.text.clone(),
            bound,
        };
        let mut inbound = transport.send(outbound).map_err(ModelError::Setup)?;
        let patience = &self.settings.patience;
        let mut body = Body::Nothing;
        let mut refusal = Vec::new();
        let mut limit = patience.first_piece;
        let keeps = self.cassette.is_some();
        let end = Instant::now() + patience.whole_attempt;
        loop {
            let stop = match next(&mut inbound, limit, end, call) {
                Next::Arrival(Arrival::Head { status, headers }) => {
                    let kind = header_of(&headers, "content-type").unwrap_or_default();
                    body = Body::Head {
                        status,
                        reading: Box::new(self.reading(letter, &kind, keeps)),
                        headers,
                    };
                    continue;
                }
                Next::Arrival(Arrival::Bytes(bytes)) => match &mut body {
                    Body::Head { status, reading, .. } if *status < 300 => {
                        limit = patience.between_pieces;
                        let mut pieces = Vec::new();
                        let read = reading.push(&bytes, &mut pieces);
                        hand_out(pieces, call, course);
                        match read {
                            Ok(false) => continue,
                            Ok(true) => None,
                            Err(stop) => Some(Halt::Stop(stop)),
                        }
                    }
                    _ => {
                        refusal.extend_from_slice(&bytes);
                        if refusal.len() < MOST_REFUSAL {
                            continue;
                        }
                        None
                    }
                },
                Next::Arrival(Arrival::End) => match &mut body {
                    Body::Head { status, reading, .. } if *status < 300 => {
                        let mut pieces = Vec::new();
                        let read = reading.end(&mut pieces);
                        hand_out(pieces, call, course);
                        read.err().map(Halt::Stop)
                    }
                    _ => None,
                },
                Next::Arrival(Arrival::Unreachable(reason)) => Some(Halt::Broken(Attempt::Unreachable(reason))),
                Next::Arrival(Arrival::Broken(reason)) => Some(Halt::Broken(Attempt::Broken(reason))),
                Next::Endless => Some(Halt::Broken(Attempt::Endless(patience.whole_attempt))),
                Next::Silence => Some(Halt::Broken(Attempt::Silence(limit))),
                Next::Stopped(error) => Some(Halt::End(error)),
            };
            // What is left of the connection is of no interest, and a hanging one would be held.
            drop(inbound);
            let Body::Head {
                status,
                headers,
                reading,
            } = body
            else {
                return Ok(match stop {
                    Some(Halt::End(error)) => Outcome::End(error, Decoded::default()),
                    Some(Halt::Broken(why)) => Outcome::Broken(why, Decoded::default()),
                    _ => Outcome::Broken(Attempt::Broken("no answer came".to_owned()), Decoded::default()),
                });
            };
            if status >= 300 && stop.is_none() {
                let said = redact::failure(&String::from_utf8_lossy(&refusal), &self.secrets());
                let outcome = no(status, &said, &letter.body, &|name| header_of(&headers, name));
                if !matches!(
                    outcome,
                    Outcome::No {
                        failure: Failure::Again,
                        ..
                    }
                ) {
                    self.record(letter, request, call, status, &headers, said.as_bytes())?;
                }
                return Ok(outcome);
            }
            let (decoded, kept) = reading.finish();
            pass.used(decoded.usage.input.map(|_| decoded.usage.total()));
            let outcome = match stop {
                Some(Halt::End(error)) => Outcome::End(error, decoded),
                Some(Halt::Broken(why)) => Outcome::Broken(why, decoded),
                Some(Halt::Stop(stop)) => self.outcome(Some(stop), decoded),
                None => self.outcome(None, decoded),
            };
            if matches!(outcome, Outcome::Answer(_))
                && let Some(kept) = kept
            {
                self.record(letter, request, call, status, &headers, &kept)?;
            }
            return Ok(outcome);
        }
    }

    fn streams(&self) -> bool {
        self.quirks().stream
    }

    fn headers(&self, call: &CallContext<'_>) -> Vec<(String, String)> {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        for (name, value) in self.wire.headers() {
            headers.push(((*name).to_owned(), (*value).to_owned()));
        }
        if let Some(key) = &self.key {
            let (name, value) = match self.provider.key_header {
                KeyHeader::Bearer => ("authorization", format!("Bearer {}", key.reveal())),
                KeyHeader::ApiKey => ("api-key", key.reveal().to_owned()),
                KeyHeader::XApiKey => ("x-api-key", key.reveal().to_owned()),
                KeyHeader::XGoogApiKey => ("x-goog-api-key", key.reveal().to_owned()),
            };
            headers.push((name.to_owned(), value));
        }
        if self.provider.tells_conversation {
            let plain = |c: char| if c.is_ascii_graphic() { c } else { '_' };
            let conversation: String = call.conversation.chars().map(plain).collect();
            headers.push((
                CONVERSATION_HEADER.to_owned(),
                format!("{}/{conversation}", call.meter.name()),
            ));
        }
        headers
    }

    fn record(
        &self,
        letter: &Letter,
        request: &Request,
        call: &CallContext<'_>,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<(), ModelError> {
        let Some(cassette) = &self.cassette else { return Ok(()) };
        let model = self.id.to_string();
        let asked = Asked {
            key: letter.key,
            wire: self.wire,
            model: &model,
            trial: call.meter.label(),
            last: last_words(request),
        };
        cassette
            .add(&asked, status, headers, body, &self.secrets())
            .map_err(|error| ModelError::Cassette(error.to_string()))
    }

    /// What an answer with status 200 comes to.
    fn outcome(&self, stop: Option<Stop>, decoded: Decoded) -> Outcome {
        match stop {
            None if decoded.finish.is_some() => Outcome::Answer(decoded),
            None => Outcome::Broken(Attempt::Broken("it does not say that it is over".to_owned()), decoded),
            Some(Stop::TooLong) => {
                let error = ModelError::TooLong {
                    model: self.id.to_string(),
                    limit: self.settings.patience.answer_bytes,
                };
                Outcome::End(error, decoded)
            }
            Some(Stop::Fault(Fault::Unreadable(reason))) => Outcome::Broken(Attempt::Broken(reason), decoded),
            Some(Stop::Fault(Fault::Provider(error))) => {
                let status = status_of(&error);
                let said = redact::failure(&error.to_string(), &self.secrets());
                let (failure, message) = classify(status, &said, &Value::Null);
                match failure {
                    Failure::Again | Failure::Bad | Failure::Parameter(_) => {
                        Outcome::Broken(Attempt::Midway(message), decoded)
                    }
                    other => Outcome::End(self.final_no(&other, status, message), decoded),
                }
            }
        }
    }
}

/// What has come of an answer.
enum Body {
    Nothing,
    Head {
        status: u16,
        headers: Vec<(String, String)>,
        reading: Box<Reading>,
    },
}

/// Why reading was ended.
enum Halt {
    Stop(Stop),
    Broken(Attempt),
    End(ModelError),
}

enum Next {
    Arrival(Arrival),
    Silence,
    Endless,
    Stopped(ModelError),
}

/// Waits for what comes next, and looks now and then whether to go on waiting.
fn next(inbound: &mut Inbound, limit: Duration, end: Instant, call: &CallContext<'_>) -> Next {
    let until = end.min(Instant::now() + limit);
    loop {
        if let Err(error) = check(call) {
            return Next::Stopped(error);
        }
        let now = Instant::now();
        if now >= end {
            return Next::Endless;
        }
        if now >= until {
            return Next::Silence;
        }
        let left = call
            .deadline
            .map_or(GLANCE, |deadline| deadline.saturating_duration_since(now));
        let nap = GLANCE.min(left).min(until - now).max(Duration::from_millis(1));
        if let Some(arrival) = inbound.next(nap) {
            return Next::Arrival(arrival);
        }
    }
}

fn no(status: u16, said: &str, sent: &Value, header: &dyn Fn(&str) -> Option<String>) -> Outcome {
    let (failure, message) = classify(status, said, sent);
    Outcome::No {
        status,
        failure,
        message,
        wait: asked_wait(header, SystemTime::now()).or_else(|| wait_in_words(said)),
    }
}

fn header_of(headers: &[(String, String)], name: &str) -> Option<String> {
    let found = headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name))?;
    Some(found.1.clone())
}

fn hand_out(pieces: Vec<Piece>, call: &mut CallContext<'_>, course: &mut Course) {
    if pieces.is_empty() {
        return;
    }
    course.piece_came();
    if let Some(watch) = call.watch.as_deref_mut() {
        pieces.into_iter().for_each(watch);
    }
}

fn last_words(request: &Request) -> String {
    let Some(message) = request.messages.last() else {
        return String::new();
    };
    let texts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            seatrial_core::Part::Text { text } => Some(text.as_str()),
            seatrial_core::Part::ToolResult { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).take(60).collect();
    words.join(" ")
}
