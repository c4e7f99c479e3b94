//! What a user may write, and what is said of the rest.

use expect_test::{Expect, expect};
use fs_err as fs;
use seatrial_source::SourceSpec;

use crate::support::World;

fn check(text: &str, expected: &Expect) {
    let world = World::new();
    fs::create_dir(world.path("project")).unwrap();
    fs::write(world.path("a.tar.gz"), "x").unwrap();
    fs::write(world.path("notes.txt"), "x").unwrap();
    let root = world.folder.path().display().to_string();
    let shown = match text.replace("ROOT", &root).parse::<SourceSpec>() {
        Ok(spec) => format!("{spec:?}"),
        Err(error) => error.to_string().lines().next().unwrap().to_owned(),
    };
    expected.assert_eq(&shown.replace(&root, "ROOT"));
}

#[test]
fn every_form_is_understood() {
    let hex = "AB".repeat(32);
    check("ROOT/project", &expect![[r#"Folder("ROOT/project")"#]]);
    check(
        "ROOT/a.tar.gz",
        &expect![[r#"ArchiveFile { path: "ROOT/a.tar.gz", sha256: None }"#]],
    );
    check(
        &format!("ROOT/a.tar.gz#sha256={hex}"),
        &expect![[
            r#"ArchiveFile { path: "ROOT/a.tar.gz", sha256: Some("abababababababababababababababababababababababababababababababab") }"#
        ]],
    );
    check(
        "https://h.example/a.tar.xz?x=1",
        &expect![[r#"ArchiveUrl { url: "https://h.example/a.tar.xz?x=1", sha256: None }"#]],
    );
    check(
        "git+https://me@h.example/a.git@v1.0/x",
        &expect![[r#"Git { url: "https://me@h.example/a.git", revision: Some("v1.0/x") }"#]],
    );
    check(
        "git+ROOT/project",
        &expect![[r#"Git { url: "ROOT/project", revision: None }"#]],
    );
    check(
        "debian:hello",
        &expect![[r#"Debian { package: "hello", version: None }"#]],
    );
    check(
        "debian:g++-12=1:2.10-3~deb12u1",
        &expect![[r#"Debian { package: "g++-12", version: Some("1:2.10-3~deb12u1") }"#]],
    );
}

#[test]
fn what_cannot_be_understood_is_explained() {
    check("", &expect!["the source is empty or holds a NUL byte"]);
    check("ROOT/nothing", &expect!["there is no `ROOT/nothing`"]);
    check(
        "ROOT/notes.txt",
        &expect!["`ROOT/notes.txt` is a file, but its name does not end like an archive's"],
    );
    check(
        "ROOT/a.tar.gz#sha256=12",
        &expect![
            "`ROOT/a.tar.gz#sha256=12`: `12` is not a SHA-256 (64 hexadecimal digits; `sha256sum FILE` prints it)"
        ],
    );
    check(
        "https://h.example/a.tar.gz#md5=12",
        &expect![
            "`https://h.example/a.tar.gz#md5=12`: `#md5=12` is not understood; only `#sha256=HEX` may follow an archive"
        ],
    );
    check(
        "ftp://h.example/a.tar.gz",
        &expect!["`ftp://h.example/a.tar.gz`: no source can be fetched by `ftp:`"],
    );
    check(
        "https://h.example/a.git",
        &expect![
            "`https://h.example/a.git` looks like a git repository; write `git+https://h.example/a.git`, with `@COMMIT` for a certain commit"
        ],
    );
    check("git+ext::sh", &expect!["`git+ext::sh` does not name a git repository"]);
    check(
        "git+https://h.example/a@--x",
        &expect!["`git+https://h.example/a@--x`: `--x` is not a commit, tag or branch (a full commit id is best)"],
    );
    check(
        "debian:Hello",
        &expect![
            "`debian:Hello`: `Hello` is not the name of a source package (two or more of a-z, 0-9, `+`, `-`, `.`)"
        ],
    );
    check(
        "debian:hello=../1",
        &expect!["`debian:hello=../1`: `../1` is not a version such as `2.10-3` or `1:1.2-4+deb12u1`"],
    );
}
