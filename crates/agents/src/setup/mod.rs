//! Agents that set up environments without a model.

mod deterministic;
mod jvm;
mod python;

pub(crate) use deterministic::{Deterministic, Procedure};
