//! The crate's tests at its seams.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod corpus;
mod mining;
