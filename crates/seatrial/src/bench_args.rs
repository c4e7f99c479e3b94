//! Words of the verbs that measure.

use std::{path::PathBuf, time::Duration};

use clap::Subcommand;
use seatrial_core::RelaxationClass;
use seatrial_suites::Side;

use crate::{
    amounts::parse_age, args::NetworkArgs, external_args::ExternalArgs, model_args::ModelArgs,
    names_args::BenchNamesArgs, retrieval_args::BenchRetrievalArgs,
};

/// Words of `bench`.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchVerb {
    /// Run an agent on every task of a corpus; the same command resumes a run that was stopped
    #[command(
        after_help = "Examples:\n  seatrial bench run corpora/compile-debian --agent rules -n 2\n  \
        seatrial bench run corpora/compile-debian --agent rules --task hello --limit 1"
    )]
    Run(Box<BenchRunArgs>),
    /// Print the table of a run
    #[command(
        after_help = "Examples:\n  seatrial bench report compile-debian-rules-1f2e3d4c5b6a\n  seatrial bench report latest --tasks"
    )]
    Report {
        /// The run's name, a unique beginning of it, or `latest`
        run: String,
        /// List every trial too
        #[arg(long)]
        tasks: bool,
        /// Say why trials failed: classes and kinds of root causes, relaxations, packages, and what no rule explains; tasks
        /// that the corpus keeps out of sight are counted only
        #[arg(long, conflicts_with_all = ["tasks", "markdown"])]
        failures: bool,
        /// With `--failures`: list tasks that are kept out of sight too; who has read that writes no rules for them
        #[arg(long, requires = "failures")]
        show_unseen: bool,
        /// Print Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Say how often the first package found for a name is right
    #[command(
        after_help = "Example:\n  seatrial bench names corpora/names-debian-bookworm --split unseen --with apt-file"
    )]
    Names(BenchNamesArgs),
    /// Say how often a way of finding build instructions reaches the document that has them
    #[command(
        after_help = "Example:\n  seatrial bench retrieval trajectories.csv --repos clones/ --pages pages/ --strategy tfidf,rag"
    )]
    Retrieval(Box<BenchRetrievalArgs>),
    /// Put several runs into one table: rates, times, and whether a difference may be chance
    #[command(after_help = "Example:\n  seatrial bench compare compile-debian-rules-1f2e compile-debian-ghcc-9a8b")]
    Compare {
        /// Names of runs, or unique beginnings of them; the first one is compared with each of the others
        #[arg(required = true, num_args = 2..)]
        runs: Vec<String>,
    },
    /// List runs
    List,
    /// Measure how well failing logs are explained, on logs whose cause is known
    #[command(after_help = "Examples:\n  seatrial bench diagnosis corpora/mutations\n  \
        seatrial bench diagnosis corpora/mutations --split seen --failures\n  \
        seatrial bench diagnosis corpora/mutations --with buildlog-consultant")]
    Diagnosis(DiagnosisArgs),
    /// Prove that each task can be solved and cannot be faked; quarantine the others in the corpus's lock file
    Calibrate {
        /// The corpus's folder
        corpus: PathBuf,
        /// Tasks at one time
        #[arg(short = 'n', long, default_value_t = 1)]
        jobs: usize,
        /// How often the reference solution must pass
        #[arg(short = 'k', long, default_value_t = 1)]
        attempts: u32,
        /// Only these tasks
        #[arg(long, value_name = "ID")]
        task: Vec<String>,
        /// Only tasks whose state is not known yet
        #[arg(long)]
        new: bool,
        #[command(flatten)]
        network: NetworkArgs,
    },
}

/// Words of `bench run`.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchRunArgs {
    /// The corpus's folder
    pub(crate) corpus: PathBuf,
    /// The agent: rules; with a model hybrid, single-turn, bash, codeact, oss-build and compile-agent; the baselines ghcc,
    /// assemblage, debhelper-order, codeql-order and ognibuild, of setups
    /// deterministic and deterministic-mended; external with a recipe; null or fake
    #[arg(long)]
    pub(crate) agent: String,
    /// Where the program is that the agent ognibuild runs, made for machines like the box; `cargo install ognibuild
    /// --locked --no-default-features --features cli,debian --bin ogni` makes it [default: `ogni` in the folder
    /// `programs` of the data folder, else on the search path]
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) external: ExternalArgs,
    /// Attempts at each task
    #[arg(short = 'k', long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) attempts: u32,
    /// Trials at one time
    #[arg(short = 'n', long, default_value_t = 1)]
    pub(crate) jobs: usize,
    /// Most time of all trials together, such as 90m or 12h, counted anew when the run goes on: agents end their work then,
    /// what they have is graded, and no further trial is begun
    #[arg(long, value_name = "SPAN", value_parser = parse_age)]
    pub(crate) max_time_of_run: Option<Duration>,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Only the first N tasks
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Only these tasks
    #[arg(long, value_name = "ID")]
    pub(crate) task: Vec<String>,
    /// Only one side of the corpus's split: seen or unseen
    #[arg(long, value_name = "SIDE")]
    pub(crate) split: Option<Side>,
    /// Take quarantined tasks too
    #[arg(long)]
    pub(crate) quarantined: bool,
    /// A further class of relaxations that may not be used; `deceives` is forbidden in any case
    #[arg(long, value_name = "CLASS")]
    pub(crate) forbid: Vec<RelaxationClass>,
    /// A class of relaxations that may be used although measured runs forbid it
    #[arg(long, value_name = "CLASS")]
    pub(crate) permit: Vec<RelaxationClass>,
    /// Run trials again whose verdict was `invalid`
    #[arg(long)]
    pub(crate) retry_invalid: bool,
    /// Begin also when the disk is expected to have no room for it
    #[arg(long)]
    pub(crate) no_disk_check: bool,
}

impl BenchRunArgs {
    /// The classes of relaxations that this run forbids, in their own order.
    pub(crate) fn forbidden(&self) -> Vec<RelaxationClass> {
        let is_forbidden = |class: &RelaxationClass| {
            (RelaxationClass::NOT_GRADED.contains(class) || self.forbid.contains(class)) && !self.permit.contains(class)
        };
        RelaxationClass::ALL.iter().copied().filter(is_forbidden).collect()
    }
}

/// Words of `bench diagnosis`.
#[derive(Debug, clap::Args)]
pub(crate) struct DiagnosisArgs {
    /// The set's folder
    #[arg(default_value = "corpora/mutations")]
    pub(crate) corpus: PathBuf,
    /// Only the side that may be looked at, or only the other one: seen or unseen
    #[arg(long, value_name = "SIDE")]
    pub(crate) split: Option<Side>,
    /// Another program that explains logs, run on the same ones
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) with: Option<OtherProgram>,
    /// Where that program is [default: on the search path]
    #[arg(long, value_name = "FILE", requires = "with")]
    pub(crate) program: Option<PathBuf>,
    /// List what was wrong; of the seen half only
    #[arg(long)]
    pub(crate) failures: bool,
    /// Print Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// Programs of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OtherProgram {
    /// Its program `analyze-build-log`; `cargo install buildlog-consultant` installs it
    BuildlogConsultant,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Words {
        #[command(flatten)]
        run: BenchRunArgs,
    }

    #[test]
    fn a_run_forbids_what_deceives_unless_it_says_otherwise() {
        for (words, forbidden) in [
            ("", "deceives"),
            ("--forbid tests", "tests deceives"),
            ("--permit deceives", ""),
            ("--forbid tests --permit deceives", "tests"),
            ("--forbid deceives", "deceives"),
        ] {
            let words = ["run", "corpus", "--agent", "rules"]
                .into_iter()
                .chain(words.split_whitespace());
            let names: Vec<&str> = Words::parse_from(words)
                .run
                .forbidden()
                .into_iter()
                .map(RelaxationClass::name)
                .collect();
            assert_eq!(names.join(" "), forbidden);
        }
    }
}
