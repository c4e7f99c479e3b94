//! What the proofs found, as a table that grows.

use std::{
    fmt::Write as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// One proof that held.
pub(crate) struct Row {
    pub(crate) tool: &'static str,
    pub(crate) recorded: usize,
    pub(crate) replayed: usize,
    pub(crate) bytes: u64,
    pub(crate) files: usize,
    /// Recording and replaying.
    pub(crate) seconds: [Duration; 2],
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

/// Adds a proof and prints all that there are: whoever is last prints the whole.
pub(crate) fn add(row: Row) {
    let mut rows = ROWS.lock().unwrap_or_else(PoisonError::into_inner);
    rows.push(row);
    rows.sort_by_key(|row| row.tool);
    let mut table = format!(
        "\n{:<8} {:>9} {:>9} {:>12} {:>6} {:>8} {:>8}  files and bodies equal\n",
        "tool", "requests", "replayed", "bytes", "files", "record", "replay"
    );
    for row in &*rows {
        let [record, replay] = row.seconds.map(|time| time.as_secs_f64());
        writeln!(
            table,
            "{:<8} {:>9} {:>9} {:>12} {:>6} {record:>7.1}s {replay:>7.1}s  yes",
            row.tool, row.recorded, row.replayed, row.bytes, row.files
        )
        .unwrap();
    }
    println!("{table}");
}
