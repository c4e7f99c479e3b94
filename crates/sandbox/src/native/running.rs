//! A running command, seen from outside: its output is passed on and its limits are enforced here, where nothing that
//! runs in the box can reach.

use std::{
    cell::Cell,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{
    factory::io_error,
    files::LEAST_FILE,
    trash::Helper,
    wire::{Channel, Ended, Reply, Request},
};
use crate::{Command, Limits, OutputSink, SandboxError, Stream};

/// How often limits and the stop switch are looked at.
pub(super) const BEAT: Duration = Duration::from_millis(25);
/// How often the host's free space is looked at, which costs one system call.
pub(super) const LOOK: Duration = Duration::from_millis(250);
/// After this long a box's usage is measured even when the host's free space does not hint at it: something else may
/// have freed what the box took.
const SURELY: Duration = Duration::from_secs(20);
/// And after so many times as long as the last measurement took, but not sooner than this: a small box costs little to
/// measure.
const WORTH: u32 = 50;
const SOONEST: Duration = Duration::from_secs(1);

/// Why a command was killed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Killed {
    Wall,
    Idle,
    Disk,
    Stopped,
    HostDisk { free: u64 },
}

/// What a box has written, as far as it is known, and what it may write.
#[derive(Debug)]
pub(super) struct Disk {
    folder: PathBuf,
    limit: u64,
    reserve: u64,
    /// Bytes at the last measurement, and what the harness has written since.
    used: u64,
    /// The host's file system at the last measurement.
    free: Free,
    /// Bytes that commands have written since then, those of files that are gone again included.
    written: u64,
    measured: Instant,
    /// When a measurement was last asked for.
    asked: Cell<Instant>,
    /// How long after a measurement the next one is due.
    patience: Duration,
}

/// What a file system has left for an ordinary user.
#[derive(Debug, Clone, Copy, Default)]
struct Free {
    bytes: u64,
    files: u64,
}

impl Disk {
    pub(super) fn new(folder: &Path, limits: &Limits) -> Self {
        let mut disk = Self {
            folder: folder.to_owned(),
            limit: limits.disk_bytes,
            reserve: limits.host_reserve_bytes,
            used: 0,
            free: Free::default(),
            written: 0,
            measured: Instant::now(),
            asked: Cell::new(Instant::now()),
            patience: SOONEST,
        };
        disk.free = disk.free_now().unwrap_or_default();
        disk
    }

    fn free_now(&self) -> Result<Free, SandboxError> {
        let known =
            rustix::fs::statvfs(&self.folder).map_err(|error| io_error("asking for free disk space")(error.into()))?;
        Ok(Free {
            bytes: known.f_bavail * known.f_frsize,
            files: known.f_favail,
        })
    }

    /// The host's free bytes when they are fewer than must stay.
    pub(super) fn shortage(&self) -> Result<Option<u64>, SandboxError> {
        let free = self.free_now()?.bytes;
        Ok((free < self.reserve).then_some(free))
    }

    /// Fails when the host's disk is nearly full.
    pub(super) fn check_host(&self) -> Result<(), SandboxError> {
        match self.shortage()? {
            Some(free) => Err(SandboxError::HostDiskFull { free_mib: free >> 20 }),
            None => Ok(()),
        }
    }

    /// Whether the box may have come near its limit: measuring walks over all it wrote, guessing costs nothing.
    pub(super) fn is_suspect(&self) -> Result<bool, SandboxError> {
        let free = self.free_now()?;
        // File systems that make room for files as they need it tell of none.
        let files = self.free.files.saturating_sub(free.files);
        let taken = self.free.bytes.saturating_sub(free.bytes).max(files * LEAST_FILE);
        // Free space alone may hide it, because somebody else freed as much meanwhile.
        let suspect = taken.max(self.written) > self.left() / 2 || self.measured.elapsed() > self.patience;
        if suspect {
            self.asked.set(Instant::now());
        }
        Ok(suspect)
    }

    /// Whether the last measurement was over the limit.
    pub(super) fn is_over(&self) -> bool {
        self.used > self.limit
    }

    /// Bytes that may still be written.
    pub(super) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    /// Takes note of a measurement.
    pub(super) fn note(&mut self, used: u64) -> Result<(), SandboxError> {
        self.used = used;
        self.free = self.free_now()?;
        self.written = 0;
        self.measured = Instant::now();
        self.patience = (self.asked.get().elapsed() * WORTH).clamp(SOONEST, SURELY);
        Ok(())
    }

    /// Takes note of what the harness has written.
    pub(super) fn add(&mut self, written: u64) {
        self.used = self.used.saturating_add(written);
    }

    /// The box's files are not those that were measured any more; there are fewer of them.
    pub(super) fn forget(&mut self) {
        self.used = 0;
    }

    pub(super) fn is_used_up(&self) -> SandboxError {
        SandboxError::BoxFull {
            limit_mib: self.limit >> 20,
        }
    }
}

/// Passes output on as far as a limit allows.
pub(super) struct Outlet {
    pub(super) pipes: [Option<OwnedFd>; 2],
    left: [u64; 2],
    truncated: u64,
    last_output: Instant,
}

impl Outlet {
    pub(super) fn new(limit: u64, began: Instant, [out, err]: [OwnedFd; 2]) -> Self {
        Self {
            pipes: [Some(out), Some(err)],
            left: [limit; 2],
            truncated: 0,
            last_output: began,
        }
    }

    /// Bytes that were dropped.
    pub(super) fn truncated(&self) -> u64 {
        self.truncated
    }

    /// Reads once from each stream that is ready.
    pub(super) fn pass_ready(&mut self, ready: [bool; 2], buffer: &mut [u8], output: &mut dyn OutputSink) {
        for (index, stream) in [Stream::Out, Stream::Err].into_iter().enumerate() {
            if ready.get(index) == Some(&true) && self.pass(index, stream, buffer, output) {
                self.last_output = Instant::now();
            }
        }
    }

    /// Reads once from a stream and passes on what is within the limit; whether there was anything.
    fn pass(&mut self, index: usize, stream: Stream, buffer: &mut [u8], output: &mut dyn OutputSink) -> bool {
        let (Some(Some(pipe)), Some(left)) = (self.pipes.get(index), self.left.get_mut(index)) else {
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
        let kept = bytes.get(..(*left).min(count as u64) as usize).unwrap_or_default();
        *left -= kept.len() as u64;
        self.truncated += (count - kept.len()) as u64;
        if !kept.is_empty() {
            output.bytes(stream, kept);
        }
        true
    }

    /// Which limit of time is over.
    pub(super) fn time_is_up(&self, wall: Option<Duration>, began: Instant, idle: Option<Duration>) -> Option<Killed> {
        let over = |limit: Option<Duration>, since: Instant| limit.is_some_and(|limit| since.elapsed() >= limit);
        if over(wall, began) {
            Some(Killed::Wall)
        } else if over(idle, self.last_output) {
            Some(Killed::Idle)
        } else {
            None
        }
    }
}

/// A command's output and its limits.
pub(super) struct Running<'a> {
    command: &'a Command,
    began: Instant,
    outlet: Outlet,
}

impl<'a> Running<'a> {
    pub(super) fn new(command: &'a Command, began: Instant, pipes: [OwnedFd; 2]) -> Self {
        Self {
            command,
            began,
            outlet: Outlet::new(command.output_limit, began, pipes),
        }
    }

    /// Bytes that were dropped.
    pub(super) fn truncated(&self) -> u64 {
        self.outlet.truncated()
    }

    /// Passes output on and watches limits until the command has ended and its output is read.
    pub(super) fn attend(
        &mut self,
        helper: &mut Helper,
        disk: &mut Disk,
        stop: &AtomicBool,
        output: &mut dyn OutputSink,
    ) -> Result<(Ended, Option<Killed>), SandboxError> {
        let mut killed = None;
        let mut looked = self.began;
        let mut measuring = false;
        let mut buffer = vec![0; 64 << 10];
        let ended = loop {
            let ready = self
                .wait(Some(&helper.channel), BEAT)
                .map_err(io_error("waiting for output"))?;
            self.outlet.pass_ready(ready.output, &mut buffer, output);
            if ready.reply {
                match helper.receive()? {
                    Reply::Ended(how) => break how,
                    Reply::Usage(bytes) => {
                        measuring = false;
                        disk.note(bytes)?;
                        if disk.is_over() && killed.is_none() {
                            killed = Some(Killed::Disk);
                            helper.send(&Request::Kill, &[])?;
                        }
                    }
                    reply => return Err(helper.refused("running a command", reply)),
                }
            }
            if killed.is_some() {
                continue;
            }
            killed = self.time_is_up(stop);
            if killed.is_none() && looked.elapsed() >= LOOK {
                looked = Instant::now();
                if let Some(free) = disk.shortage()? {
                    killed = Some(Killed::HostDisk { free });
                } else if !measuring && disk.is_suspect()? {
                    measuring = true;
                    helper.send(&Request::Usage, &[])?;
                }
            }
            if killed.is_some() {
                helper.send(&Request::Kill, &[])?;
            }
        };
        // Every process that could write is gone. What is in the pipes is taken; their end is not waited for, because a
        // descriptor may have been handed to somebody outside through a socket.
        loop {
            let ready = self
                .wait(None, Duration::ZERO)
                .map_err(io_error("waiting for output"))?;
            if ready.output == [false; 2] {
                break;
            }
            self.outlet.pass_ready(ready.output, &mut buffer, output);
        }
        if measuring {
            Self::measured(helper, disk)?;
        }
        // A command that filled the disk faster than anybody looked is found out now.
        disk.written = disk.written.saturating_add(ended.written);
        if killed.is_none() && disk.is_suspect()? {
            helper.send(&Request::Usage, &[])?;
            Self::measured(helper, disk)?;
        }
        if disk.is_over() && killed.is_none() {
            killed = Some(Killed::Disk);
        }
        Ok((ended, killed))
    }

    /// Takes the answer to a question for what the box has written.
    fn measured(helper: &mut Helper, disk: &mut Disk) -> Result<(), SandboxError> {
        match helper.receive()? {
            Reply::Usage(bytes) => disk.note(bytes),
            reply => Err(helper.refused("measuring", reply)),
        }
    }

    fn time_is_up(&self, stop: &AtomicBool) -> Option<Killed> {
        if stop.load(Ordering::SeqCst) {
            return Some(Killed::Stopped);
        }
        self.outlet
            .time_is_up(self.command.timeout, self.began, self.command.idle_timeout)
    }

    fn wait(&self, channel: Option<&Channel>, patience: Duration) -> io::Result<Ready> {
        let mut places = Vec::with_capacity(3);
        let mut waited = Vec::with_capacity(3);
        for (index, pipe) in self.outlet.pipes.iter().enumerate() {
            if let Some(pipe) = pipe {
                places.push(index);
                waited.push(PollFd::new(pipe, PollFlags::IN));
            }
        }
        if let Some(channel) = channel {
            places.push(2);
            waited.push(PollFd::new(channel, PollFlags::IN));
        }
        let patience = Timespec {
            tv_sec: 0,
            tv_nsec: patience.subsec_nanos().into(),
        };
        match poll(&mut waited, Some(&patience)) {
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
}

/// What can be read now.
struct Ready {
    output: [bool; 2],
    reply: bool,
}
