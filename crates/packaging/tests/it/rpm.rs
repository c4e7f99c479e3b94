//! Flat folders of RPM packages: archives in them, their spec files, and RPM's own program over what was packed.

use std::path::Path;

use seatrial_packaging::{
    Kind, OpenOptions, Package, PackageError,
    archive::{Archive, Compression, Entry, EntryKind, Format, Limits},
    deb::PatchHeader,
    rpm::Spec,
};

use crate::{
    specs::SPEC,
    support::{files, program, read, run, run_bit, write},
};

/// A flat folder with two archives in it, and with what lies there and is no source.
fn make(folder: &Path, spec: &str) {
    let tree = folder.join("made/hull-1.0");
    write(&tree, "src/main.c", "int main(void)\n{\n\treturn 0;\n}\n");
    write(&tree, "configure", "#!/bin/sh\n");
    run_bit(&tree, "configure", true);
    std::os::unix::fs::symlink("main.c", tree.join("src/link.c")).unwrap();
    run(&folder.join("made"), &["tar", "-czf", "../hull-1.0.tar.gz", "hull-1.0"]).unwrap();
    let entry = |name: &str, content: &str| Entry::new(name.into(), EntryKind::File(content.into()), 0o644);
    let zip = Archive {
        format: Format::Zip,
        compression: Compression::None,
        entries: vec![entry("share/text", "text\n"), entry("README", "read\n")],
    };
    write(folder, "data.zip", zip.write().unwrap());
    std::fs::remove_dir_all(folder.join("made")).unwrap();
    write(folder, "hull.spec", spec);
    write(
        folder,
        "first.patch",
        "--- a/src/main.c\n+++ b/src/main.c\n@@ -1,4 +1,4 @@\n int main(void)\n {\n-\treturn 0;\n+\treturn 1;\n }\n",
    );
    write(folder, "hull.changes", "-----\nold\n");
    write(folder, "_constraints", "<constraints/>\n");
    write(folder, "manifest.json", "{}");
    write(folder, "log_failed.txt", "failed");
    write(folder, ".osc/_files", "x");
}

const MEMBERS: [&str; 6] = [
    "_constraints",
    "data.zip",
    "first.patch",
    "hull-1.0.tar.gz",
    "hull.changes",
    "hull.spec",
];

#[test]
fn a_flat_folder_is_packed_as_it_was_and_an_edited_archive_keeps_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    let user = folder.path().join("hull");
    make(&user, SPEC);
    let before = files(&user);
    let pristine = Package::open(&user).unwrap();
    assert_eq!(
        (pristine.kind(), pristine.name(), pristine.version()),
        (Kind::Rpm, "hull", "1.0")
    );
    assert_eq!(
        pristine.unpacked(),
        [("data", "data.zip"), ("hull-1.0", "hull-1.0.tar.gz")]
    );
    assert_eq!(pristine.archive_of("hull-1.0/src/main.c"), Some("hull-1.0.tar.gz"));
    assert_eq!(pristine.archive_of("hull.spec"), None);
    assert!(pristine.notes().is_empty(), "{:?}", pristine.notes());
    let packed = pristine.pack(&folder.path().join("same")).unwrap();
    let names: Vec<&str> = packed.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, MEMBERS);
    for (name, content) in files(&folder.path().join("same")) {
        assert_eq!(content, before[&name], "{name:?}");
    }
    assert!(packed.recipe.ends_with("hull.spec"));

    let mut package = pristine.copy().unwrap();
    let main = read(package.root(), "hull-1.0/src/main.c").replace("return", "return 0 +");
    write(package.root(), "hull-1.0/src/main.c", main);
    write(package.root(), "hull-1.0/src/new.h", "int x;\n");
    write(
        package.root(),
        "first.patch",
        read(package.root(), "first.patch").replace("return", "return 0 +"),
    );
    package.refresh().unwrap();
    let diff = package.diff_from(&pristine).unwrap();
    for path in ["first.patch", "hull-1.0/src/main.c", "hull-1.0/src/new.h"] {
        assert!(diff.contains(&format!("diff --git a/{path} b/{path}\n")), "{diff}");
    }
    assert_eq!(diff.matches("diff --git").count(), 3);
    let mut again = pristine.copy().unwrap();
    assert_eq!(again.apply(&diff).unwrap().files.len(), 3);
    let one = package.pack(&folder.path().join("one")).unwrap();
    let two = again.pack(&folder.path().join("two")).unwrap();
    assert_eq!(one.files, two.files);
    let changed: Vec<&str> = one
        .files
        .iter()
        .filter(|file| !packed.files.contains(file))
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(changed, ["first.patch", "hull-1.0.tar.gz"]);
    // The order, modes, links and owners are those of before.
    let list = |folder: &Path| run(folder, &["tar", "-tvzf", "hull-1.0.tar.gz"]).unwrap();
    let shape = |text: &str| -> Vec<String> {
        let words = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            format!("{} {} {}", words[0], words[1], words[5..].join(" "))
        };
        text.lines().map(words).collect()
    };
    let mut expected = shape(&list(&user));
    expected.push("-rw-r--r-- root/root hull-1.0/src/new.h".to_owned());
    assert_eq!(shape(&list(&folder.path().join("one"))), expected);
    assert_eq!(files(&user), before);
}

#[test]
fn rpm_itself_builds_what_was_packed() {
    if !program("rpmbuild") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    make(&folder.path().join("hull"), SPEC);
    let package = Package::open(&folder.path().join("hull")).unwrap();
    let root = package.root();
    let mut spec = Spec::parse("hull.spec", &std::fs::read(root.join("hull.spec")).unwrap()).unwrap();
    let added = spec.add_patch("second.patch").unwrap();
    assert_eq!((added.number, added.strip), (1, 1));
    spec.add_build_flag("-DPORTED").unwrap();
    write(root, "hull.spec", spec.bytes());
    write(
        root,
        "second.patch",
        "--- a/src/main.c\n+++ b/src/main.c\n@@ -2,3 +2,6 @@\n {\n \treturn 1;\n }\n+#ifndef PORTED\n+#error not ported\n+#endif\n",
    );
    write(root, "data/share/text", "other\n");
    let out = folder.path().join("out");
    package.pack(&out).unwrap();
    let top = format!("_topdir {}", folder.path().join("top").display());
    let sources = format!("_sourcedir {}", out.display());
    let words = [
        "rpmbuild",
        "-bb",
        "--nodeps",
        "--define",
        &top,
        "--define",
        &sources,
        "hull.spec",
    ];
    run(&out, &words).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn what_is_wrong_with_a_folder_is_told_apart() {
    let check = |files: &[(&str, &[u8])], part: &str| {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            write(folder.path(), name, content);
        }
        let error = Package::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        error
    };
    let spec = b"Name: x\nVersion: 1\nSource: x.tar\n".as_slice();
    check(&[("x.tar", b"")], "has no recipe");
    check(
        &[("a.spec", spec), ("b.spec", spec)],
        "has several recipes: a.spec, b.spec",
    );
    check(&[("x.spec", spec)], "`x.spec` names `x.tar`, which is not there");
    check(&[("x.spec", b"Version: 1\n")], "x.spec: it has no `Name` tag");
    check(
        &[("x.spec", b"Name: x\n%if 1\n")],
        "x.spec:2: this condition has no `%endif`",
    );
    check(
        &[("x.spec", b"Name: x\n%endif\n")],
        "x.spec:2: a `%endif` without its `%if`",
    );
    // Little that becomes much.
    let bomb = tempfile::tempdir().unwrap();
    run(bomb.path(), &["sh", "-c", "head -c 4000000 /dev/zero | gzip >x.tar.gz"]).unwrap();
    write(bomb.path(), "x.spec", "Name: x\nVersion: 1\nSource: x.tar.gz\n");
    let options = OpenOptions {
        limits: Limits {
            bytes: 1 << 20,
            entries: 100,
        },
        ..OpenOptions::default()
    };
    let error = Package::open_with(bomb.path(), &options).unwrap_err();
    assert!(
        matches!(&error, PackageError::Archive { archive, .. } if archive == "x.tar.gz"),
        "{error}"
    );
    assert!(error.to_string().contains("it holds more than"), "{error}");
    // A source service may make what is not there yet.
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "x.spec", spec);
    write(folder.path(), "_service", "<services/>");
    assert_eq!(
        Package::open(folder.path()).unwrap().notes(),
        ["`x.tar` is not there; a source service may make it"]
    );
}

#[test]
fn edits_that_a_flat_folder_cannot_hold_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "in/x-1/a", "a\n");
    run(&folder.path().join("in"), &["tar", "-cf", "../x-1.tar", "x-1"]).unwrap();
    std::fs::remove_dir_all(folder.path().join("in")).unwrap();
    write(folder.path(), "x.spec", "Name: x\nVersion: 1\nSource: x-1.tar\n");
    let pristine = Package::open(folder.path()).unwrap();
    let check = |edit: &dyn Fn(&Path), part: &str| {
        let package = pristine.copy().unwrap();
        edit(package.root());
        let out = tempfile::tempdir().unwrap();
        let error = package.pack(&out.path().join("out")).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
    };
    check(
        &|root| write(root, "other/file", "x"),
        "`other`: it is no file and belongs to no archive",
    );
    check(
        &|root| std::fs::remove_dir_all(root.join("x-1")).unwrap(),
        "the folder `x-1` that it was unpacked into is gone",
    );
    check(
        &|root| {
            std::fs::remove_dir_all(root.join("x-1")).unwrap();
            std::os::unix::fs::symlink("/", root.join("x-1")).unwrap();
        },
        "`x-1`",
    );
    check(
        &|root| {
            std::fs::remove_file(root.join("x.spec")).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", root.join("x.spec")).unwrap();
        },
        "has no recipe",
    );
    check(
        &|root| {
            write(root, "x-1/a", "b\n");
            write(root, "x-1.tar", "another");
        },
        "both the archive and its folder `x-1` were changed",
    );
    check(&|root| write(root, "y.spec", "Name: y\n"), "has several recipes");
}

/// A flat folder with one archive, and a spec file with these lines in its head and in `%prep`.
fn alone(folder: &Path, head: &str, prep: &str) -> Package {
    let tree = folder.join("made/hull-1");
    write(&tree, "src/main.c", "int main(void)\n{\n\treturn 0;\n}\n");
    run(&folder.join("made"), &["tar", "-czf", "../hull-1.tar.gz", "hull-1"]).unwrap();
    std::fs::remove_dir_all(folder.join("made")).unwrap();
    let spec = format!(
        "Name: hull\nVersion: 1\nRelease: 1\nSummary: a hull\nLicense: MIT\nSource0: hull-1.tar.gz\n{head}\n%description\na hull\n\n\
         %prep\n{prep}\n\n%files\n"
    );
    write(folder, "hull.spec", spec);
    Package::open(folder).unwrap()
}

#[test]
fn edits_of_an_archive_become_a_patch_that_the_spec_file_applies() {
    let header = PatchHeader {
        name: "build-on-i686.patch".to_owned(),
        description: "Make it build on i686".to_owned(),
        ..PatchHeader::default()
    };
    let edit = |package: &Package| {
        let edited = package.copy().unwrap();
        write(
            edited.root(),
            "hull-1/src/main.c",
            "int main(void)\n{\n\treturn 1;\n}\n",
        );
        write(edited.root(), "hull-1/src/new.h", "new\n");
        edited
    };
    for prep in ["%autosetup -p1", "%autosetup", "%setup -q"] {
        let folder = tempfile::tempdir().unwrap();
        let pristine = alone(folder.path(), "", prep);
        let mut edited = edit(&pristine);
        edited
            .apply("--- a/hull.spec\n+++ b/hull.spec\n@@ -4,2 +4,3 @@\n Summary: a hull\n+ExcludeArch: s390\n License: MIT\n")
            .unwrap();
        let made = edited.with_patch(&pristine, &header).unwrap().unwrap();
        let spec = std::fs::read_to_string(made.root().join("hull.spec")).unwrap();
        assert!(
            spec.contains("Patch0:  build-on-i686.patch\n") && spec.contains("ExcludeArch: s390\n"),
            "{spec}"
        );
        let patch = std::fs::read_to_string(made.root().join("build-on-i686.patch")).unwrap();
        assert!(patch.starts_with("Make it build on i686\n"), "{patch}");
        assert!(
            patch.contains("--- a/src/main.c\n+++ b/src/main.c\n") && patch.contains("+++ b/src/new.h\n"),
            "{patch}"
        );
        let out = folder.path().join("out");
        made.pack(&out).unwrap();
        assert_eq!(read(&out, "hull-1.tar.gz"), read(folder.path(), "hull-1.tar.gz"));
        if program("rpmbuild") {
            let top = format!("_topdir {}", folder.path().join("top").display());
            let sources = format!("_sourcedir {}", out.display());
            let words = [
                "rpmbuild",
                "-bp",
                "--nodeps",
                "--define",
                &top,
                "--define",
                &sources,
                "hull.spec",
            ];
            run(&out, &words).unwrap_or_else(|error| panic!("{prep}: {error}"));
            let built = folder.path().join("top/BUILD/hull-1/src");
            for name in ["main.c", "new.h"] {
                assert_eq!(
                    read(&built, name),
                    read(&edited.root().join("hull-1/src"), name),
                    "{prep}"
                );
            }
        }
    }
    // Where it is not possible, the reason is told and the archive is made anew as ever.
    for (head, prep, part) in [
        ("Patch0: a.patch\n", "%autosetup -p1", "patches already"),
        ("", "tar xf %{SOURCE0}", "%prep"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a.patch", "--- a/src/x\n+++ b/src/x\n");
        let pristine = alone(folder.path(), head, prep);
        let why = edit(&pristine).with_patch(&pristine, &header).unwrap().unwrap_err();
        assert!(why.contains(part), "{why}");
    }
    let folder = tempfile::tempdir().unwrap();
    let pristine = alone(folder.path(), "", "%autosetup -p1");
    let why = pristine
        .copy()
        .unwrap()
        .with_patch(&pristine, &header)
        .unwrap()
        .unwrap_err();
    assert!(why.contains("nothing of an archive"), "{why}");
}
