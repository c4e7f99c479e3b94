//! The overlay's layers: the image, the host's files, one layer per snapshot, and the one that is written to.

use std::{ffi::CString, fs, io, os::fd::OwnedFd, path::Path};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{CWD, Gid, Mode, Uid, chmod, chown, mkdirat},
    mount::{MountFlags, UnmountFlags, mount, unmount},
    process::{Signal, chdir, pidfd_send_signal},
};

use super::{command, merge, removal};

/// Where the merged tree is mounted in the supervisor.
pub(crate) const MERGED: &str = "/merged";
/// Where the image is in the supervisor.
pub(crate) const IMAGE: &str = "/image";
/// Where files that come from the host are in the supervisor.
pub(crate) const HOST: &str = "/host";
/// Where the layers of this box are in the supervisor.
pub(crate) const LAYERS: &str = "/layers";
/// Begins the names of layers that a rollback dropped and that are being deleted.
pub(crate) const DROPPED: &str = "dropped-";
/// Begins the names of the overlay's own scratch folders.
const SCRATCH: &str = "work-";

/// Begins the names of layers that were merged from others.
const MERGED_LAYER: &str = "m";
/// Layers in the present stack above which some are merged. Each costs time where a name is looked up that is not there.
const MANY: usize = 32;
/// How many layers become one. A box with a thousand snapshots then has about forty layers in its stack.
const FAN: usize = 16;
/// Layers that the kernel stacks at most, with some room for those below.
const MOST: usize = 480;

/// The layers of one box.
pub(crate) struct Layers {
    /// Lowest first: the image, then the host's files where there are any.
    base: Vec<String>,
    /// Frozen layers, lowest first, and last the one that is written to, as paths from the folder of layers. They are
    /// short, because the kernel takes all of them in one page. The first ones may be another box's.
    own: Vec<String>,
    /// How many of them are another box's.
    inherited: usize,
    /// Layers that stand for several.
    chunks: Vec<Chunk>,
    merging: Option<Merging>,
    /// Runs of layers that cannot be merged: a file in them has as many names as it may have.
    unmergeable: Vec<(usize, usize)>,
    /// Layers that a rollback dropped while a fork still stood on them.
    kept: Vec<String>,
    /// Layers ever made, so that no name is used twice.
    made: u32,
    /// Live snapshots, oldest first: the number that the harness knows, and how many layers are frozen below it.
    snapshots: Vec<(u32, usize)>,
    /// Snapshots ever made.
    numbered: u32,
    mounted: bool,
}

/// A layer that stands for those from one position up to another.
#[derive(Debug, Clone)]
struct Chunk {
    start: usize,
    end: usize,
    name: String,
}

/// A merge that is being made by a child.
struct Merging {
    chunk: Chunk,
    process: OwnedFd,
}

impl Layers {
    pub(crate) fn new(base: Vec<String>, inherited: Vec<String>) -> Self {
        Self {
            base,
            inherited: inherited.len(),
            own: inherited,
            chunks: Vec::new(),
            merging: None,
            unmergeable: Vec::new(),
            kept: Vec::new(),
            made: 0,
            snapshots: Vec::new(),
            numbered: 0,
            mounted: false,
        }
    }

    /// Starts a new layer on top and mounts the whole.
    pub(crate) fn push(&mut self) -> io::Result<()> {
        // What the topmost layer says about the root folder is what the box sees.
        let root = rustix::fs::stat(if self.mounted { MERGED } else { IMAGE })?;
        self.detach()?;
        let layer = self.made.to_string();
        self.made += 1;
        let place = path(&layer);
        mkdirat(CWD, &place, Mode::from_raw_mode(0o755))?;
        let owner = (Uid::from_raw(root.st_uid), Gid::from_raw(root.st_gid));
        // An image may have a root folder of somebody whom the box does not know.
        let _ = chown(&place, Some(owner.0), Some(owner.1));
        chmod(&place, Mode::from_raw_mode(root.st_mode & 0o7777))?;
        mkdirat(CWD, format!("{LAYERS}/{SCRATCH}{layer}"), Mode::from_raw_mode(0o700))?;
        self.own.push(layer);
        self.tend(false);
        if self.frozen().len() + self.base.len() > MOST {
            self.tend(true);
        }
        self.attach()
    }

    /// Whether anything was written since the last layer was started.
    pub(crate) fn is_written(&self) -> io::Result<bool> {
        match self.own.last() {
            Some(top) => Ok(fs::read_dir(path(top))?.next().is_some()),
            None => Ok(false),
        }
    }

    /// Freezes the present state and names it. A layer to which nothing was written is not worth freezing.
    pub(crate) fn snapshot(&mut self) -> io::Result<u32> {
        if self.is_written()? {
            self.push()?;
        }
        let number = self.numbered;
        self.numbered += 1;
        self.snapshots.push((number, self.own.len().saturating_sub(1)));
        Ok(number)
    }

    /// Goes back to a snapshot. The folders of dropped layers get another name, so that they can be deleted while the box
    /// goes on; the caller does that. Those that are pinned stay until a later rollback finds them free.
    pub(crate) fn rollback(&mut self, number: u32, pinned: &[String]) -> io::Result<Vec<String>> {
        let (position, depth) = self.find(number)?;
        self.detach()?;
        let mut gone = std::mem::take(&mut self.kept);
        if let Some(merging) = self.merging.take_if(|merging| merging.chunk.end > depth) {
            merging.stop();
            gone.push(merging.chunk.name);
        }
        let (chunks, dropped) = self.chunks.drain(..).partition(|chunk| chunk.end <= depth);
        self.chunks = chunks;
        self.unmergeable.retain(|(_, end)| *end <= depth);
        gone.extend(dropped.into_iter().map(|chunk: Chunk| chunk.name));
        gone.extend(self.own.split_off(depth));
        let mut dropped = Vec::new();
        for layer in gone {
            if pinned.contains(&layer) {
                self.kept.push(layer);
                continue;
            }
            let place = format!("{LAYERS}/{DROPPED}{layer}");
            match fs::rename(path(&layer), &place) {
                // A merge that was stopped before it made anything.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
            dropped.push(place);
            dropped.push(format!("{LAYERS}/{SCRATCH}{layer}"));
        }
        self.snapshots.truncate(position + 1);
        self.push()?;
        Ok(dropped)
    }

    /// The layers above a snapshot and those below it, each topmost first.
    pub(crate) fn around(&self, number: u32) -> io::Result<(Vec<String>, Vec<String>)> {
        let (_, depth) = self.find(number)?;
        let paths = |layers: Vec<String>| layers.into_iter().rev().map(|layer| path(&layer));
        let above = paths(self.cover(depth, self.own.len())).collect();
        let below = paths(self.cover(0, depth))
            .chain(self.base.iter().rev().cloned())
            .collect();
        Ok((above, below))
    }

    /// The layers that another box stands on which begins with a snapshot, lowest first.
    pub(crate) fn below(&self, number: u32) -> io::Result<Vec<String>> {
        let (_, depth) = self.find(number)?;
        Ok(self.cover(0, depth))
    }

    /// The layers below the one that is written to.
    fn frozen(&self) -> Vec<String> {
        self.cover(0, self.own.len().saturating_sub(1))
    }

    /// The fewest layers that stand for those from one position up to another, lowest first.
    fn cover(&self, start: usize, end: usize) -> Vec<String> {
        let mut layers = Vec::new();
        let mut at = start;
        while at < end {
            let chunk = self
                .chunks
                .iter()
                .filter(|chunk| chunk.start == at && chunk.end <= end)
                .max_by_key(|chunk| chunk.end);
            match (chunk, self.own.get(at)) {
                (Some(chunk), _) => {
                    layers.push(chunk.name.clone());
                    at = chunk.end;
                }
                (None, Some(layer)) => {
                    layers.push(layer.clone());
                    at += 1;
                }
                (None, None) => break,
            }
        }
        layers
    }

    /// Takes a merge that is done, and starts another one where there are many layers; with `wait`, as long as there is one
    /// to be made.
    fn tend(&mut self, wait: bool) {
        loop {
            if let Some(merging) = self.merging.take() {
                if wait || merging.is_over() {
                    merging.wait();
                    if Path::new(&path(&merging.chunk.name)).is_dir() {
                        self.chunks.push(merging.chunk);
                    } else {
                        self.unmergeable.push((merging.chunk.start, merging.chunk.end));
                    }
                } else {
                    self.merging = Some(merging);
                    return;
                }
            }
            if self.frozen().len() <= MANY {
                return;
            }
            let Some((start, end)) = self.candidate() else { return };
            let name = format!("{MERGED_LAYER}{}", self.made);
            self.made += 1;
            let sources: Vec<_> = self.cover(start, end).iter().rev().map(|layer| path(layer)).collect();
            let (making, place) = (format!("{LAYERS}/{DROPPED}{name}"), path(&name));
            let started = command::start_child(move || {
                let merged = merge::merge(&sources, &making).and_then(|()| fs::rename(&making, &place));
                if merged.is_err() {
                    drop(removal::remove(Path::new(&making)));
                }
            });
            let Ok(process) = started else { return };
            self.merging = Some(Merging {
                chunk: Chunk { start, end, name },
                process,
            });
            if !wait {
                return;
            }
        }
    }

    /// The next layers to be merged: the smallest run that has no layer yet which stands for it. Runs begin at multiples of
    /// their size, so that the stack below each snapshot is short, and not only the present one.
    fn candidate(&self) -> Option<(usize, usize)> {
        let frozen = self.own.len().saturating_sub(1).checked_sub(self.inherited)?;
        let mut size = FAN;
        while size <= frozen {
            for run in 0..frozen / size {
                let (start, end) = (self.inherited + run * size, self.inherited + (run + 1) * size);
                let is_known = self.chunks.iter().any(|chunk| (chunk.start, chunk.end) == (start, end));
                if !is_known && !self.unmergeable.contains(&(start, end)) && self.cover(start, end).len() <= FAN {
                    return Some((start, end));
                }
            }
            size *= FAN;
        }
        None
    }

    /// Mounts the present state at a folder, to be read only, without the host's files: those are no part of an image.
    pub(crate) fn mount_image(&self, place: &str) -> io::Result<()> {
        let own = self.cover(0, self.own.len());
        let lower = own
            .into_iter()
            .rev()
            .chain([format!("..{IMAGE}")])
            .collect::<Vec<_>>()
            .join(":");
        let options = CString::new(format!("userxattr,lowerdir={lower}")).map_err(io::Error::other)?;
        chdir(LAYERS)?;
        let flags = MountFlags::NODEV | MountFlags::RDONLY;
        let mounted = mount("overlay", place, "overlay", flags, Some(options.as_c_str()));
        chdir("/")?;
        Ok(mounted?)
    }

    pub(crate) fn find(&self, number: u32) -> io::Result<(usize, usize)> {
        let position = self.snapshots.iter().position(|(known, _)| *known == number);
        let found = position.and_then(|position| Some((position, self.snapshots.get(position)?.1)));
        found.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("this box has no snapshot {number} any more"),
            )
        })
    }

    fn attach(&mut self) -> io::Result<()> {
        let Some(upper) = self.own.last() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let frozen = self.frozen().into_iter().rev();
        // Relative to the folder of layers, as the numbers are.
        let base = self.base.iter().rev().map(|path| format!("..{path}"));
        let lower = frozen.chain(base).collect::<Vec<_>>().join(":");
        // Volatile: nobody wants a box's files back after a power cut, and without it each unmount would wait until the
        // host's whole file system is on the disk.
        let options = format!("userxattr,volatile,lowerdir={lower},upperdir={upper},workdir={SCRATCH}{upper}");
        if options.len() > 4000 {
            return Err(io::Error::other(
                "this box has more snapshots with changes between them than the kernel can stack",
            ));
        }
        let options = CString::new(options).map_err(io::Error::other)?;
        chdir(LAYERS)?;
        let mounted = mount(
            "overlay",
            MERGED,
            "overlay",
            MountFlags::NODEV,
            Some(options.as_c_str()),
        );
        chdir("/")?;
        mounted?;
        self.mounted = true;
        Ok(())
    }

    fn detach(&mut self) -> io::Result<()> {
        if !self.mounted {
            return Ok(());
        }
        self.mounted = false;
        match unmount(MERGED, UnmountFlags::empty()) {
            // Something of a command that has just been killed may still hold on; it lets go in its own time.
            Err(rustix::io::Errno::BUSY) => Ok(unmount(MERGED, UnmountFlags::DETACH)?),
            other => Ok(other?),
        }
    }
}

impl Merging {
    fn is_over(&self) -> bool {
        let mut waited = [PollFd::new(&self.process, PollFlags::IN)];
        !matches!(poll(&mut waited, Some(&Timespec::default())), Ok(0))
    }

    fn wait(&self) {
        let mut waited = [PollFd::new(&self.process, PollFlags::IN)];
        while matches!(poll(&mut waited, None), Err(rustix::io::Errno::INTR)) {}
    }

    fn stop(&self) {
        let _ = pidfd_send_signal(&self.process, Signal::KILL);
        self.wait();
    }
}

fn path(layer: &str) -> String {
    format!("{LAYERS}/{layer}")
}

/// Whether an entry of the folder of layers counts as written by the box.
pub(crate) fn counts(name: &Path) -> bool {
    !name.as_os_str().as_encoded_bytes().starts_with(DROPPED.as_bytes())
}
