//! What `mcp-repair` notes of each iteration.

use serde::Serialize;

/// One iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Iteration {
    /// Its number, counted from 1.
    pub number: u32,
    /// How many there may be.
    pub of: u32,
    /// Turns of the model.
    pub turns: u32,
    /// Uses of tools.
    pub calls: u32,
    /// Uploads.
    pub uploads: u32,
    /// Checks of what was uploaded.
    pub checks: u32,
    /// The state of the last upload, such as `succeeded`.
    pub state: String,
}

impl Iteration {
    /// Reads a note such as `iteration 2 of 3: turns=8 calls=7 uploads=1 checks=3 state=failed sources=...`; none when it is
    /// another note.
    pub fn read(note: &str) -> Option<Self> {
        let (head, facts) = note.strip_prefix("iteration ")?.split_once(": ")?;
        let (number, of) = head.split_once(" of ")?;
        let fact = |name: &str| {
            facts
                .split_whitespace()
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        };
        let figure = |name: &str| fact(name)?.parse().ok();
        Some(Self {
            number: number.parse().ok().filter(|number| *number > 0)?,
            of: of.parse().ok().filter(|of| *of <= 1000)?,
            turns: figure("turns")?,
            calls: figure("calls")?,
            uploads: figure("uploads")?,
            checks: figure("checks")?,
            state: fact("state")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_of_iterations_are_read_and_no_others() {
        let read =
            Iteration::read("iteration 2 of 3: turns=8 calls=7 uploads=1 checks=3 state=failed sources=b3:12").unwrap();
        assert_eq!((read.number, read.of, read.turns, read.calls), (2, 3, 8, 7));
        assert_eq!((read.uploads, read.checks, read.state.as_str()), (1, 3, "failed"));
        for other in [
            "",
            "iteration",
            "iteration 0 of 3: turns=8 calls=7 uploads=1 checks=3 state=failed",
            "iteration 1 of 99999: turns=8 calls=7 uploads=1 checks=3 state=failed",
            "iteration 2 of 3: turns=8 uploads=1 checks=3 state=failed",
            "iteration two of 3: turns=8 calls=7 uploads=1 checks=3 state=failed",
            "prompts: mcp-repair",
        ] {
            assert_eq!(Iteration::read(other), None, "{other}");
        }
    }
}
