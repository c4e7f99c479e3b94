//! Bad input: each ends with a clear message and the right exit code, and leaves nothing behind.

use std::{fs, process::Stdio};

use crate::support::{boxes, image_name, leftovers, project, run, run_as_it_is, seatrial};

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
            &[
                "build",
                &at("empty"),
                "--without",
                "own-names",
                "--without",
                "nosuchrule",
            ],
            2,
            &[
                "no rule is called `nosuchrule`; the rules are:",
                "own-names",
                "wrappers",
                "common",
            ],
        ),
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
        // Said before anything is fetched, so the source may be missing too.
        (&["build", &at("missing"), "--allow", "http://x"], 2, &["--allow"]),
        (
            &["build", &at("missing"), "--allow", "x", "--network", "none"],
            2,
            &["--allow"],
        ),
        (&["bench", "run", &at("empty"), "--agent", "rules"], 2, &["corpus.toml"]),
        (
            &["bench", "run", &at("empty"), "--agent", "nobody"],
            2,
            &["nobody", "rules", "null", "fake"],
        ),
        (
            &[
                "bench",
                "run",
                &at("empty"),
                "--agent",
                "ognibuild",
                "--program",
                &at("ogni"),
            ],
            2,
            &["ogni", "--program", "cargo install ognibuild"],
        ),
        (
            &[
                "bench",
                "run",
                &at("empty"),
                "--agent",
                "rules",
                "--program",
                &at("ogni"),
            ],
            2,
            &["--program", "rules", "ognibuild"],
        ),
        (&["bench", "report", "no-such-run"], 2, &["no-such-run", "bench list"]),
        (&["corpus", "show", &at("empty")], 2, &["corpus.toml"]),
        (&["corpus", "list", &at("empty")], 3, &["no corpus"]),
        (
            &["corpus", "mine", "debian-compile", "-o", "/proc/nowhere"],
            2,
            &["/proc/nowhere", "-o DIR"],
        ),
        (
            &["corpus", "mine", "debian-compile", "--count", "0", "-o", &at("mined")],
            2,
            &["--count"],
        ),
        (&["image", "rm", "ffffffffffffffff"], 2, &["ffffffffffffffff"]),
        (&["image", "import", &at("none.tar")], 2, &["none.tar"]),
        (
            &["image", "pull", "tool:1"],
            2,
            &["names no registry", "registry/name:tag"],
        ),
        (&["image", "build", "--arch", "z80"], 2, &["z80", "arm64"]),
        (&["image", "build", "--locked"], 2, &["--locked", "recipe"]),
        (&["image", "build", &at("none.toml")], 2, &["none.toml"]),
        (
            &["image", "build", "beos:r5"],
            4,
            &["beos:r5", "image import", "image pull"],
        ),
        (
            &["image", "run", "ffffffffffffffff", "--", "true"],
            2,
            &["ffffffffffffffff"],
        ),
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
    assert_eq!(ran.code, 2, "the file and the hash are the user's own: {}", ran.err);
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["exit_code"], ran.code);
    assert!(answer["error"].as_str().unwrap().contains("a.tar"), "{answer}");
}

#[test]
fn nothing_is_written_through_a_link_that_a_project_brings() {
    let folder = tempfile::tempdir().unwrap();
    let (project, elsewhere) = (folder.path().join("project"), folder.path().join("elsewhere"));
    fs::create_dir(&project).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("Dockerfile"), "precious").unwrap();
    std::os::unix::fs::symlink(&elsewhere, project.join("seatrial-out")).unwrap();
    let ran = run(seatrial().current_dir(&project).args(["build", "."]));
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("seatrial-out is a link") && ran.err.contains("-o DIR"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(elsewhere.join("Dockerfile")).unwrap(), "precious");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
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

#[test]
fn answers_that_nobody_takes_are_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").display().to_string();
    // A disk that is full, and a reader that has gone away.
    for (words, full) in [
        (&["completions", "bash"][..], 4),
        (&["image", "list"], 4),
        (&["image", "list", "--json"], 4),
        (&["bench", "list"], 4),
        (&["build", &missing, "--json"], 2),
        (&["frobnicate", "--json"], 2),
    ] {
        let device = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = run_as_it_is(seatrial().args(words).stdout(device()));
        assert_eq!(ran.code, full, "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{words:?}: {}", ran.err);
        let silent = seatrial().args(words).stdout(device()).stderr(device()).status();
        assert_eq!(silent.unwrap().code(), Some(full), "{words:?}");

        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = run_as_it_is(seatrial().args(words).stdout(writer));
        assert_eq!(ran.code, if full == 4 { 0 } else { full }, "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn whoever_asked_for_json_gets_it_also_when_the_words_are_wrong() {
    for words in [
        &["--json", "frobnicate"][..],
        &["build", "--json"],
        &["--json"],
        &["build", ".", "--timeout", "-1", "--json"],
        &["bench", "run", "x", "--json", "--agent"],
    ] {
        let ran = run(seatrial().args(words));
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.err);
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(answer["exit_code"], 2, "{words:?}");
        assert!(!answer["error"].as_str().unwrap().is_empty(), "{words:?}");
    }
    let help = run(seatrial().args(["--json", "--help"]));
    assert!(help.code == 0 && help.out.contains("Usage"), "{}", help.out);
}

#[test]
fn an_output_folder_that_cannot_be_used_is_the_users_choice() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    project(&source, &[("Makefile", "all:\n")]);
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join("build.log")).unwrap();
    for output in [
        &file,
        &file.join("below"),
        &taken,
        std::path::Path::new("/proc/nowhere"),
    ] {
        let ran = run(seatrial().arg("build").arg(&source).arg("-o").arg(output));
        assert_eq!(ran.code, 2, "{}: {}", output.display(), ran.err);
        assert!(ran.err.contains(&output.display().to_string()), "{}", ran.err);
        assert!(ran.err.contains("-o DIR"), "{}", ran.err);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "x");
}

#[test]
fn a_budget_that_was_spent_without_an_answer_has_a_code_of_its_own() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    project(
        &source,
        &[
            ("Makefile", "all:\n\tsleep 1000\n\t$(CC) -o x x.c\n"),
            ("x.c", "int main(void) { return 0; }\n"),
        ],
    );
    for seconds in ["0", "6"] {
        let out = folder.path().join("out");
        let ran = run(seatrial()
            .arg("build")
            .arg(&source)
            .args(["--timeout", seconds, "-o"])
            .arg(&out));
        assert_eq!(ran.code, 5, "{seconds} s: {}{}", ran.out, ran.err);
        assert!(out.join("verdict.json").is_file());
    }
}

#[test]
fn a_damaged_run_does_not_hide_the_others() {
    let home = tempfile::tempdir().unwrap();
    project(
        home.path(),
        &[("runs/damaged/lock.json", "{"), ("runs/half/journal.jsonl", "")],
    );
    let ran = run(seatrial().env("SEATRIAL_HOME", home.path()).args(["bench", "list"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("damaged  cannot be read: "), "{}", ran.out);
    let ran = run(seatrial()
        .env("SEATRIAL_HOME", home.path())
        .args(["bench", "report", "damaged"]));
    assert!(ran.code == 4 && ran.err.contains("lock.json"), "{}", ran.err);
}

#[test]
fn what_a_command_prints_arrives_whole_and_a_reader_that_leaves_ends_it() {
    if !boxes() {
        return;
    }
    let image = image_name();
    let in_a_box = |script: &str| {
        let mut command = seatrial();
        command.args(["image", "run", &image, "--", "bash", "-c", script]);
        command
    };
    // Characters of three bytes, and more than what is kept of a command's output elsewhere.
    let ran = run(&mut in_a_box(
        "head -c 70000000 /dev/zero | tr '\\0' x; yes \u{20ac} | head -200000; printf 'a\\r\\n\\xe2'",
    ));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let rest = ran.out.trim_start_matches('x');
    assert_eq!(ran.out.len() - rest.len(), 70_000_000);
    assert!(rest.lines().take(200_000).all(|line| line == "\u{20ac}"));
    assert!(rest.ends_with("\u{20ac}\na\n\u{fffd}"), "{:?}", rest.len());

    let mut child = in_a_box("yes").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));

    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let ran = run_as_it_is(in_a_box("yes").stdout(full));
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("cannot pass on"), "{}", ran.err);
}
