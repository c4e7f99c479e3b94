//! The signatures: one row each.
//!
//! Order matters: the first row that fits a line decides. Patterns see a readable line: quotes are apostrophes, and
//! there are no colours, clocks or counters before it. A row has a name so that a test can hold that every row fires on
//! its samples and on nothing else's.
//!
//! To add a file of rows: declare it and its samples below, and name each in `FILES` and in `SAMPLES`. Special rows
//! stand before general ones; `build` ends with the most general ones, hence it stays last.

mod architecture;
mod build;
mod build_files;
#[cfg(test)]
mod build_files_samples;
#[cfg(test)]
mod build_samples;
mod cmake;
#[cfg(test)]
mod cmake_samples;
mod configure;
#[cfg(test)]
mod configure_samples;
mod go_rust;
#[cfg(test)]
mod go_rust_samples;
mod java;
#[cfg(test)]
mod java_samples;
mod language;
mod languages;
#[cfg(test)]
mod languages_samples;
mod link;
mod machine;
#[cfg(test)]
mod machine_samples;
#[cfg(test)]
mod more_packaging_samples;
#[cfg(test)]
mod more_test_samples;
#[cfg(test)]
mod more_tree_samples;
#[cfg(test)]
mod native_samples;
mod node;
#[cfg(test)]
mod node_samples;
mod packaging;
#[cfg(test)]
mod packaging_samples;
mod python;
#[cfg(test)]
mod python_samples;
mod recipes;
#[cfg(test)]
mod recipes_samples;
mod rpm;
#[cfg(test)]
mod rpm_samples;
mod runners;
#[cfg(test)]
mod runners_samples;
#[cfg(test)]
mod samples;
mod scripting;
#[cfg(test)]
mod scripting_samples;
#[cfg(test)]
mod table;
mod tests;
#[cfg(test)]
mod tests_samples;
mod tree;
#[cfg(test)]
mod tree_samples;
mod wanted;
#[cfg(test)]
mod wanted_samples;

use crate::{Class, Kind, Remedy, cure::Cure};

/// The files of rows, in the order in which they are tried.
static FILES: &[&[Row]] = &[
    build_files::ROWS,
    cmake::ROWS,
    recipes::ROWS,
    tree::ROWS,
    architecture::ROWS,
    link::ROWS,
    language::ROWS,
    machine::ROWS,
    packaging::ROWS,
    scripting::ROWS,
    rpm::ROWS,
    languages::ROWS,
    python::ROWS,
    java::ROWS,
    node::ROWS,
    go_rust::ROWS,
    configure::ROWS,
    tests::ROWS,
    wanted::ROWS,
    runners::ROWS,
    build::ROWS,
];

/// The samples of the rows, in any order.
#[cfg(test)]
static SAMPLES: &[&[samples::Sample]] = &[
    cmake_samples::SAMPLES,
    configure_samples::SAMPLES,
    build_samples::SAMPLES,
    native_samples::SAMPLES,
    tree_samples::SAMPLES,
    packaging_samples::SAMPLES,
    recipes_samples::SAMPLES,
    languages_samples::SAMPLES,
    python_samples::SAMPLES,
    machine_samples::SAMPLES,
    java_samples::SAMPLES,
    node_samples::SAMPLES,
    go_rust_samples::SAMPLES,
    tests_samples::SAMPLES,
    build_files_samples::SAMPLES,
    rpm_samples::SAMPLES,
    more_packaging_samples::SAMPLES,
    more_test_samples::SAMPLES,
    more_tree_samples::SAMPLES,
    runners_samples::SAMPLES,
    scripting_samples::SAMPLES,
    wanted_samples::SAMPLES,
];

/// How a problem weighs when the root cause is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Whatever else is said follows from it: the machine gave out.
    Machine,
    /// The configuration stopped here.
    Configure,
    /// An error of the build.
    Build,
    /// An error of the tools that make packages.
    Package,
    /// A test failed.
    Test,
    /// The configuration stopped here, and its words name nothing.
    Stop,
    /// Says that something went wrong, not what.
    Weak,
}

/// Which of several problems of one weight is nearer to the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// The first: compilers and linkers, whose later errors follow from earlier ones.
    First,
    /// The last: solvers, configurations that list what they tried, chains of exceptions.
    Last,
}

/// What a row is tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A line.
    Line,
    /// A line and so many lines after it, joined by line feeds; the row's marks stand in the first one.
    Lines(u8),
    /// A whole `CMake Error` message, its wrapped lines joined by one blank each, its paragraphs by line feeds.
    CMake,
}

/// How the captured text becomes subjects.
#[derive(Debug, Clone, Copy)]
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
    /// Whatever a function makes of the captured groups (in order, those that took part): kinds with their subjects. None
    /// means that the row does not fit after all, and the next one is tried.
    By(fn(&[String]) -> Vec<(Kind, String)>),
}

/// Remedies of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cures {
    /// What cures problems of the kind by nature.
    OfKind,
    /// These, best first.
    These(&'static [Cure]),
    /// What a function says of kind, subject and captured groups.
    By(fn(Kind, &str, &[String]) -> Vec<Remedy>),
}

/// A signature.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The class, where it is not the kind's own.
    pub(crate) class: Option<Class>,
    pub(crate) weight: Weight,
    pub(crate) direction: Direction,
    pub(crate) scope: Scope,
    /// In percent; 0 stands for what is usual for the weight and the kind.
    pub(crate) confidence: u8,
    /// The first group that took part is the subject.
    pub(crate) pattern: &'static str,
    /// A line that fits this too is not meant; empty when there is no such exception.
    pub(crate) unless: &'static str,
    pub(crate) subject: Subject,
    pub(crate) cures: Cures,
    /// Literal texts one of which stands in every line that the row fits. Where there are none, they are derived from the
    /// pattern.
    pub(crate) marks: &'static [&'static str],
}

/// A row whose subject is what its pattern captures.
const fn row(name: &'static str, kind: Kind, weight: Weight, pattern: &'static str) -> Row {
    Row {
        name,
        kind,
        class: None,
        weight,
        direction: Direction::First,
        scope: Scope::Line,
        confidence: 0,
        pattern,
        unless: "",
        subject: Subject::Whole,
        cures: Cures::OfKind,
        marks: &[],
    }
}

impl Row {
    const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }

    const fn subject(self, subject: Subject) -> Self {
        Self { subject, ..self }
    }

    /// Of several such problems the last one counts.
    const fn last(self) -> Self {
        Self {
            direction: Direction::Last,
            ..self
        }
    }

    /// The pattern is tried on the line and `count` lines after it, joined by line feeds, indentation kept. Name the
    /// marks of the first line with [`Row::marks`].
    const fn with_next(self, count: u8) -> Self {
        Self {
            scope: Scope::Lines(count),
            ..self
        }
    }

    /// The row is for whole messages of CMake's.
    const fn message(self) -> Self {
        Self {
            scope: Scope::CMake,
            ..self
        }
    }

    const fn class(self, class: Class) -> Self {
        Self {
            class: Some(class),
            ..self
        }
    }

    const fn confidence(self, confidence: u8) -> Self {
        Self { confidence, ..self }
    }

    const fn remedies(self, cures: &'static [Cure]) -> Self {
        Self {
            cures: Cures::These(cures),
            ..self
        }
    }

    const fn remedies_by(self, cures: fn(Kind, &str, &[String]) -> Vec<Remedy>) -> Self {
        Self {
            cures: Cures::By(cures),
            ..self
        }
    }

    /// Literal texts one of which stands in every (first) line that the row fits. They are looked for in the raw log:
    /// no quotes in them, nothing that colours may break up, and nothing that stands in ordinary lines of a build.
    const fn marks(self, marks: &'static [&'static str]) -> Self {
        Self { marks, ..self }
    }
}

/// All rows, in the order in which they are tried.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> + Clone {
    FILES.iter().copied().flatten()
}
