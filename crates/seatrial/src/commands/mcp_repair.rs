//! `seatrial mcp --suite repair`: a package in the box, and rebuilds of it.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use fs_err as fs;
use seatrial_core::{Arch, Platform};
use seatrial_packages::Resolver;
use seatrial_packaging::Package;
use seatrial_rebuild::{Local, LocalWorld};
use seatrial_sandbox::{Network, Sandbox};
use seatrial_suites::lay_package;
use seatrial_tools::{PackageRebuilds, RebuildOrder, RebuildsError, Rebuilt};

use super::rebuilds;
use crate::{app::App, failure::Failure, mcp_args::McpArgs};

/// A package and what rebuilds it.
pub(super) struct Repairing {
    package: Package,
    target: Arch,
    /// Kept, so that only the first of all checks gets what the package builds with.
    world: LocalWorld<'static>,
    resolver: Option<Arc<dyn Resolver>>,
    stop: Arc<AtomicBool>,
}

/// The target that was named.
pub(super) fn target(args: &McpArgs) -> Result<Arch, Failure> {
    let word = args.target.as_deref().unwrap_or_default();
    word.parse()
        .map_err(|error| Failure::usage(format!("--target: {error}")))
}

impl Repairing {
    /// Lays the package and its logs into the box.
    pub(super) fn lay(
        app: &App,
        args: &McpArgs,
        platform: &Platform,
        network: Network,
        resolver: Option<Arc<dyn Resolver>>,
        sandbox: &mut dyn Sandbox,
    ) -> Result<Self, Failure> {
        let target = target(args)?;
        let source = args.source.as_deref().unwrap_or_default();
        let package = Package::open(Path::new(source))
            .map_err(|error| Failure::usage(format!("{}: {error}", source.to_string_lossy())))?;
        let open = |log: &Option<std::path::PathBuf>| {
            let opened = log.as_ref().map(fs::File::open).transpose();
            opened.map_err(|error| Failure::usage(error.to_string()))
        };
        lay_package(&package, open(&args.failed_log)?, open(&args.working_log)?, sandbox)?;
        Ok(Self {
            package,
            target,
            world: LocalWorld::owning(
                app.factory()?,
                rebuilds::images_for(app, platform, &BTreeSet::from([target, Arch::host()]))?,
                network,
                app.home.blobs(),
            ),
            resolver,
            stop: sandbox.stopper(),
        })
    }
}

impl PackageRebuilds for Repairing {
    fn pristine(&self) -> &Package {
        &self.package
    }

    fn target(&self) -> Arch {
        self.target
    }

    fn rebuild(
        &self,
        package: &Package,
        order: &RebuildOrder,
        output: &mut dyn FnMut(&[u8]),
    ) -> Result<Rebuilt, RebuildsError> {
        let local = Local::new(&self.world, self.resolver.as_deref());
        seatrial_agents::rebuild_package(&local, package, self.target, order, &self.stop, output)
    }
}
