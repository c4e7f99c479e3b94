//! The repair suite: patches on a real package, rebuilt in real boxes.

use std::{fmt::Write as _, path::Path};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::{
    Arch, Budget, Digest, Goal, PinnedSource, Platform, RecipeKind, RepairGoal, RepairTruth, SourceKind, Submission,
    Task, Truth, TruthBody, Verdict,
};
use seatrial_packaging::Package;
use seatrial_rebuild::{Local, LocalWorld};
use seatrial_sandbox::Network;
use seatrial_source::SourceTree;
use seatrial_suites::{GradeRequest, Repair, Suite};

use crate::{
    boxes::{Boxes, boxes},
    small_package::write_package,
    worlds::world,
};

fn tree(folder: &Path) -> SourceTree {
    write_package(
        folder,
        "any",
        "#include <no-such-port.h>\nint main(void) { return 0; }\n",
    );
    SourceTree::new(folder.to_owned(), Digest::of(b"tree"))
}

fn task() -> Task {
    Task {
        id: "t".parse().unwrap(),
        suite: "repair".parse().unwrap(),
        source: PinnedSource {
            name: "t".to_owned(),
            origin: SourceKind::Folder { path: "/t".to_owned() },
            tree: Some(Digest::of(b"tree")),
        },
        platform: Platform::default_host(),
        goal: Goal::Repair(RepairGoal {
            recipe: RecipeKind::Debian,
            target: Arch::host(),
            works_on: Some(Arch::host()),
            failed_log: None,
            working_log: None,
        }),
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    }
}

/// The difference that some edits make.
fn patch(source: &SourceTree, edits: &[(&str, &str, &str)]) -> String {
    let pristine = Package::open(&source.root).unwrap();
    let edited = pristine.copy().unwrap();
    for (file, old, new) in edits {
        let path = edited.root().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file}: {old}");
        fs::write(path, text.replace(old, new)).unwrap();
    }
    edited.diff_from(&pristine).unwrap()
}

fn judged(boxes: &Boxes, world: &LocalWorld<'_>, source: &SourceTree, patch: Option<String>) -> Vec<Verdict> {
    let local = Local::new(world, None);
    let task = task();
    let truth = Truth {
        task: task.id.clone(),
        body: TruthBody::Repair(RepairTruth::default()),
    };
    let submission = Submission {
        patch,
        ..Submission::default()
    };
    let blobs = boxes.home.blobs();
    let request = GradeRequest {
        rebuilder: Some(&local),
        ..GradeRequest::new(&task, &truth, &submission, source, &boxes.factory, boxes.image, &blobs)
    };
    let mut events = Vec::new();
    Repair.grade(&request, &mut events)
}

#[test]
fn what_is_handed_in_is_rebuilt_and_nothing_else_counts() {
    let (Some(boxes), Some(world)) = (boxes(), world(Arch::host())) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let source = tree(folder.path());
    let include = ("prog.c", "#include <no-such-port.h>\n", "");
    let cases: [(&str, Option<String>); 6] = [
        ("nothing", None),
        ("no patch", Some("no patch".to_owned())),
        ("no repair", Some(patch(&source, &[("prog.c", "return 0", "return 1")]))),
        ("a repair", Some(patch(&source, &[include]))),
        (
            "a repair without the tests",
            Some(patch(
                &source,
                &[
                    include,
                    ("debian/rules", "\t./prog check\n", "\tctest -E slow || true\n"),
                ],
            )),
        ),
        (
            "for other machines only",
            Some(patch(
                &source,
                &[include, ("debian/control", "Architecture: any", "Architecture: s390x")],
            )),
        ),
    ];
    let mut text = String::new();
    for (name, patch) in cases {
        text.push_str(name);
        text.push('\n');
        for verdict in judged(boxes, &world, &source, patch) {
            let answers: Vec<_> = verdict
                .checks
                .iter()
                .map(|check| format!("{}: {:?}", check.name, check.answer))
                .collect();
            writeln!(
                text,
                "    {} {}: {} [{}]",
                verdict.profile,
                verdict.outcome,
                verdict.reason,
                answers.join(", ")
            )
            .unwrap();
        }
    }
    let text = text.replace(Arch::host().as_str(), "HERE");
    expect![[r#"
        nothing
            strict failed: nothing was handed in: the submission has no patch [applies: NotAsked]
            paper failed: nothing was handed in: the submission has no patch [applies: NotAsked]
        no patch
            strict failed: the patch does not apply: the diff does not apply, and nothing was changed: there is no diff in it; write `--- a/FILE`, `+++ b/FILE`, `@@ -LINE,COUNT +LINE,COUNT @@` and then lines that begin with a blank, `-` or `+` [applies: No]
            paper failed: the patch does not apply: the diff does not apply, and nothing was changed: there is no diff in it; write `--- a/FILE`, `+++ b/FILE`, `@@ -LINE,COUNT +LINE,COUNT @@` and then lines that begin with a blank, `-` or `+` [applies: No]
        no repair
            strict failed: failed on HERE: the build ended with exit code 2: prog.c:1:10: fatal error: no-such-port.h: No such file or directory [applies: Yes, repaired: No]
            paper failed: failed on HERE: the build ended with exit code 2: prog.c:1:10: fatal error: no-such-port.h: No such file or directory [applies: Yes, repaired: No]
        a repair
            strict passed: rebuilt from clean on HERE [applies: Yes, repaired: Yes, kept: Yes]
            paper passed: rebuilt from clean on HERE [applies: Yes, repaired: Yes]
        a repair without the tests
            strict failed: not earned: removes_tests [applies: Yes, repaired: Yes, kept: Yes]
            paper passed: rebuilt from clean on HERE [applies: Yes, repaired: Yes]
        for other machines only
            strict failed: excluded on HERE: the package is for `s390x` only, which amd64 is not [applies: Yes, repaired: No]
            paper failed: excluded on HERE: the package is for `s390x` only, which amd64 is not [applies: Yes, repaired: No]
    "#]].assert_eq(&text);
}

#[test]
fn an_agent_finds_the_package_and_what_is_known_of_its_failure() {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = tree(folder.path());
    let blobs = boxes.home.blobs();
    let mut task = task();
    if let Goal::Repair(goal) = &mut task.goal {
        goal.failed_log = Some(blobs.put(b"it failed\n").unwrap());
    }
    let spec = seatrial_sandbox::BoxSpec {
        image: boxes.image,
        limits: seatrial_sandbox::Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = seatrial_sandbox::SandboxFactory::start(&boxes.factory, &spec).unwrap();
    Repair.prepare(&task, &source, &blobs, sandbox.as_mut()).unwrap();
    let mut output = Vec::new();
    let command = seatrial_sandbox::Command::bash("cd /build && ls source logs && cat logs/failed.log".to_owned());
    sandbox.exec(&command, &mut output).unwrap();
    expect![[r#"
        logs:
        failed.log

        source:
        debian
        prog.c
        it failed
    "#]]
    .assert_eq(&String::from_utf8(output).unwrap());
}
