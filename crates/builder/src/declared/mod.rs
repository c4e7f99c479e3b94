//! What a project itself says that it needs, read from its build files. Nothing is looked up or installed here.

mod autotools;
mod cmake;
mod headers;
mod hints;
mod meson;
mod rarer;
mod sources;
mod tools;

use std::fmt;

use seatrial_packages::Key;
pub(crate) use sources::unconditional;

use crate::{
    BuildSystem, Plan,
    tree::{Tree, base, is_side_folder, join, parent, strip},
};

/// Build files that are read.
const FILES: usize = 300;

/// What a project declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Without these it does not build.
    pub(crate) required: Vec<Key>,
    /// With these it builds more.
    pub(crate) optional: Vec<Key>,
    /// Packages that the system itself needs, where no name leads to them; to be installed with what is required.
    pub(crate) packages: Vec<String>,
    /// What the repository mentions somewhere, to be installed only when an error names nothing.
    pub(crate) hints: Vec<Hint>,
}

/// Something that documents, CI files or manifests of the repository mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hint {
    /// A package of a distribution of this family, by its name.
    Package(String),
    /// A name that is to be looked up.
    Name(Key),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(name) => write!(f, "package {name}"),
            Self::Name(key) => key.fmt(f),
        }
    }
}

impl Declared {
    fn require(&mut self, key: Key) {
        if !self.required.contains(&key) {
            self.required.push(key);
        }
    }

    fn wish(&mut self, key: Key) {
        if !self.required.contains(&key) && !self.optional.contains(&key) {
            self.optional.push(key);
        }
    }

    fn add(&mut self, key: Key, required: bool) {
        if required { self.require(key) } else { self.wish(key) }
    }

    fn hint(&mut self, hint: Hint) {
        if !self.hints.contains(&hint) {
            self.hints.push(hint);
        }
    }
}

/// Reads the build files below a plan's root that belong to its system, its sources, and what the repository mentions.
pub(crate) fn declared(tree: &Tree, plan: &Plan) -> Declared {
    let mut declared = Declared {
        packages: plan.packages.clone(),
        ..Declared::default()
    };
    for key in &plan.needs {
        declared.require(key.clone());
    }
    let folder = plan.root.folder.as_str();
    let paths: Vec<&str> = tree
        .below(folder)
        .filter(|path| !is_side_folder(parent(strip(path, folder))) && is_build_file(plan.system, base(path)))
        .take(FILES)
        .collect();
    let texts: Vec<(&str, String)> = paths
        .into_iter()
        .map(|path| (path, tree.text(path).unwrap_or_default()))
        .collect();
    // A library that a build file makes is not looked for.
    let is_own = |name: &str| {
        let file = format!("lib{name}.");
        texts.iter().any(|(_, text)| text.contains(&file))
            || tree.has_folder(&join(folder, name))
            || tree.has_folder(&join(folder, &format!("lib{name}")))
            || tree.files().any(|path| base(path).starts_with(&file))
    };
    let mut cmake_own = cmake::Own::default();
    if plan.system == BuildSystem::CMake {
        for (_, text) in &texts {
            cmake_own.learn(text);
        }
    }
    for (path, text) in &texts {
        match plan.system {
            BuildSystem::CMake => {
                let required = module_name(path).is_some_and(|name| requires(&texts, name));
                cmake::read(tree, text, &cmake_own, required, &mut declared);
            }
            BuildSystem::Meson => meson::read(text, &mut declared),
            BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => {
                let bootstrap = plan.system == BuildSystem::AutotoolsBootstrap;
                autotools::read(text, bootstrap && base(path).starts_with("configure."), &mut declared);
            }
            BuildSystem::Scons | BuildSystem::Waf => {
                tools::read_makefile(text, &mut declared);
                rarer::read_python(text, &is_own, &mut declared);
            }
            BuildSystem::QMake => rarer::read_qmake(text, &is_own, &mut declared),
            BuildSystem::Premake | BuildSystem::Xmake => rarer::read_lua(text, &mut declared),
            _ => {
                tools::read_makefile(text, &mut declared);
                tools::read_libraries(text, &is_own, &mut declared);
            }
        }
    }
    if matches!(plan.system, BuildSystem::AutotoolsBootstrap) {
        autotools::drop_own_macros(tree, folder, &mut declared);
    }
    tools::generators(tree, folder, &mut declared);
    for key in sources::headers(tree, folder) {
        // Where its own checks say what is needed, what a source includes may be of a part that is not built.
        if asks_by_itself(plan.system) {
            declared.hint(Hint::Name(key));
        } else {
            declared.require(key);
        }
    }
    hints::read(tree, &mut declared);
    declared
}

/// Whether a file of this name is read for a system.
fn is_build_file(system: BuildSystem, name: &str) -> bool {
    let ends = |endings: &[&str]| name.rsplit_once('.').is_some_and(|(_, end)| endings.contains(&end));
    match system {
        BuildSystem::CMake => name == "CMakeLists.txt" || ends(&["cmake"]),
        BuildSystem::Meson => name == "meson.build",
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => {
            matches!(name, "configure.ac" | "configure.in" | "acinclude.m4")
                || ends(&["m4", "am"]) && name != "aclocal.m4"
        }
        BuildSystem::Make | BuildSystem::Configure | BuildSystem::Script | BuildSystem::Imake | BuildSystem::Ninja => {
            (name.to_ascii_lowercase().contains("makefile") || ends(&["mk"])) && !is_foreign_makefile(name)
        }
        BuildSystem::QMake => ends(&["pro", "pri"]),
        BuildSystem::Scons => name.eq_ignore_ascii_case("SConstruct") || name.eq_ignore_ascii_case("SConscript"),
        BuildSystem::Waf => name == "wscript",
        BuildSystem::Premake | BuildSystem::Xmake => ends(&["lua"]),
        _ => false,
    }
}

/// A makefile for another system or compiler.
fn is_foreign_makefile(name: &str) -> bool {
    const SYSTEMS: [&str; 26] = [
        "win",
        "win32",
        "win64",
        "windows",
        "mingw",
        "msc",
        "msvc",
        "vc",
        "bcc",
        "borland",
        "watcom",
        "wat",
        "dos",
        "djgpp",
        "os2",
        "mac",
        "macos",
        "osx",
        "darwin",
        "bsd",
        "freebsd",
        "sun",
        "solaris",
        "cygwin",
        "emscripten",
        "android",
    ];
    let lower = name.to_ascii_lowercase();
    lower.split(['.', '-', '_']).any(|part| SYSTEMS.contains(&part))
}

/// Whether a system's build files check for what they need, so that its sources need not be asked.
fn asks_by_itself(system: BuildSystem) -> bool {
    matches!(
        system,
        BuildSystem::CMake
            | BuildSystem::Meson
            | BuildSystem::Autotools
            | BuildSystem::AutotoolsBootstrap
            | BuildSystem::Bazel
            | BuildSystem::Gn
            // What these include is the host program's.
            | BuildSystem::KernelModule
            | BuildSystem::Phpize
            | BuildSystem::NginxModule
            | BuildSystem::LuaRock
            | BuildSystem::RPackage
            | BuildSystem::NodeAddon
            | BuildSystem::Arduino
    )
}

/// The package of a find module of the project's own.
fn module_name(path: &str) -> Option<&str> {
    base(path).strip_prefix("Find")?.strip_suffix(".cmake")
}

/// Whether a build file requires a package.
fn requires(texts: &[(&str, String)], name: &str) -> bool {
    texts.iter().any(|(_, text)| {
        text.match_indices("find_package").any(|(at, _)| {
            let call: String = text
                .get(at..)
                .unwrap_or_default()
                .chars()
                .take_while(|c| *c != ')')
                .collect();
            let words: Vec<&str> = call
                .split(['(', ' ', '\n', '\t', '\r'])
                .filter(|word| !word.is_empty())
                .collect();
            words.get(1) == Some(&name) && words.contains(&"REQUIRED")
        })
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tree::testing::lay;

    fn check(files: &[(&str, &str)], expected: &Expect) {
        let folder = lay(files);
        let tree = Tree::scan(folder.path());
        let plan = crate::plan::plans_for(&tree, &crate::detect::roots(&tree))
            .into_iter()
            .next()
            .unwrap();
        let found = declared(&tree, &plan);
        let text: String = found
            .required
            .iter()
            .map(|key| format!("needs {key}\n"))
            .chain(found.optional.iter().map(|key| format!("likes {key}\n")))
            .collect();
        expected.assert_eq(&text);
    }

    #[test]
    fn cmake_declares() {
        check(
            &[
                (
                    "CMakeLists.txt",
                    "project(x)\n# find_package(Nothing REQUIRED)\nfind_package(ZLIB REQUIRED)\nfind_package(Qt5 COMPONENTS Widgets Svg REQUIRED)\n\
                 find_package(Boost 1.60 REQUIRED COMPONENTS system filesystem)\nfind_package(Doxygen)\npkg_check_modules(GTK REQUIRED gtk+-3.0>=3.10 cairo)\n\
                 pkg_check_modules(PC_X QUIET libx)\nfind_package(Mine REQUIRED)\nfind_package(${NAME} REQUIRED)\nfind_program(FOO foo)\n",
                ),
                ("cmake/FindMine.cmake", ""),
            ],
            &expect![[r"
                needs CMake package `ZLIB`
                needs CMake package `Qt5`
                needs CMake package `Qt5Widgets`
                needs CMake package `Qt5Svg`
                needs CMake package `Boost`
                needs library `boost_system`
                needs library `boost_filesystem`
                needs pkg-config module `gtk+-3.0`
                needs pkg-config module `cairo`
                likes pkg-config module `libx`
            "]],
        );
    }

    #[test]
    fn meson_declares() {
        check(
            &[(
                "meson.build",
                "project('x')\nglib = dependency('glib-2.0', version: '>=2.40')\nopt = dependency('libfoo', required : false)\n\
                 feat = dependency('libbar', required: get_option('bar'))\nfind_program('xxd')\nfind_program('maybe', required: false)\n\
                 cc.find_library('m', required: false)\ncc.find_library('jpeg')\nthreads = dependency('threads')\n",
            )],
            &expect![[r"
                needs pkg-config module `glib-2.0`
                needs program `xxd`
                needs library `jpeg`
                likes pkg-config module `libfoo`
                likes pkg-config module `libbar`
                likes program `maybe`
            "]],
        );
    }

    #[test]
    fn autotools_declares() {
        check(
            &[
                (
                    "configure.ac",
                    "AC_INIT(x,1)\nAM_INIT_AUTOMAKE\nAM_GNU_GETTEXT([external])\nAX_PTHREAD\nMY_OWN_CHECK\nPKG_CHECK_MODULES(GLIB, glib-2.0 >= 2.8 gtk+-2.0)\n\
                 PKG_CHECK_MODULES([OPT], [libopt], [have=yes], [have=no])\nAC_CHECK_LIB(png, png_read, , AC_MSG_ERROR([no png]))\nAC_CHECK_LIB([m], [sin])\n\
                 AC_CHECK_HEADERS([stdlib.h ncurses.h])\ndnl PKG_CHECK_MODULES(NO, no)\n",
                ),
                ("m4/own.m4", "AC_DEFUN([MY_OWN_CHECK],[])"),
                ("src/grammar.y", ""),
                ("src/lexer.l", ""),
                ("src/lexer.c", ""),
            ],
            &expect![[r"
                needs pkg-config module `glib-2.0`
                needs pkg-config module `gtk+-2.0`
                needs library `png`
                needs Autoconf macro `AM_GNU_GETTEXT`
                needs Autoconf macro `AX_PTHREAD`
                likes pkg-config module `libopt`
                likes header `ncurses.h`
            "]],
        );
    }

    #[test]
    fn libraries_of_makefiles_are_needs_wishes_or_only_searched() {
        check(
            &[(
                "Makefile",
                "LIBS = -lm -lncurses -lown -lx\nLIBS_WIN = -lSDL\nifdef SOUND\nLIBS += -lasound\nendif\nall: libown.a\n\
                 SEARCH = -la1 -lb1 -lc1 -ld1 -le1 -lf1 -lg1 -lh1 -li1 -lj1 -lk1 -ll1 -lm1\n",
            )],
            &expect![[r"
                needs library `ncurses`
                likes library `asound`
            "]],
        );
    }

    #[test]
    fn headers_of_sources_are_needs_where_nothing_else_asks() {
        let sources = [
            (
                "a.c",
                "#include <stdio.h>\n#include <zlib.h>\n#ifdef HAVE_PNG\n#include <png.h>\n#endif\n#include \"own.h\"\n",
            ),
            ("win32/b.c", "#include <nobody.h>\n"),
        ];
        let with = |file: (&'static str, &'static str)| [&sources[..], &[file]].concat();
        check(
            &with(("Makefile", "all: a\n")),
            &expect![[r"
            needs header `zlib.h`
        "]],
        );
        check(&with(("CMakeLists.txt", "project(a)\n")), &expect![[""]]);
    }

    #[test]
    fn rarer_systems_declare() {
        check(
            &[(
                "SConstruct",
                "env.ParseConfig('pkg-config --cflags --libs glib-2.0')\nenv.ParseConfig('sdl-config --libs')\nconf.CheckLib('jpeg')\nProgram('a', LIBS=['m', 'png'])\n",
            )],
            &expect![[r"
                needs program `scons`
                needs pkg-config module `glib-2.0`
                needs program `sdl-config`
                likes library `jpeg`
                likes library `png`
            "]],
        );
        check(
            &[(
                "wscript",
                "def configure(conf):\n  conf.check_cfg(package='cairo', args='--cflags')\n  conf.check_cfg(package='jack', mandatory=False)\n",
            )],
            &expect![[r"
                needs program `waf`
                needs pkg-config module `cairo`
                likes pkg-config module `jack`
            "]],
        );
        check(
            &[(
                "a.pro",
                "TEMPLATE = app\nPKGCONFIG += libusb-1.0\nunix: LIBS += -lcurl -lm\nwin32 {\n  LIBS += -lbad\n}\n",
            )],
            &expect![[r"
                needs pkg-config module `Qt5Core`
                needs pkg-config module `libusb-1.0`
                needs library `curl`
            "]],
        );
    }

    #[test]
    fn cmake_of_other_systems_and_of_options_that_are_off_does_not_count() {
        check(
            &[
                (
                    "CMakeLists.txt",
                    "project(x C Fortran)\noption(GUI \"a\" OFF)\nif(WIN32)\nfind_package(A REQUIRED)\nelse()\nfind_package(B REQUIRED)\nendif()\n\
                     if(GUI)\nfind_package(C REQUIRED)\nendif()\nfind_package(Own REQUIRED)\ntarget_link_libraries(x PRIVATE y ncurses m)\nadd_library(y y.c)\n",
                ),
                (
                    "cmake/FindOwn.cmake",
                    "find_path(OWN_INCLUDE_DIR NAMES own/own.h)\nfind_library(OWN_LIBRARY NAMES own2 own)\n",
                ),
            ],
            &expect![[r"
                needs program `gfortran`
                needs CMake package `B`
                needs header `own/own.h`
                needs library `own2`
                likes library `ncurses`
            "]],
        );
    }

    #[test]
    fn makefiles_declare() {
        check(
            &[(
                "Makefile",
                "LIBS = `pkg-config --libs sdl2 glew` $(shell pkg-config --cflags gtk+-2.0) $(shell sdl-config --libs)\nall: x\n\tbison -d x.y\n",
            )],
            &expect![[r"
                needs pkg-config module `sdl2`
                needs pkg-config module `glew`
                needs pkg-config module `gtk+-2.0`
                needs program `sdl-config`
            "]],
        );
    }
}
