//! From a build log to the problem that stopped the build.
//!
//! Signatures are rows of data (`rows`); what spans lines, such as CMake's wrapped messages, and what takes judgement,
//! such as a configure script's own prose, has a module each. Nothing here looks at the machine, the source tree or a
//! package index: a log goes in, problems come out.

mod cmake;
mod cure;
mod engine;
mod hints;
mod kind;
mod lines;
mod matcher;
mod names;
mod problem;
mod prose;
mod remedy;
mod rows;

pub use engine::diagnose;
pub use kind::{Class, Kind};
pub use problem::{Diagnosis, Ending, FollowOn, LogFacts, Phase, Problem};
pub use remedy::{FlagsOf, Remedy};
