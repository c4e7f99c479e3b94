//! The overlay's layers: the image, the host's files, one layer per snapshot, and the one that is written to.

use std::{ffi::CString, fs, io, path::Path};

use rustix::{
    fs::{CWD, Mode, mkdirat},
    mount::{MountFlags, UnmountFlags, mount, unmount},
    process::chdir,
};

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

/// The layers of one box.
pub(crate) struct Layers {
    /// Lowest first: the image, then the host's files where there are any.
    base: Vec<String>,
    /// Names of frozen layers, lowest first, and last the one that is written to. They are short numbers, because the
    /// kernel takes all of them in one page.
    own: Vec<u32>,
    /// Layers ever made, so that no name is used twice.
    made: u32,
    /// Live snapshots, oldest first: the number that the harness knows, and how many layers are frozen below it.
    snapshots: Vec<(u32, usize)>,
    /// Snapshots ever made.
    numbered: u32,
    mounted: bool,
}

impl Layers {
    pub(crate) fn new(base: Vec<String>) -> Self {
        Self {
            base,
            own: Vec::new(),
            made: 0,
            snapshots: Vec::new(),
            numbered: 0,
            mounted: false,
        }
    }

    /// Starts a new layer on top and mounts the whole.
    pub(crate) fn push(&mut self) -> io::Result<()> {
        self.detach()?;
        let layer = self.made;
        self.made += 1;
        let scratch = format!("{LAYERS}/{SCRATCH}{layer}");
        mkdirat(CWD, path(layer), Mode::from_raw_mode(0o755))?;
        mkdirat(CWD, &scratch, Mode::from_raw_mode(0o700))?;
        self.own.push(layer);
        self.attach()
    }

    /// Whether anything was written since the last layer was started.
    pub(crate) fn is_written(&self) -> io::Result<bool> {
        match self.own.last() {
            Some(top) => Ok(fs::read_dir(path(*top))?.next().is_some()),
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
    /// goes on; the caller does that.
    pub(crate) fn rollback(&mut self, number: u32) -> io::Result<Vec<String>> {
        let (position, depth) = self.find(number)?;
        self.detach()?;
        let mut dropped = Vec::new();
        for layer in self.own.split_off(depth) {
            let gone = format!("{LAYERS}/{DROPPED}{layer}");
            fs::rename(path(layer), &gone)?;
            dropped.push(gone);
            dropped.push(format!("{LAYERS}/{SCRATCH}{layer}"));
        }
        self.snapshots.truncate(position + 1);
        self.push()?;
        Ok(dropped)
    }

    /// The layers above a snapshot and those below it, each topmost first.
    pub(crate) fn around(&self, number: u32) -> io::Result<(Vec<String>, Vec<String>)> {
        let (_, depth) = self.find(number)?;
        let (below, above) = self.own.split_at(depth.min(self.own.len()));
        let above = above.iter().rev().map(|layer| path(*layer)).collect();
        let below = below
            .iter()
            .rev()
            .map(|layer| path(*layer))
            .chain(self.base.iter().rev().cloned())
            .collect();
        Ok((above, below))
    }

    /// Mounts the present state at a folder, to be read only, without the host's files: those are no part of an image.
    pub(crate) fn mount_image(&self, place: &str) -> io::Result<()> {
        let own = self.own.iter().rev().map(u32::to_string);
        let lower = own.chain([format!("..{IMAGE}")]).collect::<Vec<_>>().join(":");
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
        let Some((upper, frozen)) = self.own.split_last() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let frozen = frozen.iter().rev().map(u32::to_string);
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

fn path(layer: u32) -> String {
    format!("{LAYERS}/{layer}")
}

/// Whether an entry of the folder of layers counts as written by the box.
pub(crate) fn counts(name: &Path) -> bool {
    !name.as_os_str().as_encoded_bytes().starts_with(DROPPED.as_bytes())
}
