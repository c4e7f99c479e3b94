//! Sources: pin, fetch, verify, unpack.
//!
//! Also the only room that speaks to a distribution's archive, because source packages and indexes come from there.
//! Nothing of what is fetched is ever run here: that is for boxes.

mod debian;
mod download;
mod error;
mod fetch;
mod folder;
mod git;
mod process;
mod spec;
mod tree;
mod unpack;

pub use debian::{BinaryPackage, DebianArchive, Mirror, SourcePackage, compare_versions};
pub use error::SourceError;
pub use fetch::{Fetcher, Progress};
pub use spec::SourceSpec;
pub use tree::SourceTree;
pub use unpack::UnpackLimits;
