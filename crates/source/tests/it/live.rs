//! The archive that this machine is configured for, when the network is there.

use seatrial_core::{Platform, SourceKind};
use seatrial_source::{DebianArchive, SourceError};

use crate::support::World;

#[test]
fn hello_is_pinned_and_laid_without_packaging() {
    let world = World::new();
    let archive = DebianArchive::open(&world.home, &Platform::default_host(), None).unwrap();
    let fetcher = world.fetcher().with_archive(archive.into());
    let pinned = match fetcher.pin(&"debian:hello".parse().unwrap()) {
        Err(error @ (SourceError::Network { .. } | SourceError::Unavailable(_) | SourceError::NoProgram { .. })) => {
            println!("skipped: {error}");
            return;
        }
        other => other.unwrap(),
    };
    let SourceKind::Debian { files, directory, .. } = &pinned.origin else {
        panic!("{pinned:?}");
    };
    assert!(directory.ends_with("/hello"), "{directory}");
    assert!(files.len() >= 3);
    let tree = fetcher.fetch(&pinned).unwrap();
    assert!(tree.root.join("configure").is_file());
    assert!(!tree.root.join("debian").exists());
}
