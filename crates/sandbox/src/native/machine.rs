//! A live box, as the harness sees it.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use seatrial_core::Digest;
use seatrial_store::Lease;

use super::{
    factory::io_error,
    trash::{Helper, Trash},
    walk::Line,
    wire::{Ended, ExecRequest, FileRequest, Reply, Request},
};
use crate::{
    BoxSpec, Change, Command, Execution, FileContent, Limits, OutputSink, Sandbox, SandboxError, Snapshot, Status,
    Stream, TimeoutKind,
};

/// How often limits and the stop switch are looked at while a command runs.
const BEAT: Duration = Duration::from_millis(25);
/// How often, at most, the box's disk usage is measured while a command runs.
const MEASURE: Duration = Duration::from_secs(2);

pub(crate) struct NativeBox {
    helper: Option<Helper>,
    image: Digest,
    limits: Limits,
    lease: Option<Lease>,
    folder: PathBuf,
    environment: BTreeMap<String, String>,
    stop: Arc<AtomicBool>,
    trash: Arc<Trash>,
    /// Free bytes of the host's file system when the box was made.
    free_at_start: u64,
}

impl NativeBox {
    pub(crate) fn new(
        helper: Helper,
        spec: &BoxSpec,
        lease: Lease,
        environment: BTreeMap<String, String>,
        trash: Arc<Trash>,
    ) -> Self {
        let folder = lease.folder().to_owned();
        let mut made = Self {
            helper: Some(helper),
            image: spec.image,
            limits: spec.limits.clone(),
            lease: Some(lease),
            folder,
            environment,
            stop: Arc::default(),
            trash,
            free_at_start: 0,
        };
        made.free_at_start = made.free().unwrap_or(0);
        made
    }

    /// Bytes that the host's file system has left for an ordinary user.
    fn free(&self) -> io::Result<u64> {
        let known = rustix::fs::statvfs(&self.folder)?;
        Ok(known.f_bavail * known.f_frsize)
    }

    fn live(&mut self) -> Result<&mut Helper, SandboxError> {
        if self.stop.load(Ordering::SeqCst) {
            return Err(SandboxError::Interrupted);
        }
        self.helper
            .as_mut()
            .ok_or_else(|| SandboxError::Died("it was ended".to_owned()))
    }

    /// Fails when the host's disk is nearly full.
    fn check_host(&self) -> Result<(), SandboxError> {
        let free = self.free().map_err(io_error("asking for free disk space"))?;
        if free < self.limits.host_reserve_bytes {
            Err(SandboxError::HostDiskFull { free_mib: free >> 20 })
        } else {
            Ok(())
        }
    }

    /// Work on files whose bytes flow towards the box.
    fn send_files(
        &mut self,
        request: FileRequest,
        write: impl FnOnce(&mut io::PipeWriter) -> io::Result<()>,
    ) -> Result<(), SandboxError> {
        self.check_host()?;
        let (read, mut pipe) = io::pipe().map_err(io_error("a pipe"))?;
        let helper = self.live()?;
        helper.send(&Request::Files(request), &[read.as_fd()])?;
        drop(read);
        let written = write(&mut pipe);
        drop(pipe);
        helper.done("writing files")?;
        match written {
            // The box said that all is well, so it only stopped reading early.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(SandboxError::Io {
                what: "writing files into a box".to_owned(),
                source: error,
            }),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Work on files whose bytes flow out of the box.
    fn fetch_files<T>(
        &mut self,
        request: FileRequest,
        read: impl FnOnce(&mut io::PipeReader) -> io::Result<T>,
    ) -> Result<T, SandboxError> {
        let (mut pipe, write) = io::pipe().map_err(io_error("a pipe"))?;
        let helper = self.live()?;
        helper.send(&Request::Files(request), &[write.as_fd()])?;
        drop(write);
        let value = read(&mut pipe);
        // Whatever the reader left is taken, so that the box can finish.
        drop(io::copy(&mut pipe, &mut io::sink()));
        helper.done("reading files")?;
        value.map_err(io_error("reading files from a box"))
    }
}

impl Sandbox for NativeBox {
    fn exec(&mut self, command: &Command, output: &mut dyn OutputSink) -> Result<Execution, SandboxError> {
        self.check_host()?;
        let (out, out_write) = io::pipe().map_err(io_error("a pipe"))?;
        let (err, err_write) = io::pipe().map_err(io_error("a pipe"))?;
        let mut env = self.environment.clone();
        env.extend(command.env.clone());
        let request = ExecRequest {
            argv: command.argv.clone(),
            env,
            folder: command.folder.clone(),
            processes: self.limits.processes,
            open_files: self.limits.open_files,
            file_bytes: self.limits.file_bytes,
        };
        let began = Instant::now();
        let helper = self.live()?;
        helper.send(&Request::Exec(request), &[out_write.as_fd(), err_write.as_fd()])?;
        drop((out_write, err_write));
        let mut streams = Streams {
            pipes: [Some(out.into()), Some(err.into())],
            left: [command.output_limit; 2],
            truncated: 0,
        };
        let (ended, killed) = self.attend(command, began, &mut streams, output)?;
        let status = match killed {
            Some(Killed::Wall) => Status::TimedOut(TimeoutKind::Wall),
            Some(Killed::Idle) => Status::TimedOut(TimeoutKind::Idle),
            Some(Killed::Disk) => Status::DiskLimit,
            Some(Killed::Stopped) => return Err(SandboxError::Interrupted),
            Some(Killed::HostDisk(free)) => return Err(SandboxError::HostDiskFull { free_mib: free >> 20 }),
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
            truncated_bytes: streams.truncated,
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
        let helper = self.live()?;
        helper.send(&Request::Rollback(snapshot.0), &[])?;
        helper.done("a rollback")
    }

    fn changes(&mut self, since: &Snapshot) -> Result<Vec<Change>, SandboxError> {
        self.fetch_files(FileRequest::Changes { since: since.0 }, |pipe| {
            let lines = serde_json::Deserializer::from_reader(io::BufReader::new(pipe)).into_iter::<Line>();
            lines
                .map(|line| line.map(Change::from).map_err(io::Error::other))
                .collect()
        })
    }

    fn image(&self) -> Digest {
        self.image
    }

    fn stopper(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

/// Why a command was killed.
#[derive(Clone, Copy)]
enum Killed {
    Wall,
    Idle,
    Disk,
    Stopped,
    HostDisk(u64),
}

/// A command's output.
struct Streams {
    pipes: [Option<OwnedFd>; 2],
    left: [u64; 2],
    truncated: u64,
}

impl NativeBox {
    /// Passes output on and watches limits until the command has ended and its output is read.
    fn attend(
        &mut self,
        command: &Command,
        began: Instant,
        streams: &mut Streams,
        output: &mut dyn OutputSink,
    ) -> Result<(Ended, Option<Killed>), SandboxError> {
        let mut killed = None;
        let mut ended = None;
        let mut last_output = began;
        let mut measured = began;
        let mut measuring = false;
        let mut buffer = vec![0; 64 << 10];
        // Every process of the command is gone when it has ended, so the pipes end too.
        while ended.is_none() || streams.pipes.iter().any(Option::is_some) {
            let helper = self
                .helper
                .as_mut()
                .ok_or_else(|| SandboxError::Died("it was ended".to_owned()))?;
            let ready =
                wait(streams, ended.is_none().then_some(&helper.channel)).map_err(io_error("waiting for output"))?;
            for (index, stream) in [Stream::Out, Stream::Err].into_iter().enumerate() {
                if ready.output.get(index) == Some(&true) && streams.pass(index, stream, &mut buffer, output) {
                    last_output = Instant::now();
                }
            }
            if ready.reply {
                match helper.receive()? {
                    Reply::Ended(how) => ended = Some(how),
                    Reply::Usage(bytes) => {
                        measuring = false;
                        if bytes > self.limits.disk_bytes {
                            killed = killed.or(Some(Killed::Disk));
                            helper.send(&Request::Kill, &[])?;
                        }
                    }
                    reply => return Err(helper.refused("running a command", reply)),
                }
                continue;
            }
            if killed.is_some() || ended.is_some() {
                continue;
            }
            let now = Instant::now();
            killed = if self.stop.load(Ordering::SeqCst) {
                Some(Killed::Stopped)
            } else if command.timeout.is_some_and(|limit| now.duration_since(began) >= limit) {
                Some(Killed::Wall)
            } else if command
                .idle_timeout
                .is_some_and(|limit| now.duration_since(last_output) >= limit)
            {
                Some(Killed::Idle)
            } else if now.duration_since(measured) >= MEASURE && !measuring {
                measured = now;
                let free = self.free().map_err(io_error("asking for free disk space"))?;
                // Measuring costs a walk over the layer; it is done only when enough has gone that it could matter.
                let gone = self.free_at_start.saturating_sub(free);
                if free < self.limits.host_reserve_bytes {
                    Some(Killed::HostDisk(free))
                } else {
                    if gone > self.limits.disk_bytes / 2 {
                        measuring = true;
                        if let Some(helper) = &mut self.helper {
                            helper.send(&Request::Usage, &[])?;
                        }
                    }
                    None
                }
            } else {
                None
            };
            if killed.is_some()
                && let Some(helper) = &mut self.helper
            {
                helper.send(&Request::Kill, &[])?;
            }
        }
        Ok((ended.unwrap_or_default(), killed))
    }
}

/// What can be read now.
struct Ready {
    output: [bool; 2],
    reply: bool,
}

fn wait(streams: &Streams, channel: Option<&super::wire::Channel>) -> io::Result<Ready> {
    let mut places = Vec::with_capacity(3);
    let mut waited = Vec::with_capacity(3);
    for (index, pipe) in streams.pipes.iter().enumerate() {
        if let Some(pipe) = pipe {
            places.push(index);
            waited.push(PollFd::new(pipe, PollFlags::IN));
        }
    }
    if let Some(channel) = channel {
        places.push(2);
        waited.push(PollFd::new(channel, PollFlags::IN));
    }
    let beat = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(BEAT.subsec_nanos()),
    };
    match poll(&mut waited, Some(&beat)) {
        Err(rustix::io::Errno::INTR) | Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut ready = Ready {
        output: [false; 2],
        reply: false,
    };
    for (place, waited) in places.into_iter().zip(&waited) {
        let is = !waited.revents().is_empty();
        match ready.output.get_mut(place) {
            Some(flag) => *flag = is,
            None => ready.reply = is,
        }
    }
    Ok(ready)
}

impl Streams {
    /// Reads once from a stream and passes on what is within the limit; whether there was anything.
    fn pass(&mut self, index: usize, stream: Stream, buffer: &mut [u8], output: &mut dyn OutputSink) -> bool {
        let Some(Some(pipe)) = self.pipes.get(index) else {
            return false;
        };
        let count = match rustix::io::read(pipe, &mut *buffer) {
            Err(rustix::io::Errno::INTR) => return false,
            Ok(0) | Err(_) => {
                if let Some(pipe) = self.pipes.get_mut(index) {
                    *pipe = None;
                }
                return false;
            }
            Ok(count) => count,
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        let Some(left) = self.left.get_mut(index) else {
            return false;
        };
        let kept = bytes.get(..(*left).min(count as u64) as usize).unwrap_or_default();
        *left -= kept.len() as u64;
        self.truncated += (count - kept.len()) as u64;
        if !kept.is_empty() {
            output.bytes(stream, kept);
        }
        true
    }
}

impl Drop for NativeBox {
    fn drop(&mut self) {
        self.helper = None;
        // The folder is deleted with its lease held; should this process die first, the next sweep finds it.
        self.trash.discard(self.folder.clone());
        self.lease = None;
    }
}
