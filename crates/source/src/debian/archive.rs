//! The archive as the rest of the house sees it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use fs_err as fs;
use seatrial_core::{Digest, FilePin, Platform};
use seatrial_store::{Home, touch};

use super::{
    BinaryPackage, Mirror, SourcePackage,
    apt_sources::{self, AptSource, SignedBy},
    compare_versions, index,
    snapshot::{self, Snapshot},
    suites::{Loader, Shared, Suite, no_source, read_index},
};
use crate::{
    Progress, SourceError,
    download::{Downloader, Expected, Got, sha256},
    spec::is_sha256,
};

/// The archive of one release: every suite that this machine's package manager is configured for (the release itself,
/// its updates, its security suite), or those of a mirror that the caller names.
///
/// Indexes are kept below `cache/archive/` under their hash. Releases are fetched once in the life of this value.
pub struct DebianArchive {
    pub(super) home: Home,
    pub(super) platform: Platform,
    pub(super) downloader: Downloader,
    pub(super) progress: Option<Arc<dyn Progress>>,
    root: PathBuf,
    sources: Vec<AptSource>,
    snapshot: Option<String>,
    suites: Mutex<Option<Shared>>,
    notes: Mutex<Vec<String>>,
}

impl DebianArchive {
    /// Reads this machine's package sources. Nothing is downloaded yet.
    pub fn open(home: &Home, platform: &Platform, progress: Option<Arc<dyn Progress>>) -> Result<Self, SourceError> {
        Self::open_below(Path::new("/"), home, platform, progress)
    }

    /// Reads the package sources below another root, such as an image's. Nothing is downloaded yet.
    pub fn open_below(
        root: &Path,
        home: &Home,
        platform: &Platform,
        progress: Option<Arc<dyn Progress>>,
    ) -> Result<Self, SourceError> {
        let sources = apt_sources::read(root, platform)?;
        Ok(Self::new(root, sources, home, platform, progress))
    }

    /// An archive that the caller names. Nothing is downloaded yet.
    pub fn with_mirror(mirror: &Mirror, home: &Home, platform: &Platform, progress: Option<Arc<dyn Progress>>) -> Self {
        let signed_by = if mirror.keyrings.is_empty() {
            SignedBy::Default
        } else {
            SignedBy::Files(mirror.keyrings.clone())
        };
        let sources = mirror
            .suites
            .iter()
            .map(|suite| AptSource {
                uri: mirror.uri.replace("file://", "file:").trim_end_matches('/').to_owned(),
                suite: suite.clone(),
                components: mirror.components.clone(),
                signed_by: signed_by.clone(),
            })
            .collect();
        Self::new(Path::new("/"), sources, home, platform, progress)
    }

    fn new(
        root: &Path,
        sources: Vec<AptSource>,
        home: &Home,
        platform: &Platform,
        progress: Option<Arc<dyn Progress>>,
    ) -> Self {
        Self {
            home: home.clone(),
            platform: platform.clone(),
            downloader: Downloader::new(progress.clone()),
            progress,
            root: root.to_owned(),
            sources,
            // Only Debian keeps one with this interface.
            snapshot: (platform.distribution == "debian").then(|| snapshot::DEBIAN.to_owned()),
            suites: Mutex::new(None),
            notes: Mutex::default(),
        }
    }

    /// The same with another snapshot archive.
    #[must_use]
    pub fn with_snapshot_archive(mut self, address: &str) -> Self {
        self.snapshot = Some(address.trim_end_matches('/').to_owned());
        self
    }

    /// Whether the configuration names any archive that may fit. Nothing is downloaded to find out.
    pub fn is_configured(&self) -> bool {
        !self.sources.is_empty()
    }

    /// All source packages of all suites, newest version first for each name.
    pub fn sources(&self) -> Result<Vec<SourcePackage>, SourceError> {
        self.source_packages(&|_| true)
    }

    /// All versions of one source package in all suites, newest first; empty when there is none.
    pub fn source_versions(&self, package: &str) -> Result<Vec<SourcePackage>, SourceError> {
        self.source_packages(&|name| name == package)
    }

    /// All binary packages for the platform's architecture (and `all`), of all suites, newest version first for each
    /// name.
    pub fn binaries(&self) -> Result<Vec<BinaryPackage>, SourceError> {
        let architecture = self.platform.arch.debian();
        let mut packages = Vec::new();
        self.each_suite(&mut |loader, suite, component| {
            let mut paths = vec![format!("{component}/binary-{architecture}/Packages")];
            if !suite.release.all_is_everywhere {
                paths.push(format!("{component}/binary-all/Packages"));
            }
            for path in paths {
                if let Some(file) = loader.index(suite, &path)? {
                    packages.extend(index::binaries(&read_index(&file)?));
                }
            }
            Ok(())
        })?;
        packages.sort_by(|one, other| {
            one.package
                .cmp(&other.package)
                .then_with(|| compare_versions(&other.version, &one.version))
                .then_with(|| one.architecture.cmp(&other.architecture))
        });
        packages.dedup_by(|one, other| {
            one.package == other.package && one.version == other.version && one.architecture == other.architecture
        });
        Ok(packages)
    }

    /// The verified, still compressed `Contents` indexes (architecture and `all`) of all suites that have one. The
    /// file's ending tells its packing.
    pub fn contents(&self) -> Result<Vec<PathBuf>, SourceError> {
        let mut files: Vec<PathBuf> = Vec::new();
        let architecture = self.platform.arch.debian();
        self.each_suite(&mut |loader, suite, component| {
            // Debian keeps one a component, Ubuntu one a suite.
            let paths = [
                format!("{component}/Contents-{architecture}"),
                format!("{component}/Contents-all"),
                format!("Contents-{architecture}"),
                "Contents-all".to_owned(),
            ];
            for path in paths {
                if let Some(file) = loader.index(suite, &path)?
                    && !files.contains(&file)
                {
                    files.push(file);
                }
            }
            Ok(())
        })?;
        Ok(files)
    }

    /// A digest-like text that changes when any of the suites' signed releases changes.
    pub fn revision(&self) -> Result<String, SourceError> {
        let mut text = String::new();
        for suite in &self.suites()?.suites {
            text.push_str(&format_args!("{} {} ", suite.source.uri, suite.source.suite).to_string());
            text.push_str(&suite.release.digest.map_or_else(String::new, |digest| digest.hex()));
            text.push('\n');
        }
        Ok(Digest::of(text.as_bytes()).hex())
    }

    /// What a person should know although it stopped nothing, such as an index from the cache because the network is
    /// down.
    pub fn warnings(&self) -> Vec<String> {
        let suites = self.suites.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut warnings = suites.map_or_else(Vec::new, |suites| suites.warnings.clone());
        warnings.extend(
            self.notes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .iter()
                .cloned(),
        );
        warnings
    }

    /// Downloads a file below the archive's root and verifies it; from the cache the second time. The file keeps its
    /// name. `Unavailable` when no mirror has it.
    pub fn file(&self, directory: &str, pin: &FilePin) -> Result<PathBuf, SourceError> {
        check_pin(directory, pin)?;
        let target = self.place(pin)?;
        if is_intact(&target, pin)? {
            return Ok(target);
        }
        if self.download(directory, pin, &target)? {
            return Ok(target);
        }
        Err(SourceError::Unavailable(format!(
            "no mirror has {directory}/{} (the other side answered 404)",
            pin.name
        )))
    }

    /// Whether a mirror has a file below the archive's root, without downloading it.
    pub fn has(&self, directory: &str, pin: &FilePin) -> Result<bool, SourceError> {
        check_pin(directory, pin)?;
        if self.place(pin)?.is_file() {
            return Ok(true);
        }
        for base in self.bases()? {
            if self
                .downloader
                .has(&format!("{base}/{directory}/{}", pin.name), pin.size)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A file of a pinned version: from a mirror, else from the snapshot archive.
    pub(super) fn pinned_file(
        &self,
        package: &str,
        version: &str,
        directory: &str,
        pin: &FilePin,
    ) -> Result<PathBuf, SourceError> {
        let missing = match self.file(directory, pin) {
            Err(SourceError::Unavailable(_)) => format!(
                "{package} {version}: the mirror no longer has `{}` of this version",
                pin.name
            ),
            other => return other,
        };
        let Some(snapshot) = self.snapshot() else {
            return Err(SourceError::Unavailable(missing));
        };
        let unreachable = |error: SourceError| match error {
            SourceError::Network { url, problem } => SourceError::Unavailable(format!(
                "{missing}, and the snapshot archive could not be reached ({url}: {problem})"
            )),
            other => other,
        };
        let files = snapshot.files(package, version).map_err(unreachable)?;
        let target = self.place(pin)?;
        for file in files
            .iter()
            .filter(|file| file.name == pin.name && file.size == pin.size)
        {
            match self.downloader.get(&file.url, &target, expected(pin)) {
                Ok(Got::File(_)) => return Ok(target),
                // The same name can stand for other bytes in another archive of the distribution.
                Ok(Got::Missing) | Err(SourceError::Verify { .. }) => {}
                Err(error) => return Err(unreachable(error)),
            }
        }
        Err(SourceError::Unavailable(format!(
            "{missing}, and the snapshot archive ({}) does not have it either",
            snapshot.address
        )))
    }

    pub(super) fn snapshot(&self) -> Option<Snapshot<'_>> {
        self.snapshot.as_deref().map(|address| Snapshot {
            address,
            downloader: &self.downloader,
        })
    }

    pub(super) fn note(&self, text: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Where a file of the archive is kept.
    pub(super) fn place(&self, pin: &FilePin) -> Result<PathBuf, SourceError> {
        Ok(self
            .home
            .cache(&format!("archive/files/{}", pin.sha256))?
            .join(&pin.name))
    }

    fn source_packages(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<SourcePackage>, SourceError> {
        let mut packages = Vec::new();
        self.each_suite(&mut |loader, suite, component| {
            if let Some(file) = loader.index(suite, &format!("{component}/source/Sources"))? {
                packages.extend(index::sources(&read_index(&file)?, wanted));
            }
            Ok(())
        })?;
        packages.sort_by(|one, other| {
            one.package
                .cmp(&other.package)
                .then_with(|| compare_versions(&other.version, &one.version))
        });
        packages.dedup_by(|one, other| one.package == other.package && one.version == other.version);
        Ok(packages)
    }

    fn each_suite(
        &self,
        visit: &mut dyn FnMut(&Loader<'_>, &Suite, &str) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let suites = self.suites()?;
        for suite in &suites.suites {
            for component in &suite.source.components {
                visit(&self.loader(), suite, component)?;
            }
        }
        Ok(())
    }

    fn loader(&self) -> Loader<'_> {
        Loader {
            home: &self.home,
            platform: &self.platform,
            downloader: &self.downloader,
            root: &self.root,
        }
    }

    fn suites(&self) -> Result<Shared, SourceError> {
        let mut slot = self.suites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(suites) = &*slot {
            return Ok(suites.clone());
        }
        if self.sources.is_empty() {
            return Err(no_source(&self.platform));
        }
        let suites = Shared::new(self.loader().load(&self.sources)?);
        *slot = Some(suites.clone());
        Ok(suites)
    }

    /// The roots that files are below. The indexes are not asked which file is below which: a file is known by its hash.
    ///
    /// Unverified configuration is enough here, so that a file in a pin can be had while a release cannot.
    fn bases(&self) -> Result<Vec<String>, SourceError> {
        if self.sources.is_empty() {
            return Err(no_source(&self.platform));
        }
        let mut bases: Vec<String> = Vec::new();
        for source in &self.sources {
            if !bases.contains(&source.uri) {
                bases.push(source.uri.clone());
            }
        }
        Ok(bases)
    }

    /// Downloads a file from the first mirror that has it; whether one had it.
    fn download(&self, directory: &str, pin: &FilePin, target: &Path) -> Result<bool, SourceError> {
        let mut last = None;
        for base in self.bases()? {
            match self
                .downloader
                .get(&format!("{base}/{directory}/{}", pin.name), target, expected(pin))
            {
                Ok(Got::File(_)) => return Ok(true),
                Ok(Got::Missing) => {}
                Err(error @ (SourceError::Network { .. } | SourceError::Verify { .. })) => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        last.map_or(Ok(false), Err)
    }
}

fn expected(pin: &FilePin) -> Expected<'_> {
    Expected {
        size: Some(pin.size),
        sha256: Some(&pin.sha256),
    }
}

/// Whether a cached file is what its pin says.
fn is_intact(path: &Path, pin: &FilePin) -> Result<bool, SourceError> {
    if touch(path)? && path.metadata().is_ok_and(|metadata| metadata.len() == pin.size) {
        return Ok(sha256(&mut fs::File::open(path)?)? == pin.sha256);
    }
    Ok(false)
}

/// Pins come from files that anybody may have written: nothing in one may lead out of the cache.
fn check_pin(directory: &str, pin: &FilePin) -> Result<(), SourceError> {
    let plain = |text: &str| {
        !text.is_empty()
            && !text.starts_with('.')
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._+~-:%,=@".contains(c))
    };
    if !plain(&pin.name) || !directory.split('/').all(plain) {
        return Err(SourceError::Usage(format!(
            "`{directory}/{}` cannot be a file of an archive",
            pin.name
        )));
    }
    if !is_sha256(&pin.sha256) {
        return Err(SourceError::Usage(format!(
            "`{}`: the pinned SHA-256 `{}` is not 64 hexadecimal digits in lower case",
            pin.name, pin.sha256
        )));
    }
    Ok(())
}
