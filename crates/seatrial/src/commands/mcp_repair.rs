//! `seatrial mcp --suite repair`: a package in the box, and rebuilds of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use fs_err as fs;
use seatrial_core::{Arch, BOX_OUT, BOX_SOURCE, Digest, Platform};
use seatrial_packages::Resolver;
use seatrial_packaging::Package;
use seatrial_rebuild::{Local, LocalWorld};
use seatrial_sandbox::{Command, Network, Sandbox, SandboxFactory};
use seatrial_source::SourceTree;
use seatrial_store::Blobs;
use seatrial_tools::{PackageRebuilds, RebuildOrder, RebuildsError, Rebuilt};

use super::rebuilds;
use crate::{app::App, failure::Failure, mcp_args::McpArgs};

/// A package and what rebuilds it.
pub(super) struct Repairing {
    package: Package,
    target: Arch,
    factory: Box<dyn SandboxFactory>,
    images: BTreeMap<Arch, Digest>,
    network: Network,
    blobs: Blobs,
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
        let tree = SourceTree::new(package.root().to_owned(), Digest::of(b""));
        let (mut file, path) = super::mcp::scratch(app)?;
        let written = tree.write_tar(&mut file);
        let packed = fs::File::open(&path);
        fs::remove_file(&path)?;
        written?;
        sandbox.write_tree(BOX_SOURCE, &mut packed?)?;
        sandbox.exec(
            &Command::bash(format!("mkdir -p {BOX_OUT} /build/logs")),
            &mut Vec::new(),
        )?;
        for (log, name) in [(&args.failed_log, "failed.log"), (&args.working_log, "working.log")] {
            if let Some(log) = log {
                sandbox.write_file(&format!("/build/logs/{name}"), &fs::read(log)?, 0o644)?;
            }
        }
        Ok(Self {
            package,
            target,
            factory: app.factory()?,
            images: rebuilds::images_for(app, platform, &BTreeSet::from([target, Arch::host()]))?,
            network,
            blobs: app.home.blobs(),
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
        let world = LocalWorld::new(
            &*self.factory,
            self.images.clone(),
            self.network.clone(),
            self.blobs.clone(),
        );
        let local = Local::new(&world, self.resolver.as_deref());
        seatrial_agents::rebuild_package(&local, package, self.target, order, &self.stop, output)
    }
}
