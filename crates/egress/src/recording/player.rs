//! Gives again what was recorded, and nothing else.

use std::{
    collections::HashMap,
    io::Read,
    sync::{Arc, Mutex, PoisonError},
};

use http_body_util::BodyExt;
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Frame, Incoming},
    ext::ReasonPhrase,
    header::HeaderName,
};
use seatrial_core::Digest;
use seatrial_store::Blobs;
use tokio::{sync::mpsc, time::timeout};

use super::{
    conditions::{self, Portion},
    index::{Answer, Found, Index, Kept, Key},
    recorder::Hasher,
};
use crate::{
    answers,
    body::{Body, BodyError, Piped, Window, empty},
    event::{Asked, DoorEvent},
    exchange::{self, Inner, Trouble},
    headers::from_text,
    target::Target,
};

/// Bytes of a body that are read at a time.
const PIECE: u64 = 256 << 10;

/// How often each request was answered, by where its first answer stands: an answer that changed in the recording changes
/// in the replay.
#[derive(Debug, Default)]
pub(crate) struct Player(Mutex<HashMap<(Key, u64), usize>>);

impl Player {
    /// Whose turn it is among the answers to a request.
    fn turn(&self, key: Key, first: u64) -> usize {
        let mut given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = given.entry((key, first)).or_default();
        *turn += 1;
        *turn - 1
    }
}

/// Answers a request from the index.
pub(crate) async fn replay(
    door: &Arc<Inner>,
    index: &Arc<Index>,
    port: u16,
    target: &Target,
    request: Request<Incoming>,
) -> Response<Body> {
    let asked = exchange::asked(&request, target);
    let (head, body) = request.into_parts();
    let body = match digest(body, door.limits.idle).await {
        Ok(body) => body,
        Err(problem) => return exchange::malformed(door, port, &format!("the body of {asked} broke off: {problem}")),
    };
    let key = |method: &Method| Key {
        method: method.as_str().to_owned(),
        url: target.to_string(),
        body,
    };
    let find = |method: &Method| {
        index.find(&key(method), &head.headers, |first, _| {
            door.player.turn(key(method), first)
        })
    };
    let mut found = find(&head.method);
    if head.method == Method::HEAD && matches!(found, Found::Nothing(_)) {
        // The head of the whole answer is the answer to this.
        let get = find(&Method::GET);
        if matches!(get, Found::Answer(_)) {
            found = get;
        }
    }
    let missing = |reason: String| {
        let response = answers::missing(&asked, &reason);
        door.tell(DoorEvent::Missing {
            asked: asked.clone(),
            reason,
        });
        response
    };
    match found {
        Found::Nothing(reason) => missing(reason),
        Found::Answer(Answer::Failure { status, reason }) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
            let reason = format!("it failed when it was recorded: {reason}");
            exchange::explain(door, asked, Trouble::Failed { status, reason })
        }
        Found::Answer(Answer::Response(kept)) => give(door, asked, &head.method, &head.headers, kept).await,
    }
}

async fn digest(mut body: Incoming, patience: std::time::Duration) -> Result<Option<Digest>, String> {
    let mut hasher = Hasher::default();
    loop {
        let frame = match timeout(patience, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => return Err(exchange::causes(&error)),
            Ok(None) => return Ok((hasher.count > 0).then(|| hasher.digest())),
            Err(_) => return Err(format!("nothing came for {} s", patience.as_secs())),
        };
        if let Some(data) = frame.data_ref() {
            hasher.take(data);
        }
    }
}

pub(super) async fn give(
    door: &Arc<Inner>,
    asked: Asked,
    method: &Method,
    request: &HeaderMap,
    kept: Kept,
) -> Response<Body> {
    let damaged = |reason: String| {
        let status = StatusCode::BAD_GATEWAY;
        exchange::explain(door, asked.clone(), Trouble::Failed { status, reason })
    };
    let Ok(status) = StatusCode::from_u16(kept.status) else {
        return damaged(format!("the index holds a status that is none: {}", kept.status));
    };
    let (Some(mut headers), Some(trailers)) = (read_lines(&kept.headers), read_lines(&kept.trailers)) else {
        return damaged("the index holds a header that is none".to_owned());
    };
    let without_body = *method == Method::HEAD || status == StatusCode::NOT_MODIFIED;
    let portion = conditions::portion(method, request, status, &headers, Some(kept.length));
    let changed = conditions::apply(&portion, &mut headers);
    let window = match &portion {
        Portion::Part { window, .. } => Some(*window),
        Portion::Whole | Portion::NotModified | Portion::Unsatisfiable { .. } => None,
    };
    let mut response = Response::new(empty());
    *response.status_mut() = changed.unwrap_or(status);
    *response.headers_mut() = headers;
    if let (None, Some(phrase)) = (changed, &kept.phrase) {
        let bytes: Vec<u8> = phrase.chars().map(|c| c as u8).collect();
        if let Ok(phrase) = ReasonPhrase::try_from(bytes) {
            response.extensions_mut().insert(phrase);
        }
    }
    let told = DoorEvent::Replayed {
        asked: asked.clone(),
        status: response.status().as_u16(),
        bytes: kept.length,
        body: Some(kept.body),
    };
    if !without_body && matches!(portion, Portion::Whole | Portion::Part { .. }) {
        let blobs = door.blobs.clone();
        let first = tokio::task::spawn_blocking(move || Reading::start(&blobs, kept.body, kept.length)).await;
        let reading = match first {
            Ok(Ok(reading)) => reading,
            Ok(Err(problem)) => return damaged(problem),
            Err(error) => return damaged(error.to_string()),
        };
        let (client, body) = Piped::new();
        let door = Arc::clone(door);
        drop(tokio::task::spawn_blocking(move || {
            match reading.send(window, trailers, &client) {
                Ok(()) => door.tell(told),
                Err(reason) => {
                    door.tell(DoorEvent::Failed {
                        asked,
                        reason: reason.clone(),
                    });
                    // The client sees a transfer that broke off, never a short one that looks whole.
                    drop(client.blocking_send(Err(reason.into())));
                }
            }
        }));
        *response.body_mut() = body.boxed_unsync();
    } else {
        door.tell(told);
    }
    response
}

pub(super) fn read_lines(lines: &[(String, String)]) -> Option<HeaderMap> {
    lines
        .iter()
        .map(|(name, value)| Some((HeaderName::from_bytes(name.as_bytes()).ok()?, from_text(value)?)))
        .collect()
}

/// A kept body on its way.
struct Reading {
    file: fs_err::File,
    name: Digest,
    length: u64,
    hasher: Hasher,
    /// Read and not yet sent. The last piece is held back until the whole is known to be right.
    held: Bytes,
}

impl Reading {
    /// Opens a body and reads its first piece, so that one which is missing, or damaged and small, is found before
    /// anything is sent.
    fn start(blobs: &Blobs, name: Digest, length: u64) -> Result<Self, String> {
        let file = blobs
            .open(&name)
            .map_err(|error| format!("{error}, which the index names"))?;
        let found = file.metadata().map_err(|error| error.to_string())?.len();
        if found != length {
            return Err(format!(
                "blob {name} is damaged: it has {found} bytes, the index says {length}"
            ));
        }
        let mut reading = Self {
            file,
            name,
            length,
            hasher: Hasher::default(),
            held: Bytes::new(),
        };
        reading.held = reading.piece()?;
        Ok(reading)
    }

    /// The next piece; after the last one, the digest has been looked at.
    fn piece(&mut self) -> Result<Bytes, String> {
        let rest = self.length - self.hasher.count;
        let wanted = rest.min(PIECE);
        let mut bytes = Vec::with_capacity(wanted as usize);
        let got = (&mut self.file).take(wanted).read_to_end(&mut bytes);
        if got.map_err(|error| error.to_string())? as u64 != wanted {
            return Err(format!("blob {} is damaged: it ends too early", self.name));
        }
        self.hasher.take(&bytes);
        if self.hasher.count == self.length {
            let found = self.hasher.digest();
            if found != self.name {
                return Err(format!("blob {} is damaged: its content has digest {found}", self.name));
            }
        }
        Ok(bytes.into())
    }

    /// Sends the body. A client that hangs up ends it, which is no failure.
    fn send(
        mut self,
        mut window: Option<Window>,
        trailers: HeaderMap,
        client: &mpsc::Sender<Result<Frame<Bytes>, BodyError>>,
    ) -> Result<(), String> {
        loop {
            let last = self.hasher.count == self.length;
            let next = if last { Bytes::new() } else { self.piece()? };
            let piece = std::mem::replace(&mut self.held, next);
            let piece = match &mut window {
                None => piece,
                Some(window) => window.cut(piece),
            };
            if !piece.is_empty() && client.blocking_send(Ok(Frame::data(piece))).is_err() {
                return Ok(());
            }
            if last {
                break;
            }
        }
        if !trailers.is_empty() {
            drop(client.blocking_send(Ok(Frame::trailers(trailers))));
        }
        Ok(())
    }
}
