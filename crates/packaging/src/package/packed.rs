//! A packed package: its files and what they were made of.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::Digest;

use crate::{Package, PackageError, hash};

/// A package that was packed into a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The name of the source package.
    pub name: String,
    /// Its version, as the recipe has it now.
    pub version: String,
    /// The folder.
    pub folder: PathBuf,
    /// The description (`.dsc`) or the recipe (`.spec`) in it.
    pub recipe: PathBuf,
    /// The files, in the order of their names.
    pub files: Vec<PackedFile>,
    /// The identity of the sources that they were made of.
    pub source: Digest,
}

/// One packed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFile {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// MD5 of its content, which build services ask for.
    pub md5: String,
}

impl Packed {
    /// Whether this is what the package's sources are now, and the files are still what was packed: whoever is about to
    /// build or upload them asks.
    pub fn is_current(&self, package: &Package) -> Result<bool, PackageError> {
        if package.digest()? != self.source {
            return Ok(false);
        }
        for file in &self.files {
            match fs::read(self.folder.join(&file.name)) {
                Ok(content) if hash::sha256(&content) == file.sha256 => {}
                Ok(_) => return Ok(false),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        let count = fs::read_dir(&self.folder)?.count();
        Ok(count == self.files.len())
    }
}

/// Writes files beside the folder first, and then moves all of them there at once.
pub(super) fn write(
    out: &Path,
    (name, version): (String, String),
    files: Vec<(String, Vec<u8>)>,
    source: Digest,
) -> Result<Packed, PackageError> {
    let parent = out
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if out.symlink_metadata().is_ok() && (!out.is_dir() || fs::read_dir(out)?.next().is_some()) {
        return Err(PackageError::NotEmpty(out.to_owned()));
    }
    let full = |error: std::io::Error| PackageError::from(error).at(out);
    fs::create_dir_all(parent).map_err(full)?;
    let staging = tempfile::Builder::new()
        .prefix(".seatrial-pack-")
        .tempdir_in(parent)
        .map_err(full)?;
    let mut packed = Packed {
        name,
        version,
        folder: out.to_owned(),
        recipe: out.to_owned(),
        files: Vec::new(),
        source,
    };
    for (name, content) in files {
        let mut file = fs::File::create(staging.path().join(&name)).map_err(full)?;
        std::io::Write::write_all(&mut file, &content).map_err(full)?;
        // Some file systems tell only now that there is no room.
        file.sync_all().map_err(full)?;
        if matches!(super::ending(&name), "dsc" | "spec") {
            packed.recipe = out.join(&name);
        }
        packed.files.push(PackedFile {
            size: content.len() as u64,
            sha256: hash::sha256(&content),
            md5: hash::md5(&content),
            name,
        });
    }
    packed.files.sort_by(|one, other| one.name.cmp(&other.name));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(staging.path(), mode).map_err(full)?;
    fs::rename(staging.path(), out).map_err(full)?;
    // What was moved is nobody's to clean up.
    drop(staging.keep());
    Ok(packed)
}
