//! How instructions are looked for, and how that is measured.

use std::{
    fmt::Write as _,
    sync::{Arc, atomic::AtomicBool},
};

use expect_test::expect;
use seatrial_agents::{Labels, Retrieval, agent, measure_retrieval};
use seatrial_core::{Ending, Event, Role};
use seatrial_llm::scripted::{Answer, Conversation, Fault, Script};

use super::{block, documented, done, named, reading, said, web, work};
use crate::{
    boxes,
    models::{MEND, Stage},
    try_solve,
};

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
