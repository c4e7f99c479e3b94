//! The `seatrial` command: verbs only. Each parses its words, calls a room below, and prints.

mod app;
mod args;
mod commands;
mod failure;
mod show;

use clap::Parser;
use seatrial_core::ExitCode;

use crate::{app::App, args::Args};

fn main() -> std::process::ExitCode {
    if seatrial_sandbox::is_helper_invocation() {
        return seatrial_sandbox::helper_main();
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers, not errors.
            let code = if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Passed
            };
            drop(error.print());
            return code.into();
        }
    };
    let json = args.json;
    let code = match App::new(&args).and_then(|app| commands::run(&app, args.verb)) {
        Ok(code) => code,
        Err(failure) => {
            failure.print(json);
            failure.code
        }
    };
    code.into()
}
