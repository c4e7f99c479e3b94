//! What trying and undoing costs: a snapshot, a rollback and a fork of trees of two sizes, changed in ten places each; an
//! exec on top of many snapshots; and a script in a session, beside an exec and a plain fork and exec. All in one run, in
//! turns, so that a busy machine slows all of them alike. Prints tables; asserts nothing about time.
//!
//! `SEATRIAL_BENCH_HOME` names the data folder with an image; the one of the tests is the default. `--rounds N` says how
//! often.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    path::PathBuf,
    process::Command as Process,
    time::{Duration, Instant},
};

use seatrial_core::Platform;
use seatrial_sandbox::{
    BoxSpec, Command, ImageStore, Limits, NativeFactory, Network, Sandbox, SandboxFactory, SessionCommand, SessionSpec,
};
use seatrial_store::Home;

/// Sizes of the trees.
const FILES: [usize; 2] = [10_000, 100_000];
/// Snapshots with changes between them.
const DEPTHS: [usize; 4] = [1, 10, 100, 400];
/// Changes ten files far apart, one of them with its folder.
const CHANGE: &str =
    "cd /tree; n=$(ls | wc -l); for i in 1 2 3 4 5 6 7 8 9; do echo new > $((n * i / 10))/1; done; rm -r 0";

fn main() {
    let rounds = std::env::args()
        .skip_while(|word| word != "--rounds")
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(30);
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
    let start = || {
        factory
            .start(&BoxSpec {
                image: image.id,
                limits: Limits::default(),
                network: Network::Off,
            })
            .unwrap()
    };
    let mut trees = FILES.map(|files| {
        let mut sandbox = start();
        let text = format!(
            "mkdir /tree; cd /tree; for i in {{0..{}}}; do mkdir $i; for j in {{1..100}}; do echo $i $j > $i/$j; done; done",
            files / 100 - 1
        );
        run(&mut *sandbox, &text);
        let snapshot = sandbox.snapshot().unwrap();
        (sandbox, snapshot)
    });
    let mut times: [[Vec<Duration>; 3]; 2] = Default::default();
    for _ in 0..rounds {
        for ((sandbox, base), [snapshots, rollbacks, forks]) in trees.iter_mut().zip(&mut times) {
            run(&mut **sandbox, CHANGE);
            let mut made = None;
            snapshots.push(time(|| made = Some(sandbox.snapshot().unwrap())));
            let mut fork = None;
            forks.push(time(|| fork = Some(sandbox.fork(&made.unwrap()).unwrap())));
            drop(fork);
            rollbacks.push(time(|| sandbox.rollback(base).unwrap()));
        }
    }
    let [small, large] = &times;
    println!(
        "{:<28}{:>14}{:>12}{:>14}{:>12}{:>8}",
        "changed in 10 places", "10,000 files", "90 %", "100,000 files", "90 %", "ratio"
    );
    for (index, name) in ["snapshot", "rollback", "fork"].into_iter().enumerate() {
        let (one, two) = (&small[index], &large[index]);
        println!(
            "{name:<28}{:>11.2} ms{:>9.2} ms{:>11.2} ms{:>9.2} ms{:>8.2}",
            share(one, 50),
            share(one, 90),
            share(two, 50),
            share(two, 90),
            share(two, 50) / share(one, 50)
        );
    }
    drop(trees);
    println!();
    println!("{:<28}{:>14}{:>12}", "/bin/true in a box", "median", "90 %");
    let mut sandbox = start();
    let mut deep = 0;
    for depth in DEPTHS {
        while deep < depth {
            sandbox.write_file(&format!("/layers/{deep}"), b"x", 0o644).unwrap();
            sandbox.snapshot().unwrap();
            deep += 1;
        }
        let times: Vec<_> = (0..rounds).map(|_| time(|| run_true(&mut *sandbox))).collect();
        row(&format!("after {depth} snapshots"), &times);
    }
    println!();
    println!("{:<28}{:>14}{:>12}", "nothing but `:`", "median", "90 %");
    let mut sandbox = start();
    let spec = SessionSpec {
        env: [].into(),
        folder: "/".to_owned(),
    };
    let session = sandbox.open_session(&spec).unwrap();
    let script = SessionCommand {
        script: ":".to_owned(),
        timeout: None,
        idle_timeout: None,
        output_limit: 0,
    };
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..rounds {
        let [sessions, execs, plain] = &mut times;
        sessions.push(time(|| {
            sandbox.run_in_session(session, &script, &mut Vec::new()).unwrap();
        }));
        execs.push(time(|| run(&mut *sandbox, ":")));
        plain.push(time(|| {
            assert!(Process::new("/bin/bash").args(["-c", ":"]).status().unwrap().success());
        }));
    }
    for (name, times) in [
        "script in a session",
        "exec of Bash in a box",
        "plain fork+exec of Bash",
    ]
    .into_iter()
    .zip(&times)
    {
        row(name, times);
    }
}

fn row(name: &str, times: &[Duration]) {
    println!("{name:<28}{:>11.2} ms{:>9.2} ms", share(times, 50), share(times, 90));
}

/// The time, in milliseconds, within which a share of all was done.
fn share(times: &[Duration], share: usize) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = (times.len() * share / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(0.0, Duration::as_secs_f64) * 1000.0
}

fn time(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}

fn run(sandbox: &mut dyn Sandbox, text: &str) {
    assert!(sandbox.exec(&Command::bash(text), &mut Vec::new()).unwrap().succeeded());
}

fn run_true(sandbox: &mut dyn Sandbox) {
    let mut command = Command::bash("");
    command.argv = vec!["/bin/true".to_owned()];
    assert!(sandbox.exec(&command, &mut Vec::new()).unwrap().succeeded());
}
