//! Trials in real boxes, with a suite and agents that are as small as can be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]

// The boxes that the suites are tested with do here too.
#[path = "../../../suites/tests/it/boxes.rs"]
mod boxes;
mod network;
mod time;
