//! From a name in a build file or a log to the package that has it.

mod error;
mod key;

pub use error::PackagesError;
pub use key::{Candidate, Key, Resolver};
