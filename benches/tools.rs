//! What tools cost: a call over the protocol beside the same call made directly, and the structure of a large tree. One
//! table from one run; asserts nothing about time.
//!
//! `--calls N` (300), `--files N` (10000). Boxes come from the tests' data folder.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    fmt::Write as _,
    path::PathBuf,
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant},
};

use rmcp::{ServiceExt as _, model::CallToolRequestParams};
use seatrial_core::{BOX_SOURCE, Event, Platform, ToolCall};
use seatrial_sandbox::{BoxSpec, ImageStore, Limits, NativeFactory, Network, Sandbox, SandboxFactory as _};
use seatrial_store::{Blobs, Home};
use seatrial_tools::{
    CacheRule, Ground, GuardRule, ToolLimits, ToolState, Toolbox, World,
    mcp::{ServedBox, Server},
};
use serde_json::{Value, json};

fn main() {
    // `cargo test --benches` runs this too, and a test run must not take a minute.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let option = |name: &str, default: usize| {
        let mut words = std::env::args().skip_while(|word| word != name).skip(1);
        words.next().and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    let Some((home, factory, image)) = boxes() else {
        println!("no boxes here; run the tests first");
        return;
    };
    let start = || {
        let spec = BoxSpec {
            image,
            limits: Limits::default(),
            network: Network::Off,
        };
        factory.start(&spec).unwrap()
    };
    overhead(start(), start(), &home.blobs(), option("--calls", 300));
    structure(start(), &home.blobs(), option("--files", 10_000));
}

fn boxes() -> Option<(Home, NativeFactory, seatrial_core::Digest)> {
    let set = |name| std::env::var_os(name).map(PathBuf::from);
    let root = set("SEATRIAL_TEST_HOME")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("seatrial/test-home")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/seatrial/test-home")))?;
    let home = Home::open(root).ok()?;
    let own = std::env::current_exe().ok()?;
    let folder = own.parent()?.parent()?;
    let helper = ["seatrial-box", "seatrial"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|path| path.is_file())?;
    let image = ImageStore::new(&home, helper.clone())
        .find(&Platform::default_host())
        .ok()??
        .id;
    let factory = NativeFactory::new(&home, helper).ok()?;
    Some((home, factory, image))
}

/// One call, as an agent of the house makes it.
fn call(sandbox: &mut dyn Sandbox, blobs: &Blobs, state: &mut ToolState, name: &str, arguments: &Value) -> String {
    let mut events: Vec<Event> = Vec::new();
    let mut world = World {
        sandbox,
        root: BOX_SOURCE,
        resolver: None,
        blobs,
        events: &mut events,
        deadline: None,
        limits: ToolLimits::default(),
        stop: &AtomicBool::new(false),
        watch: None,
        state,
        ground: Ground::default(),
    };
    let call = ToolCall {
        id: "1".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    Toolbox::all().call("bench", &call, &mut world).unwrap().text
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn overhead(mut direct: Box<dyn Sandbox>, served: Box<dyn Sandbox>, blobs: &Blobs, calls: usize) {
    const CASES: [&str; 2] = ["think", "read"];
    let arguments = |name: &str| match name {
        "think" => json!({"thought": "hm"}),
        _ => json!({"path": "/etc/passwd"}),
    };
    let rules = || ToolState::with_rules(CacheRule::Off, GuardRule::Off);
    let mut state = rules();
    let direct: Vec<f64> = CASES
        .iter()
        .map(|name| {
            let times = (0..calls).map(|_| {
                let begin = Instant::now();
                call(direct.as_mut(), blobs, &mut state, name, &arguments(name));
                begin.elapsed()
            });
            median(times.collect())
        })
        .collect();
    let served = ServedBox {
        rebuilds: None,
        searcher: None,
        sandbox: served,
        root: BOX_SOURCE.to_owned(),
        toolbox: Toolbox::all(),
        state: rules(),
        limits: ToolLimits::default(),
        blobs: blobs.clone(),
        events: Box::new(Vec::<Event>::new()),
        resolver: None,
        platform: None,
        base_packages: Vec::new(),
    };
    // A pair of sockets, as a client in another process has pipes.
    let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    far.set_nonblocking(true).unwrap();
    let serving = thread::spawn(move || {
        let inside = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let far = {
            let _guard = inside.enter();
            tokio::net::UnixStream::from_std(far).unwrap()
        };
        let driver = thread::spawn(move || inside.block_on(std::future::pending::<()>()));
        drop(
            Server::new(&Toolbox::all(), "")
                .unwrap()
                .serve_stream(far, || Ok(served)),
        );
        drop(driver);
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let over: Vec<f64> = runtime.block_on(async {
        let client = ().serve(tokio::net::UnixStream::from_std(near).unwrap()).await.unwrap();
        let mut all = Vec::new();
        for name in CASES {
            let mut times = Vec::new();
            for _ in 0..calls {
                let Value::Object(arguments) = arguments(name) else {
                    continue;
                };
                let begin = Instant::now();
                client
                    .call_tool(CallToolRequestParams::new(name).with_arguments(arguments))
                    .await
                    .unwrap();
                times.push(begin.elapsed());
            }
            all.push(median(times));
        }
        client.cancel().await.unwrap();
        all
    });
    serving.join().unwrap();
    println!(
        "{:<28} {:>10} {:>10} {:>10}",
        "call (median of each)", "direct ms", "mcp ms", "more ms"
    );
    for ((name, direct), over) in CASES.iter().zip(&direct).zip(&over) {
        println!("{name:<28} {direct:>10.3} {over:>10.3} {:>10.3}", over - direct);
    }
}

fn structure(mut sandbox: Box<dyn Sandbox>, blobs: &Blobs, files: usize) {
    let mut tar = tar::Builder::new(Vec::new());
    let mut bytes = 0;
    for number in 0..files {
        let (name, text) = source(number);
        bytes += text.len();
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        tar.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    let tar = tar.into_inner().unwrap();
    sandbox.write_tree(BOX_SOURCE, &mut tar.as_slice()).unwrap();
    let begin = Instant::now();
    let mut state = ToolState::default();
    let text = call(sandbox.as_mut(), blobs, &mut state, "structure", &json!({"most": 10}));
    let time = begin.elapsed();
    println!(
        "\nstructure of {files} files, {} MiB: {:.1} s\n{}",
        bytes >> 20,
        time.as_secs_f64(),
        text.lines().last().unwrap_or_default()
    );
}

/// A source file of 60 functions in one of four languages.
fn source(number: usize) -> (String, String) {
    let mut text = String::new();
    let folder = number / 100;
    let (ending, one): (&str, fn(&mut String, usize)) = match number % 4 {
        0 => ("c", |text, at| {
            write!(
                text,
                "static int f{at}(int a)\n{{\n\tif (a > {at})\n\t\treturn a * {at};\n\treturn 0;\n}}\n\n"
            )
            .unwrap();
        }),
        1 => ("cpp", |text, at| {
            write!(
                text,
                "class C{at} {{\npublic:\n  int f(int a) const {{ return a + {at}; }}\n}};\n\n"
            )
            .unwrap();
        }),
        2 => ("py", |text, at| {
            write!(
                text,
                "def f{at}(a, b=None):\n    if a > {at}:\n        return [a, b]\n    return None\n\n"
            )
            .unwrap();
        }),
        _ => ("java", |text, at| {
            write!(text, "class C{at} {{\n  int f(int a) {{ return a * {at}; }}\n}}\n\n").unwrap();
        }),
    };
    for at in 0..60 {
        one(&mut text, at);
    }
    (format!("d{folder}/s{number}.{ending}"), text)
}
