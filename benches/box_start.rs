//! How long it takes from "go" to the first finished command in a box that did not exist, beside the same program started
//! plainly, in a box that is already there, and by Docker where a daemon answers. All in one run, in turns, so that a
//! busy machine slows all of them alike. Prints a table; asserts nothing about time.
//!
//! `SEATRIAL_BENCH_HOME` names the data folder with an image; the one of the tests is the default. `--rounds N` says how
//! often.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    process::{Command as Process, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use seatrial_core::Platform;
use seatrial_sandbox::{
    BoxSpec, Command, Door, DoorSockets, ImageStore, Limits, NativeFactory, Network, OpenDoor, Sandbox, SandboxFactory,
};
use seatrial_store::Home;

/// Name of the image that this bench gives to Docker.
const DOCKER_IMAGE: &str = "seatrial-bench-true";

/// A door at which nobody answers: what it costs to have one, not what it does.
#[derive(Debug)]
struct Shut;

/// Its sockets, for as long as the box lives.
struct Held {
    _sockets: DoorSockets,
}

impl OpenDoor for Held {}

impl Door for Shut {
    fn ports(&self) -> Vec<u16> {
        vec![80, 443]
    }

    fn environment(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn files(&self, _: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        BTreeMap::new()
    }

    fn open(&self, sockets: DoorSockets) -> io::Result<Box<dyn OpenDoor>> {
        Ok(Box::new(Held { _sockets: sockets }))
    }
}

/// Packs one program and what it loads.
const PACK: &str = "mkdir -p /one/bin && cp \"$(realpath /bin/true)\" /one/bin/true &&
    for l in $(ldd /bin/true | grep -o '/[^ ]*'); do cp --parents -L \"$l\" /one; done && tar -C /one -cf /one.tar .";

fn main() {
    let rounds = std::env::args()
        .skip_while(|word| word != "--rounds")
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(100);
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let folder = set("SEATRIAL_BENCH_HOME")
        .or_else(|| set("SEATRIAL_TEST_HOME"))
        .unwrap_or_else(|| {
            set("XDG_CACHE_HOME")
                .or_else(|| set("HOME").map(|home| home.join(".cache")))
                .unwrap()
                .join("seatrial/test-home")
        });
    let home = Home::open(folder).unwrap();
    let helper = PathBuf::from(env!("CARGO_BIN_EXE_seatrial-box"));
    let Some(image) = ImageStore::new(&home, helper.clone())
        .find(&Platform::default_host())
        .unwrap()
    else {
        println!(
            "skipped: no image in {}; `seatrial image build` makes one",
            home.root().display()
        );
        return;
    };
    let factory = NativeFactory::new(&home, helper).unwrap();
    let spec = |network| BoxSpec {
        image: image.id,
        limits: Limits::default(),
        network,
    };
    let mut live = factory.start(&spec(Network::Off)).unwrap();
    let docker = docker(&mut *live);

    let mut rows = [
        ("plain fork+exec", Vec::new()),
        ("exec in a live box", Vec::new()),
        ("fresh box, a door", Vec::new()),
        ("fresh box, no network", Vec::new()),
        ("docker run --rm", Vec::new()),
    ];
    for round in 0..rounds {
        let times = [
            Some(time(|| assert!(Process::new("/bin/true").status().unwrap().success()))),
            Some(time(|| run(&mut *live))),
            Some(time_of_fresh(&factory, &spec(Network::Door(Arc::new(Shut))))),
            Some(time_of_fresh(&factory, &spec(Network::Off))),
            // It takes so long that a few rounds tell enough.
            (docker.is_ok() && round < 10).then(|| time(|| assert!(docker_run()))),
        ];
        for ((_, row), time) in rows.iter_mut().zip(times) {
            row.extend(time);
        }
    }
    println!(
        "{:<28}{:>8}{:>12}{:>12}",
        "from go to /bin/true done", "rounds", "median", "90 %"
    );
    for (name, mut row) in rows {
        row.sort_unstable();
        let at = |share: usize| row.get((row.len() * share / 100).min(row.len().saturating_sub(1)));
        match (at(50), at(90), &docker) {
            (Some(half), Some(most), _) => println!(
                "{name:<28}{:>8}{:>9.2} ms{:>9.2} ms",
                row.len(),
                millis(*half),
                millis(*most)
            ),
            (_, _, Err(why)) => println!("{name:<28}skipped: {why}"),
            _ => println!("{name:<28}no rounds"),
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn time(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}

/// The box's end is not part of the time, as it is not part of what somebody waits for.
fn time_of_fresh(factory: &NativeFactory, spec: &BoxSpec) -> Duration {
    // As where somebody starts one box; how many a second there can be is what `box_soak` shows.
    factory.settle();
    let began = Instant::now();
    let mut fresh = factory.start(spec).unwrap();
    run(&mut *fresh);
    began.elapsed()
}

fn run(sandbox: &mut dyn Sandbox) {
    let mut command = Command::bash("");
    command.argv = vec!["/bin/true".to_owned()];
    assert!(sandbox.exec(&command, &mut Vec::new()).unwrap().succeeded());
}

/// Gives Docker an image with the same program, or says why not.
fn docker(sandbox: &mut dyn Sandbox) -> Result<(), String> {
    let version = Process::new("docker")
        .args(["version", "--format", "{{.Server.Version}}"])
        .stderr(Stdio::null())
        .output();
    match version {
        Err(_) => return Err("docker is not installed".to_owned()),
        Ok(output) if !output.status.success() => return Err("no Docker daemon answers".to_owned()),
        Ok(_) => {}
    }
    if !sandbox
        .exec(&Command::bash(PACK), &mut Vec::new())
        .is_ok_and(|execution| execution.succeeded())
    {
        return Err("the program cannot be packed".to_owned());
    }
    let archive = sandbox
        .read_file("/one.tar", u64::MAX)
        .map_err(|error| error.to_string())?;
    let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(file.path(), archive.bytes).map_err(|error| error.to_string())?;
    let made = Process::new("docker")
        .arg("import")
        .arg(file.path())
        .arg(DOCKER_IMAGE)
        .stdout(Stdio::null())
        .status();
    if made.is_ok_and(|status| status.success()) && docker_run() {
        Ok(())
    } else {
        Err("docker cannot run the program".to_owned())
    }
}

fn docker_run() -> bool {
    let mut command = Process::new("docker");
    command
        .args(["run", "--rm", "--network", "none", DOCKER_IMAGE, "/bin/true"])
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
