//! The order of Debian versions (policy 5.6.12).

use std::cmp::Ordering;

/// Compares two Debian versions: epoch, upstream version, revision.
pub fn compare_versions(one: &str, other: &str) -> Ordering {
    let (epoch_one, upstream_one, revision_one) = split(one);
    let (epoch_other, upstream_other, revision_other) = split(other);
    epoch_one
        .cmp(&epoch_other)
        .then_with(|| compare_part(upstream_one, upstream_other))
        .then_with(|| compare_part(revision_one, revision_other))
}

fn split(version: &str) -> (u64, &str, &str) {
    let (epoch, rest) = match version.split_once(':') {
        Some((epoch, rest)) => (epoch.parse().unwrap_or(0), rest),
        None => (0, version),
    };
    let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
    (epoch, upstream, revision)
}

/// The version without epoch and revision: what upstream calls it.
pub(super) fn upstream_of(version: &str) -> &str {
    split(version).1
}

/// The version without epoch: what file names hold.
pub(super) fn without_epoch(version: &str) -> &str {
    version.split_once(':').map_or(version, |(_, rest)| rest)
}

/// `~` sorts before the end, the end before letters, letters before everything else.
fn weight(byte: Option<u8>) -> i32 {
    match byte {
        Some(b'~') => -1,
        None | Some(b'0'..=b'9') => 0,
        Some(letter) if letter.is_ascii_alphabetic() => i32::from(letter),
        Some(other) => i32::from(other) + 256,
    }
}

fn compare_part(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while !one.is_empty() || !other.is_empty() {
        // Text up to the next digit, byte by byte.
        loop {
            let (first, second) = (one.first().copied(), other.first().copied());
            let text = |byte: Option<u8>| byte.is_some_and(|byte| !byte.is_ascii_digit());
            if !text(first) && !text(second) {
                break;
            }
            match weight(first).cmp(&weight(second)) {
                Ordering::Equal => {}
                different => return different,
            }
            one = one.get(1..).unwrap_or_default();
            other = other.get(1..).unwrap_or_default();
        }
        // A number, without bound: leading zeros off, then the longer one is larger.
        let number = |bytes: &mut &[u8]| -> Vec<u8> {
            let count = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, rest) = bytes.split_at(count);
            *bytes = rest;
            digits.iter().copied().skip_while(|digit| *digit == b'0').collect()
        };
        let (first, second) = (number(&mut one), number(&mut other));
        match first.len().cmp(&second.len()).then_with(|| first.cmp(&second)) {
            Ordering::Equal => {}
            different => return different,
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_policy_says() {
        let ordered = [
            "0~~",
            "0~~a",
            "0~",
            "0",
            "0a",
            "0+",
            "1.2~rc1-1",
            "1.2-1",
            "1.2-1+b1",
            "1.2-1.1",
            "1.2-2",
            "1.2a-1",
            "1.2.1-1",
            "1.10-1",
            "1:0.1-1",
        ];
        for (at, one) in ordered.iter().enumerate() {
            for (other_at, other) in ordered.iter().enumerate() {
                assert_eq!(compare_versions(one, other), at.cmp(&other_at), "{one} {other}");
            }
        }
        assert_eq!(compare_versions("1.0-0", "1.0"), Ordering::Equal);
        assert_eq!(compare_versions("1.01", "1.1"), Ordering::Equal);
    }
}
