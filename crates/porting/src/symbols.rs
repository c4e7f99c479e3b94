//! Debian's lists of symbols that differ between architectures.

use std::collections::BTreeSet;

use crate::{
    Mark, Repair,
    case::Case,
    draft::{Draft, split},
    recipe::{is_sequence, rules},
    table::Sign,
};

/// A symbol with its version, from a line of the difference that dpkg-gensymbols prints.
fn symbol(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next()?;
    word.contains('@').then_some(word)
}

/// A symbol of a line of a list, without its tags.
fn listed(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix(' ')?;
    let (tags, rest) = match line.strip_prefix('(') {
        Some(behind) => behind.split_once(')')?,
        None => ("", line),
    };
    let end = if let Some(quoted) = rest.strip_prefix('"') {
        quoted.find('"')? + 2
    } else {
        rest.find(' ').unwrap_or(rest.len())
    };
    Some((tags, rest.get(..end)?))
}

/// Repairs for lists of symbols of which some are not made on the target.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let (Some(sign), true) = (signs.first(), case.is_debian()) else {
        return Vec::new();
    };
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let mut new: BTreeSet<String> = BTreeSet::new();
    for line in &case.lines {
        if let Some((_, rest)) = line.text.split_once("+#MISSING:") {
            // Behind it stands the version that the list is compared for.
            let rest = rest.split_once('#').map_or(rest, |(_, rest)| rest);
            gone.extend(symbol(rest).map(str::to_owned));
        } else if let Some(rest) = line.text.strip_prefix("+ ") {
            new.extend(
                symbol(rest).map(|symbol| format!("{symbol} {}", rest.split_whitespace().nth(1).unwrap_or_default())),
            );
        }
    }
    let arch = case.target().debian();
    let lists: Vec<String> = case
        .files
        .iter()
        .filter(|path| path.starts_with("debian/") && (path.ends_with(".symbols") || path.ends_with("/symbols")))
        .cloned()
        .collect();
    let mut draft = Draft::new(case);
    for path in &lists {
        draft.edit(path, |text| {
            let mut lines = split(text);
            let mut last = None;
            for (at, line) in lines.iter_mut().enumerate() {
                let Some((tags, name)) = listed(line.trim_end()) else {
                    continue;
                };
                if !gone.contains(name) {
                    continue;
                }
                let rest = line.split_once(name).map_or("", |(_, rest)| rest).to_owned();
                let tags: Vec<String> = tags
                    .split('|')
                    .filter(|tag| !tag.is_empty())
                    .map(str::to_owned)
                    .collect();
                let mut own = false;
                let mut tags: Vec<String> = tags
                    .into_iter()
                    .map(|tag| match tag.strip_prefix("arch=") {
                        Some(words) => {
                            own = true;
                            let kept: Vec<&str> = words.split_whitespace().filter(|word| *word != arch).collect();
                            if words.contains('!') || kept.len() == words.split_whitespace().count() {
                                format!("arch={words} !{arch}")
                            } else {
                                format!("arch={}", kept.join(" "))
                            }
                        }
                        None => tag,
                    })
                    .collect();
                if !own {
                    tags.insert(0, format!("arch=!{arch}"));
                }
                *line = format!(" ({}){name}{rest}", tags.join("|"));
                last = Some(at);
            }
            if let Some(at) = last {
                let added: Vec<String> = new.iter().map(|symbol| format!(" (arch={arch}){symbol}\n")).collect();
                lines.insert(at + 1, added.concat());
            }
            Some(lines.concat())
        });
    }
    let why =
        || sign.quote("the library has other symbols on this architecture, and the list says that all have the same");
    let mut repairs: Vec<Repair> = draft
        .finish(
            "symbol-tags",
            86,
            format!("mark the symbols that {arch} has not, and those that only it has"),
            why(),
        )
        .into_iter()
        .collect();
    let text = rules(case);
    let mut draft = Draft::new(case);
    draft.mark(Mark::LowersChecks);
    draft.edit("debian/rules", |_| {
        if text.contains("dh_makeshlibs") {
            let line = text
                .lines()
                .find(|line| line.starts_with('\t') && line.contains("dh_makeshlibs"))?;
            let new = if line.contains(" -- ") {
                format!("{line} -c0")
            } else {
                format!("{line} -- -c0")
            };
            return Some(text.replacen(line, &new, 1));
        }
        is_sequence(&text).then(|| {
            format!(
                "{}\noverride_dh_makeshlibs:\n\tdh_makeshlibs -- -c0\n",
                text.trim_end_matches('\n').to_owned() + "\n"
            )
        })
    });
    repairs.extend(draft.finish("symbol-check", 35, "let lists of symbols differ", why()));
    repairs
}
