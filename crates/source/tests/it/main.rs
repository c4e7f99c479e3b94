//! Sources end to end: real archives, real repositories, a local HTTP server and a signed archive made here.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests are tests too")]

mod archives;
mod debian;
mod folders;
mod git;
mod http;
mod live;
mod signed;
mod specs;
mod support;
