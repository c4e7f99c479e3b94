//! Words of `mcp`.

use std::ffi::OsString;

/// Words of `mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// What lies in the box, as for `build`: a copy; an empty folder when left out. With `--suite repair`: a `.dsc`, an
    /// unpacked Debian tree, or a folder with one spec
    pub(crate) source: Option<OsString>,
    /// The box's image: a platform, or the name or id of an image
    #[arg(long, default_value = "debian:bookworm", value_name = "IMAGE")]
    pub(crate) image: String,
    /// What the box may reach
    #[arg(long, value_enum, default_value = "registries")]
    pub(crate) network: McpNetwork,
    /// A host that the box may reach besides; may be repeated
    #[arg(long, value_name = "HOST[:PORT][/PATH]")]
    pub(crate) allow: Vec<String>,
    /// The tools to serve; all when left out
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub(crate) tools: Vec<String>,
    /// Serve the tools of a suite over a package: those that repair one
    #[arg(long, value_enum, value_name = "SUITE", requires_all = ["source", "target"])]
    pub(crate) suite: Option<McpSuite>,
    /// The architecture that the package shall build on
    #[arg(long, value_name = "ARCH", requires = "suite")]
    pub(crate) target: Option<String>,
    /// The published names, parameters and answers of the suite's tools, instead of ours
    #[arg(long, requires = "suite", conflicts_with = "tools")]
    pub(crate) compat: bool,
    /// Whether files are written as a whole or changed by patches
    #[arg(
        long,
        value_enum,
        default_value = "full-file",
        requires = "suite",
        value_name = "MODE"
    )]
    pub(crate) mode: RepairMode,
    /// The log of the failed build, laid at /build/logs/failed.log
    #[arg(long, value_name = "FILE", requires = "suite")]
    pub(crate) failed_log: Option<std::path::PathBuf>,
    /// The log of the build that works elsewhere, laid at /build/logs/working.log
    #[arg(long, value_name = "FILE", requires = "suite")]
    pub(crate) working_log: Option<std::path::PathBuf>,
    /// Who searches the web for the tool `web_search`: searxng=URL, brave or tavily; nobody when left out
    #[arg(long, value_name = "PROVIDER[=URL]")]
    pub(crate) search: Option<String>,
    /// What there is to do, for clients that ask
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    /// Serve over HTTP on this machine at this port (0: any free one) instead of standard input and output
    #[arg(long, value_name = "PORT")]
    pub(crate) http: Option<u16>,
    /// The token that HTTP clients must show; a new one is made and told when there is none
    #[arg(
        long,
        env = "SEATRIAL_MCP_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN",
        requires = "http"
    )]
    pub(crate) token: Option<String>,
}

/// Suites with tools of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum McpSuite {
    /// Packages that fail on an architecture
    Repair,
}

/// How files of a package are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RepairMode {
    /// Whole files
    FullFile,
    /// Unified diffs
    Patch,
}

/// What the box may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum McpNetwork {
    /// The registries of distributions and languages
    Registries,
    /// Every public host
    Open,
    /// Nothing but what --allow names
    None,
}
