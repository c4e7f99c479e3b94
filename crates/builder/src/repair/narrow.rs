//! A repair for the sources whose complaints asked for it, before the same one for the whole project.
//!
//! Wrapped compilers see each call, so a flag can be for one source alone. What cannot be traced to a few sources of the
//! tree is for the whole project.

use std::collections::BTreeSet;

use seatrial_core::{BOX_SOURCE, Relaxation, RelaxationScope};

use super::{Rank, Repair, Situation};
use crate::{
    BuildSystem,
    pattern::Pattern,
    plan::{FileFlags, is_plain},
    tree::{Language, Tree, language},
};

/// Sources from which on a relaxation is one of the project.
const HANDFUL: usize = 4;
/// Lines before an error in which the compiler says through which files it came there.
const CHAIN: usize = 24;

/// What a line of the log says when it asks for a repair.
pub(crate) enum Asked {
    /// Something that this fits.
    Fits(&'static Pattern),
    /// The same as this line, of whatever names and numbers.
    Like(String),
}

static PLACE: Pattern = Pattern::new(r"^(?:[^\s:]*ld: )?([^\s:'`]+):\d+:(?:\d+:)? ");
static FROM: Pattern = Pattern::new(r"^(?:In file included|\s+) ?from ([^\s:]+):\d+");
static OBJECTS: Pattern = Pattern::new(r"([A-Za-z0-9_./+-]+)\.l?o\)?:(?:\(\.|[^\s:]+:\d+: (?:multiple|first))");

/// The repair for a few sources; none where it is not one of flags, or where more of the project asks for it.
pub(super) fn narrowed(situation: &Situation<'_>, wide: &Repair) -> Option<Repair> {
    // Compilers for other machines are not wrapped, and the kernel's build is not told of wrappers.
    if matches!(
        situation.system,
        BuildSystem::VisualStudio | BuildSystem::KernelModule | BuildSystem::Arduino
    ) {
        return None;
    }
    let before = situation.settings;
    let change = wide.settings.since(before);
    let flags = change.c_flags.iter().chain(&change.cxx_flags);
    if !wide.settings.shims
        || change.c_flags.is_empty() && change.cxx_flags.is_empty()
        || !flags.clone().all(|flag| is_for_one(flag))
    {
        return None;
    }
    // Nothing but flags is added.
    let mut same = wide.settings.effect();
    (same.c_flags, same.cxx_flags) = (before.c_flags.clone(), before.cxx_flags.clone());
    same.shims = before.shims;
    if same != before.effect() {
        return None;
    }
    let mut added = Vec::new();
    for path in sources(situation, wide.asked.as_ref()?)? {
        let flags = match language(&path)? {
            Language::C => &change.c_flags,
            Language::Cxx => &change.cxx_flags,
        };
        let flags: Vec<String> = flags.clone();
        // Another source asked for the same before: more will.
        let again = before.for_files.iter().any(|known| known.flags == flags);
        if flags.is_empty() || again {
            return None;
        }
        added.push(FileFlags { path, flags });
    }
    let files: Vec<String> = added.iter().map(|file| file.path.clone()).collect();
    let mut settings = before.clone();
    settings.shims = true;
    settings.for_files.extend(added);
    let what = format!("{}, only for {}", wide.what, files.join(" "));
    let relaxation = Relaxation {
        class: wide.class,
        rule: wide.rule.clone(),
        what: wide.what.clone(),
        scope: RelaxationScope::Files(files.clone()),
        why: wide.why.clone(),
    };
    settings.note(before, relaxation);
    Some(Repair {
        id: format!("{} in {}", wide.id, files.join(" ")),
        rule: wide.rule.clone(),
        class: wide.class,
        what,
        why: wide.why.clone(),
        rank: wide.rank,
        settings,
        asked: None,
    })
}

/// Puts each repair for a few sources before the one for the project, which then waits for whether that was enough.
pub(super) fn before_wide(situation: &Situation<'_>, found: Vec<Repair>) -> Vec<Repair> {
    let mut all = Vec::new();
    for mut repair in found {
        if let Some(narrow) = narrowed(situation, &repair) {
            repair.rank = repair.rank.max(Rank::After);
            all.push(narrow);
        }
        all.push(repair);
    }
    all
}

/// Flags that mean something for one source: how it is read, and which warnings are errors in it.
fn is_for_one(flag: &str) -> bool {
    flag.starts_with("-Wno-") || flag.starts_with("-std=") || matches!(flag, "-fcommon" | "-fpermissive")
}

/// The sources of the tree in whose compilation a line asked for a repair; none when there are more than a few, or when one
/// cannot be told.
fn sources(situation: &Situation<'_>, asked: &Asked) -> Option<BTreeSet<String>> {
    let lines: Vec<&str> = situation.log.lines().collect();
    let mut found = BTreeSet::new();
    for (number, line) in lines.iter().enumerate() {
        let asks = match asked {
            Asked::Fits(pattern) => pattern.is_match(line),
            Asked::Like(other) => is_error(line) && shape(line) == shape(other),
        };
        if !asks {
            continue;
        }
        let objects = OBJECTS.all(line);
        if !objects.is_empty() {
            for object in objects {
                found.insert(of_object(situation.tree, object)?);
            }
        } else if let Some(place) = PLACE.first(line) {
            let unit = if language(place).is_some() {
                place
            } else {
                let start = number.saturating_sub(CHAIN);
                lines
                    .get(start..number)
                    .unwrap_or_default()
                    .iter()
                    .rev()
                    .filter_map(|line| FROM.first(line))
                    .find(|path| language(path).is_some())?
            };
            found.insert(in_tree(situation.tree, unit)?);
        }
        // A line without a place, such as "all warnings being treated as errors", is about one that has one.
        if found.len() > HANDFUL {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

fn is_error(line: &str) -> bool {
    line.contains("error") || line.contains("multiple definition")
}

/// A message without its place, its numbers and the names in it.
fn shape(line: &str) -> String {
    let message = line
        .find("error: ")
        .or_else(|| line.find("multiple definition"))
        .and_then(|at| line.get(at..))
        .unwrap_or(line);
    let mut shape = String::new();
    let mut inside = false;
    for c in message.chars() {
        match c {
            '\u{2018}' | '`' if !inside => inside = true,
            '\u{2019}' => inside = false,
            '\'' => inside = !inside,
            c if !inside && !c.is_ascii_digit() => shape.push(c),
            _ => {}
        }
    }
    shape.split(';').next().unwrap_or_default().trim().to_owned()
}

/// The one file of the tree that a compiler means by a path.
fn in_tree(tree: &Tree, path: &str) -> Option<String> {
    let path = path.strip_prefix(BOX_SOURCE).unwrap_or(path).trim_start_matches('/');
    let end: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "." | "..")).collect();
    let end = end.join("/");
    only(tree.files().filter(|file| {
        file.strip_suffix(end.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }))
}

/// The one source that an object is made of, by its name.
fn of_object(tree: &Tree, object: &str) -> Option<String> {
    let stem = crate::tree::base(object);
    let is_source = |file: &&str| {
        let name = crate::tree::base(file);
        // CMake appends to the whole name, others take the ending away, Automake may put the target before it.
        language(name).is_some()
            && (name == stem
                || name.rsplit_once('.').is_some_and(|(own, _)| {
                    own == stem || stem.strip_suffix(own).is_some_and(|target| target.ends_with('-'))
                }))
    };
    only(tree.files().filter(is_source))
}

/// The only one, where its name can stand in a wrapper.
fn only<'t>(mut files: impl Iterator<Item = &'t str>) -> Option<String> {
    let file = files.next()?;
    (files.next().is_none() && is_plain(file)).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use seatrial_core::Purpose;
    use seatrial_diagnosis::diagnose;

    use super::*;
    use crate::{plan::Settings, repair::Bars, tree::testing::lay};

    const TREE: &[(&str, &str)] = &[
        ("src/a.c", ""),
        ("src/b.c", ""),
        ("lib/c.c", ""),
        ("lib/d.c", ""),
        ("lib/e.c", ""),
        ("old/a.c", ""),
        ("hull.h", ""),
        ("mast.cpp", ""),
    ];

    fn check(settings: &Settings, log: &str, expected: &Expect) {
        let folder = lay(TREE);
        let tree = Tree::scan(folder.path());
        let diagnosis = diagnose(log.as_bytes());
        let situation = Situation {
            system: BuildSystem::Make,
            phase: Purpose::Build,
            log,
            diagnosis: &diagnosis,
            settings,
            tree: &tree,
            folder: "",
            bars: &Bars::default(),
            libraries: &[],
            include_folders: &[],
        };
        let mut lines: Vec<String> = crate::repair::repairs(&situation)
            .iter()
            .filter(|repair| repair.rank != Rank::Guess)
            .map(|repair| format!("{:?} {}", repair.rank, repair.id))
            .collect();
        lines.push(String::new());
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn patterns_compile() {
        assert!(PLACE.compiles() && FROM.compiles() && OBJECTS.compiles());
    }

    #[test]
    fn a_repair_is_for_the_sources_that_asked_for_it_and_waits_with_the_rest() {
        let usual = Settings::default();
        check(
            &usual,
            "src/b.c:3:5: error: narrow\nmast.cpp:3:5: error: narrowing conversion of 'x' from 'int' to 'char' [-Wnarrowing]\n",
            &expect![[r#"
                After narrowing in mast.cpp
                After narrowing
            "#]],
        );
        check(
            &usual,
            "ld: b.o:(.bss+0x0): multiple definition of `mast'; lib/c.o:(.bss+0x0): first defined here\n",
            &expect![[r#"
                Beside common in lib/c.c src/b.c
                After common
                After remedy-flags compile with `-fgnu89-inline`
                After remedy-deceive compile with `-Wl,--allow-multiple-definition`
            "#]],
        );
        // By way of a header, from a source beside the build folder, and of an object with its target's name.
        check(
            &usual,
            "In file included from ../hull.h:1,\n                 from ../mast.cpp:2:\n../hull.h:4:1: error: narrowing conversion of 'y'\n",
            &expect![[r#"
                Beside remedy-warnings compile with `-Wno-narrowing` in mast.cpp
                After narrowing
            "#]],
        );
        // Of two files it cannot be told which.
        check(
            &usual,
            "a.c:1:1: error: narrowing conversion of 'x'\n",
            &expect![[r#"
            Beside remedy-warnings compile with `-Wno-narrowing`
        "#]],
        );
        // What is not in the tree was made, and is for the project.
        check(
            &usual,
            "made.cpp:1:1: error: narrowing conversion of 'x'\n",
            &expect![[r#"
            Beside remedy-warnings compile with `-Wno-narrowing`
        "#]],
        );
        // One more source asks for the same.
        let mut settings = Settings::default();
        settings.for_files.push(FileFlags {
            path: "src/b.c".to_owned(),
            flags: vec!["-fcommon".to_owned()],
        });
        check(
            &settings,
            "ld: d.o:(.bss+0x0): multiple definition of `mast'; lib/c.o:(.bss+0x0): first defined here\n",
            &expect![[r#"
                Beside common
                After remedy-flags compile with `-fgnu89-inline`
                After remedy-deceive compile with `-Wl,--allow-multiple-definition`
            "#]],
        );
        // More than a handful.
        let many: String = ["src/b", "lib/c", "lib/d", "lib/e", "old/a"]
            .iter()
            .fold(String::new(), |text, name| {
                text + name + ".c:1:1: error: return type defaults to 'int' [-Wimplicit-int]\n"
            });
        check(
            &usual,
            &many,
            &expect![[r#"
            Beside remedy-warnings compile with `-Wno-error=implicit-int`
            After gnu89
            After permissive-c
        "#]],
        );
    }
}
