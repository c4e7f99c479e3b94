//! The page that lists all signatures is written from them, so that it cannot fall behind.

use std::{collections::BTreeMap, fmt::Write as _};

use expect_test::expect_file;

use super::{
    FILES, all, build_samples, cmake_samples, configure_samples,
    samples::{Sample, samples},
};
use crate::{Class, Kind};

/// Characters of a sample that the page quotes.
const LONGEST_QUOTE: usize = 110;

/// Where a sample comes from.
fn origin(sample: &Sample) -> &'static str {
    let shortened = [
        build_samples::SAMPLES,
        cmake_samples::SAMPLES,
        configure_samples::SAMPLES,
    ];
    if sample.is_documented {
        "documented"
    } else if shortened
        .iter()
        .any(|file| file.iter().any(|other| other.text == sample.text))
    {
        "shortened"
    } else {
        "real"
    }
}

/// The line of a sample that names the cause.
fn quoted(sample: &Sample) -> String {
    let number = usize::try_from(sample.line).unwrap_or_default().saturating_sub(1);
    let mut line = sample.text.lines().nth(number).unwrap_or_default().trim().to_owned();
    if line.starts_with("CMake Error") {
        // The words of such a message stand below its heading.
        line = sample.text.split_whitespace().collect::<Vec<_>>().join(" ");
        line = line
            .split_once("): ")
            .map_or(line.clone(), |(_, words)| words.to_owned());
    }
    let mut quote: String = line.chars().take(LONGEST_QUOTE).collect();
    if quote.len() < line.len() {
        quote.push_str(" ...");
    }
    quote.replace('|', "\\|").replace('`', "'")
}

fn class_of(kind: Kind, class: Option<Class>) -> Class {
    class.unwrap_or_else(|| kind.class())
}

#[test]
fn the_page_of_signatures_is_current() {
    let mut page = String::from(
        "# The signatures\n\n\
         What `seatrial diagnose` knows, one line a signature, in the order in which they are tried. This page is written\n\
         by a test from the rows themselves: run `UPDATE_EXPECT=1 cargo test -p seatrial-diagnosis --lib` after a change.\n\n\
         *Sample* says where the quoted line comes from: `real` output of the tool, `documented` for what was written by hand\n\
         after the tool's documentation or what it is known to say, or `shortened` by hand. Each signature has at least one sample, and a test holds that no sample is taken by\n\
         another signature. Names that only a table knows (headers of names, libraries of symbols, changes of libraries)\n\
         are in `crates/diagnosis/src/known`.\n\n",
    );
    let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
    for row in all() {
        *counts.entry(class_of(row.kind, row.class)).or_default() += 1;
    }
    page.push_str("| class | signatures |\n|---|---:|\n");
    for (class, count) in &counts {
        let _ = writeln!(page, "| {} | {count} |", class.name());
    }
    let _ = writeln!(
        page,
        "| all | {} |\n",
        FILES.iter().map(|file| file.len()).sum::<usize>()
    );
    page.push_str("| signature | kind | class | sample | catches |\n|---|---|---|---|---|\n");
    for row in all() {
        let Some(sample) = samples().find(|sample| sample.row == row.name) else {
            continue;
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | `{}` |",
            row.name,
            row.kind.name(),
            class_of(row.kind, row.class).name(),
            origin(sample),
            quoted(sample),
        );
    }
    expect_file!["../../../../docs/failure-table.md"].assert_eq(&page);
}
