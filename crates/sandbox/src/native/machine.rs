//! A live box, as the harness sees it.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::event::PollFlags;
use seatrial_core::Digest;

use super::{
    cgroups::Groups,
    factory::{HostLayer, NativeFactory, io_error},
    fork::{Below, Held},
    meter::Meter,
    pipes::{Watched, wait},
    running::{Disk, Killed, Running},
    session::{Around, Shell},
    trash::Helper,
    wire::{Ended, ExecRequest, FileRequest, Reply, Request},
};
use crate::{
    BoxSpec, Change, Command, Execution, FileContent, Footing, Limits, Network, OpenDoor, OutputSink, Sandbox,
    SandboxError, Session, SessionCommand, SessionExecution, SessionSpec, Snapshot, Status, TimeoutKind,
    session::SHELL,
};

fn gone() -> SandboxError {
    SandboxError::Died("it was ended".to_owned())
}

fn no_session() -> SandboxError {
    SandboxError::Died("this box has no such session; open one first".to_owned())
}

/// What a box has besides its supervisor.
pub(crate) struct Furniture {
    /// Variables of every command.
    pub(crate) environment: BTreeMap<String, String>,
    /// The layer with the host's files stays as long as the box.
    #[expect(dead_code, reason = "held until the box is gone")]
    pub(crate) host: Option<HostLayer>,
    pub(crate) door: Option<Box<dyn OpenDoor>>,
    pub(crate) groups: Groups,
}

/// What a box was made from, so that a fork can be made from the same.
pub(super) struct Origin {
    pub(super) factory: NativeFactory,
    /// Its root file system, from the data folder.
    pub(super) image: String,
    pub(super) spec: BoxSpec,
    pub(super) footing: Footing,
}

/// A live box.
pub(crate) struct NativeBox {
    helper: Option<Helper>,
    origin: Origin,
    limits: Limits,
    held: Arc<Held>,
    below: Below,
    furniture: Furniture,
    stop: Arc<AtomicBool>,
    disk: Disk,
    sessions: BTreeMap<u32, Shell>,
    /// Sessions ever opened.
    opened: u32,
}

impl NativeBox {
    pub(super) fn new(helper: Helper, origin: Origin, held: Arc<Held>, below: Below, furniture: Furniture) -> Self {
        let limits = origin.spec.limits.clone();
        let disk = Disk::new(held.folder(), &limits);
        Self {
            helper: Some(helper),
            origin,
            limits,
            held,
            below,
            furniture,
            stop: Arc::default(),
            disk,
            sessions: BTreeMap::new(),
            opened: 0,
        }
    }

    fn request(&self, argv: Vec<String>, env: &BTreeMap<String, String>, folder: &str) -> ExecRequest {
        let mut all = self.furniture.environment.clone();
        all.extend(env.clone());
        ExecRequest {
            argv,
            env: all,
            folder: folder.to_owned(),
            processes: self.limits.processes,
            open_files: self.limits.open_files,
            file_bytes: self.limits.file_bytes,
        }
    }

    fn live(&mut self) -> Result<&mut Helper, SandboxError> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(SandboxError::Interrupted);
        }
        self.helper.as_mut().ok_or_else(gone)
    }

    /// Work on files whose bytes flow towards the box.
    fn send_files(
        &mut self,
        request: FileRequest,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SandboxError> {
        self.disk.check_host()?;
        let (read, pipe) = io::pipe().map_err(io_error("a pipe"))?;
        self.live()?.send(&Request::Files(request), &[read.as_fd()])?;
        drop(read);
        let stop = self.stopper();
        let pipe = Watched::new(pipe, &stop).map_err(io_error("a pipe"))?;
        let disk = &self.disk;
        let check = || disk.check_host().map_err(io::Error::other);
        let mut meter = Meter::new(pipe, disk.left(), &check);
        let result = write(&mut meter);
        let (is_over, written) = (meter.is_over, meter.written);
        drop(meter);
        let done = self.files_done("writing files");
        self.disk.add(written);
        if is_over {
            return Err(self.disk.is_used_up());
        }
        // What was torn off is not what is wrong.
        self.disk.check_host()?;
        done?;
        match result {
            // The box said that all is well, so it only stopped reading early.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return Err(SandboxError::Io {
                    what: "writing files into a box".to_owned(),
                    source: error,
                });
            }
            Ok(()) | Err(_) => {}
        }
        self.measure_if_suspect()
    }

    /// Many small files take more than their bytes. Measured only where the host's disk hints at it.
    fn measure_if_suspect(&mut self) -> Result<(), SandboxError> {
        if !self.disk.is_suspect()? {
            return Ok(());
        }
        let helper = self.live()?;
        helper.send(&Request::Usage, &[])?;
        match helper.receive()? {
            Reply::Usage(bytes) => self.disk.note(bytes)?,
            reply => return Err(helper.refused("measuring", reply)),
        }
        if self.disk.left() == 0 {
            return Err(self.disk.is_used_up());
        }
        Ok(())
    }

    /// Work on files whose bytes flow out of the box.
    fn fetch_files<T>(
        &mut self,
        request: FileRequest,
        read: impl FnOnce(&mut Watched<'_>) -> io::Result<T>,
    ) -> Result<T, SandboxError> {
        let (pipe, write) = io::pipe().map_err(io_error("a pipe"))?;
        self.live()?.send(&Request::Files(request), &[write.as_fd()])?;
        drop(write);
        let stop = self.stopper();
        let mut pipe = Watched::new(pipe, &stop).map_err(io_error("a pipe"))?;
        let value = read(&mut pipe);
        // Whatever the reader left is taken, so that the box can finish.
        drop(io::copy(&mut pipe, &mut io::sink()));
        self.files_done("reading files")?;
        value.map_err(io_error("reading files from a box"))
    }

    /// The end of work on files. Who is told to stop does not wait for it: the box is of no more use, so it is ended.
    fn files_done(&mut self, what: &str) -> Result<(), SandboxError> {
        let helper = self.helper.as_mut().ok_or_else(gone)?;
        let answered = wait(&helper.channel, PollFlags::IN, &self.stop);
        if self.stop.load(Ordering::SeqCst) {
            self.helper = None;
            return Err(SandboxError::Interrupted);
        }
        answered.map_err(io_error(what))?;
        helper.done(what)
    }
}

impl Sandbox for NativeBox {
    fn exec(&mut self, command: &Command, output: &mut dyn OutputSink) -> Result<Execution, SandboxError> {
        self.disk.check_host()?;
        let (out, out_write) = io::pipe().map_err(io_error("a pipe"))?;
        let (err, err_write) = io::pipe().map_err(io_error("a pipe"))?;
        let request = self.request(command.argv.clone(), &command.env, &command.folder);
        let began = Instant::now();
        let killed_before = self.furniture.groups.memory_kills();
        if self.stop.load(Ordering::SeqCst) {
            return Err(SandboxError::Interrupted);
        }
        let helper = self.helper.as_mut().ok_or_else(gone)?;
        helper.send(&Request::Exec(request), &[out_write.as_fd(), err_write.as_fd()])?;
        drop((out_write, err_write));
        let mut running = Running::new(command, began, [out.into(), err.into()]);
        let (ended, killed) = match running.attend(helper, &mut self.disk, &self.stop, output) {
            // Many small processes can outlive the supervisor when memory runs out; that is the command's doing.
            Err(SandboxError::Died(_)) if self.furniture.groups.memory_kills() > killed_before => {
                self.helper = None;
                (Ended::killed(), None)
            }
            other => other?,
        };
        let status = match killed {
            Some(Killed::Wall) => Status::TimedOut(TimeoutKind::Wall),
            Some(Killed::Idle) => Status::TimedOut(TimeoutKind::Idle),
            Some(Killed::Disk) => Status::DiskLimit,
            Some(Killed::Stopped) => return Err(SandboxError::Interrupted),
            Some(Killed::HostDisk { free }) => return Err(SandboxError::HostDiskFull { free_mib: free >> 20 }),
            None => match (ended.code, ended.signal) {
                (Some(code), _) => Status::Exited(code),
                (None, signal) => Status::Signaled(signal.unwrap_or(libc::SIGKILL)),
            },
        };
        Ok(Execution {
            status,
            wall: began.elapsed(),
            cpu: Duration::from_micros(ended.cpu_us),
            peak_kib: ended.peak_kib,
            truncated_bytes: running.truncated(),
            memory_kills: self.furniture.groups.memory_kills().saturating_sub(killed_before),
        })
    }

    fn write_tree(&mut self, folder: &str, tar: &mut dyn Read) -> Result<(), SandboxError> {
        self.send_files(
            FileRequest::WriteTree {
                folder: folder.to_owned(),
            },
            |pipe| io::copy(tar, pipe).map(drop),
        )
    }

    fn read_tree(&mut self, path: &str, tar: &mut dyn Write) -> Result<(), SandboxError> {
        self.fetch_files(FileRequest::ReadTree { path: path.to_owned() }, |pipe| {
            io::copy(pipe, tar).map(drop)
        })
    }

    fn export(&mut self, tar: &mut dyn Write) -> Result<(), SandboxError> {
        self.fetch_files(FileRequest::Export, |pipe| io::copy(pipe, tar).map(drop))
    }

    fn write_file(&mut self, path: &str, content: &[u8], mode: u32) -> Result<(), SandboxError> {
        self.send_files(
            FileRequest::WriteFile {
                path: path.to_owned(),
                mode,
            },
            |pipe| pipe.write_all(content),
        )
    }

    fn read_file(&mut self, path: &str, limit: u64) -> Result<FileContent, SandboxError> {
        let request = FileRequest::ReadFile {
            path: path.to_owned(),
            limit,
        };
        let bytes = self.fetch_files(request, |pipe| {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes)
        })?;
        let Some((size, content)) = bytes.split_first_chunk::<8>() else {
            return Err(SandboxError::NoSuchFile(path.to_owned()));
        };
        Ok(FileContent {
            bytes: content.to_vec(),
            size: u64::from_le_bytes(*size),
        })
    }

    fn snapshot(&mut self) -> Result<Snapshot, SandboxError> {
        let helper = self.live()?;
        helper.send(&Request::Snapshot, &[])?;
        match helper.receive()? {
            Reply::Snapshot(number) => Ok(Snapshot(number)),
            reply => Err(helper.refused("a snapshot", reply)),
        }
    }

    fn rollback(&mut self, snapshot: &Snapshot) -> Result<(), SandboxError> {
        let pinned = self.held.pinned();
        let helper = self.live()?;
        helper.send(&Request::Rollback(snapshot.0, pinned), &[])?;
        helper.done("a rollback")?;
        self.disk.forget();
        Ok(())
    }

    fn changes(&mut self, since: &Snapshot) -> Result<Vec<Change>, SandboxError> {
        let mut changes: Vec<Change> = self.fetch_files(FileRequest::Changes { since: since.0 }, |pipe| {
            let lines = serde_json::Deserializer::from_reader(io::BufReader::new(pipe)).into_iter::<Change>();
            lines.map(|line| line.map_err(io::Error::other)).collect()
        })?;
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    fn disk_used(&mut self) -> Result<Option<u64>, SandboxError> {
        let helper = self.live()?;
        helper.send(&Request::Usage, &[])?;
        match helper.receive()? {
            Reply::Usage(bytes) => Ok(Some(bytes)),
            reply => Err(helper.refused("measuring", reply)),
        }
    }

    fn fork(&mut self, snapshot: &Snapshot) -> Result<Box<dyn Sandbox>, SandboxError> {
        let network = self.origin.spec.network.clone();
        self.fork_with(snapshot, &network)
    }

    fn fork_with(&mut self, snapshot: &Snapshot, network: &Network) -> Result<Box<dyn Sandbox>, SandboxError> {
        self.disk.check_host()?;
        let helper = self.live()?;
        helper.send(&Request::Below(snapshot.0), &[])?;
        let layers = match helper.receive()? {
            Reply::Layers(layers) => layers,
            reply => return Err(helper.refused("a fork", reply)),
        };
        let below = self.below.of_fork(&self.held, &layers);
        let Origin {
            factory,
            image,
            spec,
            footing,
        } = &self.origin;
        let spec = BoxSpec {
            network: network.clone(),
            ..spec.clone()
        };
        factory.start_on(image.clone(), &spec, footing.clone(), below)
    }

    fn open_session(&mut self, spec: &SessionSpec) -> Result<Session, SandboxError> {
        self.disk.check_host()?;
        let argv = SHELL.map(str::to_owned).into();
        let request = self.request(argv, &spec.env, &spec.folder);
        self.live()?;
        let helper = self.helper.as_mut().ok_or_else(gone)?;
        let shell = Shell::open(
            request,
            &mut Around {
                helper,
                disk: &mut self.disk,
                stop: &self.stop,
            },
        )?;
        let number = self.opened;
        self.opened += 1;
        self.sessions.insert(number, shell);
        Ok(Session(number))
    }

    fn run_in_session(
        &mut self,
        session: Session,
        command: &SessionCommand,
        output: &mut dyn OutputSink,
    ) -> Result<SessionExecution, SandboxError> {
        self.disk.check_host()?;
        self.live()?;
        let helper = self.helper.as_mut().ok_or_else(gone)?;
        let shell = self.sessions.get_mut(&session.0).ok_or_else(no_session)?;
        let killed_before = self.furniture.groups.memory_kills();
        let mut around = Around {
            helper,
            disk: &mut self.disk,
            stop: &self.stop,
        };
        let mut ran = shell.run(command, &mut around, output)?;
        ran.execution.memory_kills = self.furniture.groups.memory_kills().saturating_sub(killed_before);
        Ok(ran)
    }

    fn close_session(&mut self, session: Session) -> Result<(), SandboxError> {
        let shell = self.sessions.remove(&session.0).ok_or_else(no_session)?;
        let Some(number) = shell.number() else { return Ok(()) };
        let helper = self.live()?;
        helper.send(&Request::EndSession(number), &[])?;
        helper.done("ending a session")
    }

    fn image(&self) -> Digest {
        self.origin.spec.image
    }

    fn stopper(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

impl Drop for NativeBox {
    fn drop(&mut self) {
        self.helper = None;
        self.furniture.door = None;
    }
}
