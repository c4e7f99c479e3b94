//! Packages of both kinds, with the distributions' own programs as the second opinion.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod debian;
mod rpm;
mod support;
