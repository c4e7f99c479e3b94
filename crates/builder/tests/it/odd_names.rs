//! Trees whose folders and files have names that shells, Make or Autotools stumble over.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use seatrial_builder::{BuilderError, artifacts::artifacts};
use seatrial_core::Digest;
use seatrial_sandbox::Command;
use seatrial_source::SourceTree;

use crate::{
    real::{MAIN, NONE, boxes, linked},
    script::{Notes, build},
};

/// A blank, quotes, what Bash fills in or runs, what ends a command, what is no text, and what looks like an option.
const NAMES: [&[u8]; 14] = [
    b"two words",
    b"it's",
    b"a \"quote\"",
    b"$HOME",
    b"$(touch boom)",
    b"`touch boom`",
    b"a;touch boom;b",
    b"a&b|c>d<e",
    b"two\nlines",
    b"no\xfftext",
    b"-leading",
    b"back\\slash",
    b"per%cent: #1",
    b"* [x] {a,b} ~ !",
];

/// Files of a project, by path below its folder.
type Files = &'static [(&'static str, &'static str)];

/// Lays the project in a folder of each name, builds, and replays the recipe in a fresh box.
fn check(names: &[&[u8]], files: Files, expected: &str) {
    let Some(boxes) = boxes() else { return };
    for name in names {
        let shown = String::from_utf8_lossy(name);
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            // A file may have the name, too.
            let path = path
                .as_bytes()
                .split(|byte| *byte == b'@')
                .collect::<Vec<_>>()
                .join(*name);
            let full = folder.path().join(OsStr::from_bytes(&path));
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(&full, content).unwrap();
        }
        let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"test"));
        let mut sandbox = boxes.start(&tree);
        let report = match build(folder.path(), sandbox.as_mut(), NONE, &mut Notes::default()) {
            Ok(report) => report,
            Err(BuilderError::Mirror(reason)) => {
                println!("skipped: {reason}");
                return;
            }
            Err(error) => panic!("{shown}: {error}"),
        };
        let Some(recipe) = report.recipe else {
            panic!("{shown}: {}", report.explanation)
        };
        // What is stored and what is read back is the same recipe.
        let stored = serde_json::to_string(&recipe).unwrap();
        assert_eq!(serde_json::from_str::<seatrial_core::Recipe>(&stored).unwrap(), recipe);
        let made: Vec<String> = linked(&report.artifacts).into_iter().collect();
        assert_eq!(made, [expected], "{shown}: {}", recipe.to_script());
        let mut fresh = boxes.start(&tree);
        let before = fresh.snapshot().unwrap();
        let mut log = Vec::new();
        let execution = fresh.exec(&Command::bash(recipe.to_script()), &mut log).unwrap();
        assert!(execution.succeeded(), "{shown}: {}", String::from_utf8_lossy(&log));
        let changes = fresh.changes(&before).unwrap();
        assert!(changes.iter().all(|change| !change.path.ends_with("boom")), "{shown}");
        assert_eq!(
            linked(&artifacts(&changes)).into_iter().collect::<Vec<_>>(),
            made,
            "{shown}"
        );
    }
}

#[test]
fn a_makefile_that_names_its_own_folder() {
    check(
        &NAMES,
        &[
            (
                "@/Makefile",
                "all: $(CURDIR)/ship\n$(CURDIR)/ship: $(CURDIR)/main.c\n\t$(CC) -o $@ $<\ninstall: all\n\tcp $(CURDIR)/ship $(PREFIX)/bin/\n",
            ),
            ("@/main.c", MAIN),
        ],
        "ship",
    );
}

#[test]
fn an_autotools_project() {
    check(
        // Each takes seconds; what differs between systems is what they do with a blank and with what is filled in.
        &[b"two words", b"$(touch boom)", b"no\xfftext"],
        &[
            (
                "@/configure.ac",
                "AC_INIT([ship],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
            ),
            ("@/Makefile.am", "bin_PROGRAMS = ship\nship_SOURCES = main.c\n"),
            ("@/main.c", MAIN),
        ],
        "ship",
    );
}

#[test]
fn a_cmake_project_two_folders_deep() {
    check(
        // CMake itself is what takes the time.
        &NAMES[..6],
        &[
            (
                "@/x @/CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.10)\nproject(ship C)\nadd_executable(ship ${CMAKE_CURRENT_SOURCE_DIR}/main.c)\ninstall(TARGETS ship)\n",
            ),
            ("@/x @/main.c", MAIN),
        ],
        "ship",
    );
}

#[test]
fn sources_without_a_build_file() {
    check(
        &NAMES,
        &[
            ("@/include @/oars.h", "int oars(void);\n"),
            ("@/oars @.c", "#include \"oars.h\"\nint oars(void) { return 0; }\n"),
            ("@/ship.c", "#include \"oars.h\"\nint main(void) { return oars(); }\n"),
        ],
        "ship",
    );
}
