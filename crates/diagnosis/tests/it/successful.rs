//! Logs of work that succeeded, each made by the real tools and cut to its beginning and its end: no failure is found in
//! them, however much they speak of errors, of what is missing and of what was not found.

use std::path::Path;

use seatrial_diagnosis::{Ending, diagnose};

#[test]
fn no_failure_is_found_in_successful_logs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/successful");
    let mut seen = 0;
    let mut wrong = Vec::new();
    for entry in fs_err::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let found = diagnose(&fs_err::read(&path).unwrap());
        if let Some(cause) = found.cause {
            wrong.push(format!("{}:{}: {}\n", path.display(), cause.line, cause.text));
        } else if found.facts.ending == Ending::Failed {
            wrong.push(format!("{}: is said to have failed\n", path.display()));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
    assert!(seen >= 25, "{seen}");
}
