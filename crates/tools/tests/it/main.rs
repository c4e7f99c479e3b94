//! Tools through a toolbox, in real boxes.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up has failed"
)]

mod archives;
mod building;
mod calls;
mod docs;
mod files;
mod mcp;
mod patches;
mod shell;
mod support;
