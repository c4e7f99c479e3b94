//! What a package builds with: other packages, and old files of its own.

use seatrial_packages::{Candidate, Key, Resolver};
use seatrial_porting::{Mark, State};

use crate::plant::{DEBIAN, RPM};

/// Knows one header.
struct Knows(&'static str, &'static str);

impl Resolver for Knows {
    fn resolve(&self, key: &Key) -> Vec<Candidate> {
        let found = (key.name() == self.0).then(|| Candidate {
            package: self.1.to_owned(),
            because: "a test".to_owned(),
            score: 1.0,
        });
        found.into_iter().collect()
    }
}

#[test]
fn build_dependencies_are_restricted_widened_renamed_and_added() {
    let unresolvable = DEBIAN.state(State::Unresolvable);
    unresolvable
        .clone()
        .builds_with("debhelper-compat (= 13), gcc-multilib")
        .missing(&["gcc-multilib"])
        .gives(
            "restrict-dependency",
            &[("debian/control", "gcc-multilib [amd64 x32]\n")],
        );
    let plant = unresolvable
        .builds_with("debhelper-compat (= 13), libfoo4-dev (>= 1)")
        .missing(&["libfoo4-dev (>= 1)"]);
    let repair = plant.gives(
        "restrict-dependency",
        &[("debian/control", "libfoo4-dev (>= 1) [!arm64]\n")],
    );
    assert_eq!(repair.marks, [Mark::RemovesFeatures]);
    plant.gives_with(
        "renamed-dependency",
        Some(&Knows("foo", "libfoo5-dev")),
        &[("debian/control", "libfoo5-dev (>= 1)\n")],
    );
    let log = "hull.c:1:10: fatal error: zlib.h: No such file or directory\n";
    DEBIAN
        .builds_with("debhelper-compat (= 13), zlib1g-dev [amd64 i386]")
        .log(log)
        .gives(
            "widen-dependency",
            &[("debian/control", "zlib1g-dev [amd64 i386 arm64]\n")],
        );
    DEBIAN.log(log).gives_with(
        "add-dependency",
        Some(&Knows("zlib.h", "zlib1g-dev")),
        &[("debian/control", "debhelper-compat (= 13), zlib1g-dev\n")],
    );
    RPM.builds_with("BuildRequires:  gcc\n%ifarch x86_64\nBuildRequires:  zlib-devel\n%endif")
        .log(log)
        .gives(
            "widen-dependency",
            &[("hull.spec", "%ifarch x86_64 aarch64\nBuildRequires:  zlib-devel\n")],
        );
}

#[test]
fn old_files_of_autotools_are_refreshed() {
    let log = "checking build system type... ./config.guess: unable to guess system type\nconfigure: error: cannot guess build type; you must specify one\n";
    let files = [
        ("configure", "#!/bin/sh\n"),
        ("config.guess", "#!/bin/sh\n"),
        ("config.sub", "#!/bin/sh\n"),
    ];
    DEBIAN
        .files(&files)
        .build("\nclean:\nbuild:\n\t./configure --prefix=/usr\n\t$(MAKE)\nbinary: build\n")
        .log(log)
        .gives(
            "refresh-config-guess",
            &[
                (
                    "debian/rules",
                    "build:\n\tcp -f /usr/share/misc/config.guess /usr/share/misc/config.sub \
                     .\n\t./configure --prefix=/usr\n",
                ),
                ("debian/control", "autotools-dev"),
            ],
        );
    RPM.files(&files)
        .build("./configure --prefix=%{_prefix}\nmake")
        .log(log)
        .gives(
            "refresh-config-guess",
            &[
                (
                    "hull.spec",
                    "config.$name | tail -n 1)\" ./config.$name; done\n./configure",
                ),
                ("hull.spec", "BuildRequires:  automake\n"),
            ],
        );
    DEBIAN
        .files(&[("configure.ac", "AC_INIT\n"), ("config.sub", "#!/bin/sh\n")])
        .build("\n%:\n\tdh $@ --without autoreconf\n")
        .log("libtool: link: unrecognised option\nconfigure: error: cannot guess build type; you must specify one\n")
        .gives("regenerate", &[("debian/rules", "\tdh $@\n")]);
}
