//! Vectors from a provider: what comes of each fault, and that many texts are few requests.

use std::{
    fmt::Write as _,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_core::Event;
use seatrial_llm::{
    Bounds, Cassette, CassetteMode, Meter, ModelError, Prices, Settings, Wire, connect_embeddings,
    scripted::{Answer, Fault, Script, ScriptedServer},
};

use crate::{
    matrix::{put_into_document, status},
    support::{server, settings, unbounded},
};

const MARKS: [&str; 2] = ["<!-- vectors: written by a test -->\n", "<!-- end of vectors -->"];

struct Embedded {
    result: Result<Vec<Vec<f32>>, ModelError>,
    events: Vec<Event>,
}

fn embed(settings: &Settings, texts: &[String], meter: &Meter) -> Embedded {
    let model = connect_embeddings(&"scripted/ship".parse().unwrap(), settings).unwrap();
    let mut events = Vec::new();
    let stop = AtomicBool::new(false);
    let mut call = seatrial_llm::CallContext::new("retrieve", meter, &stop);
    call.events = Some(&mut events);
    let result = model.embed(texts, &mut call);
    Embedded { result, events }
}

fn texts(number: usize) -> Vec<String> {
    (0..number).map(|number| format!("text {number} on ships")).collect()
}

fn quick(server: &ScriptedServer) -> Settings {
    let mut settings = settings(server, Wire::Chat);
    settings.patience.answer_bytes = 200_000;
    settings
}

/// One row: what the caller gets, the requests, the usage in the records.
fn row(script: &Script) -> String {
    let server = server(script.clone());
    let mut settings = quick(&server);
    if script
        .answer
        .iter()
        .any(|answer| matches!(answer.fault, Some(Fault::Hang { .. })))
    {
        settings.patience.first_piece = Duration::from_secs(4);
    }
    let embedded = embed(&settings, &texts(2), &unbounded());
    let what = match &embedded.result {
        Ok(vectors) => {
            assert_eq!(vectors.len(), 2);
            "vectors".to_owned()
        }
        Err(error) => {
            let name = format!("{error:?}");
            format!("**{}**", name.split([' ', '{', '(']).next().unwrap_or_default())
        }
    };
    let (mut attempts, mut input) = (0, None);
    for event in &embedded.events {
        let Event::ModelCalled(record) = event else {
            panic!("{event:?}")
        };
        attempts += record.attempts as usize;
        input = record.usage.input.map(|more| input.unwrap_or(0) + more).or(input);
    }
    assert_eq!(attempts, server.heard().len());
    let used = input.map_or(String::new(), |input| format!(", {input}"));
    format!("{what}, {attempts}{used}")
}

#[test]
fn every_fault_of_a_server_of_vectors_has_an_outcome() {
    let good = || Answer::default().using(20, 0);
    let fails = |fault: Fault| {
        Script::of([
            Answer {
                usage: None,
                ..Answer::fault(fault)
            }
            .using(10, 0),
            good(),
        ])
    };
    let rows = [
        ("none", Script::of([good()])),
        ("429, `Retry-After: 0`", fails(status(429, Some("0")))),
        ("429, `Retry-After: 3600`", fails(status(429, Some("3600")))),
        ("500", fails(status(500, None))),
        (
            "503 three times",
            Script::of([status(503, None), status(503, None), status(503, None)].map(Answer::fault)),
        ),
        ("connection cut midway", fails(Fault::Cut { after: 0 })),
        ("malformed JSON", fails(Fault::Malformed { after: 0 })),
        ("error in the place of the answer", fails(Fault::Midway { after: 0 })),
        ("hangs", fails(Fault::Hang { after: None })),
        ("empty body", fails(Fault::Nothing)),
        ("a page for people", fails(Fault::Page)),
        ("fewer vectors than texts", fails(Fault::Empty)),
        ("answer beyond the bound", fails(Fault::Huge { bytes: 300_000 })),
        (
            "usage kept back",
            Script::of([Answer {
                hides_usage: true,
                ..Answer::default()
            }]),
        ),
        ("does not take so many texts", fails(status(400, None))),
        (
            "one text is too long",
            Script::of([Fault::ContextFull, Fault::ContextFull].map(Answer::fault)),
        ),
        ("declined", fails(Fault::Refusal)),
        ("unknown model", fails(Fault::UnknownModel)),
        ("wrong key", fails(Fault::BadKey)),
        ("no credit", fails(Fault::NoCredit)),
    ];
    let mut table = String::from("| what happens | comes to |\n|---|---|\n");
    for (name, script) in &rows {
        writeln!(table, "| {name} | {} |", row(script)).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    put_into_document(&path, MARKS, &table);
}

#[test]
fn many_texts_are_few_requests_in_their_order_and_a_server_that_takes_few_gets_few() {
    let all = texts(150);
    let server_of_many = server(Script::default());
    let whole = embed(&quick(&server_of_many), &all, &unbounded());
    assert_eq!(server_of_many.heard().len(), 3);
    assert_eq!(whole.events.len(), 3);
    let whole = whole.result.unwrap();
    assert_eq!(whole.len(), 150);

    let few = server(Script::of([status(400, None), status(400, None)].map(Answer::fault)));
    let settings = quick(&few);
    assert_eq!(embed(&settings, &all, &unbounded()).result.unwrap(), whole);
    let sizes: Vec<usize> = few
        .heard()
        .iter()
        .map(|heard| heard.body["input"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes[..4], [64, 32, 16, 16]);
    // Long texts are not put together.
    let long = vec!["x ".repeat(30_000); 4];
    let server = server(Script::default());
    embed(&quick(&server), &long, &unbounded()).result.unwrap();
    assert_eq!(server.heard().len(), 4);
    let none = embed(&quick(&server), &[], &unbounded());
    assert_eq!((none.result.unwrap().len(), none.events.len()), (0, 0));
}

#[test]
fn vectors_are_bounded_priced_recorded_and_no_turn() {
    let server = server(Script::of([Answer {
        repeat: true,
        ..Answer::default().using(20, 0)
    }]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cassette.jsonl");
    let with = |mode| {
        let mut settings = quick(&server);
        settings.cassette = Some(Arc::new(Cassette::open(&path, mode).unwrap()));
        settings
    };
    let meter = Meter::new(Bounds {
        steps: Some(0),
        ..Bounds::default()
    });
    let recorded = embed(&with(CassetteMode::Record), &texts(3), &meter);
    let heard = server.heard().len();
    let spent = meter.spent();
    assert_eq!((spent.steps, spent.input, spent.output, spent.unpriced), (0, 20, 0, 1));
    let again = embed(&with(CassetteMode::Replay), &texts(3), &unbounded());
    assert_eq!(again.result.unwrap(), recorded.result.unwrap());
    assert_eq!(server.heard().len(), heard);
    let other = embed(&with(CassetteMode::Replay), &texts(4), &unbounded()).result;
    assert!(matches!(other, Err(ModelError::NotInCassette { .. })), "{other:?}");

    // A price that nobody knows is not known, and a bound on cost wants one.
    let Event::ModelCalled(record) = &recorded.events[0] else {
        panic!()
    };
    assert_eq!((record.cost_micros, record.usage.input), (None, Some(20)));
    let bounded = || {
        Meter::new(Bounds {
            cost_micros: Some(1_000_000),
            ..Bounds::default()
        })
    };
    let unpriced = embed(&quick(&server), &texts(3), &bounded()).result;
    assert!(matches!(unpriced, Err(ModelError::Unpriced { .. })), "{unpriced:?}");
    let row = "format = 1\n[[price]]\nmodel = \"scripted/ship\"\ndate = \"2026-01-01\"\ninput = 2.0\noutput = 0.0\n";
    let priced = Settings {
        prices: Prices::default().with_file(row).unwrap(),
        ..quick(&server)
    };
    let meter = bounded();
    embed(&priced, &texts(3), &meter).result.unwrap();
    assert_eq!((meter.spent().cost_micros, meter.spent().unpriced), (40, 0));
    let tokens = Meter::new(Bounds {
        tokens: Some(10),
        ..Bounds::default()
    });
    let spent = embed(&quick(&server), &texts(3), &tokens).result;
    assert!(matches!(spent, Err(ModelError::Spent { .. })), "{spent:?}");
}

#[test]
fn providers_without_vectors_and_keys_too_short_to_hide_are_refused() {
    let keyed = |provider: &str, key: &str| Settings {
        keys: [(provider.to_owned(), seatrial_llm::Secret::new(key))].into(),
        ..Settings::default()
    };
    for (model, settings, part) in [
        (
            "anthropic/claude-3",
            keyed("anthropic", "a-long-key"),
            "is not asked for vectors",
        ),
        ("openai/text-embedding-3-small", Settings::default(), "wants a key"),
        (
            "openai/text-embedding-3-small",
            keyed("openai", "short"),
            "fewer than 6 characters",
        ),
        ("nobody/x", Settings::default(), "there is no provider"),
    ] {
        let error = connect_embeddings(&model.parse().unwrap(), &settings)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(part), "{error}");
    }
}
