//! What a rebuilder promises.

use std::{
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_core::{Arch, Digest};
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
}

/// What became of a package, decided by what happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was built, and every payload is for the target.
    Succeeded,
    /// Its build ended with an error, made nothing, or made something for another machine.
    Failed,
    /// The dependency solver found no way to give it what it builds with.
    Unresolvable,
    /// Its recipe cannot be read, or its files are not what the recipe says.
    Broken,
    /// Its build went over a time limit.
    Timeout,
    /// Its recipe does not allow the target.
    Excluded,
    /// The machine, the network or the emulator failed: nothing is known of the package. The reason is for a person.
    Invalid(String),
}

impl State {
    /// Its name in one word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unresolvable => "unresolvable",
            Self::Broken => "broken",
            Self::Timeout => "timeout",
            Self::Excluded => "excluded",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether it says anything of the package.
    pub fn is_valid(&self) -> bool {
        !matches!(self, Self::Invalid(_))
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => write!(f, "invalid: {reason}"),
            other => f.write_str(other.as_str()),
        }
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
    /// Jobs at once; 1 when 0.
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
        self.jobs.max(1)
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
