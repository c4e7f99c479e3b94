//! `seatrial repair`, from a package that does not build somewhere to a proved patch.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::support::{boxes, project, run, seatrial};

const RULES: &str = "#!/usr/bin/make -f
clean:
build: build-arch build-indep
build-indep:
build-arch:
\tcc -o prog prog.c
binary: binary-arch binary-indep
binary-indep:
binary-arch: build-arch
\tinstall -D prog debian/hull/usr/bin/hull
\tmkdir -p debian/hull/DEBIAN
\tdpkg-gencontrol -Pdebian/hull
\tdpkg-deb --root-owner-group --build debian/hull ..
";

/// A package for one architecture.
fn package(folder: &Path, arch: &str) {
    let control = format!(
        "Source: hull\nMaintainer: T <t@example.org>\nBuild-Depends: make\nStandards-Version: 4.6.2\n\
         Rules-Requires-Root: no\n\nPackage: hull\nArchitecture: {arch}\nDescription: t\n t\n"
    );
    project(
        folder,
        &[
            ("debian/control", &control),
            ("debian/rules", RULES),
            (
                "debian/changelog",
                "hull (1) unstable; urgency=low\n\n  * A test.\n\n -- T <t@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n",
            ),
            ("debian/source/format", "3.0 (native)\n"),
            ("prog.c", "int main(void) { return 0; }\n"),
        ],
    );
    fs::set_permissions(folder.join("debian/rules"), PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_package_that_only_its_recipe_keeps_from_a_machine_is_repaired_and_proved() {
    if !boxes() {
        return;
    }
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: i686 runs without an emulator on x86_64 only");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join("hull-1"), folder.path().join("out"));
    package(&source, "amd64");
    let before = fs::read(source.join("debian/control")).unwrap();
    let repair = |more: &[&str]| {
        run(seatrial()
            .arg("repair")
            .arg(&source)
            .args(["--target", "i686", "-o"])
            .arg(&out)
            .args(more))
    };
    let ran = repair(&[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("passed hull 1 on i686"), "{}", ran.out);
    for name in [
        "repair.patch",
        "report.md",
        "verdict.json",
        "journal.jsonl",
        "build.log",
    ] {
        assert!(out.join(name).is_file(), "{name} is missing");
    }
    let patch = fs::read_to_string(out.join("repair.patch")).unwrap();
    assert!(patch.contains("-Architecture: amd64"), "{patch}");
    assert!(out.join("package/hull_1+0port1.dsc").is_file(), "{}", ran.out);
    assert_eq!(
        fs::read(source.join("debian/control")).unwrap(),
        before,
        "nothing is changed without --apply"
    );

    let ran = repair(&["--apply"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("debian/control"), "{}", ran.out);
    assert_ne!(fs::read(source.join("debian/control")).unwrap(), before);

    // Now there is nothing left to do, and nothing of the earlier repair is left to be taken for this one's.
    let ran = repair(&[]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(!out.join("repair.patch").exists() && !out.join("package").exists());
}

#[test]
fn what_is_no_package_is_told_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
    };
    let repair = |path: &Path, more: &[&str]| {
        run(seatrial()
            .current_dir(folder.path())
            .arg("repair")
            .arg(path)
            .args(["--target", "aarch64"])
            .args(more))
    };
    let nothing = repair(folder.path(), &[]);
    assert_eq!(nothing.code, 2, "{}{}", nothing.out, nothing.err);
    assert!(
        nothing.err.contains("recipe") || nothing.err.contains(".dsc"),
        "{}",
        nothing.err
    );
    assert_eq!(repair(&folder.path().join("gone"), &[]).code, 2);
    file("a.spec", "Name: a\n");
    file("b.spec", "Name: b\n");
    let two = repair(folder.path(), &[]);
    assert_eq!(two.code, 2);
    assert!(two.err.contains("a.spec") && two.err.contains("b.spec"), "{}", two.err);
    let ran = run(seatrial().arg("repair").arg(folder.path()).args(["--target", "vax"]));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(!folder.path().join("seatrial-out").exists());
}
