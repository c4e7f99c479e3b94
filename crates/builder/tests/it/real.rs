//! Whole builds in real boxes, each proved by a replay of its recipe in a fresh one.

use std::{collections::BTreeSet, sync::OnceLock};

use expect_test::{Expect, expect};
use seatrial_builder::{Artifact, ArtifactKind, BuilderError, artifacts::artifacts};
use seatrial_core::{BOX_SOURCE, Digest, Platform};
use seatrial_egress::Egress;
use seatrial_sandbox::{
    BoxSpec, Command, ImageRequest, ImageStore, Limits, NativeFactory, Network, Sandbox, SandboxFactory,
};
use seatrial_source::SourceTree;

use crate::{
    machine,
    script::{Names, Notes, build, lay},
};

pub(crate) struct Boxes {
    factory: NativeFactory,
    image: Digest,
    /// A door to the registries of distributions.
    network: Network,
    _egress: Egress,
}

impl Boxes {
    /// A fresh box with the tree laid where recipes expect it.
    pub(crate) fn start(&self, tree: &SourceTree) -> Box<dyn Sandbox> {
        let spec = BoxSpec {
            image: self.image,
            limits: Limits::default(),
            network: self.network.clone(),
        };
        let mut made = self.factory.start(&spec).unwrap();
        let mut tar = Vec::new();
        tree.write_tar(&mut tar).unwrap();
        made.write_tree(BOX_SOURCE, &mut tar.as_slice()).unwrap();
        made
    }
}

/// The boxes of this machine; without them a test says why and ends.
pub(crate) fn boxes() -> Option<&'static Boxes> {
    static BOXES: OnceLock<Result<Boxes, String>> = OnceLock::new();
    match BOXES.get_or_init(make) {
        Ok(boxes) => Some(boxes),
        Err(reason) => {
            println!("skipped: no boxes: {reason}");
            None
        }
    }
}

fn make() -> Result<Boxes, String> {
    let (home, helper) = machine::home_and_helper()?;
    let images = ImageStore::new(&home, helper.clone());
    let platform = Platform::default_host();
    let image = match images.find(&platform).map_err(|error| error.to_string())? {
        Some(image) => image,
        None => images
            .build(&ImageRequest::default_for(&platform), &mut |_| {})
            .map_err(|error| error.to_string())?,
    };
    let factory = NativeFactory::new(&home, helper).map_err(|error| error.to_string())?;
    let (network, egress) = machine::door(&home)?;
    Ok(Boxes {
        factory,
        image: image.id,
        network,
        _egress: egress,
    })
}

pub(crate) fn linked(artifacts: &[Artifact]) -> BTreeSet<String> {
    artifacts
        .iter()
        .filter(|artifact| matches!(artifact.kind, ArtifactKind::Executable | ArtifactKind::SharedObject))
        .filter(|artifact| artifact.path.starts_with("/build/"))
        .map(|artifact| artifact.name.clone())
        .collect()
}

/// Builds, replays the recipe in a fresh box, and compares what was made, and what was decided on the way.
pub(crate) fn check(files: &[(&str, &str)], names: &Names, expected: &Expect) {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path(), files);
    let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"test"));
    let mut notes = Notes::default();
    let mut sandbox = boxes.start(&tree);
    let report = match build(folder.path(), sandbox.as_mut(), names, &mut notes) {
        Ok(report) => report,
        Err(BuilderError::Mirror(reason)) => {
            println!("skipped: {reason}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let mut lines = notes.decisions;
    match report.recipe {
        None => lines.push(format!("nothing: {}", report.explanation)),
        Some(recipe) => {
            let made = linked(&report.artifacts);
            let mut fresh = boxes.start(&tree);
            let before = fresh.snapshot().unwrap();
            let mut log = Vec::new();
            let execution = fresh.exec(&Command::bash(recipe.to_script()), &mut log).unwrap();
            assert!(execution.succeeded(), "{}", String::from_utf8_lossy(&log));
            assert_eq!(linked(&artifacts(&fresh.changes(&before).unwrap())), made);
            lines.push(format!("made: {}", made.into_iter().collect::<Vec<_>>().join(", ")));
        }
    }
    lines.push(String::new());
    expected.assert_eq(&lines.join("\n"));
}

pub(crate) const MAIN: &str = "int main(void) { return 0; }\n";
pub(crate) const NONE: &Names = &Names(&[]);

#[test]
fn cmake_with_a_library() {
    check(
        &[
            (
                "CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.10)\nproject(ship C)\nadd_library(hull hull.c)\nadd_executable(ship main.c)\ntarget_link_libraries(ship hull)\ninstall(TARGETS ship hull)\n",
            ),
            ("hull.c", "int hull(void) { return 0; }\n"),
            ("main.c", "int hull(void);\nint main(void) { return hull(); }\n"),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: CMake at the top
            try CMake at the top
            build shared libraries
            keep it
            made: libhull.so, ship
        "]],
    );
}

#[test]
fn meson_in_a_sub_folder() {
    check(
        &[
            ("README", "see code/\n"),
            (
                "code/meson.build",
                "project('ship', 'c')\nexecutable('ship', 'main.c', install: true)\n",
            ),
            ("code/main.c", MAIN),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: Meson in code
            try Meson in code
            made: ship
        "]],
    );
}

#[test]
fn autotools_that_must_be_prepared_first() {
    check(
        &[
            (
                "configure.ac",
                "AC_INIT([ship],[1])\nAM_INIT_AUTOMAKE\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
            ),
            ("Makefile.am", "bin_PROGRAMS = ship\nship_SOURCES = main.c\n"),
            ("autogen.sh", "#!/bin/sh\nexec autoreconf -i\n"),
            ("main.c", MAIN),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: Autotools without a generated configure at the top
            try Autotools without a generated configure at the top
            made: ship
        "]],
    );
}

#[test]
fn a_makefile_that_hides_everything_that_is_wanted() {
    check(
        &[
            (
                "Makefile",
                "CC = gcc\nCFLAGS = -O2 -Werror -m486\nship: main.c\n\t$(CC) $(CFLAGS) -s -o ship main.c\n\tstrip ship\ninstall:\n\tsudo install -s ship $(PREFIX)/bin\n",
            ),
            ("main.c", MAIN),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: Make at the top
            try Make at the top
            drop -m486* from compiler calls
            made: ship
        "]],
    );
}

#[test]
fn sources_without_a_build_file() {
    check(
        &[
            (
                "ship.c",
                "#include <math.h>\nint oars(void);\nint main(int argc, char **argv) { (void)argv; return (int)sqrt(argc) + oars(); }\n",
            ),
            ("oars.c", "int oars(void) { return 2; }\n"),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: plain C or C++ sources at the top
            try plain C or C++ sources at the top
            made: ship
        "]],
    );
}

#[test]
fn a_header_that_a_package_has_and_a_library_that_nobody_links() {
    check(
        &[
            ("Makefile", "all: ship\nship: main.o\n\t$(CC) -o ship main.o\n"),
            (
                "main.c",
                "#include <zlib.h>\nint main(void) { return zlibVersion()[0] == 'x'; }\n",
            ),
        ],
        &Names(&[("header `zlib.h`", &["zlib1g-dev"])]),
        &expect![[r"
            found 1 way to build: Make at the top
            try Make at the top
            install zlib1g-dev
            link with -lz
            made: ship
        "]],
    );
}

#[test]
fn variables_that_several_files_define() {
    check(
        &[
            ("Makefile", "all: ship\nship: a.o b.o\n\t$(CC) -o ship a.o b.o\n"),
            ("a.c", "int mast;\nint main(void) { return mast; }\n"),
            ("b.c", "int mast;\n"),
        ],
        NONE,
        &expect![[r#"
            found 1 way to build: Make at the top
            try Make at the top
            compile with -fcommon, only for a.c b.c
            made: ship
        "#]],
    );
}

#[test]
fn a_makefile_that_wants_to_know_the_system_and_scripts_that_lost_their_bits() {
    check(
        &[
            (
                "Makefile",
                "none:\n\t@echo \"Please do 'make SYSTEM' where SYSTEM is one of: aix bsd linux macosx\"\nlinux:\n\t./gen.sh > name.h\n\t$(CC) -o ship main.c\n",
            ),
            ("gen.sh", "#!/bin/sh\necho '#define NAME 1'\n"),
            ("main.c", "#include \"name.h\"\nint main(void) { return NAME - 1; }\n"),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: Make at the top
            try Make at the top
            build the target linux
            make the scripts executable
            made: ship
        "]],
    );
}

#[test]
fn what_cannot_be_built_is_explained() {
    check(
        &[
            ("Makefile", "all: ship\nship: main.c\n\t$(CC) -o ship main.c\n"),
            ("main.c", "#include <nobody/has/this.h>\nint main(void) { return 0; }\n"),
        ],
        NONE,
        &expect![[r"
            found 1 way to build: Make at the top
            try Make at the top
            build the target all
            take the last change back
            nothing: Nothing was built.
            - Make at the top (2 rounds); stopped by: build: main.c:1:10: fatal error: nobody/has/this.h: No such file or directory
              the command that failed: cd /build/source && cc -o ship main.c -g -O0
            Next: `nobody/has/this.h` is in no package that helped; find out which project provides it and build that first.
        "]],
    );
}

#[test]
fn the_command_that_failed_among_many_and_what_was_fetched_are_named() {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    lay(
        folder.path(),
        &[
            (
                "Makefile",
                "all: a.o b.o c.o got\n%.o: %.c\n\t$(CC) -c -o $@ $<\ngot:\n\t-git clone https://nowhere.invalid/sail.git got\n",
            ),
            ("a.c", "int a;\n"),
            ("b.c", "#include <nobody/has/this.h>\n"),
            ("c.c", "int c;\n"),
        ],
    );
    let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"test"));
    let mut sandbox = boxes.start(&tree);
    let report = build(folder.path(), sandbox.as_mut(), NONE, &mut Notes::default()).unwrap();
    let attempt = report.attempts.first().unwrap();
    let command = attempt.failing_command.clone().unwrap_or_default();
    assert!(command.starts_with("cd /build/source && "), "{command}");
    assert!(command.contains("-c -o b.o b.c"), "{command}");
    assert!(
        attempt
            .downloads
            .iter()
            .any(|call| call.contains("git clone https://nowhere.invalid/sail.git")),
        "{:?}",
        attempt.downloads
    );
    assert!(report.explanation.contains("the command that failed: cd /build/source"));
}
