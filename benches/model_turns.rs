//! What a turn with a model costs beside the model: one conversation against the scripted server, on each wire; and many
//! conversations at the same time, whose answers drip, with the longest silence that any of them saw. One table from one
//! run; asserts nothing about time.
//!
//! Server and clients share this machine's processors. `--turns N` (200), `--streams N` (64).
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use seatrial_core::{Message, Role};
use seatrial_llm::{
    Bounds, CallContext, Meter, Model, Piece, Request, Settings, ToolSpec, Wire, connect,
    scripted::{Answer, Fault, Script, ScriptedServer, Scripts},
};
use serde_json::json;

/// Pieces of a dripping answer, and the time between two of them.
const PIECES: usize = 100;
const DRIP: u64 = 20;

fn main() {
    // `cargo test --benches` runs this too, and a test run must not take a minute.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let option = |name: &str, default: usize| {
        let mut words = std::env::args().skip_while(|word| word != name).skip(1);
        words.next().and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    turns(option("--turns", 200));
    streams(option("--streams", 64));
}

fn model(server: &ScriptedServer, wire: Wire) -> Arc<dyn Model> {
    let provider = match wire {
        Wire::Chat | Wire::Embeddings => "scripted",
        Wire::Responses => "scripted-responses",
        Wire::Messages => "scripted-messages",
        Wire::Gemini => "scripted-gemini",
    };
    let settings = Settings {
        base_url: Some(server.base_url(wire)),
        ..Settings::default()
    };
    connect(&format!("{provider}/bench").parse().unwrap(), &settings).unwrap()
}

fn question() -> Request {
    let tool = ToolSpec {
        name: "shell".into(),
        description: "Runs a command.".into(),
        parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
    };
    Request::new(vec![
        Message::text(Role::System, "You build."),
        Message::text(Role::User, "Build it."),
    ])
    .with_tools(vec![tool])
}

/// A conversation that grows by a call and 4 KiB of its output in each turn, up to a length at which it starts anew.
fn turns(count: usize) {
    println!("one conversation, {count} turns of a call and 4 KiB of output\n");
    println!("| wire | median ms | 95 % ms | longest ms |\n|---|---|---|---|");
    for wire in Wire::ALL {
        let answer = Answer {
            repeat: true,
            ..Answer::call("shell", json!({"command": "make -j2 all"})).thinking("It should build now.")
        };
        let server = ScriptedServer::start(Scripts::any(Script::of([answer]))).unwrap();
        let (model, meter, stop) = (
            model(&server, wire),
            Meter::new(Bounds::default()),
            AtomicBool::new(false),
        );
        let mut request = question();
        let mut times = Vec::new();
        for _ in 0..count {
            let started = Instant::now();
            let completion = model
                .complete(&request, &mut CallContext::new("main", &meter, &stop))
                .unwrap();
            times.push(started.elapsed());
            let id = completion.message.tool_calls().next().unwrap().id.clone();
            request.messages.push(completion.message);
            request.messages.push(Message::tool_result(id, "x".repeat(4096), false));
            if request.messages.len() > 60 {
                request.messages.truncate(2);
            }
        }
        println!("| {wire} | {} |", spread(&mut times));
    }
    println!();
}

fn streams(count: usize) {
    let answer = Answer {
        repeat: true,
        fault: Some(Fault::Slow { milliseconds: DRIP }),
        ..Answer::text("x".repeat(PIECES * 24))
    };
    let server = ScriptedServer::start(Scripts::any(Script::of([answer]))).unwrap();
    println!("{count} conversations at the same time, answers of {PIECES} pieces, one each {DRIP} ms\n");
    println!(
        "| wire | longest silence in a stream: median ms | 95 % ms | longest ms | all over after s |\n|---|---|---|---|---|"
    );
    for wire in Wire::ALL {
        let model = model(&server, wire);
        let started = Instant::now();
        let mut silences: Vec<Duration> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..count).map(|_| scope.spawn(|| longest_silence(&*model))).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        println!(
            "| {wire} | {} | {:.2} |",
            spread(&mut silences),
            started.elapsed().as_secs_f64()
        );
    }
}

fn longest_silence(model: &dyn Model) -> Duration {
    let (meter, stop) = (Meter::new(Bounds::default()), AtomicBool::new(false));
    let (mut last, mut longest) = (None::<Instant>, Duration::ZERO);
    let mut watch = |_: Piece| {
        let now = Instant::now();
        longest = longest.max(last.map_or(Duration::ZERO, |last| now - last));
        last = Some(now);
    };
    let mut call = CallContext::new("main", &meter, &stop);
    call.watch = Some(&mut watch);
    model.complete(&question(), &mut call).unwrap();
    longest
}

fn spread(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    format!("{:.2} | {:.2} | {:.2}", at(50), at(95), at(100))
}
