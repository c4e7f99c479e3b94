//! What an agent did, written for others.

use std::{fs, path::Path};

use serde_json::Value;

use crate::support::{run, seatrial};

/// A journal of a trial that ran two commands and handed in nothing.
const JOURNAL: &str = concat!(
    r#"{"v":4,"seq":0,"at":1796028317610,"event":{"type":"trial_started","task":"hull","agent":"rules","attempt":1,"lock":"b3:0000000000000000000000000000000000000000000000000000000000000000"}}"#,
    "\n",
    r#"{"v":4,"seq":1,"at":1796028317615,"event":{"type":"decision","what":"try Make","why":"a Makefile is there"}}"#,
    "\n",
    r#"{"v":4,"seq":2,"at":1796028318000,"event":{"type":"command","purpose":"build","command":"make","code":2,"signal":null,"timed_out":false,"truncated_bytes":0,"wall_ms":41,"cpu_ms":9,"peak_kib":3000,"log":null}}"#,
    "\n",
);

fn journal(folder: &Path) -> String {
    let file = folder.join("journal.jsonl");
    fs::write(&file, JOURNAL).unwrap();
    file.display().to_string()
}

#[test]
fn a_journal_is_exported_and_the_document_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let journal = journal(folder.path());
    let file = folder.path().join("hull.json");
    let ran = run(seatrial().args(["trajectory", "export", &journal, "-o"]).arg(&file));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(document["steps"][1]["tool_calls"][0]["arguments"]["command"], "make");
    let ran = run(seatrial().args(["trajectory", "check"]).arg(&file));
    assert_eq!((ran.code, ran.out.trim()), (0, "valid"));
    // The folder means the journal in it.
    let ran = run(seatrial()
        .args(["trajectory", "export", "--format", "markdown"])
        .arg(folder.path()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("# hull by rules, attempt 1\n"), "{}", ran.out);
}

#[test]
fn what_is_no_trial_or_no_document_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("journal.jsonl");
    fs::write(&empty, "").unwrap();
    let other = folder.path().join("other.json");
    fs::write(&other, r#"{"schema_version":"ATIF-v1.8","steps":[]}"#).unwrap();
    for (words, code, part) in [
        (vec!["export", "no-such-run/hull"], 2, "there is no run `no-such-run`"),
        (vec!["export", empty.to_str().unwrap()], 3, "no trial was begun"),
        (vec!["check", "/there/is/no/such.json"], 2, "no such file"),
        (vec!["check", other.to_str().unwrap()], 1, "`agent` is missing"),
    ] {
        let ran = run(seatrial().arg("trajectory").args(&words));
        let said = format!("{}{}", ran.out, ran.err);
        assert_eq!(ran.code, code, "{words:?}: {said}");
        assert!(said.to_lowercase().contains(part), "{words:?}: {said}");
    }
}
