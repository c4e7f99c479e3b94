//! What a project itself says that it needs, read from its build files. Nothing is looked up or installed here.

mod autotools;
mod cmake;
mod meson;
mod tools;

use seatrial_packages::Key;

use crate::{
    BuildSystem, Plan,
    tree::{Tree, base, is_side_folder, strip},
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
}

/// Reads the build files below a plan's root that belong to its system.
pub(crate) fn declared(tree: &Tree, plan: &Plan) -> Declared {
    let mut declared = Declared::default();
    for key in &plan.needs {
        declared.require(key.clone());
    }
    let folder = plan.root.folder.as_str();
    let wanted: fn(&str) -> bool = match plan.system {
        BuildSystem::CMake => {
            |name| name == "CMakeLists.txt" || std::path::Path::new(name).extension().is_some_and(|end| end == "cmake")
        }
        BuildSystem::Meson => |name| name == "meson.build",
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => |name| {
            matches!(name, "configure.ac" | "configure.in" | "acinclude.m4")
                || std::path::Path::new(name)
                    .extension()
                    .is_some_and(|end| end == "m4" || end == "am")
                    && name != "aclocal.m4"
        },
        BuildSystem::Make | BuildSystem::Configure | BuildSystem::Script | BuildSystem::Imake | BuildSystem::Ninja => {
            |name| {
                name.to_ascii_lowercase().contains("makefile")
                    || std::path::Path::new(name).extension().is_some_and(|end| end == "mk")
            }
        }
        BuildSystem::QMake | BuildSystem::Scons | BuildSystem::Waf | BuildSystem::PlainC => |_| false,
    };
    let paths = tree
        .below(folder)
        .filter(|path| !is_side_folder(crate::tree::parent(strip(path, folder))) && wanted(base(path)));
    for path in paths.take(FILES) {
        let text = tree.text(path).unwrap_or_default();
        match plan.system {
            BuildSystem::CMake => cmake::read(tree, &text, &mut declared),
            BuildSystem::Meson => meson::read(&text, &mut declared),
            BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => {
                let bootstrap = plan.system == BuildSystem::AutotoolsBootstrap;
                autotools::read(&text, bootstrap && base(path).starts_with("configure."), &mut declared);
            }
            _ => tools::read_makefile(&text, &mut declared),
        }
    }
    if matches!(plan.system, BuildSystem::AutotoolsBootstrap) {
        autotools::drop_own_macros(tree, folder, &mut declared);
    }
    tools::generators(tree, folder, &mut declared);
    declared
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
