//! Words of `repair`.

use std::path::PathBuf;

use seatrial_core::Arch;

use crate::{args::NetworkArgs, model_args::ModelArgs, service_args::ServiceArgs};

/// Words of `repair`.
#[derive(Debug, clap::Args)]
pub(crate) struct RepairArgs {
    /// The package: a .dsc, an unpacked tree with debian/, or a flat folder with one .spec
    pub(crate) package: PathBuf,
    /// Where it fails, and shall build, such as aarch64
    #[arg(long, value_name = "ARCH")]
    pub(crate) target: Arch,
    /// Where it builds, and must go on building; this machine's own where that is not the target
    #[arg(long, value_name = "ARCH")]
    pub(crate) works_on: Option<Arch>,
    /// The log of a failed build on the target, for agents that read one; without it the first rebuild makes one
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The log of a build that succeeded elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) working_log: Option<PathBuf>,
    /// Where to write the patch, the package, the report and the proof
    #[arg(short, long, value_name = "DIR", default_value = "seatrial-out")]
    pub(crate) output: PathBuf,
    /// Write a proved repair into the package's own folder too
    #[arg(long)]
    pub(crate) apply: bool,
    /// The distribution that is built in
    #[arg(long, value_name = "DISTRIBUTION:RELEASE", default_value = "debian:bookworm")]
    pub(crate) platform: String,
    /// Wall-clock seconds for finding a repair
    #[arg(long, value_name = "SECONDS", default_value_t = 7200)]
    pub(crate) timeout: u64,
    /// The agent: rules, or with a model another one
    #[arg(long, value_name = "NAME", default_value = "rules")]
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}
