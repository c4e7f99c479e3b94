//! Somebody who watches.

use seatrial_core::{Event, TaskId};

use crate::TrialResult;

/// Hears what happens, from several threads at once. The journal, not the observer, is the record.
pub trait Observer: Send + Sync {
    /// A trial began.
    fn started(&self, _task: &TaskId, _attempt: u32) {}

    /// Something was journaled.
    fn event(&self, _task: &TaskId, _attempt: u32, _event: &Event) {}

    /// A command in the trial's box wrote something.
    fn output(&self, _task: &TaskId, _attempt: u32, _bytes: &[u8]) {}

    /// A trial is over.
    fn finished(&self, _result: &TrialResult) {}
}

/// Nobody watches.
pub struct Silent;

impl Observer for Silent {}
