//! Unpacking: from one or more tar streams to a root file system with its facts, under its digest.

use std::{
    io::{self, Read, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::{Arch, Digest, Platform};
use seatrial_store::{unique_name, unix_millis};

use super::{
    ImageStore,
    image::{self, FACTS, Footing, Image, Origin},
};
use crate::{
    SandboxError,
    native::{Helper, IdMap, UnpackRequest, give, io_error, open_folder, open_to_boxes, remove_tree, send_unpack},
};

/// Bytes that the files of an image may have in all, and its entries: beyond every useful one.
const MOST_BYTES: u64 = 64 << 30;
const MOST_ENTRIES: u64 = 8_000_000;

/// What is said of an image that its files do not say.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) platform: Option<Platform>,
    /// What a configuration says when no platform is given.
    pub(super) arch: Option<Arch>,
    pub(super) requested: Vec<String>,
    pub(super) origin: Origin,
    pub(super) environment: std::collections::BTreeMap<String, String>,
    pub(super) labels: std::collections::BTreeMap<String, String>,
}

/// An image that is being unpacked; what is not finished is removed.
pub(super) struct Making<'a> {
    store: &'a ImageStore,
    ids: &'a IdMap,
    folder: PathBuf,
    left_bytes: u64,
}

impl<'a> Making<'a> {
    /// Begins an image.
    pub(super) fn new(store: &'a ImageStore, ids: &'a IdMap) -> Result<Self, SandboxError> {
        let images = store.home.images();
        open_to_boxes(store.home.root())?;
        open_to_boxes(&images)?;
        let making = Self {
            store,
            ids,
            folder: images.join(format!(".making-{}", unique_name())),
            left_bytes: MOST_BYTES,
        };
        let rootfs = making.rootfs();
        fs::create_dir_all(&rootfs).map_err(io_error("a folder for the image"))?;
        open_to_boxes(&making.folder)?;
        give(&rootfs, ids)?;
        Ok(making)
    }

    fn rootfs(&self) -> PathBuf {
        self.folder.join("rootfs")
    }

    /// Unpacks one tar stream over what is there.
    pub(super) fn unpack(&mut self, mut stream: impl Read, layer: bool) -> Result<(), SandboxError> {
        let folder = open_folder(&self.rootfs())?;
        let (read, mut pipe) = io::pipe().map_err(io_error("a pipe"))?;
        let mut helper = Helper::start(&self.store.helper, self.ids)?;
        let request = UnpackRequest {
            layer,
            most_bytes: self.left_bytes,
            most_entries: MOST_ENTRIES,
        };
        send_unpack(&mut helper, request, folder.as_fd(), read.as_fd())?;
        drop(read);
        let mut buffer = vec![0; 1 << 20];
        // Padding and headers come on top of what files have.
        let mut most = self.left_bytes.saturating_add(1 << 30);
        loop {
            let count = match stream.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(SandboxError::Image(format!("its archive cannot be read: {error}")));
                }
            };
            let bytes = buffer.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            most = most
                .checked_sub(count as u64)
                .ok_or_else(|| SandboxError::Image("the archive has too many bytes".to_owned()))?;
            self.left_bytes = self.left_bytes.saturating_sub(count as u64);
            if pipe.write_all(bytes).is_err() {
                // The helper gave up; its answer says why.
                break;
            }
        }
        drop(pipe);
        helper.done("unpacking the image").map_err(|error| match error {
            SandboxError::NoSuchFile(problem) => SandboxError::Image(problem),
            SandboxError::Kernel { what, source, .. } if source.raw_os_error().is_none() => SandboxError::Image(what),
            other => other,
        })?;
        // What is never read to its end is not checked.
        io::copy(&mut stream, &mut io::sink())
            .map(drop)
            .map_err(|error| SandboxError::Image(format!("its archive cannot be read: {error}")))
    }

    /// Gives the image its place and its facts. One that is there already stays, and hears of nothing new but its name.
    pub(super) fn finish(self, id: Digest, about: About) -> Result<Image, SandboxError> {
        let rootfs = self.rootfs();
        let platform = match about.platform {
            Some(platform) => platform,
            None => image::platform_of(&rootfs, about.arch)?,
        };
        let image = Image {
            id,
            platform,
            requested: about.requested,
            installed: image::installed(&rootfs),
            created: unix_millis(),
            origin: about.origin,
            environment: about.environment,
            labels: about.labels,
            ids: self.ids.clone(),
        };
        let place = self.store.folder(&id);
        write_facts(&image, &self.folder)?;
        if place.join("rootfs").is_dir() {
            let known = self.store.list()?.into_iter().find(|known| known.id == id);
            // The same files under another name, or facts that were damaged. What stands for its platform goes on to.
            if known.is_none_or(|known| known.origin != Origin::Platform && known.ids == image.ids) {
                write_facts(&image, &place)?;
            }
        } else {
            fs::rename(&self.folder, &place).map_err(io_error("placing the image"))?;
        }
        Ok(image)
    }
}

impl ImageStore {
    /// Writes on an image.
    pub(super) fn label(
        &self,
        mut image: Image,
        labels: &std::collections::BTreeMap<String, String>,
    ) -> Result<Image, SandboxError> {
        if !labels.is_empty() {
            image
                .labels
                .extend(labels.iter().map(|(name, value)| (name.clone(), value.clone())));
            write_facts(&image, &self.folder(&image.id))?;
        }
        Ok(image)
    }
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        if self.folder.is_dir() {
            drop(remove_tree(&self.store.helper, self.ids, &self.rootfs()));
            drop(fs::remove_dir_all(&self.folder));
        }
    }
}

fn write_facts(image: &Image, folder: &Path) -> Result<(), SandboxError> {
    let text = serde_json::to_vec_pretty(image).map_err(|error| SandboxError::Image(error.to_string()))?;
    Footing::write(image, folder)?;
    seatrial_store::write_file(&folder.join(FACTS), &text)?;
    Ok(())
}

/// Passes bytes on and hashes them.
pub(super) struct Hashed<R> {
    inner: R,
    hasher: blake3::Hasher,
}

impl<R: Read> Hashed<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            hasher: blake3::Hasher::new(),
        }
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::from_bytes(*self.hasher.finalize().as_bytes())
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
