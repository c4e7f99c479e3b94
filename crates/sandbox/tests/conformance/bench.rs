//! What a promise gets: one back end, one image, and ways to run commands.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command as Process, Stdio},
    time::Duration,
};

use seatrial_core::Digest;
use seatrial_sandbox::{
    BoxSpec, Command, DockerFactory, Execution, Limits, NativeFactory, Network, OutputSink, Sandbox, SandboxError,
    SandboxFactory, Stream,
};
use seatrial_store::Home;
use serde::{Deserialize, Serialize};

use crate::table::Skip;

/// The helper's path, when it is not where it was built.
pub(crate) const HELPER: &str = "SEATRIAL_TEST_HELPER";
/// Says that this process is a harness that another one is going to kill, and what it is to make boxes from.
const VICTIM: &str = "SEATRIAL_CONFORMANCE_VICTIM";

pub(crate) fn helper() -> PathBuf {
    std::env::var_os(HELPER).map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_seatrial-box")), PathBuf::from)
}

/// A back end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BackEnd {
    Native,
    /// Containers, through a socket.
    Containers(PathBuf),
}

/// What a promise is held against.
pub(crate) struct Bench {
    pub(crate) back_end: BackEnd,
    pub(crate) home: PathBuf,
    pub(crate) image: Digest,
    factory: Box<dyn SandboxFactory>,
}

impl Bench {
    pub(crate) fn new(back_end: BackEnd, home: &Path, image: Digest) -> Result<Self, SandboxError> {
        Ok(Self {
            factory: new_factory(&back_end, home)?,
            back_end,
            home: home.to_owned(),
            image,
        })
    }

    pub(crate) fn is_container(&self) -> bool {
        matches!(self.back_end, BackEnd::Containers(_))
    }

    pub(crate) fn factory(&self) -> &dyn SandboxFactory {
        &*self.factory
    }

    /// Another factory for the same data folder, as another harness would have.
    pub(crate) fn another_factory(&self) -> Box<dyn SandboxFactory> {
        new_factory(&self.back_end, &self.home).unwrap()
    }

    pub(crate) fn spec(&self, network: Network, limits: Limits) -> BoxSpec {
        BoxSpec {
            image: self.image,
            limits,
            network,
        }
    }

    pub(crate) fn start(&self, network: Network, limits: Limits) -> Box<dyn Sandbox> {
        self.factory.start(&self.spec(network, limits)).unwrap()
    }

    /// A box without a network.
    pub(crate) fn quiet(&self) -> Box<dyn Sandbox> {
        self.start(Network::Off, Limits::default())
    }

    /// Starts a harness with a busy box, whose processes carry a mark.
    pub(crate) fn start_victim(&self, mark: &str) -> Child {
        let facts = serde_json::to_string(&(&self.back_end, &self.home, self.image, mark)).unwrap();
        let mut child = Process::new(std::env::current_exe().unwrap())
            .env(VICTIM, facts)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            if line == "busy" {
                return child;
            }
        }
        drop(child.wait());
        panic!("the victim ended early");
    }

    /// What this data folder has in the daemon: containers and images of boxes.
    pub(crate) fn left_in_daemon(&self, mark: &str) -> Vec<String> {
        let BackEnd::Containers(socket) = &self.back_end else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for list in ["containers/json?all=true", "images/json?all=false"] {
            let mut stream = std::os::unix::net::UnixStream::connect(socket).unwrap();
            write!(stream, "GET /{list} HTTP/1.0\r\nHost: daemon\r\n\r\n").unwrap();
            let text = std::io::read_to_string(stream).unwrap();
            // One line has it all; what is of interest is whether a name occurs.
            if text.contains(mark) {
                found.push(format!("{list}: {text}"));
            }
        }
        found
    }
}

/// Ends the promise: nobody can know whether it is kept.
pub(crate) fn skip(why: impl Into<String>) -> ! {
    std::panic::resume_unwind(Box::new(Skip(why.into())))
}

/// What a back end has, or an end of the promise when it says that it has not.
pub(crate) fn supported<T>(result: Result<T, SandboxError>) -> T {
    match result {
        Ok(value) => value,
        Err(error @ SandboxError::Unsupported(_)) => skip(error.to_string()),
        Err(error) => panic!("{error}"),
    }
}

fn new_factory(back_end: &BackEnd, home: &Path) -> Result<Box<dyn SandboxFactory>, SandboxError> {
    let home = Home::open(home).unwrap();
    Ok(match back_end {
        BackEnd::Native => Box::new(NativeFactory::new(&home, helper())?),
        BackEnd::Containers(socket) => Box::new(DockerFactory::new(&home, helper(), socket)?),
    })
}

pub(crate) fn is_victim() -> bool {
    std::env::var_os(VICTIM).is_some()
}

/// The harness that another one kills. It tells when its box is busy.
pub(crate) fn victim() {
    let facts = std::env::var(VICTIM).unwrap();
    let (back_end, home, image, mark): (BackEnd, PathBuf, Digest, String) = serde_json::from_str(&facts).unwrap();
    let bench = Bench::new(back_end, &home, image).unwrap();
    let mut sandbox = bench.quiet();
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

/// Tells the parent process what the command says.
struct Tell;

impl OutputSink for Tell {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        std::io::stdout().write_all(bytes).unwrap();
    }
}

/// Both streams of a command, apart.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

impl OutputSink for Output {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.out.extend_from_slice(bytes),
            Stream::Err => self.err.extend_from_slice(bytes),
        }
    }
}

impl Output {
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

/// Runs a command and keeps its streams apart.
pub(crate) fn run(sandbox: &mut dyn Sandbox, command: &Command) -> (Execution, Output) {
    let mut output = Output::default();
    let execution = sandbox.exec(command, &mut output).unwrap();
    (execution, output)
}

/// Runs a script that must succeed and returns what it printed.
pub(crate) fn script(sandbox: &mut dyn Sandbox, text: &str) -> String {
    let (execution, output) = run(sandbox, &Command::bash(text));
    assert!(
        execution.succeeded(),
        "`{text}`: {:?}\n{}{}",
        execution.status,
        output.out(),
        output.err()
    );
    output.out()
}

/// Waits for something that the kernel or a daemon does in its own time; how long is no part of the promise.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1500 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("never came true: {what}");
}

/// Processes on this machine whose command line holds a word, with those of boxes among them.
pub(crate) fn processes_with(word: &str) -> Vec<String> {
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
