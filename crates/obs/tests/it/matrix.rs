//! Every state that a back end with workers comes to, on both architectures, and what the client adds to its time.
//!
//! It runs when `SEATRIAL_TEST_OBS` holds the address of a back end of one's own, such as `scripts/obs-backend start`
//! prints as its last line.

use std::{
    path::Path,
    sync::Mutex,
    time::{Duration, SystemTime},
};

use seatrial_obs::{
    Client, Code, Commit, Ending, PackagePath, ProjectMeta, RepositoryMeta, Target, Trigger, Waited, Wanted,
};

use crate::real::{commit_files, debian, flag, maintainer, put, wait_until};

const PROJECT: &str = "home:matrix";
const ARCHS: [&str; 2] = ["x86_64", "aarch64"];
const PORTABLE: &str = "#include <stdio.h>\nint main(void) { puts(\"fine\"); return 0; }\n";
const INTRINSICS: &str = "#include <emmintrin.h>\nint main(void) { return _mm_cvtsi128_si32(_mm_set1_epi32(0)); }\n";
const GUARDED: &str = "#ifdef __SSE2__\n#include <emmintrin.h>\nint main(void) { return _mm_cvtsi128_si32(_mm_set1_epi32(0)); }\n\
                       #else\nint main(void) { return 0; }\n#endif\n";

fn package(name: &str) -> PackagePath {
    PackagePath::new(PROJECT, name).unwrap()
}

fn target(name: &str, arch: &str) -> Target {
    Target::new(package(name), "standard", arch).unwrap()
}

fn wait(client: &Client, name: &str, arch: &str, wanted: &Wanted, until: Option<&Code>) -> Waited {
    wait_until(client, &target(name, arch), wanted, Duration::from_mins(30), until)
}

/// One row of the table: what was seen, and what was added to the back end's own time.
fn row(client: &Client, what: &str, name: &str, arch: &str, waited: &Waited) -> String {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let decided = match &waited.ending {
        Ending::Settled(verdict) => verdict.decided,
        _ => None,
    };
    let (code, proof, details) = match &waited.ending {
        Ending::Settled(verdict) => (
            verdict.code.to_string(),
            format!("{:?}", verdict.proof),
            verdict.details.clone(),
        ),
        Ending::Stopped { seen: Some(seen) } => (seen.code.to_string(), "on its way".to_owned(), seen.details.clone()),
        other => panic!("{what}: {name} {arch}: {other:?}"),
    };
    let job = client.jobs(&target(name, arch), 1).unwrap().pop();
    let built = matches!(code.as_str(), "succeeded" | "failed");
    let times = job.filter(|_| built).map_or_else(String::new, |job| {
        format!(
            "queued {} s, built {} s on {}, decided {} s after its end, told {:.1} s after that",
            job.start - job.ready,
            job.end - job.start,
            job.host_arch,
            decided.unwrap_or(job.end) - job.end,
            now - decided.unwrap_or(job.end) as f64
        )
    });
    let way: Vec<String> = waited
        .seen
        .iter()
        .map(|seen| {
            format!(
                "{:.1} {}{}",
                seen.after.as_secs_f64(),
                seen.code,
                if seen.is_dirty { "*" } else { "" }
            )
        })
        .collect();
    format!(
        "{what} | {arch} | {code} | {proof} | {details} | {:.1} s, {} looks | {times} | {}",
        waited.took.as_secs_f64(),
        waited.looks,
        way.join(", ")
    )
}

/// Keeps a row, and shows it at once: the whole takes long.
fn note(rows: &Mutex<Vec<String>>, row: String) {
    println!("{row}");
    rows.lock().unwrap().push(row);
}

/// Waits for both architectures at once.
fn both(client: &Client, what: &str, name: &str, commit: &Commit, rows: &Mutex<Vec<String>>) -> [String; 2] {
    std::thread::scope(|scope| {
        let waits = ARCHS.map(|arch| {
            scope.spawn(move || {
                let waited = wait(client, name, arch, &Wanted::from(commit), None);
                note(rows, row(client, what, name, arch, &waited));
                match waited.ending {
                    Ending::Settled(verdict) => verdict.code.to_string(),
                    other => panic!("{other:?}"),
                }
            })
        });
        waits.map(|wait| wait.join().unwrap())
    })
}

fn make(client: &Client, folder: &Path, name: &str, arch: &str, depends: &str, program: &str) -> Commit {
    client.ensure_package(&package(name), name).unwrap();
    commit_files(client, &package(name), &debian(folder, name, arch, depends, program))
}

#[test]
fn the_states_of_a_back_end_with_workers() {
    let Ok(api) = std::env::var("SEATRIAL_TEST_OBS") else {
        println!("skipped: SEATRIAL_TEST_OBS names no back end with workers");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let client = maintainer(&api, "matrix");
    client.delete_project(PROJECT).unwrap();
    let meta = ProjectMeta {
        name: PROJECT.to_owned(),
        title: "matrix".to_owned(),
        repositories: vec![RepositoryMeta {
            name: "standard".to_owned(),
            paths: vec![("Images".to_owned(), "standard".to_owned())],
            archs: ARCHS.map(str::to_owned).to_vec(),
        }],
    };
    client.ensure_project(&meta).unwrap();
    let rows = Mutex::new(Vec::new());

    let done = make(&client, folder, "lacking", "any", "libnosuch-dev (>= 9)", PORTABLE);
    assert_eq!(
        both(&client, "missing build dependency", "lacking", &done, &rows),
        ["unresolvable", "unresolvable"]
    );

    for (name, text, code, what) in [
        ("off", "<build><disable/></build>", "disabled", "build switched off"),
        ("shut", "<lock><enable/></lock>", "locked", "package locked"),
    ] {
        client.ensure_package(&package(name), name).unwrap();
        // The flag first, or a worker takes it; a locked package takes no commit.
        flag(&api, &package(name), "<build><disable/></build>");
        let done = make(&client, folder, name, "any", "", PORTABLE);
        flag(&api, &package(name), text);
        let stop = Code::read(code);
        for arch in ARCHS {
            let waited = wait(&client, name, arch, &Wanted::from(&done), Some(&stop));
            note(&rows, row(&client, what, name, arch, &waited));
        }
    }

    client.ensure_package(&package("loose"), "loose").unwrap();
    put(
        &api,
        &format!("/source/{PROJECT}/loose/_link"),
        "<link project=\"home:matrix\" package=\"nosuch\"/>",
    );
    let wanted = wanted("1".to_owned(), String::new(), 0);
    for arch in ARCHS {
        let waited = wait(&client, "loose", arch, &wanted, None);
        let row = row(&client, "link to nothing", "loose", arch, &waited);
        assert!(row.contains("| broken |"), "{row}");
        note(&rows, row);
    }

    let done = make(&client, folder, "portable", "any", "", PORTABLE);
    assert_eq!(
        both(&client, "portable program", "portable", &done, &rows),
        ["succeeded", "succeeded"]
    );

    let done = make(&client, folder, "intrinsics", "any", "", INTRINSICS);
    assert_eq!(
        both(&client, "x86 intrinsics", "intrinsics", &done, &rows),
        ["succeeded", "failed"]
    );
    let done = make(&client, folder, "intrinsics", "any", "", GUARDED);
    assert_eq!(
        both(&client, "the same, guarded", "intrinsics", &done, &rows),
        ["succeeded", "succeeded"]
    );

    let done = make(&client, folder, "elsewhere", "arm64", "", PORTABLE);
    assert_eq!(
        both(&client, "recipe for arm64 only", "elsewhere", &done, &rows),
        ["excluded", "succeeded"]
    );

    // Built once, so that others can depend on it; then again, so that they have to wait for it.
    let wanted = Wanted::from(&make(&client, folder, "needs", "any", "portable", PORTABLE));
    for arch in ARCHS {
        let first = wait(&client, "needs", arch, &wanted, None);
        note(&rows, row(&client, "depends on another", "needs", arch, &first));
        let old = wanted_of(&client, "portable").after(client.rebuild(&target("portable", arch)).unwrap());
        let trigger: Trigger = client.rebuild(&target("needs", arch)).unwrap();
        let blocked = wait(&client, "needs", arch, &wanted, Some(&Code::Blocked));
        note(
            &rows,
            row(&client, "depends on what is being built", "needs", arch, &blocked),
        );
        let again = wait(&client, "portable", arch, &old, None);
        note(&rows, row(&client, "built again", "portable", arch, &again));
        let last = wait(&client, "needs", arch, &wanted.clone().after(trigger), None);
        note(&rows, row(&client, "no longer blocked", "needs", arch, &last));
    }

    let mut table = rows.into_inner().unwrap();
    table.sort();
    println!("\nall of them:\n{}", table.join("\n"));
    client.delete_project(PROJECT).unwrap();
}

/// What is waited for is the newest revision as it stands.
fn wanted_of(client: &Client, name: &str) -> Wanted {
    let newest = client.revisions(&package(name), 1).unwrap().pop().unwrap();
    wanted(newest.revision, newest.srcmd5, newest.time)
}

fn wanted(revision: String, srcmd5: String, time: i64) -> Wanted {
    Wanted {
        revision,
        srcmd5,
        time,
        in_service: false,
        after: None,
    }
}
