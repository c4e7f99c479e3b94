//! What agents cost beside the model, with real boxes and journals on the disk: a turn of an agent whose tool does nothing;
//! and many trials at the same time, each in a box of its own, whose answers drip, with the longest silence that any
//! stream saw. One table from one run; asserts nothing about time.
//!
//! Server, agents and boxes share this machine's processors. `--turns N` (200), `--trials N` (64). Boxes come from the tests'
//! data folder. Scripts that are handed in are not graded here.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use seatrial_agents::{AgentOptions, AgentSettings, SolveContext, agent};
use seatrial_core::{BOX_SOURCE, Budget, Digest, EventSink, Goal, PinnedSource, Platform, SourceKind, Task};
use seatrial_llm::{
    Abilities, CallContext, Completion, Model, ModelError, ModelId, Piece, Request, Settings, Wire, connect,
    scripted::{Answer, Fault, Script, ScriptedServer, Scripts},
};
use seatrial_sandbox::{BoxSpec, ImageStore, Limits, NativeFactory, Network, SandboxFactory as _};
use seatrial_store::{Home, Journal};
use serde_json::json;

/// Pieces of a dripping answer, the time between two of them, and answers of a trial.
const PIECES: usize = 50;
const DRIP: u64 = 20;
const ANSWERS: usize = 3;

fn main() {
    // `cargo test --benches` runs this too, and a test run must not take a minute.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let option = |name: &str, default: usize| {
        let mut words = std::env::args().skip_while(|word| word != name).skip(1);
        words.next().and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    let Some(world) = World::open() else {
        println!("no boxes here; run the tests first");
        return;
    };
    turns(&world, option("--turns", 200));
    trials(&world, option("--trials", 64));
}

/// Where boxes come from, and where journals go.
struct World {
    home: Home,
    factory: NativeFactory,
    image: Digest,
    folder: tempfile::TempDir,
}

impl World {
    fn open() -> Option<Self> {
        let set = |name| std::env::var_os(name).map(PathBuf::from);
        let root = set("SEATRIAL_TEST_HOME")
            .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("seatrial/test-home")))
            .or_else(|| set("HOME").map(|home| home.join(".cache/seatrial/test-home")))?;
        let home = Home::open(root).ok()?;
        let own = std::env::current_exe().ok()?;
        let helper = ["seatrial-box", "seatrial"]
            .iter()
            .filter_map(|name| Some(own.parent()?.parent()?.join(name)))
            .find(|path| path.is_file())?;
        let image = ImageStore::new(&home, helper.clone())
            .find(&Platform::default_host())
            .ok()??
            .id;
        let factory = NativeFactory::new(&home, helper).ok()?;
        // The data folder's disk is the one on which journals are written.
        let folder = tempfile::tempdir_in(home.root()).ok()?;
        Some(Self {
            home,
            factory,
            image,
            folder,
        })
    }

    /// One trial's work; what it took to have its box, and to be through.
    fn solve(&self, number: usize, name: &str, model: Arc<dyn Model>) -> (Duration, Duration) {
        let begun = Instant::now();
        let spec = BoxSpec {
            image: self.image,
            limits: Limits::default(),
            network: Network::Off,
        };
        let mut sandbox = self.factory.start(&spec).unwrap();
        sandbox
            .write_file(
                &format!("{BOX_SOURCE}/hull.c"),
                b"int main(void) { return 0; }\n",
                0o644,
            )
            .unwrap();
        let boxed = begun.elapsed();
        let place = self.folder.path().join(format!("{name}-{number}"));
        std::fs::create_dir(&place).unwrap();
        let (mut journal, _) = Journal::open(place.join("journal.jsonl")).unwrap();
        let settings = AgentSettings {
            models: vec![model],
            options: AgentOptions::default(),
            ..AgentSettings::default()
        };
        let mut context = SolveContext {
            task: &task(),
            tree: self.folder.path(),
            sandbox: sandbox.as_mut(),
            resolver: None,
            rebuilder: None,
            blobs: &self.home.blobs(),
            events: &mut journal,
            output: &mut |_| {},
            deadline: None,
            forbid: &[],
            base_packages: &[],
        };
        agent(name, &settings).unwrap().solve(&mut context).unwrap();
        (boxed, begun.elapsed())
    }
}

fn task() -> Task {
    Task {
        id: "hull".parse().unwrap(),
        suite: "compile".parse().unwrap(),
        source: PinnedSource {
            name: "hull".to_owned(),
            origin: SourceKind::Folder {
                path: "/nowhere".to_owned(),
            },
            tree: Some(Digest::of(b"hull")),
        },
        platform: Platform::default_host(),
        goal: Goal::Compile,
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    }
}

/// A model that remembers when it was asked, and the longest silence of each of its streams.
struct Watched {
    model: Arc<dyn Model>,
    asked: Mutex<Vec<Instant>>,
    silences: Mutex<Vec<Duration>>,
}

impl Watched {
    fn of(server: &ScriptedServer) -> Self {
        let settings = Settings {
            base_url: Some(server.base_url(Wire::Chat)),
            ..Settings::default()
        };
        Self {
            model: connect(&"scripted/bench".parse().unwrap(), &settings).unwrap(),
            asked: Mutex::default(),
            silences: Mutex::default(),
        }
    }
}

impl Model for Watched {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn abilities(&self) -> Abilities {
        self.model.abilities()
    }

    fn complete(&self, request: &Request, call: &mut CallContext<'_>) -> Result<Completion, ModelError> {
        self.asked.lock().unwrap().push(Instant::now());
        let (mut last, mut longest) = (None::<Instant>, Duration::ZERO);
        let mut watch = |_: Piece| {
            let now = Instant::now();
            longest = longest.max(last.map_or(Duration::ZERO, |last| now - last));
            last = Some(now);
        };
        let mut own = CallContext::new(call.conversation, call.meter, call.stop);
        own.deadline = call.deadline;
        own.blobs = call.blobs;
        own.events = match &mut call.events {
            Some(events) => Some(&mut **events as &mut dyn EventSink),
            None => None,
        };
        own.watch = Some(&mut watch);
        let completion = self.model.complete(request, &mut own);
        self.silences.lock().unwrap().push(longest);
        completion
    }
}

/// A whole turn: asked, answered, the tool used, and asked again.
fn turns(world: &World, count: usize) {
    println!("a turn of an agent, {count} of them: the model is asked, its tool used, all journalled\n");
    println!("| agent, tool | median ms | 95 % ms | longest ms |\n|---|---|---|---|");
    // The same call is not made more than three times in a row.
    let answer = |tool: &str, number: usize| match tool {
        "think" => Answer::call(tool, json!({ "thought": format!("thought {number}") })),
        _ => Answer::call(tool, json!({ "command": format!(": {number}") })),
    };
    let cases = [("codeact", "think"), ("codeact", "shell"), ("bash", "shell")];
    for (case, (name, tool)) in cases.into_iter().enumerate() {
        // An agent has 100 turns, so that several are needed.
        let mut times = Vec::new();
        for trial in 0..count.div_ceil(90) {
            let calls = (0..90.min(count)).map(|number| answer(tool, number));
            let end = [
                Answer::call("finish", json!({ "message": "done" })),
                Answer::text("done"),
            ];
            let end = if name == "bash" { &end[1..] } else { &end[..1] };
            let script = Script::of(calls.chain(end.iter().cloned()));
            let server = ScriptedServer::start(Scripts::any(script)).unwrap();
            let model = Arc::new(Watched::of(&server));
            world.solve(case * 100 + trial, name, model.clone());
            let asked = model.asked.lock().unwrap();
            times.extend(asked.windows(2).map(|pair| pair[1] - pair[0]));
        }
        println!("| {name}, `{tool}` | {} |", spread(&mut times));
    }
    println!();
}

fn trials(world: &World, count: usize) {
    println!(
        "{count} trials of `bash` at the same time, each in a box: {ANSWERS} answers of {PIECES} pieces, one each {DRIP} ms, a \
         command after each\n"
    );
    let drip = Some(Fault::Slow { milliseconds: DRIP });
    let work = (0..ANSWERS - 1).map(|number| Answer {
        text: "x".repeat(PIECES * 24),
        fault: drip.clone(),
        ..Answer::call(
            "shell",
            json!({ "command": format!("cc -g -O0 hull.c -o hull{number}") }),
        )
    });
    let end = Answer {
        fault: drip.clone(),
        ..Answer::text("x".repeat(PIECES * 24))
    };
    let server = ScriptedServer::start(Scripts::any(Script::of(work.chain([end])))).unwrap();
    let model = Arc::new(Watched::of(&server));
    let begun = Instant::now();
    let (mut boxed, mut whole): (Vec<Duration>, Vec<Duration>) = thread::scope(|scope| {
        let trials: Vec<_> = (0..count)
            .map(|number| {
                let model = model.clone();
                scope.spawn(move || world.solve(1000 + number, "bash", model))
            })
            .collect();
        trials.into_iter().map(|trial| trial.join().unwrap()).unzip()
    });
    let all = begun.elapsed();
    let mut silences = std::mem::take(&mut *model.silences.lock().unwrap());
    println!("| of {count} trials | median ms | 95 % ms | longest ms |\n|---|---|---|---|");
    println!("| until the box is there | {} |", spread(&mut boxed));
    println!(
        "| longest silence in a stream ({} streams) | {} |",
        silences.len(),
        spread(&mut silences)
    );
    println!("| the whole trial | {} |", spread(&mut whole));
    println!("\nall over after {:.2} s", all.as_secs_f64());
}

fn spread(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    format!("{:.2} | {:.2} | {:.2}", at(50), at(95), at(100))
}
