//! A leading model whose tools are other models, against a scripted server, in real boxes without a network.

use std::{fmt::Write as _, time::Duration};

use expect_test::expect;
use seatrial_llm::{
    Patience, Settings, Wire, connect,
    scripted::{Answer, Fault, Script},
};
use serde_json::json;

use super::{
    HULL, boxes,
    models::{MEND, Stage},
    oss::{documented, named, web, work},
};

#[test]
fn a_leader_sends_others_to_read_and_to_discuss() {
    if boxes::boxes().is_none() {
        return;
    }
    let call = |name: &str, arguments: serde_json::Value| Answer::call(name, arguments);
    let shell = |command: &str| call("shell", json!({ "command": command }));
    let mend = format!("The order is wrong.\n```bash\n{MEND}\n```");
    let other = "No: warnings.\n```bash\nmake CFLAGS=-w\n```";
    let script = Script {
        conversation: vec![
            named(
                "navigator-1",
                vec![
                    call("shell", json!({"command": "rm -rf /"})),
                    call("read", json!({"path": "doc/guide.md"})),
                    call("fetch_page", json!({"url": "https://hull.example/build.html"})),
                    Answer::text("make (from build.html)").when("KEYWORD-PAGE"),
                ],
            ),
            named(
                "discussion-1-1",
                vec![Answer::text(mend.clone()), Answer::text(mend.clone())],
            ),
            named(
                "discussion-1-2",
                vec![
                    Answer::text(other),
                    Answer::text(mend.clone()).when("The order is wrong"),
                ],
            ),
            named("discussion-1-3", vec![Answer::text(other), Answer::text(other)]),
            named("discussion-1-end", vec![Answer::text(format!("Most say: {mend}"))]),
            named("discussion-2-*", vec![Answer::text(mend)]),
        ],
        answer: vec![
            call("navigate", json!({"question": "How is it built?"})),
            call("search", json!({"pattern": "x"})),
            call("navigate", json!({"query": "How?"})),
            shell("make"),
            call("solve_error", json!({"problem": "make: undefined reference to cbrt"})).when("exit code 2"),
            shell(MEND).when("Most say"),
            shell("make"),
            call("solve_error", json!({"problem": "nothing, really"})),
            Answer::text("And?"),
            Answer::text("COMPILATION-SUCCESS: everything ended well."),
        ],
        ..Script::default()
    };
    let web = web();
    let mut stage = Stage::of(script);
    stage.settings.pages = Some(web.pages());
    let (told, _) = work("compile-agent", &stage, &documented());
    let sampled = stage
        .server
        .heard()
        .iter()
        .filter(|heard| heard.body.get("temperature").and_then(serde_json::Value::as_f64) == Some(1.0))
        .count();
    let mut text = format!("{told}  {sampled} answers by chance\n");
    for (name, answer) in [
        ("gives up", Answer::text("COMPILATION-FAIL: no.")),
        ("cannot tell", Answer::text("compilation-uncertain")),
    ] {
        writeln!(
            text,
            "{name}\n{}",
            work("compile-agent", &Stage::new(vec![answer]), HULL).0
        )
        .unwrap();
    }
    let ever = (0..40).map(|turn| shell(&format!("echo {turn}")));
    writeln!(
        text,
        "ever on\n{}",
        work("compile-agent", &Stage::new(ever.collect()), HULL).0
    )
    .unwrap();
    expect![[r#"
          setup shell done
          navigator-1 shell failed
          navigator-1 read done
          navigator-1 fetch_page done
          main navigate done
          main search failed
          main navigate failed
          main solve_error done
          main solve_error done
          ended Finished: COMPILATION-SUCCESS: everything ended well.
          24 requests; COMPILATION-SUCCESS: everything ended well.; the script is what its tools did
          its script does it again
          9 answers by chance
        gives up
          setup shell done
          ended GaveUp: COMPILATION-FAIL: no.
          1 requests; COMPILATION-FAIL: no.; nothing was done

        cannot tell
          setup shell done
          ended GaveUp: compilation-uncertain
          1 requests; compilation-uncertain; nothing was done

        ever on
          setup shell done
          ended Steps: its 30 turns were used
          30 requests; its 30 turns were used; the script is what its tools did
          its script does it again

    "#]]
    .assert_eq(&text.replace("  main shell done\n", ""));
}

#[test]
fn each_model_is_an_expert_and_one_that_cannot_be_had_is_left_out() {
    if boxes::boxes().is_none() {
        return;
    }
    let says = |command: &str| Answer::text(format!("This:\n```bash\n{command}\n```"));
    let script = Script {
        conversation: vec![
            named("discussion-1-1", vec![says("make one"), says("make one")]),
            named("discussion-1-2", vec![Answer::fault(Fault::UnknownModel)]),
            named(
                "discussion-2-1",
                vec![says("make one"), says("make two").when("make two")],
            ),
            named(
                "discussion-2-2",
                vec![says("make two"), says("make two").when("make one")],
            ),
            named("discussion-3-*", vec![Answer::fault(Fault::Refusal)]),
        ],
        answer: vec![
            Answer::call("solve_error", json!({"problem": "first"})),
            Answer::call("solve_error", json!({"problem": "second"})).when("make one"),
            Answer::call("solve_error", json!({"problem": "third"})).when("make two"),
            Answer::text("COMPILATION-FAIL").when("no expert had anything to say"),
        ],
        ..Script::default()
    };
    let mut stage = Stage::of(script);
    let settings = Settings {
        base_url: Some(stage.server.base_url(Wire::Chat)),
        patience: Patience {
            attempts: 1,
            first_wait: Duration::from_millis(1),
            ..Patience::default()
        },
        ..Settings::default()
    };
    stage
        .settings
        .models
        .push(connect(&"scripted/other".parse().unwrap(), &settings).unwrap());
    let text = format!("two models\n{}", work("compile-agent", &stage, HULL).0);
    expect![[r#"
        two models
          discussion-1-2: `scripted` has no model `other` (The model does not exist or you do not have access to it.): check the name, and whether your key may use it
          discussion-3-1: `scripted/small` declined to answer: The request was declined by the content filter.
          discussion-3-2: `scripted/other` declined to answer: The request was declined by the content filter.
          setup shell done
          main solve_error done
          main solve_error done
          main solve_error failed
          ended GaveUp: COMPILATION-FAIL
          12 requests; COMPILATION-FAIL; nothing was done
    "#]].assert_eq(&text);
}
