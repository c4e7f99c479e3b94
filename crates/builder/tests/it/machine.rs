//! What tests with boxes need of this machine: the data folder of tests, the helper of boxes, and a door to registries.

use std::{path::PathBuf, sync::Arc};

use seatrial_egress::{AllowList, DoorSpec, Egress, EgressConfig, Policy};
use seatrial_sandbox::Network;
use seatrial_store::Home;

/// The data folder that tests share, and the program that starts boxes.
pub(crate) fn home_and_helper() -> Result<(Home, PathBuf), String> {
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
    Ok((home, helper))
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

/// A door to the registries of distributions, open while the second value lives.
pub(crate) fn door(home: &Home) -> Result<(Network, Egress), String> {
    let egress = EgressConfig::new(home.root().join("authority"), home.blobs());
    let egress = Egress::new(egress).map_err(|error| error.to_string())?;
    let door = egress.door(DoorSpec {
        policy: Policy::Allow(AllowList::registries()),
        index: None,
        observer: Arc::new(|_| {}),
    });
    let door = door.map_err(|error| error.to_string())?;
    Ok((Network::Door(door), egress))
}
