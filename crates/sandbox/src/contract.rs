//! What every back end promises.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use seatrial_core::{Arch, CommandRecord, Digest};
use serde::{Deserialize, Serialize};

use crate::{Door, SandboxError, Session, SessionCommand, SessionExecution, SessionSpec};

/// One isolated machine.
///
/// Paths are absolute paths inside the box and are resolved inside it, so no link can lead out. Dropping a box kills
/// everything in it and leaves no process, mount or folder behind; so does the death of the harness.
pub trait Sandbox: Send {
    /// Runs one command to its end and returns how it went. A command that fails is a result, not an error.
    ///
    /// Processes that the command leaves behind are killed when its main process ends.
    fn exec(&mut self, command: &Command, output: &mut dyn OutputSink) -> Result<Execution, SandboxError>;

    /// Unpacks an uncompressed tar stream below a folder, which is made where it is missing. Owners become the box's root.
    fn write_tree(&mut self, folder: &str, tar: &mut dyn Read) -> Result<(), SandboxError>;

    /// Packs a file or folder as an uncompressed tar stream with entries relative to it.
    fn read_tree(&mut self, path: &str, tar: &mut dyn Write) -> Result<(), SandboxError>;

    /// Packs the whole tree as the uncompressed archive of an image: with owners, without what is a running system's.
    fn export(&mut self, _tar: &mut dyn Write) -> Result<(), SandboxError> {
        Err(SandboxError::Unsupported("export"))
    }

    /// Writes one file, making its folder where it is missing.
    fn write_file(&mut self, path: &str, content: &[u8], mode: u32) -> Result<(), SandboxError>;

    /// Reads one regular file, at most `limit` bytes of it. `NoSuchFile` when it is not there.
    fn read_file(&mut self, path: &str, limit: u64) -> Result<FileContent, SandboxError>;

    /// Freezes the present state of the files, in time that does not grow with the tree.
    fn snapshot(&mut self) -> Result<Snapshot, SandboxError>;

    /// Goes back to a frozen state, in time that does not grow with the tree. Later snapshots are gone.
    fn rollback(&mut self, snapshot: &Snapshot) -> Result<(), SandboxError>;

    /// What was added, changed or deleted since a snapshot, sorted by path; time grows with what changed only.
    /// Folders that merely gained or lost entries are not listed. `/proc`, `/dev` and `/sys` are never part of it.
    fn changes(&mut self, since: &Snapshot) -> Result<Vec<Change>, SandboxError>;

    /// Another box that begins with the files of a snapshot of this one, in time that does not grow with the tree. The
    /// two share nothing from there on, and each may be dropped first.
    fn fork(&mut self, _snapshot: &Snapshot) -> Result<Box<dyn Sandbox>, SandboxError> {
        Err(SandboxError::Unsupported("fork"))
    }

    /// The same with another network: what was fetched through a door is there, and the door is not.
    fn fork_with(&mut self, _snapshot: &Snapshot, _network: &Network) -> Result<Box<dyn Sandbox>, SandboxError> {
        Err(SandboxError::Unsupported("fork"))
    }

    /// Opens a Bash that stays: working folder, variables, functions and background jobs go from one command to the next.
    fn open_session(&mut self, _spec: &SessionSpec) -> Result<Session, SandboxError> {
        Err(SandboxError::Unsupported("sessions"))
    }

    /// Runs one script in a session, to its end.
    fn run_in_session(
        &mut self,
        _session: Session,
        _command: &SessionCommand,
        _output: &mut dyn OutputSink,
    ) -> Result<SessionExecution, SandboxError> {
        Err(SandboxError::Unsupported("sessions"))
    }

    /// Ends a session and every process of it.
    fn close_session(&mut self, _session: Session) -> Result<(), SandboxError> {
        Err(SandboxError::Unsupported("sessions"))
    }

    /// Bytes that it has written and that are still there, where this back end can tell.
    fn disk_used(&mut self) -> Result<Option<u64>, SandboxError> {
        Ok(None)
    }

    /// The digest of the image it was made from.
    fn image(&self) -> Digest;

    /// A handle that, when set to true from any thread, ends the running command and makes later ones fail with
    /// `Interrupted`.
    fn stopper(&self) -> Arc<AtomicBool>;
}

/// Makes boxes.
pub trait SandboxFactory: Send + Sync {
    /// Starts a box.
    fn start(&self, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError>;

    /// Starts a box that, besides programs of its image's architecture, runs those of others: what a cross compiler makes
    /// can be tried where it was made.
    fn start_for(&self, spec: &BoxSpec, also: &[Arch]) -> Result<Box<dyn Sandbox>, SandboxError> {
        if also.is_empty() {
            self.start(spec)
        } else {
            Err(SandboxError::Unsupported("programs of other architectures"))
        }
    }

    /// Waits until nothing is left on the disk of boxes that were dropped, and nothing is being prepared for new ones.
    fn settle(&self) {}

    /// Which of a box's limits this back end can enforce on this machine, and how.
    fn enforcement(&self) -> Vec<Enforcement> {
        Vec::new()
    }
}

/// How one kind of limit is kept on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforcement {
    /// The limit: `memory`, `cpu`, `processes`, `disk`, `output`, `open files`, `file size`.
    pub limit: &'static str,
    /// Whether it is kept.
    pub enforced: bool,
    /// By what it is kept, or why it is not and what would help.
    pub how: String,
}

/// What a box is made from and what bounds it.
#[derive(Debug, Clone)]
pub struct BoxSpec {
    /// The image's digest.
    pub image: Digest,
    /// Its bounds.
    pub limits: Limits,
    /// Its network.
    pub network: Network,
}

/// A box's network.
#[derive(Debug, Clone)]
pub enum Network {
    /// None at all, not even to this machine.
    Off,
    /// One door, which looks at every request.
    Door(Arc<dyn Door>),
}

/// Bounds of a box.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Processes and threads at one time.
    pub processes: u64,
    /// Bytes that the box may write in all.
    pub disk_bytes: u64,
    /// Bytes that must stay free on the host's file system: below it the box is stopped and the host is to blame.
    pub host_reserve_bytes: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of memory of all its processes together, files in memory included. `None` leaves the host's bound only.
    pub memory_bytes: Option<u64>,
    /// Processor time it may use, in thousandths of one processor. `None` does not bound it.
    pub cpu_millis: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 4096,
            disk_bytes: 16 << 30,
            host_reserve_bytes: 1 << 30,
            open_files: 65_536,
            file_bytes: 8 << 30,
            memory_bytes: None,
            cpu_millis: None,
        }
    }
}

/// A command to run in a box.
#[derive(Debug, Clone)]
pub struct Command {
    /// Program and arguments; the program is looked up in the box's `PATH`.
    pub argv: Vec<String>,
    /// Variables on top of the box's own small environment. Nothing of the harness's environment leaks in.
    pub env: BTreeMap<String, String>,
    /// Working folder, made where it is missing.
    pub folder: String,
    /// Wall-clock limit.
    pub timeout: Option<Duration>,
    /// Limit of the time without any output.
    pub idle_timeout: Option<Duration>,
    /// Bytes of standard output and standard error, each, that reach the sink; what is over is counted and dropped.
    pub output_limit: u64,
}

impl Command {
    /// A command line for Bash, in the root folder, without time limits.
    pub fn bash(script: impl Into<String>) -> Self {
        Self {
            argv: vec!["/bin/bash".to_owned(), "-c".to_owned(), script.into()],
            env: BTreeMap::new(),
            folder: "/".to_owned(),
            timeout: None,
            idle_timeout: None,
            output_limit: 64 << 20,
        }
    }

    /// The same in another folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<String>) -> Self {
        self.folder = folder.into();
        self
    }

    /// The same with a wall-clock limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same with one more variable.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }
}

/// Takes a command's output as it comes, in the order in which it comes. `Vec<u8>` takes both streams merged.
pub trait OutputSink {
    /// Takes some bytes of one stream.
    fn bytes(&mut self, stream: Stream, bytes: &[u8]);
}

impl OutputSink for Vec<u8> {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// An output stream of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// How a command went.
#[derive(Debug, Clone)]
pub struct Execution {
    /// How its main process ended.
    pub status: Status,
    /// Wall-clock time.
    pub wall: Duration,
    /// Processor time, user and system, of all its processes.
    pub cpu: Duration,
    /// Peak resident memory in KiB of its largest process.
    pub peak_kib: u64,
    /// Bytes of output dropped because of the limit.
    pub truncated_bytes: u64,
    /// Processes that were killed because the box had used up its memory.
    pub memory_kills: u64,
}

impl Execution {
    /// Whether it exited with 0.
    pub fn succeeded(&self) -> bool {
        self.status == Status::Exited(0)
    }

    /// What a journal keeps of it: what it was for, how a shell would read it, and where its output is kept.
    pub fn record(&self, purpose: &str, command: impl Into<String>, log: Option<Digest>) -> CommandRecord {
        CommandRecord {
            purpose: purpose.to_owned(),
            command: command.into(),
            code: self.status.code(),
            signal: self.status.signal(),
            timed_out: matches!(self.status, Status::TimedOut(_)),
            truncated_bytes: self.truncated_bytes,
            wall_ms: self.wall.as_millis() as u64,
            cpu_ms: self.cpu.as_millis() as u64,
            peak_kib: self.peak_kib,
            log,
        }
    }
}

/// How a command's main process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It exited with a code.
    Exited(i32),
    /// A signal ended it.
    Signaled(i32),
    /// A time limit ended it and everything that it had started.
    TimedOut(TimeoutKind),
    /// It wrote more than the box may write and was ended.
    DiskLimit,
}

impl Status {
    /// The exit code, when it exited.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Signaled(_) | Self::TimedOut(_) | Self::DiskLimit => None,
        }
    }

    /// The signal that ended it, when one did.
    pub fn signal(self) -> Option<i32> {
        match self {
            Self::Signaled(signal) => Some(signal),
            Self::Exited(_) | Self::TimedOut(_) | Self::DiskLimit => None,
        }
    }
}

/// Which time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutKind {
    /// Of the whole command.
    Wall,
    /// Of the time without output.
    Idle,
}

/// The start, at most, of a file.
#[derive(Debug, Clone)]
pub struct FileContent {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The whole file's size.
    pub size: u64,
}

/// Names a frozen state of one box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot(pub u32);

/// One difference to a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Absolute path in the box. Bytes that are no UTF-8 are replaced. Paths of more than 16 KiB are left out.
    pub path: String,
    /// The path's bytes, when they are no UTF-8.
    pub raw_path: Option<Vec<u8>>,
    /// What is there now.
    pub kind: ChangeKind,
    /// What was there at the snapshot.
    pub before: Before,
    /// The path, first of all in order, under which the very same file is listed too.
    pub same_file_as: Option<String>,
}

impl Change {
    /// Something that is new.
    pub fn new(path: impl Into<String>, kind: ChangeKind) -> Self {
        Self {
            path: path.into(),
            raw_path: None,
            kind,
            before: Before::Nothing,
            same_file_as: None,
        }
    }

    /// The path's bytes.
    pub fn path_bytes(&self) -> &[u8] {
        self.raw_path.as_deref().unwrap_or(self.path.as_bytes())
    }
}

/// What was there at the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Before {
    /// Nothing: it was added since.
    Nothing,
    /// A regular file.
    File {
        /// Size in bytes.
        size: u64,
        /// Permission bits.
        mode: u32,
        /// Whether its content is, byte for byte, that of the file which is there now.
        same_content: bool,
    },
    /// A symbolic link.
    Link {
        /// Its target as written.
        target: String,
    },
    /// A folder.
    Folder {
        /// Permission bits.
        mode: u32,
    },
    /// A device, socket or pipe.
    Special,
    /// This back end does not know, not even whether anything was there.
    Unknown,
}

/// What is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeKind {
    /// A regular file, new or written to.
    File {
        /// Size in bytes.
        size: u64,
        /// Permission bits.
        mode: u32,
        /// Digest of the whole content.
        digest: Digest,
        /// The first 64 bytes, fewer when the file is shorter: enough to tell its kind.
        head: Vec<u8>,
    },
    /// A symbolic link.
    Link {
        /// Its target as written.
        target: String,
    },
    /// A folder that is new or replaces something.
    Folder {
        /// Permission bits.
        mode: u32,
    },
    /// A device, socket or pipe; or a file with holes beyond all measure, which nobody can read to its end.
    Special,
    /// Nothing: it was deleted.
    Deleted,
}
