//! Errors of packages.

use std::path::{Path, PathBuf};

use crate::archive::ArchiveError;

/// A package could not be opened, edited or packed.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// Nothing there says how it is built.
    #[error(
        "`{0}` has no recipe; give a .dsc file, an unpacked tree with debian/control, or a folder with one .spec file"
    )]
    NoRecipe(PathBuf),
    /// It is not clear which recipe is meant.
    #[error("`{folder}` has several recipes: {}; leave one of them there", names.join(", "))]
    SeveralRecipes {
        /// The folder.
        folder: PathBuf,
        /// The recipes.
        names: Vec<String>,
    },
    /// The recipe names a file that is not there.
    #[error("`{recipe}` names `{file}`, which is not there; put it beside the recipe")]
    MissingFile {
        /// The recipe.
        recipe: String,
        /// The file.
        file: String,
    },
    /// A file is not the one that the recipe describes.
    #[error("`{file}` is not the file that `{recipe}` describes ({what}); get it again")]
    Mismatch {
        /// The recipe.
        recipe: String,
        /// The file.
        file: String,
        /// What is different.
        what: String,
    },
    /// The recipe cannot be read.
    #[error("{file}: {problem}")]
    Recipe {
        /// The file, with a line where there is one.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// A format of source packages that is not known here.
    #[error("`{0}` is no format of source packages that is known here (1.0, 3.0 (native), 3.0 (quilt))")]
    UnknownFormat(String),
    /// An archive is hostile, damaged or too large. The name says which.
    #[error("{archive}: refused: {problem}")]
    Archive {
        /// The archive.
        archive: String,
        /// What is wrong with it.
        problem: ArchiveError,
    },
    /// A patch of the package itself does not apply.
    #[error("{patch} does not apply to the package's own sources: {problem}")]
    OwnPatch {
        /// The patch.
        patch: String,
        /// Where, and what is there instead.
        problem: String,
    },
    /// A diff does not apply. Nothing was changed.
    #[error("the diff does not apply, and nothing was changed: {0}")]
    Diff(String),
    /// A change that the package's format, or a diff, cannot hold.
    #[error("`{path}`: {what}")]
    NotRepresentable {
        /// The file.
        path: String,
        /// What was done, and what to do instead.
        what: String,
    },
    /// The recipe cannot be edited in this way.
    #[error("{file} is not edited: {problem}")]
    Edit {
        /// The file.
        file: String,
        /// Why not, and what to do instead.
        problem: String,
    },
    /// The package was edited while it was packed.
    #[error("the sources were changed while they were packed; nothing was written; pack again")]
    Changed,
    /// The folder to pack into has something in it.
    #[error("`{0}` is not empty; give a new folder to pack into")]
    NotEmpty(PathBuf),
    /// The disk is full. Nothing half is left.
    #[error("the disk is full at `{0}`; nothing was left there; make room and try again")]
    DiskFull(PathBuf),
    /// The file system said no. The message names the path.
    #[error(transparent)]
    Io(std::io::Error),
}

impl PackageError {
    pub(crate) fn recipe(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Recipe {
            file: file.into(),
            problem: problem.into(),
        }
    }

    pub(crate) fn edit(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Edit {
            file: file.into(),
            problem: problem.into(),
        }
    }

    pub(crate) fn not_representable(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::NotRepresentable {
            path: path.into(),
            what: what.into(),
        }
    }

    /// A problem of an archive of that name. What the file system says stays what it is.
    pub(crate) fn archive(archive: &str) -> impl Fn(ArchiveError) -> Self + use<'_> {
        move |problem| match problem {
            ArchiveError::Io(error) => Self::from(error),
            problem => Self::Archive {
                archive: archive.to_owned(),
                problem,
            },
        }
    }

    /// Names the place when the disk is full.
    pub(crate) fn at(self, place: &Path) -> Self {
        match self {
            Self::DiskFull(_) => Self::DiskFull(place.to_owned()),
            other => other,
        }
    }
}

impl From<std::io::Error> for PackageError {
    fn from(error: std::io::Error) -> Self {
        let full = [std::io::ErrorKind::StorageFull, std::io::ErrorKind::QuotaExceeded];
        if full.contains(&error.kind()) {
            Self::DiskFull(PathBuf::new())
        } else {
            Self::Io(error)
        }
    }
}
