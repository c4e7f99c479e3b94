//! What a rebuilder promises.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_core::{Arch, Digest, RebuildState as State};
use seatrial_packaging::Package;
use seatrial_sandbox::Limits;
use serde::{Deserialize, Serialize};

use crate::{Payload, RebuildError, SourcePackage};

/// Rebuilds packages from clean on a target.
pub trait Rebuilder {
    /// Its name, such as `local-debian`.
    fn name(&self) -> &'static str;

    /// Rebuilds a package for a target. How the package fares is an outcome; an error is the caller's or our own.
    fn rebuild(
        &self,
        package: &SourcePackage,
        target: Arch,
        request: &RebuildRequest,
        listener: &mut dyn Listener,
    ) -> Result<Outcome, RebuildError>;

    /// Packs an opened package as it is now and rebuilds that: what is rebuilt is what was edited.
    fn rebuild_opened(
        &self,
        package: &Package,
        target: Arch,
        request: &RebuildRequest,
        listener: &mut dyn Listener,
    ) -> Result<Outcome, RebuildError> {
        let folder = tempfile::tempdir()?;
        let packed = SourcePackage::pack(package, &folder.path().join("package"))?;
        self.rebuild(&packed, target, request, listener)
    }
}

/// How a package is built for a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// In a box of the target's architecture, emulated where the machine is not of it. This proves.
    #[default]
    Native,
    /// With a cross compiler in a box of this machine's architecture, where programs of the target run in the emulator.
    /// About ten times cheaper than emulating everything, and no proof: the tests of the package are mostly not run, and
    /// build systems look at the wrong machine.
    Cross,
}

/// Which binary packages are built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Binaries {
    /// All of them.
    #[default]
    All,
    /// Those of the target's architecture only, as a distribution's build machines do.
    Architecture,
}

/// Bounds on time. Those of a build are multiplied by [`EMULATED_FACTOR`](crate::EMULATED_FACTOR) when it is emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimits {
    /// Getting and installing what it builds with. Going over it is `Invalid`: the mirror or the machine is slow.
    pub resolve: Duration,
    /// The build.
    pub build: Duration,
    /// The time that a build may be silent.
    pub idle: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            resolve: Duration::from_mins(20),
            build: Duration::from_mins(30),
            idle: Duration::from_mins(5),
        }
    }
}

/// What is asked of a rebuilder.
#[derive(Debug, Clone, Default)]
pub struct RebuildRequest {
    /// How.
    pub mode: Mode,
    /// Which binary packages.
    pub binaries: Binaries,
    /// Debian's build profiles, such as `nocheck`.
    pub profiles: Vec<String>,
    /// Debian's build options, such as `nocheck`; how many jobs run at once is told by `jobs`.
    pub options: Vec<String>,
    /// Jobs at once; when 0, as many as there are processors.
    pub jobs: usize,
    /// Bounds of the boxes.
    pub limits: Limits,
    /// Bounds on time.
    pub time: TimeLimits,
    /// Ends it when set, from any thread.
    pub stop: Option<Arc<AtomicBool>>,
}

impl RebuildRequest {
    /// Jobs at once, at least one.
    pub(crate) fn jobs(&self) -> usize {
        match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            jobs => jobs,
        }
    }
}

/// The line of a log behind which the build itself stands. What stands before it differs from one rebuild to the next.
pub const BUILD_BEGINS: &str = "seatrial: the build begins";

/// A part of a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Getting and installing what the package builds with.
    Resolve,
    /// Laying the source into a fresh box and unpacking it.
    Unpack,
    /// The build.
    Build,
    /// Taking out what was built and looking at it.
    Inspect,
}

/// Hears how a rebuild goes.
pub trait Listener {
    /// A part begins.
    fn phase(&mut self, _phase: Phase) {}

    /// Some bytes of the log.
    fn output(&mut self, _bytes: &[u8]) {}
}

/// Hears nothing.
impl Listener for () {}

/// Hears the log.
pub struct Heard<'a>(pub &'a mut dyn FnMut(&[u8]));

impl Listener for Heard<'_> {
    fn output(&mut self, bytes: &[u8]) {
        (self.0)(bytes);
    }
}

/// How long a part took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The part.
    pub phase: Phase,
    /// Wall-clock milliseconds.
    pub wall_ms: u64,
    /// Processor milliseconds in the box.
    pub cpu_ms: u64,
}

/// How a rebuild ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What became of it.
    pub state: State,
    /// One or a few lines for a person: what is missing, which file is for another machine, how the build ended.
    pub details: String,
    /// Names of what the solver could not give.
    pub missing: Vec<String>,
    /// The whole log; its first lines say what was built, where and when. None when nothing was run.
    pub log: Option<Digest>,
    /// Wall-clock time of everything.
    pub duration: Duration,
    /// The parts of it.
    pub spent: Vec<Spent>,
    /// Whether a processor of another kind was emulated.
    pub emulated: bool,
    /// The emulator and its version, where there was one.
    pub emulator: Option<String>,
    /// Whether it proves anything: a cross build does not.
    pub proof: bool,
    /// What was built.
    pub payloads: Vec<Payload>,
    /// The digest of the source package that was built: a log and a verdict belong to it and to no other.
    pub source: Digest,
    /// The target.
    pub target: Arch,
    /// Who built it.
    pub builder: String,
    /// How.
    pub mode: Mode,
}
