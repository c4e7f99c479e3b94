//! Bad input: each ends with a clear message and the right exit code, and leaves nothing behind.

use std::fs;

use crate::support::{boxes, leftovers, project, run, seatrial};

#[test]
fn words_that_name_nothing_are_usage_errors_with_a_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    project(
        folder.path(),
        &[
            ("notes.txt", "no archive\n"),
            ("broken.tar.gz", "not gzip at all"),
            ("empty/.keep", ""),
        ],
    );
    // A gzip stream that breaks off.
    fs::write(
        folder.path().join("short.tar.gz"),
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xed, 0xc1],
    )
    .unwrap();
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["build", &at("missing")], 2, &["missing"]),
        (&["build", &at("notes.txt")], 2, &["notes.txt"]),
        (&["build", &at("broken.tar.gz")], 2, &["broken.tar.gz"]),
        (&["build", &at("short.tar.gz")], 2, &["short.tar.gz"]),
        (&["build", "debian:"], 2, &["debian:"]),
        (
            &["build", "http://127.0.0.1:1/x.tar.gz"],
            4,
            &["http://127.0.0.1:1/x.tar.gz"],
        ),
        (
            &[
                "build",
                "git+http://127.0.0.1:1/x.git@0123456789012345678901234567890123456789",
            ],
            4,
            &["127.0.0.1"],
        ),
        (
            &["build", ".", "--platform", "nonsense"],
            2,
            &["nonsense", "debian:bookworm"],
        ),
        (&["bench", "run", &at("empty"), "--agent", "rules"], 2, &["corpus.toml"]),
        (
            &["bench", "run", &at("empty"), "--agent", "nobody"],
            2,
            &["nobody", "rules", "null", "fake"],
        ),
        (&["bench", "report", "no-such-run"], 2, &["no-such-run", "bench list"]),
        (&["corpus", "show", &at("empty")], 2, &["corpus.toml"]),
        (&["corpus", "list", &at("empty")], 3, &["no corpus"]),
        (&["image", "rm", "ffffffffffffffff"], 2, &["ffffffffffffffff"]),
        (&["frobnicate"], 2, &["frobnicate"]),
        (&[], 2, &["Usage"]),
    ];
    for (words, code, texts) in cases {
        let out = at("out");
        let mut command = seatrial();
        command.args(*words);
        if words.first() == Some(&"build") {
            command.args(["-o", &out]);
        }
        let ran = run(&mut command);
        assert_eq!(ran.code, *code, "{words:?}: {}{}", ran.out, ran.err);
        for text in *texts {
            assert!(ran.err.contains(text), "{words:?}: `{text}` is not in: {}", ran.err);
        }
        assert!(!ran.err.contains("panicked"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn a_wrong_sha256_is_refused_and_json_says_so_too() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.tar");
    fs::write(&archive, [0; 1024]).unwrap();
    let name = format!("{}#sha256={}", archive.display(), "0".repeat(64));
    let ran = run(seatrial()
        .args(["build", &name, "--json", "-o"])
        .arg(folder.path().join("out")));
    assert_ne!(ran.code, 0);
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["exit_code"], ran.code);
    assert!(answer["error"].as_str().unwrap().contains("a.tar"), "{answer}");
}

#[test]
fn folders_that_cannot_be_built_fail_with_the_reason() {
    if !boxes() {
        return;
    }
    for (files, text) in [
        (&[][..], "empty"),
        (&[("README", "Nothing to build here.\n")][..], "build"),
        (
            &[("Makefile", "all:\n\t$(CC) -o x missing-on-purpose.c\n")][..],
            "missing-on-purpose.c",
        ),
        (
            &[
                ("Makefile", "all: x\nx: x.c\n\t$(CC) -o x x.c\n"),
                ("x.c", "int main(void) { return gone_function(1 }\n"),
            ][..],
            "x.c",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::create_dir(&source).unwrap();
        project(&source, files);
        let out = folder.path().join("out");
        let ran = run(seatrial().arg("build").arg(&source).arg("-o").arg(&out));
        assert_eq!(ran.code, 1, "{files:?}: {}{}", ran.out, ran.err);
        assert!(
            ran.out.to_lowercase().contains(text),
            "{files:?}: `{text}` is not in: {}",
            ran.out
        );
        assert!(out.join("verdict.json").is_file() && out.join("build.log").is_file());
        assert!(
            !out.join("recipe.sh").exists(),
            "nothing was built, so there is no recipe"
        );
    }
    assert_eq!(leftovers(), Vec::<String>::new());
}
