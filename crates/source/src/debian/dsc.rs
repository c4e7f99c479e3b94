//! Source packages into trees.

use std::path::{Path, PathBuf};

use fs_err as fs;
use seatrial_core::FilePin;

use super::{
    DebianArchive,
    pin::{described_files, is_description},
    version::{upstream_of, without_epoch},
};
use crate::{
    SourceError, UnpackLimits,
    process::{Program, complaint},
    unpack::{check_links, unpack},
};

/// A pinned version of a source package.
pub(crate) struct PinnedPackage<'a> {
    pub(crate) package: &'a str,
    pub(crate) version: &'a str,
    pub(crate) directory: &'a str,
    pub(crate) files: &'a [FilePin],
}

/// Where the distribution's packaging lives.
pub(crate) const PACKAGING: &str = "debian";

/// Which archives make upstream's tree.
#[derive(Debug, PartialEq, Eq)]
struct Parts<'a> {
    /// The main one.
    main: &'a FilePin,
    /// Further ones, each with the folder it goes to.
    components: Vec<(&'a str, &'a FilePin)>,
}

impl DebianArchive {
    /// Fetches a pinned package and lays its tree at `target`; `staging` is a folder for what comes between.
    ///
    /// Without packaging only what upstream released is laid: no `debian/` (not even upstream's own) and no patches.
    pub(crate) fn unpack(
        &self,
        package: &PinnedPackage<'_>,
        packaging: bool,
        staging: &Path,
        target: &Path,
        limits: &UnpackLimits,
    ) -> Result<(), SourceError> {
        let description = self.description(package)?;
        if packaging {
            return self.unpack_with_packaging(package, &description, staging, target);
        }
        let parts = parts(package)?;
        let top = self.unpack_part(package, parts.main, &staging.join("main"), limits)?;
        fs::rename(top, target)?;
        for (folder, pin) in parts.components {
            let top = self.unpack_part(package, pin, &staging.join("component"), limits)?;
            let place = target.join(folder);
            remove(&place)?;
            fs::rename(top, place)?;
            remove(&staging.join("component"))?;
        }
        remove(&target.join(PACKAGING))?;
        check_links(target, &format!("{} {}", package.package, package.version), None)
    }

    /// Fetches the `.dsc` and compares what it says with the pin.
    fn description(&self, package: &PinnedPackage<'_>) -> Result<PathBuf, SourceError> {
        let refuse = |problem: String| SourceError::Verify {
            what: format!("{} {}", package.package, package.version),
            problem,
        };
        let pin = package
            .files
            .iter()
            .find(|file| is_description(&file.name))
            .ok_or_else(|| refuse("its pin names no .dsc".to_owned()))?;
        let path = self.pinned_file(package.package, package.version, package.directory, pin)?;
        let described = described_files(&String::from_utf8_lossy(&fs::read(&path)?));
        for file in package.files.iter().filter(|file| !is_description(&file.name)) {
            if !described.contains(file) {
                return Err(refuse(format!("its .dsc does not describe `{}` as pinned", file.name)));
            }
        }
        Ok(path)
    }

    fn unpack_part(
        &self,
        package: &PinnedPackage<'_>,
        pin: &FilePin,
        staging: &Path,
        limits: &UnpackLimits,
    ) -> Result<PathBuf, SourceError> {
        let file = self.pinned_file(package.package, package.version, package.directory, pin)?;
        unpack(&file, &pin.name, staging, limits, self.progress.as_deref())
    }

    /// Lays everything as the distribution builds it. Its own tool knows all formats; it only unpacks and patches.
    fn unpack_with_packaging(
        &self,
        package: &PinnedPackage<'_>,
        description: &Path,
        staging: &Path,
        target: &Path,
    ) -> Result<(), SourceError> {
        fs::create_dir_all(staging)?;
        let mut main = None;
        for pin in package.files {
            let file = if is_description(&pin.name) {
                description.to_owned()
            } else {
                self.pinned_file(package.package, package.version, package.directory, pin)?
            };
            let link = staging.join(&pin.name);
            fs::os::unix::fs::symlink(&file, &link)?;
            if is_description(&pin.name) {
                main = Some(link);
            }
        }
        let output = Program::new("dpkg-source", "apt-get install dpkg-dev", staging)
            .args(["--no-check", "--no-copy", "--extract"])
            .args(main)
            .arg(target)
            .output()?;
        if !output.status.success() {
            return Err(SourceError::Archive {
                archive: format!("{} {}", package.package, package.version),
                problem: complaint(&output),
            });
        }
        let shown = format!("{} {}", package.package, package.version);
        check_links(target, &shown, Some(PACKAGING))
    }
}

/// Sorts a package's files: which are upstream's.
fn parts<'a>(package: &PinnedPackage<'a>) -> Result<Parts<'a>, SourceError> {
    let upstream = format!("{}_{}.orig", package.package, upstream_of(package.version));
    let native = format!("{}_{}", package.package, without_epoch(package.version));
    let mut main = None;
    let mut components = Vec::new();
    for file in package.files {
        if let Some(rest) = file.name.strip_prefix(&upstream) {
            if is_tarball(rest) {
                main = Some(file);
            } else if let Some((component, rest)) = rest.strip_prefix('-').and_then(|rest| rest.split_once('.'))
                && is_tarball(&format!(".{rest}"))
                && is_component(component)
            {
                components.push((component, file));
            }
        }
    }
    if main.is_none() {
        main = package
            .files
            .iter()
            .find(|file| file.name.strip_prefix(&native).is_some_and(is_tarball));
    }
    let main = main.ok_or_else(|| SourceError::Archive {
        archive: format!("{} {}", package.package, package.version),
        problem: "the package names no upstream archive".to_owned(),
    })?;
    Ok(Parts { main, components })
}

/// Whether the rest of a name is `.tar.*` (and not a signature of one).
fn is_tarball(rest: &str) -> bool {
    matches!(rest, ".tar.gz" | ".tar.xz" | ".tar.bz2" | ".tar.lzma" | ".tar.zst")
}

/// Names of components are letters, digits and hyphens: one folder at the top.
fn is_component(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

/// Removes whatever is at a path.
fn remove(path: &Path) -> Result<(), SourceError> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(version: &str, names: &[&str], main: &str, components: &[(&str, &str)]) {
        let files: Vec<FilePin> = names
            .iter()
            .map(|name| FilePin {
                name: (*name).to_owned(),
                size: 1,
                sha256: String::new(),
            })
            .collect();
        let package = PinnedPackage {
            package: "x",
            version,
            directory: "pool",
            files: &files,
        };
        let parts = parts(&package).unwrap();
        let found: Vec<_> = parts
            .components
            .iter()
            .map(|(folder, file)| (*folder, file.name.as_str()))
            .collect();
        assert_eq!((parts.main.name.as_str(), found.as_slice()), (main, components));
    }

    #[test]
    fn upstream_archives_are_told_from_packaging() {
        check(
            "1:2.0-3",
            &[
                "x_2.0-3.dsc",
                "x_2.0.orig-data.tar.xz",
                "x_2.0.orig.tar.gz",
                "x_2.0.orig.tar.gz.asc",
                "x_2.0-3.debian.tar.xz",
            ],
            "x_2.0.orig.tar.gz",
            &[("data", "x_2.0.orig-data.tar.xz")],
        );
        check("1.0", &["x_1.0.dsc", "x_1.0.tar.xz"], "x_1.0.tar.xz", &[]);
        check("1.0-2", &["x_1.0-2.dsc", "x_1.0-2.tar.gz"], "x_1.0-2.tar.gz", &[]);
        check(
            "1.0-2",
            &["x_1.0-2.dsc", "x_1.0.orig.tar.bz2", "x_1.0-2.diff.gz"],
            "x_1.0.orig.tar.bz2",
            &[],
        );
    }
}
