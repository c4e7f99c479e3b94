//! Agents that repair a package, against a scripted server, with real rebuilds.

use std::{collections::BTreeMap, fmt::Write as _};

use expect_test::expect;
use fs_err as fs;
use seatrial_agents::{
    AgentError, AgentSettings, RepairOptions, SolveContext, agent,
    external::{ExternalProgram, ExternalRecipe, Secrets},
};
use seatrial_core::{
    Arch, BOX_SOURCE, Budget, Digest, Event, Goal, PinnedSource, Platform, RecipeKind, RepairGoal, SourceKind,
    Submission, Task,
};
use seatrial_llm::{
    Bounds,
    scripted::{Answer, Conversation, Script},
};
use seatrial_packaging::Package;
use seatrial_rebuild::{Listener, Local, Mode, Outcome, RebuildError, RebuildRequest, Rebuilder, SourcePackage, State};
use seatrial_sandbox::{BoxSpec, Limits, Network, SandboxFactory as _};
use seatrial_source::SourceTree;
use serde_json::json;

use super::{NoPackages, boxes, models::Stage, small_package::write_package, worlds::world};

/// Two faults: the second shows when the first is gone.
const PROG: &str = "#include <no-such-port.h>\n\n/* one */\n/* two */\n/* three */\n/* four */\n/* five */\n/* six */\n\
                    int main(void) { return HELM; }\n";
const HALF: &str =
    "\n/* one */\n/* two */\n/* three */\n/* four */\n/* five */\n/* six */\nint main(void) { return HELM; }\n";
const WHOLE: &str =
    "\n/* one */\n/* two */\n/* three */\n/* four */\n/* five */\n/* six */\nint main(void) { return 0; }\n";

/// Both faults mended, in two hunks.
const DIFF: &str = "diff --git a/prog.c b/prog.c
--- a/prog.c
+++ b/prog.c
@@ -1,4 +1,3 @@
-#include <no-such-port.h>
 
 /* one */
 /* two */
@@ -6,4 +5,4 @@
 /* four */
 /* five */
 /* six */
-int main(void) { return HELM; }
+int main(void) { return 0; }
";

fn task(failed_log: Digest) -> Task {
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
            works_on: None,
            failed_log: Some(failed_log),
            working_log: None,
        }),
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    }
}

/// What an agent hands in for the package, and what it did; none where there are no boxes.
fn repair(name: &str, stage: &Stage) -> Option<(Submission, Vec<Event>)> {
    repair_with(name, &stage.settings)
}

fn repair_with(name: &str, settings: &AgentSettings) -> Option<(Submission, Vec<Event>)> {
    let world = world(Arch::host())?;
    let (submission, events) = solve(name, settings, &Local::new(&world, None))?;
    Some((submission.unwrap(), events))
}

fn solve(
    name: &str,
    settings: &AgentSettings,
    rebuilder: &dyn Rebuilder,
) -> Option<(Result<Submission, AgentError>, Vec<Event>)> {
    let boxes = boxes::boxes()?;
    let folder = tempfile::tempdir().unwrap();
    write_package(folder.path(), "any", PROG);
    let tree = SourceTree::new(folder.path().to_owned(), Digest::of(b"tree"));
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
    let blobs = boxes.home.blobs();
    let log = blobs
        .put(b"cc -o prog prog.c\nprog.c:1:10: fatal error: no-such-port.h: No such file or directory\n")
        .unwrap();
    let mut events = Vec::new();
    let submission = agent(name, settings).unwrap().solve(&mut SolveContext {
        task: &task(log),
        tree: folder.path(),
        sandbox: sandbox.as_mut(),
        resolver: Some(&NoPackages),
        rebuilder: Some(rebuilder),
        blobs: &blobs,
        events: &mut events,
        output: &mut |_| {},
        deadline: None,
        forbid: &[],
        base_packages: &[],
    });
    Some((submission, events))
}

/// What was done and handed in, in a few lines.
fn told(handed_in: &Submission, events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::ToolCalled(record) => {
                let how = if record.failed { " refused" } else { "" };
                writeln!(text, "{}: {}{how}", record.conversation, record.name).unwrap();
            }
            Event::Note { text: note } if note.starts_with("iteration") => {
                writeln!(text, "{}", note.split(" sources=").next().unwrap()).unwrap();
            }
            Event::Ended { by, why } => writeln!(text, "ended {by:?}: {why}").unwrap(),
            _ => {}
        }
    }
    writeln!(text, "{}", handed_in.note).unwrap();
    let state = match &handed_in.patch {
        None => "nothing is handed in".to_owned(),
        Some(patch) => {
            let folder = tempfile::tempdir().unwrap();
            write_package(folder.path(), "any", PROG);
            let mut fresh = Package::open(folder.path()).unwrap();
            fresh.apply(patch).unwrap();
            let prog = fs::read_to_string(fresh.root().join("prog.c")).unwrap();
            match prog.as_str() {
                WHOLE => "handed in: all of the repair".to_owned(),
                HALF => "handed in: half of the repair".to_owned(),
                other => format!("handed in: {other}"),
            }
        }
    };
    writeln!(text, "{state}").unwrap();
    text
}

/// Whether a text has these parts, one after the other.
fn says(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("there is no {part:?} there in:\n{text}");
        };
        rest = after;
    }
}

fn in_iteration(number: u32, answer: Vec<Answer>) -> Conversation {
    Conversation {
        name: Some(format!("iteration-{number}")),
        answer,
        ..Conversation::default()
    }
}

fn write(text: &str) -> Answer {
    Answer::call("write", json!({"path": "prog.c", "content": text}))
}

fn plain(name: &str) -> Answer {
    Answer::call(name, json!({}))
}

#[test]
fn three_iterations_the_second_of_which_fails_for_real() {
    let stage = Stage::of(Script {
        conversation: vec![
            in_iteration(
                1,
                vec![
                    plain("check"),
                    Answer::call("read", json!({"path": "/build/source/prog.c"})),
                    Answer::text("I see no way."),
                ],
            ),
            in_iteration(
                2,
                vec![
                    write(HALF),
                    plain("upload"),
                    plain("check"),
                    plain("check"),
                    plain("check"),
                    plain("check"),
                    plain("diagnose"),
                    Answer::text("It should build now."),
                ],
            ),
            in_iteration(3, vec![write(WHOLE), plain("upload"), plain("check")]),
        ],
        ..Script::default()
    });
    let Some((submission, events)) = repair("mcp-repair", &stage) else {
        return;
    };
    says(
        &told(&submission, &events),
        &[
            "iteration-1: check refused\n",
            "iteration-1: upload\niteration-1: check\n",
            "iteration 1 of 3: turns=3 calls=2 uploads=1 checks=1 state=failed\n",
            "iteration-2: check\niteration-2: check\niteration-2: check\niteration-2: check refused\n",
            "uploads=1 checks=",
            "ended Finished: succeeded in iteration 3\n",
            "handed in: all of the repair\n",
        ],
    );
    // What the third conversation begins with: fresh, with what the others did.
    let begins: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            Event::Said { conversation, message } if conversation == "iteration-3" => Some(message.plain_text()),
            _ => None,
        })
        .collect();
    let history = begins[1].split("This is attempt").nth(1).unwrap();
    says(
        history,
        &[
            "Attempt 1: ",
            "it edited nothing\n",
            "Attempt 2: ",
            "-#include <no-such-port.h>\n",
        ],
    );
}

#[test]
fn patches_by_the_published_names() {
    let mut stage = Stage::new(vec![
        Answer::call(
            "apply_git_unified_patch_tool",
            json!({"repo_root": "temp_workspace/t", "patch_text": DIFF}),
        ),
        Answer::call("modify_file_tool", json!({"file_path": "prog.c", "new_content": ""})),
        Answer::call("upload_file_to_obs_tool", json!({"package_path": "temp_workspace/t"})),
        Answer::call(
            "check_build_result",
            json!({"input_dir": "temp_workspace/t", "package_name": "t"}),
        ),
    ]);
    stage.settings.options.repair = RepairOptions {
        patches: true,
        compat: true,
        ..RepairOptions::default()
    };
    let Some((submission, events)) = repair("mcp-repair", &stage) else {
        return;
    };
    says(
        &told(&submission, &events),
        &[
            "iteration-1: apply_git_unified_patch_tool\n",
            "iteration-1: modify_file_tool refused\n",
            "iteration-1: upload_file_to_obs_tool\niteration-1: check_build_result\n",
            "ended Finished: succeeded in iteration 1\n",
            "handed in: all of the repair\n",
        ],
    );
}

#[test]
fn when_the_budget_ends_what_is_there_is_handed_in() {
    let mut stage = Stage::new(vec![write(HALF), plain("upload"), plain("check")]);
    stage.settings.bounds = Bounds {
        steps: Some(2),
        ..Bounds::default()
    };
    let Some((submission, events)) = repair("mcp-repair", &stage) else {
        return;
    };
    says(
        &told(&submission, &events),
        &[
            "iteration-1: write\niteration-1: upload\n",
            "ended Steps: ",
            "handed in: half of the repair\n",
        ],
    );
}

#[test]
fn other_agents_hand_in_what_differs() {
    let mend = "printf '%s' \"$(sed '1d; s/HELM/0/' prog.c)\" >new; echo >>new; mv new prog.c; cc -o prog prog.c; touch debian/files";
    let mut text = String::new();
    for (name, answers) in [
        (
            "bash",
            vec![
                Answer::call("shell", json!({ "command": mend })),
                Answer::text("Mended."),
            ],
        ),
        (
            "codeact",
            vec![write(WHOLE), Answer::call("finish", json!({"message": "Mended."}))],
        ),
        ("single-turn", vec![Answer::text(format!("```diff\n{DIFF}```\n"))]),
        ("null", Vec::new()),
    ] {
        let stage = Stage::new(answers);
        let Some((submission, events)) = repair(name, &stage) else {
            return;
        };
        writeln!(text, "{name}:\n{}", told(&submission, &events)).unwrap();
    }
    assert_eq!(text.matches("handed in: all of the repair\n").count(), 3, "{text}");
    says(&text, &["nothing is handed in\n"]);
}

/// A program of others that runs this in the box.
fn program(command: &str) -> AgentSettings {
    let recipe = format!("name = 'own'\nabout = 'a test'\n[run]\ncommand = '''\n{command}\n'''\n");
    AgentSettings {
        external: Some(ExternalProgram {
            recipe: ExternalRecipe::parse(&recipe).unwrap(),
            model: Some("some/model".to_owned()),
            base_url: None,
            secrets: Secrets::new(BTreeMap::new()).unwrap(),
        }),
        ..AgentSettings::default()
    }
}

#[test]
fn a_program_of_others_finds_the_package_and_what_it_edits_is_handed_in() {
    let look = "grep -q 'Edit the files in place' {{prompt_file}} || exit 9\n\
                test \"$PWD\" = {{source}} && test -f debian/rules || exit 8\n";
    // Compiled files and what debhelper notes are no part of a repair, and a script counts for nothing.
    let mend = format!(
        "cat > prog.c <<'END'\n{WHOLE}END\ncc -o prog prog.c; touch debian/files\necho 'touch x' > /submission/build.sh\n"
    );
    let mut text = String::new();
    for (row, command) in [
        ("mends", format!("{look}{mend}")),
        ("mends and ends badly", format!("{look}{mend}exit 3\n")),
        ("edits nothing", look.to_owned()),
    ] {
        let Some((submission, events)) = repair_with("external", &program(&command)) else {
            return;
        };
        assert_eq!(submission.script, None, "{row}");
        writeln!(text, "{row}:\n{}", told(&submission, &events)).unwrap();
    }
    expect![[r#"
        mends:
        ended Finished: the program ended well
        the program ended well; 1 files changed; left out, because a build made it: debian/files, prog
        handed in: all of the repair

        mends and ends badly:
        ended GaveUp: the program exited with 3: 
        the program exited with 3: ; 1 files changed; left out, because a build made it: debian/files, prog
        handed in: all of the repair

        edits nothing:
        ended Finished: the program ended well
        the program ended well; no file was changed
        nothing is handed in

    "#]]
    .assert_eq(&text);
}

/// A machine that fails.
struct Broken;

impl Rebuilder for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn rebuild(
        &self,
        package: &SourcePackage,
        target: Arch,
        _: &RebuildRequest,
        _: &mut dyn Listener,
    ) -> Result<Outcome, RebuildError> {
        Ok(Outcome {
            state: State::Invalid("the machine's disk is full".to_owned()),
            details: String::new(),
            missing: Vec::new(),
            log: None,
            duration: std::time::Duration::ZERO,
            spent: Vec::new(),
            emulated: false,
            emulator: None,
            proof: false,
            payloads: Vec::new(),
            source: package.digest(),
            target,
            builder: "broken".to_owned(),
            mode: Mode::Native,
        })
    }
}

#[test]
fn a_machine_that_fails_is_no_failure_of_a_repair_by_rule() {
    let Some((submission, _)) = solve("rules", &AgentSettings::default(), &Broken) else {
        return;
    };
    let error = submission.unwrap_err();
    assert!(
        matches!(&error, AgentError::NothingKnown(why) if why.contains("disk is full")),
        "{error}"
    );
}
