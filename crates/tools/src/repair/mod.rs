//! Repairing a package: taken as it is in the box, rebuilt from clean elsewhere, and what came of that.
//!
//! A rebuild is always of an upload, and an upload is a copy: what is edited in the box afterwards is not in it. A state and a
//! log belong to the digest of the sources that were built, so that none is ever told of other sources.

mod check;
mod compat;
mod logs;
mod porting;
mod take;

use std::{collections::BTreeMap, time::Duration};

pub(crate) use check::{Check, ResetCache, TryBuild, Upload};
pub use compat::compat_names;
pub(crate) use compat::{CompatHistory, compat_tools};
pub(crate) use logs::CompareLogs;
pub(crate) use porting::PortingLookup;
use seatrial_core::{Arch, Digest, RebuildState};
use seatrial_packaging::Package;
use serde::{Deserialize, Serialize};
pub use take::{TakeError, Taken, take_package};

/// Rebuilds the package of a task. Whoever makes a world for repairs gives one.
pub trait PackageRebuilds {
    /// The package as it came, never edited.
    fn pristine(&self) -> &Package;

    /// Where it shall build.
    fn target(&self) -> Arch;

    /// Rebuilds a package from clean. How it fares is an outcome.
    fn rebuild(
        &self,
        package: &Package,
        order: &RebuildOrder,
        output: &mut dyn FnMut(&[u8]),
    ) -> Result<Rebuilt, RebuildsError>;
}

/// How a package is rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RebuildOrder {
    /// With a cross compiler, which is quick and proves nothing.
    pub cross: bool,
    /// Wall-clock time that the build may take.
    pub time: Duration,
}

/// Why nothing is known of a rebuild.
#[derive(Debug, thiserror::Error)]
pub enum RebuildsError {
    /// The package cannot be packed as it is; the model can mend it.
    #[error("{0}")]
    Package(String),
    /// Nothing that rebuilds was given, or it broke.
    #[error("{0}")]
    Broken(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// What came of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuilt {
    /// What became of it.
    pub state: RebuildState,
    /// One or a few lines for a reader.
    pub details: String,
    /// The whole log.
    pub log: Option<Digest>,
    /// The digest of the sources that were built.
    pub source: Digest,
    /// Whether it proves anything.
    pub proof: bool,
    /// Whether the target was emulated.
    pub emulated: bool,
    /// Wall-clock milliseconds.
    pub wall_ms: u64,
}

impl Rebuilt {
    /// Whether it is a repair: it was built from clean in a way that proves it.
    pub fn succeeded(&self) -> bool {
        self.state == RebuildState::Succeeded && self.proof
    }

    /// Whether it says anything of the package.
    pub fn is_valid(&self) -> bool {
        self.state.is_valid()
    }
}

/// What was uploaded.
#[derive(Debug)]
pub struct Uploaded {
    /// The package as it was then.
    pub package: Package,
    /// The digest of its sources.
    pub source: Digest,
    /// What is remembered of the box's age: files may have changed since.
    pub(crate) age: u64,
}

/// What is remembered of a repair.
#[derive(Debug, Default)]
pub struct RepairState {
    pub(crate) uploaded: Option<Uploaded>,
    pub(crate) uploads: u64,
    pub(crate) checks: u64,
    /// Results by sources and whether they come from a cross compiler.
    pub(crate) results: BTreeMap<(Digest, bool), Rebuilt>,
    pub(crate) last: Option<Rebuilt>,
    pub(crate) history: CompatHistory,
}

impl RepairState {
    /// The last upload.
    pub fn uploaded(&self) -> Option<&Uploaded> {
        self.uploaded.as_ref()
    }

    /// The upload that was rebuilt with success, when the last one was.
    pub fn proved(&self) -> Option<&Uploaded> {
        let uploaded = self.uploaded.as_ref()?;
        let rebuilt = self.results.get(&(uploaded.source, false))?;
        rebuilt.succeeded().then_some(uploaded)
    }

    /// What came of the last rebuild.
    pub fn last(&self) -> Option<&Rebuilt> {
        self.last.as_ref()
    }

    /// How often something was uploaded.
    pub fn uploads(&self) -> u64 {
        self.uploads
    }

    /// How often an upload was checked.
    pub fn checks(&self) -> u64 {
        self.checks
    }

    /// Forgets what came of rebuilds that were no success. A success of the last upload stays: it is the work's result.
    pub fn forget_results(&mut self) {
        self.results.retain(|_, rebuilt| rebuilt.succeeded());
    }
}
