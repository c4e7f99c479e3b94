//! Tools that look at files and change them.

mod list;
mod look;
mod read;
mod replace;
mod search;
mod write;

pub(crate) use list::{List, SIDE};
pub(crate) use look::{Apart, Kind, Look, NEW_FILE, Seen, known, mode_of, run_quietly};
pub(crate) use read::{Read, content, not_text};
pub(crate) use replace::Replace;
pub(crate) use search::Search;
pub(crate) use write::Write;
