//! What lies in the data folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Digest;
use serde::Serialize;

use super::{
    measure::{Scale, Size, modified},
    references::{from_hex, named_below, named_in},
};
use crate::{Hold, Home, StoreError};

/// What something in the data folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Room {
    /// Content under its digest: logs, recordings, layers.
    Blobs,
    /// Root file systems.
    Images,
    /// Unpacked sources and their archives.
    Sources,
    /// Indexes of packages, and what they are made of.
    PackageIndexes,
    /// Files of this machine that boxes get.
    HostLayers,
    /// Runs with their journals.
    Runs,
    /// Boxes that somebody uses.
    LiveBoxes,
    /// Boxes whose harness is dead.
    DeadBoxes,
    /// What was being written or removed.
    Unfinished,
    /// What this program does not know.
    Other,
}

impl Room {
    /// All rooms, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Blobs,
        Self::Images,
        Self::Sources,
        Self::PackageIndexes,
        Self::HostLayers,
        Self::Runs,
        Self::LiveBoxes,
        Self::DeadBoxes,
        Self::Unfinished,
        Self::Other,
    ];

    /// Its name, as a person types it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blobs => "blobs",
            Self::Images => "images",
            Self::Sources => "sources",
            Self::PackageIndexes => "package-indexes",
            Self::HostLayers => "host-layers",
            Self::Runs => "runs",
            Self::LiveBoxes => "live-boxes",
            Self::DeadBoxes => "dead-boxes",
            Self::Unfinished => "unfinished",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The rooms of the cache. What lies in others is not known, and stays.
const CACHES: [(&str, Room); 8] = [
    ("trees", Room::Sources),
    ("downloads", Room::Sources),
    ("archive/files", Room::Sources),
    ("archive/indexes", Room::PackageIndexes),
    ("archive/releases", Room::PackageIndexes),
    ("packages", Room::PackageIndexes),
    ("host", Room::HostLayers),
    // Downloads that can be gone on with.
    ("oci/parts", Room::Sources),
];

/// Rooms of the cache whose content never outlives the process that made it.
const SCRATCH: [&str; 2] = ["scratch", "doctor"];

/// The largest file of an unknown room in which names of blobs are looked for.
const LARGEST_NOTE: u64 = 64 << 20;

/// One thing in the data folder: it goes or stays as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What it is.
    pub room: Room,
    /// Its path in the data folder. Bytes that are no UTF-8 are replaced.
    pub name: String,
    /// Its path.
    #[serde(skip)]
    pub path: PathBuf,
    /// What it takes.
    pub size: Size,
    /// When it was last used, in milliseconds since the Unix epoch; 0 when that is not known.
    pub last_used: u64,
    /// Its digest, where it has one.
    #[serde(skip)]
    pub digest: Option<Digest>,
    /// Whether a live process has its lock: a run that is executed, for instance.
    pub locked: bool,
}

impl Item {
    /// The last part of its path.
    pub(super) fn file_name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

/// What lies in the data folder, and who names what.
#[derive(Debug, Default)]
pub struct Survey {
    /// Everything, sorted by name.
    pub items: Vec<Item>,
    /// Images of live boxes, with the box.
    pub(super) images_of_boxes: BTreeMap<Digest, String>,
    /// The digests that each run's files name, by the run's folder.
    pub(super) named_by_run: BTreeMap<String, BTreeSet<Digest>>,
    /// Digests that a cache's or an image's files name.
    pub(super) named_by_cache: BTreeSet<Digest>,
    /// Whether some file that may name blobs could not be read; then none counts as unnamed.
    pub(super) unsure: bool,
}

impl Survey {
    /// Measures a data folder. Nothing is changed.
    pub fn of(home: &Home) -> Result<Self, StoreError> {
        let mut surveyor = Surveyor {
            home,
            scale: Scale::default(),
            survey: Self::default(),
        };
        surveyor.runs()?;
        surveyor.boxes()?;
        surveyor.images()?;
        surveyor.caches()?;
        surveyor.blobs()?;
        surveyor.strangers()?;
        let mut survey = surveyor.survey;
        survey.items.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(survey)
    }

    /// What everything takes.
    pub fn total(&self) -> Size {
        let mut total = Size::default();
        for item in &self.items {
            total += item.size;
        }
        total
    }
}

struct Surveyor<'a> {
    home: &'a Home,
    scale: Scale,
    survey: Survey,
}

impl Surveyor<'_> {
    fn add(&mut self, room: Room, path: PathBuf) -> &mut Item {
        let name = path.strip_prefix(self.home.root()).unwrap_or(&path);
        let item = Item {
            room,
            name: name.to_string_lossy().into_owned(),
            size: self.scale.weigh(&path),
            last_used: modified(&path),
            digest: path.file_name().and_then(OsStr::to_str).and_then(from_hex),
            locked: false,
            path,
        };
        let items = &mut self.survey.items;
        items.push(item);
        let last = items.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the line above has put it there")]
        &mut items[last]
    }

    fn runs(&mut self) -> Result<(), StoreError> {
        for path in entries(&self.home.runs())? {
            if is_hidden(&path) {
                self.add(Room::Unfinished, path);
                continue;
            }
            let mut named = BTreeSet::new();
            self.survey.unsure |= !named_below(&path, &mut |digest| {
                named.insert(digest);
            });
            let files = ["lease", "lock.json", "trials", "journal.jsonl"].map(|name| path.join(name));
            let locked = files.iter().any(|file| is_locked(file));
            let used = files.iter().map(|file| modified(file)).max().unwrap_or(0);
            let item = self.add(Room::Runs, path);
            item.locked = locked;
            item.last_used = item.last_used.max(used);
            let name = item.file_name().to_string_lossy().into_owned();
            self.survey.named_by_run.insert(name, named);
        }
        Ok(())
    }

    fn boxes(&mut self) -> Result<(), StoreError> {
        for path in entries(&self.home.boxes())? {
            let live = is_locked(&path.join("lease"));
            let image = fs::read_to_string(path.join("image")).unwrap_or_default();
            let item = self.add(if live { Room::LiveBoxes } else { Room::DeadBoxes }, path);
            item.locked = live;
            if let (true, Some(image)) = (live, from_hex(image.trim())) {
                let name = item.name.clone();
                self.survey.images_of_boxes.insert(image, name);
            }
        }
        Ok(())
    }

    fn images(&mut self) -> Result<(), StoreError> {
        for path in entries(&self.home.images())? {
            if is_hidden(&path) {
                self.add(Room::Unfinished, path);
                continue;
            }
            let facts = path.join("image.json");
            self.notes(&facts);
            let used = modified(&path.join("used")).max(modified(&facts));
            // What has no digest for a name was not put there by this program.
            let known = path.file_name().and_then(OsStr::to_str).and_then(from_hex).is_some() && !path.is_symlink();
            let item = self.add(if known { Room::Images } else { Room::Other }, path);
            item.last_used = item.last_used.max(used);
        }
        Ok(())
    }

    fn caches(&mut self) -> Result<(), StoreError> {
        let cache = self.home.root().join("cache");
        for (name, room) in CACHES {
            for path in entries(&cache.join(name))? {
                if is_hidden(&path) {
                    self.add(Room::Unfinished, path);
                } else if path.file_name() != Some(OsStr::new("lease")) {
                    let used = last_used(&path);
                    self.add(room, path).last_used = used;
                }
            }
        }
        for room in entries(&cache)? {
            let name = room.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let scratch = SCRATCH.contains(&name.as_str());
            let known = |prefix: &str| CACHES.iter().any(|(known, _)| *known == prefix);
            for path in if known(&name) { Vec::new() } else { entries(&room)? } {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if known(&format!("{name}/{file}")) || file == "lease" {
                    continue;
                }
                if scratch || is_hidden(&path) {
                    self.add(Room::Unfinished, path);
                } else {
                    self.notes(&path);
                    self.add(Room::Other, path);
                }
            }
        }
        Ok(())
    }

    fn blobs(&mut self) -> Result<(), StoreError> {
        for folder in entries(&self.home.root().join("blobs"))? {
            if is_hidden(&folder) {
                self.add(Room::Unfinished, folder);
                continue;
            }
            let head = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for path in entries(&folder)? {
                let tail = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let digest = from_hex(&format!("{head}{tail}"));
                let room = match digest {
                    Some(_) => Room::Blobs,
                    None if is_hidden(&path) => Room::Unfinished,
                    None => Room::Other,
                };
                self.add(room, path).digest = digest;
            }
        }
        Ok(())
    }

    /// What lies beside the rooms.
    fn strangers(&mut self) -> Result<(), StoreError> {
        for path in entries(self.home.root())? {
            let name = path.file_name().unwrap_or_default();
            if !["blobs", "images", "boxes", "runs", "cache"]
                .iter()
                .any(|room| name == *room)
            {
                self.notes(&path);
                self.add(Room::Other, path);
            }
        }
        Ok(())
    }

    /// Looks for names of blobs in what stays.
    fn notes(&mut self, path: &Path) {
        let named = &mut self.survey.named_by_cache;
        let mut found = |digest| {
            named.insert(digest);
        };
        let complete = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => named_below(path, &mut found),
            Ok(metadata) if metadata.is_file() && metadata.len() <= LARGEST_NOTE => named_in(path, &mut found),
            Ok(_) | Err(_) => true,
        };
        self.survey.unsure |= !complete;
    }
}

/// The paths in a folder; none when it is not there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) | Err(_) => return Ok(Vec::new()),
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    Ok(paths)
}

/// Names that begin with a dot are those of things that are being made or removed.
fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Whether a live process has a file's lock.
fn is_locked(path: &Path) -> bool {
    path.is_file() && matches!(Hold::shared(path), Ok(None)) && path.is_file()
}

/// When something in a cache was last used. A source's tree has the times of its project, so its digest is asked.
pub(super) fn last_used(path: &Path) -> u64 {
    let digest = path.join("digest");
    let within = if digest.is_file() {
        vec![digest]
    } else {
        entries(path).unwrap_or_default()
    };
    let within = within.iter().map(|path| modified(path)).max().unwrap_or(0);
    within.max(modified(path))
}
