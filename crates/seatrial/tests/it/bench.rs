//! `seatrial bench` on a small corpus of local projects.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;

use crate::support::{boxes, home, leftovers, makefile_project, run, seatrial};

/// Makes a corpus of projects whose programs have the projects' names. Pins are taken from the program's own answer.
pub(crate) fn corpus(folder: &Path, names: &[&str]) -> PathBuf {
    let corpus = folder.join("small");
    for room in ["tasks", "truth"] {
        fs::create_dir_all(corpus.join(room)).unwrap();
    }
    let platform = format!("debian:bookworm/{}", std::env::consts::ARCH);
    fs::write(
        corpus.join("corpus.toml"),
        format!(
            "format = 1\nname = \"small\"\nversion = 1\nabout = \"Local projects.\"\nsuite = \"compile\"\nplatform = \"{platform}\"\n\
             archive_revision = \"none\"\nseed = 0\ntool = \"test\"\n"
        ),
    )
    .unwrap();
    for name in names {
        let source = folder.join(name);
        makefile_project(&source, name, "");
        let built = run(seatrial()
            .arg("build")
            .arg(&source)
            .args(["--json", "-o"])
            .arg(folder.join("out")));
        assert_eq!(built.code, 0, "{}{}", built.out, built.err);
        let answer: Value = serde_json::from_str(&built.out).unwrap();
        let pinned = &answer["source"];
        let task = format!(
            "id = \"{name}\"\nsuite = \"compile\"\nblocked_sources = []\n\n[source]\nname = \"{name}\"\ntree = {}\n\n\
             [source.origin]\nkind = \"folder\"\npath = {}\n\n[platform]\ndistribution = \"debian\"\nrelease = \"bookworm\"\n\
             arch = \"{}\"\n\n[goal]\nkind = \"compile\"\n\n[budget]\nwall_seconds = 300\n",
            pinned["tree"],
            pinned["origin"]["path"],
            std::env::consts::ARCH,
        );
        fs::write(corpus.join(format!("tasks/{name}.toml")), task).unwrap();
        let truth = format!("task = \"{name}\"\n\n[body]\nsuite = \"compile\"\nartifacts = [\"{name}\"]\n");
        fs::write(corpus.join(format!("truth/{name}.toml")), truth).unwrap();
    }
    corpus
}

fn report(run_name: &str) -> Value {
    let ran = run(seatrial().args(["bench", "report", run_name, "--json"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

pub(crate) fn run_name(stderr: &str) -> String {
    let line = stderr.lines().find(|line| line.starts_with("run ")).unwrap();
    line.trim_start_matches("run ").split(':').next().unwrap().to_owned()
}

#[test]
fn rules_build_it_and_nothing_and_fakes_do_not_count() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), &["anchor"]);
    for (agent, code, passed) in [("rules", 0, 1), ("null", 1, 0), ("fake", 1, 0)] {
        let ran = run(seatrial().args(["bench", "run"]).arg(&corpus).args(["--agent", agent]));
        assert_eq!(ran.code, code, "{agent}: {}{}", ran.out, ran.err);
        let summary = report(&run_name(&ran.err));
        assert_eq!(summary["counts"]["passed"], passed, "{agent}: {summary}");
        assert_eq!(summary["counts"]["invalid"], 0, "{agent}: {summary}");
        let row = summary["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["profile"] == "strict" && row["level"] == "strict")
            .unwrap();
        assert_eq!(row["passed"], passed, "{agent}: {row}");
    }
    assert_eq!(leftovers(), Vec::<String>::new());
}

#[test]
fn a_run_whose_time_is_up_begins_no_further_trial_and_says_so() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), &["anchor"]);
    let run_for = |span: &str| {
        run(seatrial()
            .args(["bench", "run"])
            .arg(&corpus)
            .args(["--agent", "rules", "--max-time-of-run", span]))
    };
    let none = run_for("0s");
    assert_eq!(none.code, 5, "{}{}", none.out, none.err);
    assert!(
        none.err
            .contains("the time of the run was up: 1 trials were not begun; the same command goes on with them"),
        "{}",
        none.err
    );
    let counts = &report(&run_name(&none.err))["counts"];
    assert_eq!(
        (&counts["passed"], &counts["failed"]),
        (&0.into(), &0.into()),
        "{counts}"
    );
    let enough = run_for("1h");
    assert_eq!(enough.code, 0, "{}{}", enough.out, enough.err);
}

#[test]
fn a_run_that_is_killed_goes_on_and_nothing_is_lost_or_counted_twice() {
    if !boxes() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let names = ["bow", "keel", "mast", "stern"];
    let corpus = corpus(folder.path(), &names);
    let mut command = seatrial();
    command
        .args(["bench", "run"])
        .arg(&corpus)
        .args(["--agent", "rules", "-n", "2"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // Killed as soon as one trial is over and while others are under way: its own words say when.
    let mut reader = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("[1/4]") {
        assert_ne!(
            std::io::BufRead::read_line(&mut reader, &mut said).unwrap(),
            0,
            "it ended too early: {said}"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let name = run_name(&said);
    let journals = || -> Vec<(PathBuf, String)> {
        let trials = home().join("runs").join(&name).join("trials");
        let mut all: Vec<_> = fs::read_dir(trials)
            .unwrap()
            .map(|entry| entry.unwrap().path().join("journal.jsonl"))
            .collect();
        all.sort();
        all.into_iter()
            .map(|path| (path.clone(), fs::read_to_string(&path).unwrap_or_default()))
            .collect()
    };
    let finished = |text: &str| text.matches("\"trial_finished\"").count();
    let before = journals();
    assert!(before.iter().any(|(_, text)| finished(text) == 1));
    let half = report(&name);
    assert!(half["counts"]["pending"].as_u64().unwrap() >= 1, "{half}");

    let ran = run(seatrial()
        .args(["bench", "run"])
        .arg(&corpus)
        .args(["--agent", "rules", "-n", "2"]));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(run_name(&ran.err), name, "the same command is the same run");
    assert!(ran.err.contains("resuming"), "{}", ran.err);
    let after = journals();
    assert_eq!(after.len(), names.len());
    for (path, text) in &after {
        assert_eq!(finished(text), 1, "{}", path.display());
    }
    for (path, text) in before.iter().filter(|(_, text)| finished(text) == 1) {
        let now = after.iter().find(|(other, _)| other == path).unwrap();
        assert_eq!(&now.1, text, "a finished trial is not run again");
    }
    let whole = report(&name);
    assert_eq!(whole["counts"]["passed"], 4, "{whole}");
    assert_eq!(whole["counts"]["pending"], 0, "{whole}");

    // Once more: nothing to do, the same table.
    let again = run(seatrial()
        .args(["bench", "run"])
        .arg(&corpus)
        .args(["--agent", "rules", "-n", "1"]));
    assert_eq!((again.code, &again.out), (0, &ran.out));
    assert_eq!(
        leftovers(),
        Vec::<String>::new(),
        "boxes of the killed process are gone too"
    );
}
