//! Sources and build files that list the architectures they know, and stop at any other.

use regex::Regex;
use seatrial_core::Arch;

use crate::{
    Repair,
    case::{Case, is_source},
    condition::{Branch, Group, Holds, evaluate, groups},
    draft::{Draft, split},
    flags::build_files,
    machine,
    table::Sign,
};

/// How much a branch of a source is like what the target needs; none when it is of no architecture or order of bytes.
fn likeness(branch: &Branch, body: &str, target: Arch, works_on: Arch) -> Option<u32> {
    let condition = branch.condition.to_ascii_lowercase();
    let words: Vec<&str> = condition
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map(|word| word.trim_matches('_'))
        .collect();
    let named = |arch: Arch| {
        let names = machine::names(arch).iter();
        names
            .chain([&"powerpc64"].into_iter().filter(|_| arch == Arch::Ppc64le))
            .any(|name| words.contains(&name.replace('-', "_").to_ascii_lowercase().as_str()))
    };
    let is_order = condition.contains("little") || condition.contains("big");
    let little = condition.contains("little");
    let known = [
        Arch::X86_64,
        Arch::Aarch64,
        Arch::Riscv64,
        Arch::Ppc64le,
        Arch::S390x,
        Arch::I686,
        Arch::Armv7l,
    ]
    .into_iter()
    .filter(|arch| named(*arch))
    .collect::<Vec<_>>();
    if known.is_empty() && !is_order {
        return None;
    }
    let same = |is: fn(Arch) -> bool| known.iter().any(|arch| is(*arch) == is(target));
    let mut points = 10;
    points += u32::from(same(machine::is_64_bits)) * 4;
    points += u32::from(same(machine::is_little_endian)) * 4;
    points += u32::from(known.contains(&works_on));
    if is_order {
        points += u32::from(little == machine::is_little_endian(target)) * 8;
    }
    // What is written for one processor helps no other.
    if ["asm", "_mm_", "intrin.h", "cpuid"]
        .iter()
        .any(|word| body.contains(word))
    {
        points = points.saturating_sub(9);
    }
    Some(points)
}

/// The conditional whose branch has a line directly in it: the innermost one.
fn around(all: &[Group], line: usize) -> Option<&Group> {
    all.iter().find(|group| {
        group
            .branches
            .iter()
            .any(|branch| (branch.line..branch.end).contains(&line))
    })
}

/// A source whose list of architectures has the target too; `at` is the line of its `#error`, from 0.
fn widened(text: &str, at: usize, target: Arch, works_on: Arch) -> Option<String> {
    let all = groups(text);
    let mut lines = split(text);
    let group = around(&all, at)?;
    let own = machine::c_condition(target);
    let about_order = lines
        .get(at)
        .is_some_and(|line| line.to_ascii_lowercase().contains("endian"));
    let condition = if about_order {
        let order = if machine::is_little_endian(target) {
            "LITTLE"
        } else {
            "BIG"
        };
        format!("(defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_{order}_ENDIAN__)")
    } else {
        own.to_owned()
    };
    let holder = group
        .branches
        .iter()
        .find(|branch| (branch.line..branch.end).contains(&at))?;
    // `#if !defined(A) && !defined(B)` around the error, or `#ifndef A`.
    if group.branches.len() == 1 || holder.condition.contains('!') {
        let line = lines.get_mut(holder.line)?;
        if line.trim_end().ends_with('\\') || !holder.condition.contains('!') {
            return None;
        }
        let word = if group.branches.first() == Some(holder) {
            "#if"
        } else {
            "#elif"
        };
        *line = format!("{word} ({}) && !{condition}\n", holder.condition);
        return Some(lines.concat());
    }
    let body = |branch: &Branch| {
        text.lines()
            .skip(branch.line + 1)
            .take(branch.end - branch.line - 1)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let best = group
        .branches
        .iter()
        .enumerate()
        .filter(|(_, branch)| *branch != holder && !branch.condition.is_empty())
        .filter(|(_, branch)| evaluate(&branch.condition, target) != Holds::Yes)
        .filter_map(|(place, branch)| Some((likeness(branch, &body(branch), target, works_on)?, branch, place)))
        .max_by_key(|(points, branch, _)| (*points, std::cmp::Reverse(branch.line)))?;
    let (_, branch, place) = best;
    let line = lines.get_mut(branch.line)?;
    if line.trim_end().ends_with('\\') {
        return None;
    }
    let word = if place == 0 { "#if" } else { "#elif" };
    *line = format!("{word} {} || {condition}\n", branch.condition);
    Some(lines.concat())
}

/// The lines of sources with an error that the log shows.
fn errors(case: &Case<'_>, signs: &[Sign]) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for sign in signs {
        let Some((file, line)) = sign.place() else { continue };
        let Some(path) = case.locate(file).filter(|path| is_source(path)) else {
            continue;
        };
        let is_error = case
            .text(&path)
            .is_some_and(|text| text.lines().nth(line - 1).is_some_and(|line| line.contains("error")));
        if is_error && !found.contains(&(path.clone(), line - 1)) {
            found.push((path, line - 1));
        }
    }
    found
}

/// Repairs for lists of architectures.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let (target, works_on) = (case.target(), case.works_on());
    let mut repairs = Vec::new();
    let mut draft = Draft::new(case);
    for (path, line) in errors(case, signs) {
        draft.edit(&path, |text| widened(text, line, target, works_on));
    }
    repairs.extend(draft.finish(
        "widen-source-list",
        82,
        format!("give {target} the branch of the source that is most like it"),
        sign.quote("the source lists the architectures that it knows, and stops at any other"),
    ));
    let mut draft = Draft::new(case);
    for (path, _) in build_files(case) {
        draft.edit(&path, |text| build_list(text, signs, target, works_on));
    }
    repairs.extend(draft.finish(
        "widen-build-list",
        80,
        format!("have the build file treat {target} as it treats {works_on}"),
        sign.quote("a build file lists the architectures that it knows, and stops at any other"),
    ));
    repairs
}

/// A build file that names the target wherever it compares with the name of the other architecture and stops otherwise.
fn build_list(text: &str, signs: &[Sign], target: Arch, works_on: Arch) -> Option<String> {
    // The words of the error that a file itself says, so that other files stay as they are.
    let says = |line: &str| {
        let quoted = line
            .split(['"', '\'', '(', ')'])
            .map(str::trim)
            .filter(|part| part.len() > 11);
        let mut parts: Vec<&str> = quoted.collect();
        parts.push(line.trim());
        parts.iter().any(|part| {
            // What is filled in when it is said is not in the file, and the first word may be that of the language.
            let fixed = part
                .split(['$', '%', '@'])
                .next()
                .unwrap_or_default()
                .trim()
                .trim_end_matches([':', '.']);
            let behind = fixed.split_once(' ').map_or("", |(_, behind)| behind);
            [fixed, behind]
                .iter()
                .any(|words| words.len() > 11 && signs.iter().any(|sign| sign.text.contains(words)))
        })
    };
    let lines: Vec<&str> = text.lines().collect();
    let stop = lines.iter().position(|line| {
        let is_stop = ["error", "ERROR", "exit", "echo", "FATAL", "sys.exit", "raise"]
            .iter()
            .any(|word| line.contains(word));
        is_stop && says(line)
    })?;
    let names = machine::names(works_on);
    let other = machine::names(target).first()?;
    let is_name = |line: &str| names.iter().find(|name| has_word(line, name)).copied();
    // The nearest line before it that compares with the other architecture's name.
    let at = (0..stop).rev().take(60).find(|at| {
        lines.get(*at).is_some_and(|line| {
            is_name(line).is_some()
                && !line.trim_start().starts_with('#')
                && (line.contains("if")
                    || line.contains(')')
                    || line.contains('=')
                    || line.contains("MATCHES")
                    || line.contains(" in "))
        })
    })?;
    let line = *lines.get(at)?;
    let name = is_name(line)?;
    let new = one_more(line, name, other)?;
    let mut all = split(text);
    *all.get_mut(at)? = format!("{new}\n");
    Some(all.concat())
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A line that compares with one name, and then with one more.
fn one_more(line: &str, name: &str, other: &str) -> Option<String> {
    let escaped = regex::escape(name);
    let replace = |pattern: &str, with: &str| {
        let pattern = Regex::new(&pattern.replace("NAME", &escaped)).ok()?;
        pattern.is_match(line).then(|| {
            pattern
                .replace(line, with.replace("NAME", name).replace("OTHER", other))
                .into_owned()
        })
    };
    // make
    replace(
        r"^(\s*(?:else\s+)?)ifeq\s*\(\s*(\$[({][^,]*[)}])\s*,\s*NAME\s*\)",
        "${1}ifneq (,$$(filter NAME OTHER,${2}))",
    )
    .or_else(|| replace(r"(\$\(filter [^,]*)NAME", "${1}NAME OTHER"))
    // CMake
    .or_else(|| {
        replace(
            r#"(?:STREQUAL|MATCHES)\s+"?\^?\(?NAME\)?\$?"?"#,
            "MATCHES \"^(NAME|OTHER)$$\"",
        )
    })
    .or_else(|| replace(r#"(MATCHES\s+"[^"]*\()([^"]*)NAME"#, "${1}${2}NAME|OTHER"))
    .or_else(|| replace(r#"(MATCHES\s+"[^"]*)NAME"#, "${1}NAME|OTHER"))
    // a shell's case: a pattern may have more before and behind the name
    .or_else(|| {
        replace(
            r"^(\s*\(?(?:[\w*?\[\]-]+\s*\|\s*)*)([\w*?-]*)NAME([\w*?-]*)(\s*(?:\|[^)]*)?\))",
            "${1}${2}NAME${3}|${2}OTHER${3}${4}",
        )
    })
    // a shell's test
    .or_else(|| {
        replace(
            r#"(?:test|\[)\s+("?\$[^=\s]*"?)\s*==?\s*"?NAME"?(\s*\])?"#,
            "case ${1} in (NAME|OTHER) true;; (*) false;; esac",
        )
    })
    // lists of Python and meson
    .or_else(|| replace(r#"==\s*(['"])NAME['"]"#, "in (${1}NAME${1}, ${1}OTHER${1})"))
    .or_else(|| replace(r#"((['"])NAME['"])"#, "${1}, ${2}OTHER${2}"))
}
