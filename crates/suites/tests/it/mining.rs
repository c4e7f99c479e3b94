//! Mining and refreshing against an archive made in the test.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::{Arch, Digest, FilePin, PinnedSource, Platform, SourceKind};
use seatrial_source::{BinaryPackage, SourceError, SourcePackage, SourceTree};
use seatrial_suites::{Archive, Corpus, MineOptions, TaskState, mine_debian_compile, refresh};

/// An archive in a folder.
struct FakeArchive {
    folder: tempfile::TempDir,
    sources: Mutex<Vec<SourcePackage>>,
    binaries: Mutex<Vec<BinaryPackage>>,
    missing: Mutex<BTreeSet<String>>,
    trees: Mutex<BTreeMap<String, Vec<(&'static str, &'static str)>>>,
}

impl FakeArchive {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            sources: Mutex::default(),
            binaries: Mutex::default(),
            missing: Mutex::default(),
            trees: Mutex::default(),
        }
    }

    /// Adds a source with one binary package that holds ELF files at these paths.
    fn add(&self, name: &str, version: &str, tree: &[(&'static str, &'static str)], paths: &[&str]) {
        let mut sources = self.sources.lock().unwrap();
        sources.retain(|source| source.package != name);
        sources.push(SourcePackage {
            package: name.to_owned(),
            version: version.to_owned(),
            directory: format!("pool/{name}"),
            files: vec![FilePin {
                name: format!("{name}_{version}.orig.tar.gz"),
                size: 1000,
                sha256: String::new(),
            }],
            binaries: vec![name.to_owned()],
            build_depends: "debhelper-compat (= 13)".to_owned(),
            architecture: "any".to_owned(),
            section: "utils".to_owned(),
            format: "3.0 (quilt)".to_owned(),
        });
        let deb = deb(paths);
        let file = format!("{name}_{version}_amd64.deb");
        fs::write(self.folder.path().join(&file), &deb).unwrap();
        let mut binaries = self.binaries.lock().unwrap();
        binaries.retain(|binary| binary.package != name);
        binaries.push(BinaryPackage {
            package: name.to_owned(),
            version: version.to_owned(),
            source: name.to_owned(),
            source_version: version.to_owned(),
            filename: format!("pool/{name}/{file}"),
            size: deb.len() as u64,
            sha256: String::new(),
            section: "utils".to_owned(),
            depends: String::new(),
            provides: String::new(),
            architecture: "amd64".to_owned(),
            priority: "optional".to_owned(),
            essential: false,
        });
        self.trees.lock().unwrap().insert(name.to_owned(), tree.to_vec());
    }

    fn change(&self, name: &str, change: impl Fn(&mut SourcePackage)) {
        self.sources
            .lock()
            .unwrap()
            .iter_mut()
            .filter(|source| source.package == name)
            .for_each(change);
    }
}

impl Archive for FakeArchive {
    fn sources(&self) -> Result<Vec<SourcePackage>, SourceError> {
        Ok(self.sources.lock().unwrap().clone())
    }

    fn binaries(&self) -> Result<Vec<BinaryPackage>, SourceError> {
        Ok(self.binaries.lock().unwrap().clone())
    }

    fn revision(&self) -> Result<String, SourceError> {
        Ok(format!("{} sources", self.sources.lock().unwrap().len()))
    }

    fn has(&self, _: &str, pin: &FilePin) -> Result<bool, SourceError> {
        Ok(!self.missing.lock().unwrap().contains(&pin.name))
    }

    fn file(&self, _: &str, pin: &FilePin) -> Result<PathBuf, SourceError> {
        Ok(self.folder.path().join(&pin.name))
    }

    fn fetch(&self, source: &PinnedSource) -> Result<SourceTree, SourceError> {
        let root = self.folder.path().join("trees").join(&source.name);
        for (path, text) in &self.trees.lock().unwrap()[&source.name] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap())?;
            fs::write(path, text)?;
        }
        Ok(SourceTree::new(root, Digest::of(source.to_string().as_bytes())))
    }
}

/// A package as `deb(5)` describes it.
fn deb(paths: &[&str]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for path in paths {
        let mut elf = vec![0; 64];
        elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        elf[16] = 3;
        elf[18] = 62;
        let content = if path.rsplit('.').next() == Some("txt") {
            b"text".to_vec()
        } else {
            elf
        };
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o755);
        header.set_cksum();
        tar.append_data(&mut header, path, content.as_slice()).unwrap();
    }
    let data = zstd::encode_all(tar.into_inner().unwrap().as_slice(), 1).unwrap();
    let mut deb = b"!<arch>\n".to_vec();
    for (name, content) in [("debian-binary", b"2.0\n".to_vec()), ("data.tar.zst", data)] {
        deb.extend(
            format!(
                "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                0,
                0,
                0,
                "100644",
                content.len()
            )
            .into_bytes(),
        );
        deb.extend(&content);
        if content.len() % 2 == 1 {
            deb.push(b'\n');
        }
    }
    deb
}

const MAKE: &[(&str, &str)] = &[
    ("Makefile", "hull: hull.c\n"),
    ("hull.c", "int main(void) { return 0; }\n"),
];
const CMAKE: &[(&str, &str)] = &[
    ("CMakeLists.txt", "project(keel C)\nadd_executable(keel keel.c)\n"),
    ("keel.c", "int main(void) { return 0; }\n"),
];

fn options(folder: &Path) -> MineOptions {
    let platform = Platform {
        distribution: "debian".to_owned(),
        release: "bookworm".to_owned(),
        arch: Arch::X86_64,
    };
    MineOptions {
        count: 4,
        labels: 3,
        ..MineOptions::new("harbour", folder, platform)
    }
}

fn harbour() -> FakeArchive {
    let archive = FakeArchive::new();
    archive.add(
        "hull",
        "1-1",
        MAKE,
        &["usr/bin/hull", "usr/share/doc/hull/readme.txt", "usr/lib/debug/x"],
    );
    archive.add(
        "keel",
        "2-1",
        CMAKE,
        &["usr/bin/keel", "usr/lib/x86_64-linux-gnu/libkeel.so.2.0.0"],
    );
    archive.add("snake", "1-1", MAKE, &["usr/lib/python3/dist-packages/snake.so"]);
    archive.add("leaflet", "1-1", MAKE, &["usr/share/leaflet.txt"]);
    archive.add(
        "fleet",
        "1-1",
        MAKE,
        &["usr/bin/a", "usr/bin/b", "usr/bin/c", "usr/bin/d"],
    );
    archive.add(
        "script",
        "1-1",
        &[("run.py", "print('a longer text')\n"), ("x.c", "int x;\n")],
        &["usr/bin/script"],
    );
    archive.add("lost", "1-1", MAKE, &["usr/bin/lost"]);
    archive
        .missing
        .lock()
        .unwrap()
        .insert("lost_1-1.orig.tar.gz".to_owned());
    archive.add("kernel", "1-1", MAKE, &["usr/bin/kernel"]);
    archive.change("kernel", |source| "kernel".clone_into(&mut source.section));
    archive.add("rusty", "1-1", MAKE, &["usr/bin/rusty"]);
    archive.change("rusty", |source| source.build_depends.push_str(", cargo"));
    archive.add("giant", "1-1", MAKE, &["usr/bin/giant"]);
    archive.change("giant", |source| source.files[0].size = 9_000_000);
    archive.add("cutter", "1-1", MAKE, &["usr/bin/hull"]);
    archive.change("cutter", |source| "kernel".clone_into(&mut source.section));
    archive
        .binaries
        .lock()
        .unwrap()
        .iter_mut()
        .filter(|binary| binary.package == "cutter")
        .for_each(|binary| {
            "hull (= 1)".clone_into(&mut binary.provides);
        });
    archive.add("patch", "1-1", MAKE, &["usr/bin/patch"]);
    archive
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for room in ["", "tasks", "truth"] {
        for entry in fs::read_dir(folder.join(room)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_draw_takes_what_fits_and_says_why_the_rest_does_not() {
    let (archive, folder) = (harbour(), tempfile::tempdir().unwrap());
    let report = mine_debian_compile(&archive, &options(folder.path()), &mut |_| {}).unwrap();
    let mut text = String::new();
    for (stratum, ids) in &report.strata {
        let _ = writeln!(
            text,
            "{stratum}: {}",
            ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        );
    }
    for task in report.corpus.tasks() {
        let truth = report.corpus.truth(&task.id).unwrap().body.compile().unwrap();
        let _ = writeln!(
            text,
            "{} blocks {:?}, expects {:?}",
            task.source, task.blocked_sources, truth.artifacts
        );
    }
    for left_out in &report.left_out {
        let _ = writeln!(text, "- {}: {}", left_out.package, left_out.reason);
    }
    expect![[r#"
        cmake: keel
        make: hull
        debian:hull=1-1 blocks ["hull", "cutter"], expects ["hull"]
        debian:keel=2-1 blocks ["keel"], expects ["keel", "libkeel.so.2.0.0"]
        - snake: has a binding whose name or place depends on Python
        - leaflet: its packages hold no ELF program or shared library
        - fleet: more than 3 expected names
        - script: mostly in other languages than C and C++
        - rusty: needs cargo
        - patch: part of the image
        - cutter: section kernel
        - kernel: section kernel
        - lost: the mirror lacks lost_1-1.orig.tar.gz
        - giant: upstream source over 1500000 bytes
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_same_draw_gives_the_same_corpus() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    mine_debian_compile(&harbour(), &options(first.path()), &mut |_| {}).unwrap();
    mine_debian_compile(&harbour(), &options(second.path()), &mut |_| {}).unwrap();
    assert_eq!(files(first.path()), files(second.path()));
    assert!(files(first.path())["left-out.tsv"].contains("section kernel\t2\tcutter kernel\n"));
}

#[test]
fn no_task_knows_its_answers() {
    let folder = tempfile::tempdir().unwrap();
    mine_debian_compile(&harbour(), &options(folder.path()), &mut |_| {}).unwrap();
    assert!(
        !fs::read_to_string(folder.path().join("tasks/keel.toml"))
            .unwrap()
            .contains("libkeel")
    );
}

#[test]
fn a_refresh_pins_anew_what_left_and_keeps_the_rest() {
    let (archive, folder) = (harbour(), tempfile::tempdir().unwrap());
    let options = options(folder.path());
    let mut corpus = mine_debian_compile(&archive, &options, &mut |_| {}).unwrap().corpus;
    for id in ["hull", "keel"] {
        corpus
            .set_state(&id.parse().unwrap(), TaskState::Calibrated, "", None)
            .unwrap();
    }
    corpus.save().unwrap();
    archive.add(
        "keel",
        "3-1",
        CMAKE,
        &["usr/bin/keel", "usr/lib/x86_64-linux-gnu/libkeel.so.3.0.0"],
    );
    let report = refresh(&mut corpus, &archive, &options, &mut |_| {}).unwrap();
    expect![[r#"RefreshReport { kept: [TaskId("hull")], repinned: [Repinned { task: TaskId("keel"), from: "2-1", to: "3-1" }], lost: [] }"#]].assert_eq(&format!("{report:?}"));
    let corpus = Corpus::load(folder.path()).unwrap();
    let keel = "keel".parse().unwrap();
    assert_eq!(corpus.lock(&keel).unwrap().state, TaskState::New);
    assert_eq!(
        corpus.lock(&"hull".parse().unwrap()).unwrap().state,
        TaskState::Calibrated
    );
    let truth = corpus.truth(&keel).unwrap().body.compile().unwrap();
    assert_eq!(truth.artifacts, ["keel", "libkeel.so.3.0.0"]);
    let SourceKind::Debian { version, .. } = &corpus.task(&keel).unwrap().source.origin else {
        panic!("no Debian source")
    };
    assert_eq!(version, "3-1");
    assert_eq!(corpus.facts().version, 2);
    archive
        .sources
        .lock()
        .unwrap()
        .retain(|source| source.package != "hull");
    let mut corpus = corpus;
    let report = refresh(&mut corpus, &archive, &options, &mut |_| {}).unwrap();
    assert_eq!(report.lost.len(), 1);
    assert_eq!(Corpus::load(folder.path()).unwrap().tasks().count(), 1);
}
