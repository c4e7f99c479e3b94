//! Programs of others in real boxes: what they leave, how they end, and what nobody gets to see.

use std::{collections::BTreeMap, fmt::Write as _};

use expect_test::expect;
use seatrial_agents::{
    AgentError, AgentSettings, agent,
    external::{ExternalProgram, ExternalRecipe, Secrets},
};
use seatrial_core::Event;

use super::{HULL, Tried, boxes, try_solve};

/// A recipe with this command and these further lines.
fn recipe(command: &str, more: &str) -> ExternalRecipe {
    ExternalRecipe::parse(&format!(
        "name = 'own'\nabout = 'a test'\n[run]\ncommand = '''\n{command}'''\n{more}\n"
    ))
    .unwrap()
}

fn settings(recipe: ExternalRecipe, secrets: &[(&str, &str)]) -> AgentSettings {
    let secrets: BTreeMap<String, String> = secrets
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    AgentSettings {
        external: Some(ExternalProgram {
            recipe,
            model: Some("some/model's name".to_owned()),
            base_url: None,
            secrets: Secrets::new(secrets).unwrap(),
        }),
        ..AgentSettings::default()
    }
}

fn work(recipe: ExternalRecipe, secrets: &[(&str, &str)]) -> Option<Tried> {
    let boxes = boxes::boxes()?;
    let agent = agent("external", &settings(recipe, secrets)).unwrap();
    Some(try_solve(boxes, &*agent, HULL))
}

/// How it ended, in a few lines.
fn told(tried: &Tried) -> String {
    let mut text = String::new();
    for event in &tried.events {
        match event {
            Event::Ended { by, why } => writeln!(text, "  ended {by:?}: {why}").unwrap(),
            Event::Command(record) if record.purpose == "agent" => {
                writeln!(text, "  ran {} -> {:?}", record.command, record.code).unwrap();
            }
            Event::ModelCalled(record) => {
                writeln!(
                    text,
                    "  {} used {} tokens, {:?}",
                    record.model,
                    record.usage.total(),
                    record.cost_micros
                )
                .unwrap();
            }
            _ => {}
        }
    }
    match &tried.submission {
        Ok(submission) => writeln!(text, "  {}", submission.note.replace('\n', "\n  ")).unwrap(),
        Err(error) => writeln!(text, "  {error}").unwrap(),
    }
    if let Some((succeeded, _)) = tried.replay {
        let how = if succeeded { "does it again" } else { "fails" };
        writeln!(text, "  its script {how}").unwrap();
    }
    text
}

const STREAM: &str =
    "[trajectory]\nformat = 'claude-code'\n[usage]\ninput = ['/usage/in']\noutput = ['/usage/out']\ncost = ['/usd']";

#[test]
fn what_a_program_leaves_is_handed_in() {
    if boxes::boxes().is_none() {
        return;
    }
    let script = r#"
grep -q 'Build the C or C++ project' {{prompt_file}} && grep -q /submission/build.sh {{prompt_file}} || exit 9
test {{model}} = "some/model's name" && test "$PWD" = {{source}} && test "$HOME" = {{home}} || exit 8
sed -i 's/-Werror//; s/-lm hull.o -o hull/hull.o -o hull -lm/' Makefile
echo 'int keel;' > keel.c; echo 'int mast;' > mast.c; make
printf '\0\1' > raw.bin
echo keel.c > /submission/files.txt; echo raw.bin >> /submission/files.txt
cat > /submission/build.sh <<'END'
#!/usr/bin/env bash
set -e
sed -i 's/-Werror//; s/-lm hull.o -o hull/hull.o -o hull -lm/' Makefile
make && mkdir -p "$PREFIX/bin" && cp hull "$PREFIX/bin"
END
echo 'It is built.'
"#;
    let tried = work(recipe(script, ""), &[]).unwrap();
    let submission = tried.submission.as_ref().unwrap();
    expect![[r#"
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; binary and therefore not in the patch: raw.bin; 3 new files in the sources are not part of the patch; changed by the script itself and therefore not in the patch: Makefile; 1 files of the sources are changed
          its script does it again

        --- /dev/null
        +++ b/keel.c
        @@ -0,0 +1 @@
        +int keel;
    "#]].assert_eq(&format!(
        "{}\n{}",
        told(&tried),
        submission.patch.as_deref().unwrap_or("no patch")
    ));
}

/// A change that cannot be made twice.
const FIX: &str = r#"cat > /tmp/fix.diff <<'DIFF'
--- a/Makefile
+++ b/Makefile
@@ -1,4 +1,4 @@
 hull: hull.o
-	$(CC) -Wl,--as-needed -lm hull.o -o hull
+	$(CC) -Wl,--as-needed hull.o -o hull -lm
 hull.o: hull.c
-	$(CC) -O2 -Wall -Werror -c hull.c
+	$(CC) -O2 -Wall -c hull.c
DIFF
patch --batch --forward -p1 < /tmp/fix.diff
"#;

#[test]
fn no_change_is_made_twice_whoever_made_it() {
    if boxes::boxes().is_none() {
        return;
    }
    let script = |steps: &str| format!("cat > /submission/build.sh <<'END'\nset -e\n{steps}END\n");
    let both = script(&format!("{FIX}make\n"));
    let cases = [
        (
            "its script changes, and it ran the script",
            format!("{both}bash /submission/build.sh"),
        ),
        (
            "it changed, and its script does the same again",
            format!("{FIX}{both}make"),
        ),
        (
            "it changed, and its script builds",
            format!("{FIX}{}make", script("make\n")),
        ),
        (
            "both, of different files",
            format!(
                "{FIX}{}bash /submission/build.sh",
                script("echo '/* more */' >> hull.c\nmake\n")
            ),
        ),
        ("its script adds a line", {
            let steps = format!("{FIX}echo '/* more */' >> hull.c\nmake\n");
            format!("{}bash /submission/build.sh", script(&steps))
        }),
        (
            "its script fails without the change",
            format!("{FIX}{}make", script("make\ngrep -q mast hull.c || true\n")),
        ),
    ];
    let mut text = String::new();
    for (what, command) in cases {
        let tried = work(recipe(&format!("{command}\n"), ""), &[]).unwrap();
        let patch = tried.submission.as_ref().unwrap().patch.clone().unwrap_or_default();
        let files: Vec<&str> = patch.lines().filter(|line| line.starts_with("+++ ")).collect();
        writeln!(text, "{what}: {files:?}\n{}", told(&tried)).unwrap();
    }
    expect![[r#"
        its script changes, and it ran the script: []
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; 2 new files in the sources are not part of the patch; changed by the script itself and therefore not in the patch: Makefile
          its script does it again

        it changed, and its script does the same again: []
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; 2 new files in the sources are not part of the patch; changed by the script itself and therefore not in the patch: Makefile
          its script does it again

        it changed, and its script builds: ["+++ b/Makefile"]
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; 2 new files in the sources are not part of the patch; 1 files of the sources are changed
          its script does it again

        both, of different files: ["+++ b/Makefile"]
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; 2 new files in the sources are not part of the patch; changed by the script itself and therefore not in the patch: hull.c; 1 files of the sources are changed
          its script does it again

        its script adds a line: []
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; 2 new files in the sources are not part of the patch; changed by the script itself and therefore not in the patch: Makefile, hull.c
          its script does it again

        its script fails without the change: ["+++ b/Makefile"]
          ended Finished: the program ended well
          the program ended well; the script is the one that it left; 2 new files in the sources are not part of the patch; 1 files of the sources are changed
          its script does it again

    "#]].assert_eq(&text);
}

#[test]
fn without_a_script_commands_that_went_well_are_one() {
    if boxes::boxes().is_none() {
        return;
    }
    let stream = r#"
say() { printf '%s\n' "$1"; }
sed -i 's/-Werror//; s/-lm hull.o -o hull/hull.o -o hull -lm/' Makefile; make >/dev/null
say '{"type":"assistant","message":{"content":[{"type":"text","text":"I build."},{"type":"tool_use","id":"1","name":"Bash","input":{"command":"mkdir -p $OUT/x; cd $OUT/x"}}]}}'
say '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":""}]}}'
say '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"2","name":"Bash","input":{"command":"make"}}]}}'
say '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"2","content":"no","is_error":true}]}}'
say '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"3","name":"Bash","input":{"command":"test -d ../x; cd $SRC; cc -c hull.c; cc hull.o -o hull -lm"}}]}}'
say '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"3","content":"ok"}]}}'
say '{"type":"assistant","message":{"content":[{"type":"text","text":"Built."}]}}'
say '{"type":"result","usage":{"in":100,"out":20},"usd":0.5}'
"#;
    let tried = work(recipe(stream, STREAM), &[]).unwrap();
    // A line without blanks before it keeps those of the others.
    expect![[r#"
        without a script
          ran mkdir -p $OUT/x; cd $OUT/x -> None
          ran make -> None
          ran test -d ../x; cd $SRC; cc -c hull.c; cc hull.o -o hull -lm -> None
          some/model's name used 120 tokens, Some(500000)
          ended Finished: the program ended well
          Built.
          the program ended well; it left no script; the script is what its commands did that went well; 2 new files in the sources are not part of the patch; 1 files of the sources are changed
          its script does it again
    "#]].assert_eq(&format!("without a script\n{}", told(&tried)));
}

#[test]
fn whatever_a_program_does_has_an_end() {
    if boxes::boxes().is_none() {
        return;
    }
    let mut text = String::new();
    for (what, command, more) in [
        ("nothing", "true", ""),
        ("nothing, and tells of it", "true", STREAM),
        (
            "waits for an answer",
            "read -r answer || { echo 'nobody answers' >&2; exit 4; }",
            "",
        ),
        ("wants a terminal", "test -t 0 && sleep 1000; tty; exit 3", ""),
        (
            "hangs, and so do its children",
            "sleep 1000 & sleep 1000",
            "[limits]\nidle_seconds = 1",
        ),
        ("never ends", "yes", "[limits]\nwall_seconds = 1\noutput_bytes = 1000"),
        ("cannot be found", "no-such-program", ""),
        ("has a wrong key", "echo 'invalid key' >&2; exit 1", STREAM),
        (
            "cannot be installed",
            "true",
            "[install]\nscript = 'echo no such package >&2; exit 5'",
        ),
        ("leaves an empty script", "touch /submission/build.sh", ""),
        (
            "leaves a script of another kind",
            "echo '#!/usr/bin/python3' > /submission/build.sh",
            "",
        ),
        ("leaves what is no text", "printf '\\377\\0' > /submission/build.sh", ""),
        (
            "leaves a link",
            "ln -s /etc/hostname /submission/build.sh; rm -rf /submission; ln -s / /submission",
            "",
        ),
    ] {
        let tried = work(recipe(command, more), &[]).unwrap();
        assert!(
            tried.events.iter().all(|event| !matches!(event, Event::Said { .. })),
            "{what}"
        );
        writeln!(text, "{what}\n{}", told(&tried)).unwrap();
    }
    let none = agent("external", &AgentSettings::default()).unwrap();
    assert_eq!(none.name(), "external");
    let missing = try_solve(boxes::boxes().unwrap(), &*none, HULL).submission.unwrap_err();
    assert!(matches!(missing, AgentError::Missing { .. }), "{missing}");
    expect![[r#"
        nothing
          ended BadForm: the program ended well and left no script at /submission/build.sh
          the program ended well and left no script at /submission/build.sh; it left no script

        nothing, and tells of it
          ended BadForm: the program ended well and left no script at /submission/build.sh
          the program ended well and left no script at /submission/build.sh; it left no script

        waits for an answer
          ended GaveUp: the program exited with 4: nobody answers
          the program exited with 4: nobody answers; it left no script

        wants a terminal
          ended GaveUp: the program exited with 3: not a tty
          the program exited with 3: not a tty; it left no script

        hangs, and so do its children
          ended Stuck: the program said nothing for longer than it may
          the program said nothing for longer than it may; it left no script

        never ends
          ended Time: the program ran longer than it may
          the program ran longer than it may; it left no script

        cannot be found
          ended Model: it exited with 127 before it did anything: /bin/bash: line 8: no-such-program: command not found
          the program of the agent `external` does not run in the box: it exited with 127 before it did anything: /bin/bash: line 8: no-such-program: command not found

        has a wrong key
          ended Model: it exited with 1 before it did anything: invalid key
          the program of the agent `external` does not run in the box: it exited with 1 before it did anything: invalid key

        cannot be installed
          the program of the agent `external` does not run in the box: installing `own` exited with 5: no such package

        leaves an empty script
          ended BadForm: the program ended well and left no script at /submission/build.sh
          the program ended well and left no script at /submission/build.sh; it left no script

        leaves a script of another kind
          ended BadForm: the program ended well and left no script at /submission/build.sh
          the program ended well and left no script at /submission/build.sh; it left no script; /submission/build.sh is no script of a shell but of `/usr/bin/python3`

        leaves what is no text
          ended BadForm: the program ended well and left no script at /submission/build.sh
          the program ended well and left no script at /submission/build.sh; it left no script; /submission/build.sh is no text

        leaves a link
          ended BadForm: the program ended well and left no script at /submission/build.sh
          the program ended well and left no script at /submission/build.sh; it left no script

    "#]].assert_eq(&text);
}

const SECRET: &str = "hidden-\"value\"-0815";

#[test]
fn what_is_handed_over_is_in_its_environment_and_nowhere_else() {
    let Some(boxes) = boxes::boxes() else { return };
    let script = r#"
test "$OTHER" = plain || exit 8
printf '%s' "$KEY"; echo; printf '%s\n' "$KEY" >&2
printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Bash","input":{"command":"echo %s"}}]}}\n' "$KEY"
printf '%s\n' "$KEY" > Makefile
printf 'export KEY=%s\nexit 1\n' "$KEY" > /submission/build.sh
env > /opt/external/seen
"#;
    let more = "environment = { OTHER = 'plain', KEY = 'none' }\n[trajectory]\nformat = 'claude-code'\n[install]\nscript = 'test -z \"${KEY:-}\"'";
    let tried = work(recipe(script, more), &[("KEY", SECRET)]).unwrap();
    let submission = tried.submission.unwrap();
    let mut all = format!("{submission:?}\n");
    for event in &tried.events {
        writeln!(all, "{}", serde_json::to_string(event).unwrap()).unwrap();
        if let Event::Command(record) = event
            && let Some(log) = &record.log
        {
            all.push_str(&String::from_utf8_lossy(&boxes.home.blobs().read(log).unwrap()));
        }
    }
    assert!(!all.contains("0815"), "{all}");
    assert!(all.contains("[KEY]"), "{all}");
    assert!(submission.script.unwrap().contains("export KEY=[KEY]"));
    // Nothing of this process's own environment came along.
    assert!(std::env::var("CARGO_MANIFEST_DIR").is_ok());
    assert!(!all.contains("CARGO_MANIFEST_DIR"));
}
