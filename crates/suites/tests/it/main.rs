//! The crate's tests at its seams.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says why")]

mod boxes;
mod corpus;
mod grading;
mod mining;
mod mutations;
