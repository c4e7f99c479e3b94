//! Trials: one task, one agent, one attempt; and runs: many trials with one locked configuration.
//!
//! Agents and suites meet here and nowhere else. Knows no terminal: a caller that wants to show progress is an
//! [`Observer`].

mod calibrate;
mod calibrate_given;
mod error;
mod estimate;
mod lock;
mod needs;
mod network;
mod observer;
mod parallel;
mod replay;
mod result;
mod room;
mod run;
mod single;
mod stop;

pub use calibrate::{Calibration, Calibrator};
pub use error::TrialError;
pub use estimate::{Estimate, Like};
pub use lock::RunLock;
pub use needs::needs;
pub use network::{NetworkPlan, Networks};
pub use observer::{Observer, Silent};
pub use replay::{Replay, ReplayError};
pub use result::{ModelSpent, RunView, TrialResult, TrialState, submission};
pub use room::Room;
pub use run::{Run, RunOutcome};
pub use single::{Bench, Trial};
pub use stop::Stop;
