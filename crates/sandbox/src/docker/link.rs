//! The harness's end of the conversation with an agent.

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::protocol::{Ask, CHUNK, HEAD, Kind, Reply, head, parse, write_frame, write_message};
use crate::SandboxError;

/// How often the stop switch is looked at while nothing moves.
pub(super) const BEAT: Duration = Duration::from_millis(25);

/// A conversation.
pub(super) struct Link {
    stream: UnixStream,
    /// What was read; the first `taken` bytes have been given out.
    buffer: Vec<u8>,
    taken: usize,
    /// What the agent said on its standard error, which is nothing while all is well.
    complaints: Arc<Mutex<String>>,
}

impl Link {
    pub(super) fn new(stream: UnixStream, complaints: Arc<Mutex<String>>) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
            taken: 0,
            complaints,
        })
    }

    /// The error for a container that is gone.
    pub(super) fn died(&self, why: &str) -> SandboxError {
        let said = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let said = said.trim();
        SandboxError::Died(if said.is_empty() {
            format!("its container: {why}")
        } else {
            format!("its container: {why}; it said: {said}")
        })
    }

    /// The next frame, or `None` when there is none within some time.
    pub(super) fn next(&mut self, patience: Duration) -> Result<Option<(Kind, Vec<u8>)>, SandboxError> {
        loop {
            if let Some(frame) = self.take().map_err(|error| self.died(&error.to_string()))? {
                return Ok(Some(frame));
            }
            if !self.ready(PollFlags::IN, patience) {
                return Ok(None);
            }
            self.buffer.drain(..self.taken);
            self.taken = 0;
            let filled = self.buffer.len();
            self.buffer.resize(filled + 2 * CHUNK, 0);
            let room = self.buffer.get_mut(filled..).unwrap_or_default();
            let read = self.stream.read(room);
            self.buffer.truncate(filled + read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return Err(self.died("it ended")),
                Ok(_) => {}
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(self.died(&error.to_string())),
            }
        }
    }

    /// Takes a whole frame off what was read.
    fn take(&mut self) -> io::Result<Option<(Kind, Vec<u8>)>> {
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        let Some((first, rest)) = rest.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let (kind, length) = head(*first)?;
        let Some(bytes) = rest.get(..length) else {
            return Ok(None);
        };
        let frame = (kind, bytes.to_vec());
        self.taken += HEAD + length;
        Ok(Some(frame))
    }

    fn ready(&self, flags: PollFlags, patience: Duration) -> bool {
        let patience = Timespec {
            tv_sec: patience.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        let mut waited = [PollFd::new(&self.stream, flags)];
        // Whatever goes wrong here shows at the next read or write.
        poll(&mut waited, Some(&patience)) != Ok(0)
    }

    /// Asks for something.
    pub(super) fn ask(&mut self, ask: &Ask, stop: &AtomicBool) -> Result<(), SandboxError> {
        let mut frame = Vec::new();
        write_message(&mut frame, ask).map_err(|error| self.died(&error.to_string()))?;
        self.send(&frame, stop)
    }

    /// Sends some data.
    pub(super) fn data(&mut self, bytes: &[u8], stop: &AtomicBool) -> Result<(), SandboxError> {
        let mut frames = Vec::new();
        for part in bytes.chunks(CHUNK) {
            write_frame(&mut frames, Kind::Data, part).map_err(|error| self.died(&error.to_string()))?;
        }
        self.send(&frames, stop)
    }

    /// Says that there is no more data.
    pub(super) fn end(&mut self, stop: &AtomicBool) -> Result<(), SandboxError> {
        let mut frame = Vec::new();
        write_frame(&mut frame, Kind::End, b"").map_err(|error| self.died(&error.to_string()))?;
        self.send(&frame, stop)
    }

    fn send(&mut self, mut bytes: &[u8], stop: &AtomicBool) -> Result<(), SandboxError> {
        while !bytes.is_empty() {
            if stop.load(Ordering::SeqCst) {
                return Err(SandboxError::Interrupted);
            }
            if !self.ready(PollFlags::OUT, BEAT) {
                continue;
            }
            match self.stream.write(bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(self.died(&error.to_string())),
            }
        }
        Ok(())
    }

    /// A reply that has come already, without waiting.
    pub(super) fn early(&mut self) -> Result<Option<Reply>, SandboxError> {
        match self.next(Duration::ZERO)? {
            None => Ok(None),
            Some((Kind::Message, bytes)) => self.read(&bytes).map(Some),
            Some(_) => Err(self.died("bytes out of order")),
        }
    }

    /// Waits for the reply; data that comes before it goes to a reader, which may refuse it.
    pub(super) fn reply(&mut self, stop: &AtomicBool, reader: &mut dyn FnMut(&[u8])) -> Result<Reply, SandboxError> {
        loop {
            if stop.load(Ordering::SeqCst) {
                return Err(SandboxError::Interrupted);
            }
            match self.next(BEAT)? {
                None => {}
                Some((Kind::Data, bytes)) => reader(&bytes),
                Some((Kind::Message, bytes)) => return self.read(&bytes),
                Some(_) => return Err(self.died("bytes out of order")),
            }
        }
    }

    pub(super) fn read(&self, bytes: &[u8]) -> Result<Reply, SandboxError> {
        parse(bytes).map_err(|error| self.died(&error.to_string()))
    }

    /// The error for a reply that is not the hoped-for one.
    pub(super) fn refused(&self, reply: Reply) -> SandboxError {
        match reply {
            Reply::Failed {
                what, missing: true, ..
            } => SandboxError::NoSuchFile(what),
            Reply::Failed { what, errno, .. } => SandboxError::Io {
                what,
                source: if errno == 0 {
                    io::Error::other("refused in the container")
                } else {
                    io::Error::from_raw_os_error(errno)
                },
            },
            other => self.died(&format!("an answer out of order: {other:?}")),
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
