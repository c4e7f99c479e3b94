//! Passes a request on and keeps the whole answer, whatever part of it the client asked for or waited for.

use std::{
    io::Write,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use http_body_util::BodyExt;
use hyper::{
    HeaderMap, Request, Response,
    body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint},
    ext::ReasonPhrase,
    header,
    http::response::Parts,
};
use seatrial_core::Digest;
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};

use super::{
    conditions::{self, Portion},
    index::{Answer, Found, Index, Kept, Key, MOST_BYTES, Record, vary},
    player::{give, read_lines},
};
use crate::{
    body::{Body, BodyError, Piped, Window, empty},
    event::{Asked, DoorEvent},
    exchange::{self, Inner, Trouble},
    headers::to_text,
    target::Target,
};

/// Passes a request on and keeps the answer.
pub(crate) async fn record(
    door: &Arc<Inner>,
    index: &Arc<Index>,
    target: Target,
    request: Request<Incoming>,
) -> Response<Body> {
    let asked = exchange::asked(&request, &target);
    if index.is_full() {
        let reason = format!(
            "more was recorded already than one index holds ({} MiB)",
            MOST_BYTES >> 20
        );
        return exchange::explain(door, asked, Trouble::Refused(reason));
    }
    let seq = index.number();
    let method = request.method().clone();
    let key = |body| Key {
        method: method.as_str().to_owned(),
        url: target.to_string(),
        body,
    };
    if request.headers().contains_key(header::RANGE) {
        let (index, key, headers) = (Arc::clone(index), key(None), request.headers().clone());
        // It waits for the disk, and perhaps for another process.
        let kept = tokio::task::spawn_blocking(move || again(&index, seq, key, &headers)).await;
        if let Ok(Some(kept)) = kept {
            return give(door, asked, &method, request.headers(), kept).await;
        }
    }
    let (sent, body) = Digesting::new(request.body().is_end_stream());
    let asked_with = request.headers().clone();
    let whole = request.map(|incoming| body.of(incoming));
    let passed = exchange::pass_on(door, &target, whole, |headers| conditions::strip(&method, headers)).await;
    let (parts, incoming) = match passed {
        Ok(response) => response.into_parts(),
        Err(trouble) => {
            if let (Trouble::Failed { status, reason }, Ok(body)) = (&trouble, sent.digest()) {
                let answer = Answer::Failure {
                    status: status.as_u16(),
                    reason: reason.clone(),
                };
                let record = Record::new(seq, key(body), vary(&asked_with, &HeaderMap::new()), answer);
                let index = Arc::clone(index);
                let kept = tokio::task::spawn_blocking(move || index.append(record)).await;
                if let Err(problem) = flatten(kept) {
                    door.tell(DoorEvent::Unrecorded {
                        asked: asked.clone(),
                        reason: problem,
                    });
                }
            }
            return exchange::explain(door, asked, trouble);
        }
    };
    let has_body = method != hyper::Method::HEAD;
    let length = if has_body { incoming.size_hint().exact() } else { None };
    let portion = conditions::portion(&method, &asked_with, parts.status, &parts.headers, length);
    let mut head = parts.clone();
    head.headers = crate::headers::onward(&parts.headers);
    if let Some(status) = conditions::apply(&portion, &mut head.headers) {
        head.status = status;
        head.extensions.remove::<ReasonPhrase>();
    }
    let window = match &portion {
        Portion::Whole => None,
        Portion::Part { window, .. } => Some(*window),
        Portion::NotModified | Portion::Unsatisfiable { .. } => Some(Window { skip: 0, take: 0 }),
    };
    let (client, body) = Piped::new();
    let recording = Recording {
        door: Arc::clone(door),
        index: Arc::clone(index),
        seq,
        asked,
        sent,
        key: key(None),
        vary: vary(&asked_with, &parts.headers),
        head: parts,
    };
    // A task of its own, so that a client which hangs up does not end it.
    let running = tokio::spawn(recording.run(incoming, client, window));
    match portion {
        Portion::NotModified | Portion::Unsatisfiable { .. } => {
            // With this answer the client has what it wants, and may go.
            drop(running.await);
            Response::from_parts(head, empty())
        }
        // The body of a HEAD is none, and its length is not the header's.
        _ if !has_body => Response::from_parts(head, empty()),
        Portion::Whole | Portion::Part { .. } => Response::from_parts(head, body.boxed_unsync()),
    }
}

/// The answer that was kept of the same before, which is kept once more: whoever reads a large file in small parts does not
/// have it fetched again for each.
fn again(index: &Index, seq: u64, key: Key, headers: &HeaderMap) -> Option<Kept> {
    let Found::Answer(Answer::Response(kept)) = index.find(&key, headers, |_, count| count) else {
        return None;
    };
    let vary = vary(headers, &read_lines(&kept.headers)?);
    let record = Record::new(seq, key, vary, Answer::Response(kept.clone()));
    (kept.status == 200 && index.append(record).is_ok()).then_some(kept)
}

/// An answer that is being kept.
struct Recording {
    door: Arc<Inner>,
    index: Arc<Index>,
    seq: u64,
    asked: Asked,
    sent: Sent,
    key: Key,
    vary: super::index::Vary,
    head: Parts,
}

type Client = mpsc::Sender<Result<Frame<Bytes>, BodyError>>;

impl Recording {
    async fn run(self, incoming: Incoming, client: Client, window: Option<Window>) {
        let outcome = self.take(incoming, client, window).await;
        // What has come whole is kept, also when the box is gone meanwhile: whoever closes it waits for this.
        let Self {
            door,
            index,
            seq,
            asked,
            sent,
            mut key,
            vary,
            head,
        } = self;
        let status = head.status.as_u16();
        let kept = tokio::task::spawn_blocking(move || {
            key.body = sent.digest()?;
            let (writing, trailers) = match outcome {
                Ok(whole) => whole,
                Err(reason) => {
                    let answer = Answer::Failure {
                        status: 502,
                        reason: reason.clone(),
                    };
                    index
                        .append(Record::new(seq, key, vary, answer))
                        .map_err(|error| error.to_string())?;
                    return Err(reason);
                }
            };
            let (digest, length) = writing.finish().map_err(|error| error.to_string())?;
            let kept = keep(&head, digest, length, &trailers);
            index
                .append(Record::new(seq, key, vary, Answer::Response(kept)))
                .map_err(|error| error.to_string())?;
            Ok((digest, length))
        });
        door.tell(match flatten(kept.await) {
            Ok((body, bytes)) => DoorEvent::Recorded {
                asked,
                status,
                bytes,
                body,
            },
            Err(reason) => DoorEvent::Unrecorded { asked, reason },
        });
    }

    /// Writes the body to the store while it goes to the client.
    async fn take(
        &self,
        mut incoming: Incoming,
        client: Client,
        mut window: Option<Window>,
    ) -> Result<(seatrial_store::BlobWriter, HeaderMap), String> {
        let patience = self.door.limits.idle;
        let mut closing = self.door.closing.clone();
        let (pieces, writing) = self.writer();
        let mut trailers = HeaderMap::new();
        let mut store_is_full = false;
        let mut held = Bytes::new();
        // A client may have all that was announced, and its box be gone, before the end itself is seen.
        while !incoming.is_end_stream() {
            let next = tokio::select! {
                biased;
                _ = closing.wait_for(|closed| *closed) => {
                    return Err("the box was closed before the whole answer had come".to_owned());
                }
                next = timeout(patience, incoming.frame()) => next,
            };
            let next = match next {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => Ok(frame),
                Ok(Some(Err(error))) => Err(exchange::causes(&error)),
                Err(_) => Err(format!("nothing came for {} s", patience.as_secs())),
            };
            let frame = match next {
                Ok(frame) => frame,
                Err(problem) => {
                    let reason = format!("the answer broke off: {problem}");
                    drop(client.send(Err(reason.clone().into())).await);
                    return Err(reason);
                }
            };
            let frame = match frame.into_data() {
                Ok(data) => {
                    // A store that is full must not take the download away from the client.
                    store_is_full |= !store_is_full && pieces.send(data.clone()).await.is_err();
                    match &mut window {
                        None => Frame::data(data),
                        Some(window) => {
                            let part = window.cut(data);
                            // Who has all that was asked for may go; so the end of a part waits for that of the whole.
                            if window.take == 0 && !part.is_empty() {
                                held = part;
                                continue;
                            }
                            Frame::data(part)
                        }
                    }
                }
                Err(other) => match other.into_trailers() {
                    Ok(found) => {
                        trailers.extend(found.clone());
                        Frame::trailers(found)
                    }
                    Err(_) => continue,
                },
            };
            let nothing = frame.data_ref().is_some_and(Bytes::is_empty);
            if !nothing {
                // Whoever hung up does not end the recording.
                drop(client.send(Ok(frame)).await);
            }
        }
        if !held.is_empty() {
            drop(client.send(Ok(Frame::data(held))).await);
        }
        drop((client, pieces));
        Ok((flatten(writing.await)?, trailers))
    }

    /// Hashing and writing go on beside the transfer.
    fn writer(
        &self,
    ) -> (
        mpsc::Sender<Bytes>,
        JoinHandle<Result<seatrial_store::BlobWriter, String>>,
    ) {
        let (sender, mut pieces) = mpsc::channel::<Bytes>(16);
        let blobs = self.door.blobs.clone();
        let task = tokio::task::spawn_blocking(move || {
            let mut writer = blobs.writer().map_err(|error| error.to_string())?;
            while let Some(piece) = pieces.blocking_recv() {
                writer.write_all(&piece).map_err(|error| error.to_string())?;
            }
            Ok(writer)
        });
        (sender, task)
    }
}

fn flatten<T, E: ToString>(joined: Result<Result<T, E>, tokio::task::JoinError>) -> Result<T, String> {
    match joined {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn keep(head: &Parts, body: Digest, length: u64, trailers: &HeaderMap) -> Kept {
    let lines = |headers: &HeaderMap| {
        headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), to_text(value)))
            .collect()
    };
    let phrase = head.extensions.get::<ReasonPhrase>();
    Kept {
        status: head.status.as_u16(),
        phrase: phrase.map(|phrase| phrase.as_bytes().iter().map(|byte| char::from(*byte)).collect()),
        headers: lines(&crate::headers::onward(&head.headers)),
        body,
        length,
        trailers: lines(trailers),
    }
}

/// What became of a request's body.
#[derive(Debug, Clone)]
struct Sent(Arc<Mutex<Progress>>);

#[derive(Debug, Clone, Copy)]
enum Progress {
    /// It is on its way.
    Begun,
    /// It was sent whole, or there is none.
    Ended(Option<Digest>),
}

impl Sent {
    /// Its digest; none for a request without a body.
    fn digest(&self) -> Result<Option<Digest>, &'static str> {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Progress::Begun => Err("the answer ended before the whole request was sent"),
            Progress::Ended(digest) => Ok(digest),
        }
    }
}

/// Digests a request's body on its way.
struct Digesting {
    sent: Sent,
}

impl Digesting {
    fn new(without_body: bool) -> (Sent, Self) {
        let sent = Sent(Arc::new(Mutex::new(if without_body {
            Progress::Ended(None)
        } else {
            Progress::Begun
        })));
        (sent.clone(), Self { sent })
    }

    fn of(self, incoming: Incoming) -> Body {
        if incoming.is_end_stream() {
            return empty();
        }
        Digested {
            incoming,
            hasher: Hasher::default(),
            sent: self.sent,
        }
        .boxed_unsync()
    }
}

/// Digests what passes.
#[derive(Default)]
pub(super) struct Hasher {
    hasher: blake3::Hasher,
    pub(super) count: u64,
}

impl Hasher {
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.count += bytes.len() as u64;
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::from_bytes(*self.hasher.finalize().as_bytes())
    }
}

struct Digested {
    incoming: Incoming,
    hasher: Hasher,
    sent: Sent,
}

impl Digested {
    fn end(&self) {
        let digest = (self.hasher.count > 0).then(|| self.hasher.digest());
        *self.sent.0.lock().unwrap_or_else(PoisonError::into_inner) = Progress::Ended(digest);
    }
}

impl HttpBody for Digested {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.incoming).poll_frame(context);
        if let Poll::Ready(frame) = &polled {
            if let Some(Ok(frame)) = frame
                && let Some(data) = frame.data_ref()
            {
                this.hasher.take(data);
            }
            if frame.is_none() || this.incoming.is_end_stream() {
                this.end();
            }
        }
        polled.map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
