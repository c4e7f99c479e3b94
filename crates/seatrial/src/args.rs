//! The command line's grammar.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{Parser, Subcommand};
use seatrial_core::RelaxationClass;

use crate::{
    amounts::{parse_age, parse_bytes, parse_share},
    bench_args::BenchVerb,
    external_args::ExternalArgs,
    image_args::ImageVerb,
    import_args::ImportArgs,
    mcp_args::McpArgs,
    model_args::{AskingArgs, ModelArgs},
    names_args::{IndexVerb, ResolveArgs},
    repair_args::RepairArgs,
    trajectory_args::TrajectoryVerb,
};

/// Builds software that nobody documented, and proves the result by running it in a clean box.
#[derive(Debug, Parser)]
#[command(
    name = "seatrial",
    version = crate::app::VERSION,
    about,
    after_help = "Exit codes: 0 all passed; 1 ran and failed; 2 usage; 3 nothing was run; 4 invalid (infrastructure); \
                  5 budget spent; 130 interrupted.",
    arg_required_else_help = true
)]
pub(crate) struct Args {
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Data folder [default: $XDG_DATA_HOME/seatrial or ~/.local/share/seatrial]
    #[arg(
        long,
        global = true,
        env = "SEATRIAL_HOME",
        hide_env_values = true,
        value_name = "DIR"
    )]
    pub(crate) home: Option<PathBuf>,

    /// Bytes that the data folder may take, such as 20G
    #[arg(long, global = true, env = "SEATRIAL_MAX_SIZE", hide_env_values = true, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) max_size: Option<u64>,

    /// What boxes are made of: native, docker, or docker:SOCKET for another daemon than the usual one, such as Podman's
    #[arg(long, global = true, env = "SEATRIAL_BACKEND", hide_env_values = true, default_value = "native", value_name = "KIND", value_parser = BackEnd::parse)]
    pub(crate) backend: BackEnd,

    /// What to do
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What boxes are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BackEnd {
    /// Namespaces of this machine's kernel.
    Native,
    /// Containers of a daemon; the usual one when no socket is named.
    Docker(Option<PathBuf>),
}

impl BackEnd {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "native" => Ok(Self::Native),
            None if text == "docker" => Ok(Self::Docker(None)),
            Some(("docker", socket)) if !socket.is_empty() => {
                let socket = socket.strip_prefix("unix://").unwrap_or(socket);
                Ok(Self::Docker(Some(PathBuf::from(socket))))
            }
            _ => Err("it is one of native, docker, and docker:SOCKET".to_owned()),
        }
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Build a source in a clean box and write a recipe that reproduces it
    #[command(after_help = "SOURCE is one of:\n  \
        .  or ./folder                       a folder (copied, never changed)\n  \
        project-1.0.tar.xz[#sha256=HEX]      an archive: .tar, .tar.gz, .tar.xz, .tar.bz2, .tar.zst, .zip\n  \
        https://host/project.tar.gz[#sha256=HEX]\n  \
        git+https://host/project.git@COMMIT  a commit, with its submodules\n  \
        debian:hello[=2.10-3]                a Debian source package, upstream's part only\n\n\
        Examples:\n  seatrial build .\n  seatrial build debian:hello -o /tmp/hello-out\n  \
        seatrial build git+https://host/project.git@3f2a91c --json")]
    Build(Box<BuildArgs>),
    /// Make a package that fails on an architecture build there, proved by a rebuild from clean
    #[command(
        after_help = "Exit codes: 0 repaired and proved; 1 not repaired; 2 usage; 3 it builds there as it is; \
        4 invalid (the machine, the network); 5 time spent.\n\n\
        Examples:\n  seatrial repair hull_1.0-2.dsc --target aarch64\n  \
        seatrial repair ./hull-1.0 --target i686 --apply\n  \
        seatrial repair ./home:me/hull --target aarch64 --log failed.log --json"
    )]
    Repair(Box<RepairArgs>),
    /// Say why a build failed, from its log
    #[command(
        after_help = "Exit codes: 0 a cause was found; 1 it failed, and nothing says why; 2 no log; \
        3 no failure found.\n\n\
        Examples:\n  seatrial diagnose build.log\n  make 2>&1 | seatrial diagnose -\n  \
        seatrial diagnose build.log --with build/config.log --json"
    )]
    Diagnose(DiagnoseArgs),
    /// Measure an agent on a corpus
    #[command(subcommand)]
    Bench(BenchVerb),
    /// Ask a model two short questions, to see whether it answers and whether it calls tools
    #[command(
        after_help = "Exit codes: 0 it answers, and takes tools; 1 it answers, and takes no tools; 4 it does not answer.\n\n\
        Examples:\n  seatrial model anthropic/claude-sonnet-4-5\n  seatrial model local/tiny --base-url http://127.0.0.1:8000/v1"
    )]
    Model(Box<ModelCheckArgs>),
    /// Do again what an agent did in a trial, in a fresh box and without a model
    #[command(
        after_help = "Exit codes: 0 everything ended as it did then; 1 something did not; 3 there was nothing to do.\n\n\
        Examples:\n  seatrial replay latest/hello\n  seatrial replay build-hello-1796041797266 --source debian:hello"
    )]
    Replay(ReplayArgs),
    /// Show what an agent did in a trial, step by step
    #[command(subcommand)]
    Trajectory(TrajectoryVerb),
    /// Look at, make or refresh a corpus
    #[command(subcommand)]
    Corpus(CorpusVerb),
    /// Images that boxes are made from
    #[command(subcommand)]
    Image(ImageVerb),
    /// Say which packages have what a build asks for
    #[command(after_help = "Examples:\n  seatrial resolve header:zlib.h --why\n  \
        seatrial resolve cmake:Boost::filesystem pc:gtk+-3.0 perl:XML::Parser --json\n  \
        seatrial resolve header:lua.h --installed liblua5.1-0-dev\n\n\
        Exit codes: 0 all were found; 1 some were not; 2 there is no such family of names.")]
    Resolve(ResolveArgs),
    /// Indexes that names are looked up in
    #[command(subcommand)]
    Index(IndexVerb),
    /// Say what the data folder takes, and make room in it
    #[command(subcommand)]
    Cache(CacheVerb),
    /// Serve the tools over a box to any agent, by the Model Context Protocol
    #[command(
        after_help = "Examples:\n  seatrial mcp ./project\n  seatrial mcp debian:hello --tools shell,read,apply_patch\n  \
        seatrial mcp . --network none --http 8765"
    )]
    Mcp(McpArgs),
    /// Say what this machine can do, and how to get the rest
    Doctor,
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  seatrial completions bash > ~/.local/share/bash-completion/completions/seatrial"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Words of `model`.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelCheckArgs {
    /// The model
    #[arg(value_name = "PROVIDER/NAME")]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
}

/// Words of `replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// The trial: RUN/TASK, RUN/TASK.ATTEMPT, a run of a single trial, or a journal
    pub(crate) trial: String,
    /// What was built, for a trial that is none of a corpus
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<OsString>,
    /// The box's platform, for a trial that is none of a corpus
    #[arg(long, value_name = "DISTRIBUTION:RELEASE", default_value = "debian:bookworm")]
    pub(crate) platform: String,
    /// Ask the network anew instead of answering from the trial's record
    #[arg(long)]
    pub(crate) live: bool,
}

/// Words of `diagnose`.
#[derive(Debug, clap::Args)]
pub(crate) struct DiagnoseArgs {
    /// The log, or - for standard input
    pub(crate) log: PathBuf,
    /// A file that a tool left, such as config.log, instead of those that lie beside the log; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
}

/// Words of `build`.
#[derive(Debug, clap::Args)]
pub(crate) struct BuildArgs {
    /// What to build
    pub(crate) source: OsString,
    /// Where to write recipe.sh, Dockerfile, verdict.json and build.log
    #[arg(short, long, value_name = "DIR", default_value = "seatrial-out")]
    pub(crate) output: PathBuf,
    /// The box's platform
    #[arg(long, value_name = "DISTRIBUTION:RELEASE", default_value = "debian:bookworm")]
    pub(crate) platform: String,
    /// Names of files that a complete build makes; without any, one artifact is enough
    #[arg(long, value_name = "NAME")]
    pub(crate) expect: Vec<String>,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Wall-clock seconds for finding a way to build
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub(crate) timeout: u64,
    /// A class of relaxations that may not be used, such as tests or features; may be repeated
    #[arg(long, value_name = "CLASS")]
    pub(crate) forbid: Vec<RelaxationClass>,
    /// A repair that may not be used, by the name that recipes and the journal give it; may be repeated
    #[arg(long, value_name = "RULE")]
    pub(crate) without: Vec<String>,
    /// The agent: rules, or with a model hybrid, single-turn, bash or codeact, or external with a recipe
    #[arg(long, value_name = "NAME", default_value = "rules")]
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) external: ExternalArgs,
    /// Seconds that may be spent on making a recipe that works smaller: fewer packages, steps and relaxations
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "600")]
    pub(crate) minimise: Option<u64>,
    /// Begin also when the disk is expected to have no room for it
    #[arg(long)]
    pub(crate) no_disk_check: bool,
}

/// What boxes may reach.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct NetworkArgs {
    /// How boxes reach the network: recorded while something is tried and replayed for the proof, open all the time, or
    /// not at all
    #[arg(long, value_enum, default_value = "recorded")]
    pub(crate) network: NetworkMode,
    /// A host that may be asked, as HOST, *.HOST or HOST:PORT, besides the registries of distributions and languages; `*`
    /// is every public host
    #[arg(long, value_name = "HOST")]
    pub(crate) allow: Vec<String>,
}

/// Ways to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum NetworkMode {
    /// Recorded, then replayed
    Recorded,
    /// Any public host, nothing recorded
    Open,
    /// None
    None,
}

/// Words of `corpus`.
#[derive(Debug, Subcommand)]
pub(crate) enum CorpusVerb {
    /// List the corpora below a folder
    List {
        /// The folder
        #[arg(default_value = "corpora")]
        folder: PathBuf,
    },
    /// Show a corpus, or one task of it (never its truth)
    Show {
        /// The corpus's folder
        corpus: PathBuf,
        /// A task
        task: Option<String>,
    },
    /// Make a corpus from what a distribution already knows
    #[command(subcommand)]
    Mine(MineVerb),
    /// Take in cases that others published, as tasks of the suite `repair`
    #[command(
        after_help = "Examples:\n  seatrial corpus import build-bench x86_succeed_pro -o corpora/build-bench\n  \
        seatrial corpus import challenge cases/ -o corpora/challenge\n\n\
        Exit codes: 0 all cases were taken in; 1 some were not; 2 none was."
    )]
    Import(ImportArgs),
    /// Divide a corpus: half of its tasks, drawn by seed, are kept out of sight while rules are written
    #[command(
        after_help = "Examples:\n  seatrial corpus split corpora/compile-debian --seed 4\n  \
        seatrial bench run corpora/compile-debian --agent rules --split unseen\n  \
        seatrial corpus split corpora/mutations --reveal 0.5 --seed 2"
    )]
    Split {
        /// The corpus's folder
        corpus: PathBuf,
        /// Seed of the draw
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// An earlier form of the corpus: what it has was looked at before, and stays seen
        #[arg(long, value_name = "CORPUS")]
        older: Option<PathBuf>,
        /// The share of what is out of sight (tasks; of a set of failing logs, projects and mutations) that becomes seen, above
        /// 0 and up to 1; it is recorded, and cannot be taken back
        #[arg(long, value_name = "SHARE", conflicts_with = "older", value_parser = parse_share)]
        reveal: Option<f64>,
    },
    /// Pin again what has left the archive
    Refresh {
        /// The corpus's folder
        corpus: PathBuf,
    },
}

/// Where cases of the repair suite come from.
#[derive(Debug, Subcommand)]
pub(crate) enum CrossIsaVerb {
    /// Make them: a porting fault of the catalogue in a package that works, proved by rebuilds on both sides
    #[command(
        after_help = "Example:\n  seatrial corpus mine cross-isa mutations corpora/repair-cross-isa \\\n    \
        --from corpora/compile-debian --pair x86_64:i686 --limit 10"
    )]
    Mutations {
        /// The corpus's folder; its catalogue of faults is in `catalogue` below it
        #[arg(default_value = "corpora/repair-cross-isa")]
        folder: PathBuf,
        /// A corpus whose pinned source packages are taken; of a divided one, the seen ones
        #[arg(long, value_name = "CORPUS", default_value = "corpora/compile-debian")]
        from: PathBuf,
        /// Only these faults
        #[arg(long, value_name = "NAME")]
        fault: Vec<String>,
        /// Packages that are tried for one fault and direction
        #[arg(long, default_value_t = 4)]
        tries: usize,
        /// What all cases are mined with
        #[command(flatten)]
        common: CrossIsaArgs,
    },
    /// Find them: source packages that the distribution has for one architecture and not, or older, for another
    #[command(
        after_help = "Example:\n  seatrial corpus mine cross-isa archive corpora/found \\\n    \
        --pair x86_64:aarch64 --limit 5"
    )]
    Archive {
        /// The corpus's folder
        folder: PathBuf,
        /// Largest source package, in bytes
        #[arg(long, default_value_t = 500_000)]
        max_bytes: u64,
        /// Only list what would be built
        #[arg(long)]
        list: bool,
        /// What all cases are mined with
        #[command(flatten)]
        common: CrossIsaArgs,
    },
}

/// What cases of the repair suite are mined with.
#[derive(Debug, clap::Args)]
pub(crate) struct CrossIsaArgs {
    /// Only these packages
    #[arg(long, value_name = "NAME")]
    pub(crate) package: Vec<String>,
    /// A direction: where packages build, and where they fail, such as `x86_64:aarch64`
    #[arg(long, value_name = "WORKS:FAILS")]
    pub(crate) pair: Vec<String>,
    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Cases wanted
    #[arg(long, default_value_t = 30)]
    pub(crate) limit: usize,
    /// Cases that one package may give
    #[arg(long, default_value_t = 3)]
    pub(crate) per_package: usize,
    /// Packages at one time
    #[arg(short = 'n', long, default_value_t = 1)]
    pub(crate) jobs: usize,
    /// The platform
    #[arg(long, default_value = "debian:bookworm")]
    pub(crate) platform: String,
}

/// Kinds of mining.
#[derive(Debug, Subcommand)]
pub(crate) enum MineVerb {
    /// C and C++ source packages; expected artifacts are read from the binary packages
    #[command(
        after_help = "Example:\n  seatrial corpus mine debian-compile --seed 7 --count 60 -o corpora/compile-debian"
    )]
    DebianCompile {
        /// Seed of the choice: the same seed and archive give the same corpus
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many tasks
        #[arg(long, default_value_t = 48)]
        count: usize,
        /// Largest upstream archive, in bytes
        #[arg(long, default_value_t = 1_500_000)]
        max_bytes: u64,
        /// The platform
        #[arg(long, default_value = "debian:bookworm")]
        platform: String,
        /// The new corpus's folder
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Packages that build on one architecture and fail on another
    #[command(subcommand)]
    CrossIsa(CrossIsaVerb),
    /// Failing logs with a known cause: projects of a catalogue are built, broken in one way, and built again
    #[command(after_help = "Examples:\n  seatrial corpus mine mutations corpora/mutations\n  \
        seatrial corpus mine mutations corpora/mutations --project c-make")]
    Mutations {
        /// The set's folder; its catalogue is in `catalogue` below it
        #[arg(default_value = "corpora/mutations")]
        folder: PathBuf,
        /// Seed of the split into a seen and an unseen half [default: that of the set, else 1]
        #[arg(long)]
        seed: Option<u64>,
        /// Only these projects; the cases of the others stay as they are
        #[arg(long, value_name = "NAME")]
        project: Vec<String>,
        /// Projects at one time
        #[arg(short = 'n', long, default_value_t = 1)]
        jobs: usize,
        /// The platform
        #[arg(long, default_value = "debian:bookworm")]
        platform: String,
        /// Show the end of each log that was dropped
        #[arg(long)]
        why: bool,
        /// Build nothing: write the labels of the cases that are there anew from the catalogue
        #[arg(long, conflicts_with = "project")]
        labels_only: bool,
    },
}

/// Words of `cache`.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheVerb {
    /// Show what takes how much of the disk, and what `gc` would free
    Size {
        /// List every thing, with why it stays or goes
        #[arg(short, long)]
        verbose: bool,
    },
    /// Remove what nobody needs, and then what was not used for longest until the data folder fits its limit
    #[command(
        after_help = "Without words only leftovers go: boxes and files of processes that were killed, and content that nothing \
                      names. What a live process, a run that is not finished or a run's journal needs always stays.\n\n\
                      Examples:\n  seatrial cache gc --dry-run --max-size 20G\n  seatrial cache gc --older-than 30d\n  \
                      seatrial cache gc --max-size 5G --runs --keep images"
    )]
    Gc(GcArgs),
}

/// Words of `cache gc`.
#[derive(Debug, clap::Args)]
pub(crate) struct GcArgs {
    /// Say what would go, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove what was not used for so long, such as 30d or 12h
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) older_than: Option<Duration>,
    /// Let finished runs go too, the longest unused first, with the logs that only they name
    #[arg(long)]
    pub(crate) runs: bool,
    /// Keep a room (as `cache size` names it), or what begins with this name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Vec<String>,
    /// Say of each thing why it goes or stays
    #[arg(short, long)]
    pub(crate) verbose: bool,
}
