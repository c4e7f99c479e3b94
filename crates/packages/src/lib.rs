//! From a name in a build file or a log to the package that has it.
//!
//! The answers come from what a distribution says about itself: which file is in which package (`Contents`), and which
//! packages others build with (`Sources`). Small tables, each row with its reason, cover what files cannot say. Nothing
//! here installs anything or reads a project's build files.

mod builder;
mod classify;
mod contents;
mod error;
mod format;
mod index;
mod key;
mod lookup;
mod popularity;
mod tables;

pub use builder::{BuildInput, BuildSummary, build};
pub use error::PackagesError;
pub use index::PackageIndex;
pub use key::{Candidate, Key, Resolver};
