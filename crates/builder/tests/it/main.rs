//! The builder at its seams: the loop against a scripted box, and whole builds in real ones.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up has failed"
)]

mod machine;
mod odd_names;
mod one_file;
mod real;
mod script;
mod scripted;
mod shows;
mod systems;
