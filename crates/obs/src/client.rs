//! The client: one service, one user.

use std::{path::PathBuf, sync::Arc, time::Duration};

use crate::{Credentials, ObsError, transport::Transport};

/// May credentials go over plain HTTP?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlainHttp {
    /// To this machine only.
    #[default]
    Loopback,
    /// To any host.
    Anywhere,
}

/// Which projects the client may write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Projects {
    /// Those below `home:`; of another user only when no user is given.
    #[default]
    Home,
    /// Any: for a back end of one's own.
    Any,
}

/// How patient the client is. All times are upper bounds.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// To connect.
    pub connect: Duration,
    /// To the first byte of an answer, and between two pieces of it.
    pub answer: Duration,
    /// How long the service may hold a question whose answer has not changed yet.
    pub hold: Duration,
    /// Before the second try of a question that was not answered; doubled for each further one.
    pub retry: Duration,
    /// How often a question is asked at most.
    pub tries: usize,
    /// Between two looks at a state that is about to change; grows to `slow`.
    pub fast: Duration,
    /// Between two looks at a state where nothing is about to change.
    pub slow: Duration,
    /// How long the service may be away while it is waited for.
    pub grace: Duration,
    /// How long a state without a log must stand unchanged after the scheduler looked at it.
    pub quiet: Duration,
    /// After how long a state without a log counts though nothing shows that it was looked at after the commit.
    pub settle: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            answer: Duration::from_mins(1),
            hold: Duration::from_secs(20),
            retry: Duration::from_secs(1),
            tries: 4,
            fast: Duration::from_millis(200),
            slow: Duration::from_secs(2),
            grace: Duration::from_mins(5),
            quiet: Duration::from_millis(1200),
            settle: Duration::from_mins(2),
        }
    }
}

/// What the client needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The API's address, such as `https://api.example.org`.
    pub api: String,
    /// Who asks.
    pub credentials: Credentials,
    /// The file that keeps the session's cookies.
    pub cookies: Option<PathBuf>,
    /// May credentials go over plain HTTP?
    pub plain_http: PlainHttp,
    /// Where it may write.
    pub projects: Projects,
    /// How patient it is.
    pub pace: Pace,
}

impl Settings {
    /// Settings for an address, without credentials.
    pub fn new(api: impl Into<String>) -> Self {
        Self {
            api: api.into(),
            credentials: Credentials::default(),
            cookies: None,
            plain_http: PlainHttp::default(),
            projects: Projects::default(),
            pace: Pace::default(),
        }
    }
}

/// A client of one build service. Cheap to clone; clones share the session.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) transport: Arc<Transport>,
}

impl Client {
    /// Asks nobody yet.
    pub fn new(settings: Settings) -> Result<Self, ObsError> {
        Ok(Self {
            transport: Arc::new(Transport::new(settings)?),
        })
    }

    /// The API's address.
    pub fn api(&self) -> &str {
        &self.transport.base
    }

    pub(crate) fn pace(&self) -> &Pace {
        &self.transport.settings.pace
    }

    pub(crate) fn user(&self) -> Option<&str> {
        self.transport.settings.credentials.user.as_deref()
    }

    /// Refuses to write where the caller did not allow it.
    pub(crate) fn may_write(&self, project: &str) -> Result<(), ObsError> {
        if self.transport.settings.projects == Projects::Any {
            return Ok(());
        }
        let root = self
            .user()
            .map_or_else(|| "home:".to_owned(), |user| format!("home:{user}"));
        let home = match project.strip_prefix(&root) {
            Some(rest) if self.user().is_some() => rest.is_empty() || rest.starts_with(':'),
            Some(rest) => !rest.is_empty(),
            None => false,
        };
        if home {
            return Ok(());
        }
        Err(ObsError::Usage(format!(
            "`{project}` is not written to: only `{root}` and what is below it is; name a project there, or allow any project"
        )))
    }
}
