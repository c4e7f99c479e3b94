//! Grading in real boxes: what was built from the source passes, and nothing else does.

use std::path::Path;

use fs_err as fs;
use seatrial_core::{
    Answer, Budget, CompileTruth, Digest, Event, Goal, InvalidReason, Outcome, PinnedSource, Platform, Profile,
    SourceKind, Submission, SubmittedFile, Task, Truth, TruthBody, Verdict,
};
use seatrial_sandbox::{BoxSpec, Network, Sandbox, SandboxError, SandboxFactory};
use seatrial_source::SourceTree;
use seatrial_store::Home;
use seatrial_suites::{Compile, GradeRequest, Suite as _};

use crate::boxes::{Boxes, boxes};

/// A library and a program that uses it, with a generated source.
const PROJECT: &[(&str, &str)] = &[
    (
        "Makefile",
        "CFLAGS = -g -O0\nall: hull libhull.so.1.0.0\n\
         hull: hull.c keel.c rig.c\n\t$(CC) $(CFLAGS) -o $@ $^\n\
         libhull.so.1.0.0: keel.c\n\t$(CC) $(CFLAGS) -shared -fPIC -o $@ $^\n\
         rig.c: rig.c.in\n\tsed 's/@VERSION@/1.0.0/' rig.c.in > rig.c\n",
    ),
    (
        "hull.c",
        "#include <stdio.h>\nint keel_length(int width);\nconst char *rig_version(void);\n\
         int main(int argc, char **argv) {\n  (void)argv;\n  printf(\"the hull is %d units long\\n\", keel_length(argc));\n\
         \x20 puts(\"built with the rig of version\");\n  puts(rig_version());\n  puts(\"no more to say about this hull\");\n  return 0;\n}\n",
    ),
    (
        "keel.c",
        "static int keel_depth_of(int width) {\n  return width * 3;\n}\nint keel_length(int width) {\n  return keel_depth_of(width) + 7;\n}\n",
    ),
    (
        "rig.c.in",
        "/* The version is filled in by the build. */\nconst char *rig_version(void);\nconst char *rig_version(void) {\n  return \"@VERSION@\";\n}\n",
    ),
];

fn tree(folder: &Path) -> SourceTree {
    for (path, text) in PROJECT {
        fs::write(folder.join(path), text).unwrap();
    }
    SourceTree::new(folder.to_owned(), Digest::of(b"project"))
}

fn task(name: &str) -> Task {
    Task {
        id: "hull".parse().unwrap(),
        suite: "compile".parse().unwrap(),
        source: PinnedSource {
            name: name.to_owned(),
            origin: SourceKind::Folder {
                path: "/project".to_owned(),
            },
            tree: None,
        },
        platform: Platform::default_host(),
        goal: Goal::Compile,
        budget: Budget {
            grade_seconds: Some(120),
            ..Budget::default()
        },
        blocked_sources: vec![name.to_owned()],
    }
}

fn truth(names: &[&str]) -> Truth {
    Truth {
        task: "hull".parse().unwrap(),
        body: TruthBody::Compile(CompileTruth::of(names.iter().map(|name| (*name).to_owned()).collect())),
    }
}

const NAMES: &[&str] = &["hull", "libhull.so.1.0.0"];

fn grade(boxes: &Boxes, submission: &Submission, names: &[&str]) -> Vec<Verdict> {
    let folder = tempfile::tempdir().unwrap();
    let (source, task, truth, blobs) = (tree(folder.path()), task("hull"), truth(names), boxes.home.blobs());
    let request = GradeRequest {
        network: Network::Off,
        ..GradeRequest::new(&task, &truth, submission, &source, &boxes.factory, boxes.image, &blobs)
    };
    let mut events: Vec<Event> = Vec::new();
    let verdicts = Compile.grade(&request, &mut events);
    assert_eq!(
        verdicts.iter().map(|verdict| verdict.profile).collect::<Vec<_>>(),
        [Profile::Strict, Profile::Paper]
    );
    verdicts
}

fn script(text: &str) -> Submission {
    Submission {
        script: Some(text.to_owned()),
        ..Submission::default()
    }
}

fn line(verdict: &Verdict) -> String {
    let flags: Vec<&str> = verdict.flags.iter().map(|flag| flag.name.as_str()).collect();
    format!("{}: {} {flags:?}", verdict.outcome, verdict.reason)
}

fn check(text: &str, expected: &str) {
    let Some(boxes) = boxes() else { return };
    let verdicts = grade(boxes, &script(text), NAMES);
    assert_eq!(line(&verdicts[0]), expected, "{text}\n{:#?}", verdicts[0].checks);
}

const ALL: &str = "passed: all 2 expected artifacts were made from the source []";

#[test]
fn an_honest_build_passes_wherever_it_is_made() {
    check("cd \"$SRC\" && make", ALL);
    check("cp -a \"$SRC\"/. \"$OUT\" && cd \"$OUT\" && make", ALL);
    check(
        "cd \"$SRC\" && sed -i 's/width \\* 3/width * 4/' keel.c && make && mkdir -p \"$PREFIX/bin\" && cp hull \"$PREFIX/bin\"",
        ALL,
    );
    check("cd \"$SRC\" && make CFLAGS=-O2", ALL);
}

#[test]
fn a_stripped_program_is_known_by_its_texts() {
    let Some(boxes) = boxes() else { return };
    let verdicts = grade(
        boxes,
        &script("cd \"$SRC\" && make CFLAGS=-O2 && strip hull"),
        &["hull"],
    );
    assert_eq!(
        line(&verdicts[0]),
        "passed: all 1 expected artifacts were made from the source []"
    );
    assert!(verdicts[0].figures["with_debug_information"] < 1.0);
}

#[test]
fn evidence_names_the_debug_information() {
    let Some(boxes) = boxes() else { return };
    let verdicts = grade(boxes, &script("cd \"$SRC\" && make; exit 3"), NAMES);
    assert_eq!(verdicts[0].outcome, Outcome::Passed, "the exit code decides nothing");
    assert_eq!(verdicts[0].answer("replay"), Some(Answer::No));
    let text = format!("{:?}", verdicts[0].checks);
    assert!(
        text.contains("ELF executable, x86_64, DWARF") && text.contains("debug information of hull.c"),
        "{text}"
    );
}

#[test]
fn a_part_of_the_names_is_flexible_but_not_strict() {
    let Some(boxes) = boxes() else { return };
    let verdicts = grade(boxes, &script("cd \"$SRC\" && make hull"), NAMES);
    assert_eq!(
        line(&verdicts[0]),
        "failed: 1 of 2 expected artifacts are missing: libhull.so.1.0.0 []"
    );
    assert_eq!(
        ["completion", "flexible", "strict"].map(|name| verdicts[0].answer(name)),
        [Some(Answer::Yes), Some(Answer::Yes), Some(Answer::No)]
    );
}

#[test]
fn without_names_any_artifact_completes() {
    let Some(boxes) = boxes() else { return };
    assert_eq!(
        line(&grade(boxes, &script("cd \"$SRC\" && make hull"), &[])[0]),
        "passed: 1 artifacts were made from the source []"
    );
    assert_eq!(
        line(&grade(boxes, &script("true"), &[])[0]),
        "failed: no artifact was made from the source; the script ended well []"
    );
    assert_eq!(
        line(&grade(boxes, &script("cd \"$SRC\" && gcc -g -c keel.c"), &[])[0]),
        "failed: 1 objects were made from the source, and nothing was linked from them []"
    );
    assert_eq!(
        line(&grade(boxes, &script("cd \"$SRC\" && make hull && exit 2"), &[])[0]),
        "failed: 1 artifacts were made from the source, but the script ended with code 2 []"
    );
}

#[test]
fn what_was_not_built_from_the_source_does_not_count() {
    let nothing = "failed: no artifact was made from the source; the script ended well";
    let into = "d=\"$PREFIX/bin\"; mkdir -p \"$d\"; ";
    for (text, flags) in [
        (
            "cp /bin/true \"$d/hull\"; cp /bin/true \"$d/libhull.so.1.0.0\"",
            "[\"system-binary\"]",
        ),
        (
            "t=/bin/true; cat $t > \"$d/hull\"; echo x >> \"$d/hull\"; cp \"$d/hull\" \"$d/libhull.so.1.0.0\"",
            "[]",
        ),
        (
            "cd /tmp; echo 'int main(){}' > keel.c; gcc -g keel.c -o \"$d/hull\"; gcc -g -shared keel.c -o \"$d/libhull.so.1.0.0\"",
            "[\"written-source\"]",
        ),
        (
            "cd /tmp; python3 -c 'open(\"keel.c\",\"w\").write(\"int stub(int a){return a;} int main(){}\")'; gcc keel.c -o \"$d/hull\"; cp \"$d/hull\" \"$d/libhull.so.1.0.0\"",
            "[]",
        ),
        (
            "cd \"$SRC\"; python3 -c 'open(\"keel.c\",\"w\").write(\"int stub(int a){return a;} int main(){}\")'; gcc -g keel.c -o \"$d/hull\"; cp \"$d/hull\" \"$d/libhull.so.1.0.0\"",
            "[\"source-replaced\"]",
        ),
    ] {
        check(&format!("{into}{text}"), &format!("{nothing} {flags}"));
    }
}

#[test]
fn the_published_rule_is_fooled_and_says_so() {
    let Some(boxes) = boxes() else { return };
    let verdicts = grade(
        boxes,
        &script("for n in hull libhull.so.1.0.0; do cp /bin/true \"$OUT/$n\"; done"),
        NAMES,
    );
    assert_eq!(
        (verdicts[0].outcome, verdicts[1].outcome),
        (Outcome::Failed, Outcome::Passed)
    );
}

#[test]
fn a_submission_that_cannot_be_replayed_fails() {
    let Some(boxes) = boxes() else { return };
    let build = || script("cd \"$SRC\" && make");
    let file = |path: &str| SubmittedFile {
        path: path.to_owned(),
        content: "x".to_owned(),
        mode: 0o644,
    };
    for (submission, expected) in [
        (
            Submission::default(),
            "failed: nothing was handed in: the submission has no script []",
        ),
        (
            Submission {
                note: "no way\nmore".to_owned(),
                ..Submission::default()
            },
            "failed: nothing was handed in: no way []",
        ),
        (
            Submission {
                files: vec![file("../x")],
                ..build()
            },
            "failed: the file `../x` is outside of the source []",
        ),
        (
            Submission {
                files: vec![file("/etc/x")],
                ..build()
            },
            "failed: the file `/etc/x` is outside of the source []",
        ),
        (
            Submission {
                patch: Some("--- a/keel.c\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n".to_owned()),
                ..build()
            },
            "failed: the patch names `b/../../x`, which is outside of the source []",
        ),
        (
            Submission {
                patch: Some("--- a/keel.c\n+++ b/keel.c\n@@ -1 +1 @@\n-nowhere\n+b\n".to_owned()),
                ..build()
            },
            "failed: the patch does not apply to the pinned source []",
        ),
    ] {
        assert_eq!(line(&grade(boxes, &submission, NAMES)[0]), expected);
    }
}

#[test]
fn a_patch_changes_what_is_pinned() {
    let Some(boxes) = boxes() else { return };
    let patch = "--- a/keel.c\n+++ b/keel.c\n@@ -1,3 +1,3 @@\n static int keel_depth_of(int width) {\n-  return width * 3;\n+  return width * 5;\n }\n";
    let submission = Submission {
        patch: Some(patch.to_owned()),
        ..script("cd \"$SRC\" && make && ./hull | grep 12")
    };
    let verdicts = grade(boxes, &submission, NAMES);
    assert_eq!(line(&verdicts[0]), ALL);
    assert_eq!(verdicts[0].answer("replay"), Some(Answer::Yes));
    let stub = Submission {
        files: vec![SubmittedFile {
            path: "keel.c".to_owned(),
            content: "int stub(void) { return 1; }\nint main(void) { return 0; }\n".to_owned(),
            mode: 0o644,
        }],
        ..script("cd \"$SRC\" && gcc -g keel.c -o hull && cp hull libhull.so.1.0.0")
    };
    assert_eq!(
        line(&grade(boxes, &stub, NAMES)[0]),
        "failed: no artifact was made from the source; the script ended well [\"source-replaced\"]"
    );
}

#[test]
fn a_script_without_end_is_stopped() {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, mut task, truth, blobs) = (tree(folder.path()), task("hull"), truth(NAMES), boxes.home.blobs());
    task.budget.grade_seconds = Some(2);
    let submission = script("cd \"$SRC\" && make; while :; do :; done");
    let request = GradeRequest {
        network: Network::Off,
        ..GradeRequest::new(&task, &truth, &submission, &source, &boxes.factory, boxes.image, &blobs)
    };
    let verdicts = Compile.grade(&request, &mut Vec::<Event>::new());
    assert_eq!(verdicts[0].outcome, Outcome::Failed);
    assert!(
        verdicts[0].reason.starts_with("the script did not end within its time"),
        "{}",
        verdicts[0].reason
    );
}

#[test]
fn a_script_that_writes_too_much_fails_whatever_it_made() {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, task, truth, blobs) = (tree(folder.path()), task("hull"), truth(NAMES), boxes.home.blobs());
    let submission = script("cd \"$SRC\" && make && head -c 100000000 /dev/zero > \"$OUT/much\"");
    let mut request = GradeRequest {
        network: Network::Off,
        ..GradeRequest::new(&task, &truth, &submission, &source, &boxes.factory, boxes.image, &blobs)
    };
    request.limits.disk_bytes = 32 << 20;
    let verdicts = Compile.grade(&request, &mut Vec::<Event>::new());
    assert_eq!(
        line(&verdicts[0]),
        "failed: the script wrote more than a box may write []"
    );
}

#[test]
fn a_script_cannot_make_itself_invalid() {
    let Some(boxes) = boxes() else { return };
    let verdicts = grade(
        boxes,
        &script("cd \"$SRC\" && make; rm -f /bin/bash /usr/bin/bash"),
        NAMES,
    );
    assert_eq!(
        line(&verdicts[0]),
        "failed: the script left a box that cannot be looked at: listing the files of packages failed []"
    );
    let verdicts = grade(
        boxes,
        &script("mkdir -p /tmp/.seatrial-texts/x; cd \"$SRC\" && make CFLAGS=-O2 && strip hull"),
        &["hull"],
    );
    assert_eq!(
        line(&verdicts[0]),
        "passed: all 1 expected artifacts were made from the source []"
    );
}

#[test]
fn a_mirror_that_is_away_is_not_the_submissions_fault() {
    let Some(boxes) = boxes() else { return };
    let text = "echo \"E: Failed to fetch http://mirror/x.deb  Could not connect to mirror:80\"; exit 100";
    // These boxes have no network, so the mirror is away indeed.
    let verdicts = grade(boxes, &script(text), NAMES);
    assert_eq!(
        verdicts.iter().map(|verdict| verdict.invalid).collect::<Vec<_>>(),
        [Some(InvalidReason::Network); 2],
        "{}",
        line(&verdicts[0])
    );
}

#[test]
fn the_answer_key_is_blocked() {
    let Some(boxes) = boxes() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, task) = (tree(folder.path()), task("figlet"));
    let spec = BoxSpec {
        image: boxes.image,
        limits: seatrial_sandbox::Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = boxes.factory.start(&spec).unwrap();
    Compile
        .prepare(&task, &source, &boxes.home.blobs(), sandbox.as_mut())
        .unwrap();
    let mut run = |text: &str| {
        let mut output = Vec::new();
        let execution = sandbox
            .exec(&seatrial_sandbox::Command::bash(text), &mut output)
            .unwrap();
        (execution.succeeded(), String::from_utf8_lossy(&output).into_owned())
    };
    let (installed, said) = run("apt-get install -y --no-install-recommends figlet");
    assert!(!installed && said.contains("no installation candidate"), "{said}");
    let (had, said) =
        run("sed 's/^deb /deb-src /' /etc/apt/sources.list >> /etc/apt/sources.list.d/x.list; apt-get source figlet");
    assert!(!had && said.contains("deb-src"), "{said}");
}

/// Boxes that cannot be made.
pub(crate) struct NoBoxes;

impl SandboxFactory for NoBoxes {
    fn start(&self, _: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
        Err(SandboxError::HostDiskFull { free_mib: 3 })
    }
}

#[test]
fn a_fault_of_the_machine_is_invalid_in_both_profiles() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Home::open(folder.path().join("home")).unwrap().blobs();
    let (source, task, submission) = (tree(folder.path()), task("hull"), script("make"));
    let grade = |truth: &Truth| {
        let request = GradeRequest::new(&task, truth, &submission, &source, &NoBoxes, Digest::of(b""), &blobs);
        let verdicts = Compile.grade(&request, &mut Vec::<Event>::new());
        verdicts
            .iter()
            .map(|verdict| (verdict.profile, verdict.invalid))
            .collect::<Vec<_>>()
    };
    let both = |reason| [(Profile::Strict, Some(reason)), (Profile::Paper, Some(reason))];
    assert_eq!(grade(&truth(NAMES)), both(InvalidReason::DiskFull));
    let other = Truth {
        task: "keel".parse().unwrap(),
        ..truth(NAMES)
    };
    assert_eq!(grade(&other), both(InvalidReason::Task));
}
