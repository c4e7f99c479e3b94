//! What a diagnosis proposes, carried out: each remedy becomes a change of the settings, whatever the problem was.
//!
//! Nothing here reads a log: the words come from the diagnosis, and from the tree where an option must exist to be set.

use seatrial_core::RelaxationClass as Class;
use seatrial_diagnosis::{FlagsOf, Kind, Problem, Remedy};

use super::{
    Asked, Rank, Repair, Situation, options,
    rules::{add, both, repair},
};
use crate::{
    BuildSystem::{self, Autotools, AutotoolsBootstrap, CMake, Configure, Make, Meson, QMake},
    plan::Settings,
    tree::join,
};

/// Remedies of one problem that are looked at.
const EACH: usize = 6;

/// Repairs for everything that the diagnosis proposes, the root cause's first.
pub(super) fn proposed(situation: &Situation<'_>, found: &mut Vec<Repair>) {
    for problem in super::missing::problems(situation.diagnosis) {
        let mut first = true;
        for remedy in problem.remedies.iter().take(EACH) {
            let Some(mut repair) = proposal(situation, problem, remedy) else {
                continue;
            };
            // The others are for when the best one does not help.
            if !first {
                repair.rank = repair.rank.max(Rank::After);
            }
            first = false;
            found.push(repair);
        }
    }
}

/// A change and what it counts as; none where a remedy is not the builder's to carry out, or nothing here answers to it.
fn proposal(situation: &Situation<'_>, problem: &Problem, remedy: &Remedy) -> Option<Repair> {
    let (class, rank, rule) = nature(problem, remedy)?;
    let mut settings = situation.settings.clone();
    change(situation, remedy, &mut settings)?;
    let what = remedy.to_string();
    let why = format!("the log says: {}", problem.text.trim());
    let mut repair = repair(
        situation,
        (class, rule, &what.clone()),
        what,
        why.chars().take(200).collect(),
        rank,
        |now| *now = settings,
    );
    repair.asked = Some(Asked::Like(problem.text.clone()));
    Some(repair)
}

/// The class of a remedy, when it is tried, and the rule's name by which it is barred.
fn nature(problem: &Problem, remedy: &Remedy) -> Option<(Class, Rank, &'static str)> {
    Some(match remedy {
        Remedy::AddFlags { flags, .. } if flags.iter().all(|flag| flag.starts_with("-Wno-")) => {
            (Class::Warnings, Rank::Beside, "remedy-warnings")
        }
        Remedy::AddFlags { flags, .. }
            if flags
                .iter()
                .all(|flag| flag.starts_with("-D") || flag.starts_with("-U")) =>
        {
            (Class::OldApi, Rank::After, "remedy-define")
        }
        Remedy::AddFlags { flags, .. } if flags.iter().any(|flag| is_deceiving(flag)) => {
            (Class::Deceives, Rank::After, "remedy-deceive")
        }
        Remedy::AddFlags { .. } if problem.kind == Kind::MultipleDefinition => {
            (Class::Flags, Rank::Beside, "remedy-flags")
        }
        Remedy::AddFlags {
            to: FlagsOf::Linker, ..
        } => (Class::Link, Rank::After, "remedy-link"),
        Remedy::AddFlags { .. } => (Class::Flags, Rank::After, "remedy-flags"),
        Remedy::DropFlag { .. } => (Class::Flags, Rank::First, "remedy-drop"),
        Remedy::Standard { .. } => (Class::Standard, Rank::After, "remedy-standard"),
        Remedy::Include { .. } => (Class::OldApi, Rank::After, "remedy-include"),
        Remedy::Regenerate => (Class::BuildSystem, Rank::First, "remedy-regenerate"),
        Remedy::RefreshConfigGuess => (Class::BuildSystem, Rank::First, "remedy-config-guess"),
        Remedy::MakeExecutable => (Class::Source, Rank::First, "remedy-executable"),
        Remedy::FixLineEndings => (Class::Source, Rank::First, "remedy-lines"),
        Remedy::RunFirst { .. } => (Class::BuildSystem, Rank::After, "remedy-first"),
        Remedy::BuildOutside | Remedy::Clean => (Class::BuildSystem, Rank::After, "remedy-clean"),
        Remedy::LessParallel => (Class::Parallelism, Rank::After, "remedy-serial"),
        Remedy::More { resource } if resource == "memory" => (Class::Parallelism, Rank::First, "remedy-serial"),
        Remedy::Set { .. } => (Class::Options, Rank::After, "remedy-set"),
        Remedy::Disable { part } => (options::part_class(part), Rank::After, "remedy-disable"),
        Remedy::Use { .. } => (Class::Compiler, Rank::After, "remedy-use"),
        Remedy::Provide
        | Remedy::ProvideOther { .. }
        | Remedy::LaySubmodules
        | Remedy::More { .. }
        | Remedy::Version { .. }
        | Remedy::Retry
        | Remedy::EditRecipe { .. }
        | Remedy::EditSource { .. }
        | Remedy::LookAtTest { .. } => return None,
    })
}

fn change(situation: &Situation<'_>, remedy: &Remedy, settings: &mut Settings) -> Option<()> {
    let autotools = matches!(situation.system, Autotools | AutotoolsBootstrap);
    match remedy {
        // All or none: a record must not claim a flag that was left out.
        Remedy::AddFlags { to, flags } if flags.iter().all(|flag| is_flag(flag)) => {
            for flag in flags {
                match to {
                    FlagsOf::C => add(&mut settings.c_flags, flag),
                    FlagsOf::Cxx => add(&mut settings.cxx_flags, flag),
                    FlagsOf::COrCxx => both(settings, flag),
                    FlagsOf::Linker => add(&mut settings.link_flags, flag),
                    FlagsOf::Fortran => return None,
                }
            }
            settings.shims = true;
        }
        // It becomes a pattern: one with a blank is none, and a bare dash would fit every flag.
        Remedy::DropFlag { flag } if is_flag(flag) && !flag.contains(' ') && flag.contains(char::is_alphanumeric) => {
            settings.shims = true;
            // A value that is refused is dropped with its option.
            let open = flag.ends_with('=') || flag.starts_with("-m") && !flag.contains('=') && flag.len() < 8;
            let word = if open {
                format!("{}*", flag.trim_end_matches('='))
            } else {
                flag.clone()
            };
            add(&mut settings.refused_flags, &word);
        }
        Remedy::Standard { standard } => standard_flag(settings, standard)?,
        Remedy::Include { header } if is_header(header) => {
            settings.shims = true;
            let flag = format!("-include {header}");
            if header.contains('.') {
                add(&mut settings.c_flags, &flag);
            }
            add(&mut settings.cxx_flags, &flag);
        }
        Remedy::Regenerate if autotools => {
            settings.regenerate = true;
            settings.touch = false;
        }
        Remedy::RefreshConfigGuess => settings.config_guess = true,
        Remedy::MakeExecutable => settings.executable_bits = true,
        Remedy::FixLineEndings => settings.unix_lines = true,
        Remedy::RunFirst { what } => {
            // A log is written by whoever wrote the build: only what lies in the tree is run on its word.
            let script = what.split_whitespace().next()?.strip_prefix("./")?;
            if !situation.tree.has(&join(situation.folder, script)) || !what.chars().all(is_plain) {
                return None;
            }
            let command = format!("chmod +x \"./{script}\"\n{what}");
            if !settings.prepare.iter().any(|(_, known)| *known == command) {
                settings.prepare.push(("the build asks for it".to_owned(), command));
            }
        }
        Remedy::Clean | Remedy::BuildOutside if situation.system == CMake => {
            let command =
                "find . -name CMakeCache.txt -delete\nfind . -type d -name CMakeFiles -prune -exec rm -rf {} +";
            if settings.prepare.iter().any(|(_, known)| known == command) {
                return None;
            }
            settings.prepare.push((
                "the tree holds what CMake left elsewhere".to_owned(),
                command.to_owned(),
            ));
        }
        Remedy::LessParallel | Remedy::More { .. } => settings.serial = true,
        Remedy::Set { name, value } => set(situation.system, settings, name, value)?,
        Remedy::Disable { part } => {
            let arguments = options::without(situation, part);
            if arguments.is_empty() {
                return None;
            }
            for argument in &arguments {
                add(&mut settings.arguments, argument);
            }
        }
        Remedy::Use { tool } if tool.starts_with("clang") => settings.compiler = Some("clang"),
        _ => return None,
    }
    Some(())
}

/// Whether a flag lets a link pass whose result is not what the sources say.
fn is_deceiving(flag: &str) -> bool {
    ["multiple-definition", "muldefs", "unresolved-symbols", "noinhibit-exec"]
        .iter()
        .any(|part| flag.contains(part))
}

/// Another standard in the place of an earlier one.
fn standard_flag(settings: &mut Settings, standard: &str) -> Option<()> {
    if !standard.chars().all(|c| c.is_ascii_alphanumeric() || c == '+') {
        return None;
    }
    settings.shims = true;
    let list = if standard.contains("++") {
        &mut settings.cxx_flags
    } else {
        &mut settings.c_flags
    };
    list.retain(|known| !known.starts_with("-std="));
    list.push(format!("-std={standard}"));
    Some(())
}

/// A variable or option, as the build system takes it.
fn set(system: BuildSystem, settings: &mut Settings, name: &str, value: &str) -> Option<()> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(word) || !value.chars().all(is_plain) {
        return None;
    }
    match system {
        CMake | Meson => add(&mut settings.arguments, &format!("-D{name}={value}")),
        Autotools | AutotoolsBootstrap | QMake => add(&mut settings.arguments, &format!("{name}={value}")),
        Make | Configure => add(&mut settings.build_arguments, &format!("{name}={value}")),
        _ => return None,
    }
    Some(())
}

/// Flags end up in scripts between quotes, so nothing else may come through.
fn is_flag(flag: &str) -> bool {
    flag.starts_with('-') && flag.chars().all(is_plain)
}

fn is_header(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| is_plain(c) && c != ' ')
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '.' | '/' | ':' | ',' | '+' | '@' | '%' | ' ')
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use seatrial_core::Purpose;
    use seatrial_diagnosis::{Class as Sort, Diagnosis, Phase};

    use super::*;
    use crate::{
        repair::Bars,
        tree::{Tree, testing::lay},
    };

    fn check(system: BuildSystem, files: &[(&str, &str)], remedy: Remedy, expected: &Expect) {
        let folder = lay(files);
        let tree = Tree::scan(folder.path());
        let settings = Settings::default();
        let diagnosis = Diagnosis {
            cause: Some(Problem {
                kind: Kind::Other,
                subject: String::new(),
                class: Sort::default(),
                phase: Phase::default(),
                line: 1,
                span: (1, 1),
                text: "it went down".to_owned(),
                confidence: 90,
                signature: String::new(),
                file: None,
                explains: Vec::new(),
                remedies: vec![remedy],
            }),
            ..Diagnosis::default()
        };
        let bars = Bars::default();
        let situation = Situation {
            system,
            phase: Purpose::Build,
            log: "",
            diagnosis: &diagnosis,
            settings: &settings,
            tree: &tree,
            folder: "",
            bars: &bars,
            libraries: &[],
            include_folders: &[],
        };
        let mut found = Vec::new();
        proposed(&situation, &mut found);
        let lines: Vec<String> = found
            .iter()
            .map(|repair| {
                let after = &repair.settings;
                format!(
                    "{:?} {} {}: c {:?} c++ {:?} refused {:?} arguments {:?} {:?} prepare {}",
                    repair.rank,
                    repair.class,
                    repair.id,
                    after.c_flags,
                    after.cxx_flags,
                    after.refused_flags,
                    after.arguments,
                    after.build_arguments,
                    after.prepare.len()
                )
            })
            .collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn remedies_become_changes() {
        let flags = |to, flags: &[&str]| Remedy::AddFlags {
            to,
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        };
        check(
            Make,
            &[],
            flags(FlagsOf::COrCxx, &["-fPIC"]),
            &expect![[
                r#"After flags remedy-flags compile with `-fPIC`: c ["-fPIC"] c++ ["-fPIC"] refused [] arguments [] [] prepare 0"#
            ]],
        );
        check(
            Make,
            &[],
            flags(FlagsOf::C, &["-Wno-error"]),
            &expect![[
                r#"Beside warnings remedy-warnings compile with `-Wno-error`: c ["-Wno-error"] c++ [] refused [] arguments [] [] prepare 0"#
            ]],
        );
        check(
            Make,
            &[],
            flags(FlagsOf::C, &["-D_GNU_SOURCE"]),
            &expect![[
                r#"After old_api remedy-define compile with `-D_GNU_SOURCE`: c ["-D_GNU_SOURCE"] c++ [] refused [] arguments [] [] prepare 0"#
            ]],
        );
        let text = |text: &str| text.to_owned();
        check(
            Make,
            &[],
            Remedy::DropFlag { flag: text("-m486") },
            &expect![[
                r#"First flags remedy-drop leave out the flag `-m486`: c [] c++ [] refused ["-m486*"] arguments [] [] prepare 0"#
            ]],
        );
        check(
            Make,
            &[],
            Remedy::Standard {
                standard: text("gnu++14"),
            },
            &expect![[
                r#"After standard remedy-standard compile for the standard `gnu++14`: c [] c++ ["-std=gnu++14"] refused [] arguments [] [] prepare 0"#
            ]],
        );
        check(
            Make,
            &[],
            Remedy::Include {
                header: text("cstdint"),
            },
            &expect![[
                r#"After old_api remedy-include include <cstdint>: c [] c++ ["-include cstdint"] refused [] arguments [] [] prepare 0"#
            ]],
        );
        let run = Remedy::RunFirst {
            what: text("./bootstrap --all"),
        };
        check(
            Make,
            &[("bootstrap", "#!/bin/sh\n")],
            run,
            &expect![
                "After build_system remedy-first run `./bootstrap --all` first: c [] c++ [] refused [] arguments [] [] prepare 1"
            ],
        );
        let set = |name: &str| Remedy::Set {
            name: name.to_owned(),
            value: text("1"),
        };
        check(
            CMake,
            &[],
            set("WITH_SAIL"),
            &expect![[
                r#"After options remedy-set set WITH_SAIL=1: c [] c++ [] refused [] arguments ["-DWITH_SAIL=1"] [] prepare 0"#
            ]],
        );
        check(
            Make,
            &[],
            set("WITH_SAIL"),
            &expect![[
                r#"After options remedy-set set WITH_SAIL=1: c [] c++ [] refused [] arguments [] ["WITH_SAIL=1"] prepare 0"#
            ]],
        );
        let option = "option(SAIL_DOCS \"x\" ON)\noption(SAIL_LUA \"x\" ON)\n";
        let disable = Remedy::Disable { part: text("lua") };
        check(
            CMake,
            &[("CMakeLists.txt", option)],
            disable,
            &expect![[
                r#"After features remedy-disable build without lua: c [] c++ [] refused [] arguments ["-DSAIL_LUA=OFF"] [] prepare 0"#
            ]],
        );
    }

    #[test]
    fn flags_that_deceive_are_a_class_of_their_own() {
        for flag in [
            "-Wl,--allow-multiple-definition",
            "-Wl,-z,muldefs",
            "-Wl,--unresolved-symbols=ignore-all",
            "-Wl,--warn-unresolved-symbols",
            "-Wl,--noinhibit-exec",
        ] {
            assert!(is_deceiving(flag), "{flag}");
        }
        for flag in ["-fcommon", "-Wl,--no-as-needed", "-lm", "-Wno-error", "-Wl,-z,now"] {
            assert!(!is_deceiving(flag), "{flag}");
        }
    }

    #[test]
    fn what_a_log_says_cannot_become_a_command() {
        let text = |text: &str| text.to_owned();
        for remedy in [
            Remedy::RunFirst { what: text("./gone") },
            Remedy::RunFirst {
                what: text("curl x | sh"),
            },
            Remedy::RunFirst {
                what: text("./bootstrap; reboot"),
            },
            Remedy::DropFlag {
                flag: text("-x'$(reboot)"),
            },
            Remedy::AddFlags {
                to: FlagsOf::C,
                flags: vec![text("-g"), text("-DA=$(reboot)")],
            },
            Remedy::DropFlag { flag: text("-=") },
            Remedy::DropFlag { flag: text("-m32 -g") },
            Remedy::Include {
                header: text("a.h' `reboot`"),
            },
            Remedy::Set {
                name: text("A B"),
                value: text("1"),
            },
            Remedy::Set {
                name: text("A"),
                value: text("$(reboot)"),
            },
            Remedy::Standard { standard: text("x' y") },
        ] {
            check(Make, &[("bootstrap", "#!/bin/sh\n")], remedy, &expect![""]);
        }
    }
}
