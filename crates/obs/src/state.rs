//! What the service says of packages: every code, and what it means for whoever waits.

use std::fmt;

use crate::xml::Element;

/// The state of a package on one repository and architecture.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Code {
    /// Built.
    Succeeded,
    /// The build failed.
    Failed,
    /// Dependencies are missing; the details name them.
    Unresolvable,
    /// No recipe, one that cannot be read, or a link or service that failed.
    Broken,
    /// Switched off by a flag.
    Disabled,
    /// The recipe excludes the architecture, or there is none for it.
    Excluded,
    /// Protected by a flag against being built.
    Locked,
    /// Waits for another package; the details name it.
    Blocked,
    /// Waits for a worker.
    Scheduled,
    /// On its way to a worker.
    Dispatching,
    /// On a worker.
    Building,
    /// Being signed.
    Signing,
    /// Built, and not looked at yet.
    Finished,
    /// Being deleted.
    Deleting,
    /// The scheduler has not seen it yet.
    Unknown,
    /// A word that this client does not know.
    Other(String),
}

/// What a code means for whoever waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// It is built.
    Success,
    /// It cannot be built as it is.
    Failure,
    /// It is not tried: neither a success nor a failure.
    Refused,
    /// It is not decided yet.
    InProgress,
}

/// Every code that has a name of its own.
const CODES: [(Code, &str, Class); 15] = [
    (Code::Succeeded, "succeeded", Class::Success),
    (Code::Failed, "failed", Class::Failure),
    (Code::Unresolvable, "unresolvable", Class::Failure),
    (Code::Broken, "broken", Class::Failure),
    (Code::Disabled, "disabled", Class::Refused),
    (Code::Excluded, "excluded", Class::Refused),
    (Code::Locked, "locked", Class::Refused),
    (Code::Blocked, "blocked", Class::InProgress),
    (Code::Scheduled, "scheduled", Class::InProgress),
    (Code::Dispatching, "dispatching", Class::InProgress),
    (Code::Building, "building", Class::InProgress),
    (Code::Signing, "signing", Class::InProgress),
    (Code::Finished, "finished", Class::InProgress),
    (Code::Deleting, "deleting", Class::InProgress),
    (Code::Unknown, "unknown", Class::InProgress),
];

impl Code {
    /// Reads the service's word.
    pub fn read(word: &str) -> Self {
        CODES
            .iter()
            .find(|(_, name, _)| *name == word)
            .map_or_else(|| Self::Other(word.to_owned()), |(code, _, _)| code.clone())
    }

    /// The service's word.
    pub fn word(&self) -> &str {
        match self {
            Self::Other(word) => word,
            code => CODES
                .iter()
                .find(|(other, _, _)| other == code)
                .map_or("unknown", |(_, name, _)| name),
        }
    }

    /// What it means. An unknown word is taken for one on the way to another.
    pub fn class(&self) -> Class {
        CODES
            .iter()
            .find(|(other, _, _)| other == self)
            .map_or(Class::InProgress, |(_, _, class)| *class)
    }

    /// Whether a build ran, so that there is a log of it.
    pub fn has_log(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// All that a project's results say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// What the next question names so that it is answered when something changed.
    pub state: String,
    /// Each repository and architecture.
    pub repositories: Vec<RepositoryResult>,
}

/// The results of one repository and architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryResult {
    /// The project.
    pub project: String,
    /// The repository.
    pub repository: String,
    /// The architecture.
    pub arch: String,
    /// What the repository as a whole is about: `building`, `published`, and others.
    pub code: String,
    /// Whether the packages' codes may be outdated.
    pub is_dirty: bool,
    /// What the service adds, such as why it is broken.
    pub details: String,
    /// When the scheduler looked at it last, in seconds since 1970, if the service tells.
    pub checked: Option<i64>,
    /// The packages.
    pub packages: Vec<PackageState>,
}

/// One package's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageState {
    /// The package.
    pub package: String,
    /// Its code.
    pub code: Code,
    /// What is missing, waited for, or broken.
    pub details: String,
}

/// One look at a package on one repository and architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The package's code.
    pub code: Code,
    /// What is missing, waited for, or broken.
    pub details: String,
    /// Whether the code may be outdated.
    pub is_dirty: bool,
    /// What the repository as a whole is about.
    pub repository: String,
    /// What the next question names so that it is answered when something changed.
    pub state: String,
    /// When the scheduler looked at it last, in seconds since 1970, if the service tells.
    pub checked: Option<i64>,
}

impl Results {
    /// Reads the answer.
    pub(crate) fn read(root: &Element) -> Self {
        let repositories = root.all("result").map(|result| {
            let code = result
                .attribute("code")
                .or_else(|| result.attribute("state"))
                .unwrap_or("unknown");
            let packages = result.all("status").map(|status| PackageState {
                package: status.text_of("package"),
                code: Code::read(status.attribute("code").unwrap_or("unknown")),
                details: status.child_text("details"),
            });
            RepositoryResult {
                project: result.text_of("project"),
                repository: result.text_of("repository"),
                arch: result.text_of("arch"),
                // While it schedules, the flag is gone and the codes are the old ones.
                is_dirty: result.attribute("dirty").is_some_and(|dirty| dirty != "false") || code == "scheduling",
                code: code.to_owned(),
                details: result.text_of("details"),
                checked: result.child("stats").and_then(|stats| stats.number("lastchecked")),
                packages: packages.collect(),
            }
        });
        Self {
            state: root.text_of("state"),
            repositories: repositories.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_keeps_its_word() {
        for (code, word, class) in CODES {
            assert_eq!(Code::read(word), code);
            assert_eq!(code.word(), word);
            assert_eq!(code.class(), class);
        }
        let other = Code::read("pondering");
        assert_eq!((other.word(), other.class()), ("pondering", Class::InProgress));
    }
}
