//! Differences there and back, with git as the second opinion.

use std::process::{Command, Stdio};

use super::*;

fn write(root: &std::path::Path, path: &str, content: &[u8], mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A path and its content on both sides.
type Row = (&'static str, Option<&'static [u8]>, Option<&'static [u8]>);

/// Two trees with each kind of change in it.
fn trees() -> (tempfile::TempDir, tempfile::TempDir) {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rows: [Row; 17] = [
        ("same", Some(b"a\n"), Some(b"a\n")),
        (
            "lines",
            Some(b"a\nb\nc\nd\ne\nf\ng\nh\n"),
            Some(b"a\nB\nc\nd\ne\nf\ng\nH\nh\n"),
        ),
        ("open end", Some(b"a\nb"), Some(b"a\nb\n")),
        ("open end 2", Some(b"a\nb\n"), Some(b"a\nc")),
        ("dos", Some(b"a\r\nb\r\nc\r\n"), Some(b"a\r\nB\r\nc\r\n")),
        ("mixed", Some(b"a\r\nb\nc\r\n"), Some(b"a\nb\r\nc\r\n")),
        ("latin", Some(b"caf\xe9\n"), Some(b"caf\xe9s\n")),
        ("bytes", Some(&[0, 1, 2, 255]), Some(&[0, 1, 2, 254, 3])),
        ("new/deep/file", None, Some(b"new\n")),
        ("new empty", None, Some(b"")),
        ("new bytes", None, Some(&[0; 300])),
        ("gone/file", Some(b"gone\n"), None),
        ("gone empty", Some(b""), None),
        ("gone bytes", Some(&[0, 9]), None),
        ("emptied", Some(b"a\n"), Some(b"")),
        ("filled", Some(b""), Some(b"a\n")),
        ("na\tme \"quoted\" \u{e9}", Some(b"a\n"), Some(b"b\n")),
    ];
    for (path, before, after) in rows {
        for (root, content) in [(old.path(), before), (new.path(), after)] {
            if let Some(content) = content {
                write(root, path, content, 0o644);
            }
        }
    }
    write(old.path(), "script", b"#!\n", 0o644);
    write(new.path(), "script", b"#!\n", 0o755);
    write(old.path(), "script2", b"#!\n", 0o755);
    write(new.path(), "script2", b"#!/\n", 0o644);
    write(new.path(), "script3", b"#!/\n", 0o755);
    let link = |root: &std::path::Path, path: &str, to: &str| std::os::unix::fs::symlink(to, root.join(path)).unwrap();
    link(old.path(), "link", "lines");
    link(new.path(), "link", "dos");
    link(new.path(), "new link", "same");
    link(old.path(), "gone link", "same");
    link(old.path(), "turned", "same");
    write(new.path(), "turned", b"a\n", 0o644);
    write(old.path(), "turned2", b"a\n", 0o644);
    link(new.path(), "turned2", "same");
    (old, new)
}

fn list(root: &std::path::Path) -> Tree {
    Tree::list(root, |path| path.starts_with(b".git")).unwrap()
}

#[test]
fn what_is_between_two_trees_makes_one_of_the_other_and_back() {
    let (old, new) = trees();
    let staging = tempfile::tempdir().unwrap();
    let (there, back) = (
        between(&list(old.path()), &list(new.path())).unwrap(),
        between(&list(new.path()), &list(old.path())).unwrap(),
    );
    let (before, after) = (list(old.path()).digest().unwrap(), list(new.path()).digest().unwrap());
    assert_ne!(before, after);
    let report = apply(old.path(), staging.path(), &there).unwrap_or_else(|error| panic!("{error}\n{there}"));
    assert!(report.files.len() > 20);
    assert_eq!(between(&list(old.path()), &list(new.path())).unwrap(), "");
    assert_eq!(list(old.path()).digest().unwrap(), after);
    // Applied twice it fits nowhere, and changes nothing.
    let error = apply(old.path(), staging.path(), &there).unwrap_err().to_string();
    assert!(error.contains("nothing was changed"), "{error}");
    assert_eq!(list(old.path()).digest().unwrap(), after);
    apply(old.path(), staging.path(), &back).unwrap_or_else(|error| panic!("{error}\n{back}"));
    assert_eq!(list(old.path()).digest().unwrap(), before);
    assert!(std::fs::read_dir(staging.path()).unwrap().next().is_none());
}

#[test]
fn long_files_with_little_in_common_are_compared_at_once() {
    let text = |seed: u64| -> Vec<u8> {
        let lines = (0..60_000_u64).map(|number| format!("{}\n", (number + seed) * 2_654_435_761));
        format!("same\n{}same\n", lines.collect::<String>()).into_bytes()
    };
    let (old, new) = (text(0), text(1_000_000));
    let body = as_lines("x", &old, &new, true, true).unwrap();
    assert_eq!(
        body.lines().filter(|line| line.starts_with("@@")).collect::<Vec<_>>(),
        ["@@ -1,60002 +1,60002 @@"]
    );
}

#[test]
fn git_takes_it_too() {
    let (old, new) = trees();
    let git = |arguments: &[&str], input: &str| {
        use std::io::Write as _;
        let mut child = Command::new("git")
            .current_dir(old.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(input.as_bytes()).ok()?;
        Some(child.wait().ok()?.success())
    };
    if git(&["init", "--quiet"], "") != Some(true) {
        println!("skipped: `git` is not installed");
        return;
    }
    let there = between(&list(old.path()), &list(new.path())).unwrap();
    assert_eq!(
        git(&["apply", "--whitespace=nowarn", "-"], &there),
        Some(true),
        "{there}"
    );
    assert_eq!(between(&list(old.path()), &list(new.path())).unwrap(), "");
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let staging = tempfile::tempdir().unwrap();
    write(root.path(), "a", b"one\ntwo\n", 0o644);
    write(root.path(), "b", b"one\ntwo\n", 0o644);
    std::os::unix::fs::symlink("/", root.path().join("out")).unwrap();
    let before = list(root.path()).digest().unwrap();
    for (second, part) in [
        ("--- a/b\n+++ b/b\n@@ -1 +1 @@\n-three\n+3\n", "b: hunk 1"),
        (
            "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-three\n+3\n",
            "c: there is no such file",
        ),
        ("--- a/../c\n+++ b/../c\n@@ -1 +1 @@\n-three\n+3\n", "leads out"),
        (
            "--- /dev/null\n+++ b/out/etc/x\n@@ -0,0 +1 @@\n+3\n",
            "goes through a link",
        ),
        ("--- a/out\n+++ b/out\n@@ -1 +1 @@\n-/\n+3\n", "it is a link"),
        (
            "diff --git a/b b/b\nindex 1..2\nGIT binary patch\nliteral 1\nIcmZ\n\nliteral 0\nHcmV?d00001\n\n",
            "damaged",
        ),
    ] {
        let diff = format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n{second}");
        let error = apply(root.path(), staging.path(), &diff).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(list(root.path()).digest().unwrap(), before);
    }
}
