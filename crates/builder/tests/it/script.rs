//! A box that answers commands from a script, and what the tests share.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_builder::{BuildReport, BuildRequest, BuilderError, Policy, Watcher};
use seatrial_core::{CommandRecord, Digest, Platform};
use seatrial_packages::{Candidate, Key, Resolver};
use seatrial_sandbox::{
    Change, ChangeKind, Command, Execution, FileContent, OutputSink, Sandbox, SandboxError, Snapshot, Status, Stream,
};

/// What a command in a scripted box is answered with.
pub(crate) struct Answer {
    /// The command contains this.
    pub(crate) when: &'static str,
    /// It is only given when these packages are installed.
    pub(crate) needs: &'static [&'static str],
    pub(crate) code: i32,
    pub(crate) output: &'static str,
    /// Programs that it makes.
    pub(crate) makes: &'static [&'static str],
}

impl Answer {
    pub(crate) const fn ok(when: &'static str, makes: &'static [&'static str]) -> Self {
        Self {
            when,
            needs: &[],
            code: 0,
            output: "",
            makes,
        }
    }

    pub(crate) const fn fails(when: &'static str, output: &'static str) -> Self {
        Self {
            when,
            needs: &[],
            code: 2,
            output,
            makes: &[],
        }
    }

    pub(crate) const fn with(mut self, needs: &'static [&'static str]) -> Self {
        self.needs = needs;
        self
    }
}

/// The first answer that fits is given; a command that none fits succeeds in silence.
pub(crate) struct Scripted {
    answers: Vec<Answer>,
    state: State,
    frozen: Vec<State>,
}

#[derive(Clone, Default)]
struct State {
    packages: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Scripted {
    pub(crate) fn new(answers: Vec<Answer>) -> Self {
        Self {
            answers,
            state: State::default(),
            frozen: Vec::new(),
        }
    }
}

/// The head of a program of this machine's kind.
fn program() -> Vec<u8> {
    let mut head = vec![0_u8; 64];
    head[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    head[16] = 2;
    head[18] = 62;
    head[24] = 1;
    head
}

impl Sandbox for Scripted {
    fn exec(&mut self, command: &Command, output: &mut dyn OutputSink) -> Result<Execution, SandboxError> {
        let script = command.argv.last().unwrap();
        let installed = |needs: &[&str]| {
            needs
                .iter()
                .all(|need| self.state.packages.iter().any(|package| package == need))
        };
        let answer = self
            .answers
            .iter()
            .find(|answer| script.contains(answer.when) && installed(answer.needs));
        let code = answer.map_or(0, |answer| answer.code);
        if let Some(answer) = answer {
            output.bytes(Stream::Err, answer.output.as_bytes());
            for name in answer.makes {
                self.state.files.insert(format!("/build/source/{name}"), program());
            }
        }
        if code == 0
            && let Some((_, rest)) = script.split_once("--no-install-recommends ")
        {
            let names = rest.split("||").next().unwrap();
            self.state.packages.extend(names.split_whitespace().map(str::to_owned));
        }
        Ok(Execution {
            status: Status::Exited(code),
            wall: Duration::from_millis(1),
            cpu: Duration::ZERO,
            peak_kib: 0,
            truncated_bytes: 0,
            memory_kills: 0,
        })
    }

    fn write_tree(&mut self, _: &str, _: &mut dyn Read) -> Result<(), SandboxError> {
        Ok(())
    }

    fn read_tree(&mut self, _: &str, _: &mut dyn Write) -> Result<(), SandboxError> {
        Ok(())
    }

    fn write_file(&mut self, _: &str, _: &[u8], _: u32) -> Result<(), SandboxError> {
        Ok(())
    }

    fn read_file(&mut self, path: &str, _: u64) -> Result<FileContent, SandboxError> {
        Err(SandboxError::NoSuchFile(path.to_owned()))
    }

    fn snapshot(&mut self) -> Result<Snapshot, SandboxError> {
        self.frozen.push(self.state.clone());
        Ok(Snapshot(self.frozen.len() as u32 - 1))
    }

    fn rollback(&mut self, snapshot: &Snapshot) -> Result<(), SandboxError> {
        self.frozen.truncate(snapshot.0 as usize + 1);
        self.state = self.frozen.last().unwrap().clone();
        Ok(())
    }

    fn changes(&mut self, since: &Snapshot) -> Result<Vec<Change>, SandboxError> {
        let before = &self.frozen[since.0 as usize].files;
        Ok(self
            .state
            .files
            .iter()
            .filter(|(path, _)| !before.contains_key(*path))
            .map(|(path, head)| {
                let kind = ChangeKind::File {
                    size: 64,
                    mode: 0o755,
                    digest: Digest::of(head),
                    head: head.clone(),
                };
                Change::new(path, kind)
            })
            .collect())
    }

    fn image(&self) -> Digest {
        Digest::of(b"scripted")
    }

    fn stopper(&self) -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(false))
    }
}

/// Knows a few names.
pub(crate) struct Names(pub(crate) &'static [(&'static str, &'static [&'static str])]);

impl Resolver for Names {
    fn resolve(&self, key: &Key) -> Vec<Candidate> {
        let wanted = key.to_string();
        let packages = self
            .0
            .iter()
            .find(|(name, _)| *name == wanted)
            .map_or(&[][..], |(_, packages)| packages);
        packages
            .iter()
            .zip(1_u8..)
            .map(|(package, place)| Candidate {
                package: (*package).to_owned(),
                because: "the test says so".to_owned(),
                score: 1.0 / f64::from(place),
            })
            .collect()
    }
}

/// Keeps what the builder decided.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) decisions: Vec<String>,
    pub(crate) commands: Vec<CommandRecord>,
}

impl Watcher for Notes {
    fn phase(&mut self, _: &str) {}

    fn decision(&mut self, what: &str, _: &str) {
        self.decisions.push(what.to_owned());
    }

    fn command(&mut self, record: CommandRecord) {
        self.commands.push(record);
    }

    fn output(&mut self, _: &[u8]) {}
}

/// Lays a tree of files with contents.
pub(crate) fn lay(folder: &Path, files: &[(&str, &str)]) {
    use std::os::unix::fs::PermissionsExt as _;
    for (path, content) in files {
        let (path, executable) = path.strip_prefix('*').map_or((*path, false), |path| (path, true));
        let full = folder.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(&full, content).unwrap();
        if executable {
            std::fs::set_permissions(&full, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// Builds a laid tree in a box.
pub(crate) fn build(
    tree: &Path,
    sandbox: &mut dyn Sandbox,
    resolver: &dyn Resolver,
    notes: &mut Notes,
) -> Result<BuildReport, BuilderError> {
    build_under(Policy::default(), tree, sandbox, resolver, notes)
}

/// The same under a policy.
pub(crate) fn build_under(
    policy: Policy,
    tree: &Path,
    sandbox: &mut dyn Sandbox,
    resolver: &dyn Resolver,
    notes: &mut Notes,
) -> Result<BuildReport, BuilderError> {
    let data = tempfile::tempdir().unwrap();
    let home = seatrial_store::Home::open(data.path()).unwrap();
    let request = BuildRequest {
        tree,
        title: "test".to_owned(),
        platform: Platform::default_host(),
        base_packages: Vec::new(),
        command_timeout: Some(Duration::from_mins(5)),
        deadline: None,
        policy,
    };
    seatrial_builder::build(&request, sandbox, resolver, &home.blobs(), notes)
}
