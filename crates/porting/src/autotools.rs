//! Old files of Autotools that do not know the architecture.

use regex::Regex;

use crate::{
    Repair,
    case::Case,
    draft::{Draft, split},
    recipe::{build_with, edit_spec, is_sequence, rules},
    table::Sign,
};

/// Folders with an own `config.guess` or `config.sub`, as a build sees them.
fn folders(case: &Case<'_>) -> Vec<String> {
    let unpacked: Vec<String> = case
        .failure
        .package
        .unpacked()
        .into_iter()
        .map(|(folder, _)| folder.to_owned())
        .collect();
    let mut folders: Vec<String> = case
        .files
        .iter()
        .filter(|path| matches!(path.rsplit('/').next(), Some("config.guess" | "config.sub")))
        .map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned())
        .map(|folder| {
            // Archives of a flat folder are unpacked into one folder more, the one that `%setup` enters.
            let inside = unpacked
                .iter()
                .find_map(|archive| folder.strip_prefix(archive.as_str()));
            match inside {
                Some(rest) => rest
                    .trim_start_matches('/')
                    .split_once('/')
                    .map_or("", |(_, rest)| rest)
                    .to_owned(),
                None => folder,
            }
        })
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

fn at(folder: &str) -> String {
    if folder.is_empty() {
        ".".to_owned()
    } else {
        folder.to_owned()
    }
}

/// Repairs for `config.guess`, `config.sub` and libtool that are too old.
pub(crate) fn repairs(case: &Case<'_>, signs: &[Sign]) -> Vec<Repair> {
    let Some(sign) = signs.first() else { return Vec::new() };
    let why =
        || sign.quote("the project's copies of config.guess, config.sub or libtool are older than this architecture");
    let folders = folders(case);
    let is_libtool = signs.iter().any(|sign| sign.text.contains("libtool"));
    let mut repairs = Vec::new();
    if !folders.is_empty() {
        let mut draft = Draft::new(case);
        let done = if case.is_debian() {
            copy_in_rules(&mut draft, &folders)
        } else {
            copy_in_spec(&mut draft, &folders)
        };
        if done {
            repairs.extend(draft.finish(
                "refresh-config-guess",
                if is_libtool { 66 } else { 88 },
                "take the distribution's config.guess and config.sub",
                why(),
            ));
        }
    }
    let has_input = case
        .files
        .iter()
        .any(|path| path.ends_with("configure.ac") || path.ends_with("configure.in"));
    if has_input {
        let mut draft = Draft::new(case);
        let done = if case.is_debian() {
            regenerate_in_rules(&mut draft)
        } else {
            regenerate_in_spec(&mut draft)
        };
        if done {
            repairs.extend(draft.finish(
                "regenerate",
                if is_libtool { 88 } else { 70 },
                "make the files of Autotools anew before configuring",
                why(),
            ));
        }
    }
    repairs
}

fn copy_in_rules(draft: &mut Draft<'_, '_>, folders: &[String]) -> bool {
    let text = rules(draft.case);
    let copies: Vec<String> = folders
        .iter()
        .map(|folder| {
            format!(
                "\tcp -f /usr/share/misc/config.guess /usr/share/misc/config.sub {}\n",
                at(folder)
            )
        })
        .collect();
    let copies = copies.concat();
    build_with(draft, "autotools-dev", "automake");
    draft.edit("debian/rules", |_| {
        // Before the line that configures.
        let configures = Regex::new(r"^\t.*(?:\./configure\b|\bdh_auto_configure\b|(?:sh|bash)\s+configure\b)").ok()?;
        let mut lines = split(&text);
        if let Some(line) = lines.iter().position(|line| configures.is_match(line)) {
            lines.insert(line, copies);
            return Some(lines.concat());
        }
        is_sequence(&text).then(|| {
            let gap = if text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{gap}\noverride_dh_auto_configure:\n{copies}\tdh_auto_configure\n")
        })
    })
}

fn copy_in_spec(draft: &mut Draft<'_, '_>, folders: &[String]) -> bool {
    build_with(draft, "automake", "automake");
    let copies: Vec<String> = folders
        .iter()
        .map(|folder| {
            format!(
                "for name in guess sub; do cp -f \"$(ls -d %{{_datadir}}/automake-*/config.$name | tail -n 1)\" {}/config.$name; done\n",
                at(folder)
            )
        })
        .collect();
    before_configuring(draft, &copies.concat())
}

/// Puts lines before the line of a spec that configures.
fn before_configuring(draft: &mut Draft<'_, '_>, new: &str) -> bool {
    let Some(path) = draft.case.recipe().map(str::to_owned) else {
        return false;
    };
    draft.edit(&path, |text| {
        let configures =
            Regex::new(r"^\s*(?:%configure|%\{configure\}|%_configure|(?:\S+=\S*\s+)*(?:sh\s+)?\./configure)\b?")
                .ok()?;
        let mut lines = split(text);
        let line = lines.iter().position(|line| configures.is_match(line))?;
        lines.insert(line, new.to_owned());
        Some(lines.concat())
    })
}

fn regenerate_in_rules(draft: &mut Draft<'_, '_>) -> bool {
    let text = rules(draft.case);
    if !is_sequence(&text) {
        for package in ["autoconf", "automake", "libtool"] {
            build_with(draft, package, package);
        }
        return draft.edit("debian/rules", |_| {
            let configures = Regex::new(r"^\t.*(?:\./configure\b|(?:sh|bash)\s+configure\b)").ok()?;
            let mut lines = split(&text);
            let line = lines.iter().position(|line| configures.is_match(line))?;
            lines.insert(line, "\tautoreconf -fi\n".to_owned());
            Some(lines.concat())
        });
    }
    build_with(draft, "dh-autoreconf", "autoconf");
    draft.edit("debian/rules", |_| {
        // What turned it off goes, or else it is turned on.
        let off = Regex::new(r"\s--without[ =]autoreconf\b").ok()?;
        if off.is_match(&text) {
            return Some(off.replace_all(&text, "").into_owned());
        }
        let call = Regex::new(r"(?m)^(\t@?dh \$(?:@|\(@\)|\{@\}))(.*)$").ok()?;
        let found = call.captures(&text)?;
        if found.get(2).is_some_and(|rest| rest.as_str().contains("autoreconf")) {
            return None;
        }
        Some(call.replace(&text, "${1} --with autoreconf${2}").into_owned())
    })
}

fn regenerate_in_spec(draft: &mut Draft<'_, '_>) -> bool {
    edit_spec(draft, |spec| {
        for package in ["autoconf", "automake", "libtool"] {
            spec.add_build_requires(package).ok()?;
        }
        Some(())
    });
    before_configuring(draft, "autoreconf -fi\n")
}
