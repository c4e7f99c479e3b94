//! Unified diffs as people, programs and models write them.
//!
//! What is not a diff is skipped: prose around it, fences. Counts in hunk headers are checked by nobody but used to tell a
//! removed line that looks like a header from a header.

/// What a diff does to one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FilePatch {
    /// Path before, as written; none for a new file.
    pub(super) old: Option<String>,
    /// Path afterwards, as written; none for a deleted file.
    pub(super) new: Option<String>,
    /// Whether the paths have the `a/` and `b/` of git.
    pub(super) prefixed: bool,
    pub(super) renames: bool,
    pub(super) copies: bool,
    /// Permission bits that it sets.
    pub(super) mode: Option<u32>,
    pub(super) hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk {
    /// Line before, counted from 1, where the header says one.
    pub(super) start: Option<usize>,
    pub(super) lines: Vec<Line>,
    /// The last old line has no line end, and this is said.
    pub(super) old_open: bool,
    pub(super) new_open: bool,
    /// The counts in the header are others than those of its lines, or are missing.
    pub(super) miscounted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) kind: LineKind,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Keep,
    Remove,
    Add,
}

/// Who a diff is read for: what is done with signs that end lines of DOS, and with words behind a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// A person: such signs are no part of a line, and words belong to the path.
    Person,
    /// A program that acts like `patch`: the signs are part of a line, unless the headers of files have them too, and a path
    /// ends at its first blank when there is no tab.
    Program,
}

/// Reads a diff. The error says what is wrong with it.
pub(super) fn parse(text: &str, reading: Reading) -> Result<Vec<FilePatch>, String> {
    let in_headers = text.lines().next().is_some_and(|line| line.ends_with('\r'))
        || text
            .split('\n')
            .any(|line| line.starts_with("+++ ") && line.ends_with('\r'));
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| match line.strip_suffix('\r') {
            Some(plain) if reading == Reading::Person || in_headers => plain,
            _ => line,
        })
        .collect();
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    // Whether the present file was begun by a `diff --git` whose `---` may follow.
    let mut open = false;
    while let Some(&line) = lines.get(at) {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let (old, new) = git_paths(rest);
            files.push(FilePatch {
                old,
                new,
                prefixed: true,
                ..FilePatch::default()
            });
            open = true;
            at += 1;
        } else if is_header(&lines, at) {
            let old = header_path(line.get(4..).unwrap_or_default(), reading);
            let new = header_path(
                lines.get(at + 1).and_then(|line| line.get(4..)).unwrap_or_default(),
                reading,
            );
            let is_a = |path: &Option<String>, prefix: &str| path.as_ref().is_none_or(|path| path.starts_with(prefix));
            let prefixed = is_a(&old, "a/") && is_a(&new, "b/");
            // A file that is only moved has no such lines; these are another one's.
            let belongs = open
                && files.last().is_some_and(|file| {
                    is_one(file.old.as_ref(), old.as_ref()) && is_one(file.new.as_ref(), new.as_ref())
                });
            if !belongs {
                files.push(FilePatch::default());
            }
            if let Some(file) = files.last_mut() {
                (file.old, file.new, file.prefixed) = (old, new, prefixed);
            }
            open = false;
            at += 2;
        } else if line.starts_with("@@") {
            open = false;
            let Some(file) = files.last_mut() else {
                return Err("a hunk (`@@`) stands before any `--- a/FILE` and `+++ b/FILE`".to_owned());
            };
            let (hunk, next) = read_hunk(&lines, at);
            if hunk.lines.iter().all(|line| line.kind == LineKind::Keep) {
                return Err(format!("the hunk at line {} of the patch changes nothing", at + 1));
            }
            file.hunks.push(hunk);
            at = next;
        } else {
            if open && let Some(file) = files.last_mut() {
                extended(file, line)?;
            }
            at += 1;
        }
    }
    if files.is_empty() {
        return Err(
            "there is no diff in it; write `--- a/FILE`, `+++ b/FILE`, `@@ -LINE,COUNT +LINE,COUNT @@` and then \
                    lines that begin with a blank, `-` or `+`"
                .to_owned(),
        );
    }
    for file in &files {
        if file.hunks.is_empty()
            && !file.renames
            && !file.copies
            && file.mode.is_none()
            && file.old.is_some()
            && file.new.is_some()
        {
            return Err(format!(
                "it has no hunks for `{}`",
                file.new.as_deref().unwrap_or_default()
            ));
        }
    }
    Ok(files)
}

/// Whether two paths may be one: a path that is none may be any.
fn is_one(known: Option<&String>, written: Option<&String>) -> bool {
    let bare = |path: &str| {
        let stripped = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
        stripped.unwrap_or(path).to_owned()
    };
    match (known, written) {
        (Some(known), Some(written)) => bare(known) == bare(written),
        (None, _) | (_, None) => true,
    }
}

/// Lines of git between `diff --git` and `---`.
fn extended(file: &mut FilePatch, line: &str) -> Result<(), String> {
    let mode = |text: &str| -> Result<Option<u32>, String> {
        let mode = u32::from_str_radix(text.trim(), 8).map_err(|_| format!("`{text}` is no file mode"))?;
        if mode & 0o170_000 != 0o100_000 {
            return Err(format!(
                "mode {text} is that of a link or submodule; make those with a command"
            ));
        }
        Ok(Some(mode & 0o777))
    };
    if let Some(rest) = line.strip_prefix("new file mode ") {
        file.mode = mode(rest)?;
        file.old = None;
    } else if line.starts_with("deleted file mode ") {
        file.new = None;
    } else if let Some(rest) = line.strip_prefix("new mode ") {
        file.mode = mode(rest)?;
    } else if let Some(rest) = line.strip_prefix("rename from ") {
        (file.old, file.renames) = (Some(format!("a/{}", unquoted(rest))), true);
    } else if let Some(rest) = line.strip_prefix("rename to ") {
        (file.new, file.renames) = (Some(format!("b/{}", unquoted(rest))), true);
    } else if let Some(rest) = line.strip_prefix("copy from ") {
        (file.old, file.copies) = (Some(format!("a/{}", unquoted(rest))), true);
    } else if let Some(rest) = line.strip_prefix("copy to ") {
        (file.new, file.copies) = (Some(format!("b/{}", unquoted(rest))), true);
    } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
        return Err("it changes a binary file, which a text cannot; do that with a command".to_owned());
    }
    Ok(())
}

/// Whether a `---` stands here with its `+++`.
fn is_header(lines: &[&str], at: usize) -> bool {
    let starts = |at: usize, start: &str| lines.get(at).is_some_and(|line| line.starts_with(start));
    starts(at, "--- ") && starts(at + 1, "+++ ")
}

/// The path of a `---` or `+++` line; none for the null device.
fn header_path(text: &str, reading: Reading) -> Option<String> {
    let text = match text.split_once('\t') {
        Some((path, _)) => path,
        // What follows a blank may be anything; a path with blanks in it has a tab behind it.
        None if reading == Reading::Program && !text.starts_with('"') => {
            text.split_whitespace().next().unwrap_or_default()
        }
        None => text,
    };
    let text = text.trim_end();
    let path = unquoted(text);
    (path != "/dev/null").then_some(path)
}

/// Both paths of a `diff --git` line. They are the same but for the prefix, so where there are blanks in them the middle
/// one parts them.
pub(super) fn git_paths(text: &str) -> (Option<String>, Option<String>) {
    if text.starts_with('"') {
        // A quote that a backslash stands before is part of the name.
        let mut escaped = false;
        let end = text.char_indices().skip(1).find_map(|(at, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends.then_some(at + 1)
        });
        let (old, new) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
        let new = Some(new.trim_start()).filter(|new| !new.is_empty());
        return (Some(unquoted(old)), new.map(unquoted));
    }
    let blanks: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let middle = blanks.iter().find(|at| {
        let (old, new) = (text.get(..**at), text.get(*at + 1..));
        let bare = |path: Option<&str>| {
            path.and_then(|path| path.split_once('/'))
                .map(|(_, rest)| rest.to_owned())
        };
        bare(old).is_some() && bare(old) == bare(new)
    });
    let at = middle.or(blanks.first()).copied().unwrap_or(text.len());
    let part = |part: Option<&str>| part.filter(|part| !part.is_empty()).map(str::to_owned);
    (part(text.get(..at)), part(text.get(at + 1..)))
}

/// Undoes git's quoting of names.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(first @ b'0'..=b'3') => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    if let Some(digit @ b'0'..=b'7') = rest.peek().copied() {
                        value = value * 8 + u32::from(digit - b'0');
                        rest.next();
                    }
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The numbers of a hunk's header: where it starts, and how many old and new lines it has.
fn numbers(header: &str) -> Option<(usize, usize, usize)> {
    let inner = header.trim_start_matches('@').trim_start();
    let mut words = inner.split_whitespace();
    let range = |word: Option<&str>, sign: char| {
        let word = word?.strip_prefix(sign)?;
        match word.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((word.parse().ok()?, 1)),
        }
    };
    let (start, old): (usize, usize) = range(words.next(), '-')?;
    let (_, new): (usize, usize) = range(words.next(), '+')?;
    Some((start, old, new))
}

/// Reads the hunk whose header is at a line; gives the line after it.
fn read_hunk(lines: &[&str], header: usize) -> (Hunk, usize) {
    let said = lines.get(header).and_then(|line| numbers(line));
    let mut hunk = Hunk {
        start: said.map(|(start, ..)| start),
        ..Hunk::default()
    };
    let (mut old, mut new) = (0, 0);
    let mut at = header + 1;
    // The last lines when they were empty to the letter: they may be what stands after the hunk.
    let mut empty = 0;
    while let Some(&line) = lines.get(at) {
        let full = said.is_some_and(|(_, want_old, want_new)| old >= want_old && new >= want_new);
        let next_starts = |start: &str| lines.get(at + 2).is_some_and(|line| line.starts_with(start));
        if line.starts_with("@@") || line.starts_with("diff --git ") || line.starts_with("```") {
            break;
        }
        if is_header(lines, at) && (full || said.is_none() || next_starts("@@")) {
            break;
        }
        let (kind, text) = match line.chars().next() {
            Some('+') => (LineKind::Add, line.get(1..).unwrap_or_default()),
            // The line that ends a mail has the signature's version behind it.
            Some('-') if full && line == "-- " => break,
            Some('-') => (LineKind::Remove, line.get(1..).unwrap_or_default()),
            Some(' ') => (LineKind::Keep, line.get(1..).unwrap_or_default()),
            // Many a tool cuts blanks at the ends of lines, and this one was all blank.
            None if !full && at + 1 < lines.len() => (LineKind::Keep, ""),
            Some('\\') => {
                match hunk.lines.last().map(|line| line.kind) {
                    Some(LineKind::Remove) => hunk.old_open = true,
                    Some(LineKind::Add) => hunk.new_open = true,
                    Some(LineKind::Keep) => (hunk.old_open, hunk.new_open) = (true, true),
                    None => {}
                }
                at += 1;
                continue;
            }
            _ => break,
        };
        empty = if line.is_empty() { empty + 1 } else { 0 };
        old += usize::from(kind != LineKind::Add);
        new += usize::from(kind != LineKind::Remove);
        hunk.lines.push(Line {
            kind,
            text: text.to_owned(),
        });
        at += 1;
    }
    let over = match said {
        Some((_, want_old, want_new)) => old.saturating_sub(want_old).min(new.saturating_sub(want_new)),
        None => usize::MAX,
    };
    for _ in 0..empty.min(over) {
        hunk.lines.pop();
        (old, new) = (old - 1, new - 1);
    }
    hunk.miscounted = said.is_none_or(|(_, want_old, want_new)| (old, new) != (want_old, want_new));
    // A header without numbers says `-0,0` for a file that is new.
    if hunk.start == Some(0) && old > 0 {
        hunk.start = None;
    }
    (hunk, at)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        let mut shown = String::new();
        match parse(text, Reading::Person) {
            Err(problem) => shown = problem,
            Ok(files) => {
                for file in files {
                    let mut words = Vec::new();
                    if file.renames {
                        words.push("rename".to_owned());
                    }
                    if let Some(mode) = file.mode {
                        words.push(format!("mode {mode:o}"));
                    }
                    writeln!(shown, "{:?} -> {:?} {}", file.old, file.new, words.join(" ")).unwrap();
                    for hunk in file.hunks {
                        writeln!(
                            shown,
                            "  at {:?}{}{}{}",
                            hunk.start,
                            if hunk.miscounted { " miscounted" } else { "" },
                            if hunk.old_open { " old open" } else { "" },
                            if hunk.new_open { " new open" } else { "" },
                        )
                        .unwrap();
                        for line in hunk.lines {
                            let sign = match line.kind {
                                LineKind::Keep => '=',
                                LineKind::Remove => '-',
                                LineKind::Add => '+',
                            };
                            writeln!(shown, "    {sign}{}", line.text).unwrap();
                        }
                    }
                }
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_diff_in_prose_and_fences_with_wrong_counts_and_lost_blanks() {
        check(
            "Here is the fix:\n```diff\n--- a/x.c\t2024-01-01\n+++ b/x.c\n@@ -3,9 +3,1 @@ int main\n a\n\n-b\n+c\n```\nIt works.\n",
            &expect![[r#"
                Some("a/x.c") -> Some("b/x.c") 
                  at Some(3) miscounted
                    =a
                    =
                    -b
                    +c
            "#]],
        );
        check(
            "--- x.c\n+++ x.c\n@@\n a\n-b\n+c\n\n\n--- y.c\n+++ y.c\n@@ @@\n-q\n",
            &expect![[r#"
                Some("x.c") -> Some("x.c") 
                  at None miscounted
                    =a
                    -b
                    +c
                Some("y.c") -> Some("y.c") 
                  at None miscounted
                    -q
            "#]],
        );
    }

    #[test]
    fn removed_lines_that_look_like_headers_are_lines() {
        check(
            "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n a\n--- drop\n+++ plus\n-x\n",
            &expect![[r#"
                Some("a/q.sql") -> Some("b/q.sql") 
                  at Some(1)
                    =a
                    --- drop
                    +++ plus
                    -x
            "#]],
        );
    }

    #[test]
    fn what_git_says_about_files() {
        check(
            "diff --git a/old name b/old name\nsimilarity index 100%\nrename from old name\nrename to new name\n\
             diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
             diff --git a/n b/n\nnew file mode 100755\nindex 0000000..e69de29\n\
             diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n\
             diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\n--- \"a/caf\\303\\251\"\n+++ \"b/caf\\303\\251\"\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n-- \n2.39.5\n",
            &expect![[r#"
                Some("a/old name") -> Some("b/new name") rename
                Some("a/run") -> Some("b/run") mode 755
                None -> Some("b/n") mode 755
                Some("a/gone") -> None 
                  at Some(1) old open
                    -x
                Some("a/café") -> Some("b/café") 
                  at Some(1) old open
                    -x
                    +y
            "#]],
        );
    }

    #[test]
    fn what_is_no_diff_is_said() {
        for (text, part) in [
            ("", "there is no diff in it"),
            ("just words", "there is no diff in it"),
            ("@@ -1 +1 @@\n-a\n+b\n", "before any"),
            ("--- a/x\n+++ b/x\n", "no hunks for `b/x`"),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "changes nothing"),
            ("diff --git a/x b/x\nnew file mode 120000\n", "link"),
            (
                "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\n",
                "binary",
            ),
        ] {
            let problem = parse(text, Reading::Person).unwrap_err();
            assert!(problem.contains(part), "{text:?}: {problem}");
        }
    }
}
