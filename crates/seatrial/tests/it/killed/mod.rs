//! A run of two hundred trials whose harness is killed again and again, at points that nobody chose.

mod chance;
mod corpus;
mod traces;
mod watch;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use chance::Chance;
pub(crate) use corpus::lay as tiny_corpus;
use serde_json::Value;
use traces::Traces;
use watch::{Ended, Watched};

use crate::support::{boxes, home, image_name, run, seatrial};

const TASKS: usize = 200;
/// A kill comes after at most so many steps of the run: a line of a journal, a part of a box made or removed.
const STEPS: u64 = 4000;
/// And after at most so many turns of an idle loop, which are some milliseconds.
const TURNS: u64 = 1 << 20;
/// More kills than this mean that a run does not get on.
const MOST_KILLS: usize = 200;

/// A data folder of the test's own, on the disk of the one that all tests share, with that one's image.
pub(crate) struct OwnHome {
    folder: tempfile::TempDir,
}

impl OwnHome {
    pub(crate) fn new() -> Self {
        let shared = home();
        let folder = tempfile::Builder::new()
            .prefix("killed-home-")
            .tempdir_in(shared.parent().unwrap())
            .unwrap();
        let name = image_name();
        std::fs::create_dir(folder.path().join("images")).unwrap();
        let (from, to) = (
            shared.join("images").join(&name),
            folder.path().join("images").join(&name),
        );
        // Links to each file take a second and no room. Files of subordinate ids can be linked by root only; for others
        // boxes pass through a link to the whole.
        if rustix::process::geteuid().is_root() {
            let copied = Command::new("cp").arg("-al").arg(&from).arg(&to).status().unwrap();
            assert!(copied.success());
        } else {
            std::os::unix::fs::symlink(&from, &to).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = seatrial();
        command.env("SEATRIAL_HOME", self.path());
        command
    }

    /// What a live or dead process has left unfinished, anywhere but in the image.
    fn leftovers(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let hidden = path.file_name().unwrap().as_encoded_bytes().starts_with(b".");
                let in_boxes = folder == self.path().join("boxes");
                // Trees of sources have files of any name.
                let below = ["images", "cache/trees"].map(|room| self.path().join(room));
                if hidden || in_boxes {
                    found.push(path);
                } else if path.is_dir() && !below.contains(&folder) {
                    folders.push(path);
                }
            }
        }
        found
    }
}

#[test]
fn a_run_of_200_trials_killed_at_random_points_loses_nothing_and_leaves_nothing() {
    if !boxes() {
        return;
    }
    let mut chance = Chance::new();
    println!("seed {} (SEATRIAL_TEST_SEED repeats it)", chance.seed());
    let own = OwnHome::new();
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus::lay(folder.path(), own.path(), TASKS);
    let mut traces = Traces::default();
    let mut kills = 0;
    let summary = loop {
        let mut command = own.command();
        command
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
            .arg(&corpus);
        let (steps, turns) = (1 + chance.below(STEPS), chance.below(TURNS));
        let watched = Watched::start(command, own.path());
        match watched.kill_after(steps, turns, &mut traces) {
            Ended::ByItself { code, out, err } => {
                // The null agent passes nothing.
                assert_eq!(code, 1, "{out}{err}");
                break serde_json::from_str::<Value>(&out).unwrap();
            }
            Ended::Killed => kills += 1,
        }
        assert!(kills <= MOST_KILLS, "the run does not get on");
        traces.assert_no_process_or_namespace();
        // Mostly the next start is the run itself.
        if chance.below(4) == 0 {
            let ran = run(own.command().args(["cache", "gc"]));
            assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
            assert_eq!(own.leftovers(), Vec::<PathBuf>::new(), "after kill {kills}");
            traces.assert_nothing(own.path());
        }
    };
    println!("{kills} kills, {} processes of boxes were seen", traces.seen());
    assert!(
        kills >= 5,
        "only {kills} kills: the points are too far apart to prove anything"
    );
    assert_eq!(summary["counts"]["failed"], TASKS, "{}", summary["counts"]);
    for none in ["passed", "invalid", "pending"] {
        assert_eq!(summary["counts"][none], 0, "{}", summary["counts"]);
    }
    assert_each_trial_counts_once(own.path());
    let ran = run(own.command().args(["cache", "gc"]));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(own.leftovers(), Vec::<PathBuf>::new());
    traces.assert_nothing(own.path());
}

fn journals(home: &Path) -> Vec<PathBuf> {
    let mut runs = std::fs::read_dir(home.join("runs")).unwrap();
    let folder = runs.next().unwrap().unwrap().path();
    assert!(runs.next().is_none(), "every start was the same run");
    std::fs::read_dir(folder.join("trials"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("journal.jsonl"))
        .collect()
}

fn assert_each_trial_counts_once(home: &Path) {
    let mut tasks = BTreeSet::new();
    for journal in journals(home) {
        let text = std::fs::read_to_string(&journal).unwrap();
        let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let finished = entries
            .iter()
            .filter(|entry| entry["event"]["type"] == "trial_finished");
        assert_eq!(finished.count(), 1, "{}", journal.display());
        for (number, entry) in entries.iter().enumerate() {
            assert_eq!(entry["seq"], number, "{}", journal.display());
        }
        let started = entries
            .iter()
            .find(|entry| entry["event"]["type"] == "trial_started")
            .unwrap();
        assert!(tasks.insert(started["event"]["task"].as_str().unwrap().to_owned()));
    }
    assert_eq!(tasks.len(), TASKS);
}
