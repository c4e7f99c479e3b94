//! Agents that look for instructions first, against a scripted server, in real boxes without a network.

use std::{
    fmt::Write as _,
    sync::{Arc, atomic::AtomicBool},
};

use expect_test::expect;
use seatrial_agents::{Feedback, Labels, Retrieval, agent, measure_retrieval};
use seatrial_core::{Ending, Event, Part, Role};
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

const LABELS: &str = "Repo_Name,html_url,default_branch,Compilable?,Build Trajectory\n\
    own/hull,https://host.example/own/hull,main,Yes,\"https://host.example/own/hull, \
    https://host.example/own/hull/blob/main/doc/guide.md, https://hull.example/build.html && https://hull.example/old\"\n";

fn strategies() -> Script {
    Script {
        conversation: vec![
            named(
                "retrieve-1",
                vec![reading("", false, &["https://hull.example/"], &["doc/guide.md#how"])],
            ),
            named(
                "retrieve-2",
                vec![
                    reading(
                        "a compiler; KEYWORD-NOTES",
                        false,
                        &["https://hull.example/build.html", "https://hull.example/gone"],
                        &["/build/source/doc/guide.md", "doc/none.md", "../../etc/passwd"],
                    )
                    .when("KEYWORD-GUIDE"),
                ],
            ),
            named(
                "retrieve-3",
                vec![reading("a compiler, then make; KEYWORD-NOTES", true, &[], &[]).when("KEYWORD-PAGE")],
            ),
        ],
        answer: vec![block(&format!("set -e\n{MEND}\nmake")), done()],
        ..Script::default()
    }
}

#[test]
fn each_way_of_finding_instructions_finds_what_it_can() {
    if boxes::boxes().is_none() {
        return;
    }
    let mut text = String::new();
    for strategy in Retrieval::ALL {
        let web = web();
        let mut stage = Stage::of(strategies());
        stage.settings.options.retrieval = strategy;
        stage.settings.pages = Some(web.pages());
        stage.settings.labels = Some(Arc::new(Labels::parse(LABELS).unwrap()));
        let (told, events) = work("oss-build", &stage, &documented());
        let start = said(&events, "main", Role::User).remove(0);
        let keywords: Vec<&str> = ["KEYWORD-GUIDE", "KEYWORD-PAGE", "KEYWORD-NOTES"]
            .into_iter()
            .filter(|word| start.contains(word))
            .collect();
        writeln!(
            text,
            "{}: told {keywords:?}; {} pages asked for\n{told}",
            strategy.name(),
            web.asked()
        )
        .unwrap();
    }
    expect![[r#"
        none: told []; 0 pages asked for
          script exited with Some(0)
          ended Finished: All of it ended well.
          2 requests; All of it ended well.; the script is what its tools did
          its script does it again

        llm: told ["KEYWORD-NOTES"]; 3 pages asked for
          page: https://hull.example/
          no file: doc/none.md: there is no such file
          page: https://hull.example/build.html
          no page: https://hull.example/gone: the server answers 404 for https://hull.example/gone
          retrieval: llm: from README.md, doc/guide.md, https://hull.example/, https://hull.example/build.html
          script exited with Some(0)
          retrieve fetch_page done
          retrieve fetch_page done
          retrieve fetch_page failed
          ended Finished: All of it ended well.
          5 requests; All of it ended well.; the script is what its tools did
          its script does it again

        tfidf: told ["KEYWORD-GUIDE"]; 0 pages asked for
          retrieval: tfidf: from doc/guide.md, README.md
          script exited with Some(0)
          ended Finished: All of it ended well.
          2 requests; All of it ended well.; the script is what its tools did
          its script does it again

        rag: told ["KEYWORD-GUIDE", "KEYWORD-PAGE"]; 3 pages asked for
          page: https://hull.example/
          page: https://hull.example/more/
          page: https://hull.example/build.html
          retrieval: 6 parts of 6 documents, as vectors by hashed words in 2048 places, without a model
          retrieval: rag: from doc/guide.md, https://hull.example/build.html, https://hull.example/more/, README.md
          script exited with Some(0)
          retrieve fetch_page done
          retrieve fetch_page done
          retrieve fetch_page done
          ended Finished: All of it ended well.
          2 requests; All of it ended well.; the script is what its tools did
          its script does it again

        perfect: told ["KEYWORD-PAGE"]; 1 pages asked for
          page: https://hull.example/build.html
          retrieval: perfect: from https://hull.example/build.html
          script exited with Some(0)
          retrieve fetch_page done
          ended Finished: All of it ended well.
          2 requests; All of it ended well.; the script is what its tools did
          its script does it again

    "#]]
    .assert_eq(&text);
}

#[test]
fn vectors_of_a_provider_find_parts_and_what_it_does_not_take_is_found_otherwise() {
    if boxes::boxes().is_none() {
        return;
    }
    let mut text = String::new();
    for (what, faults) in [
        ("vectors", vec![]),
        ("too long", vec![Fault::ContextFull; 8]),
        ("wrong key", vec![Fault::BadKey]),
    ] {
        let web = web();
        let mut script = strategies();
        script.conversation = vec![named("retrieve", faults.into_iter().map(Answer::fault).collect())];
        let mut stage = Stage::of(script);
        stage.settings.options.retrieval = Retrieval::Rag;
        stage.settings.pages = Some(web.pages());
        stage.settings.embedding = Some(stage.embedding());
        let boxes = boxes::boxes().unwrap();
        let tried = try_solve(boxes, &*agent("oss-build", &stage.settings).unwrap(), &documented());
        for event in &tried.events {
            match event {
                Event::Note { text: note } if note.starts_with("retrieval") => writeln!(text, "  {note}").unwrap(),
                Event::Decision { what, why } => writeln!(text, "  {what}: {why}").unwrap(),
                Event::ModelCalled(record) if record.conversation == "retrieve" => {
                    writeln!(text, "  {}: {:?}, {:?}", record.model, record.error, record.cost_micros).unwrap();
                }
                Event::Ended { by, .. } => writeln!(text, "  ended {by:?}").unwrap(),
                _ => {}
            }
        }
        let end = tried
            .submission
            .map_or_else(|error| error.to_string(), |submission| submission.note);
        writeln!(text, "{what}: {end}\n").unwrap();
    }
    expect![[r#"
          retrieval: 6 parts of 6 documents, as vectors by scripted/vectors
          scripted/vectors: None, None
          retrieval: rag: from doc/guide.md, https://hull.example/build.html, https://hull.example/more/, README.md, https://hull.example/
          ended Finished
        vectors: All of it ended well.; the script is what its tools did

          retrieval: 6 parts of 6 documents, as vectors by scripted/vectors
          scripted/vectors: Some("the conversation does not fit the context of `scripted/vectors` (Your input exceeds the context window of this model.): condense it, or use a model with more"), None
          scripted/vectors: Some("the conversation does not fit the context of `scripted/vectors` (Your input exceeds the context window of this model.): condense it, or use a model with more"), None
          scripted/vectors: Some("the conversation does not fit the context of `scripted/vectors` (Your input exceeds the context window of this model.): condense it, or use a model with more"), None
          retrieval: no vectors (the conversation does not fit the context of `scripted/vectors` (Your input exceeds the context window of this model.): condense it, or use a model with more); by TF-IDF instead
          retrieval: rag: from https://hull.example/build.html, doc/guide.md, https://hull.example/more/, README.md
          ended Finished
        too long: All of it ended well.; the script is what its tools did

          retrieval: 6 parts of 6 documents, as vectors by scripted/vectors
          scripted/vectors: Some("`scripted` does not take the key (Incorrect API key provided.): check the key"), None
          ended Model
        wrong key: `scripted` does not take the key (Incorrect API key provided.): check the key

    "#]].assert_eq(&text);
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

#[test]
fn a_search_goes_on_without_the_form_that_it_asks_for() {
    if boxes::boxes().is_none() {
        return;
    }
    let build = || vec![block(&format!("{MEND}\nmake")), done()];
    let with = |conversation: Vec<Conversation>| Script {
        conversation,
        answer: build(),
        ..Script::default()
    };
    let form = || reading("run make", true, &[], &[]);
    let cases = vec![
        (
            "refused structured output",
            with(vec![named("retrieve-1", vec![form()])]).refusing("response_format"),
        ),
        (
            "no form, then the form",
            with(vec![
                named("retrieve-1", vec![Answer::text("Run make.")]),
                named(
                    "retrieve-1-form",
                    vec![Answer::text(
                        "```json\n{\"instructions\": \"run make\", \"sufficient\": true}\n```",
                    )],
                ),
            ]),
        ),
        (
            "never a form",
            with(vec![
                named("retrieve-1", vec![Answer::text("Run make.")]),
                named("retrieve-1-form", vec![Answer::text("As I said: run make.")]),
            ]),
        ),
        (
            "too long for the model",
            with(vec![named("retrieve-1", vec![Answer::fault(Fault::ContextFull)])]),
        ),
        (
            "declined",
            with(vec![named("retrieve-1", vec![Answer::fault(Fault::Refusal)])]),
        ),
    ];
    let mut text = String::new();
    for (name, script) in cases {
        let stage = Stage::of(script);
        let (told, events) = work("oss-build", &stage, &documented());
        let start = said(&events, "main", Role::User).remove(0);
        let has = if start.contains("un make") { "told" } else { "not told" };
        writeln!(text, "{name}: {has}\n{told}").unwrap();
    }
    expect![[r#"
        refused structured output: told
          retrieval: llm: from README.md
          script exited with Some(0)
          ended Finished: All of it ended well.
          5 requests; All of it ended well.; the script is what its tools did
          its script does it again

        no form, then the form: told
          retrieval: llm: from README.md
          script exited with Some(0)
          ended Finished: All of it ended well.
          4 requests; All of it ended well.; the script is what its tools did
          its script does it again

        never a form: told
          retrieval: round 1: the answer is not of the form asked for; its text is taken
          retrieval: llm: from README.md
          script exited with Some(0)
          ended Finished: All of it ended well.
          4 requests; All of it ended well.; the script is what its tools did
          its script does it again

        too long for the model: not told
          retrieval: round 1: the conversation does not fit the context of `scripted/small` (Your input exceeds the context window of this model.): condense it, or use a model with more
          retrieval: llm: from README.md
          script exited with Some(0)
          ended Finished: All of it ended well.
          3 requests; All of it ended well.; the script is what its tools did
          its script does it again

        declined: not told
          retrieval: round 1: `scripted/small` declined to answer: The request was declined by the content filter.
          retrieval: llm: from README.md
          script exited with Some(0)
          ended Finished: All of it ended well.
          3 requests; All of it ended well.; the script is what its tools did
          its script does it again

    "#]].assert_eq(&text);
}

#[test]
fn without_a_label_the_best_retrieval_is_refused_and_a_box_without_a_network_finds_no_pages() {
    let Some(boxes) = boxes::boxes() else { return };
    let mut stage = Stage::new(vec![done()]);
    stage.settings.options.retrieval = Retrieval::Perfect;
    let tried = try_solve(boxes, &*agent("oss-build", &stage.settings).unwrap(), &documented());
    let error = tried.submission.unwrap_err().to_string();
    assert!(error.contains("needs a label of this source"), "{error}");
    // Pages are asked for in the box, which has no way out.
    stage.settings.options.retrieval = Retrieval::Rag;
    let tried = try_solve(boxes, &*agent("oss-build", &stage.settings).unwrap(), &documented());
    let ended = tried
        .events
        .iter()
        .any(|event| matches!(event, Event::Ended { by: Ending::GaveUp, .. }));
    let refused = tried
        .events
        .iter()
        .any(|event| matches!(event, Event::Note { text } if text.starts_with("no page: https://hull.example/: ")));
    assert!(ended && refused, "{:?}", tried.events);
}

#[test]
fn ways_of_finding_instructions_are_measured_against_labels() {
    let folder = tempfile::tempdir().unwrap();
    for (path, file) in documented() {
        let path = folder.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, file).unwrap();
    }
    let labels = Labels::parse(&format!(
        "{LABELS}own/readme,https://host.example/own/readme,main,Yes,https://host.example/own/readme.git\n\
         own/guide,https://host.example/own/guide,main,Yes,\
         \"https://host.example/own/guide,https://host.example/own/guide/blob/main/doc/guide.md\"\n"
    ))
    .unwrap();
    let mut text = String::new();
    for strategy in Retrieval::ALL {
        for repository in &labels.repositories {
            let web = web();
            let mut stage = Stage::of(strategies());
            stage.settings.pages = Some(web.pages());
            let stop = AtomicBool::new(false);
            let score = measure_retrieval(repository, folder.path(), strategy, &stage.settings, &stop).unwrap();
            writeln!(
                text,
                "{:8} {:10} reached {:5} outside {:5} {}/{} steps, {} pages asked for, {} calls: {}",
                strategy.name(),
                repository.name,
                score.reached,
                score.outside,
                score.covered,
                score.steps,
                score.requests,
                score.calls,
                score.sources.join(" ")
            )
            .unwrap();
            assert_eq!(score.requests as usize, web.asked());
        }
    }
    expect![[r#"
        none     own/hull   reached false outside true  1/3 steps, 0 pages asked for, 0 calls: README.md
        none     own/readme reached true  outside false 1/1 steps, 0 pages asked for, 0 calls: README.md
        none     own/guide  reached false outside false 1/2 steps, 0 pages asked for, 0 calls: README.md
        llm      own/hull   reached true  outside true  3/3 steps, 3 pages asked for, 3 calls: README.md doc/guide.md https://hull.example/ https://hull.example/build.html
        llm      own/readme reached true  outside false 1/1 steps, 3 pages asked for, 3 calls: README.md doc/guide.md https://hull.example/ https://hull.example/build.html
        llm      own/guide  reached true  outside false 2/2 steps, 3 pages asked for, 3 calls: README.md doc/guide.md https://hull.example/ https://hull.example/build.html
        tfidf    own/hull   reached false outside true  2/3 steps, 0 pages asked for, 0 calls: doc/guide.md README.md
        tfidf    own/readme reached true  outside false 1/1 steps, 0 pages asked for, 0 calls: doc/guide.md README.md
        tfidf    own/guide  reached true  outside false 2/2 steps, 0 pages asked for, 0 calls: doc/guide.md README.md
        rag      own/hull   reached true  outside true  3/3 steps, 3 pages asked for, 0 calls: doc/guide.md https://hull.example/build.html https://hull.example/more/ README.md
        rag      own/readme reached true  outside false 1/1 steps, 3 pages asked for, 0 calls: doc/guide.md https://hull.example/build.html https://hull.example/more/ README.md
        rag      own/guide  reached true  outside false 2/2 steps, 3 pages asked for, 0 calls: doc/guide.md https://hull.example/build.html https://hull.example/more/ README.md
        perfect  own/hull   reached true  outside true  1/3 steps, 1 pages asked for, 0 calls: https://hull.example/build.html
        perfect  own/readme reached true  outside false 1/1 steps, 0 pages asked for, 0 calls: README.md
        perfect  own/guide  reached true  outside false 1/2 steps, 0 pages asked for, 0 calls: doc/guide.md
    "#]].assert_eq(&text);
}

#[test]
fn the_published_labels_are_read_as_they_are() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/buildbench-oss");
    let count = |file: &str| {
        let labels = Labels::parse(&fs_err::read_to_string(format!("{folder}/{file}")).ok()?).unwrap();
        let compilable = labels.repositories.iter().filter(|known| known.compilable);
        let lengths: Vec<usize> = compilable.map(|known| known.trajectory.len()).collect();
        let of = |steps: usize| lengths.iter().filter(|length| **length == steps).count();
        Some([
            labels.repositories.len(),
            lengths.len(),
            of(0),
            of(1),
            of(2),
            of(3),
            of(4),
        ])
    };
    let Some(counts) = count("test_set_build_trajectories.csv") else {
        println!("skipped: the published data is not on this machine");
        return;
    };
    assert_eq!(counts, [385, 148, 12, 102, 20, 12, 2]);
    assert_eq!(
        count("validation_set_70.csv").map(|counts| [counts[0], counts[1]]),
        Some([70, 65])
    );
}
