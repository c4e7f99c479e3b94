//! One question and its answer: credentials, cookies, retries, limits, and errors told apart.

use std::{
    io::{self, Read},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use ureq::{
    Agent, AsSendBody, Body, RequestExt as _, SendBody, Timeout,
    http::{HeaderMap, Method, Request, Response, StatusCode, header},
    tls::{RootCerts, TlsConfig},
};

use crate::{
    ObsError, PlainHttp, Settings,
    auth::{Challenge, Scheme, challenges},
    cookies::Jar,
    xml::{self, Element},
};

/// Answers in XML are read whole; the largest lists have some megabytes.
const LARGEST_ANSWER: u64 = 32 << 20;
/// Of an answer that says no, so much is read.
const LARGEST_COMPLAINT: u64 = 64 << 10;

/// What goes with a question.
pub(crate) enum Payload<'a> {
    None,
    Text(&'a str),
    /// Opened anew for each try.
    Stream {
        size: u64,
        open: &'a dyn Fn() -> io::Result<Box<dyn Read + 'a>>,
    },
}

/// May the question be asked again without harm?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    Yes,
    No,
}

/// A question.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    /// Path and query, escaped.
    pub(crate) path: String,
    pub(crate) payload: Payload<'a>,
    pub(crate) repeat: Repeat,
    /// How long the whole may take, instead of the usual limits.
    pub(crate) within: Option<Duration>,
}

impl Call<'_> {
    pub(crate) fn get(path: String) -> Self {
        Self {
            method: Method::GET,
            path,
            payload: Payload::None,
            repeat: Repeat::Yes,
            within: None,
        }
    }

    pub(crate) fn post(path: String) -> Self {
        Self {
            method: Method::POST,
            repeat: Repeat::No,
            ..Self::get(path)
        }
    }

    pub(crate) fn put(path: String, text: &str) -> Call<'_> {
        Call {
            method: Method::PUT,
            path,
            payload: Payload::Text(text),
            repeat: Repeat::Yes,
            within: None,
        }
    }

    pub(crate) fn delete(path: String) -> Self {
        Self {
            method: Method::DELETE,
            ..Self::get(path)
        }
    }
}

#[derive(Debug)]
pub(crate) struct Transport {
    agent: Agent,
    pub(crate) base: String,
    host: String,
    tls: bool,
    pub(crate) settings: Settings,
    jar: Mutex<Jar>,
    /// The header that was accepted last.
    accepted: Mutex<Option<String>>,
}

impl Transport {
    pub(crate) fn new(settings: Settings) -> Result<Self, ObsError> {
        let base = settings.api.trim_end_matches('/').to_owned();
        let wrong = |why: &str| ObsError::Usage(format!("`{}` is no address of a build service: {why}", settings.api));
        let (tls, rest) = match base.split_once("://") {
            Some(("https", rest)) => (true, rest),
            Some(("http", rest)) => (false, rest),
            _ => return Err(wrong("it starts with neither https:// nor http://")),
        };
        let host = rest.split('/').next().unwrap_or_default().to_owned();
        if host.is_empty() || base.contains(['?', '#']) || base.contains(char::is_whitespace) {
            return Err(wrong("a host, and at most a path after it, is needed"));
        }
        if host.contains('@') {
            return Err(ObsError::Usage(
                "user and password do not belong into the address of a build service".to_owned(),
            ));
        }
        let jar = Jar::open(settings.cookies.clone())?;
        let config = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .tls_config(config)
            .http_status_as_error(false)
            // A moved service is told to the user: credentials do not follow it.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(settings.pace.connect))
            .timeout_connect(Some(settings.pace.connect))
            .timeout_recv_response(Some(settings.pace.answer))
            .timeout_per_read(Some(settings.pace.answer))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            base,
            host,
            tls,
            settings,
            jar: Mutex::new(jar),
            accepted: Mutex::new(None),
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Asks, and reads the answer as XML.
    pub(crate) fn xml(&self, call: &Call<'_>) -> Result<Element, ObsError> {
        let bytes = self.read(call, LARGEST_ANSWER)?;
        let not_xml = |problem: String, text: &str| ObsError::NotXml {
            url: self.url(&call.path),
            problem,
            begins: text.chars().take(80).collect::<String>().escape_debug().to_string(),
        };
        let text = match str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => return Err(not_xml(error.to_string(), &String::from_utf8_lossy(&bytes))),
        };
        // A page is said to be one even where it happens to be well-formed.
        let begin: String = text
            .trim_start()
            .chars()
            .take(14)
            .collect::<String>()
            .to_ascii_lowercase();
        if begin.starts_with("<!doctype html") || begin.starts_with("<html") {
            return Err(not_xml("a page for people".to_owned(), text));
        }
        xml::parse(text).map_err(|problem| not_xml(problem, text))
    }

    /// Asks, and reads the answer up to a limit.
    pub(crate) fn read(&self, call: &Call<'_>, limit: u64) -> Result<Vec<u8>, ObsError> {
        let mut broken = 0;
        loop {
            let response = self.open(call)?;
            let length = content_length(&response);
            if length.is_some_and(|length| length > limit) {
                return Err(self.too_big(call, limit));
            }
            let mut bytes = Vec::new();
            let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
            let problem = match reader.by_ref().take(limit + 1).read_to_end(&mut bytes) {
                Ok(_) if bytes.len() as u64 > limit => return Err(self.too_big(call, limit)),
                Ok(_) if length.is_some_and(|length| (bytes.len() as u64) < length) => "it ended too early".to_owned(),
                Ok(_) => return Ok(bytes),
                Err(error) if is_timeout(&error) => {
                    return Err(ObsError::Slow {
                        url: self.url(&call.path),
                        problem: error.to_string(),
                    });
                }
                Err(error) => error.to_string(),
            };
            broken += 1;
            if call.repeat == Repeat::No || broken >= self.settings.pace.tries {
                return Err(ObsError::Cut {
                    url: self.url(&call.path),
                    problem,
                });
            }
            std::thread::sleep(self.pause(broken));
        }
    }

    fn too_big(&self, call: &Call<'_>, limit: u64) -> ObsError {
        ObsError::TooBig {
            url: self.url(&call.path),
            limit,
        }
    }

    /// Asks until there is an answer that says yes, whose body is still to be read.
    pub(crate) fn open(&self, call: &Call<'_>) -> Result<Response<Body>, ObsError> {
        let url = self.url(&call.path);
        let mut tried: Vec<Scheme> = Vec::new();
        let mut tries = 0;
        let mut header = self.accepted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        loop {
            tries += 1;
            let again = call.repeat == Repeat::Yes && tries < self.settings.pace.tries;
            let response = match self.ask(&url, call, header.as_deref()) {
                Ok(response) => response,
                Err(error) => match sort(&url, error) {
                    ObsError::Cut { .. } if again => {
                        std::thread::sleep(self.pause(tries));
                        continue;
                    }
                    error => return Err(error),
                },
            };
            self.keep_cookies(response.headers())?;
            let status = response.status();
            if status.is_success() {
                if !tried.is_empty() {
                    *self.accepted.lock().unwrap_or_else(PoisonError::into_inner) = header;
                }
                return Ok(response);
            }
            if status == StatusCode::UNAUTHORIZED {
                tries -= 1;
                header = Some(self.log_in(&url, response.headers(), &mut tried)?);
                continue;
            }
            let unready = matches!(status.as_u16(), 429 | 502 | 503 | 504);
            if unready && again {
                std::thread::sleep(told_pause(response.headers()).unwrap_or_else(|| self.pause(tries)));
                continue;
            }
            if unready {
                return Err(ObsError::Unready {
                    url,
                    status: status.as_u16(),
                    tries,
                });
            }
            return Err(complaint(url, response));
        }
    }

    fn ask(&self, url: &str, call: &Call<'_>, authorization: Option<&str>) -> Result<Response<Body>, ureq::Error> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(url)
            .header(header::ACCEPT, "application/xml, text/plain;q=0.9, */*;q=0.1");
        if let Some(value) = authorization {
            request = request.header(header::AUTHORIZATION, value);
        }
        let cookies = self.jar.lock().unwrap_or_else(PoisonError::into_inner);
        // A session is as good as a password.
        if let Some(value) = cookies.header(&self.host, self.tls).filter(|_| self.is_private()) {
            request = request.header(header::COOKIE, value);
        }
        drop(cookies);
        let (kind, length) = match call.payload {
            Payload::None => (None, 0),
            Payload::Text(text) => (Some("application/xml"), text.len() as u64),
            Payload::Stream { size, .. } => (Some("application/octet-stream"), size),
        };
        if let Some(kind) = kind {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        let has_body = kind.is_some() || call.method == Method::POST;
        if has_body {
            request = request.header(header::CONTENT_LENGTH, length);
        }
        let mut stream: Box<dyn Read + '_> = match call.payload {
            Payload::None => Box::new(io::empty()),
            Payload::Text(text) => Box::new(text.as_bytes()),
            Payload::Stream { open, .. } => open()?,
        };
        if has_body {
            self.run(request.body(SendBody::from_reader(&mut stream))?, call.within)
        } else {
            self.run(request.body(())?, call.within)
        }
    }

    fn run(&self, request: Request<impl AsSendBody>, within: Option<Duration>) -> Result<Response<Body>, ureq::Error> {
        let request = request.with_agent(&self.agent);
        match within {
            Some(limit) => request.configure().timeout_global(Some(limit)).build().run(),
            None => request.run(),
        }
    }

    /// The header that answers a challenge.
    fn log_in(&self, url: &str, headers: &HeaderMap, tried: &mut Vec<Scheme>) -> Result<String, ObsError> {
        let offered: Vec<Challenge> = challenges(values(headers, &header::WWW_AUTHENTICATE));
        let credentials = &self.settings.credentials;
        if !self.is_private() {
            return Err(ObsError::Insecure {
                host: self.host.clone(),
            });
        }
        match credentials.answer(&offered, tried)? {
            Some((scheme, header)) => {
                tried.push(scheme);
                Ok(header)
            }
            None => Err(ObsError::Unauthorized {
                url: url.to_owned(),
                schemes: offered.into_iter().map(|challenge| challenge.scheme).collect(),
                problem: credentials.lack(tried),
            }),
        }
    }

    /// Whether nobody on the way reads what is sent, or the caller does not mind.
    fn is_private(&self) -> bool {
        self.tls || self.settings.plain_http == PlainHttp::Anywhere || is_this_machine(&self.host)
    }

    fn keep_cookies(&self, headers: &HeaderMap) -> Result<(), ObsError> {
        let mut set = values(headers, &header::SET_COOKIE).peekable();
        if set.peek().is_some() {
            self.jar
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(&self.host, set)?;
        }
        Ok(())
    }

    fn pause(&self, tries: usize) -> Duration {
        let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(0).min(6);
        self.settings.pace.retry.saturating_mul(1 << doublings)
    }
}

/// Tells apart why there is no answer.
fn sort(url: &str, error: ureq::Error) -> ObsError {
    let url = url.to_owned();
    match error {
        ureq::Error::HostNotFound => ObsError::Down {
            url,
            problem: "the host's name cannot be resolved".to_owned(),
        },
        ureq::Error::Timeout(limit @ (Timeout::Connect | Timeout::Resolve)) => ObsError::Down {
            url,
            problem: format!("nobody answered ({limit})"),
        },
        ureq::Error::Timeout(limit) => ObsError::Slow {
            url,
            problem: limit.to_string(),
        },
        ureq::Error::Io(error) if is_timeout(&error) => ObsError::Slow {
            url,
            problem: error.to_string(),
        },
        ureq::Error::Io(error) if is_dead(&error) => ObsError::Down {
            url,
            problem: error.to_string(),
        },
        ureq::Error::Io(error) => ObsError::Cut {
            url,
            problem: error.to_string(),
        },
        error @ (ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::ConnectionFailed) => ObsError::Down {
            url,
            problem: error.to_string(),
        },
        ureq::Error::BadUri(problem) => ObsError::Usage(format!("{url}: {problem}")),
        error => ObsError::Cut {
            url,
            problem: error.to_string(),
        },
    }
}

/// Why the service said no, in its own words.
fn complaint(url: String, response: Response<Body>) -> ObsError {
    let status = response.status();
    let place = values(response.headers(), &header::LOCATION).next().map(str::to_owned);
    let mut bytes = Vec::new();
    let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
    // What can be read of it is enough.
    let _read = reader.take(LARGEST_COMPLAINT).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let summary = match xml::parse(&text) {
        Ok(root) if root.name == "status" => {
            let summary = root.child_text("summary");
            let details = root.child_text("details");
            match (summary.is_empty(), details.is_empty() || details == summary) {
                (false, false) => format!("{summary} ({details})"),
                (true, false) => details,
                _ => summary,
            }
        }
        // A page for people says nothing that the status does not.
        _ => String::new(),
    };
    let summary = if summary.is_empty() {
        status.canonical_reason().unwrap_or("no reason is given").to_owned()
    } else {
        summary
    };
    let number = status.as_u16();
    match number {
        300..=399 => ObsError::Moved {
            url,
            to: place.unwrap_or_else(|| "an address that is not told".to_owned()),
        },
        403 => ObsError::Forbidden { url, summary },
        404 => ObsError::Missing { url, summary },
        500..=599 => ObsError::Broken {
            url,
            status: number,
            summary,
        },
        _ => ObsError::Refused {
            url,
            status: number,
            summary,
        },
    }
}

fn values<'a>(headers: &'a HeaderMap, name: &'a header::HeaderName) -> impl Iterator<Item = &'a str> {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok())
}

pub(crate) fn content_length(response: &Response<Body>) -> Option<u64> {
    values(response.headers(), &header::CONTENT_LENGTH)
        .next()?
        .trim()
        .parse()
        .ok()
}

/// The pause that the service asks for, within reason.
fn told_pause(headers: &HeaderMap) -> Option<Duration> {
    let seconds = values(headers, &header::RETRY_AFTER)
        .next()?
        .trim()
        .parse::<u64>()
        .ok()?;
    Some(Duration::from_secs(seconds.min(60)))
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost"
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    matches!(inner, Some(ureq::Error::Timeout(_)))
        || matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// Whether trying again within seconds is pointless. A failed name lookup has no kind of its own, only a text.
fn is_dead(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkDown
    ) || error.to_string().contains("failed to lookup address")
}
