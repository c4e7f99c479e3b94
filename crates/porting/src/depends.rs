//! Build dependencies: restricted to other architectures, not there on this one, renamed, forgotten.

use regex::Regex;
use seatrial_diagnosis::{Kind, Problem};
use seatrial_packages::Key;
use seatrial_packaging::deb::Control;

use crate::{
    Mark, Repair, State,
    case::Case,
    draft::{Draft, split},
    machine,
    recipe::{build_with, name_of},
    table::Sign,
};

const FIELDS: [&str; 3] = ["Build-Depends", "Build-Depends-Arch", "Build-Depends-Indep"];

/// Packages that exist where a compiler makes code for the sister machine as well.
const SISTERS: [&str; 8] = [
    "gcc-multilib",
    "g++-multilib",
    "libc6-dev-i386",
    "libc6-dev-x32",
    "lib32gcc-s1",
    "lib32stdc++6",
    "lib32z1-dev",
    "glibc-devel-32bit",
];

/// The names of architectures in an item's brackets.
fn restriction(item: &str) -> Option<Vec<&str>> {
    let (_, rest) = item.split_once('[')?;
    Some(rest.split(']').next()?.split_whitespace().collect())
}

/// Whether an item's brackets leave a target out.
fn leaves_out(item: &str, debian: &str) -> bool {
    let Some(words) = restriction(item) else { return false };
    let cpu = if debian == "armhf" { "arm" } else { debian };
    let is =
        |word: &str| word == debian || word == "any" || word == "linux-any" || word.strip_prefix("any-") == Some(cpu);
    if words.iter().any(|word| word.starts_with('!')) {
        return words.iter().any(|word| word.strip_prefix('!').is_some_and(is));
    }
    !words.iter().any(|word| is(word))
}

/// An item without its brackets, or with others.
fn restricted(item: &str, words: Option<&str>) -> String {
    let bare = match (item.find('['), item.find(']')) {
        (Some(from), Some(to)) if from < to => format!(
            "{}{}",
            item.get(..from).unwrap_or_default().trim_end(),
            item.get(to + 1..).unwrap_or_default()
        ),
        _ => item.trim().to_owned(),
    };
    match words {
        None => bare,
        Some(words) => match bare.find('<') {
            Some(at) => format!(
                "{} [{words}] {}",
                bare.get(..at).unwrap_or_default().trim_end(),
                bare.get(at..).unwrap_or_default()
            ),
            None => format!("{bare} [{words}]"),
        },
    }
}

/// Changes items of the lists of build dependencies.
fn change(draft: &mut Draft<'_, '_>, edit: impl Fn(&str) -> Option<Option<String>>) -> bool {
    draft.edit("debian/control", |text| {
        let mut control = Control::parse("debian/control", text).ok()?;
        for field in FIELDS {
            for item in control.items(0, field) {
                if let Some(new) = edit(&item) {
                    control.change_item(0, field, |other| other == item, new.as_deref());
                }
            }
        }
        Some(control.text())
    })
}

/// Repairs for what the solver could not give.
pub(crate) fn unresolvable(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let mut missing: Vec<String> = case
        .failure
        .missing
        .iter()
        .map(|item| name_of(item).to_owned())
        .collect();
    missing.extend(signs.iter().flat_map(Sign::names).map(|name| name_of(name).to_owned()));
    missing.retain(|name| !name.is_empty());
    missing.sort();
    missing.dedup();
    let (target, works_on) = (case.target(), case.works_on());
    let mut repairs = Vec::new();
    for name in &missing {
        let why = match signs.iter().find(|sign| sign.text.contains(name.as_str())) {
            Some(sign) => sign.quote(&format!("{name} is not there on {target}")),
            None => format!("the solver finds no `{name}` on {target}"),
        };
        let is_sister = SISTERS.contains(&name.as_str());
        let here = if is_sister && machine::is_x86(works_on) {
            format!("{} x32", machine::debian(&[seatrial_core::Arch::X86_64]))
        } else {
            String::new()
        };
        for other in renamed(case, name) {
            let mut draft = Draft::new(case);
            change(&mut draft, |item| {
                (name_of(item) == name).then(|| Some(item.replacen(name.as_str(), &other, 1)))
            });
            spec_requires(&mut draft, name, &|line| Some(line.replacen(name.as_str(), &other, 1)));
            repairs.extend(draft.finish(
                "renamed-dependency",
                72,
                format!("build with {other} instead of {name}"),
                why.clone(),
            ));
        }
        let mut draft = Draft::new(case);
        let only = if here.is_empty() {
            format!("!{}", target.debian())
        } else {
            here
        };
        change(&mut draft, |item| {
            if name_of(item) != name || item.contains('|') {
                return None;
            }
            let words = match restriction(item) {
                Some(words) if words.iter().all(|word| word.starts_with('!')) => {
                    format!("{} !{}", words.join(" "), target.debian())
                }
                Some(words) => words
                    .into_iter()
                    .filter(|word| *word != target.debian())
                    .collect::<Vec<_>>()
                    .join(" "),
                None => only.clone(),
            };
            Some((!words.is_empty()).then(|| restricted(item, Some(&words))))
        });
        let rpm = machine::rpm(&[target]);
        spec_requires(&mut draft, name, &|line| {
            Some(format!("%ifnarch {rpm}\n{}\n%endif\n", line.trim_end()))
        });
        if !is_sister {
            draft.mark(Mark::RemovesFeatures);
        }
        repairs.extend(draft.finish(
            "restrict-dependency",
            if is_sister { 82 } else { 62 },
            format!("build with {name} only where it is there"),
            why.clone(),
        ));
        let mut draft = Draft::new(case);
        draft.mark(Mark::RemovesFeatures);
        change(&mut draft, |item| {
            (name_of(item) == name && !item.contains('|')).then_some(None)
        });
        spec_requires(&mut draft, name, &|_| None);
        repairs.extend(draft.finish("drop-dependency", 30, format!("build without {name} everywhere"), why));
    }
    repairs
}

/// Other packages that have what a package of that name would have.
fn renamed(case: &Case<'_>, name: &str) -> Vec<String> {
    let Some(resolver) = case.failure.resolver else {
        return Vec::new();
    };
    let bare = name
        .trim_start_matches("lib")
        .trim_end_matches("-dev")
        .trim_end_matches("-devel");
    let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let mut keys = vec![
        Key::PkgConfig(bare.to_owned()),
        Key::Library(bare.to_owned()),
        Key::Command(name.to_owned()),
    ];
    if stem != bare && !stem.is_empty() {
        keys.extend([Key::PkgConfig(stem.to_owned()), Key::Library(stem.to_owned())]);
    }
    for key in keys {
        let found = resolver.resolve(&key);
        if let Some(best) = found.into_iter().find(|candidate| candidate.package != name) {
            return vec![best.package];
        }
    }
    Vec::new()
}

/// Changes the lines of a spec that require a package.
fn spec_requires(draft: &mut Draft<'_, '_>, name: &str, edit: &dyn Fn(&str) -> Option<String>) {
    if draft.case.is_debian() {
        return;
    }
    let Some(path) = draft.case.recipe().map(str::to_owned) else {
        return;
    };
    draft.edit(&path, |text| {
        let lines: Vec<String> = split(text)
            .into_iter()
            .map(|line| {
                let is = line.to_ascii_lowercase().starts_with("buildrequires")
                    && line.split_once(':').is_some_and(|(_, value)| name_of(value) == name);
                if is { edit(&line).unwrap_or_default() } else { line }
            })
            .collect();
        Some(lines.concat())
    });
}

/// The key of a missing name.
fn key(problem: &Problem) -> Option<Key> {
    let name = problem.subject.clone();
    Some(match problem.kind {
        Kind::MissingHeader => Key::Header(name),
        Kind::MissingPkgConfig => Key::PkgConfig(name),
        Kind::MissingCMake => Key::CMake(name),
        Kind::MissingLibrary => Key::Library(name),
        Kind::MissingSharedObject => Key::Soname(name),
        Kind::MissingCommand => Key::Command(name),
        Kind::MissingMacro => Key::Macro(name),
        Kind::MissingPython => Key::Python(name),
        Kind::MissingPerl => Key::Perl(name),
        Kind::MissingFile => Key::Path(name),
        _ => return None,
    })
}

/// Words of a name that another name may share.
fn stem(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let name = name.trim_start_matches("lib");
    let end = name.find(['.', '-', '_']).unwrap_or(name.len());
    name.get(..end)
        .unwrap_or(name)
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .to_owned()
}

/// Repairs for a name that is missing in the build: a dependency that is restricted to other architectures, or none.
pub(crate) fn missing(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    if *case.failure.state != State::Failed {
        return Vec::new();
    }
    let target = case.target();
    let mut repairs = Vec::new();
    let diagnosis = case.failure.diagnosis;
    for sign in signs {
        let Some(problem) = diagnosis
            .cause
            .iter()
            .chain(&diagnosis.missing)
            .find(|problem| problem.line == sign.line)
        else {
            continue;
        };
        let packages: Vec<String> = match (case.failure.resolver, key(problem)) {
            (Some(resolver), Some(key)) => resolver
                .resolve(&key)
                .into_iter()
                .take(2)
                .map(|candidate| candidate.package)
                .collect(),
            _ => Vec::new(),
        };
        let wanted = stem(&problem.subject);
        let concerns = |name: &str| {
            packages.iter().any(|package| package == name) || (wanted.len() > 1 && stem(name).starts_with(&wanted))
        };
        if case.is_debian() {
            let mut draft = Draft::new(case);
            change(&mut draft, |item| {
                if !leaves_out(item, target.debian()) || !concerns(name_of(item)) {
                    return None;
                }
                let words = restriction(item)?;
                if words.iter().any(|word| word.starts_with('!')) {
                    let rest: Vec<&str> = words
                        .into_iter()
                        .filter(|word| word.strip_prefix('!') != Some(target.debian()))
                        .collect();
                    let rest = rest.join(" ");
                    return Some(Some(restricted(item, (!rest.is_empty()).then_some(rest.as_str()))));
                }
                Some(Some(restricted(
                    item,
                    Some(&format!("{} {}", words.join(" "), target.debian())),
                )))
            });
            repairs.extend(draft.finish(
                "widen-dependency",
                86,
                format!("build with it on {target} too"),
                sign.quote("a build dependency that would have it is restricted to other architectures"),
            ));
        } else {
            repairs.extend(widened_in_spec(case, sign, &concerns));
        }
        if let Some(package) = packages.first() {
            let mut draft = Draft::new(case);
            let rpm = package.strip_suffix("-dev").map_or_else(
                || package.clone(),
                |name| format!("{}-devel", name.trim_start_matches("lib")),
            );
            build_with(&mut draft, package, &rpm);
            repairs.extend(draft.finish(
                "add-dependency",
                74,
                format!("build with {package}"),
                sign.quote(&format!("{package} has it, and the recipe does not name it")),
            ));
        }
    }
    repairs
}

/// Takes build dependencies out of conditions on other architectures.
fn widened_in_spec(case: &Case<'_>, sign: &Sign, concerns: &dyn Fn(&str) -> bool) -> Option<Repair> {
    let path = case.recipe()?.to_owned();
    let target = case.target();
    let condition = Regex::new(r"^%ifarch\s+(.*)$").ok()?;
    let mut draft = Draft::new(case);
    draft.edit(&path, |text| {
        let mut lines = split(text);
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut widen = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if line.starts_with("%if") {
                let is_other = condition
                    .captures(line.trim_end())
                    .and_then(|found| found.get(1))
                    .is_some_and(|words| {
                        !words
                            .as_str()
                            .split_whitespace()
                            .any(|word| machine::names(target).contains(&word))
                    });
                open.push(is_other.then_some(at));
            } else if line.starts_with("%endif") {
                open.pop();
            } else if line.to_ascii_lowercase().starts_with("buildrequires")
                && line.split_once(':').is_some_and(|(_, value)| concerns(name_of(value)))
            {
                widen.extend(open.iter().flatten().copied());
            }
        }
        for at in widen {
            let line = lines.get_mut(at)?;
            if !line.contains(machine::rpm(&[target]).as_str()) {
                *line = format!("{} {}\n", line.trim_end(), machine::rpm(&[target]));
            }
        }
        Some(lines.concat())
    });
    draft.finish(
        "widen-dependency",
        86,
        format!("build with it on {target} too"),
        sign.quote("a build dependency that would have it is under a condition on other architectures"),
    )
}
