//! What a configuration that got through says it did not find: packages with which more might be built.

use seatrial_packages::Key;

use crate::pattern::Pattern;

static CMAKE: Pattern = Pattern::new(
    r"(?m)^-- Could NOT find ([A-Za-z][A-Za-z0-9_+-]*)|([A-Za-z][A-Za-z0-9_+-]{2,}) (?:librar(?:y|ies) )?(?:was |were )?not found(?:[.,( ]|$)",
);
static MODULE: Pattern = Pattern::new(
    r"(?m)No package '([^']+)' found|Package '([^']+)', required by|Package ([a-z0-9][\w.+-]*) was not found in the pkg-config|(?:Run-time|Build-time) dependency ([\w.+-]+) found: NO|^checking for ([a-z][\w.+-]*) >=? ?[\d.]+\.\.\. no|^checking for ([a-z][a-z0-9]*-[\d.]+)\.\.\. no",
);
static LIBRARY: Pattern =
    Pattern::new(r"(?m)^checking for [^\n]* in -l([A-Za-z0-9_+-]+)\.\.\. no|Library ([A-Za-z0-9_+-]+) found: NO");

/// Names that stand for documents, tests, other languages or the compiler, and words that stand before "not found".
const OTHERS: &[&str] = &[
    "doxygen",
    "sphinx",
    "latex",
    "git",
    "java",
    "jni",
    "swig",
    "perl",
    "perllibs",
    "ruby",
    "pythoninterp",
    "pythonlibs",
    "python",
    "python2",
    "python3",
    "cuda",
    "cudatoolkit",
    "mpi",
    "openmp",
    "gtest",
    "gmock",
    "googletest",
    "catch2",
    "cppunit",
    "cppcheck",
    "benchmark",
    "valgrind",
    "doctest",
    "pandoc",
    "asciidoc",
    "asciidoctor",
    "clangformat",
    "clangtidy",
    "clang-format",
    "clang-tidy",
    "ccache",
    "lcov",
    "gcovr",
    "subversion",
    "mercurial",
    "library",
    "libraries",
    "header",
    "headers",
    "file",
    "files",
    "package",
    "program",
    "compiler",
    "module",
    "modules",
    "feature",
    "threads",
    "directory",
    "and",
    "was",
    "were",
    "but",
    "are",
    "backtrace",
    "nsl",
    "socket",
    "oracle",
    "cxx",
    "lib",
];

/// Names that a log says were not found, each as the keys that may provide it, best first.
pub(super) fn names(log: &[u8]) -> Vec<Vec<Key>> {
    let text = String::from_utf8_lossy(log);
    let mut seen: Vec<String> = Vec::new();
    let mut is_new = |name: &str| {
        let lower = name.to_ascii_lowercase();
        let new = !OTHERS.contains(&lower.as_str()) && !seen.contains(&lower);
        if new {
            seen.push(lower);
        }
        new
    };
    let mut found = Vec::new();
    for name in MODULE.all(&text) {
        if is_new(name) {
            found.push(vec![Key::PkgConfig(name.to_owned())]);
        }
    }
    for name in CMAKE.all(&text) {
        if is_new(name) {
            let lower = name.to_ascii_lowercase();
            found.push(vec![
                Key::CMake(name.to_owned()),
                Key::PkgConfig(lower.clone()),
                Key::Library(lower),
            ]);
        }
    }
    for name in LIBRARY.all(&text) {
        if is_new(name) {
            found.push(vec![Key::Library(name.to_owned())]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_configuration_lives_without_is_named() {
        assert!(CMAKE.compiles() && MODULE.compiles() && LIBRARY.compiles());
        let log = "-- Could NOT find Doxygen (missing: DOXYGEN_EXECUTABLE)\n-- Could NOT find ODBC (missing: ODBC_LIBRARY)\n\
            -- \u{1b}[4mWARNING: PostgreSQL libraries not found, some features will be disabled.\n-- MySQL not found.\n\
            -- Looking for __arm__ - not found\nchecking for winsock2.h... no\nchecking for main in -lgpm... no\n\
            checking for glib-2.0 >= 2.4... no\nRun-time dependency libsystemd found: NO (tried pkgconfig)\n";
        let names: Vec<String> = names(log.as_bytes())
            .into_iter()
            .filter_map(|keys| keys.first().map(ToString::to_string))
            .collect();
        assert_eq!(
            names,
            [
                "pkg-config module `glib-2.0`",
                "pkg-config module `libsystemd`",
                "CMake package `ODBC`",
                "CMake package `PostgreSQL`",
                "CMake package `MySQL`",
                "library `gpm`"
            ]
        );
    }
}
