//! Options that a project has itself: which of them leave something out, and which would build more.

use seatrial_core::{Purpose, RelaxationClass};

use super::{
    Rank, Repair, Situation,
    rules::{add, repair},
};
use crate::{
    BuildSystem::{self, Autotools, AutotoolsBootstrap, CMake, Meson},
    pattern::Pattern,
    tree::{Tree, base, is_side_folder, join, parent, strip},
};

static CMAKE_OPTION: Pattern = Pattern::new(
    r#"(?im)^[ \t]*(?:cmake_dependent_)?option\s*\(\s*"?([A-Za-z0-9_.+-]+)"?\s*("[^"\n]*")?\s*"?(on|off|true|false|yes|no|1|0)?\b"#,
);
static MESON_OPTION: Pattern =
    Pattern::new(r"(?s)option\s*\(\s*'([^']+)'\s*,[^)]*?type\s*:\s*'(boolean|feature)'(?:[^)]*?value\s*:\s*'?(\w+))?");

/// The build tool fetches something while it builds, and cannot.
static FETCHES: Pattern = Pattern::new(
    r"(?im)-(?:download|gitclone)(?:-[a-z]+)?\.cmake|failed to (?:download|clone)|could not resolve host|unable to access 'https?:",
);

/// Files with options that are read.
const FILES: usize = 50;
/// Options that are set at once.
const MOST: usize = 24;

const TESTS: &[&str] = &["TEST", "BENCH", "FUZZ"];
const DOCUMENTS: &[&str] = &["DOC", "EXAMPLE", "SAMPLE", "MANPAGE", "DEMO"];
const BINDINGS: &[&str] = &["PYTHON", "JAVA", "PERL", "RUBY", "LUA", "INTROSPECTION", "VALA", "SWIG"];

fn has_any(name: &str, words: &[&str]) -> bool {
    let upper = name.to_ascii_uppercase();
    words.iter().any(|word| upper.contains(word))
}

/// What leaving out a part counts as.
pub(super) fn part_class(part: &str) -> RelaxationClass {
    if has_any(part, TESTS) {
        RelaxationClass::Tests
    } else if has_any(part, DOCUMENTS) {
        RelaxationClass::Documents
    } else {
        RelaxationClass::Features
    }
}

/// An option of the project.
struct Own {
    name: String,
    /// What a reader is told about it.
    about: String,
    feature: bool,
    /// Whether it is off as long as nobody says otherwise; not known of many.
    off: Option<bool>,
}

/// Options that the build files of a system declare.
fn declared(tree: &Tree, system: BuildSystem, folder: &str) -> Vec<Own> {
    let mut found = Vec::new();
    match system {
        CMake => {
            let paths = tree.below(folder).filter(|path| {
                (base(path) == "CMakeLists.txt"
                    || std::path::Path::new(path).extension().is_some_and(|end| end == "cmake"))
                    && !is_side_folder(parent(strip(path, folder)))
            });
            for path in paths.take(FILES) {
                for groups in CMAKE_OPTION.groups(&tree.text(path).unwrap_or_default()) {
                    let [name, about, value] = groups.as_slice() else {
                        continue;
                    };
                    found.push(Own {
                        name: (*name).to_owned(),
                        about: (*about).to_owned(),
                        feature: false,
                        // Without a value an option of CMake's is off.
                        off: Some(matches!(
                            value.to_ascii_lowercase().as_str(),
                            "" | "off" | "false" | "no" | "0"
                        )),
                    });
                }
            }
        }
        Meson => {
            for name in ["meson_options.txt", "meson.options"] {
                let text = tree.text(&join(folder, name)).unwrap_or_default();
                for groups in MESON_OPTION.groups(&text) {
                    let [name, kind, value] = groups.as_slice() else {
                        continue;
                    };
                    found.push(Own {
                        name: (*name).to_owned(),
                        about: String::new(),
                        feature: *kind == "feature",
                        off: Some(matches!(*value, "false" | "disabled")),
                    });
                }
            }
        }
        _ => {}
    }
    found
}

/// Arguments that leave out what has one of the words in its name.
fn off(situation: &Situation<'_>, words: &[&str]) -> Vec<String> {
    let mut arguments = Vec::new();
    for option in declared(situation.tree, situation.system, situation.folder) {
        if !has_any(&option.name, words) {
            continue;
        }
        let value = match situation.system {
            CMake => "OFF",
            _ if option.feature => "disabled",
            _ => "false",
        };
        add(&mut arguments, &format!("-D{}={value}", option.name));
    }
    arguments.truncate(MOST);
    arguments
}

/// Arguments that leave out one part of the project.
pub(super) fn without(situation: &Situation<'_>, part: &str) -> Vec<String> {
    let upper = part.to_ascii_uppercase().replace(['-', ' '], "_");
    if upper.is_empty() || !upper.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Vec::new();
    }
    if matches!(situation.system, Autotools | AutotoolsBootstrap) {
        let name = upper.to_ascii_lowercase().replace('_', "-");
        return vec![format!("--disable-{name}"), format!("--without-{name}")];
    }
    let word = upper.strip_suffix('S').filter(|word| word.len() > 2).unwrap_or(&upper);
    off(situation, &[word])
}

/// When configuring does not get anywhere, or a build stops at a download: what tests, documents and examples need is
/// left out, and then the bindings to other languages. What a project fetches while it is built is most often a test
/// framework.
pub(super) fn side_parts(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    let (why, rank) = match situation.phase {
        Purpose::Configure => ("configuring does not get through with them", Rank::Guess),
        Purpose::Build if FETCHES.is_match(situation.log) => {
            ("the build fetches something that cannot be had", Rank::After)
        }
        _ => return,
    };
    let words = [TESTS, DOCUMENTS].concat();
    let mut arguments = off(situation, &words);
    match situation.system {
        CMake => arguments.insert(0, "-DBUILD_TESTING=OFF".to_owned()),
        Autotools | AutotoolsBootstrap => {
            arguments = [
                "--disable-doc",
                "--disable-docs",
                "--disable-gtk-doc",
                "--disable-tests",
                "--disable-werror",
                "--disable-nls",
            ]
            .map(str::to_owned)
            .to_vec();
        }
        _ => {}
    }
    let what = "leave out tests, documents and examples";
    leave_out(
        situation,
        RelaxationClass::Tests,
        "side-parts",
        what,
        why,
        rank,
        &arguments,
        found,
    );
    let arguments = off(situation, BINDINGS);
    let what = "leave out bindings to other languages";
    leave_out(
        situation,
        RelaxationClass::Features,
        "bindings",
        what,
        why,
        rank,
        &arguments,
        found,
    );
}

#[expect(
    clippy::too_many_arguments,
    reason = "the parts of one repair, which its two callers spell out"
)]
fn leave_out(
    situation: &Situation<'_>,
    class: RelaxationClass,
    rule: &str,
    what: &str,
    why: &str,
    rank: Rank,
    arguments: &[String],
    found: &mut Vec<Repair>,
) {
    if arguments.is_empty() {
        return;
    }
    found.push(repair(
        situation,
        (class, rule, ""),
        what.to_owned(),
        why.to_owned(),
        rank,
        |settings| {
            for argument in arguments {
                add(&mut settings.arguments, argument);
            }
        },
    ));
}

/// Words of options that make a build make more things.
const MORE: &[&str] = &[
    "SHARED",
    "CXX",
    "C++",
    "CPP",
    "TOOL",
    "UTIL",
    "PROGRAM",
    "CLI",
    "GUI",
    "GTK",
    "QT",
    "PLUGIN",
    "MODULE",
    "DAEMON",
    "SERVER",
    "CLIENT",
    "DRIVER",
    "BACKEND",
    "APP",
    "LIBRAR",
    "EXECUTABLE",
];
/// Words of options that change how things are made, or that nobody wants in a product.
const LESS: &[&str] = &[
    "TEST",
    "BENCH",
    "FUZZ",
    "DOC",
    "EXAMPLE",
    "SAMPLE",
    "DEMO",
    "DEBUG",
    "SANIT",
    "ASAN",
    "UBSAN",
    "TSAN",
    "COVERAGE",
    "GCOV",
    "PROF",
    "WERROR",
    "WARN",
    "STRICT",
    "STATIC",
    "LTO",
    "VALGRIND",
    "TRACE",
    "LOG",
    "VERBOSE",
    "MAINTAINER",
    "EXPERIMENT",
    "DEPRECAT",
    "LEGACY",
    "DISABLE",
    "WITHOUT",
    "NO_",
    "NO-",
    "ONLY",
    "SYSTEM",
    "BUNDLED",
    "EXTERNAL",
    "VENDOR",
    "WIN32",
    "WINDOWS",
    "MSVC",
    "MINGW",
    "APPLE",
    "MACOS",
    "OSX",
    "IOS",
    "ANDROID",
    "EMSCRIPTEN",
    "WASM",
    "CUDA",
    "CROSS",
    "SILENT",
    "DEPENDENCY-TRACKING",
    "FEATURE",
    "PACKAGE",
    "OPTION-CHECKING",
    "GNU-LD",
    "SYSROOT",
    "AIX",
    "PIC",
    "RPATH",
    "FAST-INSTALL",
    "LIBTOOL-LOCK",
    "STANDARD",
    "CXX_STD",
    "PEDANTIC",
    "PYTHON",
    "JAVA",
    "SWIG",
    "PERL",
    "RUBY",
];

fn makes_more(name: &str, about: &str) -> bool {
    !has_any(name, LESS)
        && !has_any(about, &["DEBUG", "TEST", "DEPRECATED", "EXPERIMENTAL"])
        && (has_any(name, MORE) || has_any(about, &["C++", "SHARED LIB", "PROGRAM", "PLUGIN", "UTILIT"]))
}

static HELP: Pattern =
    Pattern::new(r"(?m)^  --((?:enable|with)-[a-z0-9][a-z0-9+_-]*)(?:\[=[^\]\n]*\])?(?:[ \t]+|\n[ \t]+)([^\n]*)");

/// Arguments that switch on what a project leaves off and that may make more. `help` is what its configure script says.
pub(crate) fn switched_on(tree: &Tree, system: BuildSystem, folder: &str, help: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    for option in declared(tree, system, folder) {
        if option.off == Some(true) && makes_more(&option.name, &option.about) {
            let value = match system {
                CMake => "ON",
                _ if option.feature => "enabled",
                _ => "true",
            };
            add(&mut arguments, &format!("-D{}={value}", option.name));
        }
    }
    for groups in HELP.groups(help) {
        let [name, about] = groups.as_slice() else { continue };
        let lower = about.to_ascii_lowercase();
        let is_default = [
            "default=yes",
            "default: yes",
            "default is yes",
            "default yes",
            "default=auto",
            "enabled",
            "default: auto",
        ]
        .iter()
        .any(|word| lower.contains(word));
        if !is_default && makes_more(name, about) {
            add(&mut arguments, &format!("--{name}"));
        }
    }
    arguments.truncate(MOST);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn what_is_off_and_makes_more_is_told_from_what_changes_the_way() {
        assert!(CMAKE_OPTION.compiles() && MESON_OPTION.compiles() && FETCHES.compiles() && HELP.compiles());
        let folder = lay(&[
            (
                "CMakeLists.txt",
                "project(x)\noption(SHIP_ENABLE_CXX \"The wrapper for C++\" OFF)\noption(SHIP_TOOLS \"Tools\")\noption(SHIP_CLI \"x\" ON)\n\
                 option(SHIP_TESTS \"Programs for tests\" OFF)\noption(SHIP_ASAN \"x\" OFF)\noption(SHIP_NO_TOOLS \"x\" OFF)\n",
            ),
            (
                "meson_options.txt",
                "option('cli', type: 'boolean', value: false)\noption('gui', type: 'feature', value: 'disabled')\noption('tools', type: 'boolean', value: true)\n",
            ),
        ]);
        let tree = Tree::scan(folder.path());
        assert_eq!(
            switched_on(&tree, CMake, "", ""),
            ["-DSHIP_ENABLE_CXX=ON", "-DSHIP_TOOLS=ON"]
        );
        assert_eq!(switched_on(&tree, Meson, "", ""), ["-Dcli=true", "-Dgui=enabled"]);
        let help = "Optional Features:\n  --disable-option-checking  ignore\n  --enable-FEATURE[=ARG]  include FEATURE [ARG=yes]\n  \
                    --enable-silent-rules   less verbose\n  --enable-shared[=PKGS]  build shared libraries [default=yes]\n  \
                    --enable-cxx-wrapper    Build the wrapper\n  --with-gtk4\n                          Use GTK 4\n  --with-gnu-ld   assume\n";
        assert_eq!(
            switched_on(&tree, Autotools, "", help),
            ["--enable-cxx-wrapper", "--with-gtk4"]
        );
        let plain = "  --enable-shared    Build a shared library\n";
        assert_eq!(switched_on(&tree, Autotools, "", plain), ["--enable-shared"]);
    }
}
