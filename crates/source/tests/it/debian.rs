//! Packages of a signed archive: its indexes, its signatures, its files.

use std::sync::Arc;

use expect_test::expect;
use fs_err as fs;
use seatrial_core::{FilePin, PinnedSource, SourceKind};
use seatrial_source::{DebianArchive, Fetcher, SourceError};

use crate::{
    signed::{Archive, POOL, platform},
    support::{Page, World, listing, pin},
};

fn directory_of(pinned: &mut PinnedSource) -> (&mut Vec<FilePin>, &mut bool) {
    match &mut pinned.origin {
        SourceKind::Debian { files, packaging, .. } => (files, packaging),
        other => panic!("{other:?}"),
    }
}

#[test]
fn indexes_are_read_from_all_suites() {
    let Some(archive) = Archive::new() else { return };
    let opened = archive.open();
    let sources: Vec<_> = opened
        .sources()
        .unwrap()
        .into_iter()
        .map(|p| {
            format!(
                "{} {} {:?} {} | {}",
                p.package,
                p.version,
                p.binaries,
                p.files.len(),
                p.build_depends
            )
        })
        .collect();
    assert_eq!(
        sources,
        [
            r#"native 7 ["native-bin", "libnative1"] 2 | debhelper (>= 12), zlib1g-dev, doxygen"#,
            r#"tool 1:1.0-2 ["tool-bin", "libtool1"] 4 | debhelper (>= 12), zlib1g-dev, doxygen"#,
            r#"tool 1:1.0-1 ["tool-bin", "libtool1"] 3 | debhelper (>= 12), zlib1g-dev, doxygen"#,
        ]
    );
    expect![[r#"
        [
            BinaryPackage {
                package: "tool-bin",
                version: "1:1.0-1+b1",
                source: "tool",
                source_version: "1:1.0-1",
                filename: "pool/main/t/tool/tool-bin.deb",
                size: 12,
                sha256: "aa",
                section: "utils",
                depends: "dpkg, libc6 (>= 2), zlib1g",
                provides: "editor",
                architecture: "amd64",
                priority: "optional",
                essential: true,
            },
        ]
    "#]]
    .assert_debug_eq(&opened.binaries().unwrap());
    let contents = opened.contents().unwrap();
    assert!(
        contents.len() == 1 && contents[0].extension().unwrap() == "gz",
        "{contents:?}"
    );
    let warnings = opened.warnings();
    assert!(
        warnings.iter().all(|text| text.contains("valid until")) && warnings.len() == 2,
        "{warnings:?}"
    );
    let revision = opened.revision().unwrap();
    archive.index("bookworm", "main/Contents-all", "usr/share/x utils/x\n");
    archive.sign("bookworm", "Debian", "archive@example.org");
    assert_eq!(opened.revision().unwrap(), revision, "one value, one view");
    assert_ne!(archive.open().revision().unwrap(), revision);
}

#[test]
fn the_newest_version_is_laid_as_upstream_released_it() {
    let Some(archive) = Archive::new() else { return };
    let fetcher = archive.fetcher();
    let mut pinned = fetcher.pin(&"debian:tool".parse().unwrap()).unwrap();
    assert_eq!(pinned.to_string(), "debian:tool=1:1.0-2");
    let tree = fetcher.fetch(&pinned).unwrap();
    expect![[r#"
        d 755 data
        f 644 data/table "data"
        f 644 main.c "int main;"
    "#]]
    .assert_eq(&listing(&tree.root));
    // The packaging was not even downloaded.
    assert!(
        archive
            .server
            .requests()
            .iter()
            .all(|request| !request.contains("debian.tar"))
    );

    *directory_of(&mut pinned).1 = true;
    match fetcher.fetch(&pinned) {
        Err(SourceError::NoProgram { program, .. }) => println!("skipped: {program} is not installed"),
        other => {
            let root = other.unwrap().root;
            assert_eq!(fs::read(root.join("main.c")).unwrap(), b"int fixed;");
            assert_eq!(fs::read(root.join("debian/rules")).unwrap(), b"the answer");
        }
    }
    let native = fetcher.pin(&"debian:native".parse().unwrap()).unwrap();
    assert_eq!(listing(&fetcher.fetch(&native).unwrap().root), "f 644 main.c \"x\"\n");
}

#[test]
fn unknown_names_are_explained() {
    let Some(archive) = Archive::new() else { return };
    let say = |spec: &str| archive.pin(spec).unwrap_err().to_string();
    assert_eq!(
        say("debian:tool-bin"),
        "`tool-bin` is a binary package of debian:bookworm; its source package is `debian:tool`"
    );
    assert_eq!(
        say("debian:tol"),
        "debian:bookworm has no source package `tol`; did you mean `tool`?"
    );
    assert_eq!(
        say("debian:something"),
        "debian:bookworm has no source package `something`; check the spelling"
    );
}

#[test]
fn what_is_not_signed_or_not_what_was_signed_is_refused() {
    let Some(archive) = Archive::new() else { return };
    let release = archive.root.join("dists/bookworm/InRelease");
    let good = fs::read_to_string(&release).unwrap();
    let serve = |text: &str| {
        archive
            .server
            .page("/dists/bookworm/InRelease", Page::Body(text.into()))
    };

    serve(&good.replace("Label: x", "Label: y"));
    let error = archive.open().sources().unwrap_err();
    assert!(
        matches!(&error, SourceError::Verify { problem, .. } if problem.contains("wrong")),
        "{error}"
    );

    serve("Origin: Debian\nCodename: bookworm\nSHA256:\n");
    let error = archive.open().sources().unwrap_err();
    assert!(
        matches!(&error, SourceError::Verify { problem, .. } if problem.contains("no signature")),
        "{error}"
    );

    // Unsigned text around the signed part counts for nothing.
    serve(&format!("Origin: Evil\n\n{good}"));
    if let Ok(sources) = archive.open().sources() {
        assert_eq!(sources.len(), 3);
    }

    assert!(archive.make_key("other.gpg", "stranger@example.org"));
    archive.sign("bookworm", "Debian", "stranger@example.org");
    let error = archive.open().sources().unwrap_err();
    assert!(
        matches!(&error, SourceError::Verify { problem, .. } if problem.contains("unknown keys")),
        "{error}"
    );

    // Another suite's release, signed just as well, and somebody else's archive.
    serve(&fs::read_to_string(archive.root.join("dists/bookworm-updates/InRelease")).unwrap());
    let error = archive.open().sources().unwrap_err();
    assert!(matches!(&error, SourceError::Unavailable(_)), "{error}");
    archive.sign("bookworm", "Somebody", "archive@example.org");
    let error = archive.open().sources().unwrap_err();
    assert!(
        error.to_string().contains("name no archive of debian:bookworm"),
        "{error}"
    );

    archive.sign("bookworm", "Debian", "archive@example.org");
    archive.drop_cache();
    archive
        .server
        .page("/dists/bookworm/main/source/Sources.gz", Page::Body(b"other".to_vec()));
    let error = archive.open().sources().unwrap_err();
    assert!(
        matches!(&error, SourceError::Verify { what, .. } if what.contains("Sources.gz")),
        "{error}"
    );
    // Neither keys in ASCII nor a missing key file is taken for no signature at all.
    fs::write(&archive.keyring, "not a key").unwrap();
    assert!(matches!(
        archive.open().revision().unwrap_err(),
        SourceError::Verify { .. }
    ));
}

#[test]
fn armored_keys_are_read() {
    let Some(archive) = Archive::new() else { return };
    let armored = archive.keys.join("ring.asc");
    assert!(archive.gpg(&[
        "--armor",
        "--output",
        armored.to_str().unwrap(),
        "--export",
        "archive@example.org"
    ]));
    fs::rename(armored, &archive.keyring).unwrap();
    assert_eq!(archive.open().sources().unwrap().len(), 3);
}

#[test]
fn without_network_the_last_release_is_used_and_that_is_said() {
    let Some(archive) = Archive::new() else { return };
    let revision = archive.open().revision().unwrap();
    let sources = archive.open().sources().unwrap().len();
    for suite in ["bookworm", "bookworm-updates"] {
        archive
            .server
            .page(&format!("/dists/{suite}/InRelease"), Page::Status(403));
    }
    let offline = archive.open();
    assert_eq!(offline.revision().unwrap(), revision);
    assert_eq!(offline.sources().unwrap().len(), sources);
    assert!(
        offline
            .warnings()
            .iter()
            .any(|text| text.contains("the last one is used"))
    );
}

#[test]
fn files_are_asked_for_verified_and_kept() {
    let Some(archive) = Archive::new() else { return };
    let opened = archive.open();
    let mut pinned = archive.pin("debian:native").unwrap();
    let files = directory_of(&mut pinned).0.clone();
    assert!(files.iter().all(|file| opened.has(POOL, file).unwrap()));
    let path = opened.file(POOL, &files[0]).unwrap();
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), files[0].name);
    archive.server.requests();
    opened.file(POOL, &files[0]).unwrap();
    assert!(archive.server.requests().is_empty());

    let absent = pin("gone_1.tar.xz", b"x");
    assert!(!opened.has(POOL, &absent).unwrap());
    assert!(matches!(opened.file(POOL, &absent), Err(SourceError::Unavailable(_))));
    // Another file of that name is not the file.
    let other = FilePin {
        sha256: "0".repeat(64),
        ..files[0].clone()
    };
    assert!(matches!(opened.file(POOL, &other), Err(SourceError::Verify { .. })));
    let shorter = FilePin { size: 1, ..other };
    assert!(!opened.has(POOL, &shorter).unwrap());
    for (directory, name) in [("../..", "x"), ("pool", "../x"), ("/etc", "x"), ("pool", "")] {
        let hostile = FilePin {
            name: name.to_owned(),
            ..absent.clone()
        };
        let error = opened.file(directory, &hostile).unwrap_err();
        assert!(matches!(&error, SourceError::Usage(_)), "{directory} {name}: {error}");
    }
}

#[test]
fn a_pin_that_the_description_contradicts_is_refused() {
    let Some(archive) = Archive::new() else { return };
    let mut pinned = archive.pin("debian:native").unwrap();
    let (files, _) = directory_of(&mut pinned);
    for file in files.iter_mut().filter(|file| file.name.contains(".tar.")) {
        file.sha256 = "0".repeat(64);
    }
    let error = archive.fetcher().fetch(&pinned).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("does not describe `native_7.tar.xz` as pinned"),
        "{error}"
    );
}

#[test]
fn versions_that_left_the_archive_come_from_the_snapshot_archive() {
    let Some(archive) = Archive::new() else { return };
    let mut pinned = archive.pin("debian:tool=1:1.0-1").unwrap();
    let files = directory_of(&mut pinned).0.clone();
    // The next version takes its place, and its files leave the pool for the snapshot archive.
    let mut entries = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let bytes = fs::read(archive.root.join(POOL).join(&file.name)).unwrap();
        archive
            .server
            .page(&format!("/{POOL}/{}", file.name), Page::Status(404));
        archive
            .server
            .page(&format!("/snapshot/file/{number:040}"), Page::Body(bytes));
        entries.push(format!(
            r#""{number:040}":[{{"name":"{}","archive_name":"debian","path":"/{POOL}","size":{},"first_seen":"x"}}]"#,
            file.name, file.size
        ));
    }
    archive.index("bookworm", "main/source/Sources", "");
    archive.sign("bookworm", "Debian", "archive@example.org");
    for file in &files {
        archive
            .server
            .page(&format!("/{POOL}/{}", file.name), Page::Status(404));
    }

    // Not there either, then out of reach, then there.
    let error = archive.pin("debian:tool=1:1.0-1").unwrap_err();
    assert!(matches!(&error, SourceError::Unavailable(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("the archive has tool 1:1.0-2 but not 1:1.0-1"),
        "{error}"
    );
    let dead = archive.open().with_snapshot_archive("http://127.0.0.1:1");
    let fetcher = Fetcher::new(&archive.world.home, &platform()).with_archive(Arc::new(dead));
    for error in [
        fetcher.fetch(&pinned).unwrap_err(),
        fetcher.pin(&"debian:tool=1:1.0-1".parse().unwrap()).unwrap_err(),
    ] {
        assert!(matches!(&error, SourceError::Unavailable(_)), "{error}");
        assert!(
            error.to_string().contains("1:1.0-1") && error.to_string().contains("could not be reached"),
            "{error}"
        );
    }
    archive.server.page(
        "/snapshot/mr/package/tool/1%3A1.0-1/srcfiles?fileinfo=1",
        Page::Body(format!(r#"{{"result":[],"fileinfo":{{{}}}}}"#, entries.join(",")).into_bytes()),
    );
    let fetcher = archive.fetcher();
    let tree = fetcher.fetch(&pinned).unwrap();
    assert!(tree.root.join("main.c").is_file() && !tree.root.join("debian").exists());
    let again = fetcher.pin(&"debian:tool=1:1.0-1".parse().unwrap()).unwrap();
    let sorted = |pinned: &PinnedSource| {
        let mut files = directory_of(&mut pinned.clone()).0.clone();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        files
    };
    assert_eq!(sorted(&again), sorted(&pinned));
    assert!(
        fetcher
            .warnings()
            .iter()
            .any(|text| text.contains("not covered by a signed index"))
    );
}

#[test]
fn a_machine_without_fitting_sources_says_so() {
    let world = World::new();
    fs::create_dir_all(world.path("root/etc/apt")).unwrap();
    fs::write(
        world.path("root/etc/apt/sources.list"),
        "deb http://m.example/ubuntu noble main\n",
    )
    .unwrap();
    let archive = DebianArchive::open_below(&world.path("root"), &world.home, &platform(), None).unwrap();
    assert!(!archive.is_configured());
    let error = archive.sources().unwrap_err();
    assert!(
        error.to_string().contains("name no archive of debian:bookworm"),
        "{error}"
    );
}
