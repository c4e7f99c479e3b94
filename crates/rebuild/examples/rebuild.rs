//! Rebuilds one package: `rebuild HOME PACKAGE ARCH [cross] [again]`. The log goes to standard output, what became of it
//! to standard error. With `again` it is rebuilt a second time, warm.
#![expect(clippy::print_stderr, reason = "an example talks to a person")]

use std::{error::Error, io::Write as _, path::Path, sync::Arc};

use seatrial_egress::{AllowList, DoorSpec, Egress, EgressConfig, Policy};
use seatrial_rebuild::{
    Kind, Listener, LocalDebian, LocalRpm, LocalWorld, Mode, RebuildRequest, Rebuilder, SourcePackage, images_of,
};
use seatrial_sandbox::{ImageStore, NativeFactory, Network};
use seatrial_store::Home;

struct Out;

impl Listener for Out {
    fn output(&mut self, bytes: &[u8]) {
        // Who listens no more has heard enough.
        drop(std::io::stdout().write_all(bytes));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [home, package, arch, more @ ..] = words.as_slice() else {
        return Err("usage: rebuild HOME PACKAGE ARCH [cross] [again]".into());
    };
    let home = Home::open(home)?;
    let beside = std::env::current_exe()?;
    let helper = beside
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("seatrial-box"))
        .find(|path| path.is_file())
        .ok_or("the helper `seatrial-box` is not built")?;
    let images = ImageStore::new(&home, helper.clone());
    let factory = NativeFactory::new(&home, helper)?;
    let egress = Egress::new(EgressConfig::new(home.root().join("authority"), home.blobs()))?;
    let door = egress.door(DoorSpec {
        policy: Policy::Allow(AllowList::registries()),
        index: None,
        observer: Arc::new(|_| {}),
    })?;
    let images = images_of(&images, "debian", "bookworm")?;
    let world = LocalWorld::new(&factory, images, Network::Door(door), home.blobs());
    let package = SourcePackage::open(Path::new(package))?;
    let request = RebuildRequest {
        mode: if more.iter().any(|word| word == "cross") {
            Mode::Cross
        } else {
            Mode::Native
        },
        jobs: 2,
        ..RebuildRequest::default()
    };
    let (debian, rpm) = (LocalDebian::new(&world), LocalRpm::new(&world, None));
    let rebuilder: &dyn Rebuilder = match package.kind() {
        Kind::Debian => &debian,
        Kind::Rpm => &rpm,
    };
    let times = if more.iter().any(|word| word == "again") { 2 } else { 1 };
    for _ in 0..times {
        let outcome = rebuilder.rebuild(&package, arch.parse()?, &request, &mut Out)?;
        eprintln!("{outcome:#?}");
    }
    Ok(())
}
