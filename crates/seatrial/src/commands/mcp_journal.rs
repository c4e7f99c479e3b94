//! The journal of a session of `seatrial mcp`, which also counts.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use seatrial_core::{Event, EventSink, SinkError};
use seatrial_store::Journal;

/// How often tools were used, and how often the answer was remembered from an earlier use. Clones are one count.
#[derive(Debug, Clone, Default)]
pub(super) struct Uses(Arc<(AtomicU64, AtomicU64)>);

impl Uses {
    /// A journal whose uses of tools are counted here.
    pub(super) fn of(&self, journal: Journal) -> Counted {
        Counted {
            journal,
            uses: self.clone(),
        }
    }

    /// What was counted, for a person; nothing when no tool was used.
    pub(super) fn text(&self) -> Option<String> {
        let (all, cached) = (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed));
        match (all, cached) {
            (0, _) => None,
            (_, 0) => Some(format!("{all} uses of tools")),
            _ => Some(format!("{all} uses of tools, {cached} answered from the cache")),
        }
    }
}

/// A journal that counts.
pub(super) struct Counted {
    journal: Journal,
    uses: Uses,
}

impl EventSink for Counted {
    fn emit(&mut self, event: Event) -> Result<(), SinkError> {
        if let Event::ToolCalled(record) = &event {
            self.uses.0.0.fetch_add(1, Ordering::Relaxed);
            self.uses.0.1.fetch_add(u64::from(record.cached), Ordering::Relaxed);
        }
        self.journal.emit(event)
    }
}
