//! A source package that was opened: a copy of its own, edited there, packed from there.

mod arches;
mod packed;

use std::{
    io,
    path::{Path, PathBuf},
};

pub(crate) use arches::ArchList;
use fs_err as fs;
use seatrial_core::{Digest, RecipeKind as Kind};
use walkdir::WalkDir;

pub use self::{
    arches::Architectures,
    packed::{Packed, PackedFile},
};
use crate::{
    PackageError,
    archive::{Limits, shown},
    deb::{self, Debian, PatchHeader},
    diff::{self, Report, Tree},
    rpm::{self, Flat},
};

/// How a package is opened.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// The folder in which the copy is made; the system's folder for temporary files when left out.
    pub scratch: Option<PathBuf>,
    /// Bounds of each of its archives.
    pub limits: Limits,
}

/// A source package on this machine's disk. It is a copy: what it was opened from is never written. The copy goes with the
/// value.
#[derive(Debug)]
pub struct Package {
    name: String,
    version: String,
    work: tempfile::TempDir,
    root: PathBuf,
    /// What the sources were when the package was opened.
    opened: Digest,
    options: OpenOptions,
    parts: Parts,
}

#[derive(Debug, Clone)]
enum Parts {
    Debian(Debian),
    Rpm(Flat),
}

impl Package {
    /// Opens a `.dsc`, an unpacked Debian tree, or a flat folder with one `.spec`.
    pub fn open(path: &Path) -> Result<Self, PackageError> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens a package with options.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<Self, PackageError> {
        let work = scratch(options)?;
        let made = Self::open_in(path, work.path(), options).map_err(|error| error.at(work.path()))?;
        let (root, parts) = made;
        let mut package = Self {
            name: String::new(),
            version: String::new(),
            work,
            root,
            opened: Digest::of(b""),
            options: options.clone(),
            parts,
        };
        package.opened = package.digest()?;
        package.refresh()?;
        Ok(package)
    }

    fn open_in(path: &Path, work: &Path, options: &OpenOptions) -> Result<(PathBuf, Parts), PackageError> {
        let metadata = fs::metadata(path)?;
        let files = work.join("files");
        fs::create_dir_all(&files)?;
        if metadata.is_file() {
            return match path.extension().and_then(|ending| ending.to_str()) {
                Some("dsc") => Self::open_description(path, work, &files, options),
                Some("spec") => Self::open_flat(path.parent().unwrap_or(Path::new(".")), work, options),
                _ => Err(PackageError::NoRecipe(path.to_owned())),
            };
        }
        if path.join("debian").is_dir() {
            let root = work.join("tree");
            copy_tree(path, &root)?;
            // The way to the folder above, also when the path ends in a dot.
            let whole = fs::canonicalize(path)?;
            let beside = whole.parent().unwrap_or(&whole);
            let parts = Debian::from_tree(&root, beside, &files, options.limits)?;
            return Ok((root, Parts::Debian(parts)));
        }
        let mut specs = Vec::new();
        let mut descriptions = Vec::new();
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            match ending(&name) {
                "spec" => specs.push(name),
                "dsc" => descriptions.push(name),
                _ => {}
            }
        }
        specs.sort();
        descriptions.sort();
        match (specs.as_slice(), descriptions.as_slice()) {
            ([_], _) => Self::open_flat(path, work, options),
            ([], [one]) => Self::open_description(&path.join(one), work, &files, options),
            ([], []) => Err(PackageError::NoRecipe(path.to_owned())),
            ([], names) | (names, _) => Err(PackageError::SeveralRecipes {
                folder: path.to_owned(),
                names: names.to_vec(),
            }),
        }
    }

    fn open_description(
        path: &Path,
        work: &Path,
        files: &Path,
        options: &OpenOptions,
    ) -> Result<(PathBuf, Parts), PackageError> {
        let root = work.join("tree");
        let parts = Debian::from_description(path, files, &root, options.limits)?;
        Ok((root, Parts::Debian(parts)))
    }

    fn open_flat(path: &Path, work: &Path, options: &OpenOptions) -> Result<(PathBuf, Parts), PackageError> {
        let root = work.join("flat");
        fs::create_dir_all(&root)?;
        let parts = Flat::open(path, &root, options.limits)?;
        Ok((root, Parts::Rpm(parts)))
    }

    /// Whose package it is.
    pub fn kind(&self) -> Kind {
        match self.parts {
            Parts::Debian(_) => Kind::Debian,
            Parts::Rpm(_) => Kind::Rpm,
        }
    }

    /// The name of the source package.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole version, as it was when the package was opened, or last edited through [`Package::apply`] or refreshed.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where the sources can be edited. Debian: the unpacked tree with the patches applied. RPM: the flat folder, with each
    /// archive unpacked in a folder of it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folders of a flat folder that archives were unpacked into, each with its archive. Debian: none.
    pub fn unpacked(&self) -> Vec<(&str, &str)> {
        match &self.parts {
            Parts::Debian(_) => Vec::new(),
            Parts::Rpm(flat) => flat.unpacked(),
        }
    }

    /// The archive that a file of the root is packed into; none for a file of the flat folder itself, and for Debian.
    pub fn archive_of(&self, path: &str) -> Option<&str> {
        let first = path.split('/').next()?;
        let (_, archive) = self.unpacked().into_iter().find(|(folder, _)| *folder == first)?;
        Some(archive)
    }

    /// What was noticed when the package was opened and is no error, such as an archive that stays closed.
    pub fn notes(&self) -> &[String] {
        match &self.parts {
            Parts::Debian(debian) => &debian.notes,
            Parts::Rpm(flat) => &flat.notes,
        }
    }

    /// Where the recipe, as it is now, allows a build. A recipe that cannot be read says nothing, and why is told among what
    /// is unknown.
    pub fn architectures(&self) -> Architectures {
        let found = match &self.parts {
            Parts::Debian(_) => deb::control_of(&self.root).map(|control| deb::architectures(&control)),
            Parts::Rpm(_) => Flat::spec(&self.root).map(|spec| rpm::architectures(&spec)),
        };
        found.unwrap_or_else(|error| Architectures::unknown(error.to_string()))
    }

    /// Reads name and version again after the recipe was edited.
    pub fn refresh(&mut self) -> Result<(), PackageError> {
        (self.name, self.version) = self.recipe()?;
        Ok(())
    }

    /// Name and version as they are now.
    fn recipe(&self) -> Result<(String, String), PackageError> {
        Ok(match &self.parts {
            Parts::Debian(_) => {
                let changelog = deb::changelog_of(&self.root)?;
                (changelog.top().package.clone(), changelog.top().version.clone())
            }
            Parts::Rpm(_) => Flat::spec(&self.root)?.name_and_version(),
        })
    }

    fn tree(&self) -> Result<Tree, PackageError> {
        match self.parts {
            Parts::Debian(_) => Tree::list(&self.root, deb::is_work),
            Parts::Rpm(_) => Tree::list(&self.root, rpm::is_no_source),
        }
    }

    /// The identity of the sources as they are now.
    pub fn digest(&self) -> Result<Digest, PackageError> {
        self.tree()?.digest()
    }

    /// Another copy of the package as it is now.
    pub fn copy(&self) -> Result<Self, PackageError> {
        let work = scratch(&self.options)?;
        copy_tree(self.work.path(), work.path()).map_err(|error| error.at(work.path()))?;
        let inside = |path: &Path| work.path().join(path.strip_prefix(self.work.path()).unwrap_or(path));
        let mut parts = self.parts.clone();
        if let Parts::Debian(debian) = &mut parts {
            debian.move_files(&inside(&self.work.path().join("files")));
        }
        Ok(Self {
            name: self.name.clone(),
            version: self.version.clone(),
            root: inside(&self.root),
            opened: self.opened,
            options: self.options.clone(),
            parts,
            work,
        })
    }

    /// What leads from another copy of the package to this one, as `git diff --binary` would print it. Files in archives
    /// stand under the folders that the archives were unpacked into.
    pub fn diff_from(&self, pristine: &Self) -> Result<String, PackageError> {
        diff::between(&pristine.tree()?, &self.tree()?)
    }

    /// Applies a diff: all of it, or nothing. It must fit but for line numbers.
    pub fn apply(&mut self, diff: &str) -> Result<Report, PackageError> {
        let report = diff::apply(&self.root, self.work.path(), diff).map_err(|error| error.at(self.work.path()))?;
        self.refresh()?;
        Ok(report)
    }

    /// Writes edits of upstream's files into the tree as a patch of the package (`3.0 (quilt)` only), so that the tree is
    /// complete by itself. Says the name of the patch; none when there was nothing to record.
    pub fn record(&mut self, header: &PatchHeader) -> Result<Option<String>, PackageError> {
        match &mut self.parts {
            Parts::Debian(debian) => debian.record(&self.root, header),
            Parts::Rpm(_) => Ok(None),
        }
    }

    /// An RPM package in the form in which distributions change one: as another copy of it came, with edits of what its archive
    /// holds as a patch that the spec file names and applies. The sources are the same after `%prep`. The reason where that is
    /// not possible.
    pub fn with_patch(&self, pristine: &Self, header: &PatchHeader) -> Result<Result<Self, String>, PackageError> {
        match self.kind() {
            Kind::Rpm => rpm::as_patch(self, pristine, header),
            Kind::Debian => Ok(Err("a Debian package keeps its patches itself".to_owned())),
        }
    }

    /// Packs the sources as they are now into a new folder; see [`Package::pack_with`].
    pub fn pack(&self, out: &Path) -> Result<Packed, PackageError> {
        self.pack_with(out, &PatchHeader::default())
    }

    /// Packs the sources as they are now into a new folder (or an empty one). Debian: the description, upstream's archives
    /// as they were, and the packaging; edits of upstream's files become a patch with this header. RPM: the flat folder, with
    /// those archives made anew whose files were edited. Either the whole folder is there afterwards, or nothing.
    pub fn pack_with(&self, out: &Path, header: &PatchHeader) -> Result<Packed, PackageError> {
        let source = self.digest()?;
        let untouched = source == self.opened;
        let files = match &self.parts {
            Parts::Debian(debian) => debian.pack(&self.root, header, untouched)?,
            Parts::Rpm(flat) => flat.pack(&self.root)?,
        };
        if self.digest()? != source {
            return Err(PackageError::Changed);
        }
        packed::write(out, self.recipe()?, files, source)
    }
}

fn scratch(options: &OpenOptions) -> Result<tempfile::TempDir, PackageError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("seatrial-package-");
    Ok(match &options.scratch {
        Some(folder) => builder.tempdir_in(folder)?,
        None => builder.tempdir()?,
    })
}

/// What stands behind the last dot of a name.
pub(crate) fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Refuses a path of the package that leads out of it through links: what an edit put there could be any file of this machine.
pub(crate) fn stays_inside(root: &Path, file: &str) -> Result<(), PackageError> {
    let place = root.join(file);
    match (fs::canonicalize(&place), fs::canonicalize(root)) {
        (Ok(place), Ok(root)) if !place.starts_with(&root) => Err(PackageError::not_representable(
            file,
            "it is reached through a link that leads out of the package; put a file there",
        )),
        _ => Ok(()),
    }
}

/// Refuses to write where a link stands, or behind one.
pub(crate) fn no_link_on_the_way(root: &Path, path: &Path) -> Result<(), PackageError> {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let is_link = |part: &&Path| {
        let whole = root.join(part);
        !part.as_os_str().is_empty() && whole.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
    };
    match inside.ancestors().find(is_link) {
        None => Ok(()),
        Some(link) => Err(PackageError::not_representable(
            link.display().to_string(),
            "it is a link, and something must be written there; put a file or a folder in its place",
        )),
    }
}

/// A text file of the package; none when it is not there.
pub(crate) fn text_of(root: &Path, file: &str) -> Result<Option<String>, PackageError> {
    stays_inside(root, file)?;
    match fs::read(root.join(file)) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| PackageError::recipe(file, format!("it is no UTF-8 ({error}); convert it"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Copies a tree with its links, modes and times.
fn copy_tree(from: &Path, to: &Path) -> Result<(), PackageError> {
    let mut folders = Vec::new();
    for entry in WalkDir::new(from) {
        let entry = entry.map_err(io::Error::from)?;
        let place = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        let kind = entry.file_type();
        if kind.is_dir() {
            fs::create_dir_all(&place)?;
            folders.push((entry.path().to_owned(), place));
        } else if kind.is_symlink() {
            fs::os::unix::fs::symlink(fs::read_link(entry.path())?, &place)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &place)?;
            let modified = fs::metadata(entry.path())?.modified()?;
            fs::File::options()
                .write(true)
                .open(&place)
                .map_or(Ok(()), |file| file.file().set_modified(modified))?;
        } else {
            return Err(PackageError::not_representable(
                shown(std::os::unix::ffi::OsStrExt::as_bytes(entry.path().as_os_str())),
                "it is a device, a pipe or a socket, which no source package holds; remove it",
            ));
        }
    }
    Ok(())
}
