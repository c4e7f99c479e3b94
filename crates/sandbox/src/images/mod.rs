//! Images: root file systems that boxes are made from.
//!
//! | module | what |
//! |---|---|
//! | [`image`] | what is known of one |
//! | [`place`] | unpacking one, layer by layer, and giving it its place |
//! | [`mmdebstrap`] | building one from a distribution's packages |
//! | [`archive`] | taking one from a file: a tar, what `docker save` writes, an OCI layout in a tar |
//! | [`oci`] | pulling one from a registry |
//! | [`recipe`] | building one from a file of a repository, with a lock |
//! | [`foreign`] | programs of other architectures |

mod archive;
pub(crate) mod foreign;
mod image;
mod mmdebstrap;
mod oci;
mod place;
mod recipe;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

pub use foreign::{emulator, is_native};
use fs_err as fs;
use image::FACTS;
pub(crate) use image::Footing;
pub use image::{Image, InstalledPackage, Origin};
pub use mmdebstrap::ImageRequest;
pub use oci::{Credentials, Pull, Reference};
pub use recipe::{ImageLock, ImageRecipe, RecipeBuild};
use seatrial_core::{Digest, Platform};
use seatrial_store::{Claim, Hold, Home, Lease, StoreError, unique_name};

use crate::{
    SandboxError,
    native::{IMAGE_OF_BOX, IdMap, io_error, remove_tree},
};

/// The images of a data folder.
#[derive(Debug, Clone)]
pub struct ImageStore {
    home: Home,
    helper: PathBuf,
    /// Variables for programs that make images in a namespace: proxies.
    environment: BTreeMap<String, String>,
}

/// What the images of a data folder are.
#[derive(Debug, Default)]
pub struct Listing {
    /// Those that can be used, the newest first.
    pub images: Vec<Image>,
    /// Those that cannot, each with its folder and why.
    pub damaged: Vec<(PathBuf, String)>,
}

impl ImageStore {
    /// The images of a data folder. `helper` is as for [`NativeFactory::new`](crate::NativeFactory::new).
    pub fn new(home: &Home, helper: PathBuf) -> Self {
        Self {
            home: home.clone(),
            helper,
            environment: BTreeMap::new(),
        }
    }

    /// The same with variables, such as `http_proxy`, for programs that make images in a namespace of their own.
    #[must_use]
    pub fn with_environment(mut self, environment: BTreeMap<String, String>) -> Self {
        self.environment = environment;
        self
    }

    /// All images that can be used, the newest first.
    pub fn list(&self) -> Result<Vec<Image>, SandboxError> {
        Ok(self.look()?.images)
    }

    /// All images, also those whose facts cannot be read.
    pub fn look(&self) -> Result<Listing, SandboxError> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(self.home.images()).map_err(io_error("reading the images"))? {
            let folder = entry.map_err(io_error("reading the images"))?.path();
            // Images that are being made or removed begin with a dot.
            if folder
                .file_name()
                .is_none_or(|name| name.as_encoded_bytes().starts_with(b"."))
            {
                continue;
            }
            let facts = std::fs::read(folder.join(FACTS))
                .map_err(|error| format!("{FACTS}: {error}"))
                .and_then(|text| {
                    serde_json::from_slice::<Image>(&text).map_err(|error| format!("{FACTS} is damaged: {error}"))
                });
            match facts {
                Ok(image) => listing.images.push(image),
                // Somebody has just removed it.
                Err(_) if !folder.exists() => {}
                Err(problem) => listing.damaged.push((folder, problem)),
            }
        }
        listing.images.sort_by_key(|image| std::cmp::Reverse(image.created));
        listing.damaged.sort();
        Ok(listing)
    }

    /// The newest image of a platform that this user's boxes can be made from. Images from elsewhere and of recipes
    /// stand for themselves only.
    pub fn find(&self, platform: &Platform) -> Result<Option<Image>, SandboxError> {
        let ids = IdMap::of_this_user()?;
        Ok(self
            .list()?
            .into_iter()
            .find(|image| image.origin == Origin::Platform && image.platform == *platform && image.ids == ids))
    }

    /// The image that a person names: by its digest, a beginning of it that only one has, or its name.
    pub fn named(&self, name: &str) -> Result<Option<Image>, SandboxError> {
        let digits = name.strip_prefix("b3:").unwrap_or(name);
        let list = self.list()?;
        let by_name = list.iter().find(|image| image.name() == Some(name));
        let mut by_digest = list.iter().filter(|image| image.id.hex().starts_with(digits));
        Ok(match (by_name, by_digest.next(), by_digest.next()) {
            (Some(image), _, _) => Some(image.clone()),
            (None, Some(image), None) if !digits.is_empty() => Some(image.clone()),
            _ => None,
        })
    }

    /// Bytes of disk that an image takes.
    pub fn disk_use(&self, id: &Digest) -> u64 {
        image::disk_use(&self.folder(id))
    }

    /// When a box was last made from an image; when it was made, where none was.
    pub fn last_used(&self, id: &Digest) -> Option<SystemTime> {
        image::used(&self.folder(id))
    }

    fn folder(&self, id: &Digest) -> PathBuf {
        self.home.images().join(id.hex())
    }

    /// Removes an image that no live box uses.
    pub fn remove(&self, id: &Digest) -> Result<(), SandboxError> {
        let place = self.folder(id);
        if !place.is_dir() {
            return Err(SandboxError::NoImage(id.short()));
        }
        let ids = IdMap::of_this_user()?;
        let _lease = self.lease(&self.home.cache("image-build")?, &ids)?;
        let in_use = |by: &str| SandboxError::InUse {
            what: format!("the image {}", id.short()),
            by: by.to_owned(),
        };
        let Claim::Mine(_hold) = Hold::exclusive(&place).map_err(io_error("removing the image"))? else {
            return Err(in_use("another process"));
        };
        let user =
            || Ok::<_, SandboxError>(user_of(&self.home, id)?.map(|user| format!("the live box {}", user.display())));
        if let Some(user) = user()? {
            return Err(in_use(&user));
        }
        // Renamed first: a removal that is cut short must not leave half an image behind that is listed.
        let gone = self.home.images().join(format!(".gone-{}", unique_name()));
        fs::rename(&place, &gone).map_err(io_error("removing the image"))?;
        // A box names its image first and looks for it then, so one that was begun meanwhile is seen by one side or both.
        if let Some(user) = user()? {
            fs::rename(&gone, &place).map_err(io_error("removing the image"))?;
            return Err(in_use(&user));
        }
        remove_tree(&self.helper, &ids, &gone.join("rootfs"))?;
        fs::remove_dir_all(&gone).map_err(io_error("removing the image"))
    }

    /// Keeps an image from being removed as long as what is returned lives; `NoImage` when it is not there.
    pub fn hold(&self, id: &Digest) -> Result<Hold, SandboxError> {
        Hold::shared(&self.folder(id))
            .map_err(io_error("holding the image"))?
            .ok_or_else(|| SandboxError::NoImage(id.short()))
    }

    /// Removes what killed processes left of images that they were making or removing; `InUse` while a live one makes or
    /// removes an image, which does the same first.
    pub fn sweep(&self) -> Result<(), SandboxError> {
        let ids = IdMap::of_this_user()?;
        let room = self.home.cache("image-build")?;
        match Lease::take(&room) {
            Ok(_lease) => self.sweep_under_lease(&room, &ids),
            Err(StoreError::Busy(_)) => Err(SandboxError::InUse {
                what: "the room where images are made".to_owned(),
                by: "another process".to_owned(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until no other process makes or removes an image, then removes what ones that were killed left half-made.
    fn lease(&self, room: &Path, ids: &IdMap) -> Result<Lease, SandboxError> {
        let lease = loop {
            match Lease::take(room) {
                Err(StoreError::Busy(_)) => std::thread::sleep(Duration::from_millis(200)),
                other => break other?,
            }
        };
        self.sweep_under_lease(room, ids)?;
        Ok(lease)
    }

    fn sweep_under_lease(&self, room: &Path, ids: &IdMap) -> Result<(), SandboxError> {
        for folder in [room, &self.home.images()] {
            for entry in fs::read_dir(folder).map_err(io_error("reading the images"))?.flatten() {
                let name = entry.file_name();
                let name = name.as_encoded_bytes();
                if name.starts_with(b".making-") || name.starts_with(b".gone-") {
                    // What cannot be removed now is tried again the next time.
                    drop(remove_tree(&self.helper, ids, &entry.path().join("rootfs")));
                    drop(fs::remove_dir_all(entry.path()));
                }
            }
        }
        Ok(())
    }
}

/// An image and its archive take about this much; without it the work of a minute or more would be in vain.
const ROOM: u64 = 2 << 30;

/// Refuses to begin what would fill the disk.
fn check_room(folder: &Path, needed: u64) -> Result<(), SandboxError> {
    let known = rustix::fs::statvfs(folder).map_err(|error| io_error("asking for free disk space")(error.into()))?;
    let free = known.f_bavail * known.f_frsize;
    if free < ROOM.max(needed) {
        return Err(SandboxError::HostDiskFull { free_mib: free >> 20 });
    }
    Ok(())
}

/// The folder of a live box that is made from an image.
fn user_of(home: &Home, id: &Digest) -> Result<Option<PathBuf>, SandboxError> {
    for entry in fs::read_dir(home.boxes())
        .map_err(io_error("reading the boxes' folder"))?
        .flatten()
    {
        let folder = entry.path();
        let uses = fs::read_to_string(folder.join(IMAGE_OF_BOX)).is_ok_and(|text| text == id.hex());
        if uses && matches!(Lease::take(&folder), Err(StoreError::Busy(_))) {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}
