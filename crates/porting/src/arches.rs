//! Lists of architectures in recipes.

use regex::Regex;
use seatrial_core::Arch;
use seatrial_packaging::deb::Control;

use crate::{
    Mark, Repair,
    case::Case,
    draft::{Draft, split},
    machine,
    recipe::edit_spec,
    table::Sign,
};

/// Whether Debian's list of architectures has a word for one.
fn fits(list: &str, arch: Arch) -> bool {
    let cpu = if arch == Arch::Armv7l { "arm" } else { arch.debian() };
    list.split_whitespace().any(|word| {
        word == "any" || word == "all" || word == arch.debian() || word == "linux-any" || word == format!("any-{cpu}")
    })
}

/// Lets the recipe be built on the target.
pub(crate) fn allow(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let target = case.target();
    if case.failure.package.architectures().allows(target) {
        return Vec::new();
    }
    let why = match signs.first() {
        Some(sign) => sign.quote("the recipe does not list this architecture"),
        None => format!("the recipe does not list {target}"),
    };
    let mut repairs = Vec::new();
    if case.is_debian() {
        for (word, confidence) in [(target.debian(), 85), ("any", 60)] {
            let mut draft = Draft::new(case);
            draft.edit("debian/control", |text| {
                let mut control = Control::parse("debian/control", text).ok()?;
                for paragraph in 1..control.paragraphs() {
                    let list = control.get(paragraph, "Architecture")?;
                    if fits(&list, target) {
                        continue;
                    }
                    let new = if word == "any" {
                        "any".to_owned()
                    } else {
                        format!("{} {word}", list.split_whitespace().collect::<Vec<_>>().join(" "))
                    };
                    control.set(paragraph, "Architecture", &new).ok()?;
                }
                Some(control.text())
            });
            repairs.extend(draft.finish(
                "allow-architecture",
                confidence,
                format!("Architecture: add {word}"),
                why.clone(),
            ));
        }
        return repairs;
    }
    let mut draft = Draft::new(case);
    spec_words(&mut draft, true);
    repairs.extend(draft.finish(
        "allow-architecture",
        85,
        format!("let the package be built on {target}"),
        why.clone(),
    ));
    let mut draft = Draft::new(case);
    spec_words(&mut draft, false);
    repairs.extend(draft.finish(
        "allow-every-architecture",
        55,
        "take the lists of architectures out",
        why,
    ));
    repairs
}

/// Changes `ExclusiveArch`, `ExcludeArch` (and a `BuildArch` of one machine): adds or removes the target's names, or takes
/// the lines out.
fn spec_words(draft: &mut Draft<'_, '_>, by_word: bool) {
    let target = draft.case.target();
    let Some(path) = draft.case.recipe().map(str::to_owned) else {
        return;
    };
    let Ok(tag) = Regex::new(r"^(?i)(ExclusiveArch|ExcludeArch|BuildArch(?:itectures)?)(\s*:\s*)(.*?)(\s*)$") else {
        return;
    };
    let mut own: Vec<&str> = machine::names(target).to_vec();
    let macros = match target {
        Arch::I686 => "%{ix86}",
        Arch::Armv7l => "%{arm}",
        other => other.as_str(),
    };
    own.extend(
        [macros, "%ix86", "%arm"]
            .into_iter()
            .filter(|word| !word.starts_with('%') || *word == macros || macros.contains(&word[1..])),
    );
    draft.edit(&path, |text| {
        let lines: Vec<String> = split(text)
            .into_iter()
            .map(|line| {
                let Some(found) = tag.captures(&line) else { return line };
                let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
                let (name, value) = (part(1).to_ascii_lowercase(), part(3));
                if value.contains("noarch") {
                    return line;
                }
                let words: Vec<&str> = value.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
                if !by_word {
                    return String::new();
                }
                if name == "excludearch" {
                    let rest: Vec<&str> = words.iter().copied().filter(|word| !own.contains(word)).collect();
                    return match rest.len() {
                        0 => String::new(),
                        count if count == words.len() => line,
                        _ => format!("{}{}{}\n", part(1), part(2), rest.join(" ")),
                    };
                }
                if words.iter().any(|word| own.contains(word)) {
                    return line;
                }
                format!("{}{}{value} {macros}\n", part(1), part(2))
            })
            .collect();
        Some(lines.concat())
    });
}

/// The honest answer where nothing else is known: the package is not for this architecture.
pub(crate) fn exclude(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let target = case.target();
    let works_on = case.works_on();
    let mut draft = Draft::new(case);
    draft.mark(Mark::RemovesArchitectures);
    if case.is_debian() {
        draft.edit("debian/control", |text| {
            let mut control = Control::parse("debian/control", text).ok()?;
            for paragraph in 1..control.paragraphs() {
                let list = control.get(paragraph, "Architecture")?;
                if !fits(&list, target) || list.trim() == "all" {
                    continue;
                }
                let rest: Vec<&str> = list.split_whitespace().filter(|word| !fits(word, target)).collect();
                let new = if rest.is_empty() {
                    let like: &[Arch] = if machine::is_x86(works_on) && !machine::is_x86(target) {
                        machine::X86
                    } else {
                        &[]
                    };
                    if like.is_empty() {
                        works_on.debian().to_owned()
                    } else {
                        machine::debian(like)
                    }
                } else {
                    rest.join(" ")
                };
                control.set(paragraph, "Architecture", &new).ok()?;
            }
            Some(control.text())
        });
    } else {
        edit_spec(&mut draft, |spec| {
            spec.add_arch(
                "ExcludeArch",
                if target == Arch::I686 {
                    "%{ix86}"
                } else {
                    target.as_str()
                },
            )
            .ok()
        });
    }
    draft
        .finish(
            "exclude-architecture",
            3,
            format!("do not build the package for {target}"),
            sign.quote("where what the package is about exists on other processors only, this is the answer"),
        )
        .into_iter()
        .collect()
}
