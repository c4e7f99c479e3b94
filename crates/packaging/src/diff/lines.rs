//! Hunks of lines, for any bytes.

use std::collections::HashMap;

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

/// Lines around a change.
const CONTEXT: usize = 3;

/// The hunks that lead from one content to another, as bytes: what is between the header and the next file.
pub(crate) fn hunks(old: &[u8], new: &[u8]) -> Vec<u8> {
    let split = |content: &'_ [u8]| -> Vec<Vec<u8>> {
        content
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    };
    let (before, after) = (split(old), split(new));
    let operations = compare(&before, &after);
    let mut text = Vec::new();
    for group in group_diff_ops(operations, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let range = |start: usize, end: usize| match end - start {
            // Nothing stands behind the line before it.
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            count => format!("{},{count}", start + 1),
        };
        let old = range(first.old_range().start, last.old_range().end);
        let new = range(first.new_range().start, last.new_range().end);
        text.extend_from_slice(format!("@@ -{old} +{new} @@\n").as_bytes());
        for operation in &group {
            lay(operation, &before, &after, &mut text);
        }
    }
    text
}

/// Steps that the search for the smallest difference may take.
const MOST_STEPS: u64 = 500_000_000;

/// What was done to lines. Where both sides have little in common and are long, searching takes time that grows with the
/// square of their length; then the middle that differs is replaced as a whole, which is as right.
fn compare(before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<DiffOp> {
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let rest = (
        before.get(start..).unwrap_or_default(),
        after.get(start..).unwrap_or_default(),
    );
    let end = rest
        .0
        .iter()
        .rev()
        .zip(rest.1.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let (old, new) = (rest.0.len() - end, rest.1.len() - end);
    let mut counts: HashMap<&[u8], i64> = HashMap::new();
    for line in rest.0.iter().take(old) {
        *counts.entry(line).or_default() += 1;
    }
    for line in rest.1.iter().take(new) {
        *counts.entry(line).or_default() -= 1;
    }
    let different: u64 = counts.values().map(|count| count.unsigned_abs()).sum();
    let length = (old + new) as u64;
    if different * length < MOST_STEPS {
        let algorithm = if length < 20_000 {
            Algorithm::Myers
        } else {
            Algorithm::Patience
        };
        return capture_diff_slices(algorithm, before, after);
    }
    vec![
        DiffOp::Equal {
            old_index: 0,
            new_index: 0,
            len: start,
        },
        DiffOp::Replace {
            old_index: start,
            old_len: old,
            new_index: start,
            new_len: new,
        },
        DiffOp::Equal {
            old_index: start + old,
            new_index: start + new,
            len: end,
        },
    ]
}

fn lay(operation: &DiffOp, before: &[Vec<u8>], after: &[Vec<u8>], text: &mut Vec<u8>) {
    for change in operation.iter_changes(before, after) {
        text.push(match change.tag() {
            ChangeTag::Equal => b' ',
            ChangeTag::Delete => b'-',
            ChangeTag::Insert => b'+',
        });
        let line = change.value();
        text.extend_from_slice(&line);
        if !line.ends_with(b"\n") {
            text.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// Bytes as text, one character each, so that what reads text can work on any bytes.
pub(crate) fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// The way back from [`latin`]; none for a text that does not come from there.
pub(crate) fn unlatin(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}
