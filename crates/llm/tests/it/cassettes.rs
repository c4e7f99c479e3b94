//! Recording and replaying whole calls.

use std::sync::Arc;

use seatrial_core::Message;
use seatrial_llm::{
    Cassette, CassetteMode, ModelError, Settings, Wire,
    scripted::{Answer, Fault, Script},
};
use serde_json::json;

use crate::support::{ask, model, question, server, settings, unbounded};

#[test]
fn what_was_recorded_is_replayed_to_the_same_messages_without_a_server() {
    for wire in Wire::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cassette.jsonl");
        let server = server(
            Script::of([
                Answer::call("shell", json!({"command": "ls"})).thinking("Look."),
                Answer::fault(Fault::Cut { after: 2 }),
                Answer::text("Done with a-key-that-nobody-shall-see."),
                Answer::text("Again."),
                Answer::fault(Fault::ContextFull),
            ])
            .refusing("temperature"),
        );
        let talk = |settings: &Settings| {
            let model = model(wire, settings);
            let meter = unbounded();
            let mut said = Vec::new();
            let mut request = question();
            for _ in 0..2 {
                let completion = ask(&*model, &request, &meter).result.unwrap();
                said.push((completion.message.clone(), completion.finish, completion.usage));
                let id = completion.message.tool_calls().next().map(|call| call.id.clone());
                request.messages.push(completion.message);
                request
                    .messages
                    .push(Message::tool_result(id.unwrap_or_default(), "Makefile", false));
                if said.len() == 2 {
                    request.messages.truncate(4);
                }
            }
            // The same question as before, once more.
            let again = ask(&*model, &request, &meter).result.unwrap();
            said.push((again.message, again.finish, again.usage));
            let full = ask(&*model, &request, &meter).result.unwrap_err();
            (said, full, meter.spent().steps)
        };
        let with = |mode| {
            let mut settings = settings(&server, wire);
            settings.cassette = Some(Arc::new(Cassette::open(&path, mode).unwrap()));
            settings
        };
        let recorded = talk(&with(CassetteMode::Record));
        let heard = server.heard().len();
        let text = fs_err::read_to_string(&path).unwrap();
        assert!(!text.contains("nobody-shall-see"), "{wire}");

        let mut replay = with(CassetteMode::Replay);
        (replay.base_url, replay.keys) = (Some("http://127.0.0.1:9".into()), [].into());
        let replayed = talk(&replay);
        assert_eq!(server.heard().len(), heard, "{wire}: nobody was asked");
        assert!(matches!(replayed.1, ModelError::ContextFull { .. }), "{wire}");
        let plain = |said: &[(Message, seatrial_core::Finish, seatrial_core::Usage)]| {
            format!("{said:?}").replace("a-key-that-nobody-shall-see", "[redacted]")
        };
        // What the attempt that broke off was known to have used is not on the cassette.
        let wanted: Vec<_> = recorded
            .0
            .iter()
            .map(|(message, finish, _)| (message.clone(), *finish, seatrial_core::Usage::default()))
            .collect();
        let found: Vec<_> = replayed
            .0
            .iter()
            .map(|(message, finish, _)| (message.clone(), *finish, seatrial_core::Usage::default()))
            .collect();
        assert_eq!(plain(&found), plain(&wanted), "{wire}");
        assert_eq!(replayed.0[2].2, recorded.0[2].2, "{wire}");

        let error = ask(&*model(wire, &replay), &question(), &unbounded())
            .result
            .unwrap_err();
        assert!(matches!(error, ModelError::NotInCassette { .. }), "{wire}: {error}");
        assert!(error.to_string().contains("Build it."), "{error}");
    }
}

#[test]
fn a_cassette_that_may_grow_asks_only_for_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cassette.jsonl");
    let server = server(Script::of([Answer {
        repeat: true,
        ..Answer::text("Yes.")
    }]));
    for expected in [1, 1] {
        let mut settings = settings(&server, Wire::Chat);
        settings.cassette = Some(Arc::new(Cassette::open(&path, CassetteMode::ReplayOrRecord).unwrap()));
        let completion = ask(&*model(Wire::Chat, &settings), &question(), &unbounded())
            .result
            .unwrap();
        assert_eq!(completion.message.plain_text(), "Yes.");
        assert_eq!(server.heard().len(), expected);
    }
}
