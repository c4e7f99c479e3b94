//! The client against a service that plays every trouble, and against a real back end where there is one.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::format_push_string,
    reason = "helpers of tests are tests too"
)]

mod answers;
mod back_end;
mod commit;
mod lab;
mod log;
mod login;
mod matrix;
mod real;

mod recorded;
mod service;
mod wait;
mod wire;
