//! The server itself: HTTP on the loopback address.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::{
    Request, Response, StatusCode,
    body::{Body, Frame, Incoming},
    header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime, sync::mpsc};

use super::{
    Answer, Fault, Scripts,
    speak::{No, Saying, View},
    stage::{Asker, Stage, Turn},
};
use crate::{Wire, exchange::CONVERSATION_HEADER};

/// Most bytes of a request.
const MOST_REQUEST: usize = 64 << 20;
/// Most requests that are remembered, and most bytes of them.
const MOST_HEARD: usize = 10_000;
const MOST_HEARD_BYTES: usize = 256 << 20;
/// What is written needs so long to leave.
const FLUSH: Duration = Duration::from_millis(20);
/// Headers that are not remembered.
const SECRET: [&str; 4] = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];

/// A request that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The wire.
    pub wire: Wire,
    /// The model.
    pub model: String,
    /// The trial and the conversation, where the client told them.
    pub conversation: Option<String>,
    /// Whether a key came with it.
    pub has_key: bool,
    /// Its headers, without keys.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Value,
    /// What it got, in a word or two: `answer 0`, `status 429`.
    pub got: String,
}

/// A running server. It stops when this is dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    inner: Arc<Inner>,
    runtime: Option<Runtime>,
}

#[derive(Debug)]
struct Inner {
    scripts: Scripts,
    /// The only wire that is spoken, if it is only one.
    only: Option<Wire>,
    stage: Mutex<Stage>,
    heard: Mutex<Memory>,
}

/// What was heard, and how many bytes it has.
#[derive(Debug, Default)]
struct Memory {
    heard: Vec<Heard>,
    bytes: usize,
}

impl ScriptedServer {
    /// Starts a server on a free port of the loopback address.
    pub fn start(scripts: Scripts) -> io::Result<Self> {
        Self::start_at(scripts, 0, None)
    }

    /// Starts a server on this port, for one wire or for all.
    pub fn start_at(scripts: Scripts, port: u16, only: Option<Wire>) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("scripted-model")
            .enable_all()
            .build()?;
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner {
            scripts,
            only,
            stage: Mutex::default(),
            heard: Mutex::default(),
        });
        let listener = {
            // Registering with the runtime wants to be inside of it.
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        runtime.spawn(accept(listener, inner.clone()));
        Ok(Self {
            address,
            inner,
            runtime: Some(runtime),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to give to a client of this wire.
    pub fn base_url(&self, wire: Wire) -> String {
        let path = match wire {
            Wire::Chat | Wire::Responses | Wire::Embeddings => "/v1",
            Wire::Messages => "",
            Wire::Gemini => "/v1beta",
        };
        format!("http://{}{path}", self.address)
    }

    /// The requests so far, in the order in which they came.
    pub fn heard(&self) -> Vec<Heard> {
        let memory = self.inner.heard.lock().unwrap_or_else(PoisonError::into_inner);
        memory.heard.clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: TcpListener, inner: Arc<Inner>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of files: others may give some back.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        drop(stream.set_nodelay(true));
        let inner = inner.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let inner = inner.clone();
                async move { Ok::<_, Infallible>(inner.answer(request).await) }
            });
            // A client that goes away, and a fault that cuts the connection, end here.
            drop(
                http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await,
            );
        });
    }
}

impl Inner {
    async fn answer(&self, request: Request<Incoming>) -> Response<Pieces> {
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        if head.method == hyper::Method::GET && path.ends_with("/models") {
            let models: Vec<Value> = self
                .scripts
                .names()
                .map(|name| json!({"id": name, "object": "model"}))
                .collect();
            return whole(200, &json!({"object": "list", "data": models}));
        }
        let wire = Wire::of_path(&path).filter(|wire| {
            self.only
                .is_none_or(|only| only == *wire || (only, *wire) == (Wire::Chat, Wire::Embeddings))
        });
        let Some(wire) = wire.filter(|_| head.method == hyper::Method::POST) else {
            return whole(
                404,
                &json!({"error": {"message": format!("{} {path} is not served here", head.method)}}),
            );
        };
        let Ok(bytes) = Limited::new(body, MOST_REQUEST).collect().await else {
            return whole(413, &json!({"error": {"message": "the request is too large"}}));
        };
        let Ok(body) = serde_json::from_slice::<Value>(&bytes.to_bytes()) else {
            return whole(400, &json!({"error": {"message": "the request is not JSON"}}));
        };
        let view = wire.view(&path, &body);
        let told = header(&head.headers, CONVERSATION_HEADER);
        let key = SECRET.iter().find_map(|name| header(&head.headers, name));
        let asker = Asker::of(told.as_deref(), key.as_deref(), &view);
        let (got, play) = self.choose(wire, &view, &asker, &body);
        let size = view.all.len();
        let heard = Heard {
            wire,
            model: view.model.clone(),
            conversation: told,
            has_key: key.is_some(),
            headers: plain_headers(&head.headers),
            body,
            got,
        };
        self.hear(heard, size);
        play.perform(wire, &view).await
    }

    fn choose(&self, wire: Wire, view: &View, asker: &Asker, body: &Value) -> (String, Play) {
        let Some(script) = self.scripts.of(&view.model) else {
            return ("no script".to_owned(), Play::No(NoOf::UnknownModel));
        };
        if let Some(name) = script.refuses.iter().find(|name| Wire::sends(body, name)) {
            return (format!("refused {name}"), Play::No(NoOf::Parameter(name.clone())));
        }
        let turn = self
            .stage
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .turn(script, view, asker)
            // Vectors come from the texts alone; only what goes wrong needs a line of a script.
            .or_else(|| (wire == Wire::Embeddings).then(Turn::default));
        let Some(turn) = turn else {
            let message = format!(
                "the script of `{}` has no answer to this; what was said last: {}",
                view.model,
                start(&view.last)
            );
            return ("no answer left".to_owned(), Play::No(NoOf::Status(400, message)));
        };
        let got = match &turn.answer.fault {
            Some(fault) => format!("{fault:?}")
                .split([' ', '{'])
                .next()
                .unwrap_or_default()
                .to_lowercase(),
            None => format!("answer {}", turn.position),
        };
        let fault = turn.answer.fault.clone();
        let mut turn = turn;
        match fault {
            Some(Fault::Empty) => {
                turn.answer = Answer {
                    usage: turn.answer.usage,
                    ..Answer::default()
                };
            }
            Some(Fault::Huge { bytes }) => turn.answer.text = "x".repeat(bytes),
            _ => {}
        }
        let mut saying = Saying::new(&turn, view, script.piece);
        if fault == Some(Fault::Empty) {
            saying.vectors.clear();
        }
        (got, Play::Say(Box::new(saying), fault))
    }

    fn hear(&self, heard: Heard, size: usize) {
        let mut memory = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.heard.len() < MOST_HEARD && memory.bytes.saturating_add(size) <= MOST_HEARD_BYTES {
            memory.heard.push(heard);
            memory.bytes += size;
        }
    }
}

/// What is done with a request.
enum Play {
    Say(Box<Saying>, Option<Fault>),
    No(NoOf),
}

/// A no that owns its words.
enum NoOf {
    Status(u16, String),
    Parameter(String),
    UnknownModel,
}

impl Play {
    async fn perform(self, wire: Wire, view: &View) -> Response<Pieces> {
        let refuse = |no: No<'_>| {
            let (status, body) = wire.no(no);
            whole(status, &body)
        };
        let (saying, fault) = match self {
            Self::Say(saying, fault) => (saying, fault),
            Self::No(NoOf::Status(status, message)) => return refuse(No::Status(status, &message)),
            Self::No(NoOf::Parameter(name)) => return refuse(No::Parameter(&name)),
            Self::No(NoOf::UnknownModel) => return refuse(No::UnknownModel),
        };
        match &fault {
            Some(Fault::Status {
                status,
                retry_after,
                message,
            }) => {
                let mut response = refuse(No::Status(*status, message.as_deref().unwrap_or("scripted to fail")));
                if let Some(value) = retry_after.as_deref().and_then(|text| text.parse().ok()) {
                    response.headers_mut().insert(RETRY_AFTER, value);
                }
                return response;
            }
            Some(Fault::ContextFull) => return refuse(No::ContextFull),
            Some(Fault::Refusal) => return refuse(No::Refusal),
            Some(Fault::UnknownModel) => return refuse(No::UnknownModel),
            Some(Fault::BadKey) => return refuse(No::BadKey),
            Some(Fault::NoCredit) => return refuse(No::Credit),
            Some(Fault::Nothing) => return response(200, "application/json", Pieces::of(Bytes::new())),
            Some(Fault::Page) => {
                let page = Bytes::from_static(b"<html><body>Please sign in.</body></html>");
                return response(200, "text/html", Pieces::of(page));
            }
            Some(Fault::Hang { after: None }) => std::future::pending::<()>().await,
            _ => {}
        }
        if !view.streams {
            return self::play_whole(wire, &saying, fault.as_ref());
        }
        let (sender, receiver) = mpsc::channel(16);
        tokio::spawn(play_stream(wire.blocks(&saying), wire.midway(), fault, sender));
        response(200, "text/event-stream", Pieces(Source::Channel(receiver)))
    }
}

/// Without a stream, what would break it off breaks off the body.
fn play_whole(wire: Wire, saying: &Saying, fault: Option<&Fault>) -> Response<Pieces> {
    let body = wire.whole(saying).to_string();
    let half = body.get(..body.len() / 2).unwrap_or_default().to_owned();
    match fault {
        Some(Fault::Cut { .. }) => {
            let (sender, receiver) = mpsc::channel(2);
            let broken = sender
                .try_send(Ok(Bytes::from(half)))
                .and_then(|()| sender.try_send(Err(io::Error::other("scripted to break"))));
            drop(broken);
            response(200, "application/json", Pieces(Source::Channel(receiver)))
        }
        Some(Fault::Malformed { .. } | Fault::Unfinished { .. }) => {
            response(200, "application/json", Pieces::of(Bytes::from(half)))
        }
        Some(Fault::Midway { .. }) => {
            let (status, body) = wire.no(No::Status(503, "the model stumbled"));
            whole(status, &body)
        }
        _ => response(200, "application/json", Pieces::of(Bytes::from(body))),
    }
}

/// Sends the blocks of a stream, and does to it what the fault says.
async fn play_stream(
    blocks: Vec<String>,
    midway: String,
    fault: Option<Fault>,
    sender: mpsc::Sender<Result<Bytes, io::Error>>,
) {
    let last = blocks.len();
    for (number, block) in blocks.into_iter().enumerate() {
        let is_due = |after: usize| number == after.min(last - 1);
        let piece = match &fault {
            Some(Fault::Cut { after }) if is_due(*after) => Err(io::Error::other("scripted to break")),
            Some(Fault::Unfinished { after }) if is_due(*after) => return,
            Some(Fault::Malformed { after }) if is_due(*after) => Ok(Bytes::from_static(b"data: {\"cho\n\n")),
            Some(Fault::Midway { after }) if is_due(*after) => {
                // Whoever listens has the error, and nothing after it.
                drop(sender.send(Ok(Bytes::from(midway))).await);
                return;
            }
            Some(Fault::Hang { after: Some(after) }) if is_due(*after) => {
                sender.closed().await;
                return;
            }
            Some(Fault::Slow { milliseconds }) => {
                tokio::time::sleep(Duration::from_millis(*milliseconds)).await;
                Ok(Bytes::from(block))
            }
            _ => Ok(Bytes::from(block)),
        };
        let is_end = piece.is_err();
        if is_end {
            // What was sent must have left before the connection goes, or nothing of it would arrive.
            tokio::time::sleep(FLUSH).await;
        }
        if sender.send(piece).await.is_err() || is_end {
            return;
        }
    }
}

/// The body of an answer.
struct Pieces(Source);

enum Source {
    Whole(Option<Bytes>),
    Channel(mpsc::Receiver<Result<Bytes, io::Error>>),
}

impl Pieces {
    fn of(bytes: Bytes) -> Self {
        Self(Source::Whole(Some(bytes).filter(|bytes| !bytes.is_empty())))
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let next = match &mut self.0 {
            Source::Whole(bytes) => Poll::Ready(bytes.take().map(Ok)),
            Source::Channel(receiver) => receiver.poll_recv(context),
        };
        next.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

fn response(status: u16, kind: &str, body: Pieces) -> Response<Pieces> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(kind) = kind.parse() {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

fn whole(status: u16, body: &Value) -> Response<Pieces> {
    response(status, "application/json", Pieces::of(Bytes::from(body.to_string())))
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

fn plain_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    headers
        .iter()
        .filter(|(name, _)| !SECRET.contains(&name.as_str()))
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect()
}

fn start(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(120)
        .collect()
}
