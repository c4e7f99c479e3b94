//! The loop: what it installs, changes, takes back, keeps and says, against a box that answers from a script.

use expect_test::{Expect, expect};
use seatrial_builder::{BuilderError, Policy};

use crate::script::{Answer, Names, Notes, Scripted, build, build_under, lay};

const MAKEFILE: &[(&str, &str)] = &[
    ("Makefile", "all: ship\nship: ship.c\n\t$(CC) -o ship ship.c\n"),
    ("ship.c", "int main(void) { return 0; }\n"),
];

/// Builds and compares the decisions, the recipe's own words and the explanation.
fn check(files: &[(&str, &str)], answers: Vec<Answer>, names: &Names, expected: &Expect) {
    let tree = tempfile::tempdir().unwrap();
    lay(tree.path(), files);
    let mut notes = Notes::default();
    let report = build(tree.path(), &mut Scripted::new(answers), names, &mut notes).unwrap();
    let mut lines = notes.decisions;
    if let Some(recipe) = &report.recipe {
        for step in &recipe.steps {
            let going = if step.keep_going { ", going on" } else { "" };
            let last = step.command.lines().last().unwrap_or_default();
            lines.push(format!("[{}{going}] {last}", step.purpose.as_str()));
        }
    }
    lines.push(report.explanation);
    lines.push(String::new());
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn what_an_error_names_is_installed_and_the_next_candidate_is_tried() {
    check(
        MAKEFILE,
        vec![
            Answer::ok("\nmake -k", &["ship"]).with(&["librope-dev"]),
            Answer::fails(
                "\nmake -k",
                "ship.c:1:10: fatal error: rope.h: No such file or directory\ncompilation terminated.\n",
            ),
        ],
        &Names(&[("header `rope.h`", &["rope-tools", "librope-dev"])]),
        &expect![[r#"
            found 1 way to build: Make at the top
            try Make at the top
            install rope-tools
            install librope-dev
            [dependencies] apt-get install -y --no-install-recommends librope-dev || { apt-get update && apt-get install -y --no-install-recommends librope-dev; }
            [prepare] chmod 755 "$OUT/tools/strip" "$OUT/tools/sudo"
            [build] make -k -j"$JOBS"
            Built with Make at the top: ship.
            - Make at the top (3 rounds), repaired: install rope-tools, install librope-dev; clean
        "#]],
    );
}

#[test]
fn a_package_that_cannot_be_installed_is_done_without() {
    check(
        MAKEFILE,
        vec![
            Answer::fails(
                "--no-install-recommends gone",
                "E: Package 'gone' has no installation candidate\n",
            ),
            Answer::ok("\nmake -k", &["ship"]).with(&["librope-dev"]),
            Answer::fails(
                "\nmake -k",
                "ship.c:1:10: fatal error: rope.h: No such file or directory\ncompilation terminated.\n",
            ),
        ],
        &Names(&[("header `rope.h`", &["gone", "librope-dev"])]),
        &expect![[r#"
            found 1 way to build: Make at the top
            try Make at the top
            install gone
            do without the package gone
            install librope-dev
            [dependencies] apt-get install -y --no-install-recommends librope-dev || { apt-get update && apt-get install -y --no-install-recommends librope-dev; }
            [prepare] chmod 755 "$OUT/tools/strip" "$OUT/tools/sudo"
            [build] make -k -j"$JOBS"
            Built with Make at the top: ship.
            - Make at the top (3 rounds), repaired: install gone, install librope-dev; clean
        "#]],
    );
}

#[test]
fn flags_are_added_by_rule_and_taken_back_when_they_do_no_good() {
    check(
        MAKEFILE,
        vec![
            Answer::ok("fcommon", &[]),
            Answer::fails(
                "\nmake -k",
                "ld: b.o:(.bss+0x0): multiple definition of `mast'; a.o:(.bss+0x0): first defined here\ncollect2: error: ld returned 1 exit status\n",
            ),
        ],
        &Names(&[]),
        &expect![[r#"
            found 1 way to build: Make at the top
            try Make at the top
            compile with -fcommon
            compile with `-fgnu89-inline`
            take the last change back
            compile with `-Wl,--allow-multiple-definition`
            take the last change back
            build the target all
            take the last change back
            Nothing was built.
            - Make at the top (5 rounds), repaired: compile with -fcommon; stopped by: build: ld: b.o:(.bss+0x0): multiple definition of 'mast'; a.o:(.bss+0x0): first defined here
            Next: look at the line above in the log; the code or its build file needs a change.
        "#]],
    );
}

#[test]
fn a_part_that_was_built_is_kept_with_the_reason_why_it_is_only_a_part() {
    let partly = Answer {
        makes: &["ship"],
        ..Answer::fails(
            "\nmake -k",
            "boat.c:3:1: error: expected ';' before '}' token\nmake: *** [Makefile:2: boat] Error 1\n",
        )
    };
    check(
        MAKEFILE,
        vec![partly],
        &Names(&[]),
        &expect![[r#"
            found 1 way to build: Make at the top
            try Make at the top
            [prepare] chmod 755 "$OUT/tools/strip" "$OUT/tools/sudo"
            [build, going on] make -k -j"$JOBS"
            Built with Make at the top: ship. Not everything was built; the rest was stopped by this line: build: boat.c:3:1: error: expected ';' before '}' token.
        "#]],
    );
}

#[test]
fn the_next_plan_is_tried_when_the_first_makes_nothing() {
    check(
        &[
            ("CMakeLists.txt", "project(ship C)\n"),
            ("Makefile", "all: ship\nship: ship.c\n\tcc ship.c\n"),
            ("ship.c", "int main(void) { return 0; }\n"),
        ],
        vec![
            Answer::fails(
                "cmake \"$SRC\"",
                "CMake Error at CMakeLists.txt:1 (message):\n  sorry\n\n-- Configuring incomplete, errors occurred!\n",
            ),
            Answer::ok("\nmake -k", &["ship"]),
        ],
        &Names(&[]),
        &expect![[r#"
            found 2 ways to build: CMake at the top; Make at the top
            try CMake at the top
            leave out tests, documents and examples
            take the last change back
            try Make at the top
            [prepare] chmod 755 "$OUT/tools/strip" "$OUT/tools/sudo"
            [build] make -k -j"$JOBS"
            Built with Make at the top: ship.
            - CMake at the top (2 rounds); stopped by: configure: CMake Error at CMakeLists.txt:1 (message): sorry
            - Make at the top (1 round); clean
        "#]],
    );
}

#[test]
fn nothing_to_build_is_said_without_touching_the_box() {
    check(
        &[],
        vec![],
        &Names(&[]),
        &expect![[r"
        The folder is empty: there is nothing to build. Name the folder that holds the source.
    "]],
    );
    check(
        &[("README", "words\n")],
        vec![],
        &Names(&[]),
        &expect![[r"
        No build system and no C or C++ source was found. Looked for CMake, Meson, Autotools, configure scripts, makefiles, qmake, SCons, Waf, Ninja, Imake, build scripts and plain sources, in every folder.
    "]],
    );
}

#[test]
fn a_dead_mirror_is_an_error_of_the_machine() {
    let tree = tempfile::tempdir().unwrap();
    lay(tree.path(), MAKEFILE);
    let answers = vec![
        Answer::fails(
            "apt-get install",
            "Err:1 http://mirror/debian bookworm/main\n  Temporary failure resolving 'mirror'\n",
        ),
        Answer::fails(
            "\nmake -k",
            "ship.c:1:10: fatal error: rope.h: No such file or directory\n",
        ),
    ];
    let names = Names(&[("header `rope.h`", &["librope-dev"])]);
    let error = build(tree.path(), &mut Scripted::new(answers), &names, &mut Notes::default()).unwrap_err();
    assert!(matches!(error, BuilderError::Mirror(_)), "{error}");
    assert_eq!(error.invalid_reason(), seatrial_core::InvalidReason::Network);
}

#[test]
fn a_missing_folder_is_an_error_that_names_it() {
    let error = build(
        std::path::Path::new("/nowhere/at/all"),
        &mut Scripted::new(vec![]),
        &Names(&[]),
        &mut Notes::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
}

#[test]
fn a_build_that_stops_at_a_download_is_tried_again_without_tests() {
    check(
        &[
            (
                "CMakeLists.txt",
                "project(ship C)\noption(SHIP_TESTS \"tests\" ON)\nadd_executable(ship ship.c)\n",
            ),
            ("ship.c", "int main(void) { return 0; }\n"),
        ],
        vec![Answer {
            makes: &["ship"],
            ..Answer::fails(
                "cmake --build",
                "CMake Error at frame-download-Debug.cmake:49 (message):\n  Command failed: 1\n",
            )
        }],
        &Names(&[]),
        &expect![[r#"
            found 1 way to build: CMake at the top
            try CMake at the top
            leave out tests, documents and examples
            take the last change back
            [configure] CFLAGS="-g -O0" CXXFLAGS="-g -O0" cmake "$SRC" -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_VERBOSE_MAKEFILE=ON -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON
            [build, going on] cmake --build . -- -k -j"$JOBS"
            [install, going on] cmake --install .
            Built with CMake at the top: ship. Not everything was built; the rest was stopped by this line: build: CMake Error at frame-download-Debug.cmake:49 (message): Command failed: 1.
        "#]],
    );
}

#[test]
fn a_step_that_went_well_is_not_run_again_for_a_change_of_a_later_one() {
    let tree = tempfile::tempdir().unwrap();
    lay(tree.path(), &[("CMakeLists.txt", "project(ship)\n"), ("ship.c", "")]);
    let mut notes = Notes::default();
    let answers = vec![
        Answer::ok("--build . -- -k -j1", &["ship"]),
        Answer::fails(
            "--build",
            "make: *** No rule to make target 'name.h', needed by 'ship.o'.\n",
        ),
    ];
    let report = build(tree.path(), &mut Scripted::new(answers), &Names(&[]), &mut notes).unwrap();
    assert!(report.recipe.is_some(), "{}", report.explanation);
    let runs = |purpose: &str| notes.commands.iter().filter(|record| record.purpose == purpose).count();
    assert_eq!((runs("configure"), runs("build")), (1, 2));
}

#[test]
fn a_change_that_leads_to_another_failure_is_kept() {
    check(
        MAKEFILE,
        vec![
            Answer::ok("linux", &["ship"]).with(&["librope-dev"]),
            Answer::fails(
                "linux",
                "ship.c:1:10: fatal error: rope.h: No such file or directory\nship.c:2:1: error: unknown type name 'rope_t'\n\
                 ship.c:3:1: error: unknown type name 'knot_t'\n",
            ),
            Answer::fails(
                "\nmake -k",
                "Please do 'make SYSTEM' where SYSTEM is one of: bsd linux\n",
            ),
        ],
        &Names(&[("header `rope.h`", &["librope-dev"])]),
        &expect![[r#"
            found 1 way to build: Make at the top
            try Make at the top
            build the target linux
            install librope-dev
            [dependencies] apt-get install -y --no-install-recommends librope-dev || { apt-get update && apt-get install -y --no-install-recommends librope-dev; }
            [prepare] chmod 755 "$OUT/tools/strip" "$OUT/tools/sudo"
            [build] make -k -j"$JOBS" linux
            Built with Make at the top: ship.
            - Make at the top (3 rounds), repaired: build the target linux, install librope-dev; clean
        "#]],
    );
}

#[test]
fn a_recipe_is_made_smaller_when_that_is_asked_for() {
    let tree = tempfile::tempdir().unwrap();
    lay(tree.path(), MAKEFILE);
    let answers = vec![
        Answer::ok("\nmake -k", &["ship"]).with(&["librope-dev"]),
        Answer::fails(
            "\nmake -k",
            "ship.c:1:10: fatal error: knot.h: No such file or directory\nship.c:2:10: fatal error: rope.h: No such file or directory\n",
        ),
    ];
    let names = Names(&[
        ("header `knot.h`", &["libknot-dev"]),
        ("header `rope.h`", &["librope-dev"]),
    ]);
    let policy = Policy {
        minimise: Some(std::time::Duration::from_mins(5)),
        ..Policy::default()
    };
    let mut sandbox = Scripted::new(answers);
    let report = build_under(policy, tree.path(), &mut sandbox, &names, &mut Notes::default()).unwrap();
    let recipe = report.recipe.unwrap();
    let installs = recipe
        .steps
        .first()
        .map(|step| step.command.clone())
        .unwrap_or_default();
    assert!(
        installs.contains("librope-dev") && !installs.contains("libknot-dev"),
        "{installs}"
    );
    assert!(
        report.explanation.contains("not needed are the package libknot-dev"),
        "{}",
        report.explanation
    );
}
