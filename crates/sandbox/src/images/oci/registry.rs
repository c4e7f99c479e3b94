//! A client of one registry: the reading half of the OCI distribution protocol.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    time::Duration,
};

use serde::Deserialize;
use ureq::{
    Agent, Body,
    http::{Response, StatusCode, header},
    tls::{RootCerts, TlsConfig},
};

use super::{
    Pull,
    challenge::{Challenge, Scheme},
    manifest::{ACCEPTED, Descriptor, parse},
};
use crate::SandboxError;

/// Pauses between tries.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(300),
    Duration::from_millis(1500),
    Duration::from_secs(5),
];
/// The longest pause that a registry may ask for.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Bytes of one document.
const MOST_DOCUMENT: u64 = 8 << 20;

/// One registry, asked for one image.
pub(super) struct Registry<'a> {
    agent: Agent,
    pull: &'a Pull,
    base: String,
    /// The value of the header that says who asks.
    authorization: Option<String>,
}

/// Why one try failed.
enum Failure {
    /// Trying again may help; how long the other side wants to be left alone.
    Passing(String, Option<Duration>),
    /// It will not.
    Final(String),
    /// Somebody must say who asks.
    Who(Vec<String>),
}

impl<'a> Registry<'a> {
    pub(super) fn new(pull: &'a Pull) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(Duration::from_secs(15)))
            .timeout_connect(Some(Duration::from_secs(15)))
            .timeout_recv_response(Some(Duration::from_mins(1)))
            .timeout_per_read(Some(Duration::from_mins(1)))
            .build()
            .new_agent();
        let plain = pull.plain_http || pull.reference.is_local();
        let base = format!(
            "{}://{}/v2/{}",
            if plain { "http" } else { "https" },
            pull.reference.server(),
            pull.reference.path()
        );
        Self {
            agent,
            pull,
            base,
            authorization: None,
        }
    }

    /// A manifest or an index, by tag or digest.
    pub(super) fn manifest(&mut self, version: &str) -> Result<Vec<u8>, SandboxError> {
        self.document(&format!("manifests/{version}"), Some(ACCEPTED))
    }

    /// A small blob.
    pub(super) fn small(&mut self, descriptor: &Descriptor) -> Result<Vec<u8>, SandboxError> {
        let bytes = self.document(&format!("blobs/{}", descriptor.digest), None)?;
        descriptor.check(&bytes)?;
        Ok(bytes)
    }

    fn document(&mut self, path: &str, accept: Option<&str>) -> Result<Vec<u8>, SandboxError> {
        self.with_retries(|registry| {
            let response = registry.get(path, accept, 0)?;
            let mut bytes = Vec::new();
            let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
            reader
                .by_ref()
                .take(MOST_DOCUMENT + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::Passing(error.to_string(), None))?;
            if bytes.len() as u64 > MOST_DOCUMENT {
                return Err(Failure::Final(format!("{path} is larger than any such document")));
            }
            Ok(bytes)
        })
    }

    /// Downloads a blob behind what a file has of it already. What is in the file is checked by the caller.
    pub(super) fn download(
        &mut self,
        descriptor: &Descriptor,
        file: &mut std::fs::File,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), SandboxError> {
        let path = format!("blobs/{}", descriptor.digest);
        self.with_retries(|registry| {
            let broken = |error: io::Error| Failure::Final(format!("writing a layer: {error}"));
            let mut at = file.seek(SeekFrom::End(0)).map_err(broken)?;
            if at >= descriptor.size {
                file.set_len(0).map_err(broken)?;
                at = file.seek(SeekFrom::Start(0)).map_err(broken)?;
            }
            let response = registry.get(&path, None, at)?;
            if at > 0 && !resumes_at(&response, at) {
                file.set_len(0).map_err(broken)?;
                at = file.seek(SeekFrom::Start(0)).map_err(broken)?;
                if response.status() == StatusCode::PARTIAL_CONTENT {
                    return Err(Failure::Passing("it sent another part than asked for".to_owned(), None));
                }
            }
            let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
            let mut buffer = vec![0; 1 << 16];
            loop {
                let count = match reader.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(Failure::Passing(error.to_string(), None)),
                };
                at += count as u64;
                if at > descriptor.size {
                    file.set_len(0).map_err(broken)?;
                    return Err(Failure::Final(format!(
                        "the layer {} has more than its {} bytes",
                        descriptor.digest, descriptor.size
                    )));
                }
                file.write_all(buffer.get(..count).unwrap_or_default())
                    .map_err(|error| match error.kind() {
                        io::ErrorKind::StorageFull => Failure::Final("the disk is full".to_owned()),
                        _ => broken(error),
                    })?;
                progress(at);
            }
            if at < descriptor.size {
                return Err(Failure::Passing(
                    format!("the connection was cut after {at} of {} bytes", descriptor.size),
                    None,
                ));
            }
            Ok(())
        })
    }

    fn with_retries<T>(&mut self, mut attempt: impl FnMut(&mut Self) -> Result<T, Failure>) -> Result<T, SandboxError> {
        let mut pauses = PAUSES.iter();
        let mut introduced = false;
        loop {
            match attempt(self) {
                Ok(value) => return Ok(value),
                Err(Failure::Final(problem)) => return Err(self.failed(problem)),
                // Also in the midst of a long pull: what says who asks does not hold for ever.
                Err(Failure::Who(challenges)) if !introduced => {
                    introduced = true;
                    self.introduce(&challenges)?;
                }
                Err(Failure::Who(_)) => return Err(self.failed(self.refused())),
                Err(Failure::Passing(problem, wish)) => match pauses.next() {
                    Some(pause) => std::thread::sleep(wish.unwrap_or(*pause).min(LONGEST_PAUSE)),
                    None => return Err(self.failed(format!("{problem} (tried {} times)", PAUSES.len() + 1))),
                },
            }
        }
    }

    fn failed(&self, problem: impl Into<String>) -> SandboxError {
        SandboxError::Registry {
            name: self.pull.reference.to_string(),
            problem: problem.into(),
        }
    }

    fn refused(&self) -> String {
        if self.pull.credentials.of(self.pull.reference.host()).is_some() {
            "the registry does not take these credentials for it; are they right, and may this user read it?".to_owned()
        } else {
            "the registry wants to know who asks, or has nothing of that name; log in with `docker login` and name the \
             file that it wrote with --credentials"
                .to_owned()
        }
    }

    fn get(&self, path: &str, accept: Option<&str>, from: u64) -> Result<Response<Body>, Failure> {
        let url = format!("{}/{path}", self.base);
        let mut request = self.agent.get(&url);
        if let Some(accept) = accept {
            request = request.header(header::ACCEPT, accept);
        }
        if from > 0 {
            request = request.header(header::RANGE, format!("bytes={from}-"));
        }
        if let Some(value) = &self.authorization {
            request = request.header(header::AUTHORIZATION, value);
        }
        let response = request.call().map_err(|error| trouble(&error))?;
        match response.status() {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => Ok(response),
            StatusCode::UNAUTHORIZED => Err(Failure::Who(
                response
                    .headers()
                    .get_all(header::WWW_AUTHENTICATE)
                    .iter()
                    .filter_map(|value| value.to_str().ok().map(str::to_owned))
                    .collect(),
            )),
            status => Err(self.answer(status, response)),
        }
    }

    /// What an answer that is none means.
    fn answer(&self, status: StatusCode, response: Response<Body>) -> Failure {
        let wish = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let said = said(response);
        match status {
            StatusCode::NOT_FOUND => Failure::Final(format!(
                "the registry has no such name, tag or digest{said}; is it spelled right?"
            )),
            StatusCode::FORBIDDEN => Failure::Final(format!("{}{said}", self.refused())),
            StatusCode::TOO_MANY_REQUESTS => Failure::Passing(
                format!(
                    "the registry asks for fewer requests{said}; wait a while, or name credentials with --credentials"
                ),
                wish,
            ),
            status if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
                Failure::Passing(format!("the registry answered {status}{said}"), wish)
            }
            // What is left of an earlier try does not fit any more.
            StatusCode::RANGE_NOT_SATISFIABLE => Failure::Passing("the layer changed meanwhile".to_owned(), None),
            status => Failure::Final(format!("the registry answered {status}{said}")),
        }
    }

    /// Gets what says who asks.
    fn introduce(&mut self, challenges: &[String]) -> Result<(), SandboxError> {
        let basic = self.pull.credentials.of(self.pull.reference.host()).map(str::to_owned);
        let challenges: Vec<_> = challenges.iter().filter_map(|text| Challenge::read(text)).collect();
        if let Some(challenge) = challenges.iter().find(|challenge| challenge.scheme == Scheme::Bearer) {
            self.authorization = Some(format!("Bearer {}", self.token(challenge, basic.as_deref())?));
            return Ok(());
        }
        match basic {
            Some(basic) if challenges.iter().any(|challenge| challenge.scheme == Scheme::Basic) => {
                self.authorization = Some(basic);
                Ok(())
            }
            _ => Err(self.failed(self.refused())),
        }
    }

    /// Asks the one whom the registry trusts for a token.
    fn token(&self, challenge: &Challenge, basic: Option<&str>) -> Result<String, SandboxError> {
        #[derive(Deserialize)]
        struct Token {
            token: Option<String>,
            access_token: Option<String>,
        }
        let realm = challenge.value("realm").unwrap_or_default();
        let as_plain_as_the_registry = realm.starts_with("http://") && self.base.starts_with("http://");
        if !realm.starts_with("https://") && !as_plain_as_the_registry {
            return Err(self.failed(format!(
                "the registry sends whoever asks to `{realm}` without encryption; that is not followed"
            )));
        }
        let scope = challenge.value("scope").map_or_else(
            || format!("repository:{}:pull", self.pull.reference.path()),
            str::to_owned,
        );
        let mut request = self.agent.get(realm).query("scope", scope);
        if let Some(service) = challenge.value("service") {
            request = request.query("service", service);
        }
        if let Some(basic) = basic {
            request = request.header(header::AUTHORIZATION, basic);
        }
        let response = request
            .call()
            .map_err(|error| self.failed(format!("asking {realm} for a token: {error}")))?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(self.failed(self.refused())),
            status => return Err(self.failed(format!("{realm} answered {status}{}", said(response)))),
        }
        let bytes = response
            .into_body()
            .into_with_config()
            .limit(1 << 20)
            .read_to_vec()
            .map_err(|error| self.failed(format!("asking {realm} for a token: {error}")))?;
        let token: Token = parse(&bytes, "the registry's token")?;
        token
            .token
            .or(token.access_token)
            .filter(|token| token.bytes().all(|c| c.is_ascii_graphic()))
            .ok_or_else(|| self.failed(format!("{realm} sent no token")))
    }
}

/// The registry's own words, as far as they are words.
fn said(response: Response<Body>) -> String {
    #[derive(Deserialize)]
    struct Errors {
        errors: Vec<Error>,
    }
    #[derive(Deserialize)]
    struct Error {
        #[serde(default)]
        code: String,
        #[serde(default)]
        message: String,
    }
    let bytes = response.into_body().into_with_config().limit(1 << 16).read_to_vec();
    let errors = bytes
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Errors>(&bytes).ok());
    errors
        .and_then(|errors| errors.errors.into_iter().next())
        .map_or_else(String::new, |error| {
            format!(" ({} {})", error.code, error.message.trim())
        })
}

fn trouble(error: &ureq::Error) -> Failure {
    let text = error.to_string();
    match error {
        ureq::Error::HostNotFound => Failure::Final(
            "the registry's name cannot be resolved; is it spelled right, and is there a network?".to_owned(),
        ),
        ureq::Error::Io(inner) if inner.kind() == io::ErrorKind::ConnectionRefused => {
            Failure::Final("nobody answers there: connection refused; is the registry running?".to_owned())
        }
        ureq::Error::Io(_) if text.contains("failed to lookup address") => Failure::Final(format!(
            "{text}; is the registry's name spelled right, and is there a network?"
        )),
        ureq::Error::BadUri(_)
        | ureq::Error::Http(_)
        | ureq::Error::TooManyRedirects
        | ureq::Error::InvalidProxyUrl => Failure::Final(text),
        ureq::Error::Tls(_) => Failure::Final(format!("{text}; is its certificate one that this machine trusts?")),
        _ => Failure::Passing(text, None),
    }
}

fn resumes_at(response: &Response<Body>, at: u64) -> bool {
    response.status() == StatusCode::PARTIAL_CONTENT
        && response
            .headers()
            .get(header::CONTENT_RANGE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.trim().starts_with(&format!("bytes {at}-")))
}
