//! Small packages that fail on another architecture, and what is proposed for them.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod cases;
mod further;
mod plant;
mod rules;
