//! Phases, classes, extents, follow-on errors and endings: what is said of a log besides its cause.

use expect_test::{Expect, expect};
use seatrial_diagnosis::{Ending, diagnose};

fn check(log: &str, expected: &Expect) {
    let diagnosis = diagnose(log.as_bytes());
    let mut out = vec![format!("{:?}\n", diagnosis.facts.ending)];
    if let Some(cause) = &diagnosis.cause {
        out.push(format!(
            "{} {:?}, {} in {:?}, line {} of {:?}\n",
            cause.kind.name(),
            cause.subject,
            cause.class.name(),
            cause.phase,
            cause.line,
            cause.span
        ));
        for follow in &cause.explains {
            out.push(format!(
                "    {} x line {}: {}\n",
                follow.count, follow.line, follow.text
            ));
        }
    }
    expected.assert_eq(&out.concat());
}

#[test]
fn an_error_has_its_way_in_and_what_follows_is_counted() {
    check(
        "cc -c a.c\n\
         In file included from b.h:1,\n                 from a.c:1:\n\
         c.h:3:10: fatal error: zlib.h: No such file or directory\n    3 | #include <zlib.h>\n      |          ^~~~~~~~\n\
         compilation terminated.\n\
         d.c:1:1: error: expected ';' before 'x'\n\
         e.c:1:1: error: expected ';' before 'y'\n\
         f.c:1:10: fatal error: zlib.h: No such file or directory\n\
         make: *** [Makefile:2: a.o] Error 1\n",
        &expect![[r#"
            Failed
            missing_header "zlib.h", preparation in Build, line 4 of (2, 6)
                2 x line 8: d.c:1:1: error: expected ';' before 'x'
                1 x line 10: f.c:1:10: fatal error: zlib.h: No such file or directory
        "#]],
    );
}

#[test]
fn the_phase_in_which_a_build_stopped_decides() {
    check(
        "Executing(%build): /bin/sh -e /var/tmp/rpm-tmp.a\n\
         a.c:1:1: error: expected ';' before 'x'\n\
         make: [Makefile:2: optional] Error 1 (ignored)\n\
         Executing(%check): /bin/sh -e /var/tmp/rpm-tmp.b\n\
         something odd happened\n\
         error: Bad exit status from /var/tmp/rpm-tmp.b (%check)\n\nRPM build errors:\n    Bad exit status from /var/tmp/rpm-tmp.b (%check)\n",
        &expect![[r#"
            Failed
            test_failed "", test in Test, line 6 of (6, 6)
        "#]],
    );
    check(
        "Executing(%check): /bin/sh -e /var/tmp/rpm-tmp.b\n\
         something odd happened\n\
         error: Bad exit status from /var/tmp/rpm-tmp.b (%check)\n",
        &expect![[r#"
            Failed
            test_failed "", test in Test, line 3 of (3, 3)
        "#]],
    );
    check(
        "   dh_auto_build\n\tmake -j2\n   dh_auto_test\n\tmake -j2 test\n\
         t.c:1:10: fatal error: zlib.h: No such file or directory\n\
         make[1]: *** [Makefile:9: test] Error 1\n\
         dh_auto_test: error: make -j2 test returned exit code 2\n\
         make: *** [debian/rules:4: build] Error 25\n",
        &expect![[r#"
            Failed
            missing_header "zlib.h", preparation in Test, line 5 of (5, 5)
        "#]],
    );
}

#[test]
fn whatever_stands_before_a_line_is_read_through() {
    for prefix in [
        "",
        "[   12s] ",
        "[  312s] [12/40] ",
        "2024-01-02T03:04:05.1234567Z ",
        "[03:04:05] ",
        "#12 3.456 ",
        "DEBUG util.py:463:  ",
        "\u{1b}[36m\u{1b}[0m",
    ] {
        let lines = [
            "CMake Error at CMakeLists.txt:5 (find_package):",
            "  Could not find a package configuration file provided by \"Foo\" with any",
            "  of the following names:",
            "",
            "    FooConfig.cmake",
            "",
            "-- Configuring incomplete, errors occurred!",
        ];
        let lines = lines.map(|line| format!("{prefix}{line}\r\n"));
        let log = lines.concat();
        let cause = diagnose(log.as_bytes()).cause.unwrap();
        assert_eq!(
            (cause.kind.name(), cause.subject.as_str(), cause.span),
            ("missing_cmake", "Foo", (1, 5)),
            "{prefix:?}"
        );
    }
}

#[test]
fn a_success_at_the_end_counts_and_one_before_a_failure_does_not() {
    for (log, ending) in [
        ("", Ending::Unknown),
        ("cc -c a.c\n", Ending::Unknown),
        ("[INFO] BUILD SUCCESS\n", Ending::Succeeded),
        ("sh: 1: git: not found\n[INFO] BUILD SUCCESS\n", Ending::Succeeded),
        (
            "-- Build files have been written to: /b\nmake: *** [all] Error 2\n",
            Ending::Failed,
        ),
        (
            "100% tests passed, 0 tests failed out of 3\na.c:1:10: fatal error: zlib.h: No such file or directory\n",
            Ending::Failed,
        ),
    ] {
        let diagnosis = diagnose(log.as_bytes());
        assert_eq!(diagnosis.facts.ending, ending, "{log}");
        assert_eq!(diagnosis.facts.bytes, log.len() as u64);
        assert_eq!(diagnosis.facts.lines, log.lines().count() as u64);
        assert!(ending == Ending::Failed || diagnosis.cause.is_none(), "{log}");
    }
}

#[test]
fn parallel_compilers_mix_their_lines_and_the_first_missing_file_stays_the_cause() {
    check(
        "gcc -c a.c\ngcc -c b.c\na.c: In function 'f':\nb.c:2:10: fatal error: png.h: No such file or directory\n\
         a.c:4:3: error: expected ';' before 'x'\n    2 | #include <png.h>\n    4 |   x\n      |          ^~~~~~~\ncompilation terminated.\n      |   ^\n\
         make: *** [Makefile:2: b.o] Error 1\nmake: *** Waiting for unfinished jobs....\nmake: *** [Makefile:2: a.o] Error 1\n",
        &expect![[r#"
            Failed
            missing_header "png.h", preparation in Build, line 4 of (3, 4)
                1 x line 5: a.c:4:3: error: expected ';' before 'x'
        "#]],
    );
}

#[test]
fn a_test_that_crashes_in_the_emulator_is_a_crashed_test() {
    check(
        "Test project /build\nqemu: uncaught target signal 11 (Segmentation fault) - core dumped\nmake: *** [Makefile:3: check] Error 1\n",
        &expect![[r#"
            Failed
            test_crashed "", test in Test, line 2 of (2, 2)
        "#]],
    );
}

#[test]
fn a_missing_header_outranks_an_error_of_another_file_far_before_it() {
    let far = "cc -c z.c\n".repeat(20);
    check(
        &format!(
            "d.c:1:1: error: expected ';' before 'x'\n{far}a.c:1:10: fatal error: zlib.h: No such file or directory\nmake: *** [Makefile:2: a.o] Error 1\n"
        ),
        &expect![[r#"
            Failed
            missing_header "zlib.h", preparation in Build, line 22 of (22, 22)
        "#]],
    );
}
