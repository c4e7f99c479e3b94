//! Disks that are small, nearly full, or full.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::{
    killed::tiny_corpus,
    support::{Ran, boxes, home, image_name, makefile_project, run, seatrial},
};

/// A data folder on a small file system that only a mount namespace of its own has, so that nothing of it stays.
struct SmallDisk {
    keeper: Child,
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Of so many MiB, with the image of the data folder that all tests share.
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    fn new(mib: u32) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            println!("skipped: only root can mount a small file system");
            return None;
        }
        if !boxes() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let script = "mount -t tmpfs -o size=$1m,mode=755 tmpfs \"$2\" && mkdir -p \"$2/images/$4\" && \
                      mount --bind \"$3/images/$4\" \"$2/images/$4\" && echo ready && exec cat";
        let mut keeper = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"])
            .arg(mib.to_string())
            .arg(folder.path())
            .arg(home())
            .arg(image_name())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(keeper.stdout.as_mut().unwrap())
            .read_line(&mut said)
            .unwrap();
        if said != "ready\n" {
            keeper.wait().unwrap();
            println!("skipped: a small file system cannot be mounted here");
            return None;
        }
        Some(Self { keeper, folder })
    }

    /// The data folder, as this process sees it.
    fn seen_from_here(&self) -> PathBuf {
        let below = self.folder.path().strip_prefix("/").unwrap();
        Path::new("/proc")
            .join(self.keeper.id().to_string())
            .join("root")
            .join(below)
    }

    fn command(&self, words: &[&str]) -> Command {
        let plain = seatrial();
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--mount=/proc/{}/ns/mnt", self.keeper.id()))
            .arg(plain.get_program())
            .args(words)
            .env("SEATRIAL_HOME", self.folder.path())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        run(&mut self.command(words))
    }

    /// Leaves so many KiB free.
    fn fill_up_to(&self, kib: u64) {
        let filler = self.seen_from_here().join("filler");
        let known = rustix::fs::statvfs(self.seen_from_here()).unwrap();
        let free = known.f_bavail * known.f_frsize;
        let file = fs::File::create(&filler).unwrap();
        let size = free.saturating_sub(kib << 10);
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size).unwrap();
    }

    fn make_room(&self) {
        fs::remove_file(self.seen_from_here().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // It reads its input to the end; the namespace and its mounts go with it.
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

#[test]
fn what_there_is_no_room_for_is_refused_before_anything_starts() {
    let Some(disk) = SmallDisk::new(64) else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    makefile_project(&source, "buoy", "");
    let (source, out) = (
        source.display().to_string(),
        folder.path().join("out").display().to_string(),
    );
    let corpus = tiny_corpus(folder.path(), &folder.path().join("home"), 3);
    let corpus = corpus.display().to_string();
    for words in [
        &["build", &source, "-o", &out][..],
        &["bench", "run", &corpus, "--agent", "null", "-n", "2"],
        &["bench", "calibrate", &corpus, "-n", "2"],
    ] {
        let ran = disk.run(words);
        assert_eq!(ran.code, 4, "{words:?}: {}{}", ran.out, ran.err);
        for text in [
            "there is no room for this",
            "a guess",
            "1.0 GiB that stay free",
            "`seatrial cache gc",
        ] {
            assert!(ran.err.contains(text), "{words:?}: `{text}` is not in: {}", ran.err);
        }
        assert_eq!(words.contains(&"-n"), ran.err.contains("`-n 1`"), "{}", ran.err);
        let begun: Vec<_> = ["runs", "boxes", "blobs"]
            .iter()
            .flat_map(|room| fs::read_dir(disk.seen_from_here().join(room)).unwrap())
            .collect();
        assert!(begun.is_empty(), "{words:?}: {begun:?}");
    }
    // A limit of one's own is room as well.
    let ran = disk.run(&["build", &source, "-o", &out, "--max-size", "10M"]);
    assert!(
        ran.code == 4 && ran.err.contains("below its limit of 10.0 MiB"),
        "{}",
        ran.err
    );
}

#[test]
fn room_can_be_made_on_a_disk_that_is_full_to_the_last_byte() {
    let Some(disk) = SmallDisk::new(64) else { return };
    assert_eq!(disk.run(&["cache", "size"]).code, 0);
    let home = disk.seen_from_here();
    for (name, mib) in [
        ("boxes/1-0-0/layers/0/upper/core", 4),
        ("cache/downloads/.landing-x/file", 4),
        ("blobs/.writing-x", 4),
        ("blobs/ab/cd", 0),
        ("cache/trees/gone/tree/main.c", 4),
        ("cache/downloads/archive", 4),
        ("cache/authority/key", 0),
    ] {
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'.'; mib << 20]).unwrap();
    }
    fs::write(home.join("boxes/1-0-0/lease"), "").unwrap();
    disk.fill_up_to(0);
    let ran = disk.run(&["cache", "gc", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&answer["removed"], &answer["failed"]),
        (&3.into(), &0.into()),
        "{answer}"
    );
    assert!(answer["free_bytes"].as_u64().unwrap() >= 12 << 20, "{answer}");
    assert_eq!(fs::read_dir(home.join("boxes")).unwrap().count(), 0);
    // What can be made again goes only when the data folder is to be smaller; what is unknown never.
    assert!(home.join("cache/trees/gone").is_dir());
    let ran = disk.run(&["cache", "gc", "--max-size", "1K", "--keep", "images"]);
    assert_eq!(
        ran.code, 1,
        "the filler is over the limit, and unknown: {}{}",
        ran.out, ran.err
    );
    assert!(ran.out.contains("more than its limit"), "{}", ran.out);
    assert!(!home.join("cache/trees/gone").exists() && !home.join("cache/downloads/archive").exists());
    assert!(home.join("cache/authority/key").is_file() && home.join("filler").is_file());
}

#[test]
fn a_full_disk_is_named_with_what_helps() {
    let Some(disk) = SmallDisk::new(64) else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    makefile_project(&source, "buoy", "");
    assert_eq!(disk.run(&["cache", "size"]).code, 0);
    disk.fill_up_to(0);
    let (source, out) = (
        source.display().to_string(),
        folder.path().join("out").display().to_string(),
    );
    let ran = disk.run(&["build", &source, "-o", &out, "--no-disk-check"]);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    for text in [
        "the disk is full",
        &format!("the disk of the data folder {} has ", disk.folder.path().display()),
        "`seatrial cache gc`",
        "`--home DIR`",
        "run the same command again",
    ] {
        assert!(ran.err.contains(text), "`{text}` is not in: {}", ran.err);
    }
    // The other disk has room, and is not blamed.
    assert!(!ran.err.contains("output folder"), "{}", ran.err);
}

/// The outcomes of a run's trials, from its own answer.
fn counts(ran: &Ran) -> Value {
    serde_json::from_str::<Value>(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))["counts"]
        .clone()
}

#[test]
fn a_run_whose_disk_is_filled_by_others_stops_and_goes_on_when_there_is_room() {
    // The reserve is a GiB, and a trial is taken to need 64 MiB at least.
    let Some(disk) = SmallDisk::new(1400) else { return };
    let folder = tempfile::tempdir().unwrap();
    let corpus = tiny_corpus(folder.path(), &folder.path().join("home"), 8);
    let corpus = corpus.display().to_string();
    let words = ["bench", "run", &corpus, "--agent", "null", "--json"];
    // What earlier trials took is known from then on.
    let first = disk.run(&[&words[..], &["--limit", "1", "--no-disk-check"]].concat());
    if counts(&first)["invalid"] == 1 {
        println!("skipped: boxes cannot be made on this file system: {}", first.err);
        return;
    }
    let mut child = disk
        .command(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("[1/8]") {
        assert_ne!(reader.read_line(&mut said).unwrap(), 0, "it ended too early: {said}");
    }
    disk.fill_up_to((1 << 20) + (32 << 10));
    while reader.read_line(&mut said).unwrap() > 0 {}
    assert_eq!(child.wait().unwrap().code(), Some(4), "{said}");
    assert!(said.contains("has no room for one more trial"), "{said}");
    assert!(said.contains("`seatrial cache gc`"), "{said}");
    // While it is so, nothing begins.
    let again = disk.run(&words);
    assert!(
        again.code == 4 && again.err.contains("there is no room"),
        "{}",
        again.err
    );
    assert!(
        again.err.contains("earlier trial"),
        "what was measured counts: {}",
        again.err
    );
    disk.make_room();
    let rest = disk.run(&words);
    assert_eq!(rest.code, 1, "{}{}", rest.out, rest.err);
    let counts = counts(&rest);
    assert_eq!(
        (&counts["failed"], &counts["invalid"]),
        (&8.into(), &0.into()),
        "{counts}"
    );
    assert!(rest.err.contains("resuming"), "{}", rest.err);
    let ran = disk.run(&["cache", "gc"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(fs::read_dir(disk.seen_from_here().join("boxes")).unwrap().count(), 0);
}
