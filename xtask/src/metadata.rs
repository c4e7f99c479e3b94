//! The part of `cargo metadata` that the checks read.

use std::{path::Path, process::Command};

use anyhow::{Context, bail};
use serde::Deserialize;

/// The answer of `cargo metadata --format-version 1`.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_root: String,
}

/// A package of the workspace or a dependency.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// `None` for a member of the workspace.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// An edge as a manifest declares it.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Metadata {
    /// The workspace's own manifests only: needs no network and no lock file.
    pub(crate) fn of_workspace(root: &Path) -> anyhow::Result<Self> {
        Self::ask(root, &["--no-deps", "--offline"])
    }

    /// With every dependency that is compiled for this machine, as the lock file pins them.
    pub(crate) fn with_dependencies(root: &Path) -> anyhow::Result<Self> {
        let platform = host_platform()?;
        Self::ask(root, &["--locked", "--filter-platform", &platform])
    }

    fn ask(root: &Path, options: &[&str]) -> anyhow::Result<Self> {
        let output = Command::new(cargo())
            .args(["metadata", "--format-version", "1"])
            .args(options)
            .current_dir(root)
            .output()
            .context("cannot start cargo")?;
        if !output.status.success() {
            bail!(
                "cargo metadata {} failed: {}",
                options.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        serde_json::from_slice(&output.stdout).context("cargo metadata answered something unknown")
    }

    /// A manifest's path relative to the checkout.
    pub(crate) fn place(&self, package: &Package) -> String {
        let path = &package.manifest_path;
        path.strip_prefix(&self.workspace_root)
            .map_or(path.as_str(), |tail| tail.trim_start_matches('/'))
            .to_owned()
    }
}

/// The cargo that runs this program, so that its toolchain is the one that is asked.
pub(crate) fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn host_platform() -> anyhow::Result<String> {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .context("cannot start rustc")?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .context("`rustc -vV` names no host")
}
