//! Finds every place in a tree that a build can start from, and ranks them. Reads only; executes nothing.

mod autotools;
mod declared_roots;
mod extensions;
mod generators;
mod make;
mod plain;
mod rank;
mod studio;

use std::path::Path;

pub(crate) use autotools::BOOTSTRAPS;
pub(crate) use plain::{PlainSources, has_main, sources as plain_sources};
pub(crate) use rank::documents;
use serde::{Deserialize, Serialize};

use crate::tree::Tree;

/// A folder that a build can start from.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildRoot {
    /// Relative to the top of the tree; empty for the top itself.
    pub folder: String,
    /// The build system that was found there.
    pub system: BuildSystem,
    /// Larger is better; comparable within one tree only.
    pub score: f64,
    /// What speaks for it and against it, in words.
    pub evidence: Vec<String>,
    /// The build file, relative to the folder, where there is one.
    pub file: Option<String>,
}

/// The build systems that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildSystem {
    /// `CMakeLists.txt` that declares a project.
    CMake,
    /// `meson.build` that declares a project.
    Meson,
    /// A `configure` that Autoconf made.
    Autotools,
    /// `configure.ac` or `configure.in` without the generated script.
    AutotoolsBootstrap,
    /// A `configure` or `config` that somebody wrote by hand.
    Configure,
    /// A makefile.
    Make,
    /// A qmake project.
    QMake,
    /// `SConstruct`.
    Scons,
    /// `wscript`.
    Waf,
    /// `build.ninja`.
    Ninja,
    /// An `Imakefile`.
    Imake,
    /// A script such as `build.sh`.
    Script,
    /// A Bazel workspace with C or C++ targets.
    Bazel,
    /// A Premake script.
    Premake,
    /// `xmake.lua`.
    Xmake,
    /// A GN source root.
    Gn,
    /// A `Jamfile` for the old Jam.
    Jam,
    /// A `Jamroot` for Boost.Build.
    BoostBuild,
    /// A Qbs project.
    Qbs,
    /// Modules for the Linux kernel, out of its tree.
    KernelModule,
    /// `config.m4` of a PHP extension.
    Phpize,
    /// `config` of an nginx module.
    NginxModule,
    /// A rockspec.
    LuaRock,
    /// An R package with native code.
    RPackage,
    /// `setup.py` or `pyproject.toml` that builds native code.
    PythonExtension,
    /// `binding.gyp`.
    NodeAddon,
    /// A sketch for an Arduino board.
    Arduino,
    /// A solution or a project of Visual Studio, whose sources are compiled by themselves.
    VisualStudio,
    /// A `compile_commands.json` that somebody left in the tree.
    CompileCommands,
    /// C or C++ sources without a build file.
    PlainC,
}

impl BuildSystem {
    /// The stable word for tables and labels.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CMake => "cmake",
            Self::Meson => "meson",
            Self::Autotools => "autotools",
            Self::AutotoolsBootstrap => "autotools-bootstrap",
            Self::Configure => "configure",
            Self::Make => "make",
            Self::QMake => "qmake",
            Self::Scons => "scons",
            Self::Waf => "waf",
            Self::Ninja => "ninja",
            Self::Imake => "imake",
            Self::Script => "script",
            Self::Bazel => "bazel",
            Self::Premake => "premake",
            Self::Xmake => "xmake",
            Self::Gn => "gn",
            Self::Jam => "jam",
            Self::BoostBuild => "boost-build",
            Self::Qbs => "qbs",
            Self::KernelModule => "kernel-module",
            Self::Phpize => "phpize",
            Self::NginxModule => "nginx-module",
            Self::LuaRock => "rockspec",
            Self::RPackage => "r",
            Self::PythonExtension => "python-extension",
            Self::NodeAddon => "node-addon",
            Self::Arduino => "arduino",
            Self::VisualStudio => "visual-studio",
            Self::CompileCommands => "compile-commands",
            Self::PlainC => "plain",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::CMake => "CMake",
            Self::Meson => "Meson",
            Self::Autotools => "Autotools",
            Self::AutotoolsBootstrap => "Autotools without a generated configure",
            Self::Configure => "hand-written configure",
            Self::Make => "Make",
            Self::QMake => "qmake",
            Self::Scons => "SCons",
            Self::Waf => "Waf",
            Self::Ninja => "Ninja",
            Self::Imake => "Imake",
            Self::Script => "build script",
            Self::Bazel => "Bazel",
            Self::Premake => "Premake",
            Self::Xmake => "xmake",
            Self::Gn => "GN",
            Self::Jam => "Jam",
            Self::BoostBuild => "Boost.Build",
            Self::Qbs => "Qbs",
            Self::KernelModule => "kernel module",
            Self::Phpize => "PHP extension",
            Self::NginxModule => "nginx module",
            Self::LuaRock => "Lua module",
            Self::RPackage => "R package",
            Self::PythonExtension => "Python extension",
            Self::NodeAddon => "Node add-on",
            Self::Arduino => "Arduino sketch",
            Self::VisualStudio => "Visual Studio project",
            Self::CompileCommands => "compilation database",
            Self::PlainC => "plain C or C++ sources",
        }
    }
}

/// Every build root of a tree, best first. Never panics, whatever is in the tree.
pub fn detect(tree: &Path) -> Vec<BuildRoot> {
    roots(&Tree::scan(tree))
}

/// The same on a tree that is already listed.
pub(crate) fn roots(tree: &Tree) -> Vec<BuildRoot> {
    let mut found = Vec::new();
    for folder in tree.folders() {
        let names = tree.names_in(folder);
        let mut add = |system, file: Option<&str>, evidence: String| {
            found.push(BuildRoot {
                folder: folder.to_owned(),
                system,
                score: 0.0,
                evidence: vec![evidence],
                file: file.map(str::to_owned),
            });
        };
        declared_roots::find(tree, folder, &names, &mut add);
        autotools::find(tree, folder, &names, &mut add);
        make::find(tree, folder, &names, &mut add);
        generators::find(tree, folder, &names, &mut add);
        extensions::find(tree, folder, &names, &mut add);
        studio::find(tree, folder, &names, &mut add);
    }
    plain::find(tree, &mut found);
    rank::rank(tree, &mut found);
    found
}

/// Whether a path can stand between double quotes in Bash as it is.
pub(crate) fn is_quotable(path: &str) -> bool {
    path.chars().all(|c| {
        c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ',' | '=' | '~' | ' ' | '%' | ':')
    })
}

/// Takes what a family found in a folder.
type Add<'a> = dyn FnMut(BuildSystem, Option<&str>, String) + 'a;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tree::testing::lay;

    fn check(files: &[(&str, &str)], expected: &Expect) {
        let folder = lay(files);
        let mut lines = Vec::new();
        for root in detect(folder.path()) {
            let place = if root.folder.is_empty() { "." } else { &root.folder };
            lines.push(format!("{place} {}", root.system.as_str()));
        }
        lines.push(String::new());
        expected.assert_eq(lines.join("\n").trim_start());
    }

    const MAIN: &str = "int main(void) { return 0; }\n";

    #[test]
    fn declared_projects_are_found_and_sub_folders_without_a_project_are_not() {
        check(
            &[
                (
                    "CMakeLists.txt",
                    "cmake_minimum_required(VERSION 3.5)\nproject(hull C)\nadd_subdirectory(src)\n",
                ),
                ("src/CMakeLists.txt", "add_executable(hull main.c)\n"),
                ("src/main.c", MAIN),
                ("third_party/zip/CMakeLists.txt", "PROJECT (zip)\n"),
                ("third_party/zip/zip.c", ""),
            ],
            &expect![[r"
                . cmake
                third_party/zip cmake
            "]],
        );
        check(
            &[
                ("meson.build", "project('mast', 'c')\n"),
                ("src/meson.build", "executable('mast', 'm.c')"),
                ("src/m.c", MAIN),
            ],
            &expect![[r"
                . meson
            "]],
        );
    }

    #[test]
    fn a_generated_configure_beats_other_systems_and_a_hand_written_one_is_known_as_such() {
        check(
            &[
                (
                    "*configure",
                    "#! /bin/sh\n# Guess values for system-dependent variables and create Makefiles.\n# Generated by GNU Autoconf 2.69.\n",
                ),
                ("configure.ac", "AC_INIT([keel],[1])\nAM_INIT_AUTOMAKE\n"),
                ("Makefile.am", "bin_PROGRAMS = keel\n"),
                ("Makefile.in", "# Makefile.in generated by automake\n"),
                ("CMakeLists.txt", "project(keel)\n"),
                ("keel.c", MAIN),
            ],
            &expect![[r"
                . autotools
                . cmake
            "]],
        );
        check(
            &[
                ("configure", "#!/bin/sh\necho CC=gcc > config.mak\n"),
                ("Makefile", "include config.mak\nall: x\n"),
                ("x.c", MAIN),
            ],
            &expect![[r"
                . configure
                . make
            "]],
        );
        check(
            &[
                ("configure.ac", "AC_INIT(keel, 1)\n"),
                ("autogen.sh", "#!/bin/sh\nautoreconf -i\n"),
                ("keel.c", MAIN),
            ],
            &expect![[r"
                . autotools-bootstrap
            "]],
        );
    }

    #[test]
    fn makefiles_come_with_variants_and_foreign_frameworks_count_as_none() {
        check(
            &[
                (
                    "Makefile",
                    "include $(TOPDIR)/rules.mk\ninclude $(INCLUDE_DIR)/package.mk\n",
                ),
                ("src/Makefile", "all: rig\nrig: rig.c\n\tcc -o rig rig.c\n"),
                ("src/rig.c", MAIN),
            ],
            &expect![[r"
                src make
            "]],
        );
        check(
            &[
                (
                    "port/Makefile",
                    "ifeq ($(platform), ios)\nifdef THEOS\ninclude $(THEOS)/common.mk\nendif\nendif\nall: rig.so\nrig.so: ../core/rig.c\n\tcc -shared -o rig.so ../core/rig.c\n",
                ),
                ("core/rig.c", ""),
            ],
            &expect![[r"
                port make
                core plain
            "]],
        );
        check(
            &[
                ("Makefile.linux", "rig: rig.c\n\tcc -o rig rig.c\n"),
                ("Makefile.dos", "rig.exe: rig.c\n\tbcc rig.c\n"),
                ("rig.c", MAIN),
            ],
            &expect![[r"
                . make
            "]],
        );
        check(
            &[
                ("unix/Makefile", "rig: ../rig.c\n\tcc -o rig ../rig.c\n"),
                ("win32/Makefile", "rig.exe: ../rig.c\n\tcl ../rig.c\n"),
                ("rig.c", MAIN),
            ],
            &expect![[r"
                unix make
                . plain
                win32 make
            "]],
        );
    }

    #[test]
    fn sources_without_a_build_file_and_rarer_systems_are_found() {
        check(
            &[("boat.c", MAIN), ("oar.c", "int oar;"), ("README", "")],
            &expect![[r"
                . plain
            "]],
        );
        check(
            &[("SConstruct", "Program('x.c')"), ("x.c", MAIN)],
            &expect![[r"
            . scons
        "]],
        );
        check(
            &[
                ("wscript", "def build(b): pass"),
                ("*waf", "#!/usr/bin/env python3"),
                ("x.c", MAIN),
            ],
            &expect![[r"
            . waf
        "]],
        );
        check(
            &[("x.pro", "TEMPLATE = app\nSOURCES = x.cpp\n"), ("x.cpp", MAIN)],
            &expect![[r"
            . qmake
        "]],
        );
        check(
            &[("build.ninja", "rule cc\nbuild x.o: cc x.c\n"), ("x.c", MAIN)],
            &expect![[r"
            . ninja
        "]],
        );
        check(
            &[("Imakefile", "ComplexProgramTarget(x)\n"), ("x.c", MAIN)],
            &expect![[r"
            . imake
        "]],
        );
        check(&[("README", "words"), ("notes.txt", "")], &expect![[""]]);
        check(&[], &expect![[""]]);
    }
}
