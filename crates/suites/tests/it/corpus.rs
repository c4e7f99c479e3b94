//! Corpora on disk: what is written is read again, and what is wrong is named.

use std::{collections::BTreeSet, path::Path};

use expect_test::{Expect, expect};
use fs_err as fs;
use seatrial_core::{
    Budget, CompileTruth, Digest, FilePin, Goal, PinnedSource, Platform, RepairTruth, SourceKind, Task, TaskId, Truth,
    TruthBody,
};
use seatrial_suites::{Corpus, CorpusFacts, Side, Split, TaskState};

fn facts() -> CorpusFacts {
    CorpusFacts {
        format: 1,
        name: "harbour".to_owned(),
        version: 1,
        about: "A few ships.".to_owned(),
        suite: "compile".parse().unwrap(),
        platform: "debian:bookworm/x86_64".to_owned(),
        archive_revision: "r1".to_owned(),
        seed: 7,
        tool: "0.1.0".to_owned(),
        split: None,
    }
}

fn task(name: &str) -> (Task, Truth) {
    let task = Task {
        id: name.parse().unwrap(),
        suite: "compile".parse().unwrap(),
        source: PinnedSource {
            name: name.to_owned(),
            origin: SourceKind::Debian {
                package: name.to_owned(),
                version: "1:2.0~rc1-1+b1".to_owned(),
                directory: format!("pool/main/h/{name}"),
                files: vec![FilePin {
                    name: format!("{name}_2.0.dsc"),
                    size: 12,
                    sha256: "00".repeat(32),
                }],
                packaging: false,
            },
            tree: Some(Digest::of(name.as_bytes())),
        },
        platform: Platform {
            distribution: "debian".to_owned(),
            release: "bookworm".to_owned(),
            arch: seatrial_core::Arch::X86_64,
        },
        goal: Goal::Compile,
        budget: Budget::default(),
        blocked_sources: vec![name.to_owned()],
    };
    let truth = Truth {
        task: task.id.clone(),
        body: TruthBody::Compile(CompileTruth::of(vec![name.to_owned(), format!("lib{name}.so.2.0.0")])),
    };
    (task, truth)
}

fn corpus(folder: &Path) -> Corpus {
    let mut corpus = Corpus::new(folder, facts());
    for name in ["hull", "keel", "mast"] {
        let (task, truth) = task(name);
        corpus.insert(task, truth);
    }
    corpus.save().unwrap();
    corpus
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = corpus(folder.path());
    let keel = "keel".parse().unwrap();
    written
        .set_state(&keel, TaskState::Quarantined, "the label is a by-product", None)
        .unwrap();
    written.save_lock().unwrap();
    let read = Corpus::load(folder.path()).unwrap();
    assert_eq!(read.facts(), &facts());
    assert_eq!(read.digest(), written.digest());
    assert_eq!(read.warnings(), [] as [String; 0]);
    let names: Vec<&str> = read.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(names, ["hull", "mast"]);
    assert_eq!(read.all_tasks().count(), 3);
    assert_eq!(read.task(&keel).unwrap(), &task("keel").0);
    assert_eq!(read.truth(&keel).unwrap(), &task("keel").1);
    assert_eq!(read.lock(&keel).unwrap().reason, "the label is a by-product");
}

#[test]
fn a_task_that_changed_is_new_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = corpus(folder.path());
    let hull = "hull".parse().unwrap();
    written
        .set_state(&hull, TaskState::Calibrated, "", Some(Digest::of(b"image")))
        .unwrap();
    written.save().unwrap();
    let path = folder.path().join("truth/hull.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("so.2.0.0", "so.3")).unwrap();
    let read = Corpus::load(folder.path()).unwrap();
    assert_eq!(read.lock(&hull).unwrap().state, TaskState::New);
    assert_eq!(read.warnings(), ["the task `hull` changed since it was calibrated"]);
    assert_ne!(read.digest(), written.digest());
}

#[test]
fn the_layout_of_a_file_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let written = corpus(folder.path());
    let path = folder.path().join("tasks/hull.toml");
    fs::write(&path, format!("# A remark.\n\n{}", fs::read_to_string(&path).unwrap())).unwrap();
    assert_eq!(Corpus::load(folder.path()).unwrap().digest(), written.digest());
}

fn check_broken(file: &str, from: &str, to: &str, expected: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    drop(corpus(folder.path()));
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let error = Corpus::load(folder.path()).unwrap_err().to_string();
    expected.assert_eq(&error.replace(&folder.path().display().to_string(), "CORPUS"));
}

#[test]
fn what_is_wrong_is_named() {
    check_broken(
        "tasks/hull.toml",
        "id = ",
        "color = \"red\"\nid = ",
        &expect![[r#"
        CORPUS/tasks/hull.toml: TOML parse error at line 1, column 1
          |
        1 | color = "red"
          | ^^^^^
        unknown field `color`, expected one of `id`, `suite`, `source`, `platform`, `goal`, `budget`, `blocked_sources`"#]],
    );
    check_broken(
        "tasks/hull.toml",
        "id = \"hull\"",
        "id = \"keel\"",
        &expect!["CORPUS/tasks/hull.toml: key `id` is `keel`, which is not the file's name"],
    );
    check_broken(
        "tasks/hull.toml",
        "suite = \"compile\"",
        "suite = \"repair\"",
        &expect!["CORPUS/tasks/hull.toml: key `suite` is `repair`, but the corpus is of the suite `compile`"],
    );
    check_broken(
        "tasks/hull.toml",
        "x86_64",
        "vax",
        &expect![[r#"
        CORPUS/tasks/hull.toml: TOML parse error at line 24, column 8
           |
        24 | arch = "vax"
           |        ^^^^^
        unknown variant `vax`, expected one of `x86_64`, `aarch64`, `riscv64`, `ppc64le`, `s390x`, `i686`, `armv7l`"#]],
    );
    check_broken(
        "truth/hull.toml",
        "task = \"hull\"",
        "task = \"mast\"",
        &expect!["CORPUS/truth/hull.toml: key `task` is `mast`, which is not the file's name"],
    );
    check_broken(
        "truth/hull.toml",
        "artifacts = [",
        "artifacts = [3, ",
        &expect![[r"
        CORPUS/truth/hull.toml: TOML parse error at line 3, column 1
          |
        3 | [body]
          | ^^^^^^
        invalid type: integer `3`, expected a string"]],
    );
    check_broken(
        "corpus.toml",
        "format = 1",
        "format = 99",
        &expect!["CORPUS/corpus.toml: key `format` is 99; this program reads up to 1: a newer seatrial wrote it"],
    );
    check_broken(
        "corpus.lock",
        "b3:",
        "b4:",
        &expect![[r#"
        CORPUS/corpus.lock: TOML parse error at line 5, column 8
          |
        5 | task = "b4:2516f75f08be95d102c0d2f710fff7b623cac5aab40773c8739b63be9b4d7e79"
          |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        `b4:2516f75f08be95d102c0d2f710fff7b623cac5aab40773c8739b63be9b4d7e79` is not a digest (expected `b3:` and 64 hexadecimal digits)"#]],
    );
}

#[test]
fn missing_parts_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Corpus::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("is not a corpus"), "{error}");
    drop(corpus(folder.path()));
    fs::remove_file(folder.path().join("truth/mast.toml")).unwrap();
    let error = Corpus::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("truth/mast.toml"), "{error}");
}

#[test]
fn a_split_keeps_what_was_seen_before_and_is_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = Corpus::new(folder.path(), facts());
    for name in ["ark", "brig", "cog", "dhow", "hulk", "ketch", "pram", "skiff"] {
        let (task, truth) = task(name);
        corpus.insert(task, truth);
    }
    let older: BTreeSet<TaskId> = ["ark", "brig", "cog"]
        .iter()
        .map(|name| name.parse().unwrap())
        .collect();
    let split = Split::draw(&corpus, 7, &older);
    assert_eq!(split, Split::draw(&corpus, 7, &older));
    assert_ne!(split.unseen, Split::draw(&corpus, 8, &older).unseen);
    assert_eq!(split.unseen.len(), 4);
    assert!(older.iter().all(|id| split.has(Side::Seen, id)));
    corpus.facts_mut().split = Some(split.clone());
    corpus.save().unwrap();
    assert_eq!(Corpus::load(folder.path()).unwrap().facts().split, Some(split));
    // More than half were looked at before: then all others are kept.
    let older: BTreeSet<TaskId> = corpus.all_tasks().map(|task| task.id.clone()).take(6).collect();
    assert_eq!(Split::draw(&corpus, 7, &older).unseen.len(), 2);
}

#[test]
fn what_has_a_source_or_a_planted_fault_in_common_is_on_one_side() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = Corpus::new(folder.path(), facts());
    // Each row: a task, its source, its planted fault.
    for (name, source, fault) in [
        ("ark-1", "ark", Some("rdtsc")),
        ("ark-2", "ark", Some("flag")),
        ("brig-1", "brig", Some("flag")),
        ("cog-1", "cog", None),
        ("dhow-1", "dhow", None),
        ("hulk-1", "hulk", Some("list")),
        ("ketch-1", "ketch", Some("list")),
        ("pram-1", "pram", Some("path")),
    ] {
        let (mut task, mut truth) = task(name);
        task.source.name = source.to_owned();
        truth.body = TruthBody::Repair(RepairTruth {
            class: "packaging".to_owned(),
            origin: "made for a test".to_owned(),
            gold: None,
            fault: fault.map(str::to_owned),
        });
        corpus.insert(task, truth);
    }
    for seed in 1..20 {
        let split = Split::draw(&corpus, seed, &BTreeSet::new());
        for group in [&["ark-1", "ark-2", "brig-1"][..], &["hulk-1", "ketch-1"]] {
            let hidden = group.iter().filter(|id| split.unseen.contains(&id.parse().unwrap()));
            assert!([0, group.len()].contains(&hidden.count()), "seed {seed}: {group:?}");
        }
        assert!((3..=4).contains(&split.unseen.len()), "seed {seed}: {:?}", split.unseen);
    }
    // Who knew one of a group knew the others.
    let older = BTreeSet::from(["ark-1".parse().unwrap()]);
    let split = Split::draw(&corpus, 3, &older);
    assert!(split.has(Side::Seen, &"brig-1".parse().unwrap()));
}
