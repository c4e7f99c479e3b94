//! Flat folders: a spec file and everything it names, without folders.

use std::path::Path;

use fs_err as fs;
use seatrial_core::Digest;

use super::Spec;
use crate::{
    PackageError,
    archive::{self, Archive, ArchiveError, Entry, Limits, Shape, Times, shown},
    package::ending,
};

/// What a flat folder is made of besides its files.
#[derive(Debug, Clone)]
pub(crate) struct Flat {
    archives: Vec<Unpacked>,
    pub(crate) notes: Vec<String>,
}

/// An archive and where it was unpacked.
#[derive(Debug, Clone)]
struct Unpacked {
    file: String,
    /// The folder, beside the archive.
    folder: String,
    /// Whether the folder is the archive's own top folder, so that its paths begin with the folder's name.
    own_top: bool,
    shape: Shape,
    /// The archive's bytes when it was unpacked.
    digest: Digest,
}

/// Files that lie in such folders and are no sources: notes of who made them, logs, and what version control keeps.
pub(crate) fn is_no_source(path: &[u8]) -> bool {
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    matches!(first, b"manifest.json" | b"log_failed.txt" | b".osc" | b".git")
}

impl Flat {
    /// Copies the files of a folder and unpacks its archives beside them.
    pub(crate) fn open(from: &Path, root: &Path, limits: Limits) -> Result<Self, PackageError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let name = entry.file_name();
            let bytes = std::os::unix::ffi::OsStrExt::as_bytes(name.as_os_str());
            let kind = entry.file_type()?;
            if is_no_source(bytes) || kind.is_dir() {
                continue;
            }
            // A link could lead to any file of this machine.
            if !kind.is_file() {
                return Err(PackageError::not_representable(
                    shown(bytes),
                    "it is no file, and a flat folder holds only files; put the file itself there",
                ));
            }
            let name = name.to_str().ok_or_else(|| {
                PackageError::not_representable(
                    shown(bytes),
                    "its name is no UTF-8; rename it and its tag in the recipe",
                )
            })?;
            fs::copy(entry.path(), root.join(name))?;
            names.push(name.to_owned());
        }
        names.sort();
        let mut flat = Self {
            archives: Vec::new(),
            notes: Vec::new(),
        };
        let spec = Self::spec(root)?;
        if spec.main_tags("name").next().is_none() {
            return Err(PackageError::recipe(spec.file, "it has no `Name` tag"));
        }
        let has_services = names.iter().any(|name| name == "_service");
        for (file, conditional, unknown) in spec.named_files() {
            if names.contains(&file) {
                continue;
            }
            if !unknown.is_empty() {
                let macros = unknown.join(", ");
                flat.notes.push(format!(
                    "a source `{file}` is named with macros that are not known here: {macros}"
                ));
            } else if has_services {
                flat.notes
                    .push(format!("`{file}` is not there; a source service may make it"));
            } else if conditional {
                flat.notes
                    .push(format!("`{file}` is not there; it is named under a condition"));
            } else {
                return Err(PackageError::MissingFile {
                    recipe: spec.file,
                    file,
                });
            }
        }
        for name in &names {
            flat.unpack(root, name, limits)?;
        }
        Ok(flat)
    }

    fn unpack(&mut self, root: &Path, name: &str, limits: Limits) -> Result<(), PackageError> {
        let Some((stem, ..)) = archive::by_name(name) else {
            return Ok(());
        };
        let bytes = fs::read(root.join(name))?;
        let read = match Archive::read(&bytes, limits) {
            Ok(read) => read,
            Err(problem @ (ArchiveError::Unknown | ArchiveError::LinkOut { .. } | ArchiveError::Special(_))) => {
                self.notes.push(format!("`{name}` stays closed: {problem}"));
                return Ok(());
            }
            Err(problem) => return Err(PackageError::archive(name)(problem)),
        };
        let is_free = |folder: &str| root.join(folder).symlink_metadata().is_err();
        let inside = |path: &[u8]| path == stem.as_bytes() || path.starts_with(format!("{stem}/").as_bytes());
        let mut paths = read.entries.iter().map(Entry::path).filter(|path| !path.is_empty());
        let own_top = is_free(stem) && read.files() > 0 && paths.all(|path| inside(&path));
        let folder = if is_free(stem) {
            stem.to_owned()
        } else {
            format!("{name}.d")
        };
        if own_top {
            archive::lay(&read, root)
        } else {
            fs::create_dir(root.join(&folder))?;
            archive::lay(&read, &root.join(&folder))
        }
        .map_err(PackageError::archive(name))?;
        self.archives.push(Unpacked {
            file: name.to_owned(),
            folder,
            own_top,
            shape: read.into(),
            digest: Digest::of(&bytes),
        });
        Ok(())
    }

    /// The one spec file of the folder.
    pub(crate) fn spec(root: &Path) -> Result<Spec, PackageError> {
        let mut specs: Vec<String> = Vec::new();
        for entry in fs::read_dir(root)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if ending(&name) == "spec" && entry.file_type()?.is_file() {
                specs.push(name);
            }
        }
        specs.sort();
        match specs.as_slice() {
            [spec] => Spec::parse(spec, &fs::read(root.join(spec))?),
            [] => Err(PackageError::NoRecipe(root.to_owned())),
            _ => Err(PackageError::SeveralRecipes {
                folder: root.to_owned(),
                names: specs,
            }),
        }
    }

    pub(crate) fn unpacked(&self) -> Vec<(&str, &str)> {
        let pairs = self
            .archives
            .iter()
            .map(|archive| (archive.folder.as_str(), archive.file.as_str()));
        pairs.collect()
    }

    /// The files of the packed folder. An archive is made anew only when a file of it was edited.
    pub(crate) fn pack(&self, root: &Path) -> Result<Vec<(String, Vec<u8>)>, PackageError> {
        Self::spec(root)?;
        let mut files = Vec::new();
        let mut names = Vec::new();
        for entry in fs::read_dir(root)? {
            let entry = entry?;
            let name = entry.file_name();
            let bytes = std::os::unix::ffi::OsStrExt::as_bytes(name.as_os_str());
            if is_no_source(bytes) {
                continue;
            }
            let name = shown(bytes);
            let kind = entry.file_type()?;
            if kind.is_file() {
                names.push(name);
            } else if !self.archives.iter().any(|archive| archive.folder == name) {
                return Err(PackageError::not_representable(
                    name,
                    "it is no file and belongs to no archive, and a flat folder holds only files; put it into an archive's folder",
                ));
            }
        }
        names.sort();
        for name in names {
            let content = fs::read(root.join(&name))?;
            let content = match self.archives.iter().find(|archive| archive.file == name) {
                Some(archive) => archive.pack(root, content)?,
                None => content,
            };
            files.push((name, content));
        }
        Ok(files)
    }
}

impl Unpacked {
    fn pack(&self, root: &Path, content: Vec<u8>) -> Result<Vec<u8>, PackageError> {
        let wrong = PackageError::archive(&self.file);
        let folder = root.join(&self.folder);
        // Not through a link: that could lead anywhere.
        if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(PackageError::edit(
                &self.file,
                format!(
                    "the folder `{}` that it was unpacked into is gone; remove the archive too, or leave the folder",
                    self.folder
                ),
            ));
        }
        let mut found = archive::read_folder(&folder).map_err(&wrong)?;
        if self.own_top {
            for entry in &mut found {
                entry.name = [self.folder.as_bytes(), b"/", &entry.name].concat();
            }
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&folder)?.permissions());
            let name = format!("{}/", self.folder).into_bytes();
            found.insert(0, Entry::new(name, archive::EntryKind::Folder, mode & 0o7777));
        }
        let refilled = self.shape.refill(found, Times::AfterAll);
        match (refilled.is_edited(), Digest::of(&content) == self.digest) {
            (false, _) => Ok(content),
            (true, true) => refilled.archive.write().map_err(&wrong),
            (true, false) => Err(PackageError::edit(
                &self.file,
                format!(
                    "both the archive and its folder `{}` were changed, and which one counts is not clear; undo one of them",
                    self.folder
                ),
            )),
        }
    }
}
