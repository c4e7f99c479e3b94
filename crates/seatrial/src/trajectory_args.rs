//! Words of the verb that shows what an agent did.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// Words of `trajectory`.
#[derive(Debug, Subcommand)]
pub(crate) enum TrajectoryVerb {
    /// Write what an agent did in one trial, from its journal
    #[command(after_help = "TRIAL is one of:\n  \
        RUN/TASK or RUN/TASK.ATTEMPT   a trial of a run, such as latest/hello.2\n  \
        RUN                            a run of a single trial, such as one of `seatrial build`\n  \
        ./folder or ./journal.jsonl    a journal\n\n\
        Examples:\n  seatrial trajectory export latest/hello -o hello.atif.json\n  \
        seatrial trajectory export latest/hello --format markdown")]
    Export {
        /// The trial
        trial: String,
        /// As what: a document of the Agent Trajectory Interchange Format, or text
        #[arg(long, default_value = "atif")]
        format: TrajectoryFormat,
        /// The file to write [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check a document of the Agent Trajectory Interchange Format against its rules, whoever wrote it
    #[command(after_help = "Exit codes: 0 valid; 1 not valid; 2 no such file, or no JSON.")]
    Check {
        /// The document
        file: PathBuf,
    },
}

/// As what a trajectory is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrajectoryFormat {
    /// JSON for programs
    Atif,
    /// Text for people
    Markdown,
}
