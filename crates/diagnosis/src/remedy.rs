//! What may cure a problem. A diagnosis names it; carrying it out is for whoever builds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Flags of which tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlagsOf {
    /// The C compiler.
    C,
    /// The C++ compiler.
    Cxx,
    /// Both.
    COrCxx,
    /// The Fortran compiler.
    Fortran,
    /// The linker, by way of the compiler.
    Linker,
}

/// One thing to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Remedy {
    /// Install whatever provides the problem's subject.
    Provide,
    /// Install what provides another name: of the kind `of`, such as `command`.
    ProvideOther {
        /// `header`, `command`, `library`, `pkg_config`, `cmake`, `macro`, `python` or `path`.
        of: String,
        /// The name.
        name: String,
    },
    /// Add flags after all others.
    AddFlags {
        /// Whose.
        to: FlagsOf,
        /// The flags.
        flags: Vec<String>,
    },
    /// Leave a flag out.
    DropFlag {
        /// The flag.
        flag: String,
    },
    /// Compile for another language standard, such as `gnu17` or `c++17`.
    Standard {
        /// The standard.
        standard: String,
    },
    /// Include a header before the source.
    Include {
        /// The header.
        header: String,
    },
    /// Make the Autotools files anew.
    Regenerate,
    /// Replace `config.guess` and `config.sub` by current ones.
    RefreshConfigGuess,
    /// Lay the git submodules.
    LaySubmodules,
    /// Set the executable bit of the tree's scripts.
    MakeExecutable,
    /// Take the carriage returns out of the tree's scripts.
    FixLineEndings,
    /// Run something that must come first, such as `./configure`.
    RunFirst {
        /// What.
        what: String,
    },
    /// Build in a folder of its own.
    BuildOutside,
    /// Remove a stale cache or stale objects.
    Clean,
    /// Fewer processes at one time.
    LessParallel,
    /// More of a resource: `disk`, `memory`, `time`.
    More {
        /// Which.
        resource: String,
    },
    /// Use another version of a tool, library or runtime.
    Version {
        /// Of what.
        of: String,
        /// Which versions, as the log says it; empty when it does not say.
        wanted: String,
    },
    /// Set a variable or option of the build.
    Set {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// Leave out an optional part of the project.
    Disable {
        /// Which.
        part: String,
    },
    /// Use another compiler, linker, make or build system.
    Use {
        /// Which.
        tool: String,
    },
    /// Try again later, with the network as it was.
    Retry,
    /// Change the package's recipe.
    EditRecipe {
        /// How.
        how: String,
    },
    /// Change the source.
    EditSource {
        /// How.
        how: String,
    },
    /// Look at a test.
    LookAtTest {
        /// Which.
        test: String,
    },
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Provide => f.write_str("install what provides it"),
            Self::ProvideOther { of, name } => write!(f, "install what provides the {of} `{name}`"),
            Self::AddFlags { flags, .. } => write!(f, "compile with `{}`", flags.join(" ")),
            Self::DropFlag { flag } => write!(f, "leave out the flag `{flag}`"),
            Self::Standard { standard } => write!(f, "compile for the standard `{standard}`"),
            Self::Include { header } => write!(f, "include <{header}>"),
            Self::Regenerate => f.write_str("make the Autotools files anew: autoreconf -fi"),
            Self::RefreshConfigGuess => f.write_str("replace config.guess and config.sub by current ones"),
            Self::LaySubmodules => f.write_str("lay the submodules: git submodule update --init --recursive"),
            Self::MakeExecutable => f.write_str("make the scripts executable: chmod +x"),
            Self::FixLineEndings => f.write_str("take the carriage returns out of the scripts"),
            Self::RunFirst { what } => write!(f, "run `{what}` first"),
            Self::BuildOutside => f.write_str("build in a folder of its own"),
            Self::Clean => f.write_str("remove stale caches and objects, then build again"),
            Self::LessParallel => f.write_str("build with fewer processes at one time"),
            Self::More { resource } => write!(f, "give it more {resource}"),
            Self::Version { of, wanted } if wanted.is_empty() => write!(f, "use another version of {of}"),
            Self::Version { of, wanted } => write!(f, "use {of} {wanted}"),
            Self::Set { name, value } => write!(f, "set {name}={value}"),
            Self::Disable { part } => write!(f, "build without {part}"),
            Self::Use { tool } => write!(f, "use {tool}"),
            Self::Retry => f.write_str("try again when the network works"),
            Self::EditRecipe { how } => write!(f, "change the package's recipe: {how}"),
            Self::EditSource { how } => write!(f, "change the source: {how}"),
            Self::LookAtTest { test } if test.is_empty() => f.write_str("look at the test"),
            Self::LookAtTest { test } => write!(f, "look at the test {test}"),
        }
    }
}
