//! Downloads over HTTP(S), and from `file:` locations for archives on a local disk.
//!
//! A file gets its name only when it is complete and is what its hash says. A cut connection is resumed where it broke.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use fs_err as fs;
use sha2::{Digest as _, Sha256};
use ureq::{
    Agent, Body,
    http::{Response, StatusCode, header},
    tls::{RootCerts, TlsConfig},
};

use crate::{Progress, SourceError};

/// Pauses before the second and the third try.
const PAUSES: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1500)];

/// What a download must be.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expected<'a> {
    /// Its size.
    pub(crate) size: Option<u64>,
    /// Its SHA-256 in lower-case hexadecimal.
    pub(crate) sha256: Option<&'a str>,
}

/// What the other side had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Got {
    /// The file, now in its place, with its SHA-256.
    File(String),
    /// Nothing under that name.
    Missing,
}

/// Downloads.
pub(crate) struct Downloader {
    agent: Agent,
    progress: Option<Arc<dyn Progress>>,
}

/// Why one try failed.
enum Failure {
    /// Trying again may help.
    Passing(String),
    /// It will not.
    Final(SourceError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Final(error.into())
    }
}

impl Downloader {
    pub(crate) fn new(progress: Option<Arc<dyn Progress>>) -> Self {
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
        Self { agent, progress }
    }

    /// Downloads to `target`, whose folder must be there.
    pub(crate) fn get(&self, url: &str, target: &Path, expected: Expected<'_>) -> Result<Got, SourceError> {
        let folder = target.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".downloading-").tempfile_in(folder)?;
        let what = target
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let what = what_of(url).unwrap_or(&what).to_owned();
        let mut resumed = false;
        let mut got = Self::with_retries(url, || match url.strip_prefix("file:") {
            Some(path) => self.copy(path, file.as_file_mut()),
            None => self.try_get(url, &what, file.as_file_mut(), expected, &mut resumed),
        })?;
        let mut checked = verify(url, file.as_file_mut(), expected);
        // A resumed file can be glued from two versions: then one whole try decides.
        if got.is_some() && checked.is_err() && resumed {
            file.as_file_mut().set_len(0)?;
            got = Self::with_retries(url, || {
                self.try_get(url, &what, file.as_file_mut(), expected, &mut resumed)
            })?;
            checked = verify(url, file.as_file_mut(), expected);
        }
        if got.is_none() {
            return Ok(Got::Missing);
        }
        let sha256 = checked?;
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_data()?;
        file.persist(target).map_err(|error| error.error)?;
        Ok(Got::File(sha256))
    }

    /// Downloads a small document; `None` when there is none.
    pub(crate) fn get_small(&self, url: &str, limit: u64) -> Result<Option<Vec<u8>>, SourceError> {
        Self::with_retries(url, || {
            if let Some(path) = url.strip_prefix("file:") {
                return match fs::read(path) {
                    Ok(bytes) => Ok(Some(bytes)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(error.into()),
                };
            }
            let Some(response) = answer(url, self.agent.get(url).call())? else {
                return Ok(None);
            };
            let length = content_length(&response);
            let mut bytes = Vec::new();
            let mut reader = response.into_body().into_with_config().limit(limit).reader();
            reader
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::Passing(error.to_string()))?;
            if length.is_some_and(|length| length != bytes.len() as u64) {
                return Err(Failure::Passing("the connection was cut".to_owned()));
            }
            Ok(Some(bytes))
        })
    }

    /// Whether something is there, without downloading it. A file whose size is known to be another one is not there.
    pub(crate) fn has(&self, url: &str, size: u64) -> Result<bool, SourceError> {
        Self::with_retries(url, || {
            if let Some(path) = url.strip_prefix("file:") {
                return Ok(fs::metadata(path).ok().map(|metadata| metadata.len() == size));
            }
            let there = answer(url, self.agent.head(url).call())?;
            Ok(there.map(|response| content_length(&response).is_none_or(|length| length == size)))
        })
        .map(|same| same.unwrap_or(false))
    }

    fn with_retries<T>(
        url: &str,
        mut attempt: impl FnMut() -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, SourceError> {
        let mut pauses = PAUSES.iter();
        loop {
            match attempt() {
                Ok(got) => return Ok(got),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Passing(problem)) => match pauses.next() {
                    Some(pause) => std::thread::sleep(*pause),
                    None => return Err(network(url, format!("{problem} (tried {} times)", PAUSES.len() + 1))),
                },
            }
        }
    }

    /// One try. Goes on after the bytes that an earlier try left in the file.
    fn try_get(
        &self,
        url: &str,
        what: &str,
        file: &mut std::fs::File,
        expected: Expected<'_>,
        resumed: &mut bool,
    ) -> Result<Option<()>, Failure> {
        let have = file.seek(SeekFrom::End(0))?;
        let mut request = self.agent.get(url);
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let Some(response) = answer(url, request.call())? else {
            return Ok(None);
        };
        let mut at = have;
        let resumes = response.status() == StatusCode::PARTIAL_CONTENT && starts_at(&response, have);
        *resumed |= resumes;
        if !resumes {
            // The whole file again, or an answer to another question than was asked.
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            at = 0;
            if response.status() == StatusCode::PARTIAL_CONTENT {
                return Err(Failure::Passing(
                    "the other side sent another part than asked for".to_owned(),
                ));
            }
        }
        let rest = content_length(&response);
        let total = rest.map(|rest| at + rest).or(expected.size);
        if let (Some(size), Some(rest)) = (expected.size, rest)
            && at + rest != size
        {
            return Err(Failure::Final(SourceError::Verify {
                what: url.to_owned(),
                problem: format!("it has {} bytes instead of {size}", at + rest),
            }));
        }
        let most = expected.size.unwrap_or(u64::MAX);
        let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::Passing(error.to_string())),
            };
            at += count as u64;
            if at > most {
                return Err(Failure::Final(SourceError::Verify {
                    what: url.to_owned(),
                    problem: format!("it has more than {most} bytes"),
                }));
            }
            file.write_all(buffer.get(..count).unwrap_or_default())?;
            if let Some(progress) = &self.progress {
                progress.advance(what, at, total);
            }
        }
        match total {
            Some(total) if at < total => Err(Failure::Passing(format!(
                "the connection was cut after {at} of {total} bytes"
            ))),
            _ => Ok(Some(())),
        }
    }

    fn copy(&self, path: &str, file: &mut std::fs::File) -> Result<Option<()>, Failure> {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        match fs::File::open(path) {
            Ok(mut from) => {
                let bytes = io::copy(&mut from, file)?;
                if let Some(progress) = &self.progress {
                    progress.advance(path, bytes, Some(bytes));
                }
                Ok(Some(()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// An error of the network.
pub(crate) fn network(url: &str, problem: impl Into<String>) -> SourceError {
    SourceError::Network {
        url: url.to_owned(),
        problem: problem.into(),
    }
}

/// Sorts answers: there, not there, worth another try, hopeless.
fn answer(url: &str, result: Result<Response<Body>, ureq::Error>) -> Result<Option<Response<Body>>, Failure> {
    match result {
        Ok(response) => match response.status() {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => Ok(Some(response)),
            StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
            // What was there on the last try does not reach that far any more, or never did.
            StatusCode::RANGE_NOT_SATISFIABLE => Err(Failure::Passing("the file changed meanwhile".to_owned())),
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(Failure::Passing(format!("the other side answered {status}")))
            }
            status => Err(Failure::Final(network(
                url,
                format!("the other side answered {status}"),
            ))),
        },
        // A dead network should be told at once.
        Err(ureq::Error::HostNotFound) => Err(Failure::Final(network(
            url,
            "the host's name cannot be resolved; check the network connection",
        ))),
        Err(ureq::Error::Io(error)) if is_dead(&error) => Err(Failure::Final(network(
            url,
            format!("{error}; check the network connection"),
        ))),
        Err(ureq::Error::Io(error)) => Err(Failure::Passing(error.to_string())),
        Err(
            error @ (ureq::Error::BadUri(_)
            | ureq::Error::Http(_)
            | ureq::Error::Tls(_)
            | ureq::Error::TooManyRedirects
            | ureq::Error::InvalidProxyUrl),
        ) => Err(Failure::Final(network(url, error.to_string()))),
        Err(error) => Err(Failure::Passing(error.to_string())),
    }
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

fn content_length(response: &Response<Body>) -> Option<u64> {
    response
        .headers()
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

fn starts_at(response: &Response<Body>, at: u64) -> bool {
    response
        .headers()
        .get(header::CONTENT_RANGE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.trim().starts_with(&format!("bytes {at}-")))
}

/// The last part of a URL's path, for people.
fn what_of(url: &str) -> Option<&str> {
    url.split(['?', '#'])
        .next()?
        .rsplit('/')
        .next()
        .filter(|name| !name.is_empty())
}

/// Checks size and hash; returns the hash.
fn verify(url: &str, file: &mut std::fs::File, expected: Expected<'_>) -> Result<String, SourceError> {
    let size = file.seek(SeekFrom::End(0))?;
    if let Some(expected) = expected.size.filter(|expected| *expected != size) {
        return Err(SourceError::Verify {
            what: url.to_owned(),
            problem: format!("it has {size} bytes instead of {expected}"),
        });
    }
    file.seek(SeekFrom::Start(0))?;
    let found = sha256(file)?;
    match expected.sha256 {
        Some(expected) if expected != found => Err(SourceError::Verify {
            what: url.to_owned(),
            problem: format!("its SHA-256 is {found} instead of {expected}"),
        }),
        _ => Ok(found),
    }
}

/// The SHA-256 of what a reader yields.
pub(crate) fn sha256(reader: &mut dyn Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hex(&hasher.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
