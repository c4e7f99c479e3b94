//! What a sample of a row is, and the tests that hold rows and samples together: for each sample the row named in it, and
//! no other, must be the one that decides, with exactly the subject that the sample gives.

use std::collections::{BTreeMap, BTreeSet};

use super::{Row, SAMPLES, all};
use crate::{Kind, diagnose};

/// Lines of a log with what a diagnosis must say of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// The row that decides.
    pub(super) row: &'static str,
    /// The lines: the message with, where it helps, some before and after it.
    pub(super) text: &'static str,
    /// The subject of the cause.
    pub(super) subject: &'static str,
    /// The kind of the cause, where it is not the row's own.
    pub(super) kind: Option<Kind>,
    /// Number of the line that names the cause; 0 for any.
    pub(super) line: u64,
    /// Whether it was written after a tool's documentation instead of taken from a real failure.
    pub(super) is_documented: bool,
}

/// A sample of a row.
pub(super) const fn sample(row: &'static str, text: &'static str, subject: &'static str) -> Sample {
    Sample {
        row,
        text,
        subject,
        kind: None,
        line: 0,
        is_documented: false,
    }
}

impl Sample {
    /// The cause is of another kind than the row.
    pub(super) const fn kind(self, kind: Kind) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }

    /// The cause is named in this line of the sample, counted from 1.
    pub(super) const fn line(self, line: u64) -> Self {
        Self { line, ..self }
    }

    /// The sample was written after documentation.
    pub(super) const fn documented(self) -> Self {
        Self {
            is_documented: true,
            ..self
        }
    }
}

/// All samples.
pub(super) fn samples() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().copied().flatten()
}

fn rows_by_name() -> BTreeMap<&'static str, &'static Row> {
    all().map(|row| (row.name, row)).collect()
}

#[test]
fn every_sample_gives_its_rows_problem_and_no_other() {
    let rows = rows_by_name();
    let mut wrong = Vec::new();
    for sample in samples() {
        let Some(row) = rows.get(sample.row) else {
            wrong.push(format!("no row is called `{}`\n", sample.row));
            continue;
        };
        let kind = sample.kind.unwrap_or(row.kind);
        let Some(cause) = diagnose(sample.text.as_bytes()).cause else {
            let origin = if sample.is_documented { " (documented)" } else { "" };
            wrong.push(format!(
                "{}\n    gave nothing, expected `{}`{origin}\n",
                sample.text, sample.row
            ));
            continue;
        };
        if cause.signature != sample.row {
            wrong.push(format!(
                "{}\n    fired `{}`, expected `{}`\n",
                sample.text, cause.signature, sample.row
            ));
        }
        if (cause.kind, cause.subject.as_str()) != (kind, sample.subject) {
            wrong.push(format!(
                "{}\n    gave {:?} {:?}, expected {kind:?} {:?}\n",
                sample.text, cause.kind, cause.subject, sample.subject
            ));
        }
        if sample.line != 0 && cause.line != sample.line {
            wrong.push(format!(
                "{}\n    line {}, expected {}\n",
                sample.text, cause.line, sample.line
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn every_row_has_a_sample_and_a_name_of_its_own() {
    let sampled: BTreeSet<_> = samples().map(|sample| sample.row).collect();
    let mut names = BTreeSet::new();
    let mut wrong = Vec::new();
    for row in all() {
        if !sampled.contains(row.name) {
            wrong.push(format!("row `{}` has no sample\n", row.name));
        }
        if !names.insert(row.name) {
            wrong.push(format!("two rows are called `{}`\n", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn the_words_of_success_are_no_problem() {
    for text in [
        "-- Could NOT find Foo (missing: FOO_LIBRARY)",
        "checking for foo.h... no",
        "checking for gcc option to accept ISO C99... none needed",
        "Dependency foo found: NO (tried pkgconfig)",
        "[ 12%] Building C object src/error.c.o",
        "gcc -c -Werror -Wno-error=foo missing.c -o error.o",
        "make[1]: Entering directory '/build/error'",
        "CMake Warning at x:1 (message):\n  Could not find a package configuration file provided by \"Foo\"\n",
        "  CC       strerror.lo",
        "libtool: warning: remember to run 'libtool --finish /usr/lib'",
        "a.c:3:5: warning: unused variable 'error' [-Wunused-variable]",
        "0 errors, 3 warnings",
        "checking whether fork is required... no",
    ] {
        assert_eq!(diagnose(text.as_bytes()).cause, None, "{text}");
    }
}
