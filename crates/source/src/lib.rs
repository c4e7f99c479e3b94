//! Sources: pin, fetch, verify, unpack.
//!
//! Also the only room that speaks to a distribution's archive, because source packages and indexes come from there.

mod debian;
mod error;
mod fetch;
mod spec;

pub use debian::{BinaryPackage, DebianArchive, SourcePackage};
pub use error::SourceError;
pub use fetch::{Fetcher, Progress, SourceTree, UnpackLimits};
pub use spec::SourceSpec;
