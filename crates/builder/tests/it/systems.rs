//! The rarer build systems in real boxes, several in one where what they need is small.

use expect_test::expect;

use crate::{
    real::{MAIN, NONE, check},
    script::Names,
};

#[test]
fn a_solution_of_visual_studio_is_compiled_from_its_lists() {
    check(
        &[
            (
                "win/fleet.sln",
                "Project(\"{8B}\") = \"hull\", \"hull.vcxproj\", \"{1}\"\nEndProject\nProject(\"{8B}\") = \"ship\", \"ship.vcxproj\", \"{2}\"\nEndProject\n",
            ),
            (
                "win/hull.vcxproj",
                "<ConfigurationType>StaticLibrary</ConfigurationType><ClCompile Include=\"..\\Code\\hull.c\" />",
            ),
            (
                "win/ship.vcxproj",
                "<ConfigurationType>Application</ConfigurationType><AdditionalIncludeDirectories>..\\Code\\include</AdditionalIncludeDirectories>\
                 <PreprocessorDefinitions>WIN32;OARS=2</PreprocessorDefinitions><ClCompile Include=\"..\\Code\\main.cpp\" />",
            ),
            ("code/hull.c", "int hull(void) { return 0; }\n"),
            ("code/include/hull.h", "extern \"C\" int hull(void);\n"),
            (
                "code/main.cpp",
                "#include <hull.h>\nint main() { return hull() + OARS - 2; }\n",
            ),
        ],
        NONE,
        &expect![[r#"
            found 2 ways to build: Visual Studio project in win; plain C or C++ sources in code
            try Visual Studio project in win
            build what lies beside it too: code
            a part beside it is not built
            go back
            made: ship
        "#]],
    );
}

#[test]
fn a_compilation_database_of_another_machine_is_used_again() {
    check(
        &[
            (
                "compile_commands.json",
                r#"[{"directory":"/home/a/b","command":"cc -I/home/a/b/deck -DOARS=0 -c /home/a/b/code/main.c","file":"/home/a/b/code/main.c"},
                   {"directory":"/home/a/b","command":"cc -c code/hull.c","file":"code/hull.c"}]"#,
            ),
            ("deck/hull.h", "int hull(void);\n"),
            ("code/hull.c", "int hull(void) { return 0; }\n"),
            (
                "code/main.c",
                "#include \"hull.h\"\nint main(void) { return hull() + OARS; }\n",
            ),
        ],
        NONE,
        &expect![[r#"
            found 2 ways to build: compilation database at the top; plain C or C++ sources in code
            try compilation database at the top
            made: main
        "#]],
    );
}

#[test]
fn a_tree_that_wants_a_configuration_gets_its_default() {
    check(
        &[
            ("Kconfig", "config OARS\n"),
            ("configs/linux_defconfig", "CONFIG_OARS=2\n"),
            (
                "Makefile",
                "-include .config\nall: ship\nship: main.c .config\n\t$(CC) -DOARS=$(CONFIG_OARS) -o ship main.c\n\
                 .config:\n\t@echo no configuration; exit 1\nmenuconfig:\n\tmconf Kconfig\n",
            ),
            ("main.c", "int main(void) { return OARS - 2; }\n"),
        ],
        NONE,
        &expect![[r#"
            found 1 way to build: Make at the top, with the default configuration
            try Make at the top, with the default configuration
            made: ship
        "#]],
    );
}

#[test]
fn a_carried_library_that_the_root_wants_installed_is_built_first() {
    check(
        &[
            (
                "Makefile",
                "all: ship\nship: main.c\n\t$(CC) -o ship main.c -lseacock\n",
            ),
            ("main.c", "#include <seacock.h>\nint main(void) { return seacock(); }\n"),
            (
                "external/libseacock/CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.10)\nproject(seacock C)\nadd_library(seacock s.c)\ninstall(TARGETS seacock)\ninstall(FILES inc/seacock.h.in DESTINATION include RENAME seacock.h)\n",
            ),
            ("external/libseacock/s.c", "int seacock(void) { return 0; }\n"),
            ("external/libseacock/inc/seacock.h.in", "int seacock(void);\n"),
        ],
        NONE,
        &expect![[r#"
            found 3 ways to build: Make at the top; Make at the top, with libseacock from the tree first; CMake in external/libseacock
            try Make at the top
            build the target all
            take the last change back
            try Make at the top, with libseacock from the tree first
            made: ship
        "#]],
    );
}

#[test]
fn several_systems_side_by_side() {
    check(
        &[
            (
                "deck/premake5.lua",
                "workspace 'deck'\n  configurations { 'Debug' }\n  filter 'system:windows'\n    defines { 'BROKEN(' }\n\
                 project 'rail'\n  kind 'StaticLib'\n  files { 'rail/**.c' }\n\
                 project 'deck'\n  kind 'ConsoleApp'\n  cppdialect 'C++17'\n  staticruntime 'on'\n  files { 'deck.cpp' }\n  links { 'rail' }\n",
            ),
            ("deck/rail/a/rail.c", "int rail(void) { return 0; }\n"),
            (
                "deck/deck.cpp",
                "#include <string_view>\nextern \"C\" int rail(void);\nint main() { return rail(); }\n",
            ),
            (
                "hull/xmake.lua",
                "add_rules('mode.debug')\nset_languages('c99')\ntarget('keel')\n  set_kind('shared')\n  add_files('keel/*.c')\n\
                 target('hull')\n  set_kind('binary')\n  add_deps('keel')\n  add_files('*.c')\n  if is_plat('windows') then add_files('win/*.c') end\n",
            ),
            ("hull/keel/keel.c", "int keel(void) { return 0; }\n"),
            ("hull/win/win.c", "#error windows\n"),
            ("hull/hull.c", "int keel(void);\nint main(void) { return keel(); }\n"),
            ("oar/Jamrules", ""),
            ("oar/Jamfile", "Main oar : oar.c ;\n"),
            ("oar/oar.c", MAIN),
        ],
        &Names(&[("program `lua5.4`", &["lua5.4"]), ("program `jam.perforce`", &["jam"])]),
        &expect![[r#"
            found 8 ways to build: xmake in hull; Premake in deck, its declarations read; Premake in deck, by Premake 4; Jam in oar; plain C or C++ sources in hull
            try xmake in hull
            install lua5.4
            build what lies beside it too: deck, oar
            keep it
            made: deck, hull, libkeel.so, oar
        "#]],
    );
}

#[test]
fn a_system_that_makes_archives_only_is_compared_with_the_one_beside_it() {
    check(
        &[
            (
                "CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.10)\nproject(hull C)\nadd_library(hull STATIC hull.c)\n",
            ),
            (
                "Makefile",
                "all: ship\nship: main.c hull.c\n\t$(CC) -o ship main.c hull.c\n",
            ),
            ("hull.c", "int hull(void) { return 0; }\n"),
            ("main.c", "int hull(void);\nint main(void) { return hull(); }\n"),
        ],
        NONE,
        &expect![[r#"
            found 2 ways to build: CMake at the top; Make at the top
            try CMake at the top
            build shared libraries
            go back
            try Make at the top
            made: ship
        "#]],
    );
}

#[test]
fn what_lies_beside_and_does_not_build_is_told() {
    let Some(boxes) = crate::real::boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    crate::script::lay(
        folder.path(),
        &[
            ("hull/Makefile", "all: hull\nhull: hull.c\n\t$(CC) -o hull hull.c\n"),
            ("hull/hull.c", MAIN),
            ("oar/Makefile", "all: oar\noar: oar.c\n\t$(CC) -o oar oar.c\n"),
            ("oar/oar.c", "#error broken\n"),
            ("sail/Makefile", "all: sail\nsail: sail.c\n\t$(CC) -o sail sail.c\n"),
            ("sail/sail.c", MAIN),
        ],
    );
    let tree = seatrial_source::SourceTree::new(folder.path().to_owned(), seatrial_core::Digest::of(b"test"));
    let mut sandbox = boxes.start(&tree);
    let mut notes = crate::script::Notes::default();
    let report = crate::script::build(folder.path(), sandbox.as_mut(), NONE, &mut notes).unwrap();
    let made = crate::real::linked(&report.artifacts);
    assert!(made.contains("hull") && made.contains("sail"), "{}", report.explanation);
    assert!(
        report
            .explanation
            .contains("- beside it, not built: build in $SRC/oar: oar.c:1:2: error: #error broken"),
        "{}",
        report.explanation
    );
    assert!(
        notes
            .decisions
            .iter()
            .any(|decision| decision == "a part beside it is not built"),
        "{:?}",
        notes.decisions
    );
}

#[test]
fn a_solution_that_needs_windows_is_compiled_for_it() {
    check(
        &[
            (
                "fleet.sln",
                "Project(\"{8BC9CEB8}\") = \"ship\", \"ship.vcxproj\", \"{1}\"\nEndProject\n",
            ),
            (
                "ship.vcxproj",
                "<Project><PropertyGroup><ConfigurationType>Application</ConfigurationType></PropertyGroup>\
                 <ItemGroup><ClCompile Include=\"main.c\" /></ItemGroup></Project>\n",
            ),
            (
                "main.c",
                "#include <windows.h>\nint main(void) { return MessageBoxA(0, \"a\", \"b\", 0); }\n",
            ),
        ],
        NONE,
        &expect![[r#"
            found 3 ways to build: Visual Studio project at the top; plain C or C++ sources at the top; Visual Studio project at the top, for Windows
            try Visual Studio project at the top
            build with one job
            take the last change back
            try plain C or C++ sources at the top
            build with one job
            take the last change back
            try Visual Studio project at the top, for Windows
            install gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64
            made: ship.exe
        "#]],
    );
}

#[test]
fn a_makefile_whose_tools_have_a_prefix() {
    // The recipe's own `PREFIX` is a folder.
    let makefile = format!(
        "PREFIX ?= {}-linux-gnu-\nCC = $(PREFIX)gcc\nall: ship\nship: main.c\n\t$(CC) -o $@ $<\n",
        std::env::consts::ARCH
    );
    check(
        &[("Makefile", &makefile), ("main.c", MAIN)],
        NONE,
        &expect![[r"
            found 1 way to build: Make at the top
            try Make at the top
            made: ship
        "]],
    );
}
