//! The world of boxes that tests build in.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::Command as Process,
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use seatrial_core::{Arch, Digest, Platform};
use seatrial_egress::Egress;
use seatrial_rebuild::{LocalWorld, Outcome, RECIPE, RebuildRequest, TimeLimits, images_of, recipe};
use seatrial_sandbox::{ImageRequest, ImageStore, NativeFactory, Network, RecipeBuild, SandboxError};
use seatrial_store::Home;

// What the builder's tests need of a machine, these need too. The path is written down because other crates' tests take
// this file by its path as well.
#[path = "../../../builder/tests/it/machine.rs"]
pub(crate) mod machine;

pub(crate) struct Boxes {
    pub(crate) home: Home,
    factory: NativeFactory,
    images: ImageStore,
    network: Network,
    _egress: Egress,
}

/// The boxes of this machine; without them a test says why and ends.
pub(crate) fn boxes() -> Option<&'static Boxes> {
    static BOXES: OnceLock<Result<Boxes, String>> = OnceLock::new();
    match BOXES.get_or_init(make) {
        Ok(boxes) => Some(boxes),
        Err(reason) => {
            println!("skipped: no boxes: {reason}");
            None
        }
    }
}

/// A world with an image of an architecture, which is made where there is none and kept for the next time; without it a
/// test says why and ends. This machine's own takes the image that other tests have.
pub(crate) fn world(arch: Arch) -> Option<LocalWorld<'static>> {
    let boxes = boxes()?;
    match boxes.image(arch) {
        Ok(images) => Some(LocalWorld::new(
            &boxes.factory,
            images,
            boxes.network.clone(),
            boxes.home.blobs(),
        )),
        Err(error) => {
            println!("skipped: no image of {arch}: {error}");
            None
        }
    }
}

impl Boxes {
    fn image(&self, arch: Arch) -> Result<BTreeMap<Arch, Digest>, String> {
        // Tests of one process ask at the same time; those of others wait for each other in the store.
        static MAKING: Mutex<()> = Mutex::new(());
        let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let known = || images_of(&self.images, "debian", "bookworm").map_err(|error| error.to_string());
        let images = known()?;
        if images.contains_key(&arch) {
            return Ok(images);
        }
        let made = if arch == Arch::host() {
            let request = ImageRequest::default_for(&Platform::default_host());
            self.images.build(&request, &mut |_| {})
        } else {
            self.build(arch, None).or_else(|error| match error {
                // Lists of updates that do not fit each other on a mirror are no reason to test nothing.
                SandboxError::Image(text) if text.contains("Failed to fetch") => self.build(arch, mirror()),
                error => Err(error),
            })
        };
        made.map_err(|error| error.to_string())?;
        known()
    }

    fn build(&self, arch: Arch, mirror: Option<String>) -> Result<seatrial_sandbox::Image, SandboxError> {
        let recipe = recipe(arch)?;
        assert_eq!(recipe.name, RECIPE);
        let build = RecipeBuild {
            factory: &self.factory,
            network: self.network.clone(),
            folder: PathBuf::new(),
            credentials: seatrial_sandbox::Credentials::default(),
            mirror,
        };
        self.images.build_recipe(&recipe, &build, &mut |_| {})
    }
}

/// The mirror of the release itself, as this machine's package manager is told.
fn mirror() -> Option<String> {
    let output = Process::new("apt-get")
        .args([
            "indextargets",
            "--format",
            "$(REPO_URI)",
            "Created-By: Packages",
            "Suite: bookworm",
        ])
        .output()
        .ok()?;
    let by_suite = String::from_utf8_lossy(&output.stdout).into_owned();
    let output = Process::new("apt-get")
        .args([
            "indextargets",
            "--format",
            "$(REPO_URI)",
            "Created-By: Packages",
            "Codename: bookworm",
        ])
        .output()
        .ok()?;
    let by_name = String::from_utf8_lossy(&output.stdout).into_owned();
    by_suite
        .lines()
        .chain(by_name.lines())
        .find(|line| line.trim_end_matches('/').ends_with("debian"))
        .map(str::to_owned)
}

fn make() -> Result<Boxes, String> {
    let (home, helper) = machine::home_and_helper()?;
    let images = ImageStore::new(&home, helper.clone());
    let factory = NativeFactory::new(&home, helper).map_err(|error| error.to_string())?;
    let (network, egress) = machine::door(&home)?;
    Ok(Boxes {
        home,
        factory,
        images,
        network,
        _egress: egress,
    })
}

/// A request whose limits a stuck test soon meets.
pub(crate) fn request() -> RebuildRequest {
    RebuildRequest {
        jobs: 2,
        time: TimeLimits {
            resolve: Duration::from_mins(20),
            build: Duration::from_mins(3),
            idle: Duration::from_mins(2),
        },
        ..RebuildRequest::default()
    }
}

/// The whole log of a rebuild.
pub(crate) fn log(outcome: &Outcome) -> String {
    let blobs = boxes().unwrap().home.blobs();
    String::from_utf8_lossy(&blobs.read(&outcome.log.unwrap()).unwrap()).into_owned()
}
