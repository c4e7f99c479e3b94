//! Agents that look for instructions first, against a scripted server, in real boxes without a network.

mod retrieval;

use std::fmt::Write as _;

use expect_test::expect;
use seatrial_agents::{Feedback, Retrieval, agent};
use seatrial_core::{Event, Part, Role};
use seatrial_llm::scripted::{Answer, Conversation, Fault, Script};
use serde_json::json;

use super::{
    HULL, boxes,
    models::{MEND, Stage, told},
    try_solve,
    web::Web,
};

/// The hull with documents: the README points to a guide, the guide to a page, the page to another one.
pub(crate) fn documented() -> Vec<(&'static str, &'static str)> {
    let mut files = HULL.to_vec();
    files.extend([
        (
            "README.md",
            "# Hull\n\nA ship needs one. See [the guide](doc/guide.md) and [our site](https://hull.example/).\n\
             ![badge](https://badges.example/build.svg)\n",
        ),
        (
            "doc/guide.md",
            "# Guide\n\nHow to build from source on Linux: install a C compiler and make, then run the commands of the \
             [build page](https://hull.example/build.html). KEYWORD-GUIDE\n",
        ),
        ("doc/history.md", "# History\n\nShips are old.\n"),
    ]);
    files
}

pub(crate) fn web() -> Web {
    Web::start(&[
        (
            "hull.example/",
            "<html><body><h1>Hull</h1><p>See <a href='more/'>more</a>.</p></body></html>",
        ),
        (
            "hull.example/more/",
            "<html><body><p>Go on to the <a href='../build.html'>build</a>.</p></body></html>",
        ),
        (
            "hull.example/build.html",
            "<html><body><h1>Build and install from source</h1><p>Compile on Linux with make; dependencies: a compiler. \
             KEYWORD-PAGE</p><a href='deep.html'>deeper</a></body></html>",
        ),
        ("hull.example/deep.html", "Four links away."),
    ])
}

fn block(script: &str) -> Answer {
    Answer::text(format!("I try this:\n```bash\n{script}\n```\n"))
}

fn done() -> Answer {
    Answer::text("All of it ended well.\n\nTERMINATE")
}

pub(crate) fn named(name: &str, answer: Vec<Answer>) -> Conversation {
    Conversation {
        name: Some(name.to_owned()),
        system: None,
        answer,
    }
}

fn reading(instructions: &str, sufficient: bool, pages: &[&str], files: &[&str]) -> Answer {
    let form = json!({"instructions": instructions, "sufficient": sufficient, "pages": pages, "files": files});
    Answer::text(form.to_string())
}

/// What the journal says of the search, and of all that came of it.
pub(crate) fn work(name: &str, stage: &Stage, files: &[(&str, &str)]) -> (String, Vec<Event>) {
    let Some(boxes) = boxes::boxes() else {
        return Default::default();
    };
    let tried = try_solve(boxes, &*agent(name, &stage.settings).unwrap(), files);
    let mut text = String::new();
    for event in &tried.events {
        match event {
            Event::Decision { what, why } => writeln!(text, "  {what}: {why}").unwrap(),
            Event::Note { text: note } if !note.starts_with("prompts") => writeln!(text, "  {note}").unwrap(),
            Event::Command(record) if record.purpose == "script" => {
                writeln!(text, "  script exited with {:?}", record.code).unwrap();
            }
            _ => {}
        }
    }
    text += &told(&tried.submission.unwrap(), &tried.events, &stage.server);
    if let Some((succeeded, _)) = tried.replay {
        let how = if succeeded { "does it again" } else { "fails" };
        writeln!(text, "  its script {how}").unwrap();
    }
    (text, tried.events)
}

/// What was said in a conversation by one side.
fn said(events: &[Event], name: &str, who: Role) -> Vec<String> {
    let texts = events.iter().filter_map(|event| match event {
        Event::Said { conversation, message } if conversation == name && message.role == who => {
            let parts = message.parts.iter().filter_map(|part| match part {
                Part::Text { text } | Part::ToolResult { content: text, .. } => Some(text.as_str()),
                _ => None,
            });
            Some(parts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    });
    texts.collect()
}

#[test]
fn what_a_script_says_is_told_in_either_way() {
    if boxes::boxes().is_none() {
        return;
    }
    let mut text = String::new();
    for feedback in [Feedback::Upstream, Feedback::Full] {
        let mut stage = Stage::new(vec![
            block("echo out; echo problem >&2; exit 3"),
            block("echo quiet"),
            Answer::text("```bash\nls -d hull.c\n```\nand\n```sh\nfalse\n```\nand\n```bash\necho never\n```"),
            block("kill -9 $$"),
            block("for i in $(seq 20000); do echo line $i; done"),
            Answer::text("It cannot be done: no. Terminate."),
        ]);
        stage.settings.options.retrieval = Retrieval::None;
        stage.settings.options.feedback = feedback;
        let (told, events) = work("oss-build", &stage, HULL);
        writeln!(text, "{feedback:?}\n{told}").unwrap();
        for heard in said(&events, "main", Role::User).into_iter().skip(1) {
            let heard = if heard.len() > 1000 {
                format!("{} bytes", heard.len())
            } else {
                heard
            };
            writeln!(text, "  > {}", heard.replace('\n', "\n    ")).unwrap();
        }
    }
    expect![[r#"
        Upstream
          script exited with Some(3)
          script exited with Some(0)
          script exited with Some(0)
          script exited with Some(1)
          script exited with None
          script exited with Some(0)
          ended Finished: It cannot be done: no.
          6 requests; It cannot be done: no.; the script is what its tools did
          its script does it again

          > Exit code 3. problem
          > Exit code 0. It ran to its end.
          > Exit code 0. hull.c
            Exit code 1.
          > Exit code 137.
          > Exit code 0. It ran to its end.
        Full
          script exited with Some(3)
          script exited with Some(0)
          script exited with Some(0)
          script exited with Some(1)
          script exited with None
          script exited with Some(0)
          ended Finished: It cannot be done: no.
          6 requests; It cannot be done: no.; the script is what its tools did
          its script does it again

          > out
            problem
            [exit code 3]
          > quiet
            [exit code 0]
          > Block 1 of 3:
            hull.c
            [exit code 0]
            Block 2 of 3:
            [exit code 1]
            The blocks after it were not run.
          > [ended by signal 9]
          > 20057 bytes
    "#]]
    .assert_eq(&text);
}

#[test]
fn rounds_of_scripts_have_an_end() {
    if boxes::boxes().is_none() {
        return;
    }
    let plain = Answer::text(format!("```\n{MEND}\nmake\n```"));
    let cases: Vec<(&str, Script)> = vec![
        ("a block without a language", Script::of([plain, done()])),
        (
            "what a failed script did is needed by the next",
            Script::of([block(&format!("{MEND}\nexit 1")), block("make"), done()]),
        ),
        (
            "the word beside a block is not the end",
            Script::of([
                Answer::text("```bash\nmake\n```\nTERMINATE"),
                Answer::text("No. terminate"),
            ]),
        ),
        (
            "so many rounds",
            Script::of([block("make"), block("make -k"), block("make -s"), block("make")]),
        ),
        ("nothing to run", Script::of((0..5).map(|_| Answer::text("And now?")))),
        ("a refusal", Script::of([block("true"), Answer::fault(Fault::Refusal)])),
    ];
    let mut text = String::new();
    for (name, script) in cases {
        let mut stage = Stage::of(script);
        stage.settings.options.retrieval = Retrieval::None;
        stage.settings.options.rounds = 3;
        writeln!(text, "{name}\n{}", work("oss-build", &stage, HULL).0).unwrap();
    }
    expect![[r#"
        a block without a language
          script exited with Some(0)
          ended Finished: All of it ended well.
          2 requests; All of it ended well.; the script is what its tools did
          its script does it again

        what a failed script did is needed by the next
          script exited with Some(1)
          script exited with Some(0)
          ended Finished: All of it ended well.
          3 requests; All of it ended well.; the script is what its tools did
          its script does it again

        the word beside a block is not the end
          script exited with Some(2)
          ended GaveUp: No.
          2 requests; No.; nothing was done

        so many rounds
          script exited with Some(2)
          script exited with Some(2)
          script exited with Some(2)
          ended Steps: all 3 rounds were used; the last script failed
          3 requests; all 3 rounds were used; the last script failed; nothing was done

        nothing to run
          ended BadForm: 3 answers in a row had neither a script nor the word that ends the work
          3 requests; 3 answers in a row had neither a script nor the word that ends the work; nothing was done

        a refusal
          script exited with Some(0)
          ended Refused: `scripted/small` declined to answer: The request was declined by the content filter.
          2 requests; ended: `scripted/small` declined to answer: The request was declined by the content filter.; the script is what its tools did
          its script does it again

    "#]].assert_eq(&text);
}
