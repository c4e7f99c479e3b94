//! A failing log against that of the build that works elsewhere.

use std::{collections::BTreeSet, fmt::Write as _, sync::LazyLock};

use regex::Regex;
use serde_json::{Value, json};

use crate::{
    Answer, Caching, Effect, Tool, ToolDescription, ToolFailure, World,
    files::content,
    text::{plain, visible},
    toolbox::{Arguments as _, describe},
};

/// Where the logs of a task lie.
const FAILED: &str = "/build/logs/failed.log";
const WORKING: &str = "/build/logs/working.log";
/// Lines around a difference.
const AROUND: usize = 4;
/// Further lines that are shown.
const MORE: usize = 12;

pub(crate) struct CompareLogs(ToolDescription);

impl CompareLogs {
    pub(crate) fn new() -> Self {
        Self(describe(
            "compare_logs",
            "Shows where a failing build log first says something that the log of the working build on the other architecture \
             never says. Paths, names of architectures, times, numbers and the order of lines count as the same.",
            "Without paths: the log of the last rebuild, else the task's failing log, against the task's working log.",
            Effect::READS,
            Caching::No,
            json!({
                "failed": {"type": "string", "description": "The failing log, or `output:N`."},
                "working": {"type": "string", "description": "The working log."},
            }),
            &[],
        ))
    }
}

impl Tool for CompareLogs {
    fn spec(&self) -> &ToolDescription {
        &self.0
    }

    fn call(&self, arguments: &Value, world: &mut World<'_>) -> Result<Answer, ToolFailure> {
        let last = world.state.repair.last.as_ref().and_then(|rebuilt| rebuilt.log);
        let failed = match (arguments.text("failed"), last) {
            (Some(path), _) => content(path, world)?.0,
            (None, Some(digest)) => world.blobs.read(&digest)?,
            (None, None) => content(FAILED, world)?.0,
        };
        let working = content(arguments.text("working").unwrap_or(WORKING), world)?.0;
        Ok(compared(&plain(&failed), &plain(&working)))
    }
}

static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        // What a build service writes before each line.
        (r"^\[\s*\d+s\]\s?", ""),
        (r"\b(?:[a-z0-9_]+)-(?:(?:unknown|pc|suse|redhat)-)?linux-(?:gnu|musl)[a-z0-9]*\b", "MACHINE"),
        (
            r"\b(?:amd64|x86[-_]64|arm64|aarch64|i[3-6]86|armhf|armv[0-9a-z]+|riscv64|ppc64el|ppc64le|powerpc64le|s390x)\b",
            "MACHINE",
        ),
        (r"(?:/[\w.+~@%-]+)+/([\w.+~@%-]+)", "/$1"),
        (r"\b0x[0-9a-f]+\b", "N"),
        (r"\d+", "N"),
        (r"\s+", " "),
    ]
    .into_iter()
    .filter_map(|(pattern, with)| Some((Regex::new(pattern).ok()?, with)))
    .collect()
});

/// Lines that tell of the installation of packages: other ones on each architecture, and never the reason.
const INSTALLING: [&str; 12] = [
    "Get:",
    "Hit:",
    "Fetched ",
    "Selecting previously",
    "Preparing to unpack",
    "Unpacking ",
    "Setting up ",
    "Processing triggers",
    "(Reading database",
    "Reading ",
    "Building dependency",
    "[",
];

fn normal(line: &str) -> String {
    let mut text = line.trim_end().to_owned();
    for (pattern, with) in RULES.iter() {
        text = pattern.replace_all(&text, *with).into_owned();
    }
    text.trim().to_owned()
}

fn tells(line: &str) -> bool {
    !line.is_empty() && !INSTALLING.iter().any(|start| line.starts_with(start))
}

fn is_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    [
        "error",
        "fail",
        "not found",
        "no such",
        "undefined reference",
        "unrecognized",
        "illegal",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// The first line that the working log never says, and the first such line that tells of an error.
fn compared(failed: &str, working: &str) -> Answer {
    let known: BTreeSet<String> = working.lines().map(normal).collect();
    let lines: Vec<&str> = failed.lines().collect();
    let normals: Vec<String> = lines.iter().map(|line| normal(line)).collect();
    let new: Vec<usize> = normals
        .iter()
        .enumerate()
        .filter(|(_, line)| tells(line) && !known.contains(*line))
        .map(|(at, _)| at)
        .collect();
    let Some(first) = new
        .iter()
        .copied()
        .find(|at| lines.get(*at).is_some_and(|line| is_error(line)))
        .or_else(|| new.first().copied())
    else {
        return Answer::text(
            "the failing log says nothing that the working one does not say too; it may be shorter: look at its end",
        )
        .with_data(json!({"different": 0}));
    };
    let mut text = format!(
        "first difference at line {} of the failing log ({} lines of it are not in the working one):\n",
        first + 1,
        new.len()
    );
    show(&lines, first, &mut text);
    // The same place in the working log: after the last line before the difference that both have.
    let before = (0..first)
        .rev()
        .filter_map(|at| normals.get(at))
        .find(|line| tells(line) && known.contains(*line));
    let others: Vec<&str> = working.lines().collect();
    if let Some(before) = before
        && let Some(at) = others.iter().position(|line| normal(line) == *before)
    {
        let _ = writeln!(text, "the working log there, from line {}:", at + 1);
        for (offset, line) in others.iter().enumerate().skip(at).take(AROUND + 1) {
            let _ = writeln!(text, "  {:>6}\t{}", offset + 1, visible(line));
        }
    }
    let rest: Vec<usize> = new
        .iter()
        .copied()
        .filter(|at| *at > first && lines.get(*at).is_some_and(|line| is_error(line)))
        .collect();
    if !rest.is_empty() {
        text.push_str("further errors that only the failing log has:\n");
        for at in rest.iter().take(MORE) {
            let _ = writeln!(text, "  {:>6}\t{}", at + 1, visible(lines.get(*at).unwrap_or(&"")));
        }
        if rest.len() > MORE {
            let _ = writeln!(text, "  and {} more", rest.len() - MORE);
        }
    }
    Answer::text(text).with_data(json!({"line": first + 1, "different": new.len()}))
}

fn show(lines: &[&str], at: usize, text: &mut String) {
    let from = at.saturating_sub(AROUND);
    for (number, line) in lines.iter().enumerate().skip(from).take(at - from + AROUND + 1) {
        let mark = if number == at { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {:>6}\t{}", number + 1, visible(line));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn what_only_the_architecture_changes_is_no_difference() {
        let working = "Get:1 http://mirror/x amd64 liba\nchecking build system type... x86_64-pc-linux-gnu\n\
                       gcc -c -O2 /usr/src/p-1.0/b.c\ngcc -c -O2 /usr/src/p-1.0/a.c\n[   12s] real 0m1.2s\ngcc -o p a.o b.o\n";
        let failing = "Get:1 http://mirror/y arm64 libb\nchecking build system type... aarch64-unknown-linux-gnu\n\
                       gcc -c -O2 /home/x/p-1.0/a.c\ngcc -c -O2 /home/x/p-1.0/b.c\nb.c:3:10: fatal error: emmintrin.h: No such file\n\
                       make: *** [b.o] Error 1\n[  321s] real 0m9.8s\n";
        expect![[r"
            first difference at line 5 of the failing log (2 lines of it are not in the working one):
                   1	Get:1 http://mirror/y arm64 libb
                   2	checking build system type... aarch64-unknown-linux-gnu
                   3	gcc -c -O2 /home/x/p-1.0/a.c
                   4	gcc -c -O2 /home/x/p-1.0/b.c
            >      5	b.c:3:10: fatal error: emmintrin.h: No such file
                   6	make: *** [b.o] Error 1
                   7	[  321s] real 0m9.8s
            the working log there, from line 3:
                   3	gcc -c -O2 /usr/src/p-1.0/b.c
                   4	gcc -c -O2 /usr/src/p-1.0/a.c
                   5	[   12s] real 0m1.2s
                   6	gcc -o p a.o b.o
            further errors that only the failing log has:
                   6	make: *** [b.o] Error 1
        "]]
        .assert_eq(&compared(failing, working).text);
        let same = compared(failing, failing);
        assert!(same.text.starts_with("the failing log says nothing"), "{}", same.text);
    }
}
