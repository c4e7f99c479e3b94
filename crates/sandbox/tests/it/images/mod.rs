//! Images and the look at the machine.

mod archives;
mod foreign;
mod pretend;
mod recipes;
mod registry;
mod support;

use seatrial_core::Platform;
use seatrial_sandbox::{ImageStore, SandboxError, doctor};
use seatrial_store::Home;

use crate::support::{helper, home, image};

#[test]
fn the_shared_image_is_found_by_its_platform_and_knows_its_packages() {
    let Some(id) = image() else { return };
    let images = ImageStore::new(&home(), helper());
    let found = images.find(&Platform::default_host()).unwrap().unwrap();
    assert_eq!(found.id, id);
    for wanted in ["cmake", "gcc", "meson", "git", "dpkg"] {
        assert!(found.installed.iter().any(|package| package.name == wanted), "{wanted}");
    }
    assert!(found.requested.iter().any(|name| name == "build-essential"));
    let other = "debian:no-such-release".parse().unwrap();
    assert!(images.find(&other).unwrap().is_none());
}

#[test]
fn a_broken_archive_makes_no_image() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path().join("home")).unwrap();
    let images = ImageStore::new(&home, helper());
    let archive = folder.path().join("broken.tar");
    std::fs::write(&archive, vec![b'x'; 10_000]).unwrap();
    match images.import_tar(&archive, &Platform::default_host()) {
        Err(SandboxError::NoProgram { program, .. }) => println!("skipped: {program} is missing"),
        Err(_) => {}
        Ok(image) => panic!("{image:?}"),
    }
    assert!(images.list().unwrap().is_empty());
    assert_eq!(
        std::fs::read_dir(home.images()).unwrap().count(),
        0,
        "nothing half-made stays"
    );
    assert!(matches!(
        images.remove(&seatrial_core::Digest::of(b"none")),
        Err(SandboxError::NoImage(_))
    ));
}

#[test]
fn the_doctor_says_what_this_machine_can_do() {
    let findings = doctor(&home(), &helper());
    let names: Vec<_> = findings.iter().map(|finding| finding.name.as_str()).collect();
    for wanted in ["user namespaces", "overlayfs and namespaces", "mmdebstrap", "disk"] {
        assert!(names.contains(&wanted), "{names:?}");
    }
    for finding in &findings {
        assert!(!finding.detail.is_empty(), "{finding:?}");
        assert!(finding.usable() || !finding.remedy.is_empty(), "{finding:?}");
    }
}
