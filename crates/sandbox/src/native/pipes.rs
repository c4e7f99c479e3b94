//! The harness's ends of pipes into a box: whoever waits at one also watches the stop switch, so that a slow or endless
//! piece of work in the box keeps nobody waiting who was told to stop.

use std::{
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
};

/// How often the stop switch is looked at while nothing moves.
const BEAT: Duration = Duration::from_millis(25);

/// An end of a pipe whose reads and writes fail soon after the switch is thrown.
pub(super) struct Watched<'a> {
    pipe: OwnedFd,
    stop: &'a AtomicBool,
}

impl<'a> Watched<'a> {
    pub(super) fn new(pipe: impl Into<OwnedFd>, stop: &'a AtomicBool) -> io::Result<Self> {
        let pipe = pipe.into();
        // A pipe that is ready takes less than a whole buffer, and a write that waits for the rest watches nothing. Only
        // this end is changed: the box's keeps waiting as files usually do.
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
        Ok(Self { pipe, stop })
    }

    fn ready(&self, flags: PollFlags) -> io::Result<()> {
        wait(&self.pipe, flags, self.stop)
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.ready(PollFlags::IN)?;
            match rustix::io::read(&self.pipe, &mut *buffer) {
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                other => return Ok(other?),
            }
        }
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.ready(PollFlags::OUT)?;
            match rustix::io::write(&self.pipe, bytes) {
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                other => return Ok(other?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until a descriptor is ready or its other end is gone; fails once the switch is thrown.
pub(super) fn wait(descriptor: &impl AsFd, flags: PollFlags, stop: &AtomicBool) -> io::Result<()> {
    let patience = Timespec {
        tv_sec: 0,
        tv_nsec: BEAT.subsec_nanos().into(),
    };
    loop {
        // Not of the kind `Interrupted`: the standard library tries such calls again.
        if stop.load(Ordering::SeqCst) {
            return Err(io::Error::other("stopped"));
        }
        let mut waited = [PollFd::new(descriptor, flags)];
        match poll(&mut waited, Some(&patience)) {
            Err(rustix::io::Errno::INTR) | Ok(0) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}
