//! Calls as models write them: what is the same for every tool.

use std::fmt::Write as _;

use seatrial_core::Event;
use seatrial_tools::{CacheRule, GuardRule, ToolState, ToolsError};
use serde_json::json;

use crate::support::Bench;

#[test]
fn whatever_a_model_writes_is_answered() {
    let Some(mut bench) = Bench::new(&[("a.c", "int x;\n")]) else {
        return;
    };
    let mut text = String::new();
    for (name, arguments) in [
        ("reed", "{}"),
        ("read", "{\"path\": \"a.c\""),
        ("read", "path=a.c"),
        ("read", "[1]"),
        ("read", ""),
        ("read", r#"{"path": 3, "lines": "many"}"#),
        ("read", r#"{"file": "a.c"}"#),
        ("read", r#"{"path": "a.c", "from": null}"#),
        ("read", r#""{\"path\": \"a.c\"}""#),
        ("think", r#"{"thought": "hm"}"#),
        ("read", r#"{"path": "a\u0000b"}"#),
    ] {
        let answer = bench.try_call(name, arguments).unwrap();
        let mark = if answer.failed { "failed" } else { "ok" };
        writeln!(text, "{name} {arguments}\n  {mark}: {}", answer.text.trim_end()).unwrap();
    }
    expect_test::expect![[r#"
        reed {}
          failed: there is no tool `reed`; there are shell, list, read, search, write, replace, apply_patch, extract, pack, structure, diagnose, resolve, plan, try_plan, build_by_rules, snapshot, rollback, changes, fetch_page, web_search, think, finish
        read {"path": "a.c"
          failed: `read` was not called: its arguments are not valid JSON (EOF while parsing an object at line 1 column 14). It takes a JSON object with: path, from?, lines?
        read path=a.c
          failed: `read` was not called: its arguments are not valid JSON (expected value at line 1 column 1). It takes a JSON object with: path, from?, lines?
        read [1]
          failed: `read` was not called: the arguments must be object, not an array. It takes a JSON object with: path, from?, lines?
        read 
          failed: `read` was not called: `path` is missing. It takes a JSON object with: path, from?, lines?
        read {"path": 3, "lines": "many"}
          failed: `read` was not called: `lines` must be integer, not a string; `path` must be string, not a number. It takes a JSON object with: path, from?, lines?
        read {"file": "a.c"}
          failed: `read` was not called: `path` is missing; `file` is not known; known are from, lines, path. It takes a JSON object with: path, from?, lines?
        read {"path": "a.c", "from": null}
          ok: a.c: lines 1 to 1 of 1
             1	int x;
        read "{\"path\": \"a.c\"}"
          ok: a.c: lines 1 to 1 of 1
             1	int x;
        think {"thought": "hm"}
          ok: Noted.
        read {"path": "a\u0000b"}
          failed: the path is no path: it has a null character; give a path in the box, such as `src/main.c`
    "#]].assert_eq(&text);
    let records = bench
        .events
        .iter()
        .filter(|event| matches!(event, Event::ToolCalled(_)));
    assert_eq!(records.count(), 11, "each call is in the journal, whatever it was");
}

#[test]
fn the_same_call_is_not_made_for_ever() {
    let Some(mut bench) = Bench::new(&[("a.c", "int x;\n")]) else {
        return;
    };
    let call = json!({"command": "true"});
    for _ in 0..3 {
        bench.ok("shell", &call);
    }
    let told = bench.told("shell", &call);
    assert!(told.contains("made 3 times already"), "{told}");
    // Another call in between: the world may be another one.
    bench.ok("think", &json!({"thought": "hm"}));
    bench.ok("shell", &call);

    bench.state = ToolState::with_rules(CacheRule::Off, GuardRule::InAll(2));
    for _ in 0..2 {
        bench.ok("shell", &call);
        bench.ok("list", &json!({}));
    }
    assert!(bench.told("shell", &call).contains("2 times"));
    bench.state.reset();
    bench.ok("shell", &call);
}

#[test]
fn results_are_remembered_as_long_as_they_are_true() {
    let Some(mut bench) = Bench::new(&[("a.c", "int x;\n")]) else {
        return;
    };
    let read = json!({"path": "a.c"});
    bench.ok("read", &read);
    let again = bench.answer("read", &read);
    assert!(again.cached && again.text.contains("int x"));
    bench.ok("write", &json!({"path": "a.c", "content": "int y;\n"}));
    let after = bench.answer("read", &read);
    assert!(!after.cached && after.text.contains("int y"));
    assert_eq!(bench.state.cache_hits().get("read"), Some(&1));

    // A shell that stays may have a job that writes.
    bench.ok("shell", &json!({"command": "echo 'int z;' >a.c"}));
    for _ in 0..2 {
        assert!(!bench.answer("read", &read).cached);
    }

    // All results, also of what writes, until they are forgotten.
    bench.state = ToolState::with_rules(CacheRule::Everything, GuardRule::Off);
    let write = json!({"path": "a.c", "content": "1"});
    bench.ok("write", &write);
    bench.ok("write", &json!({"path": "a.c", "content": "2"}));
    assert!(bench.answer("write", &write).cached);
    assert_eq!(bench.file("a.c"), "2");
    bench.state.reset();
    assert!(!bench.answer("write", &write).cached);
}

#[test]
fn when_everything_shall_end_nothing_is_begun() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    bench.deadline = Some(std::time::Instant::now());
    assert!(
        bench
            .told("shell", &json!({"command": "touch x"}))
            .contains("time of this task is up")
    );
    bench.stop();
    let error = bench.try_call("list", "{}").unwrap_err();
    assert!(matches!(error, ToolsError::Interrupted));
    // What was cut short may have done something, so that the journal has it all the same.
    let told = bench.events.iter().filter_map(|event| match event {
        Event::ToolCalled(record) => Some((record.name.as_str(), record.failed)),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [("shell", true), ("list", true)]);
}

#[test]
fn an_agent_says_how_it_ended() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    assert!(bench.state.finished().is_none());
    bench.ok("finish", &json!({"message": "no compiler", "succeeded": false}));
    let finished = bench.state.finished().unwrap();
    assert!(!finished.succeeded);
    assert_eq!(finished.message, "no compiler");
}

#[test]
fn without_a_network_nothing_is_fetched_and_it_is_said() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    assert!(
        bench
            .told("fetch_page", &json!({"url": "file:///etc/passwd"}))
            .contains("write it with http:// or https://")
    );
    let told = bench.told("fetch_page", &json!({"url": "http://example.org/"}));
    assert!(told.starts_with("http://example.org/ could not be fetched"), "{told}");
    assert!(
        bench
            .told("web_search", &json!({"query": "hull"}))
            .contains("no search of the web is set up")
    );
}
