//! Cases of others: what is imported is a task, and what is no case is told, each by its own reason.

use std::{fmt::Write as _, path::Path};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::{Arch, Platform, SourceKind};
use seatrial_packaging::Package;
use seatrial_source::Fetcher;
use seatrial_store::Home;
use seatrial_suites::{CaseFormat, Corpus, ImportError, ImportOptions, ImportReport, import_cases};

const LOG: &str = "[    1s] Building ship for project 'home:someone:x86_succeed_pro' repository 'ARM' arch 'aarch64' srcmd5 'c0ffee'\n\
    [    9s] hull.c:1:10: fatal error: emmintrin.h: No such file or directory\n\
    [    9s] compilation terminated.\n[    9s] make: *** [Makefile:2: hull.o] Error 1\n";
const SPEC: &str = "Name: ship\nVersion: 1\nRelease: 0\nSummary: a ship\nLicense: MIT\nSource0: ship-1.tar\n\n\
    %description\nA ship.\n\n%prep\n%autosetup\n\n%build\nmake\n\n%files\n";

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn archive() -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let content = b"#include <emmintrin.h>\n";
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, "ship-1/hull.c", content.as_slice())
        .unwrap();
    tar.into_inner().unwrap()
}

/// A case folder of Build-bench; `size` is what the manifest says of the archive.
fn case(folder: &Path) {
    write(folder, "ship.spec", SPEC);
    write(folder, "ship-1.tar", archive());
    write(folder, "_constraints", "<constraints/>\n");
    write(folder, "log_failed.txt", LOG);
    manifest(folder, "aarch64", &["ship.spec", "ship-1.tar", "_constraints"]);
}

fn manifest(folder: &Path, arch: &str, files: &[&str]) {
    let files: Vec<_> = files
        .iter()
        .map(|name| {
            let size = fs::metadata(folder.join(name)).map_or(1, |metadata| metadata.len());
            serde_json::json!({ "name": name, "size": size.to_string() })
        })
        .collect();
    let manifest = serde_json::json!({
        "task": {
            "project": "home:someone:x86_succeed_pro", "package": "ship", "repo": "ARM", "arch": arch, "rev": "1",
            "srcmd5": "c0ffee",
        },
        "files": files, "created_at": 1_700_000_000, "version": 1,
    });
    write(folder, "manifest.json", manifest.to_string());
}

struct Place {
    folder: tempfile::TempDir,
    home: Home,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        Self { folder, home }
    }

    fn import(&self, from: &Path, format: CaseFormat) -> Result<ImportReport, ImportError> {
        let platform: Platform = "debian:bookworm/x86_64".parse().unwrap();
        let fetcher = Fetcher::new(&self.home, &platform);
        let options = ImportOptions {
            format,
            corpus: self.folder.path().join("corpus"),
            platform,
            works_on: None,
            fetcher: &fetcher,
            blobs: self.home.blobs(),
        };
        import_cases(from, &options)
    }
}

#[test]
fn a_case_of_build_bench_is_a_task_with_its_log_and_the_very_sources() {
    let place = Place::new();
    let from = place.folder.path().join("x86_succeed_pro/ship");
    case(&from);
    write(&from, "notes.txt", "mine");
    let report = place.import(&from, CaseFormat::BuildBench).unwrap();
    assert_eq!(
        report.notes,
        ["ship: `notes.txt` was left out: the manifest does not list it among the sources"]
    );
    let [id] = report.tasks.as_slice() else {
        panic!("{report:?}")
    };
    // As another program reads it, in a data folder that never saw the case.
    let corpus = Corpus::load(report.corpus.folder()).unwrap();
    let elsewhere = Home::open(place.folder.path().join("elsewhere")).unwrap();
    corpus.keep_blobs(&elsewhere.blobs()).unwrap();
    fs::remove_dir_all(&from).unwrap();
    let task = corpus.task(id).unwrap();
    let goal = task.goal.repair().unwrap();
    assert_eq!((goal.works_on, goal.target), (Some(Arch::X86_64), Arch::Aarch64));
    assert_eq!(
        elsewhere.blobs().read(&goal.failed_log.unwrap()).unwrap(),
        LOG.as_bytes()
    );
    let tree = Fetcher::new(&elsewhere, &task.platform).fetch(&task.source).unwrap();
    let mut names: Vec<_> = fs::read_dir(&tree.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["_constraints", "ship-1.tar", "ship.spec"]);
    let package = Package::open(&tree.root).unwrap();
    assert!(package.root().join("ship-1/hull.c").is_file());
    let truth = corpus.truth(id).unwrap().body.repair().unwrap();
    expect![[r#"
        RepairTruth {
            class: "compilation",
            origin: "imported: a case of Build-bench, ship of home:someone:x86_succeed_pro, revision 1, sources c0ffee; the class is the diagnosis's",
            gold: None,
            fault: None,
        }
    "#]]
    .assert_debug_eq(truth);
}

#[test]
fn the_same_case_is_the_same_task_and_another_one_gets_another_name() {
    let place = Place::new();
    let cases = place.folder.path().join("cases");
    case(&cases.join("a"));
    let first = place.import(&cases, CaseFormat::BuildBench).unwrap();
    let lock = fs::read(first.corpus.folder().join("corpus.lock")).unwrap();
    let again = place.import(&cases, CaseFormat::BuildBench).unwrap();
    assert_eq!(first.tasks, again.tasks);
    assert_eq!(fs::read(again.corpus.folder().join("corpus.lock")).unwrap(), lock);
    case(&cases.join("b"));
    write(&cases.join("b"), "ship.spec", SPEC.replace("Release: 0", "Release: 1"));
    let more = place.import(&cases, CaseFormat::BuildBench).unwrap();
    let names: Vec<_> = more.tasks.iter().map(seatrial_core::TaskId::as_str).collect();
    assert_eq!(names, ["ship-aarch64-1", "ship-aarch64-2"]);
}

#[test]
fn what_is_no_case_is_told_each_by_its_own_reason() {
    type Spoil = fn(&Path);
    let spoils: [(&str, Spoil); 12] = [
        ("no manifest", |folder| {
            fs::remove_file(folder.join("manifest.json")).unwrap();
        }),
        ("a manifest of no JSON", |folder| {
            write(folder, "manifest.json", "task:");
        }),
        ("a newer manifest", |folder| {
            let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
            write(folder, "manifest.json", text.replace("\"version\":1", "\"version\":2"));
        }),
        ("no log", |folder| {
            fs::remove_file(folder.join("log_failed.txt")).unwrap();
        }),
        ("an empty log", |folder| {
            write(folder, "log_failed.txt", "");
        }),
        ("two specs", |folder| {
            write(folder, "boat.spec", SPEC);
            manifest(folder, "aarch64", &["ship.spec", "boat.spec", "ship-1.tar"]);
        }),
        ("no spec", |folder| {
            fs::remove_file(folder.join("ship.spec")).unwrap();
            manifest(folder, "aarch64", &["ship-1.tar"]);
        }),
        ("a listed archive is missing", |folder| {
            fs::remove_file(folder.join("ship-1.tar")).unwrap();
        }),
        ("an archive of the recipe is missing", |folder| {
            manifest(folder, "aarch64", &["ship.spec"]);
        }),
        ("an archive of another size", |folder| {
            write(folder, "ship-1.tar", "short");
        }),
        ("an unknown architecture", |folder| {
            manifest(folder, "vax", &["ship.spec", "ship-1.tar"]);
        }),
        ("a file of elsewhere", |folder| {
            manifest(folder, "aarch64", &["../ship.spec"]);
        }),
    ];
    let mut text = String::new();
    for (name, spoil) in spoils {
        let place = Place::new();
        let cases = place.folder.path().join("cases");
        case(&cases.join("good"));
        case(&cases.join("spoiled"));
        spoil(&cases.join("spoiled"));
        let report = place.import(&cases, CaseFormat::BuildBench).unwrap();
        assert_eq!(report.tasks.len(), 1, "{name}: the other one is a task all the same");
        let [refused] = report.refused.as_slice() else {
            panic!("{name}: {report:?}")
        };
        let shown = refused.problem.to_string();
        let shown = shown.replace(&cases.display().to_string(), "CASES");
        writeln!(text, "{name}: {shown}").unwrap();
    }
    expect![[r#"
        no manifest: it has no `manifest.json`, which says what the case is; name a case folder, or a folder of such folders
        a manifest of no JSON: `manifest.json`: it is no JSON: expected ident at line 1 column 2
        a newer manifest: `manifest.json` is of version 2, and this program reads version 1
        no log: it has no log of the build that failed (`log_failed.txt`), and without one nobody knows what to repair
        an empty log: it has no log of the build that failed (`log_failed.txt`), and without one nobody knows what to repair
        two specs: `CASES/spoiled` has several recipes: boat.spec, ship.spec; leave one of them there
        no spec: `CASES/spoiled` has no recipe; give a .dsc file, an unpacked tree with debian/control, or a folder with one .spec file
        a listed archive is missing: `manifest.json` lists `ship-1.tar`, which is not there; get the whole case again
        an archive of the recipe is missing: `ship.spec` names `ship-1.tar`, which is not there; put it beside the recipe
        an archive of another size: `ship-1.tar` has 5 bytes, and `manifest.json` says 2048; get the whole case again
        an unknown architecture: `manifest.json` names the architecture `vax`, which is none of those known here (x86_64, aarch64, riscv64, ppc64le, s390x, i686, armv7l)
        a file of elsewhere: `manifest.json`: it names `../ship.spec`, which is no file of the case's own folder
    "#]].assert_eq(&text);
}

#[test]
fn a_spec_in_an_old_encoding_is_read_and_kept_as_it_is() {
    let place = Place::new();
    let from = place.folder.path().join("ship");
    case(&from);
    let bytes = [
        SPEC.as_bytes(),
        b"\n%changelog\n* Mon Jan 01 2024 J\xf6rg <j@example.org>\n- First\n",
    ]
    .concat();
    write(&from, "ship.spec", &bytes);
    manifest(&from, "aarch64", &["ship.spec", "ship-1.tar"]);
    let report = place.import(&from, CaseFormat::BuildBench).unwrap();
    let task = report.corpus.task(report.tasks.first().unwrap()).unwrap();
    let tree = Fetcher::new(&place.home, &task.platform).fetch(&task.source).unwrap();
    assert_eq!(fs::read(tree.root.join("ship.spec")).unwrap(), bytes);
}

#[test]
fn folders_without_cases_and_corpora_of_another_suite_are_refused() {
    let place = Place::new();
    let empty = place.folder.path().join("empty");
    fs::create_dir_all(empty.join("a")).unwrap();
    let error = place.import(&empty, CaseFormat::BuildBench).unwrap_err();
    assert!(matches!(error, ImportError::NoCases(_)), "{error}");

    let from = place.folder.path().join("ship");
    case(&from);
    place.import(&from, CaseFormat::BuildBench).unwrap();
    let facts = place.folder.path().join("corpus/corpus.toml");
    let text = fs::read_to_string(&facts).unwrap();
    fs::write(&facts, text.replace("suite = \"repair\"", "suite = \"compile\"")).unwrap();
    for room in ["tasks", "truth"] {
        fs::remove_dir_all(place.folder.path().join("corpus").join(room)).unwrap();
        fs::create_dir_all(place.folder.path().join("corpus").join(room)).unwrap();
    }
    let error = place.import(&from, CaseFormat::BuildBench).unwrap_err();
    assert!(matches!(error, ImportError::OtherSuite { .. }), "{error}");
}

/// A side of a case of the challenge.
fn side(folder: &Path, side: &str, arch: &str, log: &str) {
    for (name, text) in [
        (
            "input/debian/control",
            "Source: boat\nMaintainer: A <a@example.org>\n\nPackage: boat\nArchitecture: any\nDescription: a boat\n",
        ),
        (
            "input/debian/changelog",
            "boat (1.0) unstable; urgency=low\n\n  * First.\n\n -- A <a@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n",
        ),
        ("input/debian/rules", "#!/usr/bin/make -f\n%:\n\tdh $@\n"),
        ("input/debian/source/format", "3.0 (native)\n"),
        ("logs/initial-build.log", log),
    ] {
        write(folder, name, text);
    }
    // What the case names is a description, made of the tree.
    let packed = folder.join("packed");
    let package = Package::open(&folder.join("input")).unwrap();
    package.pack(&packed).unwrap();
    fs::remove_dir_all(folder.join("input")).unwrap();
    fs::rename(&packed, folder.join("input")).unwrap();
    let manifest = serde_json::json!({
        "schema_version": "1.0", "case_id": format!("archive-arm64-amd64-boat-1--{side}"), "package_type": "deb",
        "build": {
            "recipe": "input/boat_1.0.dsc", "buildconfig": "config/x", "architecture": arch, "timeout_seconds": 1200,
        },
    });
    write(folder, "manifest.json", manifest.to_string());
    let info = serde_json::json!({
        "case_id": "archive-arm64-amd64-boat-1", "package_name": "boat", "direction": "aarch64_to_x86_64",
    });
    write(folder, "evidence/case-info.json", info.to_string());
}

#[test]
fn both_sides_of_a_case_of_the_challenge_make_one_task() {
    let place = Place::new();
    let cases = place.folder.path().join("cases");
    side(&cases.join("boat-source"), "source", "aarch64", "it works\n");
    side(
        &cases.join("boat-target"),
        "target",
        "x86_64",
        "boat.c:1: error: unknown type name 'sail_t'\n",
    );
    let report = place.import(&cases, CaseFormat::Challenge).unwrap();
    let [refused] = report.refused.as_slice() else {
        panic!("{report:?}")
    };
    assert!(refused.problem.is_counterpart(), "{}", refused.problem);
    let [id] = report.tasks.as_slice() else {
        panic!("{report:?}")
    };
    let task = report.corpus.task(id).unwrap();
    let goal = task.goal.repair().unwrap();
    assert_eq!((goal.works_on, goal.target), (Some(Arch::Aarch64), Arch::X86_64));
    assert!(matches!(task.source.origin, SourceKind::Kept { .. }));
    assert_eq!(task.budget.grade_seconds, Some(1200));
    let read = |log| String::from_utf8(place.home.blobs().read(&log).unwrap()).unwrap();
    assert_eq!(read(goal.working_log.unwrap()), "it works\n");
    assert!(read(goal.failed_log.unwrap()).contains("sail_t"));
    assert_eq!(id.as_str(), "boat-x86-64-1");
}

#[test]
fn what_is_no_case_of_the_challenge_is_told_each_by_its_own_reason() {
    type Spoil = fn(&Path);
    let edit = |folder: &Path, file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(from), "{text}");
        write(folder, file, text.replace(from, to));
    };
    let mut text = String::new();
    let edits = [
        ("a newer manifest", "manifest.json", "\"1.0\"", "\"2.0\""),
        ("an unknown architecture", "manifest.json", "\"x86_64\"", "\"vax\""),
        (
            "a recipe that is not there",
            "manifest.json",
            "boat_1.0.dsc",
            "boat_2.0.dsc",
        ),
        (
            "a recipe of elsewhere",
            "manifest.json",
            "input/boat_1.0.dsc",
            "../boat_1.0.dsc",
        ),
        ("a third machine", "evidence/case-info.json", "to_x86_64", "to_riscv64"),
        (
            "a direction of no form",
            "evidence/case-info.json",
            "aarch64_to_x86_64",
            "backwards",
        ),
    ];
    let mut tell = |name: &str, spoil: &dyn Fn(&Path)| {
        let place = Place::new();
        let from = place.folder.path().join("boat");
        side(&from, "target", "x86_64", "error: it fails\n");
        spoil(&from);
        let report = place.import(&from, CaseFormat::Challenge).unwrap();
        let refused = report.refused.first().unwrap();
        writeln!(text, "{name}: {}", refused.problem).unwrap();
    };
    for (name, file, from, to) in edits {
        tell(name, &|folder| edit(folder, file, from, to));
    }
    let spoils: [(&str, Spoil); 2] = [
        ("no log", |folder| {
            fs::remove_dir_all(folder.join("logs")).unwrap();
        }),
        ("a missing archive", |folder| {
            fs::remove_file(folder.join("input/boat_1.0.tar.xz")).unwrap();
        }),
    ];
    for (name, spoil) in spoils {
        tell(name, &spoil);
    }
    expect![[r#"
        a newer manifest: `manifest.json` is of version 2.0, and this program reads version 1.0
        an unknown architecture: `manifest.json` names the architecture `vax`, which is none of those known here (x86_64, aarch64, riscv64, ppc64le, s390x, i686, armv7l)
        a recipe that is not there: `manifest.json` lists `input/boat_2.0.dsc`, which is not there; get the whole case again
        a recipe of elsewhere: `manifest.json`: it names `../boat_1.0.dsc`, which is no file of the case's own folder
        a third machine: `evidence/case-info.json`: it is about aarch64 and riscv64, and the manifest builds on x86_64
        a direction of no form: `evidence/case-info.json`: the direction `backwards` is not of the form `A_to_B`
        no log: it has no log of the build that failed (in `logs/`), and without one nobody knows what to repair
        a missing archive: `boat_1.0.dsc` names `boat_1.0.tar.xz`, which is not there; put it beside the recipe
    "#]].assert_eq(&text);
}
