//! The signatures: one row each.
//!
//! Order matters: the first row that fits a line decides. Patterns see a readable line: quotes are apostrophes, and
//! there are no colours. A row has a name so that a test can hold that every row fires on its samples and on nothing
//! else's.

mod build;
mod cmake;
#[cfg(test)]
mod cmake_samples;
mod configure;
#[cfg(test)]
mod samples;

use crate::Kind;

/// How a problem weighs when the root cause is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Whatever else is said follows from it: the machine gave out.
    Machine,
    /// The configuration stopped here.
    Configure,
    /// An error of the build.
    Build,
    /// The configuration stopped here, and its words name nothing.
    Stop,
    /// Says that something went wrong, not what.
    Weak,
}

/// How the captured text becomes subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// As captured.
    Whole,
    /// Several names between blanks, commas and quotes.
    Many,
    /// The last component of a path.
    BaseName,
    /// The row has one subject of its own.
    Fixed(&'static str),
    /// Modules of Qt, as qmake spells them.
    QtModules,
    /// A CMake package and, in the second group, what of it is missing.
    CMakePackage,
    /// A language that CMake has no compiler for.
    CMakeLanguage,
    /// A command of a CMake package that was not loaded.
    CMakeCommand,
    /// A target in a package's namespace.
    CMakeTarget,
    /// A file that CMake includes, its ending left out.
    CMakeInclude,
    /// A component of Qt.
    QtComponent,
}

/// A signature.
#[derive(Debug)]
pub(crate) struct Row {
    #[cfg_attr(not(test), expect(dead_code, reason = "names a row to the tests and to a reader"))]
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) weight: Weight,
    /// The first group that took part is the subject.
    pub(crate) pattern: &'static str,
    /// A line that fits this too is not meant; empty when there is no such exception.
    pub(crate) unless: &'static str,
    pub(crate) subject: Subject,
}

/// A row whose subject is what its pattern captures.
const fn row(name: &'static str, kind: Kind, weight: Weight, pattern: &'static str) -> Row {
    Row {
        name,
        kind,
        weight,
        pattern,
        unless: "",
        subject: Subject::Whole,
    }
}

impl Row {
    const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }

    const fn subject(self, subject: Subject) -> Self {
        Self { subject, ..self }
    }
}

/// All rows for single lines, in the order in which they are tried.
pub(crate) fn line_rows() -> impl Iterator<Item = &'static Row> + Clone {
    configure::ROWS.iter().chain(build::ROWS)
}

/// All rows for a whole message of CMake's.
pub(crate) fn cmake_rows() -> impl Iterator<Item = &'static Row> + Clone {
    cmake::ROWS.iter()
}

/// What a line of interest holds; found by one pass over the whole log before any row is tried.
///
/// Every row's pattern, and every message that `cmake`, `prose` and `hints` know, contains one of these.
pub(crate) const MARKS: &str = concat!(
    r"rror|ERROR|\*\*\* \[|out of memory|does not exist|configure: line|configure: [0-9]|not found|NOT found|[Nn]o such|annot |could not|Could not|No rule|No package|required|ndefined|missing",
    r"|No space|quota|Killed|SIGKILL|exhausted|bad_alloc|Resource temp|Too many open|annot fork",
    r"|multiple definition|duplicate symbol|Command not|ENOENT|Can't |wrong format|not recognized|relocation R_",
    r"|No module|resolve|Failed to|name resolution|not known|unable to|submodule|mismatch|bootstrap|Please run|please run",
    r"|found: NO|\.\.\. no|: no$|CMake Warning|CMake Deprecation|has been removed|but version of|requirement",
    r"|undefined symbol|No targets|Permission denied|no acceptable|mapping|needed|disabled|couldn't|bad interpreter|Invalid conf|guess build|Unknown|FAILED",
);
