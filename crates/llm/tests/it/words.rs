//! Models without tool calls, and forms of answers.

use seatrial_core::Message;
use seatrial_llm::{
    JsonSchema, ModelError, ToolProtocol, Wire,
    scripted::{Answer, Script},
};
use serde_json::json;

use crate::support::{ask, model, question, server, settings, unbounded};

#[test]
fn tools_are_told_in_words_where_calls_are_refused_and_the_record_says_so() {
    for wire in Wire::ALL {
        let server = server(
            Script::of([
                Answer::text("I look.\n```tool\n{\"name\": \"shell\", \"arguments\": {\"command\": \"ls\"}}\n```"),
                Answer::text("Done.").when("`shell` answered:\nMakefile"),
            ])
            .refusing("tools"),
        );
        let model = model(wire, &settings(&server, wire));
        let meter = unbounded();
        let mut request = question();
        let completion = ask(&*model, &request, &meter).result.unwrap();
        assert_eq!(model.abilities().tools, ToolProtocol::Text, "{wire}");
        assert_eq!(
            completion.record.adapted,
            ["tools are described in words: the model refuses tool calls"],
            "{wire}"
        );
        let call = completion.message.tool_calls().next().unwrap().clone();
        assert_eq!(
            (call.name.as_str(), call.arguments.as_str()),
            ("shell", r#"{"command":"ls"}"#),
            "{wire}"
        );
        request.messages.push(completion.message);
        request.messages.push(Message::tool_result(&call.id, "Makefile", false));
        assert_eq!(
            ask(&*model, &request, &meter).result.unwrap().message.plain_text(),
            "Done.",
            "{wire}"
        );
    }
}

#[test]
fn whoever_wants_no_words_is_told_that_there_are_no_calls() {
    let server = server(Script::of([Answer::text("Done.")]).refusing("tools"));
    let mut settings = settings(&server, Wire::Chat);
    settings.tools = ToolProtocol::Native;
    let error = ask(&*model(Wire::Chat, &settings), &question(), &unbounded())
        .result
        .unwrap_err();
    assert!(matches!(error, ModelError::NoToolCalls { .. }), "{error}");
}

#[test]
fn a_form_is_asked_for_in_the_providers_way_and_in_words_where_there_is_none() {
    for wire in Wire::ALL {
        let server = server(
            Script::of([Answer {
                repeat: true,
                ..Answer::text("{\"sufficient\": true}")
            }])
            .refusing("response_format"),
        );
        let mut request = question();
        request.tools.clear();
        request.schema = Some(JsonSchema {
            name: "answer".into(),
            schema: json!({"type": "object", "properties": {"sufficient": {"type": "boolean"}}}),
        });
        let completion = ask(&*model(wire, &settings(&server, wire)), &request, &unbounded())
            .result
            .unwrap();
        let last = server.heard().pop().unwrap();
        let in_words = last.body.to_string().contains("It must be valid for this JSON");
        let natively = last.body.pointer("/generationConfig/responseJsonSchema").is_some();
        assert!(in_words != natively, "{wire} {}", last.body);
        // Two of the wires had to be asked three times: with the schema, with any JSON, and in words.
        let tries = if matches!(wire, Wire::Chat | Wire::Responses) {
            3
        } else {
            1
        };
        assert_eq!(completion.record.attempts, tries, "{wire}");
    }
}
