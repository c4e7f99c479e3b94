//! What can be looked up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name of some kind that a build asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "snake_case")]
pub enum Key {
    /// A header as an `#include` writes it, such as `openssl/ssl.h`.
    Header(String),
    /// A pkg-config module, such as `gtk+-3.0`.
    PkgConfig(String),
    /// A CMake package, such as `ZLIB`: a config file, a find module of a package, or a find module of CMake itself.
    CMake(String),
    /// A library as `-l` writes it, such as `z`.
    Library(String),
    /// A program, such as `bison`.
    Command(String),
    /// An Autoconf macro, such as `AM_PATH_GTK`.
    Macro(String),
    /// A Python module, such as `mako`.
    Python(String),
    /// A file by absolute path, by its path below a search path (`XML/Parser.pm`), or by its name (`pgxs.mk`).
    Path(String),
}

/// A package that has what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The package to install.
    pub package: String,
    /// The file that answers, or a reason such as `override table`.
    pub because: String,
    /// Larger is better; comparable within one answer only.
    pub score: f64,
}

/// Answers look-ups.
pub trait Resolver: Send + Sync {
    /// The packages that have it, best first; none when nothing is known.
    fn resolve(&self, key: &Key) -> Vec<Candidate>;
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::Header(name) => ("header", name),
            Self::PkgConfig(name) => ("pkg-config module", name),
            Self::CMake(name) => ("CMake package", name),
            Self::Library(name) => ("library", name),
            Self::Command(name) => ("program", name),
            Self::Macro(name) => ("Autoconf macro", name),
            Self::Python(name) => ("Python module", name),
            Self::Path(name) => ("file", name),
        };
        write!(f, "{kind} `{name}`")
    }
}
