//! Tools that look at files and change them.

mod list;
mod look;
mod read;
mod replace;
mod search;
mod write;

pub(crate) use list::List;
pub(crate) use read::Read;
pub(crate) use replace::Replace;
pub(crate) use search::Search;
pub(crate) use write::Write;
