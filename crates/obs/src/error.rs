//! Errors of the build service, told apart by what a person does about them.

use std::io;

/// The service could not be used, or said no.
#[derive(Debug, thiserror::Error)]
pub enum ObsError {
    /// The caller's words are wrong.
    #[error("{0}")]
    Usage(String),
    /// Nobody answers at that address.
    #[error("the build service at {url} cannot be reached: {problem}; check the address and the network")]
    Down {
        /// What was asked.
        url: String,
        /// What the system said.
        problem: String,
    },
    /// It takes too long to answer.
    #[error("the build service did not answer {url} in time ({problem}); try again later, or allow it more time")]
    Slow {
        /// What was asked.
        url: String,
        /// Which limit passed.
        problem: String,
    },
    /// The connection broke in the middle, also on further tries.
    #[error("the connection broke while reading {url}: {problem}; try again")]
    Cut {
        /// What was asked.
        url: String,
        /// What the system said.
        problem: String,
    },
    /// Credentials would go over the network in the clear.
    #[error(
        "{host} is not this machine and is asked without TLS: credentials are not sent; use https, or allow plain HTTP"
    )]
    Insecure {
        /// The host.
        host: String,
    },
    /// The service is elsewhere.
    #[error("{url} has moved to {to}: give that address")]
    Moved {
        /// What was asked.
        url: String,
        /// Where it is said to be.
        to: String,
    },
    /// 401, after everything that was at hand had been tried.
    #[error("{url} wants to know who asks (it offers {}): {problem}", offered(.schemes))]
    Unauthorized {
        /// What was asked.
        url: String,
        /// The schemes that it offers.
        schemes: Vec<String>,
        /// What was tried, and what is missing.
        problem: String,
    },
    /// 403.
    #[error("{url} is not allowed for this user: {summary}")]
    Forbidden {
        /// What was asked.
        url: String,
        /// The service's words.
        summary: String,
    },
    /// 404.
    #[error("{url} is not there: {summary}")]
    Missing {
        /// What was asked.
        url: String,
        /// The service's words.
        summary: String,
    },
    /// Any other answer that blames the request.
    #[error("the build service refused {url} with {status}: {summary}")]
    Refused {
        /// What was asked.
        url: String,
        /// The status.
        status: u16,
        /// The service's words.
        summary: String,
    },
    /// 500: a fault of the service's own.
    #[error("the build service failed at {url} with {status}: {summary}; this is a fault of the service's")]
    Broken {
        /// What was asked.
        url: String,
        /// The status.
        status: u16,
        /// The service's words.
        summary: String,
    },
    /// 429, 502, 503 or 504, also on further tries.
    #[error("the build service was not ready for {url}: {status}, {tries} times; try again later")]
    Unready {
        /// What was asked.
        url: String,
        /// The last status.
        status: u16,
        /// How often it was asked.
        tries: usize,
    },
    /// The answer is a page for people, or another thing that is no XML.
    #[error(
        "{url} answered with something that is no XML ({problem}); it begins with `{begins}`. Is this the API's address?"
    )]
    NotXml {
        /// What was asked.
        url: String,
        /// What is wrong with it.
        problem: String,
        /// Its first characters.
        begins: String,
    },
    /// The answer is XML, and not what the call promises.
    #[error("{url} answered with XML that lacks {lacks}")]
    Unexpected {
        /// What was asked.
        url: String,
        /// What is missing.
        lacks: String,
    },
    /// The answer has no end in sight.
    #[error("the answer to {url} is larger than {limit} bytes and was not read on")]
    TooBig {
        /// What was asked.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// A file is not one of the package's sources.
    #[error("`{name}` is not uploaded: {why}")]
    NotSource {
        /// The file's name.
        name: String,
        /// Why not.
        why: String,
    },
    /// A file changed while it was uploaded.
    #[error("`{name}` changed while it was uploaded; nothing was committed")]
    FileChanged {
        /// The file's name.
        name: String,
    },
    /// The service keeps asking for files that it got.
    #[error("the build service still lacks {} after {rounds} uploads; nothing was committed", .names.join(", "))]
    KeepsMissing {
        /// The files.
        names: Vec<String>,
        /// How often they were asked for.
        rounds: usize,
    },
    /// Somebody else committed meanwhile.
    #[error(
        "{package} is at revision {found} (by {by}) and not at {expected}: somebody else committed; look at their change first"
    )]
    Overtaken {
        /// The package.
        package: String,
        /// The revision that was expected.
        expected: String,
        /// The revision that is there.
        found: String,
        /// Who made it.
        by: String,
    },
    /// A project or package is there and is another one than is asked for.
    #[error("{what} is there already and differs: {problem}")]
    MetaDiffers {
        /// The project or package.
        what: String,
        /// What differs.
        problem: String,
    },
    /// A program that is needed did not do its work.
    #[error("`{program}` {problem}")]
    Program {
        /// The program.
        program: String,
        /// What happened.
        problem: String,
    },
    /// The caller's flag was raised.
    #[error("stopped")]
    Stopped,
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn offered(schemes: &[String]) -> String {
    if schemes.is_empty() {
        "no way to log in".to_owned()
    } else {
        schemes.join(", ")
    }
}

impl ObsError {
    /// Whether the same question may be answered a little later.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Down { .. } | Self::Slow { .. } | Self::Cut { .. } | Self::Unready { .. } | Self::Broken { .. }
        )
    }

    /// Whether it is unknown if the service did what was asked.
    pub(crate) fn is_ambiguous(&self) -> bool {
        matches!(
            self,
            Self::Slow { .. } | Self::Cut { .. } | Self::Unready { .. } | Self::NotXml { .. } | Self::Broken { .. }
        )
    }
}
