//! Counts what `cargo test -- --show-output` prints.
//!
//! A test that finds a real part missing prints `skipped: why` and returns; the test runner calls that passed. Here it
//! counts as skipped, once a test, so that a machine without the part does not look better than it is.

use std::collections::BTreeSet;

/// The counts so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// Why tests were skipped, each reason once.
    pub(crate) reasons: BTreeSet<String>,
    /// Skipped tests that the runner counts as passed, or ignores.
    returned: u64,
    section: Section,
}

/// Where in a test binary's output a line stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// In no test's own output.
    #[default]
    None,
    /// In a test's output.
    Test,
    /// In the output of a test that has already said that it is skipped.
    Skipped,
    /// In the output of a test that failed.
    Failed,
}

impl Outcome {
    /// Takes the next line.
    pub(crate) fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count(counts, "passed");
            self.failed += count(counts, "failed");
            self.skipped += count(counts, "ignored");
            self.section = Section::None;
        } else if line == "successes:" || line.starts_with("running ") && line.contains(" test") {
            self.section = Section::None;
        } else if line == "failures:" {
            self.section = Section::Failed;
        } else if line.starts_with("---- ") && line.ends_with(" stdout ----") {
            if self.section != Section::Failed {
                self.section = Section::Test;
            }
        } else if let Some(reason) = line.trim_start().strip_prefix("skipped:") {
            self.skip(reason);
        }
    }

    fn skip(&mut self, reason: &str) {
        match self.section {
            Section::None => self.skipped += 1,
            Section::Test => {
                self.skipped += 1;
                self.returned += 1;
                self.section = Section::Skipped;
            }
            Section::Skipped => {}
            Section::Failed => return,
        }
        self.reasons.insert(reason.trim().to_owned());
    }

    /// Tests that really ran and passed.
    pub(crate) fn passed(&self) -> u64 {
        self.passed.saturating_sub(self.returned)
    }
}

/// The number before a word in `ok. 3 passed; 0 failed; ...`.
fn count(text: &str, word: &str) -> u64 {
    let mut previous = "";
    for part in text.split([' ', ';']) {
        if part == word {
            return previous.parse().unwrap_or(0);
        }
        if !part.is_empty() {
            previous = part;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_binaries_are_summed_and_skips_are_not_passes() {
        let mut outcome = Outcome::default();
        let text = "
running 3 tests
test a ... ok
test b ... FAILED
test c ... ok

successes:

---- a stdout ----
skipped: no image
skipped: no image at all

---- c stdout ----
all is well

successes:
    a
    c

failures:

---- b stdout ----
skipped: half of it
thread 'b' panicked

failures:
    b

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 4 tests
skipped: no daemon
test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        for line in text.lines() {
            outcome.line(line);
        }
        assert_eq!((outcome.passed(), outcome.failed, outcome.skipped), (5, 1, 3));
        let reasons: Vec<_> = outcome.reasons.into_iter().collect();
        assert_eq!(reasons, ["no daemon", "no image", "no image at all"]);
    }
}
