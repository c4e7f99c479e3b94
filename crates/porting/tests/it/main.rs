//! Small packages that fail on another architecture, and what is proposed for them.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod assembly;
mod dependencies;
mod flags;
mod lists;
mod plant;
mod results;
mod rules;
mod system;
mod vectors;
