//! Whether the distribution's mirror was away while a submission was replayed.
//!
//! The log only raises the question; a box of its own, in which nothing of the submission runs, answers it. So no script
//! can excuse itself by printing the right words.

use std::{
    io::{BufRead as _, BufReader},
    time::Duration,
};

use seatrial_core::Digest;
use seatrial_sandbox::{BoxSpec, Command};
use seatrial_store::Blobs;

use crate::{GradeRequest, SuiteError};

/// What the package manager says when it cannot reach a mirror, as against one that lacks a file.
const UNREACHABLE: [&str; 8] = [
    "Temporary failure resolving",
    "Could not resolve",
    "Could not connect",
    "Unable to connect",
    "Network is unreachable",
    "Connection timed out",
    // Said by a network door whose other side could not be reached.
    " 502 ",
    " 504 ",
];

/// The first line of a log in which the package manager complains that a mirror cannot be reached.
pub(super) fn complaint(blobs: &Blobs, log: &Digest) -> Option<String> {
    // A log that cannot be read raises no question; the verdict stands.
    let lines = BufReader::new(blobs.open(log).ok()?).split(b'\n').map_while(Result::ok);
    lines
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .find(|line| is_complaint(line))
}

fn is_complaint(line: &str) -> bool {
    ["E: Failed to fetch", "W: Failed to fetch"]
        .iter()
        .any(|start| line.starts_with(start))
        && UNREACHABLE.iter().any(|words| line.contains(words))
}

/// Asks the mirror from a fresh box; an error when it does not answer.
pub(super) fn ask(request: &GradeRequest<'_>, complaint: &str) -> Result<(), SuiteError> {
    let mut sandbox = request.factory.start(&BoxSpec {
        image: request.image,
        limits: request.limits.clone(),
        network: request.live.clone(),
    })?;
    let command = Command::bash("apt-get -o APT::Update::Error-Mode=any update").with_timeout(Duration::from_mins(3));
    if sandbox.exec(&command, &mut Vec::new())?.succeeded() {
        Ok(())
    } else {
        Err(SuiteError::Mirror(complaint.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_that_is_away_is_told_from_one_that_lacks_a_file() {
        assert!(is_complaint(
            "E: Failed to fetch http://mirror/h/hull.deb  Temporary failure resolving 'mirror'"
        ));
        assert!(is_complaint(
            "W: Failed to fetch http://mirror/InRelease  Could not connect to mirror:80 (192.0.2.1). - connect (113: No route to host)"
        ));
        for line in [
            "E: Failed to fetch http://mirror/h/hull.deb  404  Not Found [IP: 192.0.2.1 80]",
            "E: Unable to locate package hull",
            "test: Could not resolve the symbol hull",
        ] {
            assert!(!is_complaint(line), "{line}");
        }
    }
}
