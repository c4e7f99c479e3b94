//! Real boxes for the tests: one data folder, one image, one factory.

use std::{path::PathBuf, sync::OnceLock};

use seatrial_core::{Digest, Platform};
use seatrial_sandbox::{ImageRequest, ImageStore, NativeFactory};
use seatrial_store::Home;

/// What a test needs to grade.
pub(crate) struct Boxes {
    pub(crate) home: Home,
    pub(crate) factory: NativeFactory,
    pub(crate) image: Digest,
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

fn make() -> Result<Boxes, String> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let root = set("SEATRIAL_TEST_HOME")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("seatrial/test-home")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/seatrial/test-home")))
        .ok_or("no home folder")?;
    let home = Home::open(root).map_err(|error| error.to_string())?;
    let helper = helper().ok_or("the helper `seatrial-box` is not built; build the workspace first")?;
    let images = ImageStore::new(&home, helper.clone());
    let platform = Platform::default_host();
    let image = match images.find(&platform).map_err(|error| error.to_string())? {
        Some(image) => image,
        None => images
            .build(&ImageRequest::default_for(&platform), &mut |_| {})
            .map_err(|error| error.to_string())?,
    };
    let factory = NativeFactory::new(&home, helper).map_err(|error| error.to_string())?;
    Ok(Boxes {
        home,
        factory,
        image: image.id,
    })
}

/// Another crate's program: beside this test's own, where the workspace's programs are.
fn helper() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let folder = own.parent()?.parent()?;
    ["seatrial-box", "seatrial"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}
