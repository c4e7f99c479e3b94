//! What a recipe is given: build dependencies, flags for the compilers, lines of `debian/rules`. Each goes where this
//! package has such things, and looks as the rest does.

use regex::Regex;
use seatrial_packaging::{deb::Control, rpm::Spec};

use crate::{
    case::Case,
    draft::{Draft, split},
    flags::{BuildFile, build_files},
};

/// Flags for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Give {
    /// The compilers of C and C++.
    Compilers,
    /// The linker, behind the objects: a library.
    Libraries,
}

/// Makes sure that the package is built with a package of the distribution.
pub(crate) fn build_with(draft: &mut Draft<'_, '_>, debian: &str, rpm: &str) -> bool {
    if draft.case.is_debian() {
        draft.edit("debian/control", |text| {
            let mut control = Control::parse("debian/control", text).ok()?;
            let is_there = ["Build-Depends", "Build-Depends-Arch"].iter().any(|field| {
                let items = control.items(0, field);
                items.iter().any(|item| name_of(item) == debian && !item.contains('['))
            });
            if !is_there {
                control.add_item(0, "Build-Depends", debian).ok()?;
            }
            Some(control.text())
        })
    } else {
        edit_spec(draft, |spec| spec.add_build_requires(rpm).ok().map(|_| ()))
    }
}

/// The package's name in an item of a list of dependencies.
pub(crate) fn name_of(item: &str) -> &str {
    item.trim()
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '<' | '|' | ':'))
        .next()
        .unwrap_or_default()
}

/// Edits the spec file by its own room's means.
pub(crate) fn edit_spec(draft: &mut Draft<'_, '_>, edit: impl FnOnce(&mut Spec) -> Option<()>) -> bool {
    let Some(path) = draft.case.recipe().map(str::to_owned) else {
        return false;
    };
    draft.edit(&path, |text| {
        let mut spec = Spec::parse(&path, text.as_bytes()).ok()?;
        edit(&mut spec)?;
        String::from_utf8(spec.bytes()).ok()
    })
}

/// Puts lines into a makefile behind the comments that it begins with.
pub(crate) fn at_head(text: &str, lines: &str) -> String {
    let at = text
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('#'))
        .map(str::len)
        .sum();
    let (head, rest) = text.split_at(at);
    let gap = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{head}{gap}{lines}{rest}")
}

/// Makes sure that `debian/rules` knows one of dpkg's names, such as `DEB_HOST_ARCH`.
pub(crate) fn know(rules: &str, name: &str) -> String {
    let known = rules.contains("dpkg/architecture.mk")
        || rules.contains("dpkg/default.mk")
        || rules.lines().any(|line| {
            let line = line.trim_start_matches("export ").trim_start();
            line.strip_prefix(name)
                .is_some_and(|rest| rest.trim_start().starts_with([':', '?', '=']))
        });
    if known {
        return rules.to_owned();
    }
    at_head(rules, &format!("{name} ?= $(shell dpkg-architecture -q{name})\n"))
}

/// Gives all compilers a flag, or all programs a library, the way in which the package takes them.
pub(crate) fn give(draft: &mut Draft<'_, '_>, to: Give, flag: &str) -> bool {
    let case = draft.case;
    // A makefile that sets its flags anew does not hear what the environment says.
    let files = build_files(case);
    let makefiles: Vec<&str> = files
        .iter()
        .filter(|(path, kind)| *kind == BuildFile::Make && !matches!(path.rsplit('.').next(), Some("in" | "am")))
        .map(|(path, _)| path.as_str())
        .collect();
    let names: &[&str] = match to {
        Give::Compilers => &["CFLAGS", "CXXFLAGS", "OPTFLAGS", "OPT", "CCFLAGS", "CPPFLAGS"],
        Give::Libraries => &["LDLIBS", "LIBS", "LDADD", "LDFLAGS", "LFLAGS"],
    };
    let generated = case.files.iter().any(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        matches!(
            name,
            "configure" | "configure.ac" | "configure.in" | "CMakeLists.txt" | "meson.build"
        )
    });
    if !generated {
        let mut done = false;
        for path in &makefiles {
            done |= draft.edit(path, |text| append(text, names, flag));
        }
        if done {
            return true;
        }
        for path in &makefiles {
            done |= draft.edit(path, |text| behind_compiler(text, to, flag));
        }
        if done {
            return true;
        }
    }
    let Some(recipe) = case.recipe().map(str::to_owned) else {
        return false;
    };
    if !case.is_debian() {
        return edit_spec(draft, |spec| match to {
            Give::Compilers => spec.add_build_flag(flag).ok(),
            Give::Libraries => libraries_of_spec(spec, flag),
        });
    }
    draft.edit(&recipe, |rules| {
        // A recipe that compiles by itself.
        if let Some(new) = append(rules, names, flag).or_else(|| behind_compiler(rules, to, flag)) {
            return Some(new);
        }
        let lines: Vec<(&str, String)> = match to {
            Give::Compilers => vec![
                ("DEB_CFLAGS_MAINT_APPEND", flag.to_owned()),
                ("DEB_CXXFLAGS_MAINT_APPEND", flag.to_owned()),
            ],
            // It stands before the objects there: the linker must not drop it for being unused so far.
            Give::Libraries => vec![(
                "DEB_LDFLAGS_MAINT_APPEND",
                format!("-Wl,--push-state,--no-as-needed {flag} -Wl,--pop-state"),
            )],
        };
        let mut text = rules.to_owned();
        let mut head = String::new();
        for (name, value) in lines {
            let append = Regex::new(&format!(r"(?m)^(export\s+{name}\s*[:+?]?=.*)$")).ok()?;
            if append.is_match(&text) {
                text = append
                    .replace(&text, |found: &regex::Captures<'_>| {
                        format!("{} {value}", found.get(1).map_or("", |line| line.as_str().trim_end()))
                    })
                    .into_owned();
            } else {
                let line = format!("export {name} = {value}\n");
                head.push_str(&line);
            }
        }
        Some(at_head(&text, &head))
    })
}

fn libraries_of_spec(spec: &mut Spec, flag: &str) -> Option<()> {
    let section = spec.section(&seatrial_packaging::rpm::SectionKind::Build)?.clone();
    let text = String::from_utf8(spec.bytes()).ok()?;
    let mut lines = split(&text);
    let compiles = |line: &str| {
        Regex::new(r"^\s*(?:%\{?__cc\}?|gcc|g\+\+|cc|c\+\+|\$\{?CC\}?|\$\{?CXX\}?)\s").is_ok_and(|it| it.is_match(line))
    };
    let mut found = false;
    for line in lines.iter_mut().take(section.end).skip(section.start) {
        if compiles(line) && !line.contains(" -c ") {
            *line = format!("{} {flag}\n", line.trim_end());
            found = true;
        }
    }
    if !found {
        lines.insert(
            section.start,
            format!("export LDFLAGS=\"${{LDFLAGS:-%{{?build_ldflags}}}} -Wl,--push-state,--no-as-needed {flag} -Wl,--pop-state\"\n"),
        );
    }
    *spec = Spec::parse("spec", lines.concat().as_bytes()).ok()?;
    Some(())
}

/// Adds a flag behind what a makefile gives the first of the variables that it sets; C and C++ have one each.
fn append(text: &str, names: &[&str], flag: &str) -> Option<String> {
    let both = ["CFLAGS", "CXXFLAGS"];
    if names.starts_with(&both) {
        let first = append_to(text, "CFLAGS", flag);
        let second = append_to(first.as_deref().unwrap_or(text), "CXXFLAGS", flag);
        if let Some(found) = second.or(first) {
            return Some(found);
        }
    }
    names.iter().find_map(|name| append_to(text, name, flag))
}

fn append_to(text: &str, name: &str, flag: &str) -> Option<String> {
    let assigned = Regex::new(&format!(r"^(?:export\s+|override\s+)?{name}\s*(?:[:?]|::)?=")).ok()?;
    let mut lines = split(text);
    let first = lines.iter().position(|line| assigned.is_match(line))?;
    // The last line of the value.
    let mut last = first;
    while lines.get(last).is_some_and(|line| line.trim_end().ends_with('\\')) {
        last += 1;
    }
    let line = lines.get_mut(last)?;
    let bare = line.trim_end_matches(['\n', '\r']);
    let (value, comment) = match bare.find(" #") {
        Some(at) => bare.split_at(at),
        None => (bare, ""),
    };
    *line = format!("{} {flag}{comment}\n", value.trim_end());
    Some(lines.concat())
}

/// Puts a flag behind the name of the compiler, or at the end of the command for a library.
fn behind_compiler(text: &str, to: Give, flag: &str) -> Option<String> {
    let compiler = Regex::new(r"(^|[\s;&])(\$[({]?CC[)}]?|\$[({]?CXX[)}]?|gcc|g\+\+|cc|c\+\+)(\s)").ok()?;
    let mut done = false;
    let lines: Vec<String> = split(text)
        .into_iter()
        .map(|line| {
            if !line.starts_with(['\t', ' ']) || !compiler.is_match(&line) {
                return line;
            }
            match to {
                Give::Compilers => {
                    done = true;
                    compiler
                        .replace(&line, format!("${{1}}${{2}} {flag}${{3}}"))
                        .into_owned()
                }
                Give::Libraries if line.contains(" -c ") || line.trim_end().ends_with('\\') => line,
                Give::Libraries => {
                    done = true;
                    let end = line
                        .find(" && ")
                        .or_else(|| line.find("; "))
                        .unwrap_or(line.trim_end().len());
                    let (command, rest) = line.split_at(end);
                    format!("{command} {flag}{rest}")
                }
            }
        })
        .collect();
    done.then(|| lines.concat())
}

/// Whether the recipe is one of debhelper's sequences.
pub(crate) fn is_sequence(rules: &str) -> bool {
    rules.lines().any(|line| {
        let line = line.trim_start().trim_start_matches('@');
        line.starts_with("dh $@")
            || line.starts_with("dh $(@)")
            || line.starts_with("dh ${@}")
            || line.starts_with("dh $*")
    })
}

/// The text of `debian/rules`.
pub(crate) fn rules(case: &Case<'_>) -> String {
    case.text("debian/rules")
        .map(|text| text.to_string())
        .unwrap_or_default()
}
