//! The crate's tests at its seams.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says why")]

mod boxes;
mod committed_cases;
mod corpus;
mod crossing;
mod grading;
mod importing;
mod mining;
mod mutations;
mod published_faults;
mod repair;
mod setup;
mod small_package;
// The world that packages are rebuilt in for the tests of rebuilding does here too.
#[expect(dead_code, reason = "what it says of logs is for the tests of rebuilding")]
#[path = "../../../rebuild/tests/it/worlds.rs"]
mod worlds;
