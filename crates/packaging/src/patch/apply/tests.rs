//! Patches as models and programs write them.

use std::{convert::Infallible, fmt::Write as _};

use expect_test::{Expect, expect};

use super::*;

pub(super) struct Memory(pub(super) BTreeMap<String, Vec<u8>>);

impl PatchFiles for Memory {
    type Error = Infallible;

    fn content(&mut self, path: &str) -> Result<Option<Vec<u8>>, Infallible> {
        Ok(self.0.get(path).cloned())
    }
}

pub(super) fn run(files: &[(&str, &str)], patch: &str, strict: bool) -> Result<Vec<PatchedFile>, String> {
    let mut memory = Memory(
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect(),
    );
    let fitting = if strict { Fitting::Strict } else { Fitting::Lenient };
    patch_files(patch, &mut memory, fitting).map_err(|error| error.to_string())
}

fn check(files: &[(&str, &str)], patch: &str, expected: &Expect) {
    let text = |content: &[u8]| format!("{:?}", String::from_utf8_lossy(content));
    let mut shown = String::new();
    match run(files, patch, false) {
        Err(problem) => writeln!(shown, "refused: {problem}").unwrap(),
        Ok(patched) => {
            for file in patched {
                let what = match &file.change {
                    PatchChange::Modify(content) => format!("M {}", text(content)),
                    PatchChange::Create(content) => format!("A {}", text(content)),
                    PatchChange::Delete => "D".to_owned(),
                    PatchChange::Rename(from, content) => format!("R from {from} {}", text(content)),
                };
                let mode = file.mode.map_or(String::new(), |mode| format!(" mode {mode:o}"));
                writeln!(shown, "{}: {what}{mode} {}", file.path, file.notes.join("; ")).unwrap();
            }
        }
    }
    expected.assert_eq(&shown);
}

const FILE: &str =
    "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"a\");\n\tputs(\"b\");\n\treturn x;\n}\n";

/// What models get wrong, one thing at a time.
#[test]
fn patches_as_models_write_them() {
    for (patch, expected) in [
        (
            "--- a/m.c\n+++ b/m.c\n@@ -4,4 +4,4 @@\n {\n \tint x = 1;\n-\tputs(\"a\");\n+\tputs(\"c\");\n \tputs(\"b\");\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"c\");\n\tputs(\"b\");\n\treturn x;\n}\n" 
            "##]],
        ),
        // Wrong line numbers, wrong counts, none at all.
        (
            "--- a/m.c\n+++ b/m.c\n@@ -40,2 +40,7 @@\n \tint x = 1;\n-\tputs(\"a\");\n+\tputs(\"c\");\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"c\");\n\tputs(\"b\");\n\treturn x;\n}\n" hunk 1 fits 35 lines further up; hunk 1 has wrong counts in its header, or none
            "##]],
        ),
        (
            "--- a/m.c\n+++ b/m.c\n@@ @@\n \tint x = 1;\n-\tputs(\"a\");\n+\tputs(\"c\");\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"c\");\n\tputs(\"b\");\n\treturn x;\n}\n" hunk 1 has wrong counts in its header, or none
            "##]],
        ),
        // Blanks instead of a tab.
        (
            "--- a/m.c\n+++ b/m.c\n@@ -5,2 +5,2 @@\n     int x = 1;\n-    puts(\"a\");\n+\tputs(\"c\");\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"c\");\n\tputs(\"b\");\n\treturn x;\n}\n" hunk 1 has other blanks than the file
            "##]],
        ),
        // A line of context that is not there, at the edge and in the middle, and one that is another.
        (
            "--- a/m.c\n+++ b/m.c\n@@ -4,4 +4,4 @@\n \tint y = 2;\n \tint x = 1;\n-\tputs(\"a\");\n+\tputs(\"c\");\n \tputs(\"b\");\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"c\");\n\tputs(\"b\");\n\treturn x;\n}\n" hunk 1 fits 1 line further down; hunk 1 has 1 line of context that is not in the file
            "##]],
        ),
        (
            "--- a/m.c\n+++ b/m.c\n@@ -5,4 +5,4 @@\n \tint x = 1;\n-\tputs(\"a\");\n+\tputs(\"c\");\n \tputs(\"bb\");\n \treturn x;\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"c\");\n\tputs(\"b\");\n\treturn x;\n}\n" hunk 1 has 1 line of context that is not in the file
            "##]],
        ),
        // In prose and fences, with an empty line that lost its blank.
        (
            "The fix:\n\n```diff\n--- a/m.c\n+++ b/m.c\n@@ -1,3 +1,4 @@\n #include <stdio.h>\n+#include <stdlib.h>\n\n int main(void)\n```\n\nDone.\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\n#include <stdlib.h>\n\nint main(void)\n{\n\tint x = 1;\n\tputs(\"a\");\n\tputs(\"b\");\n\treturn x;\n}\n" 
            "##]],
        ),
        // A line that is there several times: without a right number nobody knows which is meant.
        (
            "--- a/m.c\n+++ b/m.c\n@@ -90,1 +90,0 @@\n-\n",
            expect![[r##"
                m.c: M "#include <stdio.h>\nint main(void)\n{\n\tint x = 1;\n\tputs(\"a\");\n\tputs(\"b\");\n\treturn x;\n}\n" hunk 1 fits 88 lines further up
            "##]],
        ),
        (
            "--- a/m.c\n+++ b/m.c\n@@ @@\n+int y;\n",
            expect![[r#"
            refused: m.c: hunk 1: it only adds lines and does not say where; give lines of context
        "#]],
        ),
        (
            "--- a/m.c\n+++ b/m.c\n@@ -5,2 +5,2 @@\n \tint x = 1;\n-\tputs(\"nothing like it\");\n+\tputs(\"c\");\n",
            expect![[r#"
                refused: m.c: hunk 1: it does not fit: 1 of its 2 old lines are at line 5, where the file has
                         5		int x = 1;
                         6		puts("a");
            "#]],
        ),
        (
            "--- a/m.c\n+++ b/m.c\n@@ -5,2 +5,2 @@\n \tint x = 1;\n-\tputs(\"z\");\n+\tputs(\"a\");\n",
            expect![[r#"
                refused: m.c: hunk 1: what it makes is there already, at line 5
            "#]],
        ),
        (
            "--- a/n.c\n+++ b/n.c\n@@ -1 +1 @@\n-a\n+b\n",
            expect![[r#"
            refused: n.c: there is no such file
        "#]],
        ),
        (
            "--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n",
            expect![[r#"
            refused: `a/../../etc/passwd` leads out of the folder that is patched; write paths relative to it
        "#]],
        ),
    ] {
        check(&[("m.c", FILE)], patch, &expected);
    }
}

#[test]
fn several_equal_places_need_a_right_number() {
    let file = "a\nx\nb\na\nx\nb\na\nx\nb\n";
    let patch = |line: usize| format!("--- f\n+++ f\n@@ -{line},3 +{line},3 @@\n a\n-x\n+y\n b\n");
    check(
        &[("f", file)],
        &patch(4),
        &expect![[r#"
        f: M "a\nx\nb\na\ny\nb\na\nx\nb\n" 
    "#]],
    );
    check(
        &[("f", file)],
        &patch(5),
        &expect![[r#"
        refused: f: hunk 1: it fits in 3 places (at line 1, 4, 7); give more lines of context, or the right line number
    "#]],
    );
    // The first hunk has only one place and shows by how much the numbers are off.
    let file = format!("new\nline\nstart\n{file}");
    let patch = "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-start\n+begin\n@@ -5,3 +5,3 @@\n a\n-x\n+y\n b\n";
    check(
        &[("f", &file)],
        patch,
        &expect![[r#"
        f: M "new\nline\nbegin\na\nx\nb\na\ny\nb\na\nx\nb\n" hunk 1 fits 2 lines further down; hunk 2 fits 2 lines further down
    "#]],
    );
}

#[test]
fn files_are_made_removed_and_moved_and_all_of_it_or_nothing() {
    let files = [
        ("gone", "a\nb\n"),
        ("old/name", "1\n2\n3\n"),
        ("run", "x\n"),
        ("dos", "a\r\nb\r\nc\r\n"),
        ("open", "a\nb"),
    ];
    for (patch, expected) in [
        (
            "--- /dev/null\n+++ b/new/file\n@@ -0,0 +1,2 @@\n+a\n+b\n",
            expect![[r#"
            new/file: A "a\nb\n" 
        "#]],
        ),
        (
            "--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
            expect![[r#"
            gone: D 
        "#]],
        ),
        (
            "--- a/gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n",
            expect![[r#"
            refused: gone: the patch deletes it, but it has more lines than those that are removed
        "#]],
        ),
        (
            "diff --git a/old/name b/new/name\nsimilarity index 60%\nrename from old/name\nrename to new/name\n--- a/old/name\n+++ b/new/name\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n",
            expect![[r#"
                new/name: R from old/name "1\ntwo\n3\n" 
            "#]],
        ),
        (
            "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n",
            expect![[r#"
            run: M "x\n" mode 755 
        "#]],
        ),
        (
            "--- a/dos\n+++ b/dos\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
            expect![[r#"
            dos: M "a\r\nB\r\nc\r\n" 
        "#]],
        ),
        (
            "--- a/open\n+++ b/open\n@@ -1,2 +1,3 @@\n a\n b\n+c\n",
            expect![[r#"
            open: M "a\nb\nc" 
        "#]],
        ),
        (
            "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n",
            expect![[r#"
            open: M "a\nc\n" 
        "#]],
        ),
        (
            "--- a/run\n+++ b/run\n@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n",
            expect![[r#"
            run: M "y" 
        "#]],
        ),
        // A first folder that is not in the tree.
        (
            "--- hull-1.0/run\n+++ hull-1.0.new/run\n@@ -1 +1 @@\n-x\n+y\n",
            expect![[r#"
            run: M "y\n" 
        "#]],
        ),
        // The first part fits, the second does not.
        (
            "--- a/run\n+++ b/run\n@@ -1 +1 @@\n-x\n+y\n--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-z\n+y\n",
            expect![[r#"
                refused: gone: hunk 1: none of its lines is in the file
            "#]],
        ),
        (
            "--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+y\n",
            expect![[r#"
            refused: run: the patch makes a new file and there is one already; write the patch against it
        "#]],
        ),
        // The same file twice: the second part meets what the first has made.
        (
            "--- a/run\n+++ b/run\n@@ -1 +1 @@\n-x\n+y\n--- a/run\n+++ b/run\n@@ -1 +1 @@\n-y\n+z\n",
            expect![[r#"
                run: M "y\n" 
                run: M "z\n" 
            "#]],
        ),
    ] {
        check(&files, patch, &expected);
    }
}

#[test]
fn bytes_that_are_no_utf8_stay() {
    let mut memory = Memory([("l".to_owned(), b"caf\xe9\nold\n".to_vec())].into());
    let patch = "--- a/l\n+++ b/l\n@@ -1,2 +1,2 @@\n caf\u{fffd}\n-old\n+new\n";
    let patched = patch_files(patch, &mut memory, Fitting::Lenient).unwrap();
    assert_eq!(patched[0].change, PatchChange::Modify(b"caf\xe9\nnew\n".to_vec()));
}

#[test]
fn strict_overlooks_nothing_but_line_numbers() {
    let good = "--- a/m.c\n+++ b/m.c\n@@ -50,2 +50,2 @@\n \tint x = 1;\n-\tputs(\"a\");\n+\tputs(\"c\");\n";
    assert!(run(&[("m.c", FILE)], good, true).is_ok());
    for patch in [good.replace(",2", ",3"), good.replace("\tint", "    int")] {
        assert!(run(&[("m.c", FILE)], &patch, true).is_err(), "{patch}");
    }
}
