//! A compiler's flags of another machine: made to depend on the machine, or taken out.

use std::collections::BTreeSet;

use regex::Regex;
use seatrial_core::Arch;

use crate::{
    Repair,
    case::Case,
    draft::{Draft, split},
    headers, machine,
    recipe::know,
    table::Sign,
};

/// The language of a build file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BuildFile {
    Rules,
    Spec,
    Make,
    CMake,
    Autoconf,
    Meson,
    Python,
    Qmake,
    Shell,
}

pub(crate) fn build_file(path: &str, is_debian: bool) -> Option<BuildFile> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    Some(match name {
        _ if is_debian && path == "debian/rules" => BuildFile::Rules,
        _ if !is_debian && !path.contains('/') && ending == "spec" => BuildFile::Spec,
        "CMakeLists.txt" => BuildFile::CMake,
        "configure" | "configure.ac" | "configure.in" | "acinclude.m4" => BuildFile::Autoconf,
        "meson.build" => BuildFile::Meson,
        "setup.py" | "SConstruct" | "SConscript" | "wscript" => BuildFile::Python,
        "GNUmakefile" => BuildFile::Make,
        _ if name.to_ascii_lowercase().starts_with("makefile") => BuildFile::Make,
        _ => match ending {
            "mk" | "mak" => BuildFile::Make,
            "cmake" => BuildFile::CMake,
            "m4" => BuildFile::Autoconf,
            "pro" | "pri" => BuildFile::Qmake,
            "sh" => BuildFile::Shell,
            _ => return None,
        },
    })
}

/// The build files, the recipe first.
pub(crate) fn build_files(case: &Case<'_>) -> Vec<(String, BuildFile)> {
    let mut files: Vec<(String, BuildFile)> = case
        .files
        .iter()
        .filter_map(|path| Some((path.clone(), build_file(path, case.is_debian())?)))
        .collect();
    files.sort_by_key(|(path, kind)| {
        (
            !matches!(kind, BuildFile::Rules | BuildFile::Spec),
            path.matches('/').count(),
            path.clone(),
        )
    });
    files
}

/// A flag in a line: where, and whose.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    start: usize,
    end: usize,
    owners: &'static [Arch],
}

/// Where the flags stand in a line as words of their own; neighbours of one owner are one.
fn find(line: &str, flags: &[(String, &'static [Arch])]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (flag, owners) in flags {
        for (start, _) in line.match_indices(flag.as_str()) {
            let end = start + flag.len();
            let before = line.get(..start).and_then(|text| text.chars().next_back());
            let after = line.get(end..).and_then(|text| text.chars().next());
            let opens = before.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '(' | ';' | ':'));
            let closes = after.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | ';' | '\\' | '>'));
            if opens && closes {
                found.push(Found { start, end, owners });
            }
        }
    }
    found.sort_by_key(|one| one.start);
    let mut merged: Vec<Found> = Vec::new();
    for one in found {
        match merged.last_mut() {
            Some(last)
                if last.owners == one.owners
                    && line
                        .get(last.end..one.start)
                        .is_some_and(|gap| gap.chars().all(|c| c == ' ')) =>
            {
                last.end = one.end;
            }
            _ => merged.push(one),
        }
    }
    merged
}

/// A line with each of the places replaced; where the answer is empty, a blank goes with it.
fn replaced(line: &str, found: &[Found], with: impl Fn(&str, &'static [Arch]) -> String) -> String {
    let mut text = line.to_owned();
    for one in found.iter().rev() {
        let flag = line.get(one.start..one.end).unwrap_or_default();
        let new = with(flag, one.owners);
        let mut start = one.start;
        if new.is_empty() && text.get(..start).is_some_and(|before| before.ends_with(' ')) {
            start -= 1;
        }
        text.replace_range(start..one.end, &new);
    }
    text
}

/// A name for a variable that holds flags.
fn variable(prefix: &str, flags: &str) -> String {
    let word: String = flags
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("{prefix}{}", word.trim_matches('_'))
}

fn is_comment(kind: BuildFile, line: &str) -> bool {
    let line = line.trim_start();
    match kind {
        BuildFile::Autoconf => line.starts_with("dnl") || line.starts_with('#'),
        _ => line.starts_with('#'),
    }
}

/// A build file in which the flags are given on the machines only that know them.
pub(crate) fn conditional(kind: BuildFile, text: &str, flags: &[(String, &'static [Arch])]) -> Option<String> {
    let mut lines = Vec::new();
    let mut head: BTreeSet<String> = BTreeSet::new();
    let mut done = false;
    for line in split(text) {
        let found = find(&line, flags);
        if found.is_empty() || is_comment(kind, &line) || line.contains("check_") && kind == BuildFile::CMake {
            lines.push(line);
            continue;
        }
        done = true;
        lines.push(match kind {
            BuildFile::Rules => replaced(&line, &found, |flag, owners| {
                format!("$(if $(filter {},$(DEB_HOST_ARCH)),{flag})", machine::debian(owners))
            }),
            BuildFile::Make => replaced(&line, &found, |flag, owners| {
                format!(
                    "$(if $(filter {},$(shell $(CC) -dumpmachine)),{flag})",
                    machine::make_patterns(owners)
                )
            }),
            BuildFile::Shell => replaced(&line, &found, |flag, owners| {
                format!(
                    "$(case $(${{CC:-cc}} -dumpmachine) in ({}) echo \"{flag}\";; esac)",
                    machine::shell_patterns(owners)
                )
            }),
            BuildFile::Spec => {
                for one in &found {
                    let flag = line.get(one.start..one.end).unwrap_or_default();
                    head.insert(format!(
                        "%ifarch {}\n%global {} {flag}\n%endif\n",
                        machine::rpm(one.owners),
                        variable("port_", flag)
                    ));
                }
                replaced(&line, &found, |flag, _| format!("%{{?{}}}", variable("port_", flag)))
            }
            BuildFile::CMake => {
                for one in &found {
                    let flag = line.get(one.start..one.end).unwrap_or_default();
                    head.insert(format!(
                        "if(CMAKE_SYSTEM_PROCESSOR MATCHES \"{}\")\n  set({} \"{flag}\")\nendif()\n",
                        machine::cmake_pattern(one.owners),
                        variable("PORT_", flag)
                    ));
                }
                replaced(&line, &found, |flag, _| format!("${{{}}}", variable("PORT_", flag)))
            }
            BuildFile::Meson | BuildFile::Python => quoted(kind, &line, &found),
            BuildFile::Qmake => {
                let added = found.iter().map(|one| {
                    let flag = line.get(one.start..one.end).unwrap_or_default();
                    let name = line.split_whitespace().next().unwrap_or("QMAKE_CXXFLAGS");
                    format!("contains(QT_ARCH, \"x86_64|i386\"): {name} += {flag}\n")
                });
                let added: String = added.collect();
                format!("{}{added}", replaced(&line, &found, |_, _| String::new()))
            }
            BuildFile::Autoconf => assignment(&line, &found),
        });
    }
    if !done {
        return None;
    }
    let text = lines.concat();
    let head: String = head.into_iter().collect();
    Some(match kind {
        BuildFile::Rules => know(&text, "DEB_HOST_ARCH"),
        BuildFile::Spec => format!("{head}{text}"),
        BuildFile::CMake => behind_project(&text, &head),
        _ => text,
    })
}

/// Flags as strings of a list: only a string that is nothing but the flag can be a list of its own.
fn quoted(kind: BuildFile, line: &str, found: &[Found]) -> String {
    let mut text = line.to_owned();
    for one in found.iter().rev() {
        let flag = line.get(one.start..one.end).unwrap_or_default();
        let around = (
            line.get(..one.start).and_then(|before| before.chars().next_back()),
            line.get(one.end..).and_then(|after| after.chars().next()),
        );
        match (kind, around) {
            (BuildFile::Meson, (Some('\''), Some('\''))) => text.replace_range(
                one.start - 1..=one.end,
                &format!(
                    "host_machine.cpu_family() in [{}] ? ['{flag}'] : []",
                    machine::meson_families(one.owners)
                ),
            ),
            (BuildFile::Python, (Some(open @ ('\'' | '"')), Some(close))) if open == close => text.replace_range(
                one.start - 1..=one.end,
                &format!(
                    "*([\"{flag}\"] if __import__(\"platform\").machine() in ({},) else [])",
                    machine::python_machines(one.owners)
                ),
            ),
            _ => text.replace_range(one.start..one.end, ""),
        }
    }
    text
}

/// An assignment of a shell without the flags, and one below it that adds them.
fn assignment(line: &str, found: &[Found]) -> String {
    let name: String = line
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let rest = replaced(line, found, |_, _| String::new());
    if !line
        .trim_start()
        .get(name.len()..)
        .is_some_and(|rest| rest.starts_with('='))
        || name.is_empty()
    {
        return rest;
    }
    let mut text = rest;
    for one in found {
        let flag = line.get(one.start..one.end).unwrap_or_default();
        let more = format!(
            "{indent}case `${{CC-cc}} -dumpmachine` in ({}) {name}=\"${name} {flag}\" ;; esac\n",
            machine::shell_patterns(one.owners)
        );
        text.push_str(&more);
    }
    text
}

/// Puts lines behind `project()`, or before everything where there is none.
fn behind_project(text: &str, head: &str) -> String {
    let Some(start) = Regex::new(r"(?im)^\s*project\s*\(").ok().and_then(|it| it.find(text)) else {
        return format!("{head}{text}");
    };
    let end = text
        .get(start.end()..)
        .and_then(|rest| rest.find(')'))
        .map_or(text.len(), |at| start.end() + at);
    let line_end = text
        .get(end..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |at| end + at + 1);
    let (before, after) = text.split_at(line_end);
    format!("{before}{head}{after}")
}

/// A build file without the flags.
fn without(kind: BuildFile, text: &str, flags: &[(String, &'static [Arch])]) -> Option<String> {
    let mut done = false;
    let lines: Vec<String> = split(text)
        .into_iter()
        .map(|line| {
            let found = find(&line, flags);
            if found.is_empty() || is_comment(kind, &line) {
                return line;
            }
            done = true;
            replaced(&line, &found, |_, _| String::new())
        })
        .collect();
    done.then(|| lines.concat())
}

/// The flags that the log complains about, with those of the same machines that stand beside them in the build files.
fn foreign(case: &Case<'_>, signs: &[Sign]) -> Vec<(String, &'static [Arch])> {
    let target = case.target();
    let mut flags: BTreeSet<String> = BTreeSet::new();
    for sign in signs {
        flags.extend(sign.names().filter(|name| name.starts_with("-m")).map(str::to_owned));
    }
    // A compiler that has the sister machine's code but not its library misses its first header or object.
    let lacks = ["fatal error: ", "cannot find", "skipping incompatible"];
    if signs
        .iter()
        .any(|sign| lacks.iter().any(|words| sign.text.contains(words)))
    {
        flags.extend(["-m64", "-m32", "-mx32"].map(str::to_owned));
    }
    let word = Regex::new(r"-m[a-z0-9][\w.+=-]*").ok();
    for (path, _) in build_files(case) {
        let Some(text) = case.text(&path) else { continue };
        if !flags.iter().any(|flag| text.contains(flag.as_str())) {
            continue;
        }
        let words = word.iter().flat_map(|word| word.find_iter(&text));
        let more: Vec<String> = words
            .map(|found| found.as_str().trim_end_matches('.').to_owned())
            .filter(|flag| machine::owners(flag, None).is_some_and(|owners| !owners.contains(&target)))
            .collect();
        flags.extend(more);
    }
    let texts: Vec<_> = build_files(case)
        .iter()
        .filter_map(|(path, _)| case.text(path))
        .collect();
    flags
        .into_iter()
        .filter(|flag| texts.iter().any(|text| text.contains(flag.as_str())))
        .filter_map(|flag| {
            let owners = machine::owners(&flag, Some(case.works_on()))?;
            (!owners.contains(&target)).then_some((flag, owners))
        })
        .collect()
}

/// An edit of a build file that is about flags.
type EditFlags = fn(BuildFile, &str, &[(String, &'static [Arch])]) -> Option<String>;

/// Repairs for flags that the target's compiler does not know.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let flags = foreign(case, signs);
    let Some(first) = signs.first() else { return Vec::new() };
    let names: Vec<&str> = flags.iter().map(|(flag, _)| flag.as_str()).collect();
    let names = names.join(" ");
    let draft = |edit: EditFlags| {
        let mut draft = Draft::new(case);
        for (path, kind) in build_files(case) {
            draft.edit(&path, |text| edit(kind, text, &flags));
        }
        draft
    };
    let mut repairs = Vec::new();
    let mut with_headers = draft(conditional);
    let has_flags = !with_headers.is_empty();
    if has_flags && headers::portable(&mut with_headers) {
        repairs.extend(with_headers.finish(
            "conditional-flag-and-simde",
            82,
            format!("give {names} on its own machines only, and the vector instructions by simde on others"),
            first.quote(
                "the flag is of another processor, and the sources use instructions of it that simde has in portable C",
            ),
        ));
    }
    repairs.extend(draft(conditional).finish(
        "conditional-flag",
        80,
        format!("give {names} on its own machines only"),
        first.quote("the flag is of another processor"),
    ));
    repairs.extend(draft(without).finish(
        "drop-flag",
        40,
        format!("leave out {names} everywhere"),
        first.quote("the flag is of another processor"),
    ));
    repairs
}
