//! `seatrial build`, from a source to a proved recipe.

use std::fs;

use crate::support::{boxes, leftovers, makefile_project, project, run, seatrial};

#[test]
fn a_project_in_a_sub_folder_is_built_and_the_recipe_does_it_again() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    makefile_project(&source.join("code/deep"), "hull", "");
    project(&source, &[("README", "The code is in code/deep.\n")]);
    let before = fs::read(source.join("code/deep/main.c")).unwrap();
    let out = folder.path().join("out");
    let ran = run(seatrial()
        .arg("build")
        .arg(&source)
        .args(["--expect", "hull", "-o"])
        .arg(&out));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("passed"), "{}", ran.out);
    assert!(ran.out.contains("hull"), "{}", ran.out);
    for name in [
        "recipe.sh",
        "Dockerfile",
        "source.tar.gz",
        "verdict.json",
        "build.log",
        "journal.jsonl",
    ] {
        assert!(out.join(name).is_file(), "{name} is missing");
    }
    assert!(fs::read_to_string(out.join("recipe.sh")).unwrap().contains("code/deep"));
    assert_eq!(fs::read(source.join("code/deep/main.c")).unwrap(), before);
    assert_eq!(
        fs::read_dir(source.join("code/deep")).unwrap().count(),
        3,
        "the user's folder is as it was"
    );

    // The recipe needs nothing of ours: the same source, an ordinary shell.
    let again = folder.path().join("again");
    fs::create_dir_all(again.join("source")).unwrap();
    let unpacked = std::process::Command::new("tar")
        .arg("-xzf")
        .arg(out.join("source.tar.gz"))
        .arg("-C")
        .arg(again.join("source"))
        .status();
    assert!(unpacked.unwrap().success());
    assert!(
        again.join("source/code/deep/.hidden").is_file(),
        "hidden files are part of the source"
    );
    let mut script = std::process::Command::new("bash");
    script
        .arg(out.join("recipe.sh"))
        .env("SRC", again.join("source"))
        .env("OUT", again.join("out"))
        .env("PREFIX", again.join("prefix"));
    let by_hand = run(&mut script);
    assert_eq!(by_hand.code, 0, "{}", by_hand.err);
    assert!(again.join("source/code/deep/hull").is_file() || again.join("prefix/bin/hull").is_file());

    // A second build into the same folder leaves nothing of the first when it fails.
    fs::write(source.join("code/deep/main.c"), "broken").unwrap();
    let ran = run(seatrial().arg("build").arg(&source).arg("-o").arg(&out));
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(!out.join("recipe.sh").exists());
}

#[test]
fn a_folder_with_any_name_is_built() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"-a 'b' \"c\" $(touch boom) `touch boom`; touch boom\n\xff");
    let source = folder.path().join(name);
    makefile_project(&source.join(name), "hull", "");
    let ran = run(seatrial()
        .current_dir(folder.path())
        .args(["build", "--expect", "hull", "-o", "out", "--"])
        .arg(name));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("passed"), "{}", ran.out);
    assert!(!folder.path().join("boom").exists());
    let strict = fs::read_to_string(folder.path().join("out/verdict.json")).unwrap();
    assert!(strict.contains("\"strict\""), "{strict}");
}

#[test]
fn a_build_says_when_it_deceived() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    project(
        &source,
        &[
            ("Makefile", "all: ship\nship: main.c\n\tgcc -o ship main.c\n"),
            (
                "configure",
                "#!/bin/sh\ncase $(gcc -dumpfullversion) in\n[3-9].*) ;;\n*) echo \"gcc 12.2 is too old, 3.0 is required\"; exit 1 ;;\nesac\n",
            ),
            ("main.c", "int main(void) { return 0; }\n"),
        ],
    );
    let out = folder.path().join("out");
    let build = |words: &[&str]| run(seatrial().arg("build").arg(&source).args(words).arg("-o").arg(&out));
    let ran = build(&[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains(
            "warning: what was built may not be what its source says: let the compiler say that it is of version 9"
        ),
        "{}",
        ran.out
    );
    // Without it the next way is taken, which needs no lie.
    let ran = build(&["--forbid", "deceives"]);
    assert!(!ran.out.contains("may not be what its source says"), "{}", ran.out);
    let script = fs::read_to_string(out.join("recipe.sh")).unwrap();
    assert!(!script.contains("9.9.9"), "{script}");
}

#[test]
fn hostile_builds_end_and_leave_nothing() {
    if !boxes() {
        return;
    }
    for (name, extra) in [
        ("asks", "\tread answer; echo got $$answer\n"),
        ("forks", "\t-(f() { f | f & }; f) 2>/dev/null\n"),
        ("kills", "\t-kill -9 1; kill -9 -1\n"),
        ("floods", "\t-head -c 200000000 /dev/zero | tr '\\0' x\n"),
        ("lingers", "\tsetsid sleep 100000 > /dev/null 2>&1 &\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        makefile_project(&source, name, extra);
        let out = folder.path().join("out");
        let ran = run(seatrial()
            .arg("build")
            .arg(&source)
            .args(["--timeout", "120", "-o"])
            .arg(&out));
        // Some of these builds get through in spite of what they do; none may hang, break the harness or pass unproved.
        assert!(
            [0, 1].contains(&ran.code),
            "{name}: {} {}{}",
            ran.code,
            ran.out,
            ran.err
        );
        assert!(out.join("verdict.json").is_file(), "{name}");
        let log = fs::metadata(out.join("build.log")).unwrap().len();
        assert!(log < 1 << 30, "{name}: a log of {log} bytes");
    }
    assert_eq!(leftovers(), Vec::<String>::new());
}
