//! Journals that became documents and texts.

use std::fmt::Write as _;

use expect_test::expect;
use seatrial_core::{
    CommandRecord, Digest, Ending, Entry, Event, Finish, JOURNAL_VERSION, Message, ModelRecord, Part, Role, Submission,
    ToolCall, ToolRecord, Usage,
};
use serde_json::{Value, json};

use super::{Act, Trajectory, atif, faults, markdown};

fn journal(events: Vec<Event>) -> Vec<Entry> {
    let started = Event::TrialStarted {
        task: "hull".parse().unwrap(),
        agent: "bash".parse().unwrap(),
        attempt: 2,
        lock: Digest::of(b"lock"),
    };
    std::iter::once(started)
        .chain(events)
        .enumerate()
        .map(|(seq, event)| Entry {
            v: JOURNAL_VERSION,
            seq: seq as u64,
            at: 1_796_028_317_610 + 1000 * seq as u64,
            event,
        })
        .collect()
}

fn said(conversation: &str, message: Message) -> Event {
    Event::Said {
        conversation: conversation.to_owned(),
        message,
    }
}

fn asked(conversation: &str, usage: Usage, cost: Option<u64>) -> ModelRecord {
    ModelRecord {
        conversation: conversation.to_owned(),
        model: "openai/small".to_owned(),
        answered_by: None,
        finish: Some(Finish::ToolCalls),
        error: None,
        usage,
        cost_micros: cost,
        attempts: 1,
        adapted: Vec::new(),
        first_piece_ms: Some(20),
        wall_ms: 800,
        request: None,
    }
}

fn failed(conversation: &str) -> ModelRecord {
    ModelRecord {
        finish: None,
        error: Some("overloaded".to_owned()),
        cost_micros: None,
        attempts: 3,
        adapted: Vec::new(),
        ..asked(conversation, Usage::default(), None)
    }
}

fn ran(command: &str, code: i32) -> Event {
    Event::Command(CommandRecord {
        purpose: "build".to_owned(),
        command: command.to_owned(),
        code: Some(code),
        signal: None,
        timed_out: false,
        truncated_bytes: 0,
        wall_ms: 1500,
        cpu_ms: 900,
        peak_kib: 1024,
        log: None,
    })
}

fn used(id: &str, left_out: u64) -> Event {
    Event::ToolCalled(ToolRecord {
        conversation: "main".to_owned(),
        id: id.to_owned(),
        name: "shell".to_owned(),
        arguments: "{}".to_owned(),
        failed: false,
        cached: id == "b",
        left_out_bytes: left_out,
        whole: None,
        wall_ms: 1600,
    })
}

fn calls(text: &str, calls: &[(&str, &str)]) -> Message {
    let reasoning = Part::Reasoning {
        text: "It has a Makefile.".to_owned(),
        opaque: Some(json!("signature")),
    };
    let text = Part::Text { text: text.to_owned() };
    let calls = calls.iter().map(|(id, arguments)| {
        Part::ToolCall(ToolCall {
            id: (*id).to_owned(),
            name: "shell".to_owned(),
            arguments: (*arguments).to_owned(),
        })
    });
    Message {
        role: Role::Assistant,
        parts: [reasoning, text].into_iter().chain(calls).collect(),
    }
}

fn usage(input: u64, output: u64) -> Usage {
    Usage {
        input: Some(input),
        cached_input: Some(input / 2),
        output: Some(output),
        ..Usage::default()
    }
}

/// An agent that begins without a model, asks one, uses tools, asks a second one beside, condenses and hands in.
fn mixed() -> Vec<Entry> {
    journal(vec![
        Event::Phase {
            name: "solve".to_owned(),
        },
        Event::Decision {
            what: "try Make".to_owned(),
            why: "a Makefile is there".to_owned(),
        },
        ran("make", 2),
        said("main", Message::text(Role::System, "Build it.")),
        said("main", Message::text(Role::User, "make failed:\n\u{1b}[31mno rule")),
        Event::ModelCalled(failed("main")),
        Event::ModelCalled(asked("main", usage(100, 20), Some(1500))),
        said(
            "main",
            calls("I look.", &[("a", r#"{"command":"ls"}"#), ("b", "not json")]),
        ),
        ran("ls", 0),
        used("a", 7),
        used("b", 0),
        said("main", Message::tool_result("a", "Makefile", false)),
        said("main", Message::tool_result("b", "the arguments are no JSON", true)),
        said("expert", Message::text(Role::User, "Why? ```")),
        Event::ModelCalled(asked("expert", usage(10, 5), None)),
        said("expert", Message::text(Role::Assistant, "No idea.")),
        Event::Condensed {
            conversation: "main".to_owned(),
            range: [1, 4],
            summary: "It failed.".to_owned(),
        },
        Event::ModelCalled(failed("main")),
        Event::Ended {
            by: Ending::Model,
            why: "the model does not answer".to_owned(),
        },
        Event::Submitted {
            submission: Submission {
                note: "no way".to_owned(),
                ..Submission::default()
            },
        },
        ran("bash recipe.sh", 0),
    ])
}

#[test]
fn a_journal_becomes_a_valid_document() {
    let trajectory = Trajectory::read(&mixed());
    let document = atif(&trajectory, "small-bash-1f2e", "0.1.0");
    assert_eq!(faults(&document), []);
    let steps: Vec<String> = document["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            let keys: Vec<&str> = step.as_object().unwrap().keys().map(String::as_str).collect();
            format!(
                "{} {:?} {}",
                step["source"].as_str().unwrap(),
                step["message"],
                keys.join(" ")
            )
        })
        .collect();
    expect![[r#"
        agent String("try Make (a Makefile is there)") llm_call_count message source step_id timestamp
        agent String("build") llm_call_count message observation source step_id timestamp tool_calls
        system String("Build it.") message source step_id timestamp
        user String("make failed:\n\u{1b}[31mno rule") message source step_id timestamp
        agent String("I look.") llm_call_count message metrics model_name observation reasoning_content source step_id timestamp tool_calls
        system String("It failed.") extra message source step_id timestamp
        system String("The model was asked and did not answer.") extra message source step_id timestamp
    "#]].assert_eq(&format!("{}\n", steps.join("\n")));
    expect![[r#"
        {
          "llm_call_count": 2,
          "message": "I look.",
          "metrics": {
            "cached_tokens": 50,
            "completion_tokens": 20,
            "cost_usd": 0.0015,
            "extra": {
              "attempts": 4,
              "finish": "tool_calls",
              "wall_ms": 1600
            },
            "prompt_tokens": 100
          },
          "model_name": "openai/small",
          "observation": {
            "results": [
              {
                "content": "Makefile",
                "extra": {
                  "cached": false,
                  "failed": false,
                  "left_out_bytes": 7,
                  "wall_ms": 1600
                },
                "source_call_id": "a"
              },
              {
                "content": "the arguments are no JSON",
                "extra": {
                  "cached": true,
                  "failed": true,
                  "left_out_bytes": 0,
                  "wall_ms": 1600
                },
                "source_call_id": "b"
              }
            ]
          },
          "reasoning_content": "It has a Makefile.",
          "source": "agent",
          "step_id": 5,
          "timestamp": "2026-11-30T08:45:25.610Z",
          "tool_calls": [
            {
              "arguments": {
                "command": "ls"
              },
              "function_name": "shell",
              "tool_call_id": "a"
            },
            {
              "arguments": {},
              "extra": {
                "raw_arguments": "not json"
              },
              "function_name": "shell",
              "tool_call_id": "b"
            }
          ]
        }
        {
          "total_cached_tokens": 50,
          "total_completion_tokens": 20,
          "total_cost_usd": 0.0015,
          "total_prompt_tokens": 100,
          "total_steps": 7
        }
        {
          "total_cached_tokens": 5,
          "total_completion_tokens": 5,
          "total_prompt_tokens": 10,
          "total_steps": 2
        }
    "#]]
    .assert_eq(&format!(
        "{:#}\n{:#}\n{:#}\n",
        document["steps"][4], document["final_metrics"], document["subagent_trajectories"][0]["final_metrics"]
    ));
}

#[test]
fn a_journal_becomes_text_that_nothing_in_it_can_break_out_of() {
    expect![[r##"
        # hull by bash, attempt 2

        - ended: the model does not answer
        - model openai/small
        - 110 + 25 tokens, cost unknown
        - 2 uses of tools, 1 answered from the cache

        ## Conversation main

        1. *try Make*: a Makefile is there

        ### 2. build

        ```sh
        make
        ```
        exited with 2 in 1.5 s

        ### 3. system

        ```
        Build it.
        ```

        ### 4. user

        ```
        make failed:
        \x1b[31mno rule
        ```

        ### 5. agent

        thought:

        ```
        It has a Makefile.
        ```

        ```
        I look.
        ```

        `shell`:

        ```json
        {"command":"ls"}
        ```

        answered:

        ```
        Makefile
        ```

        `shell`:

        ```json
        not json
        ```

        failed:

        ```
        the arguments are no JSON
        ```

        100 + 20 tokens, $0.0015, 1.6 s

        ### 6. 3 messages condensed

        ```
        It failed.
        ```

        ### 7. no answer

        - overloaded

        ## Conversation expert

        ### 1. user

        ````
        Why? ```
        ````

        ### 2. agent

        ```
        No idea.
        ```

        10 + 5 tokens, cost unknown, 0.8 s

        ## Handed in

        ```
        no way
        ```
    "##]]
    .assert_eq(&markdown(&Trajectory::read(&mixed())));
}

#[test]
fn commands_of_a_tool_are_not_told_twice_and_those_of_grading_not_at_all() {
    let trajectory = Trajectory::read(&mixed());
    let ran: Vec<&str> = trajectory.conversations[0]
        .steps
        .iter()
        .filter_map(|step| match &step.act {
            Act::Ran(command) => Some(command.command.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ran, ["make"]);
}

#[test]
fn an_agent_without_a_model_and_one_that_did_nothing_make_valid_documents() {
    for events in [vec![ran("make", 0), ran("make install", 0)], Vec::new()] {
        let document = atif(&Trajectory::read(&journal(events)), "run", "0.1.0");
        assert_eq!(faults(&document), []);
    }
}

#[test]
fn a_trial_that_was_begun_anew_forgets_what_was_before() {
    let mut entries = journal(vec![ran("make", 2)]);
    entries.extend(journal(vec![ran("make all", 0)]));
    assert_eq!(Trajectory::read(&entries).conversations[0].steps.len(), 1);
}

#[test]
fn each_rule_finds_what_breaks_it() {
    let valid = json!({
        "schema_version": "ATIF-v1.8",
        "session_id": "s",
        "agent": { "name": "a", "version": "1" },
        "steps": [
            { "step_id": 1, "source": "user", "message": [{ "type": "text", "text": "x" }] },
            {
                "step_id": 2, "source": "agent", "message": "y", "timestamp": "2026-11-30T10:00:00Z",
                "tool_calls": [{ "tool_call_id": "c", "function_name": "f", "arguments": {} }],
                "observation": { "results": [{ "source_call_id": "c", "content": "z" }] },
                "metrics": { "prompt_tokens": 2, "cached_tokens": 1, "cost_usd": 0.1 }, "llm_call_count": 1
            }
        ],
        "final_metrics": { "total_steps": 2 }
    });
    assert_eq!(faults(&valid), []);
    let cases: Vec<(&str, Value)> = vec![
        ("/schema_version", json!("ATIF-v2.0")),
        ("/schema_version", Value::Null),
        ("/agent", json!({ "name": "a" })),
        ("/agent/model", json!("m")),
        ("/steps", json!([])),
        ("/steps/0/step_id", json!(2)),
        ("/steps/0/source", json!("tool")),
        ("/steps/0/metrics", json!({})),
        ("/steps/0/message", json!([{ "type": "video" }])),
        (
            "/steps/0/message",
            json!([{ "type": "image", "source": { "path": "p" } }]),
        ),
        ("/steps/0/message", json!(7)),
        ("/steps/1/timestamp", json!("yesterday")),
        ("/steps/1/llm_call_count", json!(0)),
        ("/steps/1/metrics/cached_tokens", json!(3)),
        ("/steps/1/metrics/price", json!(3)),
        ("/steps/1/tool_calls/0/arguments", json!("{}")),
        ("/steps/1/observation/results/0/source_call_id", json!("d")),
        (
            "/steps/1/observation/results/0/subagent_trajectory_ref",
            json!([{ "session_id": "s" }]),
        ),
        (
            "/steps/1/observation/results/0/subagent_trajectory_ref",
            json!([{ "trajectory_id": "t" }]),
        ),
        ("/final_metrics/total_steps", json!(-1)),
        ("/subagent_trajectories", json!([valid])),
        ("/more", json!(1)),
    ];
    let mut out = String::new();
    for (place, value) in cases {
        let mut broken = valid.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        let parent = broken.pointer_mut(parent).unwrap();
        match parent {
            Value::Object(object) => drop(object.insert(key.to_owned(), value)),
            other => other[key.parse::<usize>().unwrap()] = value,
        }
        let found = faults(&broken);
        assert!(!found.is_empty(), "{place}");
        for fault in found {
            writeln!(out, "{fault}").unwrap();
        }
    }
    expect![[r#"
        schema_version: `ATIF-v2.0` is not known; the newest one is ATIF-v1.8
        `schema_version` is missing
        agent: `version` is missing
        agent: there is no key `model`; what is one's own goes into `extra`
        steps: there must be at least one step
        steps[0].step_id: it is 2 and must be 1
        steps[0].source: `tool` is none of `system`, `user`, `agent`
        steps[0].metrics: only a step of the agent has it
        steps[0].message[0]: there is no part of type `video`
        steps[0].message[0]: it needs a `source` with `media_type` and `path`
        steps[0].message: it must be a text or a list of parts
        steps[1].timestamp: `yesterday` is no time of ISO 8601
        steps[1].metrics: no model was called in this step
        steps[1].metrics: 3 cached tokens are more than the 2 of the prompt
        steps[1].metrics: there is no key `price`; what is one's own goes into `extra`
        steps[1].tool_calls[0].arguments: it must be an object
        steps[1].observation.results[0]: no call of this step has the id `d`
        steps[1].observation.results[0].subagent_trajectory_ref[0]: it needs a `trajectory_id` or a `trajectory_path`
        steps[1].observation.results[0].subagent_trajectory_ref[0]: no embedded trajectory has the id `t`
        final_metrics.total_steps: it must be a whole number of at least 0
        subagent_trajectories[0]: an embedded trajectory needs a `trajectory_id`
        there is no key `more`; what is one's own goes into `extra`
    "#]]
    .assert_eq(&out);
}
