//! The patch applier against second opinions: what `git apply` and `patch` make of the same diff.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use seatrial_packaging::{Fitting, PatchChange, PatchFiles, patch_files};
use serde_json::json;

use crate::support::Bench;

struct One(BTreeMap<String, Vec<u8>>);

impl PatchFiles for One {
    type Error = Infallible;

    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, Infallible> {
        Ok(self.0.get(path).cloned())
    }
}

/// What this house makes of a patch for the file `f`.
fn ours(old: &str, patch: &str, strict: bool) -> Result<String, String> {
    let mut files = One([("f".to_owned(), old.as_bytes().to_vec())].into());
    let fitting = if strict { Fitting::Strict } else { Fitting::Lenient };
    let patched = patch_files(patch, &mut files, fitting).map_err(|error| error.to_string())?;
    match &patched[0].change {
        PatchChange::Modify(content) => Ok(String::from_utf8(content.clone()).unwrap()),
        other => Err(format!("{other:?}")),
    }
}

/// A row of numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

fn program(name: &str) -> bool {
    let found = Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        println!("skipped: `{name}` is not installed");
    }
    found
}

fn random_file(dice: &mut Dice, words: usize, lines: usize) -> Vec<String> {
    (0..lines).map(|_| format!("w{}", dice.below(words))).collect()
}

fn mutate(dice: &mut Dice, lines: &[String]) -> Vec<String> {
    let mut changed = lines.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(changed.len() + 1);
        match dice.below(3) {
            0 => changed.insert(at, format!("new{}", dice.below(9))),
            1 if at < changed.len() => drop(changed.remove(at)),
            _ if at < changed.len() => changed[at] = format!("other{}", dice.below(9)),
            _ => {}
        }
    }
    changed
}

fn text(dice: &mut Dice, lines: &[String]) -> String {
    let mut text = lines.join("\n");
    if !lines.is_empty() && dice.below(5) > 0 {
        text.push('\n');
    }
    text
}

fn diff(folder: &Path, old: &str, new: &str, context: usize) -> String {
    fs::write(folder.join("old"), old).unwrap();
    fs::write(folder.join("new"), new).unwrap();
    let output = Command::new("diff")
        .args([
            &format!("-U{context}"),
            "--label",
            "a/f",
            "--label",
            "b/f",
            "old",
            "new",
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// What another program makes of the patch; none when it refuses or needs fuzz.
fn theirs(folder: &Path, old: &str, patch: &str, program: &str, arguments: &[&str]) -> Option<String> {
    fs::write(folder.join("f"), old).unwrap();
    fs::write(folder.join("p"), patch).unwrap();
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(fs::File::open(folder.join("p")).unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    status.success().then(|| fs::read_to_string(folder.join("f")).unwrap())
}

const GNU: (&str, &[&str]) = (
    "patch",
    &["-p1", "--fuzz=0", "--batch", "--quiet", "--no-backup-if-mismatch", "f"],
);

#[test]
fn what_diff_writes_gives_the_new_file_to_the_letter() {
    if !program("diff") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(7);
    for round in 0..300 {
        // Few words: many lines are the same, so a place is told by its number only.
        let words = [3, 30, 1000][round % 3];
        let lines = dice.below(40) + 1;
        let old_lines = random_file(&mut dice, words, lines);
        let new_lines = mutate(&mut dice, &old_lines);
        let (old, new) = (text(&mut dice, &old_lines), text(&mut dice, &new_lines));
        let context = dice.below(4);
        let patch = diff(folder.path(), &old, &new, context);
        if patch.is_empty() {
            continue;
        }
        for strict in [true, false] {
            assert_eq!(ours(&old, &patch, strict).as_ref(), Ok(&new), "{old:?}\n{patch}");
        }
    }
}

#[test]
fn where_other_programs_find_one_place_ours_is_the_same_or_refused() {
    if !program("diff") || !program("patch") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(11);
    let (mut same, mut refused) = (0, 0);
    for _ in 0..250 {
        let old_lines = random_file(&mut dice, 40, 30);
        let new_lines = mutate(&mut dice, &old_lines);
        let (old, new) = (old_lines.join("\n") + "\n", new_lines.join("\n") + "\n");
        let patch = diff(folder.path(), &old, &new, 3);
        if patch.is_empty() {
            continue;
        }
        // Somebody put lines before it in the meantime.
        let shifted = format!("{}{old}", "moved\n".repeat(dice.below(20)));
        let Some(gnu) = theirs(folder.path(), &shifted, &patch, GNU.0, GNU.1) else {
            continue;
        };
        match ours(&shifted, &patch, false) {
            Ok(result) => {
                assert_eq!(result, gnu, "{shifted}\n{patch}");
                same += 1;
            }
            Err(problem) => {
                assert!(problem.contains("places"), "{problem}\n{shifted}\n{patch}");
                refused += 1;
            }
        }
    }
    assert!(same > 200 && refused < 20, "{same} {refused}");
}

#[test]
fn what_models_get_wrong_gives_what_they_meant() {
    if !program("diff") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(13);
    let header = regex::Regex::new("@@ .* @@").unwrap();
    let (mut applied, mut refused) = (0, 0);
    for round in 0..400 {
        let old_lines = random_file(&mut dice, 100_000, 40);
        let new_lines = mutate(&mut dice, &old_lines);
        let (old, new) = (old_lines.join("\n") + "\n", new_lines.join("\n") + "\n");
        let patch = diff(folder.path(), &old, &new, 3);
        if patch.is_empty() {
            continue;
        }
        let spoilt: String = match round % 4 {
            0 => header.replace_all(&patch, "@@ -1,99 +1,98 @@").into_owned(),
            1 => header.replace_all(&patch, "@@ ... @@").into_owned(),
            2 => format!("It is this:\n```diff\n{patch}```\nThat should do.\n"),
            _ => patch.replace("\n w", "\n   w"),
        };
        match ours(&old, &spoilt, false) {
            Ok(result) => {
                assert_eq!(result, new, "{old}\n{spoilt}");
                applied += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(applied > 350 && refused < 20, "{applied} {refused}");
}

#[test]
fn whatever_is_called_a_patch_nothing_breaks() {
    let mut dice = Dice(17);
    let pieces = [
        "--- a/f",
        "+++ b/f",
        "@@ -1,2 +1,2 @@",
        "@@",
        " w1",
        "-w1",
        "+w2",
        "",
        "\\ No newline",
        "diff --git a/f b/f",
        "rename from f",
        "rename to g",
        "new file mode 100644",
        "--- /dev/null",
        "+++ /dev/null",
        "```",
        "@@ -99999999999999999999 +1 @@",
        "\u{fffd}",
    ];
    for _ in 0..3000 {
        let mut patch = String::new();
        for _ in 0..dice.below(14) {
            writeln!(patch, "{}", pieces[dice.below(pieces.len())]).unwrap();
        }
        drop(ours("w1\nw1\nw3\n", &patch, false));
    }
}

#[test]
fn a_patch_is_applied_whole_or_not_at_all() {
    let Some(mut bench) = Bench::new(&[("a.c", "one\ntwo\n"), ("b.c", "x\n"), ("c.c", "gone\n")]) else {
        return;
    };
    bench.ok(
        "shell",
        &json!({"command": "chmod 755 b.c; mkdir folder", "fresh": true}),
    );
    let patch = "--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\
                 diff --git a/b.c b/deep/d.c\nrename from b.c\nrename to deep/d.c\n\
                 --- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+new\n\
                 --- a/c.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
    // The last of its files cannot be written: a folder is in the way.
    let blocked = format!("{patch}--- /dev/null\n+++ b/folder\n@@ -0,0 +1 @@\n+x\n");
    let told = bench.told("apply_patch", &json!({"patch": blocked}));
    assert!(told.starts_with("nothing was changed: folder:"), "{told}");
    let look = json!({"command": "cat a.c b.c c.c; ls; stat -c %a b.c", "fresh": true});
    let before = bench.ok("shell", &look);
    assert!(
        before.starts_with("one\ntwo\nx\ngone\na.c\nb.c\nc.c\n") && before.contains("\n755\n"),
        "{before}"
    );
    let text = bench.ok("apply_patch", &json!({"patch": patch}));
    expect_test::expect![[r#"
        applied:
        M a.c (1 hunk)
        R b.c -> deep/d.c (0 hunks)
        A new.c (1 hunk)
        D c.c (1 hunk)"#]]
    .assert_eq(&text);
    let after = bench.ok(
        "shell",
        &json!({"command": "cat a.c deep/d.c new.c; ls; stat -c %a deep/d.c", "fresh": true}),
    );
    assert!(
        after.starts_with("one\nthree\nx\nnew\na.c\ndeep\nfolder\nnew.c\n755\n"),
        "{after}"
    );
    let told = bench.told("apply_patch", &json!({"patch": patch}));
    expect_test::expect![[r#"
        nothing was changed: a.c: hunk 1: what it makes is there already, at line 1
        b.c: there is no such file
        new.c: the patch makes a new file and there is one already, with the very same content
        c.c: the patch deletes it and it is not there"#]]
    .assert_eq(&told);
}
