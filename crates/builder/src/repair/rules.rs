//! What a rule is, and which rules fire. All of them are general: none knows any project.

use seatrial_core::{Purpose, Relaxation, RelaxationClass, RelaxationScope};

use super::{Asked, Rank, Repair, Situation, ancient, derived, language_rules, options, remedies, setup_rules};
use crate::{BuildSystem, pattern::Pattern, plan::Settings};

/// What a rule looks at.
pub(super) enum When {
    /// Lines of the log.
    Log(Pattern),
    /// Nothing: tried when nothing else is known.
    Always,
}

/// What a log must show, in which phase, and the change that helps.
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// What sort of relaxation it is.
    pub(super) class: RelaxationClass,
    /// What is done.
    pub(super) what: &'static str,
    /// Why.
    pub(super) why: &'static str,
    pub(super) rank: Rank,
    /// Phases in which it applies; none means all.
    pub(super) phases: &'static [Purpose],
    /// Systems to which it applies; none means all.
    pub(super) systems: &'static [BuildSystem],
    pub(super) when: When,
    pub(super) change: fn(&mut Settings),
}

pub(super) const fn log(text: &'static str) -> When {
    When::Log(Pattern::new(text))
}

pub(super) fn add(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

pub(super) fn both(settings: &mut Settings, flag: &str) {
    settings.shims = true;
    add(&mut settings.c_flags, flag);
    add(&mut settings.cxx_flags, flag);
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    setup_rules::RULES.iter().chain(&language_rules::RULES)
}

/// The rules that fire, and those that need more than a pattern.
pub(super) fn apply(situation: &Situation<'_>) -> Vec<Repair> {
    let mut found: Vec<Repair> = rules()
        .filter(|rule| rule.phases.is_empty() || rule.phases.contains(&situation.phase))
        .filter(|rule| rule.systems.is_empty() || rule.systems.contains(&situation.system))
        .filter(|rule| match &rule.when {
            When::Log(pattern) => pattern.is_match(situation.log),
            When::Always => true,
        })
        .map(|rule| {
            let mut repair = repair(
                situation,
                (rule.class, rule.id, ""),
                rule.what.to_owned(),
                rule.why.to_owned(),
                rule.rank,
                rule.change,
            );
            if let When::Log(pattern) = &rule.when {
                repair.asked = Some(Asked::Fits(pattern));
            }
            repair
        })
        .collect();
    derived::own_headers(situation, &mut found);
    derived::libraries(situation, &mut found);
    derived::inline_functions(situation, &mut found);
    ancient::constructs(situation, &mut found);
    derived::multiarch_links(situation, &mut found);
    derived::named_headers(situation, &mut found);
    derived::unknown_flags(situation, &mut found);
    derived::include_folders(situation, &mut found);
    derived::own_names(situation, &mut found);
    options::side_parts(situation, &mut found);
    remedies::proposed(situation, &mut found);
    found
}

/// Names of rules that are code and not a row.
const CODED: [&str; 34] = [
    "ancient-c",
    "bindings",
    "flags",
    "headers",
    "include-folders",
    "inline-optimised",
    "libraries",
    "multiarch",
    "old-inline",
    "own-headers",
    "own-names",
    "remedy-clean",
    "remedy-config-guess",
    "remedy-deceive",
    "remedy-define",
    "remedy-disable",
    "remedy-drop",
    "remedy-executable",
    "remedy-first",
    "remedy-flags",
    "remedy-include",
    "remedy-lines",
    "remedy-link",
    "remedy-regenerate",
    "remedy-serial",
    "remedy-set",
    "remedy-standard",
    "remedy-use",
    "remedy-warnings",
    "shared",
    "side-parts",
    "switched-on",
    "targets",
    "wrappers",
];

/// The names of all rules, sorted.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = rules().map(|rule| rule.id).chain(CODED).collect();
    names.sort_unstable();
    names
}

/// A change of the settings that notes itself as a relaxation. The name is the rule's, and what tells this use of it from
/// others.
pub(super) fn repair(
    situation: &Situation<'_>,
    (class, rule, subject): (RelaxationClass, &str, &str),
    what: String,
    why: String,
    rank: Rank,
    change: impl FnOnce(&mut Settings),
) -> Repair {
    let mut settings = situation.settings.clone();
    change(&mut settings);
    if settings != *situation.settings {
        let relaxation = Relaxation {
            class,
            rule: rule.to_owned(),
            what: what.clone(),
            scope: RelaxationScope::Project,
            why: why.clone(),
        };
        settings.note(situation.settings, relaxation);
    }
    Repair {
        id: format!("{rule} {subject}").trim_end().to_owned(),
        rule: rule.to_owned(),
        class,
        what,
        why,
        rank,
        settings,
        asked: None,
    }
}

#[cfg(test)]
mod tests {
    use BuildSystem::{Autotools, AutotoolsBootstrap, CMake, Make};
    use Purpose::{Build, Configure as Configuring, Prepare};
    use expect_test::{Expect, expect};
    use seatrial_diagnosis::Diagnosis;

    use super::*;
    use crate::tree::Tree;

    #[test]
    fn every_pattern_compiles_and_every_id_is_unique() {
        let mut ids = std::collections::BTreeSet::new();
        for rule in rules() {
            assert!(ids.insert(rule.id), "{} twice", rule.id);
            if let When::Log(pattern) = &rule.when {
                assert!(pattern.compiles(), "{}", rule.id);
            }
        }
    }

    #[test]
    fn every_rule_that_is_code_is_listed() {
        let name = regex::Regex::new(
            r#"(?:Relaxation)?Class::\w+,\s*(?:Rank::\w+,\s*)?"([a-z0-9-]+)"|part_class\(part\), Rank::\w+, "([a-z0-9-]+)"|WRAPPERS: &str = "([a-z-]+)""#,
        )
        .unwrap();
        let mut found = std::collections::BTreeSet::new();
        for folder in ["repair", "engine"] {
            for entry in std::fs::read_dir(format!("{}/src/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap() {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                for captures in name.captures_iter(code) {
                    found.extend(captures.iter().skip(1).flatten().map(|group| group.as_str().to_owned()));
                }
            }
        }
        assert_eq!(found, CODED.iter().map(|name| (*name).to_owned()).collect());
    }

    fn check(system: BuildSystem, phase: Purpose, log: &str, expected: &Expect) {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::scan(folder.path());
        let settings = Settings::default();
        let diagnosis = Diagnosis::default();
        let situation = Situation {
            system,
            phase,
            log,
            diagnosis: &diagnosis,
            settings: &settings,
            tree: &tree,
            folder: "",
            bars: &crate::repair::Bars::default(),
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
    fn logs_fire_the_rules_that_they_should() {
        check(
            Make,
            Build,
            "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `hull'; a.o:(.bss+0x0): first defined here",
            &expect![[r"
            Beside common
        "]],
        );
        check(
            Make,
            Build,
            "x.c:1:1: error: unused variable 'x' [-Werror=unused-variable]\ncc1: all warnings being treated as errors",
            &expect![[r"
            Beside no-error
        "]],
        );
        check(
            Autotools,
            Build,
            "/bin/bash: line 1: aclocal-1.14: command not found",
            &expect![[r"
            First times
            First regenerate
        "]],
        );
        check(
            Autotools,
            Configuring,
            "configure: error: cannot guess build type; you must specify one",
            &expect![[r"
            First config-guess
        "]],
        );
        check(
            Make,
            Build,
            "make: ./gen.sh: Permission denied\nmake: *** [Makefile:3: x.h] Error 127",
            &expect![[r"
            First executable-bits
        "]],
        );
        check(
            Make,
            Build,
            "Please do\n   make PLATFORM\nwhere PLATFORM is one of these:\n   aix bsd generic linux macosx posix",
            &expect![[r"
            First platform-linux
        "]],
        );
        check(
            Make,
            Build,
            "main.c:(.text+0x10): undefined reference to `sqrt'\ncollect2: error: ld returned 1 exit status",
            &expect![""],
        );
        check(
            Make,
            Build,
            "x.cpp:3:1: error: 'uint32_t' does not name a type",
            &expect![[r"
            After standard-integers
        "]],
        );
        check(
            Make,
            Build,
            "x.cpp:9:21: error: cannot bind rvalue reference of type \u{2018}int&&\u{2019} to lvalue of type \u{2018}int\u{2019}",
            &expect![[r"
            After cxx98
        "]],
        );
        check(
            CMake,
            Configuring,
            "CMake Error: Compatibility with CMake < 3.5 has been removed from CMake.",
            &expect![[r"
            First cmake-policy
        "]],
        );
        check(
            AutotoolsBootstrap,
            Prepare,
            "aclocal: error: couldn't open directory 'm4': No such file or directory",
            &expect![[r"
            First macro-folder
            After regenerate-bootstrap
        "]],
        );
        check(
            Make,
            Build,
            "gcc: error: unrecognized command-line option \u{2018}-m486\u{2019}\nerror: bad value \u{2018}pentium9\u{2019} for \u{2018}-march=\u{2019} switch",
            &expect![[r"
                First flags -m486* -march*
            "]],
        );
        check(
            Make,
            Build,
            "x.cpp:3:2: note: \u{2018}memcpy\u{2019} is defined in header \u{2018}<cstring>\u{2019}; did you forget to \u{2018}#include <cstring>\u{2019}?",
            &expect![[r"
                After headers cstring
            "]],
        );
        check(Make, Build, "cc -c x.c\nok\n", &expect![[""]]);
    }
}
