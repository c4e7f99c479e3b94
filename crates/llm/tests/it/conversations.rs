//! Whole conversations: what is handed back to a provider, what is learned from it, and many at the same time.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use expect_test::expect;
use seatrial_core::{Message, Part, Role};
use seatrial_llm::{
    CallContext, ModelError, Piece, Settings, Wire, connect,
    scripted::{Answer, Fault, Script, ScriptedServer, Scripts},
};
use serde_json::{Value, json};

use crate::support::{ask, model, provider, question, server, settings, unbounded};

/// Two parallel calls after a thought, then an end.
fn script() -> Script {
    Script::of([
        Answer::call("shell", json!({"command": "ls"}))
            .and_call("shell", json!({"command": "cat ünïcode 😀"}))
            .thinking("First I look around."),
        Answer::text("Two files.").when("Makefile"),
    ])
}

#[test]
fn calls_thoughts_and_results_go_there_and_back_on_every_wire() {
    let mut listing = String::new();
    for wire in Wire::ALL {
        let server = server(script());
        let model = model(wire, &settings(&server, wire));
        let meter = unbounded();
        let mut request = question();
        let first = ask(&*model, &request, &meter);
        let message = first.result.unwrap().message;
        let calls: Vec<_> = message.tool_calls().cloned().collect();
        assert_eq!(calls.len(), 2, "{wire}");
        assert_ne!(calls[0].id, calls[1].id, "{wire}");
        let second: Value = serde_json::from_str(&calls[1].arguments).unwrap();
        assert_eq!(second, json!({"command": "cat ünïcode 😀"}), "{wire}");
        let thought = message.parts.iter().find_map(|part| match part {
            Part::Reasoning { text, .. } if !text.is_empty() => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(thought, Some("First I look around."), "{wire}");
        assert!(
            first.pieces.contains(&Piece::Call("shell".into())),
            "{wire} {:?}",
            first.pieces
        );

        request.messages.push(message);
        request
            .messages
            .push(Message::tool_result(&calls[0].id, "Makefile", false));
        request
            .messages
            .push(Message::tool_result(&calls[1].id, "no such file", true));
        let last = ask(&*model, &request, &meter).result.unwrap();
        assert_eq!(last.message.plain_text(), "Two files.", "{wire}");

        let heard = server.heard();
        let body = &heard[1].body;
        let said = [body.get("messages"), body.get("input"), body.get("contents")];
        let said = said.into_iter().flatten().next().unwrap().as_array().unwrap();
        writeln!(listing, "{wire}").unwrap();
        for turn in said {
            let text = turn.to_string().replace(&heard[0].model, "MODEL");
            writeln!(listing, "  {text}").unwrap();
        }
        assert!(
            heard[0].has_key && !format!("{heard:?}").contains("nobody-shall-see"),
            "{wire}"
        );
    }
    expect![[r#"
        chat
          {"content":"You build.","role":"system"}
          {"content":"Build it.","role":"user"}
          {"content":null,"reasoning_content":"First I look around.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"command\":\"ls\"}","name":"shell"},"id":"call_0_0","type":"function"},{"function":{"arguments":"{\"command\":\"cat ünïcode 😀\"}","name":"shell"},"id":"call_0_1","type":"function"}]}
          {"content":"Makefile","role":"tool","tool_call_id":"call_0_0"}
          {"content":"no such file","role":"tool","tool_call_id":"call_0_1"}
        responses
          {"content":[{"text":"You build.","type":"input_text"}],"role":"system","type":"message"}
          {"content":[{"text":"Build it.","type":"input_text"}],"role":"user","type":"message"}
          {"encrypted_content":"sealed-scripted-0","id":"rs_scripted-0","summary":[{"text":"First I look around.","type":"summary_text"}],"type":"reasoning"}
          {"arguments":"{\"command\":\"ls\"}","call_id":"call_0_0","name":"shell","type":"function_call"}
          {"arguments":"{\"command\":\"cat ünïcode 😀\"}","call_id":"call_0_1","name":"shell","type":"function_call"}
          {"call_id":"call_0_0","output":"Makefile","type":"function_call_output"}
          {"call_id":"call_0_1","output":"no such file","type":"function_call_output"}
        messages
          {"content":[{"text":"Build it.","type":"text"}],"role":"user"}
          {"content":[{"signature":"signed-scripted-0","thinking":"First I look around.","type":"thinking"},{"id":"call_0_0","input":{"command":"ls"},"name":"shell","type":"tool_use"},{"id":"call_0_1","input":{"command":"cat ünïcode 😀"},"name":"shell","type":"tool_use"}],"role":"assistant"}
          {"content":[{"content":"Makefile","is_error":false,"tool_use_id":"call_0_0","type":"tool_result"},{"cache_control":{"type":"ephemeral"},"content":"no such file","is_error":true,"tool_use_id":"call_0_1","type":"tool_result"}],"role":"user"}
        gemini
          {"parts":[{"text":"Build it."}],"role":"user"}
          {"parts":[{"functionCall":{"args":{"command":"ls"},"name":"shell"},"thoughtSignature":"c2lnbmVk0000"},{"functionCall":{"args":{"command":"cat ünïcode 😀"},"name":"shell"}}],"role":"model"}
          {"parts":[{"functionResponse":{"name":"shell","response":{"output":"Makefile"}}},{"functionResponse":{"name":"shell","response":{"error":"no such file"}}}],"role":"user"}
    "#]].assert_eq(&listing);
}

#[test]
fn what_a_provider_refuses_is_learned_once_for_all_that_share_settings() {
    let server = server(
        Script::of([Answer {
            repeat: true,
            ..Answer::text("Yes.")
        }])
        .refusing("temperature")
        .refusing("stream_options"),
    );
    let settings = settings(&server, Wire::Chat);
    let first = ask(&*model(Wire::Chat, &settings), &question(), &unbounded())
        .result
        .unwrap();
    assert_eq!(first.record.attempts, 3);
    let second = ask(&*model(Wire::Chat, &settings), &question(), &unbounded())
        .result
        .unwrap();
    assert_eq!(
        (second.record.attempts, &second.record.adapted),
        (1, &first.record.adapted)
    );
    expect![[r#"
        temperature left out: the model refuses it
        usage is not asked for in the stream: the server refuses that"#]]
    .assert_eq(&first.record.adapted.join("\n"));
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again_and_said_so() {
    let server = server(Script::of([
        Answer::fault(Fault::Cut { after: 3 }).using(50, 9),
        Answer::text("Whole.").using(50, 4),
    ]));
    let asked = ask(
        &*model(Wire::Messages, &settings(&server, Wire::Messages)),
        &question(),
        &unbounded(),
    );
    let completion = asked.result.unwrap();
    assert_eq!(completion.message.plain_text(), "Whole.");
    // What the first attempt was known to use counts too.
    assert_eq!((completion.usage.input, completion.usage.output), (Some(100), Some(5)));
    let restart = asked.pieces.iter().position(|piece| *piece == Piece::Restart).unwrap();
    assert_eq!(asked.pieces[restart + 1..], [Piece::Text("Whole.".into())]);
}

#[test]
fn a_call_stops_when_it_is_told_to_and_when_its_time_is_up() {
    let hang = || Answer::fault(Fault::Hang { after: Some(2) });
    let server = server(Script::of([hang(), hang()]));
    let model = model(Wire::Chat, &settings(&server, Wire::Chat));
    let (meter, stop) = (unbounded(), AtomicBool::new(false));
    // The first piece of the answer stops it: the answer itself never ends.
    let mut watch = |_| stop.store(true, Ordering::Relaxed);
    let mut call = CallContext::new("main", &meter, &stop);
    call.watch = Some(&mut watch);
    assert_eq!(
        model.complete(&question(), &mut call).unwrap_err(),
        ModelError::Interrupted
    );

    let running = AtomicBool::new(false);
    let mut call = CallContext::new("main", &meter, &running);
    call.deadline = Some(std::time::Instant::now() + std::time::Duration::from_millis(200));
    let error = model.complete(&question(), &mut call).unwrap_err();
    assert_eq!(error.ending(), Some(seatrial_core::Ending::Time));
}

#[test]
fn what_is_wrong_with_a_name_a_key_or_an_address_is_said_before_anything_is_sent() {
    let mut listing = String::new();
    for name in ["nobody/x", "openai/gpt-5", "azure/x", "local/x"] {
        let error = connect(&name.parse().unwrap(), &Settings::default()).err().unwrap();
        writeln!(listing, "{error}").unwrap();
    }
    expect![[r#"
        there is no provider `nobody`: use one of openai, openai-responses, azure, anthropic, gemini, openrouter, deepseek, qwen, moonshot, mistral, groq, xai, zai, together, fireworks, vllm, llamacpp, ollama, lmstudio, local, or `local` with `--base-url` for a server of your own
        `openai` wants a key: set `OPENAI_API_KEY`
        `azure` has no address of its own: give `--base-url`, or set `AZURE_OPENAI_ENDPOINT` or `AZURE_API_BASE`
        `local` has no address of its own: give `--base-url`, or set `LOCAL_BASE_URL`
    "#]].assert_eq(&listing);
    let found = |name: &str| (name == "GOOGLE_API_KEY").then(|| " zanzibar ".to_owned());
    let settings = Settings::default().with_variables(&found);
    assert!(connect(&"gemini/gemini-2.5-pro".parse().unwrap(), &settings).is_ok());
    assert!(!format!("{settings:?}").contains("zanzibar"));
}

#[test]
fn nobody_listening_is_told_as_such() {
    let address = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = server(Script::default());
    let mut settings = settings(&server, Wire::Chat);
    settings.base_url = Some(format!("http://{address}/v1"));
    let error = ask(&*model(Wire::Chat, &settings), &question(), &unbounded())
        .result
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("`scripted/ship` did not answer: ") && text.ends_with("(tried 3 times)"),
        "{text}"
    );
}

#[test]
fn an_answer_that_drips_for_ever_is_given_up() {
    let drip = Answer {
        fault: Some(Fault::Slow { milliseconds: 50 }),
        repeat: true,
        ..Answer::text("x".repeat(24_000))
    };
    let server = server(Script::of([drip]));
    let mut settings = settings(&server, Wire::Chat);
    settings.patience.whole_attempt = std::time::Duration::from_millis(300);
    let asked = ask(&*model(Wire::Chat, &settings), &question(), &unbounded());
    let Err(ModelError::Exhausted { last, attempts: 3, .. }) = asked.result else {
        panic!("{:?}", asked.result);
    };
    assert!(matches!(last, seatrial_llm::Attempt::Endless(_)), "{last}");
}

#[test]
fn a_proxy_is_used_for_other_machines_and_not_for_this_one() {
    let server = server(Script::of([Answer::text("Straight.")]));
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let found = |name: &str| (name == "HTTPS_PROXY").then(|| address.clone());
    let mut settings = settings(&server, Wire::Chat).with_variables(&found);
    let completion = ask(&*model(Wire::Chat, &settings), &question(), &unbounded())
        .result
        .unwrap();
    assert_eq!(completion.message.plain_text(), "Straight.");

    settings.base_url = Some("http://models.example.org/v1".into());
    let asking = std::thread::spawn(move || {
        let meter = unbounded();
        ask(&*model(Wire::Chat, &settings), &question(), &meter).result
    });
    let (mut stream, _) = proxy.accept().unwrap();
    let mut head = [0; 200];
    let count = std::io::Read::read(&mut stream, &mut head).unwrap();
    let head = String::from_utf8_lossy(&head[..count]).into_owned();
    assert!(
        head.starts_with("POST http://models.example.org/v1/chat/completions"),
        "{head}"
    );
    // Nobody is there any more, and no attempt gets through.
    drop((stream, proxy));
    assert!(matches!(asking.join().unwrap(), Err(ModelError::Exhausted { .. })));
}

#[test]
fn sixty_four_trials_at_once_each_get_their_own_script_from_its_start() {
    let steps = 6;
    let answers: Vec<Answer> = (0..steps)
        .map(|step| match step {
            2 => Answer::fault(Fault::Cut { after: 3 }),
            step => Answer::text(format!("step {step} of {}", "long ".repeat(40))),
        })
        .collect();
    let server = Arc::new(ScriptedServer::start(Scripts::default().with("ship", Script::of(answers))).unwrap());
    let settings = Wire::ALL.map(|wire| (wire, settings(&server, wire)));
    std::thread::scope(|scope| {
        for trial in 0..64 {
            let (wire, settings) = &settings[trial % 4];
            scope.spawn(move || {
                let model = model(*wire, settings);
                let meter = unbounded();
                let mut request = question();
                for step in [0, 1, 3, 4, 5] {
                    let completion = ask(&*model, &request, &meter).result.unwrap();
                    let text = completion.message.plain_text();
                    assert!(text.starts_with(&format!("step {step} of")), "trial {trial}: {text}");
                    assert_eq!(completion.record.attempts, 1 + u32::from(step == 3));
                    request.messages.push(completion.message);
                    request.messages.push(Message::text(Role::User, "Go on."));
                }
            });
        }
    });
    assert_eq!(server.heard().len(), 64 * steps);
    assert_eq!(provider(Wire::Chat), "scripted");
}
