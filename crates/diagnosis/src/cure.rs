//! Remedies as rows of data name them: texts in which the subject and the captured groups are filled in.

use crate::{FlagsOf, Kind, Remedy};

/// A remedy in a row. In its texts `{}` stands for the subject and `{1}` to `{9}` for what a group of the pattern
/// captured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cure {
    /// Install what provides the subject.
    Provide,
    /// Install what provides another name: of which kind, and the name.
    ProvideOther(&'static str, &'static str),
    /// Add flags.
    AddFlags(FlagsOf, &'static [&'static str]),
    /// Leave out the flag that this text names, mostly `{}`.
    DropFlag(&'static str),
    /// Compile for a language standard.
    Standard(&'static str),
    /// Include a header first.
    Include(&'static str),
    /// Make the Autotools files anew.
    Regenerate,
    /// Replace `config.guess` and `config.sub`.
    RefreshConfigGuess,
    /// Lay the git submodules.
    LaySubmodules,
    /// Set the executable bits of scripts.
    MakeExecutable,
    /// Take carriage returns out of scripts.
    FixLineEndings,
    /// Run something first.
    RunFirst(&'static str),
    /// Build in a folder of its own.
    BuildOutside,
    /// Remove stale caches and objects.
    Clean,
    /// Fewer processes at one time.
    LessParallel,
    /// More of a resource.
    More(&'static str),
    /// Another version: of what, and which.
    Version(&'static str, &'static str),
    /// Set an option: its name and its value.
    Set(&'static str, &'static str),
    /// Leave out an optional part.
    Disable(&'static str),
    /// Use another tool.
    Use(&'static str),
    /// Try again later.
    Retry,
    /// Change the recipe.
    EditRecipe(&'static str),
    /// Change the source.
    EditSource(&'static str),
    /// Look at the test that is the subject.
    LookAtTest,
}

impl Cure {
    /// The remedy for one match.
    pub(crate) fn remedy(self, subject: &str, groups: &[String]) -> Remedy {
        let fill = |text: &str| filled(text, subject, groups);
        match self {
            Self::Provide => Remedy::Provide,
            Self::ProvideOther(of, name) => Remedy::ProvideOther {
                of: of.to_owned(),
                name: fill(name),
            },
            Self::AddFlags(to, flags) => Remedy::AddFlags {
                to,
                flags: flags.iter().map(|flag| fill(flag)).collect(),
            },
            Self::DropFlag(flag) => Remedy::DropFlag { flag: fill(flag) },
            Self::Standard(standard) => Remedy::Standard {
                standard: fill(standard),
            },
            Self::Include(header) => Remedy::Include { header: fill(header) },
            Self::Regenerate => Remedy::Regenerate,
            Self::RefreshConfigGuess => Remedy::RefreshConfigGuess,
            Self::LaySubmodules => Remedy::LaySubmodules,
            Self::MakeExecutable => Remedy::MakeExecutable,
            Self::FixLineEndings => Remedy::FixLineEndings,
            Self::RunFirst(what) => Remedy::RunFirst { what: fill(what) },
            Self::BuildOutside => Remedy::BuildOutside,
            Self::Clean => Remedy::Clean,
            Self::LessParallel => Remedy::LessParallel,
            Self::More(resource) => Remedy::More {
                resource: fill(resource),
            },
            Self::Version(of, wanted) => Remedy::Version {
                of: fill(of),
                wanted: fill(wanted),
            },
            Self::Set(name, value) => Remedy::Set {
                name: fill(name),
                value: fill(value),
            },
            Self::Disable(part) => Remedy::Disable { part: fill(part) },
            Self::Use(tool) => Remedy::Use { tool: fill(tool) },
            Self::Retry => Remedy::Retry,
            Self::EditRecipe(how) => Remedy::EditRecipe { how: fill(how) },
            Self::EditSource(how) => Remedy::EditSource { how: fill(how) },
            Self::LookAtTest => Remedy::LookAtTest {
                test: subject.to_owned(),
            },
        }
    }
}

fn filled(text: &str, subject: &str, groups: &[String]) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let mut out = text.replace("{}", subject);
    for (number, group) in groups.iter().enumerate() {
        out = out.replace(&format!("{{{}}}", number + 1), group);
    }
    out
}

/// What cures a kind of problem by its nature, for rows that name nothing of their own.
pub(crate) fn by_nature(kind: Kind) -> &'static [Cure] {
    match kind {
        kind if kind.is_missing() => &[Cure::Provide],
        Kind::UnknownFlag | Kind::ForeignFlag => &[Cure::DropFlag("{}")],
        Kind::MissingSubmodule => &[Cure::LaySubmodules],
        Kind::StaleAutotools => &[Cure::Regenerate],
        Kind::StaleCache | Kind::WrongFormat => &[Cure::Clean],
        Kind::LineEndings => &[Cure::FixLineEndings],
        Kind::NotExecutable => &[Cure::MakeExecutable],
        Kind::InSourceBuild => &[Cure::BuildOutside],
        Kind::ToolVersion | Kind::LibraryVersion | Kind::RuntimeVersion | Kind::CompilerTooOld => {
            &[Cure::Version("{}", "")]
        }
        Kind::WarningAsError => &[Cure::AddFlags(FlagsOf::COrCxx, &["-Wno-error"])],
        Kind::ImplicitDeclaration => &[Cure::AddFlags(
            FlagsOf::C,
            &["-Wno-error=implicit-function-declaration"],
        )],
        Kind::ImplicitInt => &[Cure::AddFlags(FlagsOf::C, &["-Wno-error=implicit-int"])],
        Kind::IntConversion => &[Cure::AddFlags(FlagsOf::C, &["-Wno-error=int-conversion"])],
        Kind::IncompatiblePointer => &[Cure::AddFlags(FlagsOf::C, &["-Wno-error=incompatible-pointer-types"])],
        Kind::Narrowing => &[Cure::AddFlags(FlagsOf::Cxx, &["-Wno-narrowing"])],
        Kind::MissingInclude => &[Cure::Include("{}")],
        Kind::StandardTooOld => &[Cure::Standard("{}")],
        Kind::MultipleDefinition => &[Cure::AddFlags(FlagsOf::C, &["-fcommon"])],
        Kind::DsoMissing => &[Cure::AddFlags(FlagsOf::Linker, &["-l{}"])],
        Kind::NotPositionIndependent => &[Cure::AddFlags(FlagsOf::COrCxx, &["-fPIC"]), Cure::Clean],
        Kind::Resources => &[Cure::More("{}"), Cure::LessParallel],
        Kind::Network | Kind::Download | Kind::Certificate => &[Cure::Retry],
        Kind::TestFailed | Kind::TestCrashed | Kind::TestTimeout | Kind::TestSetup => &[Cure::LookAtTest],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_and_groups_are_filled_in() {
        let groups = ["one".to_owned(), "two".to_owned()];
        assert_eq!(
            Cure::Version("{}", ">= {2}").remedy("foo", &groups),
            Remedy::Version {
                of: "foo".to_owned(),
                wanted: ">= two".to_owned()
            }
        );
        assert_eq!(
            Cure::DropFlag("{}").remedy("-fx", &[]),
            Remedy::DropFlag { flag: "-fx".to_owned() }
        );
    }
}
