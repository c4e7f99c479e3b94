//! A trial's way to the network: recorded while it is solved, replayed while it is graded.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use seatrial_core::{MOST_REFUSALS, NetworkRecord, Refusal, RefusalKind};
use seatrial_egress::{AllowList, DoorEvent, DoorSpec, Egress, Policy};
use seatrial_sandbox::Network;
use serde::{Deserialize, Serialize};

use crate::TrialError;

/// The file of a trial's folder that indexes what was recorded.
const INDEX: &str = "network.jsonl";

/// What boxes of a run may reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum NetworkPlan {
    /// While a trial is solved every answer is recorded; it is graded from the record alone.
    Recorded {
        /// What may be asked for.
        allow: AllowList,
    },
    /// Any public address, also while it is graded. The result may depend on the day.
    Open,
    /// Nothing.
    Off,
}

impl NetworkPlan {
    /// Its name in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Recorded { .. } => "recorded",
            Self::Open => "open",
            Self::Off => "none",
        }
    }

    /// What runs had before a lock said it.
    pub(crate) fn of_old_locks() -> Self {
        Self::Open
    }
}

/// How the boxes of a run reach the network.
#[derive(Clone, Copy)]
pub struct Networks<'a> {
    /// What they may reach.
    pub plan: &'a NetworkPlan,
    /// Opens their doors.
    pub egress: &'a Egress,
}

/// The two networks of one trial, and what goes through them.
pub(crate) struct TrialNetwork {
    /// While it is solved, and where something is recorded after that.
    pub(crate) live: Network,
    /// While it is graded.
    pub(crate) sealed: Network,
    log: Arc<Mutex<Log>>,
    plan: NetworkPlan,
    /// What the live network refused: recording it again would not help.
    forbidden: HashSet<String>,
    /// Whether a gap was among the refusals that were only counted.
    unnamed_gap: bool,
}

impl TrialNetwork {
    /// Makes the networks of a trial that keeps its record in `folder`; without any, its boxes have none.
    pub(crate) fn new(networks: Option<Networks<'_>>, folder: &Path) -> Result<Self, TrialError> {
        let log = Arc::new(Mutex::new(Log::default()));
        let Some(Networks { plan, egress }) = networks else {
            return Ok(Self {
                live: Network::Off,
                sealed: Network::Off,
                log,
                plan: NetworkPlan::Off,
                forbidden: HashSet::new(),
                unnamed_gap: false,
            });
        };
        let door = |policy: Policy, index: bool| {
            let log = Arc::clone(&log);
            let door = egress.door(DoorSpec {
                policy,
                index: index.then(|| folder.join(INDEX)),
                observer: Arc::new(move |event| lock(&log).take(event)),
            });
            door.map(Network::Door)
        };
        let (live, sealed) = match plan {
            NetworkPlan::Off => (Network::Off, Network::Off),
            NetworkPlan::Open => (door(Policy::Open, false)?, door(Policy::Open, false)?),
            NetworkPlan::Recorded { allow } => {
                (door(Policy::Record(allow.clone()), true)?, door(Policy::Replay, true)?)
            }
        };
        Ok(Self {
            live,
            sealed,
            log,
            plan: plan.clone(),
            forbidden: HashSet::new(),
            unnamed_gap: false,
        })
    }

    /// Forgets what a process recorded that was killed while it solved the same trial: a replay gives the oldest answer
    /// first, and that of another day does not fit what the agent has seen.
    pub(crate) fn forget(folder: &Path) -> std::io::Result<()> {
        match fs_err::remove_file(folder.join(INDEX)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// What went through since this was last asked; `None` when nothing did.
    pub(crate) fn spent(&mut self, phase: Phase) -> Option<NetworkRecord> {
        let log = std::mem::take(&mut *lock(&self.log));
        self.unnamed_gap = log.unnamed_gap;
        let mut record = log.record;
        let policy = match (&self.plan, phase) {
            (NetworkPlan::Off, _) => "none",
            (NetworkPlan::Open, _) => "open",
            (NetworkPlan::Recorded { .. }, Phase::Live) => "record",
            (NetworkPlan::Recorded { .. }, Phase::Sealed) => "replay",
        };
        policy.clone_into(&mut record.policy);
        let forbidden = record
            .refusals
            .iter()
            .filter(|refusal| refusal.kind == RefusalKind::Forbidden);
        self.forbidden.extend(forbidden.map(|refusal| refusal.request.clone()));
        (record.answered > 0 || !record.refusals.is_empty()).then_some(record)
    }

    /// Whether something was asked for that is not in the record and could be.
    pub(crate) fn has_gaps(&self, record: &NetworkRecord) -> bool {
        self.unnamed_gap
            || record
                .refusals
                .iter()
                .any(|refusal| refusal.kind == RefusalKind::Unrecorded && !self.forbidden.contains(&refusal.request))
    }
}

/// Which of a trial's networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The one that reaches out.
    Live,
    /// The one that grading uses.
    Sealed,
}

/// What went through since somebody last asked.
#[derive(Default)]
struct Log {
    record: NetworkRecord,
    /// Whether something was not in the record, among the refusals that are only counted.
    unnamed_gap: bool,
}

impl Log {
    fn take(&mut self, event: DoorEvent) {
        let (kind, asked, reason) = match event {
            DoorEvent::Passed { bytes, .. } | DoorEvent::Recorded { bytes, .. } | DoorEvent::Replayed { bytes, .. } => {
                self.record.answered += 1;
                self.record.bytes += bytes;
                return;
            }
            DoorEvent::Refused { asked, reason } => (RefusalKind::Forbidden, asked.to_string(), reason),
            DoorEvent::Missing { asked, reason } => (RefusalKind::Unrecorded, asked.to_string(), reason),
            DoorEvent::Failed { asked, reason } => (RefusalKind::Unreachable, asked.to_string(), reason),
            DoorEvent::Unintelligible { port, reason } => (RefusalKind::Forbidden, format!("port {port}"), reason),
            // Asking for a name leads nowhere by itself; and what could not be kept was answered, and a replay that misses it
            // says so.
            DoorEvent::Resolved { .. } | DoorEvent::Unrecorded { .. } => return,
        };
        if self.record.refusals.len() < MOST_REFUSALS {
            self.record.refusals.push(Refusal {
                kind,
                request: shortened(asked),
                reason: shortened(reason),
            });
        } else {
            self.record.more_refusals += 1;
            self.unnamed_gap |= kind == RefusalKind::Unrecorded;
        }
    }
}

/// As much of a text as a line of a journal should hold: a box can ask for anything, in any length.
fn shortened(mut text: String) -> String {
    const MOST: usize = 500;
    if text.len() > MOST {
        let end = (0..=MOST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}

fn lock(log: &Mutex<Log>) -> std::sync::MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
