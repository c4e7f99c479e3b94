//! Checks of the project itself, as `cargo xtask tidy` and `cargo xtask ci`.
//!
//! Not part of what users get: no crate depends on this one, and it depends on none of them.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks to developers"
)]

use std::{path::PathBuf, process::ExitCode};

mod ci;
mod code;
mod dependencies;
mod finding;
mod layers;
mod licence;
mod metadata;
mod outcome;
mod sources;
mod tidy;
mod words;

const USAGE: &str = "usage: cargo xtask COMMAND

  tidy   the rules of the house: floors, file sizes, headers, words, licences, lock file
  ci     everything a change must pass: format, clippy, tidy and all tests; ends with the counts
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let result = match (arguments.next().as_deref(), arguments.next()) {
        (Some("tidy"), None) => tidy::run(&root()),
        (Some("ci"), None) => ci::run(&root()),
        (Some("help" | "-h" | "--help"), _) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The checkout. Cargo says at run time where it is, so that a moved checkout is found too.
fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map_or_else(|| PathBuf::from("."), PathBuf::from)
}
