//! Porting faults in a small package: what is planted applies, and so does its repair.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use fs_err as fs;
use seatrial_packaging::Package;
use seatrial_suites::{Faults, marks, plant};

fn package(root: &Path) {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "debian/control",
        "Source: hull\nMaintainer: A Person <a@example.org>\nBuild-Depends: debhelper-compat (= 13), zlib1g-dev\n\
         Standards-Version: 4.6.2\n\nPackage: libhull1\nArchitecture: any\nDescription: a hull\n of a ship\n",
    );
    write(
        "debian/changelog",
        "hull (1.0) unstable; urgency=medium\n\n  * First.\n\n -- A Person <a@example.org>  Mon, 01 Jan 2024 10:00:00 +0000\n",
    );
    write("debian/rules", "#!/usr/bin/make -f\n%:\n\tdh $@\n");
    write("debian/source/format", "3.0 (native)\n");
    write("debian/libhull1.install", "usr/lib/*/libhull.so.1\n");
    write(
        "debian/libhull1.symbols",
        "libhull.so.1 libhull1 #MINVER#\n hull_float@Base 1.0\n",
    );
    write(
        "src/hull.c",
        "#include <stdio.h>\n\nint main(void)\n{\n\treturn 0;\n}\n",
    );
    write("src/float.c", "int hull_float(int load)\n{\n\treturn load;\n}\n");
    write(
        "config.sub",
        "case $cpu in\n\t| aarch64 | aarch64_be \\\n\t| x86_64)\n\t\t;;\nesac\n",
    );
    fs::set_permissions(root.join("debian/rules"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn every_fault_of_the_catalogue_has_a_place_and_a_repair_that_gives_nothing_up() {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/repair-cross-isa/catalogue");
    let faults = Faults::load(&catalogue).unwrap();
    let folder = tempfile::tempdir().unwrap();
    package(folder.path());
    let pristine = Package::open(folder.path()).unwrap();
    for fault in &faults.fault {
        let name = &fault.name;
        let planted = plant(fault, &pristine)
            .unwrap()
            .unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(marks(&planted.gold), Vec::new(), "{name}");
        let mut package = pristine.copy().unwrap();
        package
            .apply(&planted.change)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_ne!(package.digest().unwrap(), pristine.digest().unwrap(), "{name}");
        let broken = package.digest().unwrap();
        package
            .apply(&planted.gold)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_ne!(package.digest().unwrap(), broken, "{name}");
    }
}

#[test]
fn a_package_without_a_place_is_told() {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/repair-cross-isa/catalogue");
    let faults = Faults::load(&catalogue).unwrap();
    let folder = tempfile::tempdir().unwrap();
    package(folder.path());
    fs::write(
        folder.path().join("debian/rules"),
        "#!/usr/bin/make -f\nbuild:\n\tmake\n",
    )
    .unwrap();
    fs::remove_file(folder.path().join("src/hull.c")).unwrap();
    let pristine = Package::open(folder.path()).unwrap();
    for (name, part) in [
        ("rdtsc", "no C file with a `main`"),
        ("flag-m64", "do not leave the work to dh"),
        ("install-path-i386", ""),
    ] {
        let fault = faults.fault.iter().find(|fault| fault.name == name).unwrap();
        let planted = plant(fault, &pristine).unwrap();
        match planted {
            Ok(_) => assert!(part.is_empty(), "{name}"),
            Err(why) => assert!(!part.is_empty() && why.contains(part), "{name}: {why}"),
        }
    }
}
