//! What a build comes to: paths of files, and tests.

use seatrial_core::Arch;
use seatrial_porting::Mark;

use crate::plant::{DEBIAN, RPM};

#[test]
fn paths_have_the_architectures_own_folder() {
    DEBIAN
        .files(&[(
            "debian/hull.install",
            "usr/lib/x86_64-linux-gnu/libhull.so.*\nusr/bin\n",
        )])
        .build(
            "\n%:\n\tdh $@\n\n\
             override_dh_auto_install:\n\tinstall -D libhull.so.1 \
             debian/tmp/usr/lib/x86_64-linux-gnu/libhull.so.1\n",
        )
        .log(
            "dh_install: warning: Cannot find (any matches for) \
             \"usr/lib/x86_64-linux-gnu/libhull.so.*\" (tried in ., debian/tmp)\n\
             dh_install: warning: hull missing files: \
             usr/lib/x86_64-linux-gnu/libhull.so.*\n\
             dh_install: error: missing files, aborting\n",
        )
        .gives(
            "library-path",
            &[
                ("hull.install", "usr/lib/*/libhull.so.*\nusr/bin\n"),
                (
                    "debian/rules",
                    "debian/tmp/usr/lib/$(DEB_HOST_MULTIARCH)/libhull.so.1\n",
                ),
            ],
        );
    RPM.head("%files extra\n/usr/lib64/hull\n")
        .log("error: File not found: /home/abuild/rpmbuild/BUILDROOT/hull-1.0-0.i386/usr/lib64/hull\n")
        .target(Arch::I686)
        .gives("library-path", &[("hull.spec", "%{_libdir}/hull\n")]);
    DEBIAN
        .files(&[("Makefile", "hull: hull.o /usr/lib/x86_64-linux-gnu/libz.a\n")])
        .log("make: *** No rule to make target '/usr/lib/x86_64-linux-gnu/libz.a', needed by 'hull'.  Stop.\n")
        .gives(
            "library-path",
            &[("Makefile", "/usr/lib/$(shell $(CC) -print-multiarch)/libz.a")],
        );
}

#[test]
fn tests_are_left_out_last_and_with_a_mark() {
    let log =
        "FAIL: t-digits\n# FAIL:  1\nTestsuite summary for hull 1.0\nmake[2]: *** [Makefile:9: check-TESTS] Error 1\n";
    let repair = DEBIAN.files(&[("Makefile.am", "TESTS = t-digits\n")]).log(log).gives(
        "skip-one-test",
        &[(
            "debian/rules",
            "ifeq ($(DEB_HOST_ARCH),arm64)\noverride_dh_auto_test:\n\tdh_auto_test -- XFAIL_TESTS=t-digits\nendif\n",
        )],
    );
    assert_eq!(repair.marks, [Mark::RemovesTests]);
    let repair = RPM.log(log).gives(
        "skip-tests",
        &[("hull.spec", "%ifnarch aarch64\nmake check\n\n%endif\n")],
    );
    assert_eq!(repair.marks, [Mark::RemovesTests]);
}
