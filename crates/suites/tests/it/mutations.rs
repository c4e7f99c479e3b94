//! The set of failing logs: its form, its grader, its miner in real boxes, and the committed set itself.

use std::path::{Path, PathBuf};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::Platform;
use seatrial_diagnosis::{Class, Kind};
use seatrial_sandbox::Network;
use seatrial_source::Fetcher;
use seatrial_suites::{
    Answer, Case, CaseSet, Catalogue, MiningFloor, MutationError, MutationOptions, Reveal, SetFacts, Share, Side,
    grade, judge, mine_mutations, reveal, sides,
};

use crate::boxes::boxes;

fn case(subject: &[&str], lines: (u64, u64)) -> Case {
    Case {
        id: "hull.dev-package-removed".to_owned(),
        project: "hull".to_owned(),
        instance: String::new(),
        mutation: "dev-package-removed".to_owned(),
        variant: Vec::new(),
        class: Class::Preparation,
        also: Vec::new(),
        kind: vec![Kind::MissingHeader, Kind::MissingFile],
        subject: subject.iter().map(|text| (*text).to_owned()).collect(),
        lines,
        remedy: "install zlib1g-dev".to_owned(),
        tools: Vec::new(),
        platform: "debian:bookworm/x86_64".to_owned(),
        split: Side::Seen,
    }
}

#[test]
fn an_answer_is_judged_by_class_kind_subject_and_line() {
    let wanted = case(&["zlib.h", "<zlib.h>"], (10, 12));
    let right = Answer {
        class: Some(Class::Preparation),
        kind: Some(Kind::MissingHeader),
        subject: "zlib.h".to_owned(),
        lines: Some((10, 12)),
    };
    let with = |change: &dyn Fn(&mut Answer)| {
        let mut answer = right.clone();
        change(&mut answer);
        let judgement = judge(&wanted, &answer);
        [judgement.class, judgement.kind, judgement.subject, judgement.line]
    };
    assert_eq!(with(&|_| {}), [true; 4]);
    assert_eq!(
        with(&|answer| answer.class = Some(Class::Test)),
        [false, true, true, true]
    );
    assert_eq!(with(&|answer| answer.kind = Some(Kind::MissingFile)), [true; 4]);
    assert_eq!(
        with(&|answer| answer.kind = Some(Kind::MissingCommand)),
        [true, false, false, true]
    );
    assert_eq!(with(&|answer| answer.subject = "`ZLIB.H'".to_owned()), [true; 4]);
    assert_eq!(
        with(&|answer| answer.subject = "zlib".to_owned()),
        [true, true, false, true]
    );
    for (lines, hit) in [
        ((9, 9), true),
        ((13, 13), true),
        ((8, 8), false),
        ((14, 20), false),
        ((5, 11), true),
        ((1, 500), false),
        ((10, 500), true),
    ] {
        assert_eq!(with(&|answer| answer.lines = Some(lines))[3], hit, "{lines:?}");
    }
    let nothing = judge(&wanted, &Answer::default());
    assert!(!nothing.answered && !nothing.class && !nothing.kind && !nothing.subject && !nothing.line);
    assert!(
        judge(&case(&[], (10, 12)), &right).subject,
        "a kind without a subject takes any"
    );
    assert!(judge(&case(&["debian/control", ""], (10, 12)), &right).subject);
}

fn write_set(folder: &Path, facts: &str, cases: &str) {
    fs::create_dir_all(folder.join("logs")).unwrap();
    for name in ["hull.dev-package-removed", "a", "b", "c"] {
        fs::write(folder.join(format!("logs/{name}.log")), "log\n").unwrap();
    }
    fs::write(folder.join("corpus.toml"), facts).unwrap();
    fs::write(folder.join("cases.jsonl"), cases).unwrap();
}

const FACTS: &str = "version = 1\nsuite = \"diagnosis\"\nname = \"m\"\nabout = \"\"\nseed = 1\n\
                     unseen_projects = []\nunseen_mutations = []\ndropped = 0\n";

#[test]
fn a_damaged_set_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let good = serde_json::to_string(&case(&["zlib.h"], (3, 3))).unwrap();
    let said = |facts: &str, cases: &str| {
        write_set(folder.path(), facts, cases);
        let error = CaseSet::load(folder.path()).unwrap_err().to_string();
        error.replace(&*folder.path().to_string_lossy(), "DIR")
    };
    let mut all = String::new();
    for (facts, cases) in [
        (FACTS.replace("diagnosis", "compile"), good.clone()),
        (FACTS.replace("version = 1", "version = 9"), good.clone()),
        (FACTS.to_owned(), format!("{good}\n{good}\n")),
        (FACTS.to_owned(), good.replace("hull.dev-package-removed", "../outside")),
        (FACTS.to_owned(), good.replace("[3,3]", "[3,2]")),
        (
            FACTS.to_owned(),
            good.replace("\"missing_header\",\"missing_file\"", ""),
        ),
        (FACTS.to_owned(), "{}".to_owned()),
        (FACTS.to_owned(), good.get(..good.len() / 2).unwrap().to_owned()),
        (FACTS.to_owned(), good.replace("hull.dev", "keel.dev")),
    ] {
        all.push_str(&said(&facts, &cases));
        all.push('\n');
    }
    expect![[r#"
        DIR holds no set of failing logs: it has no corpus.toml of the suite `diagnosis`; name the folder of one, such as corpora/mutations
        DIR/corpus.toml: version 9 of the form, this program knows up to 2; use a newer program
        DIR/cases.jsonl, line 2: `hull.dev-package-removed` is there twice
        DIR/cases.jsonl, line 1: `../outside` is no name of a case
        DIR/cases.jsonl, line 1: `hull.dev-package-removed`: (3, 2) are no lines
        DIR/cases.jsonl, line 1: `hull.dev-package-removed` has no kind
        DIR/cases.jsonl, line 1: missing field `id` at line 1 column 2
        DIR/cases.jsonl, line 1: EOF while parsing a string at line 1 column 136
        DIR/cases.jsonl, line 1: the log of `keel.dev-package-removed` is not there: DIR/logs/keel.dev-package-removed.log
    "#]]
    .assert_eq(&all);
    write_set(folder.path(), FACTS, "");
    fs::write(
        folder.path().join("cases.jsonl"),
        [good.as_bytes(), b"\n\xff\n"].concat(),
    )
    .unwrap();
    let error = CaseSet::load(folder.path()).unwrap_err().to_string();
    assert!(
        error.ends_with("cases.jsonl, line 2: it is not text in UTF-8"),
        "{error}"
    );
    assert!(matches!(
        CaseSet::load(&folder.path().join("nothing")),
        Err(MutationError::NoSet(_))
    ));
}

#[test]
fn the_unseen_half_is_counted_and_never_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    for (id, split) in [("a", Side::Seen), ("b", Side::Unseen), ("c", Side::Unseen)] {
        let case = Case {
            id: id.to_owned(),
            split,
            ..case(&["zlib.h"], (1, 1))
        };
        lines.push_str(&serde_json::to_string(&case).unwrap());
        lines.push('\n');
    }
    write_set(folder.path(), FACTS, &lines);
    for id in ["a", "b", "c"] {
        fs::write(folder.path().join(format!("logs/{id}.log")), "log\n").unwrap();
    }
    let set = CaseSet::load(folder.path()).unwrap();
    let grades = grade(&set, None, &mut |_, _| Answer::default()).unwrap();
    assert_eq!(grades.by_split[&Side::Seen].cases, 1);
    assert_eq!(grades.by_split[&Side::Unseen].cases, 2);
    let listed: Vec<_> = grades.wrong.iter().map(|(case, ..)| &*case.id).collect();
    assert_eq!(listed, ["a"]);
    let only = grade(&set, Some(Side::Unseen), &mut |_, _| Answer::default()).unwrap();
    assert!(only.wrong.is_empty() && !only.by_split.contains_key(&Side::Seen));
}

/// A set of eight projects and eight mutations, half of each held out.
fn held_out(folder: &Path) -> CaseSet {
    let share = Share::new(1);
    let names = |what: &str, side: &dyn Fn(&str) -> Side| {
        let all: Vec<String> = (0..100).map(|n| format!("{what}-{n}")).collect();
        let of = |wanted: Side| all.iter().filter(move |name| side(name) == wanted).take(4).cloned();
        of(Side::Seen).chain(of(Side::Unseen)).collect::<Vec<_>>()
    };
    let (projects, mutations) = (
        names("project", &|name| share.project(name)),
        names("mutation", &|name| share.mutation(name)),
    );
    let mut lines = String::new();
    fs::create_dir_all(folder.join("logs")).unwrap();
    for project in &projects {
        for mutation in &mutations {
            let case = Case {
                id: format!("{project}.{mutation}"),
                project: project.clone(),
                mutation: mutation.clone(),
                split: share.case(project, mutation),
                ..case(&["zlib.h"], (1, 1))
            };
            lines.push_str(&serde_json::to_string(&case).unwrap());
            lines.push('\n');
            fs::write(folder.join(format!("logs/{}.log", case.id)), format!("{}\n", case.id)).unwrap();
        }
    }
    let mut facts = SetFacts::new("m", 1);
    facts.unseen_projects = projects
        .into_iter()
        .filter(|name| share.project(name) == Side::Unseen)
        .collect();
    facts.unseen_mutations = mutations
        .into_iter()
        .filter(|name| share.mutation(name) == Side::Unseen)
        .collect();
    write_set(folder, &toml::to_string(&facts).unwrap(), &lines);
    CaseSet::load(folder).unwrap()
}

#[test]
fn a_part_of_what_is_held_out_is_revealed_and_kept_in_mind() {
    let folder = tempfile::tempdir().unwrap();
    let before = held_out(folder.path());
    let drawn = Reveal::draw(&before, 9, 50, "2026-01-31");
    assert_eq!(
        drawn,
        Reveal::draw(&before, 9, 50, "2026-01-31"),
        "a seed draws the same"
    );
    assert!(
        (10..20).any(|seed| Reveal::draw(&before, seed, 50, "").mutations != drawn.mutations),
        "other seeds draw others"
    );
    assert_eq!((drawn.projects.len(), drawn.mutations.len()), (2, 2));
    let after = reveal(folder.path(), drawn.clone()).unwrap();
    assert_eq!(after.facts().reveals, std::slice::from_ref(&drawn));
    assert_eq!((sides(&before), sides(&after)), ((16, 48), (36, 28)));
    let held = |set: &CaseSet, case: &Case| {
        set.facts().unseen_projects.contains(&case.project) || set.facts().unseen_mutations.contains(&case.mutation)
    };
    for (case, old) in after.cases().iter().zip(before.cases()) {
        assert_eq!(case.split == Side::Unseen, held(&after, case), "{}", case.id);
        assert_eq!(Share::of(after.facts()).case(&case.project, &case.mutation), case.split);
        assert!(case.split <= old.split, "{} goes out of sight", case.id);
        assert_eq!(after.log(case).unwrap(), format!("{}\n", case.id).into_bytes());
    }
    // What is left is drawn from the next time, and at last nothing is.
    let all = reveal(folder.path(), Reveal::draw(&after, 9, 100, "2026-02-01")).unwrap();
    assert_eq!((sides(&all), all.facts().reveals.len()), ((64, 0), 2));
    assert!(Reveal::draw(&all, 9, 50, "").is_empty());
}

const PROJECT: &str = r##"
build = "sh ./build.sh"
tools = ["echo tool 1.2"]
[files]
"build.sh" = '''
#!/bin/sh
echo begins
test -f @FILE@ || { echo "build: error: @FILE@ is not there"; exit 1; }
echo ends
'''
"@FILE@" = "x"
[[instance]]
name = "one"
vars = { FILE = "one.dat" }
[[instance]]
name = "two"
vars = { FILE = "two.dat" }
[[mutation]]
name = "file-lost"
change = "rm @FILE@"
class = "preparation"
kind = ["missing_file"]
subject = ["@FILE@"]
witness = "@FILE@ is not there"
remedy = "restore @FILE@"
variants = ["docker", "mojibake", "no-such-dress"]
[[mutation]]
name = "nothing-changed"
class = "test"
kind = ["test_failed"]
witness = "never"
remedy = "none"
only = ["two"]
[[mutation]]
name = "other-words"
change = "rm @FILE@"
class = "test"
kind = ["test_failed"]
witness = "words that nobody says"
remedy = "none"
only = ["two"]
"##;

fn options(only: &[&str]) -> MutationOptions {
    MutationOptions {
        seed: 1,
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        labels_only: false,
        jobs: 2,
    }
}

#[test]
fn a_project_is_built_broken_and_labelled_in_a_box() {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("catalogue")).unwrap();
    fs::write(folder.path().join("catalogue/crate.toml"), PROJECT).unwrap();
    let broken = PROJECT.replace("echo ends", "exit 3");
    fs::write(folder.path().join("catalogue/wreck.toml"), broken).unwrap();
    let platform = Platform::default_host();
    let fetcher = Fetcher::new(&boxes.home, &platform);
    let floor = MiningFloor {
        factory: &boxes.factory,
        image: boxes.image,
        platform,
        network: Network::Off,
        fetcher: &fetcher,
        progress: &|_| {},
    };
    // A miner that breaks off keeps what it has: the second project's source cannot be had.
    let lost = format!("source = \"debian:no-such-package-anywhere\"\n{PROJECT}");
    fs::write(folder.path().join("catalogue/lost.toml"), lost).unwrap();
    let alone = MutationOptions {
        jobs: 1,
        ..options(&[])
    };
    mine_mutations(&floor, folder.path(), &alone).unwrap_err();
    let kept = CaseSet::load(folder.path()).unwrap();
    assert_eq!(kept.cases().len(), 4, "{:?}", kept.cases());
    fs::remove_file(folder.path().join("catalogue/lost.toml")).unwrap();
    let report = mine_mutations(&floor, folder.path(), &options(&[])).unwrap();
    let ids: Vec<_> = report.set.cases().iter().map(|case| &*case.id).collect();
    assert_eq!(
        ids,
        [
            "crate-one.file-lost",
            "crate-one.file-lost.docker",
            "crate-two.file-lost",
            "crate-two.file-lost.docker"
        ]
    );
    let mut dropped: Vec<_> = report
        .dropped
        .iter()
        .map(|dropped| format!("{}: {}", dropped.what, dropped.why))
        .collect();
    dropped.sort();
    expect![[r#"
        crate-one.file-lost.mojibake: its log is that of crate-one.file-lost
        crate-one.file-lost: there is no variant `no-such-dress`
        crate-two.file-lost.mojibake: its log is that of crate-two.file-lost
        crate-two.file-lost: there is no variant `no-such-dress`
        crate-two.nothing-changed: it builds all the same
        crate-two.other-words: no line matches "words that nobody says"
        wreck-one: the build does not work before anything is changed
        wreck-two: the build does not work before anything is changed"#]]
    .assert_eq(&dropped.join("\n"));
    for case in report.set.cases() {
        assert_eq!(
            (case.lines, &*case.tools),
            ((2, 2), &["tool 1.2".to_owned()][..]),
            "{}",
            case.id
        );
        let log = String::from_utf8(report.set.log(case).unwrap()).unwrap();
        let line = log.lines().nth(1).unwrap();
        assert!(
            line.ends_with(&format!("build: error: {}.dat is not there", case.instance)),
            "{line}"
        );
    }
    // One project made anew leaves the others as they are, and a project that is gone from the catalogue goes.
    fs::remove_file(folder.path().join("catalogue/wreck.toml")).unwrap();
    let again = mine_mutations(&floor, folder.path(), &options(&["crate"])).unwrap();
    assert_eq!(again.set.cases(), report.set.cases());
    // Labels follow the catalogue without building anything.
    let changed = PROJECT
        .replace("restore @FILE@", "write @FILE@ anew")
        .replace("\"preparation\"", "\"packaging\"");
    fs::write(folder.path().join("catalogue/crate.toml"), changed).unwrap();
    let labels_only = MutationOptions {
        labels_only: true,
        ..options(&[])
    };
    let renewed = mine_mutations(&floor, folder.path(), &labels_only).unwrap();
    for (case, old) in renewed.set.cases().iter().zip(report.set.cases()) {
        assert_eq!(case.remedy, format!("write {}.dat anew", case.instance));
        assert_eq!(
            (case.class, case.lines, &case.id),
            (Class::Packaging, old.lines, &old.id)
        );
    }
    let unknown = mine_mutations(&floor, folder.path(), &options(&["ghost"])).unwrap_err();
    assert!(
        unknown.to_string().starts_with("ghost: there is no such project"),
        "{unknown}"
    );
}

fn committed() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/mutations");
    if folder.join("corpus.toml").is_file() {
        return Some(folder);
    }
    println!("skipped: {} holds no set", folder.display());
    None
}

#[test]
fn the_committed_set_is_whole() {
    let Some(folder) = committed() else { return };
    let set = CaseSet::load(&folder).unwrap();
    let catalogue = Catalogue::load(&folder.join("catalogue")).unwrap();
    let mut bytes = 0;
    let mut logs = std::collections::BTreeMap::new();
    for case in set.cases() {
        let log = set.log(case).unwrap();
        bytes += log.len();
        if let Some(twin) = logs.insert(log.clone(), &case.id) {
            panic!("{} and {twin} have the same log", case.id);
        }
        let text = String::from_utf8(log).unwrap();
        let lines = text.lines().count() as u64;
        assert!(case.lines.1 <= lines, "{}: {:?} of {lines}", case.id, case.lines);
        assert!(text.len() <= 40 << 10, "{}: {} bytes", case.id, text.len());
        let held = set.facts().unseen_projects.contains(&case.project)
            || set.facts().unseen_mutations.contains(&case.mutation);
        assert_eq!(case.split == Side::Unseen, held, "{}", case.id);
        let project = catalogue
            .projects
            .iter()
            .find(|project| project.name == case.project)
            .unwrap();
        assert!(
            project.mutation.iter().any(|change| change.name == case.mutation),
            "{}",
            case.id
        );
    }
    assert!(bytes <= 3 << 20, "{bytes} bytes of logs");
    let logs = fs::read_dir(folder.join("logs")).unwrap().count();
    assert_eq!(logs, set.cases().len(), "a log without a case, or the other way round");
}
