//! Client of the Open Build Service: sources, results, logs, and a verdict that is of what was committed.
//!
//! It speaks to the public service, to a private instance, and to a bare back end without its web part. What it promises
//! above the plain calls: one commit is one revision; nothing is uploaded twice and nothing that is no source; a state
//! counts only when it is settled and is of the revision that was committed. It knows no task and no box.

mod auth;
mod build;
mod client;
mod commit;
mod cookies;
mod error;
mod evidence;
mod files;
mod log;
mod meta;
mod names;
mod source;
mod state;
mod transport;
mod wait;
mod xml;

pub use auth::{Credentials, SigningKey};
pub use build::{BuildRecord, JobRecord, Trigger};
pub use client::{Client, Pace, PlainHttp, Projects, Settings};
pub use commit::{Commit, Upload};
pub use error::ObsError;
pub use files::{Content, SourceFile};
pub use log::{Log, LogEnd, LogLimits, LogReader, Pull};
pub use meta::{ProjectMeta, RepositoryMeta};
pub use names::{PackagePath, Target};
pub use source::{Entry, Link, Listing, Revision, ServiceState};
pub use state::{Class, Code, Observation, PackageState, RepositoryResult, Results};
pub use wait::{Ending, Event, Proof, Seen, Verdict, WaitOptions, Waited, Wanted};
