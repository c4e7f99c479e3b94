//! Words of the verbs that look names up.

use std::path::PathBuf;

use clap::Subcommand;

/// Words of `bench names`.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchNamesArgs {
    /// The folder with names.toml and names.tsv
    pub(crate) corpus: PathBuf,
    /// The half: rankings may be tuned on `seen` and `revealed`, and are reported on `unseen`
    #[arg(long, value_enum, default_value = "unseen")]
    pub(crate) split: Split,
    /// Ask another program too, on a sample: apt-file
    #[arg(long, value_enum, value_name = "PROGRAM")]
    pub(crate) with: Option<Beside>,
    /// How many names the other program is asked for
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) sample: usize,
    /// List what is wrong (never of the unseen half)
    #[arg(long)]
    pub(crate) misses: bool,
}

/// Halves of a set of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Split {
    /// What may be tuned on
    Seen,
    /// What was unseen at first and has been looked at since
    Revealed,
    /// What is reported
    Unseen,
    /// All of them
    All,
}

/// Programs that are asked the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Beside {
    /// `apt-file search`, the first package by name
    AptFile,
}

/// Words of `resolve`.
#[derive(Debug, clap::Args)]
pub(crate) struct ResolveArgs {
    /// What to look up, as FAMILY:NAME
    #[arg(required = true, value_name = "FAMILY:NAME")]
    pub(crate) keys: Vec<String>,
    /// Say what each answer was ranked by
    #[arg(long)]
    pub(crate) why: bool,
    /// The distribution's release
    #[arg(long, value_name = "DISTRIBUTION:RELEASE", default_value = "debian:bookworm")]
    pub(crate) platform: String,
    /// Take the platform and the installed packages from an image
    #[arg(long, value_name = "IMAGE", conflicts_with = "platform")]
    pub(crate) image: Option<String>,
    /// A package that is there already: answers that go with it come first
    #[arg(long, value_name = "PACKAGE")]
    pub(crate) installed: Vec<String>,
    /// An index file to ask instead of the platform's, as `seatrial index build --from` makes it
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
    /// Say what Python imports (`py:NAME`) are called on PyPI instead; nothing is asked over the network
    #[arg(long, conflicts_with_all = ["index", "image", "installed"])]
    pub(crate) pypi: bool,
}

/// Words of `index`.
#[derive(Debug, Subcommand)]
pub(crate) enum IndexVerb {
    /// Make the index of a platform, unless there is one of the archive as it is now
    #[command(after_help = "Examples:\n  seatrial index build debian:bookworm\n  \
        seatrial index build --from repository/ -o fedora.idx\n  seatrial index build --from APKINDEX.tar.gz -o alpine.idx")]
    Build {
        /// The platform
        #[arg(default_value = "debian:bookworm")]
        platform: String,
        /// Make it of files instead: an rpm repository with its `repodata`, or an `APKINDEX.tar.gz` of Alpine
        #[arg(long, value_name = "PATH", requires = "output")]
        from: Option<PathBuf>,
        /// Where to write an index that is made of files
        #[arg(short, long, value_name = "FILE", requires = "from")]
        output: Option<PathBuf>,
    },
    /// List the indexes in the data folder, with their age
    List,
    /// Ask the archive again, and make the index anew when it has changed; without a network the old one stays
    Refresh {
        /// The platform
        #[arg(default_value = "debian:bookworm")]
        platform: String,
    },
    /// Read macros, CMake targets and CMake commands out of the packages that define them; a longer download
    #[command(after_help = "Example:\n  seatrial index deepen debian:bookworm --max-bytes 1M")]
    Deepen {
        /// The platform
        #[arg(default_value = "debian:bookworm")]
        platform: String,
        /// Leave larger packages out
        #[arg(long, value_name = "BYTES", default_value = "600K", value_parser = crate::amounts::parse_bytes)]
        max_bytes: u64,
    },
    /// Remove the indexes of a platform
    Rm {
        /// The platform
        platform: String,
    },
}
