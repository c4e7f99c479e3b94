//! Many boxes: each is made, used and dropped, by two threads at a time. Prints, as it goes, how many a second that is and
//! what this process and the machine hold: memory, descriptors, threads, mounts, processes, folders, control groups. A
//! column that grows from row to row is a leak; the last row is taken after everything was dropped. Asserts nothing about
//! time, but ends with an error when something is left.
//!
//! `SEATRIAL_BENCH_HOME` names the data folder with an image; the one of the tests is the default. `--boxes N` says how
//! many, `--jobs N` how many at one time.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench talks to a person and may fail"
)]

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use seatrial_core::Platform;
use seatrial_sandbox::{BoxSpec, Command, ImageStore, Limits, NativeFactory, Network, SandboxFactory};
use seatrial_store::Home;

/// Rows of the table.
const ROWS: usize = 10;

fn main() -> ExitCode {
    let number = |name: &str, default| {
        let given = std::env::args().skip_while(|word| word != name).nth(1);
        given.and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    let (boxes, jobs): (usize, usize) = (number("--boxes", 2_000), number("--jobs", 2));
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
        return ExitCode::SUCCESS;
    };
    let spec = BoxSpec {
        image: image.id,
        limits: Limits::default(),
        network: Network::Off,
    };
    println!(
        "{:>8}{:>10}{:>12}{:>8}{:>9}{:>8}{:>11}{:>8}{:>8}",
        "boxes", "boxes/s", "memory KiB", "files", "threads", "mounts", "processes", "folders", "groups"
    );
    let before = Held::now(&home);
    before.print(0, None);
    let factory = NativeFactory::new(&home, helper).unwrap();
    let began = Instant::now();
    for row in 1..=ROWS {
        let slice = boxes * row / ROWS - boxes * (row - 1) / ROWS;
        let (left, begun) = (AtomicUsize::new(slice), Instant::now());
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while left
                        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                        .is_ok()
                    {
                        one(&factory, &spec);
                    }
                });
            }
        });
        let speed = slice as f64 / begun.elapsed().as_secs_f64();
        Held::now(&home).print(boxes * row / ROWS, Some(speed));
    }
    drop(factory);
    let after = Held::now(&home);
    after.print(boxes, Some(boxes as f64 / began.elapsed().as_secs_f64()));
    let left = after.left_over(&before);
    println!("{}", left.as_deref().unwrap_or("nothing is left"));
    left.map_or(ExitCode::SUCCESS, |_| ExitCode::FAILURE)
}

/// A box with a use that touches files, processes and memory.
fn one(factory: &NativeFactory, spec: &BoxSpec) {
    let mut sandbox = factory.start(spec).unwrap();
    let mut command = Command::bash("");
    command.argv = vec!["/bin/cp".to_owned(), "/etc/passwd".to_owned(), "/root/copy".to_owned()];
    assert!(sandbox.exec(&command, &mut Vec::new()).unwrap().succeeded());
}

/// What this process and the machine hold.
struct Held {
    memory_kib: u64,
    files: usize,
    threads: usize,
    mounts: usize,
    processes: usize,
    folders: usize,
    groups: usize,
}

impl Held {
    fn now(home: &Home) -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        Self {
            memory_kib: memory.trim().trim_end_matches(" kB").parse().unwrap(),
            files: entries("/proc/self/fd"),
            threads: entries("/proc/self/task"),
            mounts: std::fs::read_to_string("/proc/self/mountinfo").unwrap().lines().count(),
            processes: helpers(),
            folders: entries(home.boxes()),
            groups: std::fs::read_to_string("/proc/cgroups").map_or(0, |text| {
                text.lines()
                    .filter_map(|line| line.split_whitespace().nth(2)?.parse::<usize>().ok())
                    .sum()
            }),
        }
    }

    fn print(&self, boxes: usize, speed: Option<f64>) {
        println!(
            "{boxes:>8}{:>10}{:>12}{:>8}{:>9}{:>8}{:>11}{:>8}{:>8}",
            speed.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.0}")),
            self.memory_kib,
            self.files,
            self.threads,
            self.mounts,
            self.processes,
            self.folders,
            self.groups
        );
    }

    /// What there is more of than before. Memory is for the reader to judge: an allocator keeps some.
    fn left_over(&self, before: &Self) -> Option<String> {
        let counts = [
            ("files", self.files, before.files),
            ("threads", self.threads, before.threads),
            ("mounts", self.mounts, before.mounts),
            ("processes", self.processes, before.processes),
            ("folders", self.folders, before.folders),
        ];
        let grown: Vec<_> = counts
            .iter()
            .filter(|(_, now, then)| now > then)
            .map(|(name, now, then)| format!("{} {name}", now - then))
            .collect();
        (!grown.is_empty()).then(|| format!("left over: {}", grown.join(", ")))
    }
}

fn entries(path: impl AsRef<Path>) -> usize {
    std::fs::read_dir(path).map_or(0, Iterator::count)
}

/// Processes on this machine that are helpers of boxes.
fn helpers() -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .filter_map(Result::ok)
        .filter(|process| {
            std::fs::read(process.path().join("cmdline"))
                .is_ok_and(|line| line.split(|byte| *byte == 0).nth(1) == Some(b"__box"))
        })
        .count()
}
