//! From a source package's name to its pinned files.

use std::path::Path;

use fs_err as fs;
use seatrial_core::{FilePin, PinnedSource, SourceKind};

use super::{
    DebianArchive, SourcePackage,
    deb822::{Paragraphs, without_armor},
    index::pins,
    snapshot::SnapshotFile,
};
use crate::{
    SourceError,
    download::{Expected, Got},
};

impl DebianArchive {
    /// Pins a version of a source package; the newest of all suites when none is named.
    pub fn pin(&self, package: &str, version: Option<&str>) -> Result<PinnedSource, SourceError> {
        let versions = self.source_versions(package)?;
        let found = match version {
            None => versions.first(),
            Some(version) => versions.iter().find(|source| source.version == version),
        };
        match (found, version) {
            (Some(source), _) => pinned(package, &source.version, &source.directory, source.files.clone()),
            (None, Some(version)) => self.pin_from_snapshot(package, version, &versions),
            (None, None) => Err(SourceError::Usage(self.unknown(package)?)),
        }
    }

    /// Pins a version that the signed indexes no longer have.
    fn pin_from_snapshot(
        &self,
        package: &str,
        version: &str,
        versions: &[SourcePackage],
    ) -> Result<PinnedSource, SourceError> {
        let there: Vec<&str> = versions.iter().map(|source| source.version.as_str()).collect();
        let lacks = if there.is_empty() {
            format!("the archive has no source package `{package}`")
        } else {
            format!("the archive has {package} {} but not {version}", there.join(", "))
        };
        let Some(snapshot) = self.snapshot() else {
            return Err(SourceError::Unavailable(lacks));
        };
        let files = snapshot.files(package, version).map_err(|error| match error {
            SourceError::Network { url, problem } => SourceError::Unavailable(format!(
                "{lacks}, and the snapshot archive could not be reached ({url}: {problem})"
            )),
            other => other,
        })?;
        let Some(description) = files.iter().find(|file| is_description(&file.name)) else {
            return Err(SourceError::Unavailable(format!(
                "{lacks}, and neither has the snapshot archive ({})",
                snapshot.address
            )));
        };
        let pin = self.description_pin(description)?;
        let text = String::from_utf8_lossy(&fs::read(self.place(&pin)?)?).into_owned();
        let mut all = vec![pin];
        all.extend(described_files(&text));
        self.note(format!(
            "{package} {version} comes from the snapshot archive: its description is not covered by a signed index"
        ));
        pinned(package, version, &description.directory, all)
    }

    /// Downloads a `.dsc` whose SHA-256 nobody told us, and keeps it under the one it has.
    fn description_pin(&self, file: &SnapshotFile) -> Result<FilePin, SourceError> {
        let landing = tempfile::Builder::new()
            .prefix(".landing-")
            .tempdir_in(self.home.cache("archive")?)?;
        let path = landing.path().join("dsc");
        let expected = Expected {
            size: Some(file.size),
            sha256: None,
        };
        let Got::File(sha256) = self.downloader.get(&file.url, &path, expected)? else {
            return Err(SourceError::Unavailable(format!(
                "{} ({}) is not there",
                file.url, file.name
            )));
        };
        let pin = FilePin {
            name: Path::new(&file.name)
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            size: file.size,
            sha256,
        };
        fs::rename(path, self.place(&pin)?)?;
        Ok(pin)
    }

    /// What to say of a name that no source package has: perhaps a binary package has it.
    fn unknown(&self, package: &str) -> Result<String, SourceError> {
        let sources = self.sources()?;
        let builds = sources
            .iter()
            .find(|source| source.binaries.iter().any(|binary| binary == package));
        let platform = format!("{}:{}", self.platform.distribution, self.platform.release);
        if let Some(source) = builds {
            return Ok(format!(
                "`{package}` is a binary package of {platform}; its source package is `debian:{}`",
                source.package
            ));
        }
        let mut near: Vec<&str> = sources
            .iter()
            .map(|source| source.package.as_str())
            .filter(|name| is_near(name, package))
            .collect();
        near.dedup();
        near.truncate(5);
        let hint = if near.is_empty() {
            "check the spelling".to_owned()
        } else {
            format!("did you mean `{}`?", near.join("`, `"))
        };
        Ok(format!("{platform} has no source package `{package}`; {hint}"))
    }
}

fn pinned(package: &str, version: &str, directory: &str, files: Vec<FilePin>) -> Result<PinnedSource, SourceError> {
    if !files.iter().any(|file| is_description(&file.name)) {
        return Err(SourceError::Unavailable(format!(
            "{package} {version} has no .dsc with a SHA-256"
        )));
    }
    Ok(PinnedSource {
        name: package.to_owned(),
        origin: SourceKind::Debian {
            package: package.to_owned(),
            version: version.to_owned(),
            directory: directory.to_owned(),
            files,
            packaging: false,
        },
        tree: None,
    })
}

/// Whether a name is a source package's description.
pub(super) fn is_description(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "dsc")
}

/// The files that a `.dsc` names.
pub(super) fn described_files(text: &str) -> Vec<FilePin> {
    Paragraphs::new(without_armor(text))
        .find_map(|paragraph| paragraph.get("Checksums-Sha256").map(pins))
        .unwrap_or_default()
}

/// Whether two names differ by one letter, or one is the other with something at its end or start.
fn is_near(name: &str, wanted: &str) -> bool {
    if wanted.len() >= 4 && (name.starts_with(wanted) || name.ends_with(wanted)) {
        return true;
    }
    let common_start = name
        .bytes()
        .zip(wanted.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let rest = |text: &str| text.len() - common_start;
    let common_end = name
        .bytes()
        .rev()
        .zip(wanted.bytes().rev())
        .take(rest(name).min(rest(wanted)))
        .take_while(|(one, other)| one == other)
        .count();
    rest(name).max(rest(wanted)) - common_end <= 1
}
