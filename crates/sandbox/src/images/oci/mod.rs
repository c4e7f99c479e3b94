//! Images from registries.
//!
//! Layers are kept in the store, once for all images that have them; a small file per layer says under which of the
//! store's own digests. What was downloaded in part is gone on with, also by another process.

mod challenge;
mod credentials;
pub(super) mod manifest;
mod reference;
mod registry;

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::PathBuf,
};

pub use credentials::Credentials;
use fs_err as fs;
use manifest::{Config, Descriptor, Document, Manifest};
pub use reference::Reference;
use registry::Registry;
use seatrial_core::{Arch, Digest};
use seatrial_store::{Lease, StoreError};
use sha2::{Digest as _, Sha256};

use super::{
    ImageStore,
    archive::unpack_layer,
    check_room,
    image::{Image, Origin},
    place::{About, Making},
};
use crate::{
    SandboxError,
    native::{IdMap, io_error},
};

/// Indexes that may be between a name and its manifest.
const MOST_INDEXES: usize = 4;
/// Bytes that the layers of an image may have, compressed.
const MOST_LAYER_BYTES: u64 = 64 << 30;

/// What is to be pulled.
#[derive(Debug, Clone)]
pub struct Pull {
    /// Its name.
    pub reference: Reference,
    /// The architecture; this machine's, or the only one that there is, when absent.
    pub arch: Option<Arch>,
    /// Who asks.
    pub credentials: Credentials,
    /// Speak without encryption, as with registries on this machine.
    pub plain_http: bool,
}

impl Pull {
    /// An image for this machine, pulled by nobody in particular.
    pub fn of(reference: Reference) -> Self {
        Self {
            reference,
            arch: None,
            credentials: Credentials::default(),
            plain_http: false,
        }
    }
}

impl ImageStore {
    /// Pulls an image from a registry. A listener hears how it goes.
    pub fn pull(&self, pull: &Pull, tell: &mut dyn FnMut(&str)) -> Result<Image, SandboxError> {
        self.pull_as(pull, None, tell)
    }

    pub(super) fn pull_as(
        &self,
        pull: &Pull,
        origin: Option<Origin>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Image, SandboxError> {
        let ids = IdMap::of_this_user()?;
        let room = self.home.cache("oci")?;
        let layers = {
            // Two at once would write into the same half-made files.
            let _lease = wait_for(&room, tell)?;
            self.fetch(pull, tell)?
        };
        let Fetched { digest, config, layers } = layers;
        let origin = origin.unwrap_or_else(|| Origin::Registry(pull.reference.pinned(&digest)));
        let known = self
            .list()?
            .into_iter()
            .find(|image| image.id == config.id() && image.origin == origin && image.ids == ids);
        if let Some(image) = known {
            return Ok(image);
        }
        let _lease = self.lease(&self.home.cache("image-build")?, &ids)?;
        let mut making = Making::new(self, &ids)?;
        config.check_layers(layers.len())?;
        let count = layers.len();
        for (at, ((sha256, blob), wanted)) in layers.iter().zip(&config.diff_ids).enumerate() {
            tell(&format!("unpacking layer {} of {count}", at + 1));
            let result = self
                .home
                .blobs()
                .open(blob)
                .map_err(SandboxError::from)
                .and_then(|file| unpack_layer(&mut making, file, wanted));
            if let Err(error) = result {
                // What the store has may have been damaged since; then the next try must not find it again.
                if self.home.blobs().read(blob).is_err() {
                    drop(fs::remove_file(self.layer_note(sha256)?));
                    drop(fs::remove_file(self.home.blobs().path(blob)));
                }
                return Err(error);
            }
        }
        let about = About {
            origin,
            ..About::default()
        };
        config.finish(making, about)
    }

    /// Downloads what an image is made of.
    fn fetch(&self, pull: &Pull, tell: &mut dyn FnMut(&str)) -> Result<Fetched, SandboxError> {
        let mut registry = Registry::new(pull);
        tell(&format!("asking {} for {}", pull.reference.host(), pull.reference));
        let mut bytes = registry.manifest(pull.reference.version())?;
        if let Some(wanted) = pull.reference.digest() {
            check_sha256("the manifest", wanted, &sha256(&bytes))?;
        }
        let digest = format!("sha256:{}", sha256(&bytes));
        let mut manifest = None;
        for _ in 0..MOST_INDEXES {
            match Document::read(&bytes)? {
                Document::Manifest(found) => {
                    manifest = Some(found);
                    break;
                }
                Document::Index(index) => {
                    let chosen = index.choose(pull.arch)?;
                    chosen.sha256()?;
                    bytes = registry.manifest(&chosen.digest)?;
                    chosen.check(&bytes)?;
                }
            }
        }
        let manifest: Manifest =
            manifest.ok_or_else(|| SandboxError::Image("its indexes name one another without end".to_owned()))?;
        manifest.check()?;
        manifest.config.sha256()?;
        let config = Config::read(&registry.small(&manifest.config)?)?;
        let whole = manifest
            .layers
            .iter()
            .try_fold(0_u64, |sum, layer| sum.checked_add(layer.size))
            .filter(|sum| *sum <= MOST_LAYER_BYTES)
            .ok_or_else(|| SandboxError::Image("its layers have too many bytes".to_owned()))?;
        // Compressed in the store, and unpacked beside it at about three times the size.
        check_room(self.home.root(), whole.saturating_mul(4))?;
        let count = manifest.layers.len();
        let mut layers = Vec::new();
        for (at, layer) in manifest.layers.iter().enumerate() {
            let title = format!("layer {} of {count}", at + 1);
            layers.push((
                layer.sha256()?.to_owned(),
                self.layer(&mut registry, layer, &title, tell)?,
            ));
        }
        Ok(Fetched { digest, config, layers })
    }

    /// The file that says under which digest the store has a layer.
    fn layer_note(&self, sha256: &str) -> Result<PathBuf, SandboxError> {
        Ok(self.home.cache("oci/layers")?.join(sha256))
    }

    /// One layer, from the store or the registry.
    fn layer(
        &self,
        registry: &mut Registry<'_>,
        layer: &Descriptor,
        title: &str,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Digest, SandboxError> {
        let sha256 = layer.sha256()?;
        let note = self.layer_note(sha256)?;
        let blobs = self.home.blobs();
        let known = fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok());
        if let Some(digest) = known.filter(|digest| blobs.has(digest)) {
            tell(&format!("{title} is here already"));
            return Ok(digest);
        }
        let part = self.home.cache("oci/parts")?.join(sha256);
        for last in [false, true] {
            let mut file = fs::OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(&part)
                .map_err(io_error("a layer's file"))?
                .into_file();
            let mut shown = u64::MAX;
            registry.download(layer, &mut file, &mut |at| {
                let tenths = at >> 20;
                if shown != tenths {
                    shown = tenths;
                    tell(&format!("{title}: {tenths} of {} MiB", layer.size >> 20));
                }
            })?;
            file.seek(SeekFrom::Start(0)).map_err(io_error("a layer's file"))?;
            // Into the store only under its own name: what is refused must leave no trace there.
            let mut writer = blobs.writer()?;
            let mut stream = Sha256Reader::new(&file);
            io::copy(&mut stream, &mut writer).map_err(io_error("storing a layer"))?;
            let checked = check_sha256("a layer", &layer.digest, &stream.hex());
            fs::remove_file(&part).map_err(io_error("a layer's file"))?;
            match checked {
                Ok(()) => {
                    let (digest, _) = writer.finish()?;
                    seatrial_store::write_file(&note, digest.to_string().as_bytes())?;
                    return Ok(digest);
                }
                Err(error) if last => return Err(error),
                // It may be glued from two tries; one whole try decides.
                Err(_) => {}
            }
        }
        Err(SandboxError::Image("a layer could not be downloaded".to_owned()))
    }
}

/// What was downloaded.
struct Fetched {
    /// Of the document that was asked for.
    digest: String,
    config: Config,
    /// Lowest first: the registry's digest and the store's.
    layers: Vec<(String, Digest)>,
}

fn wait_for(room: &std::path::Path, tell: &mut dyn FnMut(&str)) -> Result<Lease, SandboxError> {
    let mut told = false;
    loop {
        match Lease::take(room) {
            Err(StoreError::Busy(_)) => {
                if !told {
                    tell("waiting for another pull");
                    told = true;
                }
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            other => return Ok(other?),
        }
    }
}

/// Compares digests.
pub(super) fn check_sha256(what: &str, wanted: &str, found: &str) -> Result<(), SandboxError> {
    if manifest::digits(wanted)? == found {
        return Ok(());
    }
    Err(SandboxError::Image(format!(
        "{what} is not what its digest says: {wanted} is wanted, and it is sha256:{found}; it was damaged or exchanged"
    )))
}

/// The SHA-256 of bytes, in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Passes bytes on and hashes them.
pub(super) struct Sha256Reader<R> {
    inner: R,
    hasher: Sha256,
}

impl<R: Read> Sha256Reader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            hasher: Sha256::new(),
        }
    }

    /// The digest of what was read so far.
    pub(super) fn hex(&self) -> String {
        hex(&self.hasher.clone().finalize())
    }
}

impl<R: Read> Read for Sha256Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
