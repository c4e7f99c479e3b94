//! `seatrial corpus import`: what a person is told of case folders, good and bad.

use std::{fs, path::Path};

use crate::support::{run, seatrial};

const SPEC: &str = "Name: ship\nVersion: 1\nRelease: 0\nSummary: a ship\nLicense: MIT\n\n%description\nA ship.\n";

fn case(folder: &Path, arch: &str) {
    fs::create_dir_all(folder).unwrap();
    let manifest = serde_json::json!({
        "task": { "project": "home:someone:arm_succeed_pro", "package": "ship", "arch": arch },
        "files": [{ "name": "ship.spec", "size": SPEC.len().to_string() }], "version": 1,
    });
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("ship.spec"), SPEC).unwrap();
    fs::write(folder.join("log_failed.txt"), "error: it fails\n").unwrap();
}

#[test]
fn the_exit_code_says_whether_all_some_or_no_cases_were_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    case(&at("good/ship"), "x86_64");
    case(&at("mixed/ship"), "x86_64");
    case(&at("mixed/vessel"), "vax");
    case(&at("bad/vessel"), "vax");
    fs::create_dir_all(at("none/folder")).unwrap();
    let import = |from: &str, more: &[&str]| {
        run(seatrial()
            .env("SEATRIAL_HOME", at("home"))
            .args(["corpus", "import", "build-bench"])
            .arg(at(from))
            .arg("-o")
            .arg(at(&format!("corpus-{from}")))
            .args(more))
    };
    for (from, code, part) in [
        ("good", 0, "ship-x86-64-1: rpm, builds on aarch64, fails on x86_64"),
        ("mixed", 1, "1 folders were no case that can be used"),
        ("bad", 2, "names the architecture `vax`"),
        ("none", 3, "holds no case"),
        ("nowhere", 2, "is no folder"),
    ] {
        let ran = import(from, &[]);
        assert_eq!(ran.code, code, "{from}: {}{}", ran.out, ran.err);
        assert!(
            format!("{}{}", ran.out, ran.err).contains(part),
            "{from}: {}{}",
            ran.out,
            ran.err
        );
        // Nothing is made where nothing was taken in.
        assert_eq!(
            at(&format!("corpus-{from}")).join("corpus.toml").exists(),
            code < 2,
            "{from}"
        );
    }
    let ran = import("good", &["--works-on", "i686", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["tasks"][0], "ship-x86-64-1", "{}", ran.out);
    let task = fs::read_to_string(at("corpus-good/tasks/ship-x86-64-1.toml")).unwrap();
    assert!(task.contains("works_on = \"i686\""), "{task}");
    let list = run(seatrial().args(["corpus", "list"]).arg(folder.path()));
    assert!(list.out.contains("Cases of Build-bench"), "{}{}", list.out, list.err);
}
