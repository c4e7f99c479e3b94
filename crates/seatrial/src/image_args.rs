//! Words of the verbs for images.

use std::path::PathBuf;

use clap::Subcommand;

/// Words of `image`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImageVerb {
    /// Make an image from a distribution's packages, unless there is one, or from a recipe
    #[command(after_help = "Examples:\n  seatrial image build debian:bookworm --with valgrind\n  \
        seatrial image build debian:trixie --arch arm64\n  \
        seatrial image build images/compile.toml --locked")]
    Build(ImageBuildArgs),
    /// Take an image from a file: a tar of a root file system, what `docker save` writes, an OCI layout in a tar
    #[command(after_help = "Example:\n  docker save tool:1.2 | gzip >tool.tar.gz && seatrial image import tool.tar.gz")]
    Import {
        /// The file; it may be compressed with gzip, xz or Zstandard
        file: PathBuf,
        /// Its platform, whose boxes are then made from it [default: what it says itself, and it stands for itself only]
        #[arg(long, value_name = "DISTRIBUTION:RELEASE")]
        platform: Option<String>,
    },
    /// Pull an image from a registry
    #[command(after_help = "Examples:\n  seatrial image pull localhost:5000/tool:1.2\n  \
        seatrial image pull registry.example.org/team/tool@sha256:DIGITS --credentials ~/.docker/config.json")]
    Pull {
        /// Its name: REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGITS
        reference: String,
        /// The architecture [default: this machine's]
        #[arg(long)]
        arch: Option<String>,
        /// A file as `docker login` writes it
        #[arg(long, value_name = "FILE")]
        credentials: Option<PathBuf>,
        /// Speak without encryption; registries on this machine are always spoken to so
        #[arg(long)]
        plain_http: bool,
    },
    /// Run a command in a box made from an image; its exit code is 0 or 1
    #[command(after_help = "Example:\n  seatrial image run localhost:5000/tool:1.2 -- tool --version")]
    Run {
        /// Its name, its digest or a unique beginning of it
        image: String,
        /// Give the box this machine's network
        #[arg(long)]
        open_network: bool,
        /// The command
        #[arg(required = true, last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// List images
    List,
    /// Remove an image
    Rm {
        /// Its name, its digest or a unique beginning of it
        image: String,
    },
}

/// Words of `image build`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImageBuildArgs {
    /// The platform, or the file of a recipe (NAME.toml)
    #[arg(default_value = "debian:bookworm", value_name = "PLATFORM|RECIPE")]
    pub(crate) what: String,
    /// The architecture, as Debian or the kernel names it; other ones than this machine's are emulated
    /// [default: this machine's, or the recipe's]
    #[arg(long)]
    pub(crate) arch: Option<String>,
    /// Further packages
    #[arg(long, value_name = "PACKAGE")]
    pub(crate) with: Vec<String>,
    /// Mirror to take it from [default: what this machine's package manager uses for that release]
    #[arg(long, value_name = "URL")]
    pub(crate) mirror: Option<String>,
    /// Make it even when there is one
    #[arg(long)]
    pub(crate) force: bool,
    /// Fail when what comes out of a recipe is not what its lock says
    #[arg(long)]
    pub(crate) locked: bool,
    /// A file as `docker login` writes it, for a recipe that begins with an image of a registry
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,
}
