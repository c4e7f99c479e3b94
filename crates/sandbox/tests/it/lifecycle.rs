//! Nothing stays behind: not after a drop, and not after the harness was killed.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command as Process, Stdio},
};

use seatrial_sandbox::{BoxSpec, Command, Limits, NativeFactory, Network, OutputSink, SandboxFactory, Stream};

use crate::{
    limits::groups_of,
    support::{eventually, helper, home, image, script},
};

const VICTIM: &str = "SEATRIAL_TEST_VICTIM";
const IGNORER: &str = "SEATRIAL_TEST_IGNORER";
const WRITING_VICTIM: &str = "SEATRIAL_TEST_WRITING_VICTIM";

/// Folders of boxes that a process made.
fn boxes_of(pid: u32) -> Vec<PathBuf> {
    let prefix = format!("{pid}-");
    let named = |path: &Path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(&prefix))
    };
    std::fs::read_dir(home().boxes())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| named(path))
        .collect()
}

/// Processes on this machine whose command line holds a word, with those of boxes among them.
fn processes_with(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else {
            continue;
        };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(word) && entry.file_name() != *std::process::id().to_string() {
            found.push(format!("{} {line}", entry.file_name().display()));
        }
    }
    found
}

/// Tells the parent process what the command says.
struct Tell;
impl OutputSink for Tell {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        std::io::Write::write_all(&mut std::io::stderr(), bytes).unwrap();
    }
}

/// Not a test: the harness that another test kills. It tells when its box is busy.
#[test]
fn victim() {
    let Some(mark) = std::env::var(VICTIM).ok() else { return };
    let factory = NativeFactory::new(&home(), helper()).unwrap();
    let spec = BoxSpec {
        image: image().unwrap(),
        limits: Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = factory.start(&spec).unwrap();
    script(
        &mut *sandbox,
        "seq 100000 > /written; chmod 000 /written; mkdir -p /closed/in; chmod 000 /closed",
    );
    sandbox.snapshot().unwrap();
    let text = format!(
        "setsid nohup bash -c 'while :; do sleep 1000; done; : {mark}' & exec -a {mark} bash -c 'echo busy; while :; do sleep 1000; done; :'"
    );
    drop(sandbox.exec(&Command::bash(text), &mut Tell));
}

#[expect(clippy::zombie_processes, reason = "the caller waits, or the test fails")]
fn start_victim(test: &str, variable: &str, mark: &str) -> Child {
    let mut child = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(variable, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = Vec::new();
    for line in lines.map_while(Result::ok) {
        if line == "busy" {
            return child;
        }
        said.push(line);
    }
    panic!("the victim ended early: {said:?}");
}

/// A tar stream that stops in the middle of a file, and never goes on.
struct Stalled(io::Cursor<Vec<u8>>);

impl Read for Stalled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => loop {
                std::thread::park();
            },
            count => Ok(count),
        }
    }
}

/// Not a test: a harness whose box is in the middle of writing files when it is killed.
#[test]
fn writing_victim() {
    let Some(program) = std::env::var_os(WRITING_VICTIM) else {
        return;
    };
    let factory = NativeFactory::new(&home(), program.into()).unwrap();
    let spec = BoxSpec {
        image: image().unwrap(),
        limits: Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = factory.start(&spec).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_path("half").unwrap();
    header.set_size(1 << 20);
    header.set_mode(0o644);
    header.set_cksum();
    let mut start = header.as_bytes().to_vec();
    start.extend([0; 4096]);
    eprintln!("busy");
    drop(sandbox.write_tree("/w", &mut Stalled(io::Cursor::new(start))));
}

#[test]
fn a_harness_killed_while_a_box_works_on_files_leaves_no_process() {
    if image().is_none() {
        return;
    }
    // The helper under a name of its own, by which its children are found too.
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("writing").display().to_string();
    std::fs::copy(helper(), &mark).unwrap();
    let mut child = start_victim("lifecycle::writing_victim", WRITING_VICTIM, &mark);
    // Helpers that wait for boxes to come have the name, too; only the one at work has a child.
    eventually("the box is at work", || {
        let known: Vec<_> = processes_with(&mark)
            .iter()
            .filter_map(|process| process.split(' ').next().map(|pid| Path::new("/proc").join(pid)))
            .collect();
        known
            .iter()
            .any(|process| parent(process).is_some_and(|parent| known.contains(&parent)))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("every process of the box ends", || processes_with(&mark).is_empty());
}

#[test]
fn a_killed_harness_leaves_nothing_after_the_next_start() {
    if image().is_none() {
        return;
    }
    let mark = format!("mark-{}-killed", std::process::id());
    let mut child = start_victim("lifecycle::victim", VICTIM, &mark);
    let pid = child.id();
    assert!(!processes_with(&mark).is_empty());
    assert_eq!(boxes_of(pid).len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("every process of the box ends", || processes_with(&mark).is_empty());
    drop(NativeFactory::new(&home(), helper()).unwrap());
    eventually("the folder is swept", || boxes_of(pid).is_empty());
    eventually("the control groups are swept", || groups_of(pid).is_empty());
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&format!("/boxes/{pid}-")), "{mounts}");
}

/// Not a test: a harness that was started with signals ignored.
#[test]
fn ignorer() {
    if std::env::var_os(IGNORER).is_none() {
        return;
    }
    let factory = NativeFactory::new(&home(), helper()).unwrap();
    let spec = BoxSpec {
        image: image().unwrap(),
        limits: Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = factory.start(&spec).unwrap();
    drop(sandbox.exec(&Command::bash("exec grep SigIgn /proc/self/status"), &mut Tell));
}

#[test]
fn what_the_harness_ignores_a_box_does_not() {
    if image().is_none() {
        return;
    }
    // As `nohup` and shells without job control start what they start.
    let done = Process::new("bash")
        .args([
            "-c",
            "trap '' HUP INT QUIT USR1; exec \"$0\" --exact lifecycle::ignorer --nocapture",
        ])
        .arg(std::env::current_exe().unwrap())
        .env(IGNORER, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let ignored = said.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert_eq!(u64::from_str_radix(ignored.trim(), 16).unwrap(), 0, "{said}");
}

/// Kills the supervisor of the box whose command says something.
struct Kill;
impl OutputSink for Kill {
    fn bytes(&mut self, _: Stream, _: &[u8]) {
        // The parent of the namespace's first process is the supervisor; it is this process's only child with `echo` below it.
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Ok(stat) = std::fs::read_to_string(entry.path().join("environ")) else {
                continue;
            };
            if stat.contains("SUPERVISOR_TEST=1") {
                let first = parent(&entry.path());
                let supervisor = first.as_deref().and_then(parent);
                if let Some(pid) = supervisor.and_then(|path| path.file_name()?.to_str()?.parse::<i32>().ok()) {
                    drop(Process::new("kill").args(["-9", &pid.to_string()]).status());
                }
                return;
            }
        }
    }
}

#[test]
fn a_box_whose_supervisor_is_killed_says_so() {
    let Some(image) = image() else { return };
    let factory = NativeFactory::new(&home(), helper()).unwrap();
    let spec = BoxSpec {
        image,
        limits: Limits::default(),
        network: Network::Off,
    };
    let mut sandbox = factory.start(&spec).unwrap();
    let command = Command::bash("echo started; exec sleep 1000").with_env("SUPERVISOR_TEST", "1");
    let error = sandbox.exec(&command, &mut Kill).unwrap_err();
    assert!(matches!(error, seatrial_sandbox::SandboxError::Died(_)), "{error:?}");
    assert_eq!(error.invalid_reason(), seatrial_core::InvalidReason::Sandbox);
    sandbox.exec(&Command::bash("true"), &mut Vec::new()).unwrap_err();
}

fn parent(process: &Path) -> Option<PathBuf> {
    let status = std::fs::read_to_string(process.join("status")).ok()?;
    let pid = status
        .lines()
        .find_map(|line| line.strip_prefix("PPid:"))?
        .trim()
        .to_owned();
    Some(Path::new("/proc").join(pid))
}
