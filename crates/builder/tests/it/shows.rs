//! What single repairs are for: small projects that are built with them, and not without.

use seatrial_builder::{BuildReport, BuilderError, Policy};
use seatrial_core::{Digest, RelaxationClass};
use seatrial_sandbox::Command;
use seatrial_source::SourceTree;

use crate::{
    real::{NONE, boxes, linked},
    script::{Names, Notes, build_under, lay},
};

/// Builds under a policy; none where there are no boxes or no mirror.
fn built(files: &[(&str, &str)], names: &Names, policy: Policy) -> Option<BuildReport> {
    let boxes = boxes()?;
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path(), files);
    let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"test"));
    let mut sandbox = boxes.start(&tree);
    match build_under(policy, folder.path(), sandbox.as_mut(), names, &mut Notes::default()) {
        Ok(report) => {
            // What is claimed is made again from the recipe alone.
            if let Some(recipe) = &report.recipe {
                let mut fresh = boxes.start(&tree);
                let before = fresh.snapshot().unwrap();
                let mut log = Vec::new();
                let execution = fresh.exec(&Command::bash(recipe.to_script()), &mut log).unwrap();
                assert!(execution.succeeded(), "{}", String::from_utf8_lossy(&log));
                let again = seatrial_builder::artifacts::artifacts(&fresh.changes(&before).unwrap());
                assert_eq!(linked(&again), linked(&report.artifacts));
            }
            Some(report)
        }
        Err(BuilderError::Mirror(reason)) => {
            println!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// With the rule the product is made and the rule stands in the recipe; without it, it is not.
fn show(files: &[(&str, &str)], names: &Names, rule: &str, class: RelaxationClass, product: &str) {
    let Some(with) = built(files, names, Policy::default()) else {
        return;
    };
    assert!(linked(&with.artifacts).contains(product), "{}", with.explanation);
    let recipe = with.recipe.unwrap();
    let noted = recipe.relaxations.iter().find(|relaxation| relaxation.rule == rule);
    assert_eq!(
        noted.map(|relaxation| relaxation.class),
        Some(class),
        "{:?}",
        recipe.relaxations
    );
    assert!(
        recipe
            .to_script()
            .contains(&format!("# Relaxed ({class}, whole project): "))
    );
    let policy = Policy {
        without: vec![rule.to_owned()],
        ..Policy::default()
    };
    let Some(without) = built(files, names, policy) else {
        return;
    };
    assert!(!linked(&without.artifacts).contains(product), "{}", without.explanation);
}

#[test]
fn a_header_in_a_folder_that_the_build_files_do_not_name() {
    show(
        &[
            ("Makefile", "all: ship\nship: main.o\n\t$(CC) -o ship main.o\n"),
            (
                "main.c",
                "#include <libxml/parser.h>\nint main(void) { xmlInitParser(); return 0; }\n",
            ),
        ],
        &Names(&[("header `libxml/parser.h`", &["libxml2-dev"])]),
        "include-folders",
        RelaxationClass::Link,
        "ship",
    );
}

#[test]
fn a_function_whose_name_the_c_library_has_taken() {
    show(
        &[
            (
                "Makefile",
                "all: ship\nship: main.o line.o\n\t$(CC) -o ship main.o line.o\n",
            ),
            (
                "main.c",
                "#include <stdio.h>\nint getline(void);\nint main(void) { return getline(); }\n",
            ),
            (
                "line.c",
                "#include <stdio.h>\nint getline(void) { return getchar(); }\n",
            ),
        ],
        NONE,
        "own-names",
        RelaxationClass::OldApi,
        "ship",
    );
}

#[test]
fn an_error_number_that_is_declared_by_hand() {
    show(
        &[
            ("Makefile", "all: ship\nship: main.o\n\t$(CC) -o ship main.o\n"),
            (
                "main.c",
                "#include <stdio.h>\nextern int errno;\nint main(void) { return errno; }\n",
            ),
        ],
        NONE,
        "own-errno",
        RelaxationClass::OldApi,
        "ship",
    );
}

#[test]
fn types_that_the_c_library_hides() {
    show(
        &[
            ("Makefile", "all: ship\nship: main.c\n\t$(CC) -o ship main.c\n"),
            (
                "main.c",
                "#include <netinet/in.h>\nint main(void) { struct in6_pktinfo info; return sizeof info == 0; }\n",
            ),
        ],
        NONE,
        "hidden-names",
        RelaxationClass::OldApi,
        "ship",
    );
}

#[test]
fn a_check_that_takes_two_digits_for_an_old_version() {
    show(
        &[
            (
                "configure",
                "#!/bin/sh\nversion=$(gcc -dumpfullversion)\ncase $version in\n[3-9].*) echo \"checking gcc $version\" ;;\n\
                 *) echo \"gcc $version is too old, 3.0 is required\"; exit 1 ;;\nesac\n\
                 printf 'all: ship\\nship: main.c\\n\\tgcc -o ship main.c\\n' > Makefile\n",
            ),
            ("main.c", "int main(void) { return 0; }\n"),
        ],
        NONE,
        "old-version",
        RelaxationClass::Deceives,
        "ship",
    );
}

#[test]
fn a_class_of_relaxations_that_is_forbidden() {
    let files = [
        ("Makefile", "all: ship\nship: a.o b.o\n\t$(CC) -o ship a.o b.o\n"),
        ("a.c", "int mast;\nint main(void) { return mast; }\n"),
        ("b.c", "int mast;\n"),
    ];
    // Two ways lead out of this, of different classes: without the one the other is taken, without both none.
    for (forbid, works) in [
        (vec![RelaxationClass::Flags], true),
        (vec![RelaxationClass::Flags, RelaxationClass::Deceives], false),
    ] {
        let policy = Policy {
            forbid,
            ..Policy::default()
        };
        let Some(report) = built(&files, NONE, policy) else {
            return;
        };
        assert_eq!(
            linked(&report.artifacts).contains("ship"),
            works,
            "{}",
            report.explanation
        );
        let relaxations = report.recipe.map(|recipe| recipe.relaxations).unwrap_or_default();
        assert_eq!(
            relaxations
                .iter()
                .any(|relaxation| relaxation.class == RelaxationClass::Deceives),
            works
        );
    }
}

#[test]
fn a_part_that_the_project_leaves_off() {
    show(
        &[
            (
                "CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.10)\nproject(ship C)\noption(SHIP_TOOLS \"Build the tools\" OFF)\n\
                 add_executable(ship main.c)\nif(SHIP_TOOLS)\nadd_executable(oar main.c)\nendif()\n",
            ),
            ("main.c", "int main(void) { return 0; }\n"),
        ],
        NONE,
        "switched-on",
        RelaxationClass::Options,
        "oar",
    );
}

#[test]
fn a_target_that_the_usual_one_leaves_out() {
    show(
        &[
            (
                "Makefile",
                "all: ship\nship: main.c\n\t$(CC) -o ship main.c\nshared: libhull.so\nlibhull.so: hull.c\n\t$(CC) -shared -fPIC -o $@ hull.c\n",
            ),
            ("main.c", "int main(void) { return 0; }\n"),
            ("hull.c", "int hull(void) { return 0; }\n"),
        ],
        NONE,
        "targets",
        RelaxationClass::Options,
        "libhull.so",
    );
}

#[test]
fn c_that_assigns_to_casts_and_defines_extern_inline_functions_again() {
    let swap =
        "static short mast(char *at) { return *((short *) (at))++; }\nextern inline int sail(void) { return 0; }\n";
    show(
        &[
            (
                "Makefile",
                "all: ship\nship: main.o sail.o\n\t$(CC) -o ship main.o sail.o\n",
            ),
            ("swap.h", swap),
            (
                "main.c",
                "#include \"swap.h\"\nint main(void) { char four[4] = \"\"; char *p = four;\n  (char *) p += 1;\n  return mast(p) + sail(); }\n",
            ),
            (
                "sail.c",
                "#include \"swap.h\"\nint sail(void) { return mast(\"\\0\"); }\n",
            ),
        ],
        NONE,
        "ancient-c",
        RelaxationClass::Source,
        "ship",
    );
}
