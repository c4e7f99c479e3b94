//! A disk without room.

use std::path::{Path, PathBuf};

use seatrial_packaging::{OpenOptions, Package, PackageError};

use crate::support::{run, write};

/// A small file system of its own; it goes with the value.
struct Small(tempfile::TempDir);

impl Small {
    fn new(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap().to_owned();
        let options = format!("size={size}");
        let made = run(folder.path(), &["mount", "-t", "tmpfs", "-o", &options, "tmpfs", &path]);
        if let Err(problem) = made {
            println!("skipped: no file system can be mounted here: {}", problem.trim());
            return None;
        }
        Some(Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        drop(run(
            Path::new("/"),
            &["umount", self.0.path().to_str().unwrap_or_default()],
        ));
    }
}

fn package(folder: &Path) -> PathBuf {
    write(folder, "x.spec", "Name: x\nVersion: 1\nSource: data\n");
    // Not compressible, and larger than the disk.
    let data: Vec<u8> = (0..400_000_u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    write(folder, "data", data);
    folder.to_owned()
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing_half() {
    let Some(small) = Small::new("1m") else { return };
    let folder = tempfile::tempdir().unwrap();
    let user = package(folder.path());
    let opened = Package::open(&user).unwrap();
    let out = small.path().join("out");
    let error = opened.pack(&out).unwrap_err();
    assert!(
        matches!(&error, PackageError::DiskFull(place) if *place == out),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(small.path()).unwrap().count(), 0);
    // With room it works, from the same package.
    opened.pack(&folder.path().join("out")).unwrap();
    let options = OpenOptions {
        scratch: Some(small.path().to_owned()),
        ..OpenOptions::default()
    };
    let error = Package::open_with(&user, &options).unwrap_err();
    assert!(matches!(error, PackageError::DiskFull(_)), "{error}");
    assert_eq!(std::fs::read_dir(small.path()).unwrap().count(), 0);
}

#[test]
fn a_diff_for_which_there_is_no_room_changes_nothing() {
    let Some(small) = Small::new("1m") else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "x.spec", "Name: x\nVersion: 1\nSource: data\n");
    write(folder.path(), "data", "small\n");
    let options = OpenOptions {
        scratch: Some(small.path().to_owned()),
        ..OpenOptions::default()
    };
    let mut opened = Package::open_with(folder.path(), &options).unwrap();
    let larger = Package::open(folder.path()).unwrap();
    package(larger.root());
    write(larger.root(), "a", "first in the diff\n");
    let diff = larger.diff_from(&opened).unwrap();
    let before = opened.digest().unwrap();
    let error = opened.apply(&diff).unwrap_err();
    assert!(matches!(error, PackageError::DiskFull(_)), "{error}");
    assert_eq!(opened.digest().unwrap(), before);
    assert_eq!(opened.diff_from(&Package::open(folder.path()).unwrap()).unwrap(), "");
}
