//! What tools work on.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use seatrial_core::{Event, EventSink, PinnedSource, Platform};
use seatrial_packages::Resolver;
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;

use crate::{PackageRebuilds, PageSource, ToolFailure, ToolState, ToolsError, WebSearcher};

/// Is told of what a command writes while it runs.
pub type Watch<'a> = dyn FnMut(&[u8]) + 'a;

/// What tools work on: one box and what belongs to it.
pub struct World<'a> {
    /// The box.
    pub sandbox: &'a mut dyn Sandbox,
    /// The folder in the box from which relative paths start.
    pub root: &'a str,
    /// Knows which package has a name.
    pub resolver: Option<&'a dyn Resolver>,
    /// Keeps outputs that are not shown whole.
    pub blobs: &'a Blobs,
    /// The journal.
    pub events: &'a mut dyn EventSink,
    /// When the trial's time is up.
    pub deadline: Option<Instant>,
    /// Bounds of single calls.
    pub limits: ToolLimits,
    /// Set by whoever wants everything to end.
    pub stop: &'a AtomicBool,
    /// Is told of what a command writes while it runs.
    pub watch: Option<&'a mut Watch<'a>>,
    /// What tools remember.
    pub state: &'a mut ToolState,
    /// What some tools need besides.
    pub ground: Ground<'a>,
}

/// What some tools need besides; a tool that misses something says so.
#[derive(Clone, Copy, Default)]
pub struct Ground<'a> {
    /// What the box is.
    pub platform: Option<&'a Platform>,
    /// Packages that the box's image was made with on purpose.
    pub base_packages: &'a [String],
    /// Fetches pages, under the policy of the box's door.
    pub pages: Option<&'a dyn PageSource>,
    /// Searches the web.
    pub searcher: Option<&'a dyn WebSearcher>,
    /// Where the task's source comes from: a search tells of no page of it, because that is the answer key.
    pub solution: Option<&'a PinnedSource>,
    /// Rebuilds the package that is to be repaired.
    pub rebuilds: Option<&'a dyn PackageRebuilds>,
}

/// Bounds of single calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLimits {
    /// Bytes of an answer's text; what is over is left out in the middle, kept in the store, and counted.
    pub answer_bytes: usize,
    /// Wall-clock time of a command for which the model names none.
    pub command: Duration,
    /// Wall-clock time of any one command.
    pub command_most: Duration,
    /// Bytes of each output stream of a command that are kept at all.
    pub output_bytes: u64,
    /// Bytes of one file that are looked at.
    pub file_bytes: u64,
    /// Bytes of all files of one search.
    pub tree_bytes: u64,
    /// Wall-clock time of looking through a tree.
    pub look: Duration,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            answer_bytes: 20_000,
            command: Duration::from_mins(10),
            command_most: Duration::from_mins(30),
            output_bytes: 64 << 20,
            file_bytes: 32 << 20,
            tree_bytes: 1 << 30,
            look: Duration::from_mins(1),
        }
    }
}

impl World<'_> {
    /// The time that a command gets of what it wants: never more than one command may take, nor than the trial has left.
    pub(crate) fn time_for(&self, wanted: Duration) -> Result<Duration, ToolFailure> {
        self.check_stop()?;
        let time = wanted.min(self.limits.command_most);
        let Some(deadline) = self.deadline else { return Ok(time) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ToolFailure::told("the time of this task is up; nothing was run"));
        }
        Ok(time.min(left))
    }

    /// An error when everything shall end.
    pub(crate) fn check_stop(&self) -> Result<(), ToolFailure> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(ToolsError::Interrupted.into());
        }
        Ok(())
    }

    /// Writes to the journal.
    pub(crate) fn emit(&mut self, event: Event) -> Result<(), ToolFailure> {
        self.events.emit(event).map_err(|error| ToolsError::Sink(error).into())
    }
}
