//! Words of `seatrial corpus import`.

use std::path::PathBuf;

use seatrial_core::Arch;

/// Words of `corpus import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// Who published them
    pub(crate) format: ImportFormat,
    /// A case folder, or a folder of case folders
    pub(crate) from: PathBuf,
    /// The corpus's folder; one that is there grows
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Where the packages build, in place of what the cases say, such as x86_64
    #[arg(long, value_name = "ARCH")]
    pub(crate) works_on: Option<Arch>,
    /// The platform of the boxes that agents work in
    #[arg(long, default_value = "debian:bookworm")]
    pub(crate) platform: String,
}

/// Forms of published cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ImportFormat {
    /// Flat folders with a spec file, `manifest.json` (version 1) and `log_failed.txt`
    BuildBench,
    /// Folders with `input/`, `manifest.json` (version 1.0) and `logs/`
    Challenge,
}
