//! One module a verb.

mod bench;
mod bench_views;
mod build;
pub(crate) mod cache;
mod cases;
mod corpus;
pub(crate) mod diagnose;
mod doctor;
mod external;
mod image;
mod import;
mod index;
mod mcp;
mod mcp_journal;
mod mcp_repair;
mod model;
mod models;
mod mutations;
mod names;
mod output;
mod outside;
mod programs;
mod rebuilds;
mod repair;
mod replay;
mod resolve;
mod retrieval;
mod single;
mod trajectory;

use std::io::Write as _;

use seatrial_core::{ExitCode, Platform};

use crate::{app::App, args::Verb, failure::Failure};

pub(crate) fn run(app: &App, verb: Verb) -> Result<ExitCode, Failure> {
    match verb {
        Verb::Build(args) => build::run(app, &args),
        Verb::Repair(args) => repair::run(app, &args),
        Verb::Diagnose(args) => diagnose::run(&args, app.json),
        Verb::Bench(verb) => bench::run(app, verb),
        Verb::Corpus(verb) => corpus::run(app, verb),
        Verb::Cache(verb) => cache::run(app, verb),
        Verb::Image(verb) => image::run(app, verb),
        Verb::Resolve(args) => resolve::run(app, &args),
        Verb::Index(verb) => index::run(app, verb),
        Verb::Model(args) => model::run(app, &args),
        Verb::Replay(args) => replay::run(app, &args),
        Verb::Trajectory(verb) => trajectory::run(app, verb),
        Verb::Mcp(args) => mcp::run(app, &args),
        Verb::Doctor => doctor::run(app),
        Verb::Completions { shell } => {
            let mut command = <crate::args::Args as clap::CommandFactory>::command();
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, "seatrial", &mut script);
            print(&script)?;
            Ok(ExitCode::Passed)
        }
    }
}

fn platform(text: &str) -> Result<Platform, Failure> {
    text.parse()
        .map_err(|error: seatrial_core::PlatformError| Failure::usage(error.to_string()))
}

/// Prints an answer: the only thing that goes to standard output.
fn answer(text: &str) -> Result<(), Failure> {
    print(format!("{}\n", text.trim_end()).as_bytes())
}

fn answer_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::invalid(error.to_string()))?;
    answer(&text)
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        // A reader that has seen enough, such as `head`, is no failure.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::invalid(format!(
            "cannot write the answer to standard output: {error}"
        ))),
        Ok(()) | Err(_) => Ok(()),
    }
}
