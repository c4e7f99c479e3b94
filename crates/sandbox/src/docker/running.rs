//! A running command, seen from outside: its output is passed on and its limits are enforced here, where nothing that
//! runs in the container can reach.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use super::{
    factory::{Container, Shared},
    link::BEAT,
    protocol::{Ask, Ended, Kind, Reply},
};
use crate::{Command, Limits, OutputSink, SandboxError, Stream};

/// How often free space is asked for while a command runs.
const LOOK: Duration = Duration::from_millis(250);
/// After this long what a box has written is measured even when free space does not hint at it.
const SURELY: Duration = Duration::from_secs(20);
/// How long an agent may take to end a command that must end. Its processes are killed at once, but may be stuck in the
/// kernel for a moment.
const LAST_ORDERS: Duration = Duration::from_secs(30);

/// What a box has written, as far as it is known.
#[derive(Debug)]
pub(super) struct Disk {
    /// In containers that were left, and frozen since.
    pub(super) frozen: u64,
    /// In the present one at the last measurement.
    pub(super) used: u64,
    /// Free bytes at the last measurement.
    pub(super) free: u64,
    /// Bytes that commands have written since then, those of files that are gone again included.
    pub(super) written: u64,
    pub(super) measured: Instant,
}

/// Why a command was killed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Killed {
    Wall,
    Idle,
    Disk,
    Stopped,
    HostDisk { free: u64 },
}

impl Disk {
    pub(super) fn sum(&self) -> u64 {
        self.frozen.saturating_add(self.used)
    }

    /// Bytes that may still be written.
    pub(super) fn left(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.sum())
    }

    /// Takes note of what the harness has written.
    pub(super) fn add(&mut self, bytes: u64) {
        self.used = self.used.saturating_add(bytes);
    }

    /// Whether the box may have come near its limit: measuring walks over all it wrote, guessing costs nothing.
    pub(super) fn is_suspect(&self, free: u64, limit: u64) -> bool {
        let taken = self.free.saturating_sub(free);
        // Free space alone may hide it, because somebody else freed as much meanwhile.
        let left = self.left(limit);
        left == 0 || taken.max(self.written) > left / 2 || self.measured.elapsed() > SURELY
    }

    pub(super) fn note(&mut self, used: Option<u64>, free: u64) {
        if let Some(used) = used {
            self.used = used;
            self.free = free;
            self.written = 0;
        }
        self.measured = Instant::now();
    }
}

/// A command's output on its way to the sink.
pub(super) struct Passing<'a> {
    sink: &'a mut dyn OutputSink,
    left: [u64; 2],
    pub(super) truncated: u64,
    began: Instant,
    last: Instant,
}

impl<'a> Passing<'a> {
    pub(super) fn new(sink: &'a mut dyn OutputSink, limit: u64, began: Instant) -> Self {
        Self {
            sink,
            left: [limit; 2],
            truncated: 0,
            began,
            last: began,
        }
    }

    pub(super) fn pass(&mut self, stream: Stream, bytes: &[u8]) {
        let [out, err] = &mut self.left;
        let left = match stream {
            Stream::Out => out,
            Stream::Err => err,
        };
        let kept = bytes
            .get(..(*left).min(bytes.len() as u64) as usize)
            .unwrap_or_default();
        *left -= kept.len() as u64;
        self.truncated += (bytes.len() - kept.len()) as u64;
        self.last = Instant::now();
        if !kept.is_empty() {
            self.sink.bytes(stream, kept);
        }
    }
}

/// Passes output on and watches limits until the command has ended.
pub(super) fn attend(
    container: &mut Container,
    shared: &Shared,
    limits: &Limits,
    disk: &mut Disk,
    stop: &AtomicBool,
    command: &Command,
    passing: &mut Passing<'_>,
) -> Result<(Ended, Option<Killed>), SandboxError> {
    let never = AtomicBool::new(false);
    let began = passing.began;
    let (mut killed, mut killed_at) = (None, began);
    let mut looked = began;
    let (mut asked, mut is_over) = (false, false);
    let mut measuring: Option<(mpsc::Receiver<Option<u64>>, u64)> = None;
    let ended = loop {
        let mut free = None;
        match container.link.next(BEAT)? {
            None => {}
            Some((Kind::Out, bytes)) => passing.pass(Stream::Out, &bytes),
            Some((Kind::Err, bytes)) => passing.pass(Stream::Err, &bytes),
            Some((Kind::Message, bytes)) => match container.link.read(&bytes)? {
                Reply::Ended(ended) => break ended,
                Reply::Free(bytes) => {
                    asked = false;
                    free = Some(bytes);
                }
                reply => return Err(container.link.refused(reply)),
            },
            Some(_) => return Err(container.link.died("bytes out of order")),
        }
        if let Some((answer, free)) = &measuring
            && let Ok(told) = answer.try_recv()
        {
            disk.note(told, *free);
            measuring = None;
            is_over = disk.sum() > limits.disk_bytes;
        }
        if killed.is_some() {
            if killed_at.elapsed() > LAST_ORDERS {
                container.end();
                return Err(container.link.died("it did not end its command"));
            }
            continue;
        }
        let over = |limit: Option<Duration>, since: Instant| limit.is_some_and(|limit| since.elapsed() >= limit);
        if stop.load(Ordering::SeqCst) {
            killed = Some(Killed::Stopped);
        } else if over(command.timeout, began) {
            killed = Some(Killed::Wall);
        } else if over(command.idle_timeout, passing.last) {
            killed = Some(Killed::Idle);
        } else if is_over {
            killed = Some(Killed::Disk);
        } else if let Some(free) = free {
            if free < limits.host_reserve_bytes {
                killed = Some(Killed::HostDisk { free });
            } else if measuring.is_none() && disk.is_suspect(free, limits.disk_bytes) {
                measuring = Some((shared.daemon.measure(&container.name), free));
            }
        }
        if killed.is_some() {
            killed_at = Instant::now();
            container.link.ask(&Ask::Kill, &never)?;
        } else if !asked && looked.elapsed() >= LOOK {
            (looked, asked) = (Instant::now(), true);
            container.link.ask(&Ask::Free, &never)?;
        }
    };
    // The answer that is still under way must not be taken for another one's.
    if asked {
        match container.link.reply(&never, &mut |_| {})? {
            Reply::Free(_) => {}
            reply => return Err(container.link.refused(reply)),
        }
    }
    disk.written += ended.written;
    Ok((ended, killed))
}
