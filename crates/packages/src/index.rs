//! The index of one archive: found on disk, or built.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use fs_err as fs;
use fst::{IntoStreamer as _, Map, Streamer as _};
use seatrial_core::{Digest, Platform};
use seatrial_source::{DebianArchive, Progress, SourceError};
use seatrial_store::{Home, touch};

use crate::{
    BuildInput, Candidate, Definition, PackagesError, build,
    classify::Family,
    deepen,
    foreign::PROVIDES,
    format::{self, CANDIDATE_SIZE, COUNT_BITS, Flaw, Layout, MOST_CANDIDATES, PLACEHOLDER},
    shelf,
};

/// A package index, open for look-ups. The whole file is held in memory, so look-ups do no I/O.
///
/// It is read rather than mapped: mapping needs unsafe code, which is for the sandbox alone, and saves milliseconds.
pub struct PackageIndex {
    path: PathBuf,
    bytes: Arc<Vec<u8>>,
    layout: Layout,
    keys: Map<Slice>,
    notes: Vec<String>,
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
    /// Without a network, or with an archive that is only half there, the newest index on disk is used, however old;
    /// [`PackageIndex::notes`] then say so.
    pub fn open_or_build(
        home: &Home,
        platform: &Platform,
        progress: Option<Arc<dyn Progress>>,
    ) -> Result<Self, PackagesError> {
        let archive = DebianArchive::open(home, platform, progress.clone());
        Self::of_archive(home, platform, archive, progress)
    }

    /// The same for an archive that the caller has opened, or has tried to.
    pub fn of_archive(
        home: &Home,
        platform: &Platform,
        archive: Result<DebianArchive, SourceError>,
        progress: Option<Arc<dyn Progress>>,
    ) -> Result<Self, PackagesError> {
        let folder = home.cache("packages")?;
        let prefix = shelf::prefix(platform);
        let answer = archive
            .map_err(PackagesError::from)
            .and_then(|archive| Self::refresh(&archive, platform, progress, &folder, &prefix));
        match answer {
            Err(
                error @ (PackagesError::Source(_) | PackagesError::Contents { .. } | PackagesError::NoContents { .. }),
            ) => {
                let Some(mut old) = existing(&folder, &prefix)
                    .into_iter()
                    .rev()
                    .find_map(|path| Self::open(&path).ok())
                else {
                    return Err(error);
                };
                let age = shelf::age(&old.path).map_or_else(String::new, |age| format!(" of {}", in_words(age)));
                old.notes
                    .push(format!("{error}; the package index{age} is used as it is"));
                Ok(old)
            }
            answer => answer,
        }
    }

    fn refresh(
        archive: &DebianArchive,
        platform: &Platform,
        progress: Option<Arc<dyn Progress>>,
        folder: &Path,
        prefix: &str,
    ) -> Result<Self, PackagesError> {
        let revision = archive.revision()?;
        let definitions = deepen::read(&folder.join(format!("{prefix}{}", shelf::DEFINITIONS))).unwrap_or_default();
        let path = folder.join(format!("{prefix}{}.idx", inputs(&revision, &definitions).short()));
        let with_notes = |mut index: Self| {
            let age = shelf::age(&index.path).map_or_else(String::new, |age| {
                format!("; the package index is of {}", in_words(age))
            });
            index
                .notes
                .extend(archive.warnings().into_iter().map(|warning| format!("{warning}{age}")));
            index
        };
        match Self::open(&path) {
            Err(PackagesError::Format(_) | PackagesError::Damaged(_)) => {}
            Err(PackagesError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            answer => return answer.map(with_notes),
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
            definitions: &definitions,
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
        Self::open(&path).map(with_notes)
    }

    /// What a person should know about the answers, such as that the archive could not be asked.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Opens an index file and notes its use.
    pub fn open(path: &Path) -> Result<Self, PackagesError> {
        let index = Self::look(path)?;
        touch(path)?;
        Ok(index)
    }

    /// Opens an index file without a trace.
    pub fn look(path: &Path) -> Result<Self, PackagesError> {
        // A pipe never ends to be opened, and a device never ends to be read.
        if !fs::metadata(path)?.is_file() {
            return Err(PackagesError::NotAFile(path.display().to_string()));
        }
        let damaged = || PackagesError::Damaged(path.display().to_string());
        let bytes = Arc::new(fs::read(path)?);
        let layout = format::read(&bytes).map_err(|flaw| match flaw {
            Flaw::Foreign => PackagesError::Format(path.display().to_string()),
            Flaw::Damaged => damaged(),
        })?;
        let slice = Slice {
            bytes: Arc::clone(&bytes),
            range: layout.keys.clone(),
        };
        let keys = Map::new(slice).map_err(|_| damaged())?;
        Ok(Self {
            path: path.to_owned(),
            bytes,
            layout,
            keys,
            notes: Vec::new(),
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
        self.number(name).is_some()
    }

    fn number(&self, name: &str) -> Option<u32> {
        let (mut low, mut high) = (0, u32::try_from(self.layout.name_ends.len() / 4).unwrap_or(0));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.package(middle)?.cmp(name.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The packages whose names begin so.
    pub(crate) fn packages_beginning(&self, start: &str) -> Vec<String> {
        let count = u32::try_from(self.layout.name_ends.len() / 4).unwrap_or(0);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.package(middle).unwrap_or_default() < start.as_bytes() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low..count)
            .map_while(|number| {
                let name = std::str::from_utf8(self.package(number)?).ok()?;
                name.starts_with(start).then(|| name.to_owned())
            })
            .collect()
    }

    /// How often the archive's sources build with a package, and what else speaks for it; `None` for one that it lacks.
    pub fn popularity(&self, name: &str) -> Option<f32> {
        let number = usize::try_from(self.number(name)?).ok()?;
        let bits = format::small(self.section(&self.layout.popularity), number.checked_mul(4)?)?;
        Some(f32::from_bits(bits))
    }

    /// Names of the same family that resemble `name`, nearest first.
    pub(crate) fn alike(&self, family: Family, name: &str, most: usize) -> Vec<String> {
        let length = name.chars().count();
        let mut found: Vec<(usize, String)> = Vec::new();
        let mut stream = self
            .keys
            .range()
            .ge([family as u8])
            .lt([family as u8 + 1])
            .into_stream();
        while let Some((key, _)) = stream.next() {
            let Some(text) = key.get(1..).and_then(|key| std::str::from_utf8(key).ok()) else {
                continue;
            };
            if text.len().abs_diff(name.len()) > 3 {
                continue;
            }
            let bound = (length / 4).clamp(1, 3);
            if let Some(distance) = distance(name, text, bound) {
                found.push((distance, text.to_owned()));
            }
        }
        found.sort();
        found.truncate(most);
        found.into_iter().map(|(_, text)| text).collect()
    }

    /// What follows `name` in the longer names of a family that begin with it.
    pub(crate) fn endings(&self, family: Family, name: &str, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut key = vec![family as u8];
        key.extend_from_slice(name.as_bytes());
        let mut end = key.clone();
        end.push(0xff);
        let mut found = Vec::new();
        let mut stream = self.keys.range().gt(&key).lt(&end).into_stream();
        while let Some((longer, _)) = stream.next() {
            let ending = longer.get(key.len()..).and_then(|rest| std::str::from_utf8(rest).ok());
            found.extend(ending.filter(|ending| is_wanted(ending)).map(str::to_owned));
        }
        found
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
        if !pattern.starts_with(PROVIDES.as_bytes()) {
            path.push(b'/');
        }
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

/// The number of letters to add, drop, change or swap, when it is within `bound`; capitals count for nothing.
pub(crate) fn distance(one: &str, other: &str, bound: usize) -> Option<usize> {
    let one: Vec<u8> = one.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    let other: Vec<u8> = other.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, left) in one.iter().enumerate() {
        let mut next = vec![line + 1];
        let mut least = line + 1;
        for (column, right) in other.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (at(&row, column) + usize::from(left != right))
                .min(at(&row, column + 1) + 1)
                .min(at(&next, column) + 1);
            let swapped =
                line > 0 && column > 0 && one.get(line - 1) == Some(right) && other.get(column - 1) == Some(left);
            if swapped {
                cost = cost.min(at(&before, column - 1) + 1);
            }
            least = least.min(cost);
            next.push(cost);
        }
        if least > bound {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|distance| *distance <= bound)
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

/// The digest of all that an index is made of, and of its format, so that two versions of this program share a folder.
fn inputs(revision: &str, definitions: &[Definition]) -> Digest {
    let mut text = format!("{} {revision}", format::VERSION);
    for row in definitions {
        text.push_str(&format_args!("\n{} {} {}", row.name, row.package, row.path).to_string());
    }
    Digest::of(text.as_bytes())
}

/// An age as a person says it.
fn in_words(age: Duration) -> String {
    let hours = age.as_secs() / 3600;
    match hours {
        0 => "less than an hour ago".to_owned(),
        1..48 => format!("{hours} h ago"),
        _ => format!("{} days ago", hours / 24),
    }
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
