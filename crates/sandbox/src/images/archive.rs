//! Images from files: a tar of a root file system, what `docker save` writes, an OCI layout in a tar; each may be
//! compressed.

use std::{
    collections::BTreeMap,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use fs_err as fs;
use seatrial_core::Platform;
use serde::Deserialize;

use super::{
    ImageStore, check_room,
    image::{Image, Origin},
    oci::{
        Sha256Reader, check_sha256,
        manifest::{self, Config, Descriptor, Document, Manifest},
    },
    place::{About, Making},
};
use crate::{
    SandboxError,
    native::{IdMap, io_error},
};

/// Bytes that a file may have when it is unpacked.
const MOST_BYTES: u64 = 96 << 30;
/// Bytes of one JSON document.
const MOST_JSON: u64 = 16 << 20;
/// Times that links in an archive are followed.
const MOST_LINKS: usize = 8;

impl ImageStore {
    /// Takes an image from a tar archive of a root file system, compressed or not. A box of its platform may then be
    /// made from it without naming it.
    pub fn import_tar(&self, archive: &Path, platform: &Platform) -> Result<Image, SandboxError> {
        let about = About {
            platform: Some(platform.clone()),
            ..About::default()
        };
        self.import_as(archive, about)
    }

    /// Takes an image from a file: a tar archive of a root file system, what `docker save` writes, or an OCI layout in
    /// a tar. What its platform is, it says itself; it stands for itself only.
    pub fn import(&self, archive: &Path) -> Result<Image, SandboxError> {
        let name = archive
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let about = About {
            origin: Origin::File(name),
            ..About::default()
        };
        self.import_as(archive, about)
    }

    pub(super) fn import_as(&self, archive: &Path, about: About) -> Result<Image, SandboxError> {
        let ids = IdMap::of_this_user()?;
        let room = self.home.cache("image-build")?;
        let _lease = self.lease(&room, &ids)?;
        let file = fs::File::open(archive).map_err(|error| {
            SandboxError::Image(format!(
                "{error}; name a tar archive, or a file that `docker save` wrote"
            ))
        })?;
        if !file.metadata().is_ok_and(|known| known.is_file()) {
            return Err(SandboxError::Image(format!("{} is not a file", archive.display())));
        }
        let making = tempfile::Builder::new()
            .prefix(".making-")
            .tempdir_in(&room)
            .map_err(io_error("a folder for the image"))?;
        let plain = uncompressed(file, archive, making.path())?;
        check_room(making.path(), fs::metadata(&plain).map_or(0, |known| known.len()))?;
        let file = fs::File::open(&plain).map_err(io_error("opening the image's archive"))?;
        let members = Members::read(file)
            .map_err(|error| SandboxError::Image(format!("{} is no tar archive: {error}", archive.display())))?;
        if members.has("manifest.json") || members.has("index.json") {
            self.import_layers(&members, &ids, about)
        } else {
            self.place_tar(&plain, &ids, about)
        }
    }

    fn import_layers(&self, members: &Members, ids: &IdMap, about: About) -> Result<Image, SandboxError> {
        let (config, layers) = members.layers(about.platform.as_ref())?;
        let config = Config::read(&config)?;
        let mut making = Making::new(self, ids)?;
        config.check_layers(layers.len())?;
        for (layer, wanted) in layers.iter().zip(&config.diff_ids) {
            unpack_layer(&mut making, members.open(layer)?, wanted)?;
        }
        config.finish(making, about)
    }
}

/// Unpacks one layer and checks that it is what the configuration says.
pub(super) fn unpack_layer(making: &mut Making<'_>, layer: impl Read, wanted: &str) -> Result<(), SandboxError> {
    let unreadable = |error: io::Error| SandboxError::Image(format!("the layer {wanted} cannot be read: {error}"));
    let mut stream = Sha256Reader::new(decoder(layer).map_err(unreadable)?);
    making.unpack(&mut stream, true)?;
    check_sha256("a layer's content", wanted, &stream.hex())
}

/// Reads a stream that may be compressed with gzip, xz or Zstandard.
pub(super) fn decoder<'a>(mut stream: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut start = Vec::new();
    stream.by_ref().take(6).read_to_end(&mut start)?;
    let kind = start.clone();
    let whole = io::BufReader::with_capacity(1 << 17, io::Cursor::new(start).chain(stream));
    Ok(match kind.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::Decoder::with_buffer(whole)?),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(whole)),
        [b'B', b'Z', b'h', ..] => {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "it is compressed with bzip2; unpack it with `bunzip2` first",
            ));
        }
        _ => Box::new(whole),
    })
}

/// The file itself, or what it is when it is decompressed, because its parts are read out of order.
fn uncompressed(mut file: fs::File, path: &Path, scratch: &Path) -> Result<PathBuf, SandboxError> {
    let failed = |error: io::Error| SandboxError::Image(format!("{}: {error}", path.display()));
    let mut start = [0; 6];
    let count = file.read(&mut start).map_err(failed)?;
    let start = start.get(..count).unwrap_or_default();
    let is_packed = [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd], b"\xfd7zXZ", b"BZh"]
        .iter()
        .any(|magic| start.starts_with(magic));
    if !is_packed {
        return Ok(path.to_owned());
    }
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let target = scratch.join("image.tar");
    let mut out = fs::File::create(&target).map_err(failed)?;
    let mut stream = decoder(file).map_err(failed)?;
    let mut buffer = vec![0; 1 << 20];
    let mut size = 0_u64;
    loop {
        let count = stream.read(&mut buffer).map_err(failed)?;
        if count == 0 {
            return Ok(target);
        }
        // Looked at now and then: a small file can become a very large one.
        if size >> 27 != (size + count as u64) >> 27 {
            check_room(scratch, 0)?;
        }
        size += count as u64;
        if size > MOST_BYTES {
            return Err(SandboxError::Image(format!(
                "{} has too many bytes when it is unpacked",
                path.display()
            )));
        }
        io::Write::write_all(&mut out, buffer.get(..count).unwrap_or_default()).map_err(failed)?;
    }
}

/// The members of a tar archive, by name.
struct Members {
    file: fs::File,
    files: BTreeMap<String, (u64, u64)>,
    links: BTreeMap<String, String>,
}

/// What `docker save` says of each image.
#[derive(Deserialize)]
struct Saved {
    #[serde(rename = "Config")]
    config: String,
    #[serde(rename = "Layers")]
    layers: Vec<String>,
    #[serde(rename = "RepoTags")]
    names: Option<Vec<String>>,
}

impl Members {
    fn read(mut file: fs::File) -> io::Result<Self> {
        let (mut files, mut links) = (BTreeMap::new(), BTreeMap::new());
        file.seek(SeekFrom::Start(0))?;
        let mut archive = tar::Archive::new(&mut file);
        for entry in archive.entries_with_seek()? {
            let entry = entry?;
            let name = entry.path()?;
            let name = name.strip_prefix("./").unwrap_or(&name).to_string_lossy().into_owned();
            // Only what an image's own records can name; a root file system has hundreds of thousands of others.
            let kind = entry.header().entry_type();
            if kind.is_file() && name.matches('/').count() <= 2 {
                files.insert(name, (entry.raw_file_position(), entry.size()));
            } else if (kind.is_symlink() || kind.is_hard_link())
                && let Some(target) = entry.link_name()?
                && name.matches('/').count() <= 2
            {
                let target = if kind.is_symlink() {
                    beside(&name, &target.to_string_lossy())
                } else {
                    target.to_string_lossy().into_owned()
                };
                links.insert(name, target);
            }
        }
        Ok(Self { file, files, links })
    }

    fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    fn open(&self, name: &str) -> Result<impl Read, SandboxError> {
        let missing = || SandboxError::Image(format!("the archive names {name} and does not have it"));
        let mut name = name.to_owned();
        for _ in 0..MOST_LINKS {
            match self.links.get(&name) {
                Some(target) => target.clone_into(&mut name),
                None => break,
            }
        }
        let (at, size) = self.files.get(&name).ok_or_else(missing)?;
        Ok(Part {
            file: self.file.try_clone().map_err(io_error("the image's archive"))?,
            at: *at,
            left: *size,
        })
    }

    fn small(&self, name: &str) -> Result<Vec<u8>, SandboxError> {
        let mut bytes = Vec::new();
        self.open(name)?
            .take(MOST_JSON)
            .read_to_end(&mut bytes)
            .map_err(io_error("reading the image's archive"))?;
        Ok(bytes)
    }

    /// The blob of an OCI layout, checked.
    fn blob(&self, descriptor: &Descriptor) -> Result<Vec<u8>, SandboxError> {
        let bytes = self.small(&place_of(descriptor)?)?;
        descriptor.check(&bytes)?;
        Ok(bytes)
    }

    /// The configuration, and the names of the layers, lowest first.
    fn layers(&self, platform: Option<&Platform>) -> Result<(Vec<u8>, Vec<String>), SandboxError> {
        if self.has("manifest.json") {
            let list: Vec<Saved> = manifest::parse(&self.small("manifest.json")?, "manifest.json")?;
            return match <[Saved; 1]>::try_from(list) {
                Ok([one]) => Ok((self.small(&one.config)?, one.layers)),
                Err(list) => {
                    let names: Vec<_> = list.into_iter().flat_map(|one| one.names.unwrap_or_default()).collect();
                    Err(SandboxError::Image(format!(
                        "the archive has not one image but these: {}; save the one that you want",
                        names.join(", ")
                    )))
                }
            };
        }
        let mut document = Document::read(&self.small("index.json")?)?;
        // An index may name another one, for its platforms.
        for _ in 0..MOST_LINKS {
            match document {
                Document::Manifest(manifest) => return self.layers_of(&manifest),
                Document::Index(index) => {
                    let arch = platform.map(|platform| platform.arch);
                    document = Document::read(&self.blob(index.choose(arch)?)?)?;
                }
            }
        }
        Err(SandboxError::Image(
            "its indexes name one another without end".to_owned(),
        ))
    }

    fn layers_of(&self, manifest: &Manifest) -> Result<(Vec<u8>, Vec<String>), SandboxError> {
        manifest.check()?;
        let layers: Result<_, _> = manifest.layers.iter().map(place_of).collect();
        Ok((self.blob(&manifest.config)?, layers?))
    }
}

fn place_of(descriptor: &Descriptor) -> Result<String, SandboxError> {
    Ok(format!("blobs/sha256/{}", descriptor.sha256()?))
}

/// Where a link beside a name leads to.
fn beside(name: &str, target: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A part of a file; others may read other parts meanwhile.
struct Part {
    file: fs::File,
    at: u64,
    left: u64,
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let count = self.file.file().read_at(buffer, self.at)?;
        self.at += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_old_archives_lead_to_the_layer_that_they_share() {
        assert_eq!(beside("two/layer.tar", "../one/layer.tar"), "one/layer.tar");
        assert_eq!(beside("layer.tar", "../../../etc/passwd"), "etc/passwd");
    }
}
