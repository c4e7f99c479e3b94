//! What other programs lay over a log: prefixes of builders, marks of time, colours, line ends.
//!
//! None of them adds or removes a line, so that labels stay true.

/// Every dress, by name.
pub(super) const DRESSES: [&str; 9] = [
    "docker", "obs", "iso-time", "clock", "colour", "crlf", "mojibake", "compose", "bracket",
];

/// Lays one over a log; `None` when there is no such dress.
pub(super) fn dress(name: &str, log: &str) -> Option<String> {
    let mut lines = Vec::new();
    for (index, line) in log.lines().enumerate() {
        // A clock that goes on, without being the same for every line.
        let tick = index as u64 * 37 / 10;
        let (minutes, seconds) = (tick / 60 % 60, tick % 60);
        lines.push(match name {
            "docker" => format!("#12 {}.{:03} {line}", 1 + tick / 10, (index * 271) % 1000),
            "obs" => format!("[{tick:5}s] {line}"),
            "iso-time" => format!(
                "2026-03-04T10:{minutes:02}:{seconds:02}.{:07}Z {line}",
                (index * 9_311) % 10_000_000
            ),
            "clock" => format!("10:{minutes:02}:{seconds:02} {line}"),
            "colour" if line.contains("rror") => format!("\u{1b}[01;31m{line}\u{1b}[0m"),
            "colour" if line.contains("arning") => format!("\u{1b}[1;35m\u{1b}[K{line}\u{1b}[m\u{1b}[K"),
            "colour" => line.to_owned(),
            "crlf" => format!("{line}\r"),
            "mojibake" => line.replace(['\u{2018}', '\u{2019}'], "\u{e2}\u{80}\u{98}"),
            "compose" => format!("builder-1  | {line}"),
            "bracket" => format!("[2026-03-04 10:{minutes:02}:{seconds:02}] {line}"),
            _ => return None,
        });
    }
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dress_keeps_the_number_of_lines() {
        let log = "cc -c a.c\na.c:1:1: error: \u{2018}x\u{2019} undeclared\nmake: *** [a.o] Error 1\n";
        for name in DRESSES {
            let dressed = dress(name, log).unwrap();
            assert_eq!(dressed.matches('\n').count(), 3, "{name}");
            assert!(dressed.contains("undeclared"), "{name}");
        }
        assert!(dress("none of them", log).is_none());
    }
}
