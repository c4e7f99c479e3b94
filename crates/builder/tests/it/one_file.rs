//! Relaxations for the sources that asked for them, and for no other.

use expect_test::{Expect, expect};
use seatrial_builder::BuilderError;
use seatrial_core::{Digest, RelaxationScope};
use seatrial_sandbox::Command;
use seatrial_source::SourceTree;

use crate::{
    real::{NONE, boxes, linked},
    script::{Notes, build, lay},
};

/// Builds, replays the recipe in a fresh box, and shows what was relaxed, and where.
fn check(files: &[(&str, &str)], expected: &Expect) {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path(), files);
    let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"test"));
    let mut sandbox = boxes.start(&tree);
    let report = match build(folder.path(), sandbox.as_mut(), NONE, &mut Notes::default()) {
        Ok(report) => report,
        Err(BuilderError::Mirror(reason)) => {
            println!("skipped: {reason}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let Some(recipe) = report.recipe else {
        panic!("{}", report.explanation)
    };
    let mut fresh = boxes.start(&tree);
    let mut log = Vec::new();
    let execution = fresh.exec(&Command::bash(recipe.to_script()), &mut log).unwrap();
    assert!(execution.succeeded(), "{}", String::from_utf8_lossy(&log));
    let mut lines: Vec<String> = recipe
        .relaxations
        .iter()
        .map(|relaxation| {
            let place = match &relaxation.scope {
                RelaxationScope::Project => "all".to_owned(),
                RelaxationScope::Files(files) => files.join(" "),
            };
            format!("{} {}: {place}", relaxation.class, relaxation.rule)
        })
        .collect();
    lines.push(format!(
        "made: {}\n",
        linked(&report.artifacts).into_iter().collect::<Vec<_>>().join(", ")
    ));
    expected.assert_eq(&lines.join("\n"));
}

const OLD: &str = "int speed() throw(int) { return 7; }\n";
const YOUNG: &str = "#include <string_view>\nint speed();\nint main() { return speed() - static_cast<int>(std::string_view(\"seven..\").size()); }\n";

#[test]
fn an_old_source_beside_one_that_needs_the_present_standard() {
    check(
        &[
            ("Makefile", "all: ship\nship: old/speed.o main.o\n\t$(CXX) -o $@ $^\n"),
            ("old/speed.cpp", OLD),
            ("main.cpp", YOUNG),
        ],
        &expect![[r#"
            standard cxx14: old/speed.cpp
            made: ship
        "#]],
    );
}

#[test]
fn the_same_with_a_build_folder() {
    check(
        &[
            (
                "CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.10)\nproject(ship CXX)\nadd_executable(ship main.cpp old/speed.cpp)\n",
            ),
            ("old/speed.cpp", OLD),
            ("main.cpp", YOUNG),
        ],
        &expect![[r#"
            standard cxx14: old/speed.cpp
            made: ship
        "#]],
    );
}

#[test]
fn a_variable_that_two_of_three_sources_define() {
    check(
        &[
            (
                "Makefile",
                "all: ship\nship: a.o b.o c.o\n\t$(CC) -o ship a.o b.o c.o\n",
            ),
            ("a.c", "int mast;\nint main(void) { return mast; }\n"),
            ("b.c", "int mast;\n"),
            ("c.c", "int hull = 1;\n"),
        ],
        &expect![[r#"
            flags common: a.c b.c
            made: ship
        "#]],
    );
}

#[test]
fn many_sources_that_ask_for_the_same_are_the_project() {
    let old = |name: &str| format!("int {name}() throw(int) {{ return 7; }}\n");
    let names = ["a", "b", "c", "d", "e", "f"];
    let texts: Vec<(String, String)> = names.iter().map(|name| (format!("{name}.cpp"), old(name))).collect();
    let objects: Vec<String> = names.iter().map(|name| format!("{name}.o")).collect();
    let makefile = format!(
        "all: libship.so\nlibship.so: {0}\n\t$(CXX) -shared -o $@ $^\nCXXFLAGS += -fPIC\n",
        objects.join(" ")
    );
    let mut files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    files.push(("Makefile", &makefile));
    check(
        &files,
        &expect![[r#"
        standard cxx14: all
        made: libship.so
    "#]],
    );
}

#[test]
fn templates_whose_arguments_are_given_as_they_were_before_references_to_values() {
    check(
        &[
            (
                "Makefile",
                "all: ship\nship: main.o mast.o\n\t$(CXX) -o ship main.o mast.o\n",
            ),
            (
                "main.cpp",
                "#include <string>\n#include <utility>\nint main() { const std::string name; int number = 0;\n  \
                 return std::make_pair<std::string, int>(name, number).second; }\n",
            ),
            ("mast.cpp", "int mast() { return [] { return 1; }(); }\n"),
        ],
        &expect![[r#"
            standard cxx98: main.cpp
            made: ship
        "#]],
    );
}
