//! `seatrial repair`, from a package that does not build somewhere to a proved patch.

use std::{fs, path::Path};

use crate::{
    small_package::write_package,
    support::{boxes, run, seatrial},
};

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
    let (source, out) = (folder.path().join("t-1"), folder.path().join("out"));
    write_package(&source, "amd64", "int main(void) { return 0; }\n");
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
    assert!(ran.out.starts_with("passed t 1 on i686"), "{}", ran.out);
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
    assert!(out.join("package/t_1+0port1.dsc").is_file(), "{}", ran.out);
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
    assert!(ran.out.starts_with("nothing to repair: t 1"), "{}", ran.out);
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
    let gone = repair(&folder.path().join("gone"), &[]);
    assert_eq!(gone.code, 2);
    assert!(
        gone.err.contains("there is no") && gone.err.contains("name a .dsc"),
        "{}",
        gone.err
    );
    file("a.spec", "Name: a\n");
    file("b.spec", "Name: b\n");
    let two = repair(folder.path(), &[]);
    assert_eq!(two.code, 2);
    assert!(two.err.contains("a.spec") && two.err.contains("b.spec"), "{}", two.err);
    let ran = run(seatrial().arg("repair").arg(folder.path()).args(["--target", "vax"]));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(!folder.path().join("seatrial-out").exists());
}
