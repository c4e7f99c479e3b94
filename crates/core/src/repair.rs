//! Words of rebuilding and repairing packages.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kinds of source packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecipeKind {
    /// A Debian source package: a tree with `debian/`, or a `.dsc` and the files that it names.
    Debian,
    /// An RPM package as a build service stores it: one flat folder with a spec file and archives.
    Rpm,
}

impl fmt::Display for RecipeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Debian => "deb",
            Self::Rpm => "rpm",
        })
    }
}

/// What became of a package that was rebuilt, decided by what happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RebuildState {
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

impl RebuildState {
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

impl fmt::Display for RebuildState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => write!(f, "invalid: {reason}"),
            other => f.write_str(other.as_str()),
        }
    }
}

/// What a repair gives up. One without marks is a clean fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Tests that ran are gone, skipped or without effect.
    RemovesTests,
    /// Something that was built, shipped or could be done is not any more.
    RemovesFeatures,
    /// An architecture that the recipe allowed is ruled out.
    RemovesArchitectures,
    /// Something is no longer looked at by the build.
    LowersChecks,
    /// Machine code came in with the patch.
    AddsBinaries,
}

impl Mark {
    /// Its stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RemovesTests => "removes_tests",
            Self::RemovesFeatures => "removes_features",
            Self::RemovesArchitectures => "removes_architectures",
            Self::LowersChecks => "lowers_checks",
            Self::AddsBinaries => "adds_binaries",
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
