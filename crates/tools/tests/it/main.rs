//! Tools through a toolbox, in real boxes.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up has failed"
)]

// The boxes that the suites are tested with do here too.
#[expect(dead_code, reason = "their data folder is for those who grade")]
#[path = "../../../suites/tests/it/boxes.rs"]
mod boxes;

mod archives;
mod building;
mod calls;
mod docs;
mod files;
mod mcp;
mod patches;
mod searches;
mod shell;
mod support;
