//! A log as it may be kept: short, and without hosts, addresses or folders of the machine that it was made on.

use std::{fmt::Write as _, ops::Range, sync::LazyLock};

use regex::{Captures, Regex};

/// Bytes of a log that is kept.
const MOST_BYTES: usize = 24 << 10;
/// Lines around the cause, at the beginning and at the end that are always kept.
const AROUND: usize = 40;
const HEAD: usize = 40;
const TAIL: usize = 60;
/// A line longer than this is cut.
const LONGEST_LINE: usize = 1200;

/// Hosts that mean themselves.
const OWN_HOSTS: [&str; 4] = ["localhost", "127.0.0.1", "registry.example", "forge.example"];

static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(https?|git|ftp|ssh)://([A-Za-z0-9._@-]+)(:\d+)?").ok());
static HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:[a-z0-9-]+\.)*(?:debian|pypi|crates|npmjs|maven|golang|pythonhosted|rubygems|apache|cpan|gradle)\.(?:org|io|com|net)\b")
        .ok()
});

/// Takes out what belongs to a machine: names of registries and addresses of the door.
pub(super) fn neutral(log: &str) -> String {
    let text = match ADDRESS.as_ref() {
        Some(address) => address.replace_all(log, |found: &Captures<'_>| {
            let host = found.get(2).map_or("", |host| host.as_str());
            let scheme = found.get(1).map_or("", |scheme| scheme.as_str());
            let port = found.get(3).map_or("", |port| port.as_str());
            if OWN_HOSTS.contains(&host) || host.ends_with(".example") || host.ends_with(".invalid") {
                format!("{scheme}://{host}{port}")
            } else {
                format!("{scheme}://registry.example{port}")
            }
        }),
        None => log.into(),
    };
    let text = match HOST.as_ref() {
        Some(host) => host.replace_all(&text, "registry.example"),
        None => text,
    };
    text.replace("198.18.0.1", "192.0.2.1")
}

/// Shortens a log, keeping what is around the cause. Gives the text and where the cause then is; lines are counted from 1.
pub(super) fn shorten(log: &str, cause: (u64, u64)) -> (String, (u64, u64)) {
    let lines: Vec<&str> = log.lines().collect();
    let cut = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} [...]", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    };
    let size = lines.iter().map(|line| line.len().min(LONGEST_LINE) + 1).sum::<usize>();
    let (first, last) = (cause.0.saturating_sub(1) as usize, cause.1 as usize);
    let windows: [Range<usize>; 3] = if size <= MOST_BYTES {
        [0..lines.len(), 0..0, 0..0]
    } else {
        [
            0..HEAD,
            first.saturating_sub(AROUND)..last + AROUND,
            lines.len().saturating_sub(TAIL)..lines.len(),
        ]
    };
    let mut text = String::new();
    let (mut written, mut next, mut new_cause) = (0_u64, 0_usize, cause);
    for window in windows.map(|window| window.start.min(lines.len())..window.end.min(lines.len())) {
        let start = window.start.max(next);
        if start > next {
            let _ = writeln!(text, "[... {} lines cut ...]", start - next);
            written += 1;
        }
        for (index, line) in lines.iter().enumerate().take(window.end).skip(start) {
            text.push_str(&cut(line));
            text.push('\n');
            written += 1;
            if index == first {
                new_cause = (written, written + cause.1.saturating_sub(cause.0));
            }
        }
        next = next.max(window.end);
    }
    (text, new_cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_log_stays_and_a_long_one_keeps_its_cause() {
        let short = "a\nb\nc\n";
        assert_eq!(shorten(short, (2, 2)), (short.to_owned(), (2, 2)));
        let long: String = (1..=5000)
            .map(|n| format!("line {n} of the log"))
            .collect::<Vec<_>>()
            .join("\n");
        for (first, last) in [(1, 1), (35, 42), (700, 703), (4961, 4961), (5000, 5000)] {
            let (text, (from, to)) = shorten(&long, (first, last));
            assert!(text.len() < MOST_BYTES);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines[from as usize - 1], format!("line {first} of the log"));
            assert_eq!(lines[to as usize - 1], format!("line {last} of the log"));
        }
    }

    #[test]
    fn hosts_become_examples_and_those_that_mean_themselves_stay() {
        assert_eq!(
            neutral("Get:1 http://mirror.somewhere.test/pool x; https://localhost:8443/a and https://wrong.example/b"),
            "Get:1 http://registry.example/pool x; https://localhost:8443/a and https://wrong.example/b"
        );
    }
}
