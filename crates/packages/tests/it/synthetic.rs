//! A made-up archive with everything that is awkward in it.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes literals this way")]

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use expect_test::{Expect, expect};
use flate2::{Compression, write::GzEncoder};
use seatrial_core::Arch;
use seatrial_packages::{BuildInput, Key, PackageIndex, PackagesError, Resolver, build};
use seatrial_source::{BinaryPackage, SourcePackage};

const CONTENTS: &[u8] = b"FILE                                    LOCATION\n\
usr/include/zlib.h                                 libdevel/zlib1g-dev\n\
usr/include/dietlibc/zlib.h                        libdevel/dietlibc-dev\n\
usr/include/python3.11/Python.h                    libdevel/libpython3.11-dev\n\
usr/include/x86_64-linux-gnu/thing/thing.h         libdevel/libthing-dev,libdevel/libthing-other-dev\n\
usr/include/with blank/odd name.h                  libdevel/libthing-dev\n\
usr/include/aarch64-linux-gnu/arm.h                libdevel/libthing-dev\n\
usr/include/a/utils.h libdevel/l1-dev\n\
usr/include/b/utils.h libdevel/l2-dev\n\
usr/include/c/utils.h libdevel/l3-dev\n\
usr/include/d/utils.h libdevel/l4-dev\n\
usr/include/e/utils.h libdevel/l5-dev\n\
usr/include/f/utils.h libdevel/l6-dev\n\
usr/include/g/utils.h libdevel/l7-dev\n\
usr/include/h/utils.h libdevel/l8-dev\n\
usr/include/i/utils.h libdevel/l9-dev\n\
usr/lib/x86_64-linux-gnu/pkgconfig/thing-2.0.pc    libdevel/libthing-dev\n\
usr/lib/x86_64-linux-gnu/cmake/Thing/ThingConfig.cmake libdevel/libthing-dev\n\
usr/lib/x86_64-linux-gnu/libthing.so               libdevel/libthing-dev\n\
usr/lib/x86_64-linux-gnu/plug/libthing.so          libs/thing-plugins\n\
usr/bin/thing                                      utils/thing\n\
usr/bin/closed-tool                                non-free/utils/closed-parts\n\
usr/bin/gone                                       utils/not-in-packages\n\
usr/bin/pkg-config                                 devel/pkgconf\n\
usr/bin/libtoolize                                 devel/libtool\n\
usr/share/aclocal/thing-2.m4                       libdevel/libthing-dev\n\
usr/share/aclocal/ax_thing_check.m4                devel/autoconf-archive\n\
usr/lib/python3/dist-packages/thing/__init__.py    python/python3-thing\n\
usr/lib/python3/dist-packages/thing/core.py        python/python3-thing\n\
usr/lib/thing/thing.mk                             libdevel/libthing-dev\n\
\xff\xfe\x00broken\n\
no-packages-here\n";

pub(crate) fn binary(package: &str, depends: &str, provides: &str) -> BinaryPackage {
    BinaryPackage {
        package: package.to_owned(),
        version: "1".to_owned(),
        source: package.to_owned(),
        source_version: "1".to_owned(),
        filename: String::new(),
        size: 0,
        sha256: String::new(),
        section: String::new(),
        depends: depends.to_owned(),
        provides: provides.to_owned(),
        architecture: "amd64".to_owned(),
        priority: "optional".to_owned(),
        essential: false,
    }
}

pub(crate) fn source(package: &str, build_depends: &str) -> SourcePackage {
    SourcePackage {
        package: package.to_owned(),
        version: "1".to_owned(),
        directory: String::new(),
        files: Vec::new(),
        binaries: Vec::new(),
        build_depends: build_depends.to_owned(),
        architecture: "any".to_owned(),
        section: String::new(),
        format: String::new(),
    }
}

/// Builds the index of a `Contents` file; the folder lives as long as the index is used.
fn index_of(contents: &[u8]) -> Result<(tempfile::TempDir, PackageIndex), PackagesError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("Contents-amd64.gz");
    fs_err::write(&file, contents)?;
    let mut binaries: Vec<_> = [
        "zlib1g-dev",
        "dietlibc-dev",
        "libpython3.11-dev",
        "libthing-dev",
        "libthing-other-dev",
        "thing-plugins",
        "thing",
        "closed-parts",
        "pkgconf",
        "libtool",
        "autoconf-archive",
        "python3-thing",
    ]
    .iter()
    .map(|name| binary(name, "", ""))
    .collect();
    binaries.push(binary("libpython3-dev", "libpython3.11-dev (= 3.11.2-1)", ""));
    binaries.push(binary("python3-dev", "python3, libpython3-dev", ""));
    binaries.extend((1..=9).map(|number| binary(&format!("l{number}-dev"), "", "")));
    let sources = [
        source("a", "libthing-dev (>= 2), zlib1g-dev, python3-dev:native"),
        source("b", "libthing-dev | libthing-other-dev, python3-dev <!nocheck>"),
    ];
    let input = BuildInput {
        contents: &[file],
        binaries: &binaries,
        sources: &sources,
        arch: Arch::X86_64,
        definitions: &[],
    };
    let path: PathBuf = folder.path().join("x.idx");
    build(&path, &input, &mut |_file| ())?;
    let index = PackageIndex::open(&path)?;
    Ok((folder, index))
}

fn compressed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(text)
        .map(|()| encoder.finish().unwrap_or_default())
        .unwrap_or_default()
}

fn check(index: &PackageIndex, keys: &[Key], expected: &Expect) {
    let mut lines = Vec::new();
    for key in keys {
        lines.push(format!("{key}\n"));
        let found = index.resolve(key).into_iter();
        lines.extend(found.map(|candidate| format!("    {} <- {}\n", candidate.package, candidate.because)));
    }
    expected.assert_eq(&lines.concat());
}

#[test]
fn each_kind_of_name_finds_its_package() {
    let (_folder, index) = index_of(&compressed(CONTENTS)).unwrap();
    let text = str::to_owned;
    check(
        &index,
        &[
            Key::Header(text("zlib.h")),
            Key::Header(text("<Python.h>")),
            Key::Header(text("../thing/thing.h")),
            Key::Header(text("thing.h")),
            Key::Header(text("with blank/odd name.h")),
            Key::Header(text("arm.h")),
            Key::PkgConfig(text("thing-2.0 >= 2.1")),
            Key::CMake(text("Thing")),
            Key::CMake(text("THING")),
            Key::CMake(text("ZLIB")),
            Key::CMake(text("Threads")),
            Key::Library(text("thing")),
            Key::Library(text("libthing.so.2")),
            Key::Command(text("/usr/local/bin/thing")),
            Key::Command(text("thing-1.2")),
            Key::Macro(text("AM_PATH_THING_2")),
            Key::Macro(text("AX_THING_CHECK")),
            Key::Macro(text("PKG_CHECK_MODULES")),
            Key::Macro(text("LT_INIT")),
            Key::Python(text("thing.core.part")),
            Key::Path(text("/usr/lib/thing/thing.mk")),
            Key::Path(text("thing.mk")),
            Key::Path(text("/usr/local/include/zlib.h")),
        ],
        &expect![[r#"
            header `zlib.h`
                zlib1g-dev <- /usr/include/zlib.h
                dietlibc-dev <- /usr/include/dietlibc/zlib.h
            header `<Python.h>`
                python3-dev <- /usr/include/python3.11/Python.h
            header `../thing/thing.h`
                libthing-dev <- /usr/include/x86_64-linux-gnu/thing/thing.h
                libthing-other-dev <- /usr/include/x86_64-linux-gnu/thing/thing.h
            header `thing.h`
                libthing-dev <- /usr/include/x86_64-linux-gnu/thing/thing.h
                libthing-other-dev <- /usr/include/x86_64-linux-gnu/thing/thing.h
            header `with blank/odd name.h`
                libthing-dev <- /usr/include/with blank/odd name.h
            header `arm.h`
            pkg-config module `thing-2.0 >= 2.1`
                libthing-dev <- /usr/lib/x86_64-linux-gnu/pkgconfig/thing-2.0.pc
            CMake package `Thing`
                libthing-dev <- /usr/lib/x86_64-linux-gnu/cmake/Thing/ThingConfig.cmake
            CMake package `THING`
                libthing-dev <- /usr/lib/x86_64-linux-gnu/cmake/Thing/ThingConfig.cmake
            CMake package `ZLIB`
                zlib1g-dev <- /usr/include/zlib.h
                dietlibc-dev <- /usr/include/dietlibc/zlib.h
            CMake package `Threads`
            library `thing`
                libthing-dev <- /usr/lib/x86_64-linux-gnu/libthing.so
                thing-plugins <- /usr/lib/x86_64-linux-gnu/plug/libthing.so
            library `libthing.so.2`
                libthing-dev <- /usr/lib/x86_64-linux-gnu/libthing.so
                thing-plugins <- /usr/lib/x86_64-linux-gnu/plug/libthing.so
            program `/usr/local/bin/thing`
                thing <- /usr/bin/thing
            program `thing-1.2`
                thing <- /usr/bin/thing
            Autoconf macro `AM_PATH_THING_2`
                libthing-dev <- /usr/share/aclocal/thing-2.m4
            Autoconf macro `AX_THING_CHECK`
                autoconf-archive <- macro and module table
            Autoconf macro `PKG_CHECK_MODULES`
                pkgconf <- /usr/bin/pkg-config
            Autoconf macro `LT_INIT`
                libtool <- /usr/bin/libtoolize
            Python module `thing.core.part`
                python3-thing <- /usr/lib/python3/dist-packages/thing/core
            file `/usr/lib/thing/thing.mk`
                libthing-dev <- /usr/lib/thing/thing.mk
            file `thing.mk`
                libthing-dev <- /usr/lib/thing/thing.mk
            file `/usr/local/include/zlib.h`
                zlib1g-dev <- /usr/include/zlib.h
                dietlibc-dev <- /usr/include/dietlibc/zlib.h
        "#]],
    );
}

#[test]
fn what_no_package_of_the_archive_has_is_unknown() {
    let (_folder, index) = index_of(CONTENTS).unwrap();
    let text = str::to_owned;
    for key in [
        Key::Header(text("utils.h")),
        Key::Header(text("config.h")),
        Key::Header(text("sys/sysctl.h")),
        Key::Header(text("")),
        Key::Header("x".repeat(100_000)),
        Key::Command(text("closed-tool")),
        Key::Command(text("gone")),
        Key::PkgConfig(text("\u{1}")),
        Key::CMake(text("Nope")),
        Key::Path(text("/")),
    ] {
        assert_eq!(index.resolve(&key), [], "{key}");
    }
    assert!(index.has_package("thing") && !index.has_package("thin") && !index.has_package("things"));
}

#[test]
fn a_broken_file_list_is_an_error_and_no_index() {
    let whole = compressed(CONTENTS);
    let error = index_of(&whole[..whole.len() / 2]).err().unwrap().to_string();
    assert!(error.contains("Contents-amd64.gz"), "{error}");
    let error = index_of(b"\xfd7zXZ\0rest").err().unwrap().to_string();
    assert!(error.contains("compression"), "{error}");
}

#[test]
fn a_damaged_index_is_refused() {
    let (folder, index) = index_of(CONTENTS).unwrap();
    let path = index.path().to_owned();
    drop(index);
    let whole = fs_err::read(&path).unwrap();
    let other = folder.path().join("other.idx");
    let mut version = whole.clone();
    version[8] ^= 0xff;
    for bad in [&whole[..whole.len() - 1], &whole[..40], &[], &version] {
        fs_err::write(&other, bad).unwrap();
        assert!(PackageIndex::open(&other).is_err(), "{} bytes", bad.len());
    }
    // Whichever byte a disk lost: the index is refused, and never walked into or believed.
    for place in 0..whole.len() {
        let mut bad = whole.clone();
        bad[place] ^= 0x10;
        fs_err::write(&other, &bad).unwrap();
        let error = PackageIndex::look(&other).err().unwrap().to_string();
        let said = if place < 16 { "of this version" } else { "is damaged" };
        assert!(error.contains(said), "byte {place}: {error}");
    }
}

#[test]
fn what_is_no_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path(), Path::new("/dev/zero")] {
        let error = PackageIndex::look(path).err().unwrap().to_string();
        assert!(error.contains("is no file"), "{error}");
    }
}

#[test]
fn equal_archives_make_equal_files() {
    let (_one, first) = index_of(CONTENTS).unwrap();
    let (_two, second) = index_of(&compressed(CONTENTS)).unwrap();
    assert_eq!(
        fs_err::read(first.path()).unwrap(),
        fs_err::read(second.path()).unwrap()
    );
}
