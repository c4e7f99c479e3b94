//! Messages between harness and supervisor: a length, a JSON body, and descriptors beside the length.

use std::{
    collections::BTreeMap,
    io::{self, IoSlice, IoSliceMut, Read, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
        unix::net::UnixStream,
    },
};

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::cgroups::GroupView;

/// What the harness asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The id maps are written; go on.
    Mapped,
    /// Enter the namespaces of a box, whichever it is going to be. Descriptor: the data folder.
    Settle,
    /// Become a box. Descriptor: the data folder.
    Start(StartRequest),
    /// Unpack an image, or one more layer of it. Descriptors: the folder to unpack into, a pipe with the tar stream.
    Unpack(UnpackRequest),
    /// Run a program of the host as root of the namespace. Descriptors: the folder that it may write to, its standard
    /// output and standard error.
    Tool(ToolRequest),
    /// Pack an image. Descriptors: the folder to pack, a pipe for the tar stream.
    Pack,
    /// Remove a tree. Descriptor: the folder that holds it.
    Remove(String),
    /// Run a command. Descriptors: its standard output and standard error.
    Exec(ExecRequest),
    /// End the running command.
    Kill,
    /// Tell how many bytes the box has written. Answered also while a command runs.
    Usage,
    /// Do something with files. Descriptor: a pipe for its bytes, in the direction that the work implies.
    Files(FileRequest),
    /// Freeze the present state.
    Snapshot,
    /// Go back to a state; some layers must stay, because forks stand on them.
    Rollback(u32, Vec<String>),
    /// Name the layers below a state, lowest first.
    Below(u32),
    /// Start a shell that stays. Descriptors: its standard input, output and error, its reports, and the leash.
    OpenSession(ExecRequest),
    /// End a session and all its processes.
    EndSession(u32),
}

/// How a box is made. Paths are relative to the data folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StartRequest {
    pub(crate) hostname: String,
    /// Ports on which a door listens, where there is one. The answer carries its sockets: one for each port, then the
    /// resolver's two.
    pub(crate) door: Option<Vec<u16>>,
    pub(crate) layers: String,
    /// Folders of layers of other boxes.
    pub(crate) others: Vec<String>,
    /// The layers of other boxes that this one stands on, lowest first, as paths from its own folder of layers.
    pub(crate) inherited: Vec<String>,
    pub(crate) image: String,
    pub(crate) host: Option<String>,
    /// The box's control groups, in which the supervisor is.
    pub(crate) groups: Vec<GroupView>,
    /// Bytes of `/dev/shm`.
    pub(crate) shared_bytes: u64,
    /// Processes at one time, where no group bounds them.
    pub(crate) processes: Option<u64>,
    /// Lines that make the kernel run programs of other architectures.
    pub(crate) foreign: Vec<String>,
}

/// How a tar stream becomes a root file system.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct UnpackRequest {
    /// Whether it is a layer: names that begin with `.wh.` take away what lower layers have.
    pub(crate) layer: bool,
    /// Bytes of all its files together.
    pub(crate) most_bytes: u64,
    /// Its entries.
    pub(crate) most_entries: u64,
}

/// A program of the host that works on images.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ToolRequest {
    pub(crate) argv: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    /// Lines that make the kernel run programs of other architectures.
    pub(crate) foreign: Vec<String>,
    /// Where it finds the folder that it may write to.
    pub(crate) place: String,
}

/// A command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ExecRequest {
    pub(crate) argv: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) folder: String,
    pub(crate) processes: u64,
    pub(crate) open_files: u64,
    pub(crate) file_bytes: u64,
}

/// Work on files, done inside the box's root.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FileRequest {
    /// Unpack a tar stream read from the pipe below a folder.
    WriteTree { folder: String },
    /// Pack a file or folder into the pipe.
    ReadTree { path: String },
    /// Pack the whole tree into the pipe with its owners, as an image.
    Export,
    /// Write the pipe's bytes to a file.
    WriteFile { path: String, mode: u32 },
    /// Write a file's size (8 bytes, little endian) and at most `limit` bytes of it into the pipe.
    ReadFile { path: String, limit: u64 },
    /// Write what changed since a snapshot into the pipe, one JSON line each.
    Changes { since: u32 },
}

/// What the supervisor answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The helper is in its user namespace and waits for its id maps.
    Unshared,
    /// Done.
    Done,
    /// A snapshot was made.
    Snapshot(u32),
    /// The command ended.
    Ended(Ended),
    /// Bytes written by the box.
    Usage(u64),
    /// Names of layers.
    Layers(Vec<String>),
    /// A session's first process is there; the leash tells how it goes on.
    Session(u32),
    /// It could not be done.
    Failed { what: String, errno: i32, missing: bool },
}

/// What the harness asks of a session's first process, over its leash.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Pull {
    /// A script begins: what there is now is not its doing.
    Begin,
    /// Tell what the script has cost so far.
    Measure,
    /// End the shell and whatever the script has started.
    Interrupt,
    /// Start another shell in place of one that ended. Descriptors: as for [`Request::OpenSession`], without the leash.
    Restart(ExecRequest),
}

/// What a session's first process tells.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Bark {
    /// The shell runs.
    Started,
    /// It cannot be started.
    Failed { what: String, errno: i32 },
    /// The shell ended; the costs are those of the whole session so far, processes that still run aside.
    Ended(Ended),
    /// The costs of the whole session so far, and the largest process since the script began.
    Costs(Ended),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// Exit code, when it exited.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Processor time in microseconds.
    pub(crate) cpu_us: u64,
    /// Peak resident memory in KiB.
    pub(crate) peak_kib: u64,
    /// Bytes that its processes wrote to files, as the kernel has counted them.
    pub(crate) written: u64,
}

impl Ended {
    /// Ended from outside, so that nobody could report.
    pub(crate) fn killed() -> Self {
        Self {
            signal: Some(libc::SIGKILL),
            ..Self::default()
        }
    }
}

/// One end of the socket.
#[derive(Debug)]
pub(crate) struct Channel {
    stream: UnixStream,
}

/// Descriptors that one message can carry.
pub(crate) const MOST_DESCRIPTORS: usize = 64;

/// A message is refused above this size; nothing of ours comes near.
const LARGEST: u64 = 256 << 20;

impl Channel {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { stream }
    }

    pub(crate) fn send(&mut self, message: &impl Serialize, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let body = serde_json::to_vec(message).map_err(io::Error::other)?;
        let head = (body.len() as u64).to_le_bytes();
        let raw: Vec<_> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
        let control = [ControlMessage::ScmRights(&raw)];
        let control: &[_] = if raw.is_empty() { &[] } else { &control };
        sendmsg::<()>(
            self.stream.as_raw_fd(),
            &[IoSlice::new(&head)],
            control,
            MsgFlags::MSG_NOSIGNAL,
            None,
        )?;
        self.stream.write_all(&body)
    }

    /// Receives a message; `None` when the other side is gone.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
        let mut head = [0_u8; 8];
        let mut space = nix::cmsg_space!([std::os::fd::RawFd; MOST_DESCRIPTORS]);
        let mut descriptors = Vec::new();
        let count = {
            let mut parts = [IoSliceMut::new(&mut head)];
            let message = loop {
                let flags = MsgFlags::MSG_CMSG_CLOEXEC;
                match recvmsg::<()>(self.stream.as_raw_fd(), &mut parts, Some(&mut space), flags) {
                    Err(nix::errno::Errno::EINTR) => {}
                    other => break other?,
                }
            };
            for control in message.cmsgs()? {
                if let ControlMessageOwned::ScmRights(raw) = control {
                    // SAFETY: the kernel has just made these descriptors for this process and nothing else knows them.
                    descriptors.extend(raw.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
                }
            }
            message.bytes
        };
        if count == 0 {
            return Ok(None);
        }
        if let Some(rest) = head.get_mut(count..) {
            self.stream.read_exact(rest)?;
        }
        let length = u64::from_le_bytes(head);
        if length > LARGEST {
            return Err(io::Error::other("a message of impossible length"));
        }
        let mut body = vec![0; length as usize];
        self.stream.read_exact(&mut body)?;
        let message = serde_json::from_slice(&body).map_err(io::Error::other)?;
        Ok(Some((message, descriptors)))
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
