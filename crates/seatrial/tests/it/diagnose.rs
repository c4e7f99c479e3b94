//! `seatrial diagnose`: what it prints, its exit codes, and input that is no log.

use std::{io::Write as _, process::Stdio};

use expect_test::{Expect, expect};

use crate::support::{Ran, run, seatrial};

/// Runs it on a log given on standard input.
fn on(log: &[u8], words: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let mut child = seatrial()
        .args(["diagnose", "-"])
        .args(words)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may be gone before it has read all, where the first bytes say enough.
    drop(child.stdin.take().unwrap().write_all(log));
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn check(log: &[u8], expected: &Expect) {
    let ran = on(log, &[]);
    expected.assert_eq(&format!("exit code {}\n{}{}", ran.code, ran.out, ran.err));
}

#[test]
fn a_cause_with_its_lines_its_cure_and_what_follows() {
    check(
        b"[1/3] Building C object a.o\n\
          a.c:1:10: fatal error: zlib.h: No such file or directory\n    1 | #include <zlib.h>\n      |          ^~~~~~~~\ncompilation terminated.\n\
          b.c:3:1: error: expected ';' before 'x'\n\
          b.c:9:1: error: expected ';' before 'y'\n\
          c.c:1:10: fatal error: png.h: No such file or directory\n\
          make: *** [Makefile:2: a.o] Error 1\n",
        &expect![[r#"
            exit code 0
            missing header: zlib.h
              line 2 while building; class preparation; 85 % sure

              1 | Building C object a.o
            > 2 | a.c:1:10: fatal error: zlib.h: No such file or directory
            | 3 |     1 | #include <zlib.h>
            | 4 |       |          ^~~~~~~~
              5 | compilation terminated.
              6 | b.c:3:1: error: expected ';' before 'x'
              7 | b.c:9:1: error: expected ';' before 'y'
              8 | c.c:1:10: fatal error: png.h: No such file or directory
              9 | make: *** [Makefile:2: a.o] Error 1

            what to try
              1. install what provides it

            what follows from it (2 errors)
              line 6, 2 times: b.c:3:1: error: expected ';' before 'x'

            also missing
              missing header: png.h (line 8)
        "#]],
    );
}

#[test]
fn success_and_silence_are_no_failure() {
    check(
        b"",
        &expect![[r#"
        exit code 3
        no failure found: the log is empty
    "#]],
    );
    check(
        b"-- Could NOT find Git\n-- Build files have been written to: /build\n[100%] Built target x\n",
        &expect![[r#"
            exit code 3
            no failure found: the log of 3 lines ends with success
        "#]],
    );
    check(
        b"cc -c a.c\n",
        &expect![[r#"
        exit code 3
        no failure found in 1 line
    "#]],
    );
}

#[test]
fn a_failure_without_a_reason_is_said() {
    check(
        b"cc -c a.c\nmake: *** [Makefile:2: all] Error 2\n",
        &expect![[r#"
            exit code 1
            it failed, and nothing in 2 lines says why
              line 2: make: *** [Makefile:2: all] Error 2
              next: look at the output of the command before that line, or build again with one process (-j1)
        "#]],
    );
}

#[test]
fn what_is_no_log_is_refused() {
    check(
        &[0, 1, 2, 3, 200, 0, 0, 5].repeat(100),
        &expect![[r#"
        exit code 2
        error: standard input is no log: it looks like binary data
    "#]],
    );
    check(
        b"\x1f\x8b\x08\0\0\0\0\0",
        &expect![[r#"
        exit code 2
        error: standard input is no log: it looks like a gzip file; unpack it first: `zcat FILE | seatrial diagnose -`
    "#]],
    );
    let folder = tempfile::tempdir().unwrap();
    let ran = run(seatrial().args(["diagnose", "missing.log"]).current_dir(folder.path()));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("missing.log"), "{}", ran.err);
    let ran = run(seatrial().args(["diagnose", "."]).current_dir(folder.path()));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is a folder"), "{}", ran.err);
}

#[test]
fn logs_that_are_cut_coloured_overwritten_or_in_another_language_are_read() {
    for (log, subject, line) in [
        // Cut amid a line.
        (&b"a.c:1:10: fatal error: zlib.h: No such file or directory\n    1 | #incl"[..], "zlib.h", 1),
        (b"x\r\n\x1b[31ma.c:1:10: fatal error: \x1b[mzlib.h: No such file or directory\r\n", "zlib.h", 2),
        (b" 10%\r 99%\rmake: gperf: No such file or directory\n", "gperf", 1),
        (
            "a.c:1:10: schwerwiegender Fehler: zlib.h: Datei oder Verzeichnis nicht gefunden\nmake: *** [Makefile:2: a.o] Fehler 1\n".as_bytes(),
            "zlib.h",
            1,
        ),
        (
            "a.c:1:10: erreur fatale\u{a0}: zlib.h\u{a0}: Aucun fichier ou dossier de ce type\nmake: *** [Makefile:2: a.o] Erreur 1\n".as_bytes(),
            "zlib.h",
            1,
        ),
        (
            "a.c:1:10: 致命的エラー: zlib.h: そのようなファイルやディレクトリはありません\nmake: *** [Makefile:2: a.o] エラー 1\n".as_bytes(),
            "zlib.h",
            1,
        ),
    ] {
        let ran = on(log, &["--json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(answer["cause"]["subject"], subject, "{}", String::from_utf8_lossy(log));
        assert_eq!(answer["cause"]["line"], line, "{}", String::from_utf8_lossy(log));
    }
}

#[test]
fn a_line_of_many_megabytes_hides_nothing_after_it() {
    let mut log = b"x error: y ".repeat(2_000_000);
    log.extend(b"\na.c:1:10: fatal error: zlib.h: No such file or directory\n");
    let ran = on(&log, &["--json"]);
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&answer["cause"]["line"], &answer["cause"]["subject"]),
        (&2.into(), &"zlib.h".into())
    );
}

#[test]
fn what_tools_left_beside_a_log_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("build.log"),
        "checking for x... yes\nconfigure: error: the toolkit is not usable\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("config.log"),
        "configure:10: gcc -o conftest conftest.c -lfoo >&5\n/usr/bin/ld: cannot find -lfoo: No such file or directory\n\
         configure:10: $? = 1\nconfigure:20: error: the toolkit is not usable\n",
    )
    .unwrap();
    let ran = run(seatrial().args(["diagnose", "build.log"]).current_dir(folder.path()));
    expect![[r#"
        exit code 0
        missing library: foo
          config.log, line 2 while configuring; class preparation; 85 % sure

          1 | configure:10: gcc -o conftest conftest.c -lfoo >&5
        > 2 | /usr/bin/ld: cannot find -lfoo: No such file or directory
          3 | configure:10: $? = 1

        what to try
          1. install what provides it
    "#]]
    .assert_eq(&format!("exit code {}\n{}{}", ran.code, ran.out, ran.err));
}
