//! The index of one archive: found on disk, or built.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use fs_err as fs;
use fst::Map;
use seatrial_core::{Digest, Platform};
use seatrial_source::{DebianArchive, Progress};
use seatrial_store::{Home, touch};

use crate::{
    BuildInput, Candidate, PackagesError, build,
    classify::Family,
    format::{self, CANDIDATE_SIZE, COUNT_BITS, Layout, MOST_CANDIDATES, PLACEHOLDER},
};

/// A package index, open for look-ups. The whole file is held in memory, so look-ups do no I/O.
///
/// It is read rather than mapped: mapping needs unsafe code, which is for the sandbox alone, and saves milliseconds.
pub struct PackageIndex {
    path: PathBuf,
    bytes: Arc<Vec<u8>>,
    layout: Layout,
    keys: Map<Slice>,
}

/// A part of the file.
struct Slice {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Slice {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

/// Without the megabytes.
impl fmt::Debug for PackageIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackageIndex")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl PackageIndex {
    /// Opens the index of the platform's archive as it is now; builds it first when the archive has changed.
    ///
    /// Without a network the newest index on disk is used, however old.
    pub fn open_or_build(
        home: &Home,
        platform: &Platform,
        progress: Option<Arc<dyn Progress>>,
    ) -> Result<Self, PackagesError> {
        let folder = home.cache("packages")?;
        let prefix = format!("{}-{}-{}-", platform.distribution, platform.release, platform.arch);
        match Self::refresh(home, platform, progress, &folder, &prefix) {
            Err(PackagesError::Source(error)) => match newest(&folder, &prefix).map(|path| Self::open(&path)) {
                Some(Ok(index)) => Ok(index),
                _ => Err(error.into()),
            },
            answer => answer,
        }
    }

    fn refresh(
        home: &Home,
        platform: &Platform,
        progress: Option<Arc<dyn Progress>>,
        folder: &Path,
        prefix: &str,
    ) -> Result<Self, PackagesError> {
        let archive = DebianArchive::open(home, platform, progress.clone())?;
        let revision = Digest::of(archive.revision()?.as_bytes());
        let path = folder.join(format!("{prefix}{}.idx", revision.short()));
        match Self::open(&path) {
            Err(PackagesError::Format(_)) => {}
            Err(PackagesError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            answer => return answer,
        }
        let contents = archive.contents()?;
        if contents.is_empty() {
            return Err(PackagesError::NoContents {
                platform: platform.to_string(),
            });
        }
        let input = BuildInput {
            contents: &contents,
            binaries: &archive.binaries()?,
            sources: &archive.sources()?,
            arch: platform.arch,
        };
        let files = contents.len() as u64;
        let mut begun = 0;
        build(&path, &input, &mut move |_file| {
            begun += 1;
            if let Some(progress) = &progress {
                progress.advance("package index", begun, Some(files));
            }
        })?;
        remove_older(folder, prefix, &path);
        Self::open(&path)
    }

    /// Opens an index file.
    pub fn open(path: &Path) -> Result<Self, PackagesError> {
        let wrong = || PackagesError::Format(path.display().to_string());
        touch(path)?;
        let bytes = Arc::new(fs::read(path)?);
        let layout = format::read(&bytes).ok_or_else(wrong)?;
        let slice = Slice {
            bytes: Arc::clone(&bytes),
            range: layout.keys.clone(),
        };
        let keys = Map::new(slice).map_err(|_| wrong())?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            layout,
            keys,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of names that can be looked up.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether nothing can be looked up.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the archive has a package of this name.
    pub fn has_package(&self, name: &str) -> bool {
        let (mut low, mut high) = (0, u32::try_from(self.layout.name_ends.len() / 4).unwrap_or(0));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.package(middle).map(|text| text.cmp(name.as_bytes())) {
                Some(std::cmp::Ordering::Less) => low = middle + 1,
                Some(std::cmp::Ordering::Greater) => high = middle,
                Some(std::cmp::Ordering::Equal) => return true,
                None => return false,
            }
        }
        false
    }

    /// The candidates of one name, best first.
    pub(crate) fn look_up(&self, family: Family, name: &[u8]) -> Vec<Candidate> {
        let mut key = Vec::with_capacity(name.len() + 1);
        key.push(family as u8);
        key.extend_from_slice(name);
        let Some(value) = self.keys.get(&key) else {
            return Vec::new();
        };
        let count = usize::try_from(value & ((1 << COUNT_BITS) - 1))
            .unwrap_or(0)
            .min(MOST_CANDIDATES);
        let Ok(first) = usize::try_from(value >> COUNT_BITS) else {
            return Vec::new();
        };
        (first..first.saturating_add(count))
            .filter_map(|number| self.candidate(number, name))
            .collect()
    }

    fn candidate(&self, number: usize, name: &[u8]) -> Option<Candidate> {
        let start = number.checked_mul(CANDIDATE_SIZE)?;
        let record = self
            .section(&self.layout.candidates)
            .get(start..start.checked_add(CANDIDATE_SIZE)?)?;
        let package = self.package(format::small(record, 0)?)?;
        let ends = self.section(&self.layout.pattern_ends);
        let pattern = format::text(ends, self.section(&self.layout.patterns), format::small(record, 4)?)?;
        let mut path = Vec::with_capacity(pattern.len() + name.len() + 1);
        path.push(b'/');
        for byte in pattern {
            if *byte == PLACEHOLDER {
                path.extend_from_slice(name);
            } else {
                path.push(*byte);
            }
        }
        Some(Candidate {
            package: String::from_utf8_lossy(package).into_owned(),
            because: String::from_utf8_lossy(&path).into_owned(),
            score: f64::from(f32::from_bits(format::small(record, 8)?)),
        })
    }

    fn package(&self, number: u32) -> Option<&[u8]> {
        format::text(
            self.section(&self.layout.name_ends),
            self.section(&self.layout.names),
            number,
        )
    }

    fn section(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

/// The index files of a platform, newest last.
fn existing(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str()
                .and_then(|name| name.strip_prefix(prefix)?.strip_suffix(".idx"))
                .is_some()
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

fn newest(folder: &Path, prefix: &str) -> Option<PathBuf> {
    existing(folder, prefix).pop()
}

/// For so long an index that the archive has left behind is kept: a run that was stopped goes on with its own.
const KEPT: Duration = Duration::from_hours(24 * 30);

/// Whoever has opened an older index holds it in memory and does not miss the file.
fn remove_older(folder: &Path, prefix: &str, keep: &Path) {
    for path in existing(folder, prefix) {
        let used = path.metadata().and_then(|metadata| metadata.modified());
        let old = used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > KEPT));
        if old && path != keep {
            // A file that cannot be removed costs disk space only.
            drop(fs::remove_file(path));
        }
    }
}
