//! Indexes of other distributions, made of metadata in its real form.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{io::Write, path::Path, process::Command};

use expect_test::expect;
use flate2::{Compression, write::GzEncoder};
use seatrial_packages::{Foreign, Key, PackageIndex, Resolver, build_foreign};

fn answers(index: &PackageIndex, keys: &[&str]) -> String {
    let mut lines = Vec::new();
    for text in keys {
        let key: Key = text.parse().unwrap();
        let found: Vec<_> = index
            .resolve(&key)
            .into_iter()
            .map(|found| format!("{} <- {}", found.package, found.because))
            .collect();
        lines.push(format!("{text}: {}\n", found.join(", ")));
    }
    lines.concat()
}

fn apk_index(text: &str) -> Vec<u8> {
    let member = |name: &str, bytes: &[u8], whole: bool| {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, name, bytes).unwrap();
        let mut tar = builder.into_inner().unwrap();
        if !whole {
            // The signature comes as a tar without its end.
            tar.truncate(tar.len() - 1024);
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&tar).unwrap();
        encoder.finish().unwrap()
    };
    let mut bytes = member(".SIGN.RSA.key.rsa.pub", b"signature", false);
    bytes.extend(member("APKINDEX", text.as_bytes(), true));
    bytes
}

const APKINDEX: &str = "C:Q1abc=\nP:zlib\nV:1.3.1-r0\nA:x86_64\nS:1\nT:A library\no:zlib\nD:so:libc.musl-x86_64.so.1\n\
p:so:libz.so.1=1.3.1\n\nP:zlib-dev\nV:1.3.1-r0\no:zlib\nD:pkgconfig zlib=1.3.1-r0\np:pc:zlib=1.3.1\n\n\
P:make\nV:4.4-r0\no:make\np:cmd:make=4.4-r0\n\nP:remake-make\nV:1-r0\no:remake\np:cmd:make=1-r0\n\n\
P:app\nV:1-r0\no:app\nD:make so:libz.so.1\n\nP:py3-yaml\nV:6-r0\no:py3-yaml\np:py3.12:yaml=6.0\n\n";

#[test]
fn an_alpine_index_answers_by_what_packages_provide() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("APKINDEX.tar.gz");
    fs_err::write(&file, apk_index(APKINDEX)).unwrap();
    let output = folder.path().join("alpine.idx");
    build_foreign(&output, &Foreign::of(&file).unwrap()).unwrap();
    let index = PackageIndex::look(&output).unwrap();
    expect![[r#"
        pc:zlib: zlib-dev <- provides pc:zlib
        soname:libz.so.1: zlib <- provides so:libz.so.1
        lib:z: zlib-dev <- provides so:libz.so.1
        cmd:make: make <- override table: scripts for BSD call it `gmake`, remake-make <- provides cmd:make
        py:yaml: py3-yaml <- provides py3.12:yaml
        header:zlib.h: 
    "#]]
    .assert_eq(&answers(
        &index,
        &[
            "pc:zlib",
            "soname:libz.so.1",
            "lib:z",
            "cmd:make",
            "py:yaml",
            "header:zlib.h",
        ],
    ));
    for damaged in [&b"no gzip"[..], b"\x1f\x8b", &apk_index(APKINDEX)[..100], b""] {
        fs_err::write(&file, damaged).unwrap();
        let error = build_foreign(&output, &Foreign::ApkIndex(file.clone()))
            .unwrap_err()
            .to_string();
        assert!(error.contains("APKINDEX.tar.gz"), "{error}");
        // What was there stays.
        assert!(PackageIndex::look(&output).is_ok());
    }
}

fn present(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

fn make(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn an_rpm_repository_answers_by_capabilities_and_files() {
    if !present("rpmbuild") || !present("createrepo_c") {
        println!("skipped: rpmbuild and createrepo_c make the repository that is read here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let spec = "Name: thing\nVersion: 1\nRelease: 1\nSummary: x\nLicense: MIT\nBuildArch: noarch\n\
        %description\nx\n%package devel\nSummary: x\nProvides: pkgconfig(thing) = 1\nProvides: cmake(Thing) = 1\n\
        Provides: perl(Thing::Part)\nProvides: libthing.so.1()(64bit)\n%description devel\nx\n\
        %package devel-copy\nSummary: x\n%description devel-copy\nx\n\
        %install\nmkdir -p %{buildroot}/usr/bin %{buildroot}/usr/include/thing %{buildroot}/usr/lib64 %{buildroot}/usr/include/copy/thing\n\
        touch %{buildroot}/usr/bin/thing %{buildroot}/usr/include/thing/a.h %{buildroot}/usr/lib64/libthing.so %{buildroot}/usr/include/copy/thing/a.h\n\
        touch '%{buildroot}/usr/include/thing/a&b.h'\n\
        %files\n/usr/bin/thing\n%files devel\n/usr/include/thing\n/usr/lib64/libthing.so\n%files devel-copy\n/usr/include/copy\n";
    fs_err::write(folder.path().join("thing.spec"), spec).unwrap();
    let top = format!("_topdir {}", folder.path().join("top").display());
    make(
        folder.path(),
        "rpmbuild",
        &[
            "-bb",
            "--nodeps",
            "--define",
            &top,
            "--define",
            "__os_install_post %{nil}",
            "thing.spec",
        ],
    );
    let repository = folder.path().join("top/RPMS");
    for packing in ["gz", "xz"] {
        let option = format!("--general-compress-type={packing}");
        make(&repository, "createrepo_c", &[&option, "--no-database", "."]);
        let output = folder.path().join("rpm.idx");
        build_foreign(&output, &Foreign::of(&repository).unwrap()).unwrap();
        let index = PackageIndex::look(&output).unwrap();
        expect![[r#"
            pc:thing: thing-devel <- provides pkgconfig(thing)
            cmake:Thing: thing-devel <- provides cmake(Thing)
            perl:Thing::Part: thing-devel <- provides perl(Thing::Part)
            soname:libthing.so.1: thing-devel <- provides libthing.so.1()(64bit)
            header:thing/a.h: thing-devel <- /usr/include/thing/a.h, thing-devel-copy <- /usr/include/copy/thing/a.h
            header:thing/a&b.h: thing-devel <- /usr/include/thing/a&b.h
            lib:thing: thing-devel <- /usr/lib64/libthing.so
            cmd:thing: thing <- /usr/bin/thing
        "#]]
        .assert_eq(&answers(
            &index,
            &[
                "pc:thing",
                "cmake:Thing",
                "perl:Thing::Part",
                "soname:libthing.so.1",
                "header:thing/a.h",
                "header:thing/a&b.h",
                "lib:thing",
                "cmd:thing",
            ],
        ));
    }
    // A list that was cut off is an error, and the old index stays.
    let output = folder.path().join("rpm.idx");
    let lists = fs_err::read_dir(repository.join("repodata")).unwrap();
    for path in lists
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("primary"))
    {
        let whole = fs_err::read(&path).unwrap();
        fs_err::write(&path, &whole[..whole.len() / 2]).unwrap();
    }
    let error = build_foreign(&output, &Foreign::of(&repository).unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.contains("primary"), "{error}");
    assert!(PackageIndex::look(&output).is_ok());
}
