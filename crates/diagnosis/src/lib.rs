//! From a build log to the problem that stopped the build.

mod problem;

pub use problem::{Diagnosis, Kind, Problem, diagnose};
