//! Counts what the harness writes into a box, which is bounded like what the box itself writes.

use std::io::{self, Write};

/// How often, in bytes, the host's free space is looked at.
const LOOK: u64 = 32 << 20;

/// A writer that fails once a budget is used up, or when somebody who is asked now and then says so.
pub(super) struct Meter<'a, W> {
    inner: W,
    check: &'a dyn Fn() -> io::Result<()>,
    pub(super) left: u64,
    pub(super) written: u64,
    unchecked: u64,
    /// Whether it failed because of the budget.
    pub(super) is_over: bool,
}

impl<'a, W> Meter<'a, W> {
    pub(super) fn new(inner: W, budget: u64, check: &'a dyn Fn() -> io::Result<()>) -> Self {
        Self {
            inner,
            check,
            left: budget,
            written: 0,
            unchecked: 0,
            is_over: false,
        }
    }
}

impl<W: Write> Write for Meter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            self.is_over = true;
            return Err(io::Error::other("the box's disk is used up"));
        }
        if self.unchecked >= LOOK {
            self.unchecked = 0;
            (self.check)()?;
        }
        let count = self.inner.write(bytes)?;
        self.left -= count as u64;
        self.written += count as u64;
        self.unchecked += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
