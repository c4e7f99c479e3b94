//! `seatrial diagnose`: a log goes in, its root cause comes out. Needs no data folder, no box and no network.

use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
};

use seatrial_core::ExitCode;
use seatrial_diagnosis::{COMPANIONS, Diagnosis, diagnose_with};

use super::{answer, answer_json};
use crate::{args::DiagnoseArgs, failure::Failure};

mod page;

/// What is looked at to tell a log from a file that is none.
const SNIFFED: usize = 64 << 10;
/// Files beside a log are read whole; a larger one is passed over.
const LARGEST_COMPANION: u64 = 64 << 20;

/// Diagnoses a log, prints what was found, and says by the exit code whether a cause was.
pub(crate) fn run(args: &DiagnoseArgs, json: bool) -> Result<ExitCode, Failure> {
    let name = args.log.to_string_lossy().into_owned();
    let mut companions = Vec::new();
    for path in &args.with {
        companions.push((
            path.to_string_lossy().into_owned(),
            fs_err::read(path).map_err(|error| Failure::usage(error.to_string()))?,
        ));
    }
    let diagnosis = if name == "-" {
        read("standard input", std::io::stdin().lock(), &companions)?
    } else {
        if args.with.is_empty() {
            companions = beside(&args.log);
        }
        let file = fs_err::File::open(&args.log)
            .map_err(|error| Failure::usage(format!("{error}; name a log, or - for standard input")))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(Failure::usage(format!("{name} is a folder; name a log in it")));
        }
        read(&name, file, &companions)?
    };
    if json {
        answer_json(&diagnosis)?;
    } else {
        let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        answer(&page::page(&diagnosis, colours))?;
    }
    Ok(if diagnosis.cause.is_some() {
        ExitCode::Passed
    } else if diagnosis.facts.closers > 0 && diagnosis.facts.ending == seatrial_diagnosis::Ending::Failed {
        ExitCode::Failed
    } else {
        ExitCode::NothingRun
    })
}

fn read(name: &str, mut log: impl Read, companions: &[(String, Vec<u8>)]) -> Result<Diagnosis, Failure> {
    let unread = |error: std::io::Error| Failure::usage(format!("cannot read {name}: {error}"));
    let mut start = Vec::with_capacity(SNIFFED);
    log.by_ref()
        .take(SNIFFED as u64)
        .read_to_end(&mut start)
        .map_err(unread)?;
    if let Some(what) = no_log(&start) {
        return Err(Failure::usage(format!("{name} is no log: it looks like {what}")));
    }
    let companions: Vec<(&str, &[u8])> = companions
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    diagnose_with(start.as_slice().chain(log), &companions).map_err(unread)
}

/// What a file is that is no text.
fn no_log(start: &[u8]) -> Option<&'static str> {
    for (magic, what) in [
        (
            &b"\x1f\x8b"[..],
            "a gzip file; unpack it first: `zcat FILE | seatrial diagnose -`",
        ),
        (
            b"\xfd7zXZ\0",
            "an xz file; unpack it first: `xzcat FILE | seatrial diagnose -`",
        ),
        (
            b"\x28\xb5\x2f\xfd",
            "a zstd file; unpack it first: `zstdcat FILE | seatrial diagnose -`",
        ),
        (
            b"BZh",
            "a bzip2 file; unpack it first: `bzcat FILE | seatrial diagnose -`",
        ),
        (b"PK\x03\x04", "a zip archive; unpack it first"),
        (b"\x7fELF", "a program"),
        (
            b"\xff\xfe",
            "text in UTF-16; convert it first: `iconv -f UTF-16 -t UTF-8 FILE | seatrial diagnose -`",
        ),
    ] {
        if start.starts_with(magic) {
            return Some(what);
        }
    }
    // Terminals and broken tools leave single control bytes in logs; a binary file is full of them.
    let control = start
        .iter()
        .filter(|byte| matches!(byte, 0..=6 | 14..=26 | 28..=31 | 127))
        .count();
    (control * 20 > start.len()).then_some("binary data")
}

/// What tools left beside a log.
fn beside(log: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = log.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    COMPANIONS
        .iter()
        .flat_map(|name| [*name, name.rsplit('/').next().unwrap_or(name)])
        .fold(Vec::new(), |mut found: Vec<(String, Vec<u8>)>, name| {
            let path = folder.join(name);
            let is_small =
                fs_err::metadata(&path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST_COMPANION);
            if is_small
                && path != log
                && !found.iter().any(|(known, _)| known == name)
                && let Ok(bytes) = fs_err::read(&path)
            {
                found.push((name.to_owned(), bytes));
            }
            found
        })
}
