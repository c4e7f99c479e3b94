//! From a name in a build file or a log to the package that has it.
//!
//! The answers come from what a distribution says about itself: which file is in which package (`Contents`), and which
//! packages others build with (`Sources`). Small tables, each row with its reason, cover what files cannot say. Nothing
//! here installs anything or reads a project's build files.

mod builder;
mod classify;
mod cmake_lookup;
mod coherence;
mod contents;
mod deepen;
mod definitions;
mod error;
mod explain;
mod foreign;
mod format;
mod gold;
mod index;
mod key;
mod lookup;
mod module_lookup;
mod modules;
mod popularity;
mod pypi;
mod relatives;
mod rpm;
mod shelf;
mod tables;

pub use builder::{BuildInput, BuildSummary, build};
pub use coherence::Context;
pub use deepen::{Deepened, deepen};
pub use definitions::{Defined, Definition, definitions_of};
pub use error::PackagesError;
pub use explain::{Explained, Ground};
pub use foreign::{Foreign, build_foreign};
pub use gold::{Batch, GoldName, GoldSet, Half};
pub use index::PackageIndex;
pub use key::{Candidate, Key, KeyError, Resolver};
pub use pypi::{Distribution, distribution_of};
pub use shelf::{Shelved, remove, shelved};
