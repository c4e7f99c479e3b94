//! The log of a rebuild: kept whole, heard live, looked at as it goes by.

use std::io::{self, Write as _};

use seatrial_core::Digest;
use seatrial_sandbox::{OutputSink, Stream};
use seatrial_store::{BlobWriter, Blobs, StoreError};

use crate::{Listener, emulator::Faults};

/// Bytes of the end that are kept at hand.
const TAIL: usize = 64 << 10;

/// A log while it is written.
pub(crate) struct RebuildLog<'a> {
    writer: BlobWriter,
    listener: &'a mut dyn Listener,
    broken: Option<io::Error>,
    faults: Faults,
    tail: Vec<u8>,
}

impl<'a> RebuildLog<'a> {
    pub(crate) fn new(blobs: &Blobs, listener: &'a mut dyn Listener) -> Result<Self, StoreError> {
        Ok(Self {
            writer: blobs.writer()?,
            listener,
            broken: None,
            faults: Faults::default(),
            tail: Vec::new(),
        })
    }

    /// Who hears it.
    pub(crate) fn listener(&mut self) -> &mut dyn Listener {
        self.listener
    }

    /// A line of our own.
    pub(crate) fn say(&mut self, line: &str) {
        self.take(format!("seatrial: {line}\n").as_bytes());
    }

    /// Forgets the end that is at hand: what follows is another command's.
    pub(crate) fn begin(&mut self) {
        self.tail.clear();
        self.faults = Faults::default();
    }

    /// The end, at most, of what came since the last beginning.
    pub(crate) fn tail(&self) -> String {
        String::from_utf8_lossy(&self.tail).into_owned()
    }

    /// The first line that is a fault of the emulator.
    pub(crate) fn fault(&self) -> Option<String> {
        self.faults.found().map(str::to_owned)
    }

    /// Keeps it.
    pub(crate) fn finish(self) -> Result<Digest, StoreError> {
        if let Some(error) = self.broken {
            return Err(error.into());
        }
        self.writer.finish().map(|(digest, _)| digest)
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.broken.is_none()
            && let Err(error) = self.writer.write_all(bytes)
        {
            self.broken = Some(error);
        }
        self.listener.output(bytes);
        self.faults.feed(bytes);
        self.tail.extend_from_slice(bytes);
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
    }
}

impl OutputSink for RebuildLog<'_> {
    fn bytes(&mut self, _: Stream, bytes: &[u8]) {
        self.take(bytes);
    }
}
