//! Baselines on small trees in real boxes, without a network.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "a skipped test says so")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

// The boxes that the suites are tested with do here too.
#[path = "../../../suites/tests/it/boxes.rs"]
mod boxes;
mod external;
mod leader;
mod models;
mod oss;
mod repairs;
#[path = "../../../suites/tests/it/small_package.rs"]
mod small_package;
mod web;
// The world that packages are rebuilt in for the tests of rebuilding does here too.
#[expect(dead_code, reason = "what it says of logs is for the tests of rebuilding")]
#[path = "../../../rebuild/tests/it/worlds.rs"]
mod worlds;

use std::fmt::Write as _;

use expect_test::expect;
use seatrial_agents::{Agent, AgentError, AgentSettings, Ognibuild, SolveContext, agent};
use seatrial_core::{BOX_SOURCE, Budget, Digest, Event, Goal, PinnedSource, Platform, SourceKind, Submission, Task};
use seatrial_packages::{Candidate, Key, Resolver};
use seatrial_sandbox::{BoxSpec, Command, Limits, Network, SandboxFactory as _};
use seatrial_source::SourceTree;

use crate::boxes::Boxes;

/// Code with a warning, and a library named before what needs it.
const HULL: &[(&str, &str)] = &[
    (
        "hull.c",
        "#include <math.h>\n#include <stdlib.h>\nint main(int n, char **v) { int unused; return (int)cbrt(atof(v[n - 1])); }\n",
    ),
    (
        "Makefile",
        "hull: hull.o\n\t$(CC) -Wl,--as-needed -lm hull.o -o hull\nhull.o: hull.c\n\t$(CC) -O2 -Wall -Werror -c hull.c\n",
    ),
];

/// A program behind Autoconf.
const MAST: &[(&str, &str)] = &[
    ("mast.c", "int main(void) { return 0; }\n"),
    (
        "configure.ac",
        "AC_INIT([mast], [1.0])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    ),
    ("Makefile.in", "mast: mast.c\n\t@CC@ @CFLAGS@ mast.c -o mast\n"),
];

/// A program behind CMake, in a sub-folder.
const KEEL: &[(&str, &str)] = &[
    ("README", "A keel.\n"),
    ("src/keel.c", "int main(void) { return 0; }\n"),
    (
        "src/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.5)\nproject(keel C)\nadd_executable(keel keel.c)\n",
    ),
];

fn task() -> Task {
    Task {
        id: "hull".parse().unwrap(),
        suite: "compile".parse().unwrap(),
        source: PinnedSource {
            name: "hull".to_owned(),
            origin: SourceKind::Folder {
                path: "/nowhere".to_owned(),
            },
            tree: Some(Digest::of(b"hull")),
        },
        platform: Platform::default_host(),
        goal: Goal::Compile,
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    }
}

/// Lets an agent work that has nothing to complain of. What is handed in is what was done: the script ends as the note says.
fn solve(boxes: &Boxes, agent: &dyn Agent, files: &[(&str, &str)]) -> (Submission, Vec<Event>) {
    let tried = try_solve(boxes, agent, files);
    let submission = tried.submission.unwrap();
    if let Some((succeeded, output)) = tried.replay {
        assert_eq!(
            succeeded,
            submission.note.contains("ended well"),
            "{}: {}\n{output}",
            agent.name(),
            submission.note
        );
    }
    (submission, tried.events)
}

/// What came of an agent's work.
struct Tried {
    submission: Result<Submission, AgentError>,
    events: Vec<Event>,
    /// Whether its script, run in another box with the same tree, exited with 0, and what it wrote.
    replay: Option<(bool, String)>,
}

/// Lets an agent work on a tree in a box of its own.
fn try_solve(boxes: &Boxes, agent: &dyn Agent, files: &[(&str, &str)]) -> Tried {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
    let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"hull"));
    let start = || {
        let mut sandbox = boxes
            .factory
            .start(&BoxSpec {
                image: boxes.image,
                limits: Limits::default(),
                network: Network::Off,
            })
            .unwrap();
        let mut tar = Vec::new();
        tree.write_tar(&mut tar).unwrap();
        sandbox.write_tree(BOX_SOURCE, &mut tar.as_slice()).unwrap();
        // There is no network here, and nothing in these trees needs a package.
        for tool in ["apt-get", "apt-file"] {
            sandbox
                .write_file(&format!("/usr/local/bin/{tool}"), b"#!/bin/sh\nexit 0\n", 0o755)
                .unwrap();
        }
        sandbox
    };
    let mut sandbox = start();
    let mut events = Vec::new();
    let submission = agent.solve(&mut SolveContext {
        task: &task(),
        tree: folder.path(),
        sandbox: sandbox.as_mut(),
        resolver: Some(&NoPackages),
        rebuilder: None,
        blobs: &boxes.home.blobs(),
        events: &mut events,
        output: &mut |_| {},
        deadline: None,
        forbid: &[],
        base_packages: &[],
    });
    drop(sandbox);
    let script = submission
        .as_ref()
        .ok()
        .and_then(|submission| submission.script.clone());
    let patch = submission.as_ref().ok().and_then(|submission| submission.patch.clone());
    let replay = script.map(|script| {
        let mut output = Vec::new();
        let mut sandbox = start();
        if let Some(patch) = patch {
            sandbox.write_file("/patch", patch.as_bytes(), 0o600).unwrap();
            let lay = Command::bash(format!("patch --batch --forward -p1 -d {BOX_SOURCE} < /patch"));
            assert!(
                sandbox.exec(&lay, &mut output).unwrap().succeeded(),
                "{}",
                String::from_utf8_lossy(&output)
            );
        }
        let again = sandbox.exec(&Command::bash(script), &mut output).unwrap();
        (again.succeeded(), String::from_utf8_lossy(&output).into_owned())
    });
    Tried {
        submission,
        events,
        replay,
    }
}

/// An index that knows nothing.
struct NoPackages;

impl Resolver for NoPackages {
    fn resolve(&self, _: &Key) -> Vec<Candidate> {
        Vec::new()
    }
}

#[test]
fn each_baseline_does_what_it_is_described_to_do() {
    let Some(boxes) = boxes::boxes() else { return };
    let mut text = String::new();
    for (tree, files) in [("hull", HULL), ("mast", MAST), ("keel", KEEL)] {
        for name in ["ghcc", "assemblage", "debhelper-order", "codeql-order"] {
            let (submission, events) = solve(boxes, &*agent(name, &AgentSettings::default()).unwrap(), files);
            let commands = events
                .iter()
                .filter(|event| matches!(event, Event::Command(record) if record.purpose != "look"))
                .count();
            writeln!(text, "{tree}, {name}: {} ({commands} commands)", submission.note).unwrap();
        }
    }
    expect![[r#"
        hull, ghcc: make in 1 folders: every step ended well; 2 artifacts (3 commands)
        hull, assemblage: make -j4: build exited with 2; 0 artifacts (2 commands)
        hull, debhelper-order: makefile: build exited with 2; 0 artifacts (2 commands)
        hull, codeql-order: Make in the root: build exited with 2; 0 artifacts (1 commands)
        mast, ghcc: no plan: no folder has a Makefile, and GHCC looks for nothing else (0 commands)
        mast, assemblage: make -j4: build exited with 2; 0 artifacts (2 commands)
        mast, debhelper-order: autoconf: every step ended well; 1 artifacts (5 commands)
        mast, codeql-order: Autoconf in the root: every step ended well; 1 artifacts (2 commands)
        keel, ghcc: no plan: no folder has a Makefile, and GHCC looks for nothing else (0 commands)
        keel, assemblage: cmake -Bbuild && cd build && make -j4: build exited with 1; 0 artifacts (2 commands)
        keel, debhelper-order: no plan: no build system of debhelper's is in the root of the tree (0 commands)
        keel, codeql-order: CMake in src: every step ended well; 2 artifacts (2 commands)
    "#]]
    .assert_eq(&text);
}

/// Speaks as the program does: says what it runs and how that ended, and repairs what it may.
const PROGRAM: &str = r#"#!/bin/sh
[ "$1" != --supported-buildsystems ] || exit 0
[ "$*" = "--debug -d /build/source -i apt build" ] || { echo "unexpected: $*" >&2; exit 2; }
cd /build/source || exit 1
echo "Preparing directory /build/source" >&2
make_all() {
  echo 'Running command: ["make", "all"] in "/build/source"' >&2
  make all
  code=$?
  echo "Command returned code $code, with 1 lines of output." >&2
  return $code
}
make_all && exit 0
echo 'Running command: ["sh", "-c", "printf \"all: keel\\n\" >all.mk; cat all.mk >>Makefile"] in "/build/source"' >&2
printf "all: keel\n" >all.mk; cat all.mk >>Makefile
echo "Command returned code 0, with 0 lines of output." >&2
make_all
"#;

#[test]
fn what_another_program_ran_is_replayed_without_it() {
    let Some(boxes) = boxes::boxes() else { return };
    let ognibuild = Ognibuild::of(Some(PROGRAM.into()));
    let mut text = String::new();
    for (tree, files) in [
        (
            "a tree that needs a repair",
            &[
                ("keel.c", "int main(void) { return 0; }\n"),
                ("Makefile", "keel: keel.c\n\tcc keel.c -o keel\n"),
            ][..],
        ),
        (
            "a tree that stays broken",
            &[("Makefile", "keel: keel.c\n\tcc keel.c -o keel\n")],
        ),
    ] {
        let (submission, events) = solve(boxes, &ognibuild, files);
        let commands = events.iter().filter(|event| matches!(event, Event::Command(_))).count();
        writeln!(text, "{tree}: {} ({commands} commands)", submission.note).unwrap();
        for step in submission.recipe.unwrap().steps {
            let first = step.command.lines().last().unwrap();
            writeln!(text, "  {} in {}: {first}", step.purpose.as_str(), step.folder).unwrap();
        }
    }
    expect![[r#"
        a tree that needs a repair: what the program ran, in 3 commands: the program ended well; 1 artifacts (2 commands)
          dependencies in $OUT: apt-get install -q -y --no-install-recommends apt-file python3-pip-whl
          build in $SRC: make all
          build in $SRC: " >all.mk; cat all.mk >>Makefile'
          build in $SRC: make all
        a tree that stays broken: what the program ran, in 3 commands: the program exited with 2; 0 artifacts (2 commands)
          dependencies in $OUT: apt-get install -q -y --no-install-recommends apt-file python3-pip-whl
          build in $SRC: make all
          build in $SRC: " >all.mk; cat all.mk >>Makefile'
          build in $SRC: make all
    "#]].assert_eq(&text);
    // A program that does not start is nobody's failure to build.
    let absent = try_solve(boxes, &Ognibuild::of(Some(b"#!/nowhere\n".to_vec())), HULL)
        .submission
        .unwrap_err();
    assert!(absent.to_string().contains("does not run in the box"), "{absent}");
    let none = try_solve(boxes, &Ognibuild::of(None), HULL).submission.unwrap_err();
    assert_eq!(none.to_string(), "the agent `ognibuild` needs its program `ogni`");
}
