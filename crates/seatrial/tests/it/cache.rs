//! `seatrial cache`, alone, beside a run, and killed.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::{
    killed::{OwnHome, tiny_corpus},
    support::{Ran, boxes, project, run, seatrial},
};

fn cache(home: &Path, words: &[&str]) -> Ran {
    run(seatrial().env("SEATRIAL_HOME", home).arg("cache").args(words))
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

#[test]
fn what_lies_where_is_a_table_and_what_gc_would_do_is_in_it() {
    let home = tempfile::tempdir().unwrap();
    project(
        home.path(),
        &[
            ("cache/downloads/archive", "some bytes\n"),
            ("cache/downloads/.landing-x/file", "half\n"),
            ("runs/build-keel-1/journal.jsonl", ""),
            ("boxes/1-0-0/lease", ""),
            ("cache/authority\u{1b}[31m/key", "x"),
        ],
    );
    let ran = cache(home.path(), &["size", "-v"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in [
        "room ",
        "sources ",
        "dead-boxes ",
        "unfinished ",
        "all ",
        "data folder: ",
    ] {
        assert!(
            ran.out.lines().any(|found| found.starts_with(line)),
            "`{line}`: {}",
            ran.out
        );
    }
    assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    assert!(
        ran.out.contains("cache/downloads/archive: can be made again"),
        "{}",
        ran.out
    );
    let answer = json(&cache(home.path(), &["size", "-v", "--json"]));
    let room = |name: &str| answer["rooms"][name].clone();
    assert_eq!(room("sources")["count"], 1);
    assert_eq!(room("sources")["size"]["apparent"], 11);
    assert_eq!(room("sources")["gc_frees"], 0);
    assert_eq!(room("unfinished")["gc_frees"], room("unfinished")["size"]["real"]);
    assert!(answer["could_free"].as_u64().unwrap() > answer["gc_frees"].as_u64().unwrap());
    assert!(
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|item| item["reason"] == "left unfinished")
    );
    // To look is not to touch, and to say what would be done neither.
    let dry = json(&cache(
        home.path(),
        &["gc", "--dry-run", "--max-size", "0", "--runs", "--json"],
    ));
    assert_eq!((&dry["dry_run"], &dry["removed"]), (&true.into(), &4.into()), "{dry}");
    assert!(home.path().join("boxes/1-0-0").is_dir() && home.path().join("cache/downloads/.landing-x").is_dir());
    for (words, text) in [
        (&["gc", "--max-size", "many"][..], "20G"),
        (&["gc", "--older-than", "soon"], "30d"),
        (&["gc", "--max-size=-1"], "20G"),
    ] {
        let ran = cache(home.path(), words);
        assert!(ran.code == 2 && ran.err.contains(text), "{words:?}: {}", ran.err);
    }
}

#[test]
fn a_collector_that_is_killed_leaves_nothing_half_removed_under_a_good_name() {
    const TREES: usize = 60;
    const FILES: usize = 40;
    let home = tempfile::tempdir().unwrap();
    let trees = home.path().join("cache/trees");
    for tree in 0..TREES {
        let folder = trees.join(format!("{tree:02}/tree"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(trees.join(format!("{tree:02}/digest")), "b3:0\n").unwrap();
        for file in 0..FILES {
            fs::write(folder.join(file.to_string()), "x").unwrap();
        }
    }
    let names = || -> BTreeSet<String> {
        let entries = fs::read_dir(&trees).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    let whole = |names: &BTreeSet<String>| {
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            assert_eq!(
                fs::read_dir(trees.join(name).join("tree")).unwrap().count(),
                FILES,
                "{name}"
            );
        }
    };
    let mut kills = 0;
    loop {
        let before = names();
        let mut child = start(home.path());
        // Killed in the middle of its work: as soon as anything has changed.
        while names() == before && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        drop(child.kill());
        if child.wait().unwrap().code() == Some(0) {
            break;
        }
        kills += 1;
        whole(&names());
    }
    assert!(kills > 0, "it was never killed in the middle");
    assert_eq!(names(), BTreeSet::new());
}

fn start(home: &Path) -> Child {
    seatrial()
        .env("SEATRIAL_HOME", home)
        .args(["cache", "gc", "--older-than", "0s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_run_beside_which_everything_is_collected_again_and_again_misses_nothing() {
    if !boxes() {
        return;
    }
    let own = OwnHome::new();
    let folder = tempfile::tempdir().unwrap();
    let corpus = tiny_corpus(folder.path(), own.path(), 12);
    let mut child = own
        .command()
        .args([
            "bench",
            "run",
            "--agent",
            "null",
            "-n",
            "2",
            "--json",
            "--no-disk-check",
        ])
        .arg(&corpus)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut times = 0;
    while child.try_wait().unwrap().is_none() {
        let ran = cache(
            own.path(),
            &["gc", "--max-size", "0", "--older-than", "0s", "--runs", "--json"],
        );
        assert!(ran.code == 0 || ran.code == 1, "{}{}", ran.out, ran.err);
        assert_eq!(json(&ran)["failed"], 0, "{}", ran.out);
        times += 1;
    }
    let output = child.wait_with_output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&summary["counts"]["failed"], &summary["counts"]["invalid"]),
        (&12.into(), &0.into()),
        "{times} times: {} {}",
        summary["counts"],
        summary["trials"]
    );
    assert!(times > 1);
}
