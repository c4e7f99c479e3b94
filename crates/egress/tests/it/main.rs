//! The door's promises, kept with real sockets, real boxes and real package managers.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod attacks;
mod boxes;
mod passing;
mod proofs;
mod recording;
mod support;
