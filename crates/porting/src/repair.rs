//! A repair: edits with their reason.

use seatrial_core::{Digest, Mark};
use seatrial_packaging::{Package, PackageError};
use serde::{Deserialize, Serialize};

/// What is done to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The file, below the package's root.
    pub path: String,
    /// The change as git would print it. It fits when the lines that it is about are as they were.
    pub diff: String,
    /// The file's content afterwards, when it was as it is when the repair was made: an insertion fits twice, and must not be
    /// made twice.
    pub after: Digest,
}

/// Edits that may mend a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The kind of repair, such as `conditional-flag`.
    pub name: String,
    /// What it does, in a few words.
    pub title: String,
    /// Why, with the line of the log that asks for it.
    pub why: String,
    /// The edits, in the order of their paths; never none.
    pub edits: Vec<Edit>,
    /// What it gives up.
    pub marks: Vec<Mark>,
    /// How likely it is to help, in percent. It orders the candidates of one failure and is no measured rate.
    pub confidence: u8,
}

/// What applying a repair did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The files that were changed.
    pub files: Vec<String>,
}

/// A repair that was not applied; the package is as it was.
#[derive(Debug, thiserror::Error)]
pub enum PortingError {
    /// The package is not, or no longer, what the repair was made for.
    #[error(
        "the repair `{name}` does not fit the package: {source}; ask for candidates again, for the package as it is now"
    )]
    DoesNotFit {
        /// The repair's name.
        name: String,
        /// Why not.
        source: PackageError,
    },
    /// It was applied before.
    #[error("the repair `{name}` is in {path} already; ask for candidates again, for the package as it is now")]
    AlreadyThere {
        /// The repair's name.
        name: String,
        /// A file that has it.
        path: String,
    },
}

impl Repair {
    /// All edits as one diff.
    pub fn diff(&self) -> String {
        self.edits.iter().map(|edit| edit.diff.as_str()).collect()
    }

    /// Whether it gives up nothing.
    pub fn is_clean(&self) -> bool {
        self.marks.is_empty()
    }

    /// Applies all edits, or none of them.
    pub fn apply(&self, package: &mut Package) -> Result<Applied, PortingError> {
        for edit in &self.edits {
            let now = fs_err::read(package.root().join(&edit.path));
            if now.is_ok_and(|content| Digest::of(&content) == edit.after) {
                return Err(PortingError::AlreadyThere {
                    name: self.name.clone(),
                    path: edit.path.clone(),
                });
            }
        }
        let report = package.apply(&self.diff()).map_err(|source| PortingError::DoesNotFit {
            name: self.name.clone(),
            source,
        })?;
        Ok(Applied {
            files: report.files.into_iter().map(|file| file.path).collect(),
        })
    }
}
