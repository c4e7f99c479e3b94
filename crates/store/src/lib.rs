//! The ground that everything stands on: content-addressed blobs, run folders, and the append-only journal.
//!
//! Knows nothing of tasks or boxes. The caller says where the data folder is; nothing here reads the environment.

mod blobs;
mod error;
mod files;
pub mod governor;
mod hold;
mod home;
mod journal;
mod lease;
mod scratch;

pub use blobs::{BlobWriter, Blobs};
pub use error::StoreError;
pub use files::write_file;
pub use hold::{Alone, Claim, Hold, touch};
pub use home::{Home, unique_name, unix_millis};
pub use journal::{Journal, JournalContents, read_journal};
pub use lease::Lease;
pub use scratch::Scratch;
