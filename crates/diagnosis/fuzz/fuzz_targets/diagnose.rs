//! Any bytes at all are read without a panic, what is said of them refers to lines that exist, and it does not matter in
//! how many pieces they come.

#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use seatrial_diagnosis::{Diagnosis, diagnose, diagnose_in_parts, diagnose_reader};

/// Gives a few bytes at a time.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(buffer.len()).min(7);
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

fn check(log: &[u8], diagnosis: &Diagnosis) {
    let feeds = log.iter().filter(|byte| **byte == b'\n').count() as u64;
    let open = log.last().is_some_and(|byte| *byte != b'\n');
    assert_eq!(diagnosis.facts.lines, feeds + u64::from(open));
    assert_eq!(diagnosis.facts.bytes, log.len() as u64);
    for problem in diagnosis.cause.iter().chain(&diagnosis.missing) {
        assert!(problem.line >= 1 && problem.line <= diagnosis.facts.lines);
        assert!(problem.span.0 <= problem.line && problem.line <= problem.span.1);
        assert!(problem.span.1 <= diagnosis.facts.lines);
    }
}

fuzz_target!(|log: &[u8]| {
    let diagnosis = diagnose(log);
    check(log, &diagnosis);
    // Small parts cut messages; what is left must be sound all the same.
    for size in [1, 64, 333] {
        check(log, &diagnose_in_parts(log, size).unwrap_or_default());
    }
    assert_eq!(diagnose_reader(Drops(log)).ok(), Some(diagnosis));
});
