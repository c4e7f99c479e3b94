//! The `seatrial` command: verbs only. Each parses its words, calls a room below, and prints.

mod amounts;
mod app;
mod args;
mod bench_args;
mod commands;
mod external_args;
mod failure;
mod image_args;
mod import_args;
mod mcp_args;
mod model_args;
mod names_args;
mod network;
mod preflight;
mod repair_args;
mod retrieval_args;
mod service_args;
mod show;
mod trajectory_args;

use clap::Parser;
use seatrial_core::ExitCode;

use crate::{
    app::App,
    args::{Args, Verb},
    failure::Failure,
};

fn main() -> std::process::ExitCode {
    if seatrial_sandbox::is_helper_invocation() {
        return seatrial_sandbox::helper_main();
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers, not errors.
            if !error.use_stderr() {
                drop(error.print());
                return ExitCode::Passed.into();
            }
            // The words were not understood, but whoever asked for JSON reads nothing else.
            if std::env::args_os().any(|word| word == "--json") {
                let text = error.to_string();
                Failure::usage(text.strip_prefix("error: ").unwrap_or(&text).trim_end()).print(true);
            } else {
                drop(error.print());
            }
            return ExitCode::Usage.into();
        }
    };
    let json = args.json;
    // A log can be read where there is no place for data.
    let ran = match &args.verb {
        Verb::Diagnose(words) => commands::diagnose::run(words, json),
        _ => App::new(&args).and_then(|app| {
            let output = match &args.verb {
                Verb::Build(words) => Some(words.output.clone()),
                _ => None,
            };
            commands::run(&app, args.verb).map_err(|failure| {
                let mut places = vec![(
                    "the data folder",
                    app.home.root(),
                    "`seatrial cache gc` frees what is not needed, and `--home DIR` chooses another one",
                )];
                if let Some(output) = &output {
                    places.push((
                        "the output folder",
                        output,
                        "make room there, or choose another one with `-o DIR`",
                    ));
                }
                failure.among(&places)
            })
        }),
    };
    let code = match ran {
        Ok(code) => code,
        Err(failure) => {
            failure.print(json);
            failure.code
        }
    };
    code.into()
}
