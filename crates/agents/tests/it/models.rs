//! Agents with a model, against a scripted server that speaks a real wire, in real boxes without a network.

use std::{fmt::Write as _, sync::Arc};

use expect_test::expect;
use seatrial_agents::{AgentOptions, AgentSettings, CondenserKind, agent};
use seatrial_core::{Event, InvalidReason, Submission};
use seatrial_llm::{
    Bounds, EmbeddingModel, Model, Patience, Settings, Wire, connect, connect_embeddings,
    scripted::{Answer, Fault, Script, ScriptedServer, Scripts},
};
use serde_json::json;

use super::{HULL, boxes, try_solve};

/// What the model of a test says, and the server that says it.
pub(crate) struct Stage {
    pub(crate) server: ScriptedServer,
    pub(crate) settings: AgentSettings,
}

impl Stage {
    pub(crate) fn new(answers: Vec<Answer>) -> Self {
        Self::of(Script::of(answers))
    }

    pub(crate) fn of(script: Script) -> Self {
        let server = ScriptedServer::start(Scripts::any(script)).unwrap();
        let settings = Settings {
            base_url: Some(server.base_url(Wire::Chat)),
            patience: Patience {
                attempts: 2,
                first_wait: std::time::Duration::from_millis(1),
                ..Patience::default()
            },
            ..Settings::default()
        };
        let model: Arc<dyn Model> = connect(&"scripted/small".parse().unwrap(), &settings).unwrap();
        Self {
            server,
            settings: AgentSettings {
                models: vec![model],
                ..AgentSettings::default()
            },
        }
    }

    /// The same server as one of vectors.
    pub(crate) fn embedding(&self) -> Arc<dyn EmbeddingModel> {
        let settings = Settings {
            base_url: Some(self.server.base_url(Wire::Chat)),
            ..Settings::default()
        };
        connect_embeddings(&"scripted/vectors".parse().unwrap(), &settings).unwrap()
    }

    fn bounded(mut self, bounds: Bounds) -> Self {
        self.settings.bounds = bounds;
        self
    }
}

fn shell(command: &str) -> Answer {
    Answer::call("shell", json!({ "command": command }))
}

/// How an agent's work ended, in a few lines.
pub(crate) fn told(submission: &Submission, events: &[Event], server: &ScriptedServer) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::ToolCalled(record) => {
                let how = if record.failed { "failed" } else { "done" };
                writeln!(text, "  {} {} {how}", record.conversation, record.name).unwrap();
            }
            Event::Condensed { range, summary, .. } => writeln!(text, "  condensed {range:?}: {summary:?}").unwrap(),
            Event::Ended { by, why } => writeln!(text, "  ended {by:?}: {why}").unwrap(),
            _ => {}
        }
    }
    writeln!(text, "  {} requests; {}", server.heard().len(), submission.note).unwrap();
    text
}

fn work(name: &str, stage: &Stage) -> String {
    work_on(name, stage, HULL)
}

fn work_on(name: &str, stage: &Stage, files: &[(&str, &str)]) -> String {
    let Some(boxes) = boxes::boxes() else {
        return String::new();
    };
    let agent = agent(name, &stage.settings).unwrap();
    let tried = try_solve(boxes, &*agent, files);
    let mut text = told(&tried.submission.unwrap(), &tried.events, &stage.server);
    if let Some((succeeded, _)) = tried.replay {
        writeln!(
            text,
            "  its script {}",
            if succeeded { "does it again" } else { "fails" }
        )
        .unwrap();
    }
    text
}

/// What builds the hull: its Makefile names the library too early and forbids warnings.
pub(crate) const MEND: &str = "sed -i 's/-Werror//; s/-lm hull.o -o hull/hull.o -o hull -lm/' Makefile";

#[test]
fn an_agent_hands_in_what_its_tools_did() {
    if boxes::boxes().is_none() {
        return;
    }
    let mut text = String::new();
    let say = Answer::text("It is built; everything ended well.");
    let stage = Stage::new(vec![
        shell("export CFLAGS=-g; ls"),
        shell("make"),
        shell(MEND).and_call("shell", json!({ "command": "make && test \"$CFLAGS\" = -g" })),
        say.clone(),
    ]);
    writeln!(text, "bash\n{}", work("bash", &stage)).unwrap();
    let stage = Stage::new(vec![
        Answer::call("read", json!({ "path": "Makefile" })).thinking("What does it do?"),
        Answer::call("replace", json!({ "path": "Makefile", "old": "-Werror ", "new": "" })),
        Answer::call(
            "write",
            json!({ "path": "build.sh", "content": "make LDLIBS= hull.o\ncc -g hull.o -o hull -lm\n", "executable": true }),
        ),
        Answer::text("And now?"),
        Answer::call("shell", json!({ "command": "sh -e build.sh", "fresh": true })),
        Answer::call("finish", json!({ "message": "It is built; everything ended well." })),
    ]);
    writeln!(text, "codeact\n{}", work("codeact", &stage)).unwrap();
    let stage = Stage::new(vec![Answer::text(format!(
        "Here it is:\n```bash\n{MEND}\nmake\n```\nIt never ended well before.\n"
    ))]);
    writeln!(text, "single-turn\n{}", work("single-turn", &stage)).unwrap();
    expect![[r#"
        bash
          setup shell done
          main shell done
          main shell done
          main shell done
          main shell done
          ended Finished: It is built; everything ended well.
          4 requests; It is built; everything ended well.; the script is what its tools did
          its script does it again

        codeact
          setup shell done
          main read done
          main replace done
          main write done
          main shell done
          main finish done
          ended Finished: It is built; everything ended well.
          6 requests; It is built; everything ended well.; the script is what its tools did
          its script does it again

        single-turn
          ended Finished: it wrote its script
          1 requests; it wrote its script; the script is the agent's own
          its script does it again

    "#]]
    .assert_eq(&text);
}

#[test]
fn whatever_a_model_does_has_an_end() {
    if boxes::boxes().is_none() {
        return;
    }
    let again = |answer: Answer| Answer { repeat: true, ..answer };
    let few = Bounds {
        steps: Some(5),
        ..Bounds::default()
    };
    let cases: Vec<(&str, &str, Stage)> = vec![
        ("the same for ever", "bash", Stage::new(vec![again(shell("ls"))])),
        (
            "talk for ever",
            "codeact",
            Stage::new(vec![again(Answer::text("I think."))]),
        ),
        (
            "a bound on turns",
            "codeact",
            Stage::new(
                (0..9)
                    .map(|number| shell(&format!("echo {number}x{number}{number}")))
                    .collect(),
            )
            .bounded(few),
        ),
        (
            "a bound on uses of tools",
            "bash",
            Stage::new(vec![shell("true").and_call("shell", json!({ "command": "false" }))]).bounded(Bounds {
                tool_calls: Some(1),
                ..Bounds::default()
            }),
        ),
        (
            "broken calls",
            "codeact",
            Stage::new(vec![
                Answer {
                    calls: vec![seatrial_llm::scripted::Call {
                        name: "shell".to_owned(),
                        arguments: json!(null),
                        raw: Some("{\"command\": ".to_owned()),
                    }],
                    ..Answer::default()
                },
                Answer::call("no_such_tool", json!({})),
                Answer::call("read", json!({ "path": "../../../etc/shadow.none" })),
                Answer::call("finish", json!({ "message": "no", "succeeded": false })),
            ]),
        ),
        ("no script", "single-turn", Stage::new(vec![Answer::text("I cannot.")])),
        (
            "a refusal",
            "bash",
            Stage::new(vec![Answer {
                finish: Some(seatrial_core::Finish::Refusal),
                ..Answer::text("I will not.")
            }]),
        ),
    ];
    let mut text = String::new();
    for (what, name, stage) in cases {
        writeln!(text, "{what} ({name})\n{}", work(name, &stage)).unwrap();
    }
    expect![[r#"
        the same for ever (bash)
          setup shell done
          main shell done
          main shell done
          main shell done
          main shell done
          main shell done
          main shell done
          main shell done
          main shell done
          ended Stuck: the same action had the same result 4 times
          8 requests; the same action had the same result 4 times; the script is what its tools did
          its script does it again

        talk for ever (codeact)
          setup shell done
          ended Stuck: 3 messages in a row did nothing
          3 requests; 3 messages in a row did nothing; nothing was done

        a bound on turns (codeact)
          setup shell done
          main shell done
          main shell done
          main shell done
          main shell done
          main shell done
          ended Steps: the call was not made: 5 of 5 steps are used
          5 requests; ended: the call was not made: 5 of 5 steps are used; the script is what its tools did
          its script does it again

        a bound on uses of tools (bash)
          setup shell done
          main shell done
          ended ToolCalls: 1 of 1 uses of tools are used
          1 requests; 1 of 1 uses of tools are used; the script is what its tools did
          its script does it again

        broken calls (codeact)
          setup shell done
          main shell failed
          main no_such_tool failed
          main read failed
          main finish done
          ended GaveUp: no
          4 requests; no; nothing was done

        no script (single-turn)
          ended BadForm: the answer has no script
          1 requests; the answer has no script; nothing was done

        a refusal (bash)
          setup shell done
          ended Refused: `scripted/small` declined to answer: I will not.
          1 requests; ended: `scripted/small` declined to answer: I will not.; nothing was done

    "#]]
    .assert_eq(&text);
}

#[test]
fn a_bound_on_tokens_is_never_passed() {
    let Some(boxes) = boxes::boxes() else { return };
    let date = Answer {
        repeat: true,
        ..shell("date").using(1500, 200)
    };
    let bound = 12_000;
    let stage = Stage::new(vec![date]).bounded(Bounds {
        tokens: Some(bound),
        ..Bounds::default()
    });
    let tried = try_solve(boxes, &*agent("bash", &stage.settings).unwrap(), HULL);
    tried.submission.unwrap();
    let used: u64 = tried
        .events
        .iter()
        .filter_map(|event| match event {
            Event::ModelCalled(record) => Some(record.usage.total()),
            _ => None,
        })
        .sum();
    assert!(used > 0 && used <= bound, "{used}");
    let ended = tried.events.iter().find_map(|event| match event {
        Event::Ended { by, .. } => Some(*by),
        _ => None,
    });
    assert_eq!(ended, Some(seatrial_core::Ending::Tokens));
}

#[test]
fn a_model_that_cannot_be_had_says_nothing_of_the_agent() {
    let Some(boxes) = boxes::boxes() else { return };
    for (status, part) in [
        (401, "does not take the key"),
        (404, "is http://127.0.0.1"),
        (500, "did not answer"),
    ] {
        let fault = Fault::Status {
            status,
            retry_after: None,
            message: None,
        };
        let stage = Stage::new(vec![Answer {
            repeat: true,
            ..Answer::fault(fault)
        }]);
        let agent = agent("bash", &stage.settings).unwrap();
        let tried = try_solve(boxes, &*agent, HULL);
        let error = tried.submission.unwrap_err();
        assert!(error.to_string().contains(part), "{status}: {error}");
        assert_eq!(error.invalid_reason(), InvalidReason::Model);
        assert!(
            tried.events.iter().any(|event| matches!(event, Event::Ended { .. })),
            "{status}"
        );
    }
}

#[test]
fn a_long_conversation_is_condensed_and_goes_on() {
    if boxes::boxes().is_none() {
        return;
    }
    // The model does not take more than a few messages; what is said in between tells which ones it sees.
    let full = |answer: Answer| Answer {
        fault: Some(Fault::Status {
            status: 400,
            retry_after: None,
            message: Some("the context length of this model is exceeded".to_owned()),
        }),
        ..answer
    };
    let mut text = String::new();
    for condenser in [CondenserKind::Summary, CondenserKind::Window, CondenserKind::Off] {
        let mut script = Script::of([
            shell("echo 1 one"),
            shell("echo 2 two"),
            shell("echo 3 three"),
            full(Answer::default()),
            Answer::text("Done."),
        ]);
        script.conversation.push(seatrial_llm::scripted::Conversation {
            name: Some("main-summary".to_owned()),
            answer: vec![Answer::text("Three things were said.")],
            ..seatrial_llm::scripted::Conversation::default()
        });
        let mut stage = Stage::of(script);
        stage.settings.options = AgentOptions {
            condenser,
            ..AgentOptions::default()
        };
        writeln!(text, "{condenser:?}\n{}", work("bash", &stage)).unwrap();
    }
    expect![[r#"
        Summary
          setup shell done
          main shell done
          main shell done
          main shell done
          condensed [2, 4]: "[What happened before, in short:]\nThree things were said."
          ended Finished: Done.
          6 requests; Done.; the script is what its tools did
          its script does it again

        Window
          setup shell done
          main shell done
          main shell done
          main shell done
          condensed [2, 4]: "[2 older messages were left out here to save room.]"
          ended Finished: Done.
          5 requests; Done.; the script is what its tools did
          its script does it again

        Off
          setup shell done
          main shell done
          main shell done
          main shell done
          ended ContextFull: the conversation does not fit the context of `scripted/small` (the context length of this model is exceeded): condense it, or use a model with more
          4 requests; ended: the conversation does not fit the context of `scripted/small` (the context length of this model is exceeded): condense it, or use a model with more; the script is what its tools did
          its script does it again

    "#]].assert_eq(&text);
}

#[test]
fn rules_come_first_and_a_model_gets_what_they_leave() {
    let Some(boxes) = boxes::boxes() else { return };
    // The rules build this one alone.
    let stage = Stage::new(vec![Answer::text("Nobody asks me.")]);
    let plain = [
        ("keel.c", "int main(void) { return 0; }\n"),
        ("Makefile", "keel: keel.c\n\t$(CC) keel.c -o keel\n"),
    ];
    let tried = try_solve(boxes, &*agent("hybrid", &stage.settings).unwrap(), &plain);
    assert!(tried.submission.unwrap().recipe.is_some());
    assert_eq!(stage.server.heard().len(), 0);
    // No rule knows what this one wants.
    let locked = [
        ("keel.c", "int main(void) { return 0; }\n"),
        (
            "Makefile",
            "keel: keel.c\n\t@test \"$(PASSWORD)\" = open || { echo 'error: ask the captain' >&2; exit 1; }\n\t$(CC) keel.c -o keel\n",
        ),
    ];
    let stage = Stage::new(vec![
        shell("make PASSWORD=open"),
        Answer::call("finish", json!({ "message": "It is built." })),
    ]);
    let tried = try_solve(boxes, &*agent("hybrid", &stage.settings).unwrap(), &locked);
    let submission = tried.submission.unwrap();
    assert!(
        submission.script.as_ref().unwrap().contains("PASSWORD=open"),
        "{submission:?}"
    );
    assert_eq!(tried.replay.map(|(succeeded, _)| succeeded), Some(true));
    let heard = stage.server.heard();
    let asked = heard[0].body.to_string();
    assert!(
        asked.contains("The case file") && asked.contains("ask the captain"),
        "{asked}"
    );
    // A model that gets no further leaves the rules' word standing.
    let stage = Stage::new(vec![Answer::call(
        "finish",
        json!({ "message": "No.", "succeeded": false }),
    )]);
    let tried = try_solve(boxes, &*agent("hybrid", &stage.settings).unwrap(), &locked);
    let submission = tried.submission.unwrap();
    assert!(submission.note.starts_with("No."), "{}", submission.note);
}

#[test]
fn patches_plans_and_ways_back_are_part_of_what_is_handed_in() {
    if boxes::boxes().is_none() {
        return;
    }
    let files = [
        ("keel.c", "int main(void) { return 0; }\n"),
        (
            "Makefile",
            "keel: keel.c\n\t@echo 'error: ask the captain' >&2; exit 1\n\t$(CC) -g keel.c -o keel\n",
        ),
    ];
    let patch = "--- a/Makefile\n+++ b/Makefile\n@@ -1,3 +1,2 @@\n keel: keel.c\n-\t@echo 'error: ask the captain' >&2; exit 1\n \t$(CC) -g keel.c -o keel\n\
                 --- a/keel.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-int main(void) { return 0; }\n\
                 --- /dev/null\n+++ b/keel.c\n@@ -0,0 +1 @@\n+int main(int n, char **v) { return n - !!v; }\n";
    let mut text = String::new();
    let stage = Stage::new(vec![
        Answer::call("snapshot", json!({ "name": "fresh" })),
        shell("echo broken > Makefile"),
        Answer::call("rollback", json!({ "to": "fresh" })),
        Answer::call("apply_patch", json!({ "patch": patch })),
        Answer::call("try_plan", json!({ "script": "make" })),
        Answer::call("finish", json!({ "message": "It is built; everything ended well." })),
    ]);
    writeln!(text, "hybrid\n{}", work_on("hybrid", &stage, &files)).unwrap();
    expect![[r#"
        hybrid
          setup shell done
          main snapshot done
          main shell done
          main rollback done
          main apply_patch done
          main try_plan done
          main finish done
          ended Finished: It is built; everything ended well.
          6 requests; It is built; everything ended well.; the script is what its tools did
          its script does it again

    "#]]
    .assert_eq(&text);
}
