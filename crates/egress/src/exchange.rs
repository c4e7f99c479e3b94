//! One request and its answer, by the door's policy.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use hyper::{
    HeaderMap, Method, Request, Response, StatusCode, Uri, Version,
    body::Incoming,
    header::{self, HeaderValue},
};
use seatrial_store::Blobs;
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

use crate::{
    Authority, EgressError, answers,
    body::{Body, Watched, incoming},
    event::{Asked, DoorEvent},
    headers::onward,
    policy::Policy,
    recording::{Index, Player, record, replay},
    target::{Host, Scheme, Target, parse_authority},
    upstream::{ConnectError, Upstream},
};

/// Bounds of a door.
#[derive(Debug, Clone)]
pub struct DoorLimits {
    /// Connections of a box at one time; more wait to be taken.
    pub connections: usize,
    /// How long a request's head, or the start of TLS, may take.
    pub head: Duration,
    /// Bytes of a request's head.
    pub head_bytes: usize,
    /// How long a connection to the world may take.
    pub connect: Duration,
    /// How long the head of an answer may take.
    pub answer: Duration,
    /// How long nothing may come of a body that has begun.
    pub idle: Duration,
}

impl Default for DoorLimits {
    fn default() -> Self {
        Self {
            connections: 256,
            head: Duration::from_mins(1),
            head_bytes: 64 << 10,
            connect: Duration::from_secs(20),
            answer: Duration::from_mins(5),
            idle: Duration::from_mins(2),
        }
    }
}

/// Takes what happens at a door. It is called from the door's own threads and must return soon.
pub type Observer = Arc<dyn Fn(DoorEvent) + Send + Sync>;

/// What an open door works with.
pub(crate) struct Inner {
    pub(crate) policy: Arc<Policy>,
    pub(crate) index: Option<Arc<Index>>,
    pub(crate) player: Player,
    pub(crate) observer: Observer,
    pub(crate) upstream: Upstream,
    pub(crate) proxies: Arc<crate::Proxies>,
    pub(crate) blobs: Blobs,
    pub(crate) authority: Arc<Authority>,
    pub(crate) limits: DoorLimits,
    /// Becomes true when the box is gone.
    pub(crate) closing: watch::Receiver<bool>,
    /// Whoever closes the door waits until nobody has this any more.
    pub(crate) _alive: mpsc::Sender<std::convert::Infallible>,
}

impl Inner {
    pub(crate) fn tell(&self, event: DoorEvent) {
        (self.observer)(event);
    }
}

/// The indexes that are open, so that doors of one process which name the same file share it.
#[derive(Debug, Default)]
pub(crate) struct Indexes(Mutex<HashMap<PathBuf, Weak<Index>>>);

impl Indexes {
    pub(crate) fn open(&self, path: &Path) -> Result<Arc<Index>, EgressError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, index| index.strong_count() > 0);
        if let Some(index) = open.get(path).and_then(Weak::upgrade) {
            return Ok(index);
        }
        let index = Arc::new(Index::open(path)?);
        open.insert(path.to_owned(), Arc::downgrade(&index));
        Ok(index)
    }
}

/// How a request came in.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) scheme: Scheme,
    /// The port that the client connected to, or asked to be connected to.
    pub(crate) port: u16,
    /// The only host that may be asked for, and who said so.
    pub(crate) pinned: Option<(Host, &'static str)>,
    /// Whether it is within a tunnel already.
    pub(crate) tunnelled: bool,
}

/// Why there is no answer of the world.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It may not be asked.
    Refused(String),
    /// It could not.
    Failed { status: StatusCode, reason: String },
}

pub(crate) fn asked<B>(request: &Request<B>, target: &Target) -> Asked {
    Asked {
        method: request.method().as_str().to_owned(),
        url: target.to_string(),
    }
}

/// Answers one request.
pub(crate) async fn answer(door: &Arc<Inner>, way: &Way, request: Request<Incoming>) -> Response<Body> {
    let target = match target(way, &request) {
        Ok(target) => target,
        Err(problem) => return malformed(door, way.port, &problem),
    };
    let refuse = |reason: &str| explain(door, asked(&request, &target), Trouble::Refused(reason.to_owned()));
    if let Some((host, by)) = &way.pinned
        && *host != target.host
    {
        return refuse(&format!(
            "{by} is for `{host}`, the request within is for `{}`",
            target.host
        ));
    }
    let upgrade = request.headers().get_all(header::UPGRADE).iter();
    if upgrade
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.to_ascii_lowercase().contains("websocket"))
    {
        return refuse("websockets cannot be looked at or recorded");
    }
    match (&*door.policy, &door.index) {
        (Policy::Replay, Some(index)) => return replay(door, index, way.port, &target, request).await,
        (Policy::Replay, None) => return refuse("there is no index of recordings"),
        (policy, _) if policy.reach(&target).is_none() => {
            return refuse(&format!(
                "`{}` is not on the list of what is allowed",
                target.authority()
            ));
        }
        (Policy::Record(_), Some(index)) => return record(door, index, target, request).await,
        (Policy::Record(_), None) => return refuse("there is no index of recordings"),
        (Policy::Allow(_) | Policy::Open, _) => {}
    }
    let asked = asked(&request, &target);
    match pass_on(door, &target, request.map(incoming), |_| {}).await {
        Ok(response) => {
            let (mut head, body) = response.into_parts();
            head.headers = onward(&head.headers);
            let told = Arc::clone(door);
            let status = head.status.as_u16();
            let body = Watched::new(body, door.limits.idle, move |passage| {
                told.tell(DoorEvent::Passed {
                    asked,
                    status,
                    bytes: passage.bytes,
                    whole: passage.whole,
                });
            });
            Response::from_parts(head, http_body_util::BodyExt::boxed_unsync(body))
        }
        Err(trouble) => explain(door, asked, trouble),
    }
}

/// Sends a request to the world.
pub(crate) async fn pass_on(
    door: &Inner,
    target: &Target,
    request: Request<Body>,
    change: impl FnOnce(&mut HeaderMap),
) -> Result<Response<Incoming>, Trouble> {
    let failed = |status, reason: String| Trouble::Failed { status, reason };
    let (mut head, body) = request.into_parts();
    let uri: Uri = target
        .to_string()
        .parse()
        .map_err(|error| failed(StatusCode::BAD_GATEWAY, format!("the URL cannot be asked for: {error}")))?;
    let host = HeaderValue::from_str(&target.authority()).map_err(|error| {
        failed(
            StatusCode::BAD_GATEWAY,
            format!("the host cannot be asked for: {error}"),
        )
    })?;
    head.uri = uri;
    head.version = Version::HTTP_11;
    head.headers = onward(&head.headers);
    // The door has said to go on already, where that was asked.
    head.headers.remove(header::EXPECT);
    head.headers.insert(header::HOST, host);
    if let Some(credentials) = door.proxies.credentials(target) {
        head.headers.insert(header::PROXY_AUTHORIZATION, credentials);
    }
    change(&mut head.headers);
    head.extensions.clear();
    match timeout(
        door.limits.answer,
        door.upstream.request(Request::from_parts(head, body)),
    )
    .await
    {
        Ok(Ok(mut response)) => {
            // How old the world's HTTP is says nothing about the connection to the box.
            *response.version_mut() = Version::HTTP_11;
            Ok(response)
        }
        Ok(Err(error)) => Err(trouble(&error)),
        Err(_) => Err(failed(
            StatusCode::GATEWAY_TIMEOUT,
            format!("{} took the request and said nothing", target.authority()),
        )),
    }
}

fn trouble(error: &hyper_util::client::legacy::Error) -> Trouble {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(connect) = error.downcast_ref::<ConnectError>() {
            return match connect {
                ConnectError::Inner { .. } => Trouble::Refused(connect.to_string()),
                ConnectError::Silent(_) => Trouble::Failed {
                    status: StatusCode::GATEWAY_TIMEOUT,
                    reason: connect.to_string(),
                },
                _ => Trouble::Failed {
                    status: StatusCode::BAD_GATEWAY,
                    reason: connect.to_string(),
                },
            };
        }
        cause = error.source();
    }
    Trouble::Failed {
        status: StatusCode::BAD_GATEWAY,
        reason: causes(error),
    }
}

/// An error with what is behind it, in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// Tells the box and whoever watches why there is no answer.
pub(crate) fn explain(door: &Inner, asked: Asked, trouble: Trouble) -> Response<Body> {
    match trouble {
        Trouble::Refused(reason) => {
            let response = answers::refused(&door.policy, &asked, &reason);
            door.tell(DoorEvent::Refused { asked, reason });
            response
        }
        Trouble::Failed { status, reason } => {
            let response = answers::failed(status, &asked, &reason);
            door.tell(DoorEvent::Failed { asked, reason });
            response
        }
    }
}

/// Tells the same of what is no request.
pub(crate) fn malformed(door: &Inner, port: u16, reason: &str) -> Response<Body> {
    door.tell(DoorEvent::Unintelligible {
        port,
        reason: reason.to_owned(),
    });
    answers::malformed(reason)
}

/// What a request is for.
fn target(way: &Way, request: &Request<Incoming>) -> Result<Target, String> {
    let uri = request.uri();
    if *request.method() == Method::TRACE {
        return Err("TRACE would show the door's own headers".to_owned());
    }
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // A server that names itself in the request line, as a proxy is asked, overrides the header.
    if let Some(scheme) = uri.scheme_str() {
        let scheme = match (scheme, way.scheme) {
            ("http", Scheme::Http) => Scheme::Http,
            ("https", _) => Scheme::Https,
            ("http", Scheme::Https) => return Err("an http URL is asked for within TLS".to_owned()),
            _ => {
                return Err(format!(
                    "`{scheme}` is no scheme that the door knows; http and https are"
                ));
            }
        };
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let (host, port) = parse_authority(authority).ok_or_else(|| format!("`{authority}` is no host"))?;
        return Ok(Target {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            path: path.to_owned(),
        });
    }
    let mut named = request.headers().get_all(header::HOST).iter();
    let (host, port) = match (named.next(), named.next(), &way.pinned) {
        (Some(_), Some(_), _) => return Err("it names more than one host".to_owned()),
        (Some(host), None, _) => {
            let text = String::from_utf8_lossy(host.as_bytes());
            parse_authority(&text).ok_or_else(|| format!("`{text}` is no host"))?
        }
        (None, _, Some((host, _))) => (host.clone(), None),
        (None, _, None) => return Err("it names no host".to_owned()),
    };
    // The port that was connected to is what counts: one more in the header must not lead elsewhere.
    if port.is_some_and(|port| port != way.port) {
        let port = port.unwrap_or_default();
        return Err(format!("it is for port {port} and came to port {}", way.port));
    }
    Ok(Target {
        scheme: way.scheme,
        host,
        port: way.port,
        path: path.to_owned(),
    })
}
