//! The faults of the published benchmark, one row each: what its procedure makes of something, and what happens here. Where a
//! fault changes the number of repairs, the paper profile has it and the strict one cannot.

use std::{fmt::Write as _, time::Duration};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::{
    Arch, Budget, Digest, Event, Goal, PinnedSource, Platform, RecipeKind, RepairGoal, RepairTruth, SourceKind,
    Submission, Task, Truth, TruthBody,
};
use seatrial_packaging::Package;
use seatrial_rebuild::{
    Listener, Mode, Outcome, Phase, RebuildError, RebuildRequest, Rebuilder, SourcePackage, Spent, State,
};
use seatrial_source::SourceTree;
use seatrial_store::Home;
use seatrial_suites::{GradeRequest, Repair, Seen, Suite, published_answer, published_success};

use crate::{grading::NoBoxes, small_package::write_package};

/// Tells of rebuilds that never were.
struct Tells {
    state: State,
    /// Seconds of a processor.
    seconds: u64,
    emulated: bool,
    /// Whether it tells of the sources that it was given, and not of earlier ones.
    of_these: bool,
}

impl Tells {
    fn new(state: State, seconds: u64) -> Self {
        Self {
            state,
            seconds,
            emulated: false,
            of_these: true,
        }
    }
}

impl Rebuilder for Tells {
    fn name(&self) -> &'static str {
        "tells"
    }

    fn rebuild(
        &self,
        package: &SourcePackage,
        target: Arch,
        _: &RebuildRequest,
        _: &mut dyn Listener,
    ) -> Result<Outcome, RebuildError> {
        Ok(Outcome {
            state: self.state.clone(),
            details: "as told".to_owned(),
            missing: Vec::new(),
            log: None,
            duration: Duration::from_secs(self.seconds),
            spent: vec![Spent {
                phase: Phase::Build,
                wall_ms: self.seconds * 1000,
                cpu_ms: self.seconds * 1000,
            }],
            emulated: self.emulated,
            emulator: None,
            proof: true,
            payloads: Vec::new(),
            source: if self.of_these {
                package.digest()
            } else {
                Digest::of(b"the sources of an earlier upload")
            },
            target,
            builder: "tells".to_owned(),
            mode: Mode::Native,
        })
    }
}

/// What both profiles say of a repair of the package of a name, when that is told of its rebuild.
fn judged(name: &str, tells: &Tells) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("source");
    write_package(&root, "any", "int main(void) { return HELM; }\n");
    for file in ["debian/control", "debian/changelog"] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let text = text.replace("Source: t\n", &format!("Source: {name}\n"));
        let text = text
            .strip_prefix("t (")
            .map_or(text.clone(), |rest| format!("{name} ({rest}"));
        fs::write(root.join(file), text).unwrap();
    }
    let source = SourceTree::new(root, Digest::of(b"tree"));
    let pristine = Package::open(&source.root).unwrap();
    let edited = pristine.copy().unwrap();
    fs::write(edited.root().join("prog.c"), "int main(void) { return 0; }\n").unwrap();
    let task = Task {
        id: "t".parse().unwrap(),
        suite: "repair".parse().unwrap(),
        source: PinnedSource {
            name: name.to_owned(),
            origin: SourceKind::Folder { path: "/t".to_owned() },
            tree: Some(Digest::of(b"tree")),
        },
        platform: Platform::default_host(),
        goal: Goal::Repair(RepairGoal {
            recipe: RecipeKind::Debian,
            target: Arch::Aarch64,
            works_on: None,
            failed_log: None,
            working_log: None,
        }),
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    };
    let truth = Truth {
        task: task.id.clone(),
        body: TruthBody::Repair(RepairTruth::default()),
    };
    let submission = Submission {
        patch: Some(edited.diff_from(&pristine).unwrap()),
        ..Submission::default()
    };
    let blobs = Home::open(folder.path().join("home")).unwrap().blobs();
    let request = GradeRequest {
        rebuilder: Some(tells),
        ..GradeRequest::new(&task, &truth, &submission, &source, &NoBoxes, Digest::of(b""), &blobs)
    };
    let verdicts = Repair.grade(&request, &mut Vec::<Event>::new());
    let outcomes: Vec<_> = verdicts
        .iter()
        .map(|verdict| format!("{} {}", verdict.profile, verdict.outcome))
        .collect();
    outcomes.join(", ")
}

#[test]
fn faults_that_change_a_verdict_are_in_the_paper_profile_and_not_in_the_strict_one() {
    let emulated = |seconds| Tells {
        emulated: true,
        ..Tells::new(State::Succeeded, seconds)
    };
    let stale = |state| Tells {
        of_these: false,
        ..Tells::new(state, 20)
    };
    let rows: [(&str, &str, Tells); 11] = [
        ("no fault: it builds", "ship", Tells::new(State::Succeeded, 20)),
        ("no fault: it fails", "ship", Tells::new(State::Failed, 20)),
        (
            "no fault: it is unresolvable",
            "ship",
            Tells::new(State::Unresolvable, 20),
        ),
        ("substring: `broken` holds `ok`", "ship", Tells::new(State::Broken, 1)),
        (
            "substring: the path of a package holds `ok`",
            "tokei",
            Tells::new(State::Failed, 20),
        ),
        (
            "substring: the path of an excluded package",
            "okular",
            Tells::new(State::Excluded, 20),
        ),
        ("budget: it builds in 412 s", "ship", Tells::new(State::Succeeded, 412)),
        ("budget: emulated, as if in 27 s", "ship", emulated(412)),
        (
            "budget: it never ends, and its path holds `ok`",
            "tokei",
            Tells::new(State::Timeout, 1800),
        ),
        (
            "stale: told is a success of earlier sources",
            "ship",
            stale(State::Succeeded),
        ),
        (
            "stale: told is a failure of earlier sources",
            "ship",
            stale(State::Failed),
        ),
    ];
    let mut text = String::new();
    for (row, name, tells) in rows {
        writeln!(text, "{row}: {}", judged(name, &tells)).unwrap();
    }
    expect![[r#"
        no fault: it builds: strict passed, paper passed
        no fault: it fails: strict failed, paper failed
        no fault: it is unresolvable: strict failed, paper failed
        substring: `broken` holds `ok`: strict failed, paper passed
        substring: the path of a package holds `ok`: strict failed, paper passed
        substring: the path of an excluded package: strict failed, paper passed
        budget: it builds in 412 s: strict passed, paper failed
        budget: emulated, as if in 27 s: strict passed, paper passed
        budget: it never ends, and its path holds `ok`: strict failed, paper failed
        stale: told is a success of earlier sources: strict invalid, paper invalid
        stale: told is a failure of earlier sources: strict invalid, paper invalid
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_the_published_check_takes_for_a_result_over_time() {
    let rows: [(&str, &[Seen<'_>]); 7] = [
        ("a build of a minute", &[(0, "building"), (60, "succeeded")]),
        (
            "the state before the upload",
            &[(0, "failed"), (5, "building"), (60, "succeeded")],
        ),
        (
            "a success before the upload",
            &[(0, "succeeded"), (5, "building"), (60, "failed")],
        ),
        (
            "not begun yet",
            &[(0, "scheduled"), (20, "building"), (60, "succeeded")],
        ),
        (
            "blocked by another package",
            &[(0, "building"), (10, "blocked"), (90, "succeeded")],
        ),
        (
            "done and not told yet",
            &[(0, "building"), (50, "finished"), (61, "succeeded")],
        ),
        ("a build of four minutes", &[(0, "building"), (240, "succeeded")]),
    ];
    let mut text = String::new();
    for (row, seen) in rows {
        let answer = published_answer("ship", seen);
        let last = seen.last().unwrap().1;
        let is_right = published_success(&answer).is_some() == (last == "succeeded");
        let right = if is_right { "right" } else { "wrong" };
        writeln!(text, "{row}: {right}: {answer}").unwrap();
    }
    expect![[r#"
        a build of a minute: right: Build result: Build succeeded!
        the state before the upload: wrong: Build result: Build failed! The log is in temp_workspace/ship/log_failed.txt
        a success before the upload: wrong: Build result: Build succeeded!
        not begun yet: wrong: Build result: Build failed! The log is in temp_workspace/ship/log_failed.txt
        blocked by another package: wrong: Build result: Build failed! The log is in temp_workspace/ship/log_failed.txt
        done and not told yet: wrong: Build result: Build failed! The log is in temp_workspace/ship/log_failed.txt
        a build of four minutes: wrong: Build result: Build timeout! Default build failed.
    "#]]
    .assert_eq(&text);
}

/// Whether the published patch tool applies a diff of one file: behind a hunk it looks for the next one too early by the lines that it has
/// read, so that only a single hunk fits.
fn published_tool_applies(diff: &str) -> bool {
    diff.lines().filter(|line| line.starts_with("@@ ")).count() == 1
}

#[test]
fn a_patch_of_several_hunks_applies_and_one_that_does_not_fit_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (1..=30).map(|number| format!("int a{number};\n")).collect();
    write_package(folder.path(), "any", &lines.concat());
    let pristine = Package::open(folder.path()).unwrap();
    let edited = pristine.copy().unwrap();
    let new = lines
        .concat()
        .replace("int a2;\n", "int b2;\nint c2;\n")
        .replace("int a29;\n", "");
    fs::write(edited.root().join("prog.c"), &new).unwrap();
    let diff = edited.diff_from(&pristine).unwrap();
    assert!(!published_tool_applies(&diff), "{diff}");
    let mut package = pristine.copy().unwrap();
    package.apply(&diff).unwrap();
    assert_eq!(fs::read_to_string(package.root().join("prog.c")).unwrap(), new);
    // The first hunk fits, the second does not.
    let mut package = pristine.copy().unwrap();
    package.apply(&diff.replace("-int a29;", "-int a99;")).unwrap_err();
    assert_eq!(package.digest().unwrap(), pristine.digest().unwrap());
}

#[test]
fn what_is_uploaded_is_the_sources_once_and_nothing_of_the_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case");
    for (name, content) in [
        (
            "ship.spec",
            "Name: ship\nVersion: 1\nRelease: 0\nSummary: s\nLicense: MIT\n\n%description\ns\n",
        ),
        ("fix.patch", "--- a/x\n+++ b/x\n"),
        ("_service", "<services/>\n"),
        ("manifest.json", "{}\n"),
        ("log_failed.txt", "it failed\n"),
        (".osc/_apiurl", "x\n"),
    ] {
        let path = case.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    // The published upload makes a commit, and a build, of each of these.
    let published = fs::read_dir(&case)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().is_file())
        .count();
    assert_eq!(published, 5);
    let package = Package::open(&case).unwrap();
    let packed = package.pack(&folder.path().join("packed")).unwrap();
    let mut names: Vec<_> = packed.files.iter().map(|file| file.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["_service", "fix.patch", "ship.spec"]);
}
