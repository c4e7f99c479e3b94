//! What an agent did in one trial, step by step: a view of its journal, as data that others read and as text.

mod atif;
mod markdown;
mod reading;
mod rules;

pub use atif::{ATIF_VERSION, atif};
pub use markdown::markdown;
pub use reading::{Act, Conversation, Spent, Step, Trajectory};
pub use rules::{Fault, faults};

#[cfg(test)]
mod tests;
