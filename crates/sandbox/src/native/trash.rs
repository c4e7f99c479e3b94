//! Starting helpers, and deleting what dead boxes left: in their own id map, and not while somebody waits.

use std::{
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread::JoinHandle,
    time::Duration,
};

use rustix::fs::{Mode, OFlags};

use super::{
    cgroups,
    idmap::IdMap,
    removal,
    supervisor::HELPER,
    wire::{Channel, Reply, Request, UnpackRequest},
};
use crate::SandboxError;

/// A helper process in its user namespace, ready for its first request.
#[derive(Debug)]
pub(crate) struct Helper {
    pub(crate) child: Child,
    pub(crate) channel: Channel,
}

impl Helper {
    /// Starts a helper and gives it its ids.
    pub(crate) fn start(program: &Path, ids: &IdMap) -> Result<Self, SandboxError> {
        let failed = |what: &str, source| SandboxError::Io {
            what: what.to_owned(),
            source,
        };
        let (ours, theirs) = UnixStream::pair().map_err(|error| failed("a socket", error))?;
        let child = Command::new(program)
            .arg(HELPER)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Keys pressed on the terminal are for the harness, which ends boxes in an orderly way.
            .process_group(0)
            .spawn()
            .map_err(|error| failed(&format!("starting {}", program.display()), error))?;
        let mut helper = Self {
            child,
            channel: Channel::new(ours),
        };
        match helper.receive()? {
            Reply::Unshared => {}
            reply => return Err(helper.refused("a user namespace", reply)),
        }
        ids.apply(helper.child.id())?;
        helper.send(&Request::Mapped, &[])?;
        Ok(helper)
    }

    /// Whether it has not ended by itself.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub(crate) fn send(&mut self, request: &Request, descriptors: &[BorrowedFd<'_>]) -> Result<(), SandboxError> {
        self.channel
            .send(request, descriptors)
            .map_err(|error| SandboxError::Died(error.to_string()))
    }

    pub(crate) fn receive(&mut self) -> Result<Reply, SandboxError> {
        self.receive_all().map(|(reply, _)| reply)
    }

    /// Receives an answer and the descriptors that came with it.
    pub(crate) fn receive_all(&mut self) -> Result<(Reply, Vec<OwnedFd>), SandboxError> {
        match self.channel.receive::<Reply>() {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(SandboxError::Died("its supervisor ended".to_owned())),
            Err(error) => Err(SandboxError::Died(error.to_string())),
        }
    }

    /// Receives the answer of work that answers with nothing but success.
    pub(crate) fn done(&mut self, what: &str) -> Result<(), SandboxError> {
        match self.receive()? {
            Reply::Done => Ok(()),
            reply => Err(self.refused(what, reply)),
        }
    }

    /// The error for a reply that is not the hoped-for one.
    #[expect(clippy::unused_self, reason = "reads as what the helper said")]
    pub(crate) fn refused(&self, what: &str, reply: Reply) -> SandboxError {
        match reply {
            Reply::Failed {
                what: problem,
                missing: true,
                ..
            } => SandboxError::NoSuchFile(problem),
            // Nothing that the kernel refused: what was to be worked on is not as it should be.
            Reply::Failed {
                what: problem,
                errno: 0,
                ..
            } => SandboxError::Io {
                what: what.to_owned(),
                source: io::Error::other(problem),
            },
            Reply::Failed {
                what: problem, errno, ..
            } => SandboxError::Kernel {
                what: problem,
                source: io::Error::from_raw_os_error(errno),
                hint: "run `seatrial doctor` to see what this machine lacks".to_owned(),
            },
            other => SandboxError::Died(format!("{what}: an answer out of order: {other:?}")),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The kernel ends everything below the supervisor with it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Asks a fresh helper to unpack an image that comes through a pipe into a folder.
pub(crate) fn send_unpack(
    helper: &mut Helper,
    request: UnpackRequest,
    folder: BorrowedFd<'_>,
    pipe: BorrowedFd<'_>,
) -> Result<(), SandboxError> {
    helper.send(&Request::Unpack(request), &[folder, pipe])
}

/// Asks a fresh helper to pack an image in a folder into a pipe.
pub(crate) fn send_pack(helper: &mut Helper, folder: BorrowedFd<'_>, pipe: BorrowedFd<'_>) -> Result<(), SandboxError> {
    helper.send(&Request::Pack, &[folder, pipe])
}

/// Opens a folder only to name it to a helper.
pub(crate) fn open_folder(path: &Path) -> Result<OwnedFd, SandboxError> {
    rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).map_err(|error| {
        SandboxError::Io {
            what: path.display().to_string(),
            source: error.into(),
        }
    })
}

/// Removes a tree that belongs to the ids of boxes.
pub(crate) fn remove_tree(program: &Path, ids: &IdMap, path: &Path) -> Result<(), SandboxError> {
    if ids.privileged {
        return removal::remove(path).map_err(|source| SandboxError::Io {
            what: format!("removing {}", path.display()),
            source,
        });
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(());
    };
    let folder = open_folder(folder)?;
    let mut helper = Helper::start(program, ids)?;
    helper.send(&Request::Remove(name.to_owned()), &[folder.as_fd()])?;
    helper.done("removing a box")
}

/// What the trash is given.
enum Rubbish {
    /// What a dead box left.
    Box { path: PathBuf, groups: Vec<PathBuf> },
    /// Control groups of a dead harness.
    Groups(Vec<PathBuf>),
    /// Tells when everything before it is gone.
    Marker(mpsc::Sender<()>),
}

/// Deletes in the background; waits for what it was given when its last owner, a factory or a box, lets go of it.
#[derive(Debug)]
pub(crate) struct Trash {
    queue: Option<mpsc::Sender<Rubbish>>,
    thread: Option<JoinHandle<()>>,
}

impl Trash {
    pub(crate) fn new(program: PathBuf, ids: IdMap) -> Self {
        let (queue, rubbish) = mpsc::channel::<Rubbish>();
        let thread = std::thread::spawn(move || {
            for each in rubbish {
                let (path, groups) = match each {
                    Rubbish::Box { path, groups } => (Some(path), groups),
                    Rubbish::Groups(groups) => (None, groups),
                    Rubbish::Marker(tell) => {
                        // Nobody may be listening any more.
                        let _ = tell.send(());
                        continue;
                    }
                };
                // The last processes of a killed box may still be on their way out and write. What cannot be removed now
                // is found by the next sweep.
                for pause in [0, 10, 100, 1000] {
                    std::thread::sleep(Duration::from_millis(pause));
                    let gone = match &path {
                        None => cgroups::remove(&groups).is_ok(),
                        Some(path) => {
                            let ungrouped = cgroups::remove(&groups).and_then(|()| cgroups::remove_listed(path));
                            ungrouped.is_ok() && remove_tree(&program, &ids, path).is_ok()
                        }
                    };
                    if gone {
                        break;
                    }
                }
            }
        });
        Self {
            queue: Some(queue),
            thread: Some(thread),
        }
    }

    /// Takes a box's folder to be deleted, with the control groups that it tells of. Those that the caller knows are
    /// named, in case a sweep of somebody else's takes the folder first.
    pub(crate) fn discard(&self, path: PathBuf, groups: Vec<PathBuf>) {
        if let Some(queue) = &self.queue {
            // The thread lives as long as the queue.
            drop(queue.send(Rubbish::Box { path, groups }));
        }
    }

    /// Takes control groups to be removed once the last of their processes have ended.
    pub(crate) fn discard_groups(&self, groups: Vec<PathBuf>) {
        if let Some(queue) = self.queue.as_ref().filter(|_| !groups.is_empty()) {
            drop(queue.send(Rubbish::Groups(groups)));
        }
    }

    /// Waits until everything that it was given so far is gone, or cannot be removed.
    pub(crate) fn settle(&self) {
        let (tell, told) = mpsc::channel();
        if let Some(queue) = &self.queue
            && queue.send(Rubbish::Marker(tell)).is_ok()
        {
            // An error means that the thread has ended, and then there is nothing to wait for.
            let _ = told.recv();
        }
    }
}

impl Drop for Trash {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
