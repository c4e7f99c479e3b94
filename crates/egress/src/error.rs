//! Errors of the door.

use std::io;

use seatrial_store::StoreError;

/// The door could not do what was asked. The box is never at fault for these.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The file system or the network said no. The message names the thing.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A certificate or its key could not be made, read or used.
    #[error("{what}: {problem}")]
    Certificate {
        /// What was being done, and to what.
        what: String,
        /// What is wrong.
        problem: String,
    },
    /// An entry of an allow-list is none.
    #[error("`{entry}` is no entry of an allow-list: {problem}")]
    Entry {
        /// The entry as written.
        entry: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An index of recordings holds a line that no version of this program wrote.
    #[error("{path}, line {line}: {problem}")]
    Index {
        /// The file.
        path: String,
        /// Line number, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A policy that records or replays has no index.
    #[error("the policy `{0}` needs an index of recordings; name a file for it")]
    NoIndex(&'static str),
    /// A proxy that is none.
    #[error("`{proxy}` is no proxy that can be used: {problem}")]
    Proxy {
        /// The proxy as written, without its password.
        proxy: String,
        /// What is wrong with it.
        problem: String,
    },
}
