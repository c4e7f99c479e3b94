//! The overlay's layers: the image, the host's files, one layer per snapshot, and the one that is written to.

use std::io;

use rustix::{
    fs::{CWD, Mode, mkdirat},
    mount::{MountFlags, UnmountFlags, mount, unmount},
};

/// Where the merged tree is mounted in the supervisor.
pub(crate) const MERGED: &str = "/merged";
/// Where the image is in the supervisor.
pub(crate) const IMAGE: &str = "/image";
/// Where files that come from the host are in the supervisor.
pub(crate) const HOST: &str = "/host";
/// Where the layers of this box are in the supervisor.
pub(crate) const LAYERS: &str = "/layers";

/// The layers of one box, as paths in the supervisor.
pub(crate) struct Layers {
    /// Lowest first: the image, then the host's files where there are any.
    base: Vec<String>,
    /// Frozen layers, lowest first, and last the one that is written to.
    own: Vec<String>,
    /// Layers ever made, so that no name is used twice.
    made: u32,
}

impl Layers {
    pub(crate) fn new(base: Vec<String>) -> Self {
        Self {
            base,
            own: Vec::new(),
            made: 0,
        }
    }

    /// Starts a new layer on top and mounts the whole.
    pub(crate) fn push(&mut self) -> io::Result<()> {
        self.detach();
        let layer = format!("{LAYERS}/{}", self.made);
        let work = format!("{LAYERS}/work-{}", self.made);
        self.made += 1;
        mkdirat(CWD, &layer, Mode::from_raw_mode(0o755))?;
        mkdirat(CWD, &work, Mode::from_raw_mode(0o700))?;
        self.own.push(layer);
        self.attach(&work)
    }

    /// How many layers this box has: the number of the snapshot that [`push`](Self::push) would freeze.
    pub(crate) fn depth(&self) -> u32 {
        self.own.len() as u32
    }

    /// Drops every layer above the first `depth` ones and starts a new one. The dropped folders stay until the box is
    /// deleted, because deleting takes time that grows with them.
    pub(crate) fn cut(&mut self, depth: u32) -> io::Result<()> {
        if depth == 0 || depth >= self.depth() {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        self.detach();
        self.own.truncate(depth as usize);
        self.push()
    }

    /// The layers above a snapshot and those below it, each topmost first.
    pub(crate) fn around(&self, snapshot: u32) -> (Vec<&str>, Vec<&str>) {
        let split = (snapshot as usize).min(self.own.len());
        let (below, above) = self.own.split_at(split);
        (
            above.iter().rev().map(String::as_str).collect(),
            below
                .iter()
                .rev()
                .chain(self.base.iter().rev())
                .map(String::as_str)
                .collect(),
        )
    }

    fn attach(&self, work: &str) -> io::Result<()> {
        let Some((upper, frozen)) = self.own.split_last() else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        let lower: Vec<_> = frozen
            .iter()
            .rev()
            .chain(self.base.iter().rev())
            .map(String::as_str)
            .collect();
        let options = format!("userxattr,lowerdir={},upperdir={upper},workdir={work}", lower.join(":"));
        let options = std::ffi::CString::new(options).map_err(io::Error::other)?;
        mount(
            "overlay",
            MERGED,
            "overlay",
            MountFlags::NODEV,
            Some(options.as_c_str()),
        )?;
        Ok(())
    }

    fn detach(&self) {
        if !self.own.is_empty() {
            // Nothing runs now, so this lets go at once; the layers themselves are untouched.
            let _ = unmount(MERGED, UnmountFlags::DETACH);
        }
    }
}
