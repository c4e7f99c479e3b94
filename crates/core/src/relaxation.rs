//! What a build was allowed to do beyond the usual way, so that nobody has to guess it from a script.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One departure from the usual way to build, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relaxation {
    /// What sort of departure it is; a policy forbids whole classes.
    pub class: RelaxationClass,
    /// The rule that called for it, by which it can be switched off.
    pub rule: String,
    /// What is done.
    pub what: String,
    /// Where it applies.
    pub scope: RelaxationScope,
    /// Why.
    pub why: String,
}

/// Where a relaxation applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelaxationScope {
    /// The whole project.
    #[default]
    Project,
    /// These sources only, relative to the source folder.
    Files(Vec<String>),
}

impl fmt::Display for RelaxationScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Project => f.write_str("whole project"),
            Self::Files(files) => f.write_str(&files.join(", ")),
        }
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])+ $class:ident $name:literal;)+) => {
        /// Sorts of relaxations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum RelaxationClass {
            $($(#[$doc])+ $class,)+
        }

        impl RelaxationClass {
            /// Every class.
            pub const ALL: &[Self] = &[$(Self::$class,)+];

            /// Classes that measured runs forbid unless they say otherwise: a result that rests on one proves less.
            pub const NOT_GRADED: &[Self] = &[Self::Deceives];

            /// The name on the command line and in data.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$class => $name,)+
                }
            }
        }
    };
}

classes! {
    /// Warnings that the project makes errors are warnings again.
    Warnings "warnings";
    /// Flags of the compiler or linker are added or left out.
    Flags "flags";
    /// Another language standard than the project's own.
    Standard "standard";
    /// What the compiler or the C library hides, renames or no longer accepts is made available as it once was.
    OldApi "old_api";
    /// Libraries or search paths that the build files do not name.
    Link "link";
    /// Files of the source are changed: line ends, executable bits, dialects of scripts.
    Source "source";
    /// Generated files of the build system are made anew or replaced.
    BuildSystem "build_system";
    /// Tests are not built.
    Tests "tests";
    /// Documents and examples are not built.
    Documents "documents";
    /// A feature, a binding or a target of the project is not built.
    Features "features";
    /// Options that the project leaves off are switched on.
    Options "options";
    /// One job at a time.
    Parallelism "parallelism";
    /// The build may fetch what it depends on.
    Downloads "downloads";
    /// Another compiler than the usual one.
    Compiler "compiler";
    /// An image of another release.
    Image "image";
    /// What is built may not be what its source says: a linker chooses among definitions, a compiler lies about its version.
    Deceives "deceives";
}

impl fmt::Display for RelaxationClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no class of relaxations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no class of relaxations; the classes are {classes}", classes = names())]
pub struct RelaxationClassError(String);

fn names() -> String {
    let names: Vec<&str> = RelaxationClass::ALL.iter().map(|class| class.name()).collect();
    names.join(", ")
}

impl FromStr for RelaxationClass {
    type Err = RelaxationClassError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|class| class.name() == text)
            .ok_or_else(|| RelaxationClassError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_one_name_everywhere() {
        for class in RelaxationClass::ALL {
            assert_eq!(class.name().parse(), Ok(*class));
            assert_eq!(
                serde_json::to_value(class).unwrap(),
                serde_json::Value::String(class.name().to_owned())
            );
        }
        let error = "colour".parse::<RelaxationClass>().unwrap_err().to_string();
        assert!(
            error.starts_with("`colour` is no class of relaxations; the classes are warnings, flags,"),
            "{error}"
        );
    }

    #[test]
    fn files_are_named_in_a_scope() {
        let relaxation = Relaxation {
            class: RelaxationClass::Flags,
            rule: "common".to_owned(),
            what: "compile with -fcommon".to_owned(),
            scope: RelaxationScope::Files(vec!["a.c".to_owned(), "b.c".to_owned()]),
            why: "several files define one variable".to_owned(),
        };
        let text = serde_json::to_string(&relaxation).unwrap();
        assert_eq!(serde_json::from_str::<Relaxation>(&text).unwrap(), relaxation);
        assert_eq!(relaxation.scope.to_string(), "a.c, b.c");
    }
}
