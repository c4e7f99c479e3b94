//! Every wire and every fault: what comes of a call, how many requests it takes, and what it is said to have used.

use std::{
    fmt::Write as _,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use seatrial_core::{Event, Finish};
use seatrial_llm::{
    Wire,
    scripted::{Answer, Call, Fault, Script},
};
use serde_json::json;

use crate::support::{ask, model, question, server, settings, unbounded};

const MARKS: [&str; 2] = ["<!-- matrix: written by a test -->\n", "<!-- end of matrix -->"];

pub(crate) fn status(status: u16, retry_after: Option<&str>) -> Fault {
    Fault::Status {
        status,
        retry_after: retry_after.map(str::to_owned),
        message: None,
    }
}

/// The faults, each with the script that makes it. After a fault that can be mended there is a good answer.
fn rows() -> Vec<(&'static str, Script)> {
    let good = || Answer::text("Done.").using(20, 5);
    let fails = |fault: Fault| Script::of([Answer::fault(fault).using(10, 3), good()]);
    let refuses = |parameter: &str| Script::of([good()]).refusing(parameter);
    let says = |answer: Answer| Script::of([answer]);
    let raw = Call {
        name: "shell".into(),
        arguments: json!(null),
        raw: Some("{\"command\": \"ls".into()),
    };
    vec![
        ("none", Script::of([good()])),
        ("429, `Retry-After: 0`", fails(status(429, Some("0")))),
        ("429, `Retry-After: 3600`", fails(status(429, Some("3600")))),
        ("500", fails(status(500, None))),
        ("529", fails(status(529, None))),
        (
            "503 three times",
            Script::of([status(503, None), status(503, None), status(503, None)].map(Answer::fault)),
        ),
        ("connection cut midway", fails(Fault::Cut { after: 4 })),
        ("stream without an end", fails(Fault::Unfinished { after: 4 })),
        ("malformed JSON midway", fails(Fault::Malformed { after: 3 })),
        ("error midway", fails(Fault::Midway { after: 3 })),
        ("hangs before it answers", fails(Fault::Hang { after: None })),
        ("hangs midway", fails(Fault::Hang { after: Some(4) })),
        (
            "slow drip",
            says(Answer {
                fault: Some(Fault::Slow { milliseconds: 1 }),
                ..good()
            }),
        ),
        ("empty body", fails(Fault::Nothing)),
        ("a page for people", fails(Fault::Page)),
        ("empty answer", fails(Fault::Empty)),
        ("answer beyond the bound", fails(Fault::Huge { bytes: 300_000 })),
        ("refuses `temperature`", refuses("temperature")),
        ("refuses tool calls", refuses("tools")),
        ("refuses `stream`", refuses("stream")),
        ("refuses `stream_options`", refuses("stream_options")),
        (
            "unstreamed, cut midway",
            fails(Fault::Cut { after: 0 }).refusing("stream"),
        ),
        (
            "unstreamed, malformed JSON",
            fails(Fault::Malformed { after: 0 }).refusing("stream"),
        ),
        (
            "unstreamed, beyond the bound",
            fails(Fault::Huge { bytes: 300_000 }).refusing("stream"),
        ),
        (
            "tool that does not exist",
            says(Answer::call("no_such_tool", json!({})).using(20, 5)),
        ),
        (
            "arguments that are no JSON",
            says(
                Answer {
                    calls: vec![raw],
                    ..Answer::default()
                }
                .using(20, 5),
            ),
        ),
        (
            "usage kept back",
            says(Answer {
                hides_usage: true,
                usage: None,
                ..good()
            }),
        ),
        (
            "cut off by length",
            says(Answer {
                finish: Some(Finish::Length),
                ..good()
            }),
        ),
        (
            "declined in the answer",
            says(Answer {
                finish: Some(Finish::Refusal),
                ..Answer::text("I will not.").using(20, 5)
            }),
        ),
        ("declined by the provider", fails(Fault::Refusal)),
        ("context full", fails(Fault::ContextFull)),
        ("unknown model", fails(Fault::UnknownModel)),
        ("wrong key", fails(Fault::BadKey)),
        ("no credit", fails(Fault::NoCredit)),
    ]
}

/// One cell: what the caller gets, the requests, the usage in the record.
fn cell(wire: Wire, script: &Script) -> String {
    let server = server(script.clone());
    let mut settings = settings(&server, wire);
    settings.patience.answer_bytes = 200_000;
    if hangs(script) {
        // Long enough for an answer on a machine that has other things to do.
        settings.patience.first_piece = Duration::from_secs(4);
        settings.patience.between_pieces = Duration::from_secs(4);
    }
    let asked = ask(&*model(wire, &settings), &question(), &unbounded());
    let [Event::ModelCalled(record)] = asked.events.as_slice() else {
        panic!("one event tells of a call: {:?}", asked.events);
    };
    let what = match &asked.result {
        Ok(completion) => {
            assert_eq!((&completion.record, completion.usage), (record, record.usage));
            let calls: Vec<String> = completion
                .message
                .tool_calls()
                .map(|call| format!("calls `{}` `{}`", call.name, call.arguments))
                .collect();
            let is_empty = completion.message.parts.is_empty();
            match completion.finish {
                Finish::ToolCalls => calls.join(", "),
                Finish::Stop if is_empty => "empty answer".to_owned(),
                Finish::Stop => "answer".to_owned(),
                other => format!("answer ({other:?})").to_lowercase(),
            }
        }
        Err(error) => {
            assert_eq!(record.error.as_deref(), Some(error.to_string().as_str()));
            let name = format!("{error:?}");
            format!("**{}**", name.split([' ', '{', '(']).next().unwrap_or_default())
        }
    };
    let heard = server.heard().len();
    assert_eq!(heard, record.attempts as usize);
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let usage = match (record.usage.input, record.usage.output) {
        (None, None) => String::new(),
        (input, output) => format!(", {}+{}", number(input), number(output)),
    };
    let adapted = if record.adapted.is_empty() { "" } else { ", adapted" };
    format!("{what}, {heard}{usage}{adapted}")
}

fn hangs(script: &Script) -> bool {
    script
        .answer
        .iter()
        .any(|answer| matches!(answer.fault, Some(Fault::Hang { .. })))
}

/// All cells, a few at a time: those that hang wait for seconds, and begin first.
fn cells(rows: &[(&'static str, Script)]) -> Vec<Vec<String>> {
    const AT_ONCE: usize = 8;
    let mut order: Vec<(usize, usize)> = (0..rows.len())
        .flat_map(|row| (0..Wire::ALL.len()).map(move |wire| (row, wire)))
        .collect();
    order.sort_by_key(|(row, _)| !hangs(&rows[*row].1));
    let done = Mutex::new(vec![vec![String::new(); Wire::ALL.len()]; rows.len()]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((row, wire)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let text = cell(Wire::ALL[*wire], &rows[*row].1);
                    done.lock().unwrap()[*row][*wire] = text;
                }
            });
        }
    });
    done.into_inner().unwrap()
}

#[test]
fn every_fault_has_an_outcome_on_every_wire() {
    let mut table = String::from("| what happens | chat | responses | messages | gemini |\n|---|---|---|---|---|\n");
    let rows = rows();
    let cells = cells(&rows);
    for ((name, _), cells) in rows.iter().zip(&cells) {
        writeln!(table, "| {name} | {} |", cells.join(" | ")).unwrap();
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    put_into_document(&path, MARKS, &table);
}

/// Compares a table with the one in a document, or puts it there.
pub(crate) fn put_into_document(path: &Path, marks: [&str; 2], table: &str) {
    // Two tests may have a table in the same document.
    static WRITING: Mutex<()> = Mutex::new(());
    let _one = WRITING.lock().unwrap();
    let text = fs_err::read_to_string(path).unwrap();
    // The page has a mark before the table and one after it.
    let (before, rest) = text.split_once(marks[0]).unwrap();
    let (old, after) = rest.split_once(marks[1]).unwrap();
    if old != table && std::env::var_os("UPDATE_EXPECT").is_some() {
        fs_err::write(path, format!("{before}{}{table}{}{after}", marks[0], marks[1])).unwrap();
    } else {
        assert_eq!(
            old, table,
            "docs/models.md is not up to date: run this with UPDATE_EXPECT=1"
        );
    }
}
