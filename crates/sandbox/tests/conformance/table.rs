//! Cells, and the table that they make.

use std::{
    any::Any,
    cell::RefCell,
    collections::BTreeMap,
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use serde::{Deserialize, Serialize};

use crate::{Promise, bench::Bench};

/// How one back end kept one promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cell {
    /// It did.
    Kept,
    /// Nobody could know, and why.
    Skipped(String),
    /// It did not, and what was seen.
    Failed(String),
}

/// A back end's cells, in the order of the promises.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) cells: Vec<Cell>,
}

/// What [`skip`](crate::bench::skip) throws.
pub(crate) struct Skip(pub(crate) String);

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what a panic says instead of printing it, so that it stands with its cell.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|info| LAST.with(|last| *last.borrow_mut() = info.to_string())));
}

/// Holds a back end to all promises.
pub(crate) fn fill(name: &str, bench: &Bench, promises: &[Promise]) -> Column {
    let cells = promises
        .iter()
        .map(|(_, promise)| match catch_unwind(AssertUnwindSafe(|| promise(bench))) {
            Ok(()) => Cell::Kept,
            Err(thrown) => thrown_cell(thrown.as_ref()),
        })
        .collect();
    Column {
        name: name.to_owned(),
        cells,
    }
}

fn thrown_cell(thrown: &(dyn Any + Send)) -> Cell {
    match thrown.downcast_ref::<Skip>() {
        Some(Skip(why)) => Cell::Skipped(why.clone()),
        None => Cell::Failed(LAST.with(RefCell::take)),
    }
}

/// A back end that this machine does not have.
pub(crate) fn missing(name: &str, why: &str, promises: &[Promise]) -> Column {
    Column {
        name: name.to_owned(),
        cells: vec![Cell::Skipped(why.to_owned()); promises.len()],
    }
}

/// Prints the table, and counts as test programs do.
#[expect(clippy::print_stdout, reason = "the table is for people")]
pub(crate) fn show(promises: &[Promise], columns: &[Column]) -> ExitCode {
    println!("\nrunning {} tests\n", promises.len() * columns.len());
    let widest = promises.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut line = format!("{:widest$}", "promise");
    for column in columns {
        let _ = write!(line, "  {:15}", column.name);
    }
    println!("{}", line.trim_end());
    let (mut kept, mut skipped, mut failed) = (0, 0, 0);
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    let mut failures = String::new();
    for (index, (promise, _)) in promises.iter().enumerate() {
        let mut line = format!("{promise:widest$}");
        for column in columns {
            let word = match &column.cells[index] {
                Cell::Kept => {
                    kept += 1;
                    "ok"
                }
                Cell::Skipped(why) => {
                    skipped += 1;
                    *reasons.entry(format!("{}: {why}", column.name)).or_default() += 1;
                    "skipped"
                }
                Cell::Failed(what) => {
                    failed += 1;
                    let _ = write!(failures, "\n{promise}, {}:\n{what}\n", column.name);
                    "FAILED"
                }
            };
            let _ = write!(line, "  {word:15}");
        }
        println!("{}", line.trim_end());
    }
    println!();
    // Whoever counts takes each of these lines for one skipped test; the rest is told as ignored.
    for (reason, count) in &reasons {
        println!("skipped: {reason} ({count})");
    }
    println!("{failures}");
    let ignored = skipped - reasons.len();
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {kept} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out\n");
    ExitCode::from(u8::from(failed > 0))
}
