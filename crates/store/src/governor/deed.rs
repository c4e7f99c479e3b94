//! Removing what a plan lets go of.
//!
//! Each thing is looked at again under its lock, because others work meanwhile; a tree is renamed before it is deleted, so
//! that one whose deletion is cut short is not taken for whole. Nothing here needs free space.

use std::{
    io,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Digest;
use serde::Serialize;

use super::{
    measure::modified,
    plan::{Decision, Plan, Reason, YOUNG},
    survey::{Item, Room, last_used},
};
use crate::{Claim, Hold, Home, unique_name, unix_millis};

/// Removes what belongs to the ids of boxes. Each answers with the reason when it cannot.
pub trait Remover {
    /// Removes an image that nobody uses.
    fn image(&self, id: &Digest) -> Result<(), String>;

    /// Removes what dead harnesses left of boxes, and half-made images of dead processes.
    fn leftovers(&self) -> Result<(), String>;

    /// Removes a folder that may hold files of the ids of boxes.
    fn tree(&self, path: &Path) -> Result<(), String>;
}

/// How a removal went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "why")]
pub enum Outcome {
    /// It is gone.
    Removed,
    /// It is left alone after all.
    Kept(String),
    /// It could not be removed.
    Failed(String),
}

/// One removal.
#[derive(Debug, Clone, Serialize)]
pub struct Removal {
    /// What it was about, and why.
    #[serde(flatten)]
    pub decision: Decision,
    /// How it went.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Plan {
    /// Does what the plan says. What turns out to be in use is replaced by what is next, where there is a limit to reach.
    /// Calls `tell` with each removal.
    pub fn carry_out(&self, home: &Home, remover: &dyn Remover, tell: &mut dyn FnMut(&Removal)) {
        let deed = Deed {
            home,
            remover,
            leftovers: std::cell::OnceCell::new(),
        };
        let mut missing: u64 = 0;
        for decision in &self.decisions {
            let mut decision = decision.clone();
            let next = !decision.remove && decision.reason == Reason::Fits;
            if next && missing > 0 && self.max_size.is_some() {
                decision.remove = true;
                decision.reason = Reason::TooMuch;
            }
            if !decision.remove {
                continue;
            }
            let outcome = deed.remove(&decision.item);
            let size = decision.item.size.real;
            missing = match (&outcome, next) {
                (Outcome::Removed, true) => missing.saturating_sub(size),
                (Outcome::Removed, false) | (_, true) => missing,
                (_, false) => missing.saturating_add(size),
            };
            tell(&Removal { decision, outcome });
        }
    }
}

struct Deed<'a> {
    home: &'a Home,
    remover: &'a dyn Remover,
    leftovers: std::cell::OnceCell<Result<(), String>>,
}

impl Deed<'_> {
    fn remove(&self, item: &Item) -> Outcome {
        let is_below = |folder: PathBuf| item.path.starts_with(folder);
        let done = match item.room {
            Room::DeadBoxes => return self.left_behind(item),
            Room::Unfinished if is_below(self.home.images()) => return self.left_behind(item),
            Room::Unfinished if is_below(self.home.root().join("cache/image-build")) => return self.left_behind(item),
            Room::Images => match item.digest.map(|id| self.remover.image(&id)) {
                Some(Ok(())) => return Outcome::Removed,
                Some(Err(why)) => return Outcome::Kept(why),
                None => return Outcome::Kept("its name is no digest".to_owned()),
            },
            Room::Unfinished => self.unfinished(item),
            Room::Runs => run(item),
            Room::Blobs => self.blob(item),
            Room::Sources | Room::PackageIndexes | Room::HostLayers => self.cached(item),
            Room::LiveBoxes | Room::Other => return Outcome::Kept("it is none of ours to remove".to_owned()),
        };
        match done {
            Ok(outcome) => outcome,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Outcome::Removed,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }

    /// What the maker of boxes and images removes, all at once.
    fn left_behind(&self, item: &Item) -> Outcome {
        match self.leftovers.get_or_init(|| self.remover.leftovers()) {
            // A box may have got another name on its way out.
            Ok(()) if !item.path.exists() => Outcome::Removed,
            Ok(()) => Outcome::Kept("somebody has begun to use it, or to finish it".to_owned()),
            Err(why) if item.path.exists() => Outcome::Failed(why.clone()),
            Err(_) => Outcome::Removed,
        }
    }

    fn unfinished(&self, item: &Item) -> io::Result<Outcome> {
        // While nobody else works here nothing is being made, and what has no name any more cannot be picked up again.
        let alone = self.home.alone();
        if alone.is_none() && is_young(modified(&item.path)) {
            return Ok(in_use());
        }
        let lease = item.path.join("lease");
        if lease.is_file() && !matches!(Hold::exclusive(&lease)?, Claim::Mine(_)) {
            return Ok(in_use());
        }
        if !item.path.is_dir() {
            return fs::remove_file(&item.path).map(|()| Outcome::Removed);
        }
        let gone = set_aside(&item.path)?;
        drop(alone);
        match remove_all(&gone) {
            Ok(()) => Ok(Outcome::Removed),
            Err(_) => Ok(match self.remover.tree(&gone) {
                Ok(()) => Outcome::Removed,
                Err(why) => Outcome::Failed(why),
            }),
        }
    }

    fn blob(&self, item: &Item) -> io::Result<Outcome> {
        let Some(folder) = item.path.parent() else {
            return Ok(in_use());
        };
        let folder = fs::File::open(folder)?;
        rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
        let used = modified(&item.path);
        if used > item.last_used || (is_young(used) && self.home.alone().is_none()) {
            return Ok(in_use());
        }
        fs::remove_file(&item.path).map(|()| Outcome::Removed)
    }

    fn cached(&self, item: &Item) -> io::Result<Outcome> {
        if !item.path.is_dir() {
            // Nobody holds a file while it is read, but whoever finds one touches it.
            let used = modified(&item.path);
            if used > item.last_used || (is_young(used) && self.home.alone().is_none()) {
                return Ok(in_use());
            }
            return fs::remove_file(&item.path).map(|()| Outcome::Removed);
        }
        let Claim::Mine(_hold) = Hold::exclusive(&item.path)? else {
            return Ok(in_use());
        };
        if last_used(&item.path) > item.last_used {
            return Ok(in_use());
        }
        let gone = set_aside(&item.path)?;
        match remove_all(&gone) {
            Ok(()) => Ok(Outcome::Removed),
            Err(error) => Ok(self
                .remover
                .tree(&gone)
                .map_or_else(|why| Outcome::Failed(format!("{error}; {why}")), |()| Outcome::Removed)),
        }
    }
}

fn run(item: &Item) -> io::Result<Outcome> {
    let mut claims = Vec::new();
    for name in ["lease", "journal.jsonl"] {
        match Hold::exclusive(&item.path.join(name))? {
            Claim::Mine(hold) => claims.push(hold),
            Claim::InUse => return Ok(in_use()),
            Claim::Gone => {}
        }
    }
    remove_all(&set_aside(&item.path)?).map(|()| Outcome::Removed)
}

fn in_use() -> Outcome {
    Outcome::Kept("somebody has begun to use it".to_owned())
}

fn is_young(used: u64) -> bool {
    used > unix_millis().saturating_sub(YOUNG.as_millis() as u64)
}

/// Takes a folder's name away, in the room where it is: another one might have no space for it.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let gone = path.with_file_name(format!(".gone-{}", unique_name()));
    fs::rename(path, &gone)?;
    Ok(gone)
}

/// Deletes a tree, folders that nobody may write to included.
fn remove_all(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(path)?;
            fs::remove_dir_all(path)
        }
        other => other,
    }
}

fn open_folders(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}
