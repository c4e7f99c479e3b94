//! Boxes of this machine: those with build dependencies in them, kept while the builder lives, and fresh ones made from
//! those for each build.
//!
//! A box is made in three steps. The *base* is a box of the image, made ready for a kind of packages. The *furnished* one
//! is a fork of it with what a package builds with, got through the door. The *fresh* one is a fork of that, without a
//! network, and is thrown away after one build. Nothing of a source ever gets into the first two, so every build is from
//! clean, and the second build with the same dependencies installs nothing.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use seatrial_core::{Arch, Digest};
use seatrial_sandbox::{
    BoxSpec, Command, Image, ImageRecipe, ImageStore, Network, Origin, Sandbox, SandboxError, SandboxFactory, Snapshot,
};
use seatrial_store::Blobs;

use crate::{
    Kind, Listener, Mode, Outcome, RebuildError, RebuildRequest, SourcePackage,
    solver::{Solved, solved},
    step::{Halt, Work},
};

/// The name of the recipe of images that packages are rebuilt in.
pub const RECIPE: &str = "rebuild";
/// The recipe itself.
const RECIPE_TEXT: &str = include_str!("../../../images/rebuild.toml");
/// Furnished boxes that are kept.
const MOST_KEPT: usize = 6;

/// The recipe of images that packages are rebuilt in, for an architecture: for a caller that makes a missing one itself.
pub fn recipe(arch: Arch) -> Result<ImageRecipe, SandboxError> {
    Ok(ImageRecipe {
        arch: Some(arch),
        ..ImageRecipe::read(RECIPE_TEXT)?
    })
}

/// The newest image of each architecture that packages can be rebuilt in: those of the recipe, else those of the platform
/// itself.
pub fn images_of(
    images: &ImageStore,
    distribution: &str,
    release: &str,
) -> Result<BTreeMap<Arch, Digest>, SandboxError> {
    let list: Vec<Image> = images
        .list()?
        .into_iter()
        .filter(|image| image.platform.distribution == distribution && image.platform.release == release)
        .filter(|image| image.installed.iter().any(|package| package.name == "build-essential"))
        .collect();
    let mut found = BTreeMap::new();
    let wanted: [&dyn Fn(&Image) -> bool; 2] = [&|image| image.name() == Some(RECIPE), &|image| {
        image.origin == Origin::Platform
    }];
    for is_wanted in wanted {
        for image in list.iter().filter(|image| is_wanted(image)) {
            found.entry(image.platform.arch).or_insert(image.id);
        }
    }
    Ok(found)
}

/// What local builders build in.
pub struct LocalWorld<'a> {
    factory: Factory<'a>,
    images: BTreeMap<Arch, Digest>,
    network: Network,
    blobs: Blobs,
    shelf: Mutex<Vec<Kept>>,
}

/// Who makes boxes: of the caller, or of the world itself.
enum Factory<'a> {
    Lent(&'a dyn SandboxFactory),
    Own(Box<dyn SandboxFactory>),
}

impl Factory<'_> {
    fn get(&self) -> &dyn SandboxFactory {
        match self {
            Self::Lent(factory) => *factory,
            Self::Own(factory) => &**factory,
        }
    }
}

/// A box that others are made from.
struct Kept {
    key: String,
    sandbox: Box<dyn Sandbox>,
    snapshot: Snapshot,
    lists: Lists,
}

/// How old the lists of packages in a box are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// As old as the image.
    OfImage,
    /// Fetched by us.
    New,
    /// Fetched by us, and some could not be.
    Partial,
}

/// What a base box is.
pub(crate) struct Base<'a> {
    /// Further architectures whose programs it runs.
    pub(crate) also: &'a [Arch],
    /// What makes it ready, besides [`READY`].
    pub(crate) setup: &'a str,
}

/// Who rebuilds in boxes, and what it takes.
pub(crate) struct Builder {
    pub(crate) name: &'static str,
    /// The packages that it builds.
    pub(crate) kind: Kind,
    /// Why it does not build in the way that is asked for.
    pub(crate) problem: Option<String>,
}

/// A user for builds, and nothing that only costs time.
const READY: &str = "set -e
id builder >/dev/null 2>&1 || useradd --create-home --uid 1000 --shell /bin/bash builder || true
echo 'man-db man-db/auto-update boolean false' | debconf-set-selections 2>/dev/null || true
mkdir -p /build/in";

impl<'a> LocalWorld<'a> {
    /// A world of boxes. `images` are those to build in, by architecture; `network` is the door through which what a
    /// package builds with is got, and is closed during builds.
    pub fn new(
        factory: &'a dyn SandboxFactory,
        images: BTreeMap<Arch, Digest>,
        network: Network,
        blobs: Blobs,
    ) -> Self {
        Self {
            factory: Factory::Lent(factory),
            images,
            network,
            blobs,
            shelf: Mutex::default(),
        }
    }

    /// The same of a factory of its own: for whoever keeps the world, and the boxes in it, from one build to the next.
    pub fn owning(
        factory: Box<dyn SandboxFactory>,
        images: BTreeMap<Arch, Digest>,
        network: Network,
        blobs: Blobs,
    ) -> LocalWorld<'static> {
        LocalWorld {
            factory: Factory::Own(factory),
            images,
            network,
            blobs,
            shelf: Mutex::default(),
        }
    }

    /// Where logs and payloads are kept.
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Forgets all furnished boxes.
    pub fn forget(&self) {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A rebuild from its refusals to its outcome; `build` is what the builder does between.
    pub(crate) fn rebuild(
        &self,
        builder: Builder,
        package: &SourcePackage,
        target: Arch,
        request: &RebuildRequest,
        listener: &mut dyn Listener,
        build: impl FnOnce(&mut Work<'_>) -> Result<(), Halt>,
    ) -> Result<Outcome, RebuildError> {
        let other = (package.kind() != builder.kind).then(|| {
            let (kind, who) = match builder.kind {
                Kind::Debian => ("Debian", "local-rpm"),
                Kind::Rpm => ("RPM", "local-debian"),
            };
            format!("{} is no {kind} source package; {who} builds it", package.name())
        });
        if let Some(problem) = other.or(builder.problem) {
            return Err(RebuildError::Unsupported {
                builder: builder.name,
                problem,
            });
        }
        self.image(target, request.mode)?;
        let mut work = Work::begin(&self.blobs, builder.name, package, target, request, listener)?;
        let result = build(&mut work);
        work.end(result)
    }

    /// The image that a target is built in.
    pub(crate) fn image(&self, target: Arch, mode: Mode) -> Result<Digest, RebuildError> {
        let arch = match mode {
            Mode::Native => target,
            Mode::Cross => Arch::host(),
        };
        let found = self.images.get(&arch);
        found.copied().ok_or(RebuildError::NoImage { arch })
    }

    /// A fresh box without a network, with what `furnish` installs in it. `what` names that: boxes of the same name are
    /// furnished once. Two rebuilds at once wait for each other here, and only here.
    pub(crate) fn fresh(
        &self,
        work: &mut Work<'_>,
        base: &Base<'_>,
        what: &str,
        furnish: &mut dyn FnMut(&mut Work<'_>, &mut dyn Sandbox) -> Result<Solved, Halt>,
    ) -> Result<Box<dyn Sandbox>, Halt> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let image = self.image(work.target, work.request.mode)?;
        let base_key = format!("{image} {:?} {} {:?}", base.also, base.setup, work.request.limits);
        let key = format!("{base_key}\n{what}");
        if let Some(fresh) = fork(&mut shelf, &key, &Network::Off) {
            work.log.say("what it builds with is there from an earlier build");
            return Ok(fresh);
        }
        let mut furnished = self.on_base(&mut shelf, work, base, &base_key)?;
        let mut end = furnish(work, &mut *furnished)?;
        let lists = lists_of(&shelf, &base_key);
        if end != Solved::Yes && lists == Lists::OfImage && !matches!(end, Solved::Unreadable(_)) {
            // The image's lists are of another day; only today's say what there is.
            drop(furnished);
            Self::renew(&mut shelf, work, &base_key)?;
            furnished = self.on_base(&mut shelf, work, base, &base_key)?;
            end = furnish(work, &mut *furnished)?;
        }
        match end {
            Solved::Yes => {}
            end => return Err(halt(end, lists_of(&shelf, &base_key))),
        }
        let snapshot = furnished.snapshot()?;
        let fresh = furnished.fork_with(&snapshot, &Network::Off)?;
        if shelf.len() >= MOST_KEPT {
            shelf.remove(0);
        }
        shelf.push(Kept {
            key,
            sandbox: furnished,
            snapshot,
            lists,
        });
        Ok(fresh)
    }

    /// A fork of the base with the door open.
    fn on_base(
        &self,
        shelf: &mut Vec<Kept>,
        work: &mut Work<'_>,
        base: &Base<'_>,
        key: &str,
    ) -> Result<Box<dyn Sandbox>, Halt> {
        if let Some(found) = fork(shelf, key, &self.network) {
            return Ok(found);
        }
        let spec = BoxSpec {
            image: self.image(work.target, work.request.mode)?,
            limits: work.request.limits.clone(),
            network: self.network.clone(),
        };
        let mut sandbox = self.factory.get().start_for(&spec, base.also)?;
        work.log.say(&format!("a box of image {}", spec.image.short()));
        work.check_machine(&mut *sandbox)?;
        work.ask(&mut *sandbox, READY)?;
        let mut lists = Lists::OfImage;
        if !base.setup.is_empty() {
            let mut end = install(work, &mut *sandbox, base.setup)?;
            if end != Solved::Yes && lists == Lists::OfImage {
                lists = update(work, &mut *sandbox)?;
                end = install(work, &mut *sandbox, base.setup)?;
            }
            if end != Solved::Yes {
                return Err(Halt::invalid(format!("making the box ready: {end:?}")));
            }
        }
        let snapshot = sandbox.snapshot()?;
        let fork = sandbox.fork(&snapshot)?;
        shelf.push(Kept {
            key: key.to_owned(),
            sandbox,
            snapshot,
            lists,
        });
        Ok(fork)
    }

    /// Fetches the lists of packages into a base.
    fn renew(shelf: &mut [Kept], work: &mut Work<'_>, key: &str) -> Result<(), Halt> {
        if let Some(kept) = shelf.iter_mut().find(|kept| kept.key == key) {
            kept.lists = update(work, &mut *kept.sandbox)?;
            kept.snapshot = kept.sandbox.snapshot()?;
        }
        Ok(())
    }
}

/// Forks a box that is kept; one that cannot be forked is dead and is forgotten.
fn fork(shelf: &mut Vec<Kept>, key: &str, network: &Network) -> Option<Box<dyn Sandbox>> {
    let at = shelf.iter().position(|kept| kept.key == key)?;
    let mut kept = shelf.remove(at);
    let fork = kept.sandbox.fork_with(&kept.snapshot, network).ok()?;
    // The last to be used is the last to go.
    shelf.push(kept);
    Some(fork)
}

fn lists_of(shelf: &[Kept], key: &str) -> Lists {
    let found = shelf.iter().find(|kept| kept.key == key);
    found.map_or(Lists::OfImage, |kept| kept.lists)
}

fn halt(end: Solved, lists: Lists) -> Halt {
    match end {
        Solved::Unresolvable(missing) if lists == Lists::Partial => Halt::invalid(format!(
            "some of the archive's lists of packages could not be fetched, so nobody knows whether it has {}",
            missing.join(", ")
        )),
        Solved::Unresolvable(missing) => Halt::State {
            state: crate::State::Unresolvable,
            details: format!("nothing gives {}", missing.join(", ")),
            missing,
        },
        Solved::Unreadable(line) => Halt::state(crate::State::Broken, line),
        Solved::Unreachable(line) => Halt::invalid(format!("the mirror: {line}")),
        Solved::Broken(line) => Halt::invalid(format!("installing what it builds with: {line}")),
        Solved::Yes => Halt::invalid("it was solved"),
    }
}

/// A script that installs, and how that ended.
pub(crate) fn install(work: &mut Work<'_>, sandbox: &mut dyn Sandbox, script: &str) -> Result<Solved, Halt> {
    let limit = work.stretched(work.request.time.resolve);
    let command = Command::bash(script)
        .with_timeout(limit)
        .with_env("DEBIAN_FRONTEND", "noninteractive")
        .with_env("LC_ALL", "C.UTF-8");
    let execution = work.run(sandbox, command)?;
    if let seatrial_sandbox::Status::TimedOut(_) = execution.status {
        return Err(Halt::invalid(format!(
            "installing what it builds with took longer than {} s",
            limit.as_secs()
        )));
    }
    Ok(solved(execution.status, &work.log.tail()))
}

fn update(work: &mut Work<'_>, sandbox: &mut dyn Sandbox) -> Result<Lists, Halt> {
    work.log.say("fetching the archive's lists of packages");
    let limit = work.stretched(Duration::from_mins(10));
    let execution = work.run(
        sandbox,
        Command::bash("exec apt-get -q update --error-on=any")
            .with_timeout(limit)
            .with_env("LC_ALL", "C.UTF-8"),
    )?;
    Ok(if execution.succeeded() {
        Lists::New
    } else {
        Lists::Partial
    })
}
