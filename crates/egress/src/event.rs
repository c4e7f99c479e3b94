//! What a door tells whoever opened it: one event for each thing that was asked for.

use std::fmt;

use seatrial_core::Digest;
use serde::Serialize;

/// A request, in words fit for a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: String,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)
    }
}

/// Something that happened at a door. Text in it may come from the box: escape it before it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum DoorEvent {
    /// A name was looked up. It was answered with the door's address, and nobody was asked.
    Resolved {
        /// The name.
        name: String,
    },
    /// A request was passed on, and this is how it ended.
    Passed {
        /// The request.
        asked: Asked,
        /// The status of the answer.
        status: u16,
        /// Bytes of the body that were passed on.
        bytes: u64,
        /// Whether the whole body was.
        whole: bool,
    },
    /// The same, and the answer was kept.
    Recorded {
        /// The request.
        asked: Asked,
        /// The status of the answer.
        status: u16,
        /// Bytes of the body.
        bytes: u64,
        /// The body.
        body: Digest,
    },
    /// A kept answer was given.
    Replayed {
        /// The request.
        asked: Asked,
        /// The status of the answer.
        status: u16,
        /// Bytes of the kept body.
        bytes: u64,
        /// The body.
        body: Option<Digest>,
    },
    /// A request that the policy does not allow.
    Refused {
        /// The request.
        asked: Asked,
        /// Why.
        reason: String,
    },
    /// A request of which no answer was kept.
    Missing {
        /// The request.
        asked: Asked,
        /// What there is that is near it, or why it does not do.
        reason: String,
    },
    /// A request that was allowed and could not be answered: the network's fault or ours, never the box's.
    Failed {
        /// The request.
        asked: Asked,
        /// What happened.
        reason: String,
    },
    /// An answer that was passed on and could not be kept: a replay will miss it.
    Unrecorded {
        /// The request.
        asked: Asked,
        /// What happened.
        reason: String,
    },
    /// Somebody spoke to the door in a way that is no request.
    Unintelligible {
        /// The port.
        port: u16,
        /// What was wrong.
        reason: String,
    },
}

impl fmt::Display for DoorEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolved { name } => write!(f, "looked up {name}"),
            Self::Passed {
                asked,
                status,
                bytes,
                whole: true,
            } => write!(f, "passed {asked}: {status}, {bytes} bytes"),
            Self::Passed {
                asked, status, bytes, ..
            } => write!(f, "passed {asked}: {status}, broken off after {bytes} bytes"),
            Self::Recorded {
                asked, status, bytes, ..
            } => write!(f, "recorded {asked}: {status}, {bytes} bytes"),
            Self::Replayed {
                asked, status, bytes, ..
            } => write!(f, "replayed {asked}: {status}, {bytes} bytes"),
            Self::Refused { asked, reason } => write!(f, "refused {asked}: {reason}"),
            Self::Missing { asked, reason } => write!(f, "no record of {asked}: {reason}"),
            Self::Failed { asked, reason } => write!(f, "failed {asked}: {reason}"),
            Self::Unrecorded { asked, reason } => write!(f, "not recorded {asked}: {reason}"),
            Self::Unintelligible { port, reason } => write!(f, "no request on port {port}: {reason}"),
        }
    }
}
