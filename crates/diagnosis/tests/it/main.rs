//! Whole logs, from the text to the diagnosis.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes literals this way")]

mod judgement;
mod successful;

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use seatrial_diagnosis::{Kind, diagnose};

fn check(log: &str, expected: &Expect) {
    check_bytes(log.as_bytes(), expected);
}

fn check_bytes(log: &[u8], expected: &Expect) {
    let diagnosis = diagnose(log);
    let mut lines = vec![diagnosis.cause.map_or_else(
        || "cause: none\n".to_owned(),
        |cause| format!("cause: {:?} {:?} line {}\n", cause.kind, cause.subject, cause.line),
    )];
    lines.extend(diagnosis.missing.iter().map(|missing| {
        format!(
            "missing: {:?} {:?} line {}\n",
            missing.kind, missing.subject, missing.line
        )
    }));
    expected.assert_eq(&lines.concat());
}

#[test]
fn nothing_wrong_gives_nothing() {
    for log in [
        "",
        "\n",
        "all good\n",
        "\0\0\0",
        "-- Could NOT find Git\n-- Configuring done\n",
    ] {
        check(
            log,
            &expect![[r#"
            cause: none
        "#]],
        );
    }
}

#[test]
fn a_configure_script_lists_its_missing_modules_in_one_round() {
    check(
        "checking for gcc... gcc\n\
         checking for GTK... no\n\
         configure: error: Package requirements (glib-2.0 >= 2.40 gtk+-3.0 libfoo) were not met:\n\
         \n\
         No package 'gtk+-3.0' found\n\
         No package 'libfoo' found\n\
         \n\
         Consider adjusting the PKG_CONFIG_PATH environment variable\n",
        &expect![[r#"
            cause: MissingPkgConfig "gtk+-3.0" line 5
            missing: MissingPkgConfig "gtk+-3.0" line 5
            missing: MissingPkgConfig "libfoo" line 6
        "#]],
    );
}

#[test]
fn requirements_without_an_explanation_are_all_suspected() {
    check(
        "configure: error: Package requirements (glib-2.0 >= 2.40 libfoo) were not met.\n",
        &expect![[r#"
            cause: MissingPkgConfig "glib-2.0" line 1
            missing: MissingPkgConfig "glib-2.0" line 1
            missing: MissingPkgConfig "libfoo" line 1
        "#]],
    );
}

#[test]
fn a_status_line_tells_what_an_error_in_prose_is_about() {
    check(
        "checking for inflate in -lz... no\nconfigure: error: the compression library is absent\n",
        &expect![[r#"
            cause: MissingLibrary "z" line 2
            missing: MissingLibrary "z" line 2
        "#]],
    );
    check(
        "checking for pcap.h... no\nchecking for x... yes\nchecking for y... yes\nchecking for z... yes\n\
         configure: error: pcap.h is where?\n",
        &expect![[r#"
            cause: MissingHeader "pcap.h" line 5
            missing: MissingHeader "pcap.h" line 5
        "#]],
    );
    check(
        "-- Could NOT find Foo (missing: FOO_LIBRARY)\n-- Looking for x\n\
         CMake Error at CMakeLists.txt:9 (message):\n  This project wants the Foo toolkit\n\n\n-- Configuring incomplete, errors occurred!\n",
        &expect![[r#"
            cause: MissingCMake "Foo" line 3
            missing: MissingCMake "Foo" line 3
        "#]],
    );
}

#[test]
fn cmake_names_every_required_module_through_its_status_lines() {
    check(
        "-- Checking for modules 'libfoo;libbar'\n--   No package 'libfoo' found\n--   No package 'libbar' found\n\
         CMake Error at /usr/share/cmake-3.25/Modules/FindPkgConfig.cmake:607 (message):\n  A required package was not found\n\
         Call Stack (most recent call first):\n  CMakeLists.txt:4 (pkg_check_modules)\n\n\n-- Configuring incomplete, errors occurred!\n",
        &expect![[r#"
            cause: MissingPkgConfig "libfoo" line 4
            missing: MissingPkgConfig "libfoo" line 4
            missing: MissingPkgConfig "libbar" line 4
        "#]],
    );
}

#[test]
fn the_first_error_of_a_compiler_is_the_cause() {
    check(
        "[1/3] Building C object a.o\nFAILED: a.o\n\
         a.c:1:10: fatal error: zlib.h: No such file or directory\n    1 | #include <zlib.h>\n      |          ^~~~~~~~\ncompilation terminated.\n\
         b.c:3:1: error: unknown type name 'z_stream'\n\
         c.c:1:10: fatal error: png.h: No such file or directory\n\
         make: *** [Makefile:2: a.o] Error 1\nninja: build stopped: subcommand failed.\n",
        &expect![[r#"
            cause: MissingHeader "zlib.h" line 3
            missing: MissingHeader "zlib.h" line 3
            missing: MissingHeader "png.h" line 8
        "#]],
    );
}

#[test]
fn a_configure_stop_beats_noise_before_and_after_it() {
    check(
        "sh: 1: git: not found\nconfigure: error: libfoo is required\nmake: *** No targets specified and no makefile found.  Stop.\n",
        &expect![[r#"
            cause: MissingLibrary "foo" line 2
            missing: MissingCommand "git" line 1
            missing: MissingLibrary "foo" line 2
        "#]],
    );
}

#[test]
fn a_full_disk_beats_everything() {
    check(
        "a.c:1:10: fatal error: zlib.h: No such file or directory\nas: a.o: No space left on device\n",
        &expect![[r#"
            cause: Resources "disk" line 2
            missing: MissingHeader "zlib.h" line 1
        "#]],
    );
}

#[test]
fn a_failed_download_is_seen_through_cmakes_own_stop() {
    check(
        "fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org\n\
         CMake Error at x-populate-gitclone.cmake:31 (message):\n  Something gave up\n",
        &expect![[r#"
            cause: Network "example.org" line 1
        "#]],
    );
}

#[test]
fn what_looks_broken_is_read_all_the_same() {
    check_bytes(
        b"\x1b[01m\x1b[Ka.c:1:10:\x1b[m\x1b[K \x1b[01;31m\x1b[Kfatal error: \x1b[m\x1b[Kzlib.h: No such file or directory\r\n\
          10%\r50%\r/usr/bin/ld: cannot find -lfoo\r\n\
          \xff\xfe a.c:(.text+0x9): undefined reference to \xe2sqrt\xff\n\
          [  12s] make: gperf: No such file or directory",
        &expect![[r#"
            cause: MissingHeader "zlib.h" line 1
            missing: MissingHeader "zlib.h" line 1
            missing: MissingLibrary "foo" line 2
            missing: MissingCommand "gperf" line 4
        "#]],
    );
}

#[test]
fn words_without_a_name_stay_words() {
    check(
        "configure: error: something is odd here\n",
        &expect![[r#"
        cause: Other "" line 1
    "#]],
    );
    check(
        "make: *** [all] Error 2\n",
        &expect![[r#"
        cause: none
    "#]],
    );
}

#[test]
fn a_log_that_repeats_itself_names_a_thing_once() {
    let log = "x.c:1:10: fatal error: zlib.h: No such file or directory\n".repeat(10_000);
    let diagnosis = diagnose(log.as_bytes());
    assert_eq!(diagnosis.missing.len(), 1);
    assert_eq!(diagnosis.cause.unwrap().kind, Kind::MissingHeader);
}

#[test]
fn a_log_of_many_names_stays_small() {
    let mut log = String::new();
    for number in 0..5_000 {
        writeln!(log, "x.c:1:10: fatal error: h{number}.h: No such file or directory").unwrap();
    }
    assert!(diagnose(log.as_bytes()).missing.len() <= 512);
}

#[test]
fn what_make_ignores_stopped_nothing() {
    check(
        "make: update-cache: No such file or directory\nmake: [Makefile:3: install] Error 127 (ignored)\n\
         a.c:1:10: fatal error: zlib.h: No such file or directory\n",
        &expect![[r#"
            cause: MissingHeader "zlib.h" line 3
            missing: MissingHeader "zlib.h" line 3
        "#]],
    );
}

#[test]
fn a_message_of_several_lines_is_read_to_its_end() {
    check(
        "configure: error:\n*** The build needs\n*** libfoo to be installed\n\nother words: bar is required\n",
        &expect![[r#"
            cause: MissingLibrary "foo" line 1
            missing: MissingLibrary "foo" line 1
        "#]],
    );
}
