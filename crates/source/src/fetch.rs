//! From a name to a verified tree.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use fs_err as fs;
use seatrial_core::{Digest, PinnedSource, Platform, SourceKind};
use seatrial_store::{Hold, Home, Lease, StoreError, touch};

use crate::{
    DebianArchive, SourceError, SourceSpec, SourceTree, UnpackLimits,
    download::{Downloader, Expected, Got, sha256},
    folder,
    git::{Git, is_local},
    spec::{ARCHIVE_ENDINGS, is_sha256},
    tree::{DigestScope, digest},
    unpack::{check_links, unpack},
};

/// Told of long work: downloads and unpacking. Implementations must be cheap; calls are frequent.
pub trait Progress: Send + Sync {
    /// `what` is a short text such as a file name; `total` is absent when the other side does not say.
    fn advance(&self, what: &str, bytes: u64, total: Option<u64>);
}

/// Pins and fetches.
///
/// Unpacked trees are kept below `cache/trees/`, one folder a source: `tree/` and its `digest`. A tree is built in a
/// folder of its own and renamed into its place, so two fetchers of one source cannot disturb each other and a crash
/// leaves nothing half-made under a good name.
pub struct Fetcher {
    home: Home,
    platform: Platform,
    limits: UnpackLimits,
    progress: Option<Arc<dyn Progress>>,
    downloader: Downloader,
    variables: BTreeMap<String, String>,
    archive: OnceLock<Arc<DebianArchive>>,
    warnings: Mutex<Vec<String>>,
}

impl Fetcher {
    /// A fetcher that keeps what it downloads in the data folder; `platform` says whose archive `debian:` names.
    pub fn new(home: &Home, platform: &Platform) -> Self {
        Self {
            home: home.clone(),
            platform: platform.clone(),
            limits: UnpackLimits::default(),
            progress: None,
            downloader: Downloader::new(None),
            variables: BTreeMap::new(),
            archive: OnceLock::new(),
            warnings: Mutex::default(),
        }
    }

    /// The same with a listener.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.downloader = Downloader::new(Some(progress.clone()));
        self.progress = Some(progress);
        self
    }

    /// The same with other bounds of unpacking.
    #[must_use]
    pub fn with_limits(mut self, limits: UnpackLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with environment variables that git may see, such as proxies. It sees no others.
    #[must_use]
    pub fn with_variables(mut self, variables: BTreeMap<String, String>) -> Self {
        self.variables = variables;
        self
    }

    /// The same with an archive for `debian:` sources instead of this machine's own.
    #[must_use]
    pub fn with_archive(mut self, archive: Arc<DebianArchive>) -> Self {
        self.archive = OnceLock::from(archive);
        self
    }

    /// What a person should know although it stopped nothing, such as sockets that were left out of a snapshot.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(archive) = self.archive.get() {
            warnings.extend(archive.warnings());
        }
        warnings
    }

    /// Gives a name its identity; downloads where that is the only way to know.
    ///
    /// A folder is snapshotted here, so its `tree` is known. The other kinds are pinned without being unpacked.
    pub fn pin(&self, spec: &SourceSpec) -> Result<PinnedSource, SourceError> {
        match spec {
            SourceSpec::Folder(path) => self.pin_folder(path),
            SourceSpec::ArchiveFile { path, sha256: expected } => {
                let path = fs::canonicalize(path)?;
                let found = sha256(&mut fs::File::open(&path)?)?;
                if let Some(expected) = expected.as_ref().filter(|expected| **expected != found) {
                    // Both the file and the hash are the user's own.
                    return Err(SourceError::Usage(format!(
                        "{} does not verify: its SHA-256 is {found} instead of {expected}; get the file again, or \
                         correct what follows `#sha256=`",
                        path.display()
                    )));
                }
                Ok(PinnedSource {
                    name: name_of(&path.to_string_lossy()),
                    origin: SourceKind::Archive {
                        location: utf8(&path)?,
                        sha256: found,
                    },
                    tree: None,
                })
            }
            SourceSpec::ArchiveUrl { url, sha256: expected } => {
                let found = match expected {
                    Some(expected) => expected.clone(),
                    None => self.download(url, None)?.1,
                };
                Ok(PinnedSource {
                    name: name_of(url),
                    origin: SourceKind::Archive {
                        location: url.clone(),
                        sha256: found,
                    },
                    tree: None,
                })
            }
            SourceSpec::Git { url, revision } => {
                let url = if url.contains("://") {
                    url.clone()
                } else {
                    utf8(&fs::canonicalize(url)?)?
                };
                let scratch = self.scratch()?;
                let git = Git::new(scratch.path(), &self.variables, is_local(&url))?;
                let commit = git.resolve(&url, revision.as_deref())?;
                Ok(PinnedSource {
                    name: name_of(&url),
                    origin: SourceKind::Git { url, commit },
                    tree: None,
                })
            }
            SourceSpec::Debian { package, version } => self.archive()?.pin(package, version.as_deref()),
        }
    }

    /// Fetches, verifies and unpacks. The second time it comes from the cache.
    pub fn fetch(&self, source: &PinnedSource) -> Result<SourceTree, SourceError> {
        let trees = self.home.cache("trees")?;
        let key = Self::key(source)?;
        if let Some(tree) = Self::cached(&trees, &key, source)? {
            return Ok(tree);
        }
        sweep(&trees)?;
        let building = Building::start(&trees)?;
        let scope = match &source.origin {
            SourceKind::Git { .. } => DigestScope::WithoutGit,
            SourceKind::Folder { .. }
            | SourceKind::Archive { .. }
            | SourceKind::Debian { .. }
            | SourceKind::Changed { .. }
            | SourceKind::Kept { .. } => DigestScope::Everything,
        };
        self.build(source, &building)?;
        let found = digest(&building.tree(), scope)?;
        if let Some(expected) = source.tree.filter(|expected| *expected != found) {
            return Err(changed(source, expected, found));
        }
        building.publish(&trees.join(&key), found)?;
        Self::cached(&trees, &key, source)?.ok_or_else(|| {
            SourceError::Unavailable(format!(
                "{source} was evicted from the cache as soon as it was there; run the same command again"
            ))
        })
    }

    /// The archive of the platform's distribution, opened at the first use.
    pub fn archive(&self) -> Result<Arc<DebianArchive>, SourceError> {
        if let Some(archive) = self.archive.get() {
            return Ok(archive.clone());
        }
        let archive = DebianArchive::open(&self.home, &self.platform, self.progress.clone())?;
        Ok(self.archive.get_or_init(|| Arc::new(archive)).clone())
    }

    fn pin_folder(&self, path: &Path) -> Result<PinnedSource, SourceError> {
        let path = fs::canonicalize(path).map_err(|error| SourceError::Usage(error.to_string()))?;
        let trees = self.home.cache("trees")?;
        sweep(&trees)?;
        let building = Building::start(&trees)?;
        self.snapshot(&path, &building)?;
        let found = digest(&building.tree(), DigestScope::Everything)?;
        building.publish(&trees.join(folder_key(found)), found)?;
        Ok(PinnedSource {
            // A folder may have any name: neither `?` nor `#` ends it.
            name: name_of(&path.to_string_lossy().replace(['?', '#'], "-")),
            // The tree is what it is known by, so a name that is no text may lose a little.
            origin: SourceKind::Folder {
                path: path.to_string_lossy().into_owned(),
            },
            tree: Some(found),
        })
    }

    fn snapshot(&self, path: &Path, building: &Building) -> Result<(), SourceError> {
        let left_out = folder::copy(
            path,
            &building.tree(),
            self.home.root(),
            &self.limits,
            self.progress.as_deref(),
        )?;
        for relative in left_out {
            self.warn(format!(
                "`{}` was left out: it is a socket, a pipe or a device",
                path.join(relative).display()
            ));
        }
        Ok(())
    }

    fn build(&self, source: &PinnedSource, building: &Building) -> Result<(), SourceError> {
        self.lay(&source.origin, building)
    }

    fn lay(&self, origin: &SourceKind, building: &Building) -> Result<(), SourceError> {
        match origin {
            SourceKind::Changed { base, change } => {
                self.lay(base, building)?;
                let text = self.home.blobs().read(change).map_err(|error| {
                    SourceError::Unavailable(format!(
                        "the patch {change} of {base} is not in the data folder: {error}"
                    ))
                })?;
                let scratch = self.scratch()?;
                let patch = scratch.path().join("change.patch");
                fs::write(&patch, text)?;
                Git::new(scratch.path(), &self.variables, false)?.apply(&building.tree(), &patch, &base.to_string())?;
                let exempt =
                    matches!(**base, SourceKind::Debian { packaging: true, .. }).then_some(crate::debian::PACKAGING);
                check_links(&building.tree(), &base.to_string(), exempt)
            }
            SourceKind::Folder { path } => {
                let path = Path::new(path);
                if !path.is_dir() {
                    return Err(SourceError::Unavailable(format!(
                        "the folder `{}` is gone, and its snapshot is no longer in the cache",
                        path.display()
                    )));
                }
                self.snapshot(path, building)
            }
            SourceKind::Archive { location, sha256 } => {
                let file = self.archive_file(location, sha256)?;
                let staging = building.folder().join("unpacked");
                let top = unpack(&file, location, &staging, &self.limits, self.progress.as_deref())?;
                fs::rename(top, building.tree())?;
                check_links(&building.tree(), location, None)
            }
            SourceKind::Kept { archive } => {
                let shown = origin.to_string();
                let blobs = self.home.blobs();
                // Read whole before it is used: that is what compares a blob with its name.
                blobs.read(archive).map_err(|error| {
                    SourceError::Unavailable(format!(
                        "the archive {archive} that its corpus keeps is not in the data folder: {error}"
                    ))
                })?;
                let staging = building.folder().join("unpacked");
                let file = blobs.path(archive);
                unpack(&file, &shown, &staging, &self.limits, self.progress.as_deref())?;
                fs::rename(&staging, building.tree())?;
                check_links(&building.tree(), &shown, None)
            }
            SourceKind::Git { url, commit } => {
                let scratch = self.scratch()?;
                Git::new(scratch.path(), &self.variables, is_local(url))?.check_out(url, commit, &building.tree())
            }
            SourceKind::Debian {
                package,
                version,
                directory,
                files,
                packaging,
            } => {
                let archive = self.archive()?;
                let staging = building.folder().join("unpacked");
                let package = crate::debian::PinnedPackage {
                    package,
                    version,
                    directory,
                    files,
                };
                archive.unpack(&package, *packaging, &staging, &building.tree(), &self.limits)
            }
        }
    }

    /// An archive on this machine, verified.
    fn archive_file(&self, location: &str, expected: &str) -> Result<PathBuf, SourceError> {
        if !is_sha256(expected) {
            return Err(SourceError::Usage(format!(
                "{location}: the pinned SHA-256 `{expected}` is not 64 hexadecimal digits in lower case"
            )));
        }
        if location.starts_with("http://") || location.starts_with("https://") {
            return Ok(self.download(location, Some(expected))?.0);
        }
        let path = PathBuf::from(location);
        let mut file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(SourceError::Unavailable(format!("the archive `{location}` is gone")));
            }
            Err(error) => return Err(error.into()),
        };
        let found = sha256(&mut file)?;
        if found == expected {
            Ok(path)
        } else {
            Err(SourceError::Verify {
                what: location.to_owned(),
                problem: format!("its SHA-256 is {found} instead of {expected}"),
            })
        }
    }

    /// Downloads an archive into the cache, where it is named by its hash.
    fn download(&self, url: &str, expected: Option<&str>) -> Result<(PathBuf, String), SourceError> {
        let downloads = self.home.cache("downloads")?;
        if let Some(expected) = expected {
            let path = downloads.join(expected);
            if touch(&path)? && sha256(&mut fs::File::open(&path)?)? == expected {
                return Ok((path, expected.to_owned()));
            }
        }
        let landing = tempfile::Builder::new().prefix(".landing-").tempdir_in(&downloads)?;
        let file = landing.path().join("file");
        let expectation = Expected {
            size: None,
            sha256: expected,
        };
        match self.downloader.get(url, &file, expectation)? {
            Got::File(found) => {
                let path = downloads.join(&found);
                fs::rename(&file, &path)?;
                Ok((path, found))
            }
            Got::Missing if expected.is_some() => Err(SourceError::Unavailable(format!(
                "{url} is no longer there (the other side answered 404)"
            ))),
            Got::Missing => Err(SourceError::Usage(format!(
                "there is nothing at {url} (the other side answered 404)"
            ))),
        }
    }

    /// What the cache calls a source: the name of its folder below `cache/trees/`.
    pub fn key(source: &PinnedSource) -> Result<String, SourceError> {
        match (&source.origin, source.tree) {
            (SourceKind::Folder { .. }, Some(tree)) => Ok(folder_key(tree)),
            (SourceKind::Folder { path }, None) => Err(SourceError::Usage(format!(
                "the folder `{path}` was named but not pinned; pin it first"
            ))),
            (SourceKind::Changed { base, .. }, None) if matches!(**base, SourceKind::Folder { .. }) => {
                Err(SourceError::Usage(format!(
                    "{base} was changed but not pinned; name the digest of the changed tree"
                )))
            }
            (origin, _) => {
                let text = serde_json::to_vec(origin).map_err(std::io::Error::other)?;
                Ok(Digest::of(&text).hex())
            }
        }
    }

    fn cached(trees: &Path, key: &str, source: &PinnedSource) -> Result<Option<SourceTree>, SourceError> {
        // Held first: what is read next cannot be evicted any more.
        let Some(hold) = Hold::shared(&trees.join(key))? else {
            return Ok(None);
        };
        let Ok(text) = fs::read_to_string(trees.join(key).join("digest")) else {
            return Ok(None);
        };
        touch(&trees.join(key).join("digest"))?;
        let Ok(found) = text.trim().parse::<Digest>() else {
            return Ok(None);
        };
        match source.tree {
            Some(expected) if expected != found => Err(changed(source, expected, found)),
            _ => Ok(Some(SourceTree::new(trees.join(key).join("tree"), found).held(hold))),
        }
    }

    fn scratch(&self) -> Result<tempfile::TempDir, SourceError> {
        let folder = self.home.cache("scratch")?;
        Ok(tempfile::Builder::new().prefix("git-").tempdir_in(folder)?)
    }

    fn warn(&self, text: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

fn changed(source: &PinnedSource, expected: Digest, found: Digest) -> SourceError {
    SourceError::Verify {
        what: source.to_string(),
        problem: format!("the unpacked tree is {found}, but {expected} was pinned"),
    }
}

fn folder_key(tree: Digest) -> String {
    format!("folder-{}", tree.hex())
}

/// A tree that is being built, in a folder that no other process touches while this one lives.
struct Building {
    folder: PathBuf,
    _lease: Lease,
}

/// What the folders of unfinished trees start with.
const UNFINISHED: &str = ".new-";

impl Building {
    fn start(trees: &Path) -> Result<Self, SourceError> {
        loop {
            let folder = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(trees)?.keep();
            // Another process may take a folder without a lease for a leftover: then that one sweeps it away.
            match Lease::take(&folder) {
                Ok(lease) => return Ok(Self { folder, _lease: lease }),
                Err(StoreError::Busy(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Gives the tree its place. When somebody else was faster, theirs stays.
    fn publish(self, place: &Path, digest: Digest) -> Result<(), SourceError> {
        let staging = self.folder.join("unpacked");
        if staging.exists() {
            fs::remove_dir_all(staging)?;
        }
        seatrial_store::write_file(&self.folder.join("digest"), format!("{digest}\n").as_bytes())?;
        match fs::rename(&self.folder, place) {
            Err(error) if !place.join("digest").is_file() => Err(error.into()),
            // Only now: without its lease an unfinished folder is anybody's to sweep away.
            Ok(()) => Ok(fs::remove_file(place.join("lease"))?),
            Err(_) => Ok(()),
        }
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // After a rename there is nothing left here. What cannot be deleted now is swept at the next start.
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// Deletes trees that a killed process left unfinished.
fn sweep(trees: &Path) -> Result<(), SourceError> {
    for entry in fs::read_dir(trees)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED)
            && let Ok(lease) = Lease::take_over(entry.path())
        {
            fs::remove_dir_all(lease.folder()).ok();
        }
    }
    Ok(())
}

fn utf8(path: &Path) -> Result<String, SourceError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        SourceError::Usage(format!(
            "`{}` is not valid UTF-8; rename it, or use a link with a plain name",
            path.display()
        ))
    })
}

/// A short name for people and folders, from the last part of a path or URL.
fn name_of(location: &str) -> String {
    let path = location.split(['?', '#']).next().unwrap_or(location);
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let lower = last.to_ascii_lowercase();
    let ending = ARCHIVE_ENDINGS
        .iter()
        .chain(&[".git"])
        .filter(|ending| lower.ends_with(**ending))
        .map(|ending| ending.len())
        .max()
        .unwrap_or(0);
    let stem = last.get(..last.len() - ending).unwrap_or(last);
    let clean: String = stem
        .chars()
        .take(100)
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._+-".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();
    let clean = clean.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    if clean.is_empty() {
        "source".to_owned()
    } else {
        clean.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_tree_that_is_being_finished_is_not_swept_away() {
        let trees = tempfile::tempdir().unwrap();
        let over = AtomicBool::new(false);
        let publish = |number: i32| {
            let building = Building::start(trees.path())?;
            fs::create_dir(building.tree())?;
            fs::write(building.tree().join("file"), "x")?;
            let place = trees.path().join(number.to_string());
            building.publish(&place, Digest::of(b"x"))?;
            fs::metadata(place.join("tree/file"))?;
            Ok::<_, SourceError>(place.join("lease").exists())
        };
        let published: Vec<_> = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    sweep(trees.path()).ok();
                }
            });
            let published = (0..200).map(publish).collect();
            over.store(true, Ordering::Relaxed);
            published
        });
        for (number, published) in published.into_iter().enumerate() {
            assert!(!published.unwrap(), "tree {number} still has a lease");
        }
    }

    #[test]
    fn names_are_short_and_safe() {
        let names: Vec<_> = [
            "/home/me/proj",
            "https://example.org/a/tool-1.2.tar.gz?download=1",
            "https://example.org/a/tool.git",
            "/",
            "/x/.hidden",
            "/x/sp ace\u{e9}.zip",
        ]
        .into_iter()
        .map(name_of)
        .collect();
        assert_eq!(names, ["proj", "tool-1.2", "tool", "source", "hidden", "sp-ace-"]);
    }
}
