//! Trials: one task, one agent, one attempt; and runs: many trials with one locked configuration.
//!
//! Agents and suites meet here and nowhere else. Knows no terminal: a caller that wants to show progress is an
//! [`Observer`].

mod calibrate;
mod error;
mod lock;
mod observer;
mod parallel;
mod result;
mod run;
mod single;
mod stop;

pub use calibrate::{Calibration, Calibrator};
pub use error::TrialError;
pub use lock::RunLock;
pub use observer::{Observer, Silent};
pub use result::{RunView, TrialResult, TrialState, submission};
pub use run::{Run, RunOutcome};
pub use single::{Bench, Trial};
pub use stop::Stop;
