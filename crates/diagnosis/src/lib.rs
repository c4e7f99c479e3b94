//! From a build log to the problem that stopped the build.
//!
//! Signatures are rows of data (`rows`); what spans lines, such as CMake's wrapped messages, and what takes judgement,
//! such as a configure script's own prose, has a module each. Nothing here looks at the machine, the source tree or a
//! package index: a log goes in, problems come out.

mod cmake;
mod companion;
mod cure;
mod endings;
mod engine;
mod extent;
mod hints;
mod judge;
mod kind;
mod known;
mod lines;
mod locale;
mod matcher;
mod names;
mod phases;
mod prefix;
mod problem;
mod prose;
mod remedy;
mod rows;
mod window;

pub use companion::{COMPANIONS, diagnose_with};
pub use engine::{diagnose, diagnose_in_parts, diagnose_reader};
pub use kind::{Class, Kind};
pub use problem::{Diagnosis, Ending, FollowOn, LogFacts, Phase, Problem, QuotedLine};
pub use remedy::{FlagsOf, Remedy};
