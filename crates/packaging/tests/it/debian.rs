//! Debian's packages in all formats: opened, edited, packed, and unpacked again by Debian's own program.

use std::path::{Path, PathBuf};

use seatrial_packaging::{
    Kind, Package, PackageError,
    deb::{Changelog, NewEntry, PatchHeader, version_above},
};

use crate::support::{assert_same, files, program, read, run, run_bit, write};

const CONTROL: &str = "Source: hull\nSection: misc\nPriority: optional\nMaintainer: A Person <a@example.org>\n\
                       Build-Depends: debhelper-compat (= 13),\n               libfoo-dev,\nStandards-Version: 4.6.2\n\n\
                       Package: hull\nArchitecture: amd64 i386\nDescription: a hull\n of a ship\n\n\
                       Package: hull-data\nArchitecture: all\nDescription: more\n of it\n";

fn changelog(version: &str) -> String {
    format!(
        "hull ({version}) unstable; urgency=medium\n\n  * First.\n\n -- A Person <a@example.org>  Mon, 01 Jan 2024 10:00:00 +0000\n"
    )
}

/// Makes a source package of a format with Debian's own program; gives its description.
fn make(folder: &Path, format: &str) -> PathBuf {
    let native = format == "3.0 (native)" || format == "1.0 native";
    let version = if native { "1.0" } else { "1.0-1" };
    let tree = folder.join("hull-1.0");
    write(&tree, "src/main.c", "int main(void)\n{\n\treturn 0;\n}\n");
    write(&tree, "src/latin.c", b"/* caf\xe9 */\nint x;\n");
    write(&tree, "src/dos.c", "int a;\r\nint b;\r\nint c;\r\n");
    write(&tree, "configure", "#!/bin/sh\n");
    run_bit(&tree, "configure", true);
    write(&tree, "tool", "#!/bin/sh\n");
    write(&tree, "atool", "#!/bin/sh\n");
    write(&tree, "data/picture", [0, 1, 2, 3]);
    write(&tree, "old", "old\n");
    write(&tree, "two words.txt", "a\nb\n");
    std::os::unix::fs::symlink("main.c", tree.join("src/link.c")).unwrap();
    if !native {
        run(folder, &["tar", "-czf", "hull_1.0.orig.tar.gz", "hull-1.0"]).unwrap();
    }
    if format == "3.0 (quilt)" {
        write(&folder.join("extra"), "part/file", "of a component\n");
        run(folder, &["tar", "-cJf", "hull_1.0.orig-extra.tar.xz", "extra"]).unwrap();
        let signature = "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n";
        write(folder, "hull_1.0.orig.tar.gz.asc", signature);
        write(&tree, "extra/part/file", "of a component\n");
        write(
            &tree,
            "debian/patches/series",
            "# in this order\nfirst.patch\n\nsecond.patch # the last\n",
        );
        write(
            &tree,
            "debian/patches/first.patch",
            "Description: one\n\n--- hull.orig/src/main.c\n+++ hull/src/main.c\n@@ -1,4 +1,4 @@\n int main(void)\n {\n-\treturn 0;\n+\treturn 1;\n }\n",
        );
        write(
            &tree,
            "debian/patches/second.patch",
            "--- a//src/main.c (old)\n+++ b//src/./main.c (working copy)\n@@ -3,2 +3,3 @@\n \treturn 1;\n }\n+/* end */\n--- /dev/null\n+++ b/added\n@@ -0,0 +1 @@\n+added\n",
        );
        write(&tree, "src/main.c", "int main(void)\n{\n\treturn 1;\n}\n/* end */\n");
        write(&tree, "added", "added\n");
    }
    write(&tree, "debian/control", CONTROL);
    write(&tree, "debian/changelog", changelog(version));
    write(&tree, "debian/rules", "#!/usr/bin/make -f\n%:\n\tdh $@\n");
    run_bit(&tree, "debian/rules", true);
    if format.starts_with("3.0") {
        write(&tree, "debian/source/format", format!("{format}\n"));
    }
    run(folder, &["dpkg-source", "-b", "hull-1.0"]).unwrap();
    folder.join(format!("hull_{version}.dsc"))
}

fn unpack(packed: &Path, description: &str, into: &Path) {
    run(
        packed,
        &["dpkg-source", "--no-check", "-x", description, into.to_str().unwrap()],
    )
    .unwrap();
}

const FORMATS: [&str; 4] = ["3.0 (quilt)", "3.0 (native)", "1.0", "1.0 native"];

#[test]
fn links_that_an_edit_planted_are_not_followed_out_of_the_package() {
    if !program("dpkg-source") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pristine = Package::open(&make(folder.path(), "3.0 (quilt)")).unwrap();
    let outside = folder.path().join("outside");
    write(&outside, "control", CONTROL);
    let check = |path: &str, to: &Path, part: &str| {
        let mut package = pristine.copy().unwrap();
        let place = package.root().join(path);
        if place.is_dir() {
            std::fs::remove_dir_all(&place).unwrap();
        } else {
            std::fs::remove_file(&place).unwrap();
        }
        std::os::unix::fs::symlink(to, place).unwrap();
        write(package.root(), "old", "edited\n");
        let error = package.record(&PatchHeader::default()).unwrap_err().to_string();
        assert!(error.contains(part), "{path}: {error}");
    };
    check("debian/patches", &outside, "a link");
    check("debian/patches/series", &outside.join("series"), "a link");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    let package = pristine.copy().unwrap();
    std::fs::remove_file(package.root().join("debian/control")).unwrap();
    std::os::unix::fs::symlink(outside.join("control"), package.root().join("debian/control")).unwrap();
    let error = package.pack(&folder.path().join("out")).unwrap_err().to_string();
    assert!(
        error.contains("`debian/control`: it is reached through a link"),
        "{error}"
    );
}

/// Edits that every format can hold.
fn edit(package: &Package) {
    let root = package.root();
    let main = read(root, "src/main.c").replace("return", "return 0 +");
    write(root, "src/main.c", main);
    write(root, "src/latin.c", b"/* caf\xe9s */\nint x;\n");
    write(root, "src/dos.c", "int a;\r\nint B;\r\nint c;\r\n");
    write(root, "two words.txt", "a\nc");
    write(root, "src/deep/new.c", "int y;\n");
    write(root, "debian/rules", read(root, "debian/rules") + "# more\n");
    let mut changelog = Changelog::parse(&read(root, "debian/changelog")).unwrap();
    let version = version_above(&changelog.top().version, "port");
    changelog
        .add(&NewEntry {
            version: &version,
            distributions: None,
            changes: &["Builds on arm64."],
            by: "A Porter <p@example.org>",
            time: 1_750_000_000,
        })
        .unwrap();
    write(root, "debian/changelog", changelog.text());
}

#[test]
fn an_untouched_package_is_packed_as_it_was() {
    if !program("dpkg-source") {
        return;
    }
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let description = make(folder.path(), format);
        let package = Package::open(&description).unwrap();
        assert_eq!((package.kind(), package.name()), (Kind::Debian, "hull"));
        let reference = folder.path().join("reference");
        unpack(
            folder.path(),
            description.file_name().unwrap().to_str().unwrap(),
            &reference,
        );
        assert_same(package.root(), &reference);
        let out = folder.path().join("out");
        let packed = package.pack(&out).unwrap();
        assert_eq!(packed.recipe, out.join(description.file_name().unwrap()));
        assert!(packed.files.len() >= 2);
        for (name, content) in files(&out) {
            assert_eq!(content, files(folder.path())[&name], "{format}: {name:?}");
        }
        assert!(packed.is_current(&package).unwrap());
        assert!(matches!(package.pack(&out), Err(PackageError::NotEmpty(_))));
    }
}

#[test]
fn an_edited_package_unpacks_to_the_very_tree_and_the_diff_makes_it_again() {
    if !program("dpkg-source") {
        return;
    }
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let description = make(folder.path(), format);
        let pristine = Package::open(&description).unwrap();
        let mut package = pristine.copy().unwrap();
        edit(&package);
        // The old format loses both when Debian's own program packs.
        if format != "1.0" {
            std::fs::remove_file(package.root().join("old")).unwrap();
            write(package.root(), "bin/run", "#!/bin/sh\n");
            run_bit(package.root(), "bin/run", true);
            run_bit(package.root(), "configure", false);
            write(package.root(), "configure", "#!/bin/sh\nexit\n");
            run_bit(package.root(), "src/main.c", true);
            run_bit(package.root(), "tool", true);
            run_bit(package.root(), "atool", true);
        }
        package.refresh().unwrap();
        // The same diff on a fresh copy gives the same package.
        let diff = package.diff_from(&pristine).unwrap();
        let mut again = pristine.copy().unwrap();
        again
            .apply(&diff)
            .unwrap_or_else(|error| panic!("{format}: {error}\n{diff}"));
        assert_eq!(again.digest().unwrap(), package.digest().unwrap(), "{format}");
        assert_eq!(again.version(), package.version());
        let out = folder.path().join("out");
        let packed = package.pack(&out).unwrap();
        let same = again.pack(&folder.path().join("again")).unwrap();
        assert_eq!(
            packed
                .files
                .iter()
                .map(|file| (&file.name, &file.sha256))
                .collect::<Vec<_>>(),
            same.files
                .iter()
                .map(|file| (&file.name, &file.sha256))
                .collect::<Vec<_>>(),
            "{format}: packing depends on more than the sources"
        );
        let name = packed.recipe.file_name().unwrap().to_str().unwrap().to_owned();
        let unpacked = folder.path().join("unpacked");
        unpack(&out, &name, &unpacked);
        // What is in it is what was edited, and with it recorded the tree is complete by itself.
        let recorded = package.record(&PatchHeader::default()).unwrap();
        assert_eq!(recorded.is_some(), format == "3.0 (quilt)");
        assert_same(package.root(), &unpacked);
        let ours = Package::open(&packed.recipe).unwrap();
        assert_same(ours.root(), &unpacked);
        assert!(!packed.is_current(&pristine).unwrap());
        if let Some(patch) = recorded {
            assert_eq!(patch, "edits.patch");
            assert_eq!(
                read(package.root(), "debian/patches/series"),
                "# in this order\nfirst.patch\n\nsecond.patch # the last\nedits.patch\n"
            );
            let head = read(package.root(), "debian/patches/edits.patch");
            assert!(
                head.starts_with("Description: Edits of the upstream sources\nForwarded: no\n\n"),
                "{head}"
            );
        }
        // Debian's own program takes our tree, and makes a package that unpacks to it.
        let beside = folder.path().join("beside");
        std::fs::create_dir(&beside).unwrap();
        for (name, _) in files(&out) {
            if name.to_str().unwrap().contains(".orig") {
                std::fs::copy(out.join(&name), beside.join(&name)).unwrap();
            }
        }
        let tree = beside.join("hull-tree");
        run(
            folder.path(),
            &["cp", "-a", package.root().to_str().unwrap(), tree.to_str().unwrap()],
        )
        .unwrap();
        run(&beside, &["dpkg-source", "-b", "hull-tree"]).unwrap_or_else(|error| panic!("{format}: {error}"));
        unpack(&beside, &name, &folder.path().join("theirs"));
        assert_same(&folder.path().join("theirs"), &unpacked);
    }
}

#[test]
fn patches_that_were_added_to_the_series_are_applied() {
    if !program("dpkg-source") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let description = make(folder.path(), "3.0 (quilt)");
    let package = Package::open(&description).unwrap();
    let root = package.root();
    write(
        root,
        "debian/patches/series",
        read(root, "debian/patches/series") + "third.patch\n",
    );
    write(
        root,
        "debian/patches/third.patch",
        "--- a/added\n+++ b/added\n@@ -1 +1 @@\n-added\n+added more\n",
    );
    // Alone, and beside a direct edit of something else.
    for (round, edited) in ["old\n", "new\n"].into_iter().enumerate() {
        write(root, "old", edited);
        let out = folder.path().join(format!("out{round}"));
        let packed = package.pack(&out).unwrap();
        let unpacked = folder.path().join(format!("unpacked{round}"));
        unpack(&out, packed.recipe.file_name().unwrap().to_str().unwrap(), &unpacked);
        assert_eq!(read(&unpacked, "added"), "added more\n");
        assert_eq!(read(&unpacked, "old"), edited);
        assert_eq!(unpacked.join("debian/patches/edits.patch").exists(), round == 1);
    }
}

#[test]
fn a_tree_is_opened_with_the_archives_beside_it() {
    if !program("dpkg-source") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), "3.0 (quilt)");
    let package = Package::open(&folder.path().join("hull-1.0")).unwrap();
    assert_eq!((package.name(), package.version()), ("hull", "1.0-1"));
    write(package.root(), "old", "other\n");
    let out = folder.path().join("out");
    package.pack(&out).unwrap();
    unpack(&out, "hull_1.0-1.dsc", &folder.path().join("unpacked"));
    assert_eq!(read(&folder.path().join("unpacked"), "old"), "other\n");
    assert_eq!(read(&folder.path().join("hull-1.0"), "old"), "old\n");
    let alone = tempfile::tempdir().unwrap();
    run(folder.path(), &["cp", "-a", "hull-1.0", alone.path().to_str().unwrap()]).unwrap();
    let tree = alone.path().join("hull-1.0");
    let package = Package::open(&tree).unwrap();
    if tree.join(".pc/applied-patches").exists() {
        // Upstream's archive is made of the tree with its patches taken back; packed twice it is the same.
        assert!(
            package.notes().iter().any(|note| note.contains("hull_1.0.orig.tar.gz")),
            "{:?}",
            package.notes()
        );
        write(package.root(), "old", "other\n");
        let (one, two) = (alone.path().join("one"), alone.path().join("two"));
        let packed = package.pack(&one).unwrap();
        assert_eq!(packed.files, package.pack(&two).unwrap().files);
        unpack(&one, "hull_1.0-1.dsc", &alone.path().join("unpacked"));
        for file in ["old", "added", "src/main.c", "two words.txt"] {
            assert_eq!(
                read(package.root(), file),
                read(&alone.path().join("unpacked"), file),
                "{file}"
            );
        }
        std::fs::remove_dir_all(tree.join(".pc")).unwrap();
    }
    let package = Package::open(&tree).unwrap();
    let error = package.pack(&folder.path().join("none")).unwrap_err().to_string();
    assert!(
        error.contains("names `hull_1.0.orig.tar.*`, which is not there"),
        "{error}"
    );
}

type TreeEdit = fn(&Path);

#[test]
fn what_a_format_cannot_hold_is_refused_by_name() {
    if !program("dpkg-source") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let description = make(folder.path(), "3.0 (quilt)");
    let pristine = Package::open(&description).unwrap();
    let edits: [(TreeEdit, &str); 4] = [
        (
            |root| write(root, "data/picture", [0, 9]),
            "`data/picture`: a binary file",
        ),
        (|root| write(root, "empty", ""), "`empty`: an empty file"),
        (
            |root| std::os::unix::fs::symlink("a", root.join("l")).unwrap(),
            "`l`: a link",
        ),
        (
            |root| write(root, "debian/patches/series", "none.patch\n"),
            "names `debian/patches/none.patch`, which is not there",
        ),
    ];
    for (number, (edit, part)) in edits.into_iter().enumerate() {
        let package = pristine.copy().unwrap();
        edit(package.root());
        let out = folder.path().join(format!("out{number}"));
        let error = package.pack(&out).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(!out.exists());
    }
}

#[test]
fn broken_packages_each_have_their_own_error() {
    if !program("dpkg-source") {
        return;
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Package::open(empty.path()), Err(PackageError::NoRecipe(_))));
    let check = |break_it: &dyn Fn(&Path), part: &str| {
        let folder = tempfile::tempdir().unwrap();
        let description = make(folder.path(), "3.0 (quilt)");
        break_it(folder.path());
        let error = Package::open(&description).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    check(
        &|folder| std::fs::remove_file(folder.join("hull_1.0.orig.tar.gz")).unwrap(),
        "names `hull_1.0.orig.tar.gz`, which is not there",
    );
    check(
        &|folder| write(folder, "hull_1.0.orig.tar.gz", "x"),
        "is not the file that `hull_1.0-1.dsc` describes (1 bytes instead of",
    );
    check(
        &|folder| {
            let text = read(folder, "hull_1.0-1.dsc").replace("3.0 (quilt)", "3.0 (git)");
            write(folder, "hull_1.0-1.dsc", text);
        },
        "`3.0 (git)` is no format",
    );
    check(
        &|folder| write(folder, "hull_1.0-1.dsc", b"\xff"),
        "hull_1.0-1.dsc: it is no UTF-8",
    );
    check(
        &|folder| write(folder, "hull_1.0-1.dsc", "no\n"),
        "hull_1.0-1.dsc:1: this is neither a field",
    );
    // A patch of the package that does not apply, in a package that is whole otherwise.
    let folder = tempfile::tempdir().unwrap();
    let description = make(folder.path(), "3.0 (quilt)");
    let package = Package::open(&description).unwrap();
    let patch = read(package.root(), "debian/patches/first.patch").replace("return 0", "return 7");
    write(package.root(), "debian/patches/first.patch", patch);
    let error = package.pack(&folder.path().join("out")).unwrap_err().to_string();
    assert!(
        error.contains("debian/patches/first.patch does not apply to the package's own sources: src/main.c: hunk 1"),
        "{error}"
    );
}
