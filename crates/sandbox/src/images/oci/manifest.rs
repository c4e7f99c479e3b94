//! The documents of an image in layers, as registries and archives have them: OCI's and Docker's second schema.

use std::collections::BTreeMap;

use seatrial_core::{Arch, Digest};
use serde::{Deserialize, de::DeserializeOwned};

use super::check_sha256;
use crate::{
    SandboxError,
    images::{
        image::Image,
        place::{About, Making},
    },
};

/// Kinds of documents that are asked for.
pub(super) const ACCEPTED: &str = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.docker.distribution.manifest.v2+json";
/// Layers that the overlay of a registry may have; more are a mistake.
const MOST_LAYERS: usize = 512;
/// Variables that the world of a box decides, not its image.
const NOT_TAKEN: [&str; 3] = ["HOSTNAME", "TERM", "container"];

/// Names a document or a layer.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::images) struct Descriptor {
    #[serde(default)]
    pub(in crate::images) media_type: String,
    pub(in crate::images) digest: String,
    pub(in crate::images) size: u64,
    #[serde(default)]
    platform: Option<DocumentPlatform>,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
struct DocumentPlatform {
    architecture: String,
    os: String,
    #[serde(default)]
    variant: Option<String>,
}

impl Descriptor {
    /// The digits of its digest.
    pub(in crate::images) fn sha256(&self) -> Result<&str, SandboxError> {
        digits(&self.digest)
    }

    /// Checks that bytes are what it names.
    pub(in crate::images) fn check(&self, bytes: &[u8]) -> Result<(), SandboxError> {
        check_sha256("a document of the image", &self.digest, &super::sha256(bytes))
    }
}

/// The 64 digits of a SHA-256 digest. They become parts of paths, so nothing else passes.
pub(in crate::images) fn digits(digest: &str) -> Result<&str, SandboxError> {
    digest
        .strip_prefix("sha256:")
        .filter(|digits| digits.len() == 64 && digits.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')))
        .ok_or_else(|| {
            SandboxError::Image(format!(
                "`{digest}` is no SHA-256 digest (sha256: and 64 small hexadecimal digits)"
            ))
        })
}

/// One document.
#[derive(Debug)]
pub(in crate::images) enum Document {
    Index(Index),
    Manifest(Manifest),
}

/// Several manifests, one a platform.
#[derive(Debug, Deserialize)]
pub(in crate::images) struct Index {
    manifests: Vec<Descriptor>,
}

/// One image: a configuration and layers.
#[derive(Debug, Deserialize)]
pub(in crate::images) struct Manifest {
    pub(in crate::images) config: Descriptor,
    pub(in crate::images) layers: Vec<Descriptor>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kind {
    #[serde(default)]
    schema_version: u32,
    #[serde(default)]
    manifests: Option<serde::de::IgnoredAny>,
}

impl Document {
    pub(in crate::images) fn read(bytes: &[u8]) -> Result<Self, SandboxError> {
        let kind: Kind = parse(bytes, "the manifest")?;
        if kind.schema_version != 2 {
            return Err(SandboxError::Image(format!(
                "its manifest has schema {}, and only 2 is read; have its owner push it again with a newer tool",
                kind.schema_version
            )));
        }
        Ok(if kind.manifests.is_some() {
            Self::Index(parse(bytes, "the index")?)
        } else {
            Self::Manifest(parse(bytes, "the manifest")?)
        })
    }
}

/// The names that images have for an architecture: name, and variant where one is needed.
fn names(arch: Arch) -> (&'static str, Option<&'static str>) {
    match arch {
        Arch::X86_64 => ("amd64", None),
        Arch::Aarch64 => ("arm64", None),
        Arch::Riscv64 => ("riscv64", None),
        Arch::Ppc64le => ("ppc64le", None),
        Arch::S390x => ("s390x", None),
        Arch::I686 => ("386", None),
        Arch::Armv7l => ("arm", Some("v7")),
    }
}

impl Index {
    /// The manifest for an architecture, this machine's when none is named; a single one is taken whatever it is for.
    pub(in crate::images) fn choose(&self, arch: Option<Arch>) -> Result<&Descriptor, SandboxError> {
        // Statements about an image stand beside it under a platform that no machine has.
        let images: Vec<_> = self
            .manifests
            .iter()
            .filter(|one| !one.annotations.contains_key("vnd.docker.reference.type"))
            .collect();
        if let ([only], None) = (images.as_slice(), arch) {
            return Ok(only);
        }
        let (name, variant) = names(arch.unwrap_or_else(Arch::host));
        let fits = |one: &&&Descriptor| {
            one.platform
                .as_ref()
                .is_some_and(|platform| platform.os == "linux" && platform.architecture == name)
        };
        let exact = |one: &&&Descriptor| {
            variant.is_none() || one.platform.as_ref().and_then(|platform| platform.variant.as_deref()) == variant
        };
        if let Some(found) = images
            .iter()
            .filter(fits)
            .find(exact)
            .or_else(|| images.iter().find(fits))
        {
            return Ok(found);
        }
        let has: Vec<_> = images
            .iter()
            .filter_map(|one| one.platform.as_ref())
            .map(|platform| format!("{}/{}", platform.os, platform.architecture))
            .collect();
        Err(SandboxError::Image(format!(
            "it has nothing for linux/{name}, only {}; another architecture is named with --arch",
            if has.is_empty() {
                "what names no platform".to_owned()
            } else {
                has.join(", ")
            }
        )))
    }
}

impl Manifest {
    /// Refuses what is no root file system.
    pub(in crate::images) fn check(&self) -> Result<(), SandboxError> {
        for layer in &self.layers {
            let kind = layer.media_type.as_str();
            if !kind.is_empty() && !kind.contains(".tar") {
                return Err(SandboxError::Image(format!(
                    "it has a part of the kind `{kind}`, so it is no root file system"
                )));
            }
            if kind.contains("foreign") || kind.contains("nondistributable") {
                return Err(SandboxError::Image(format!(
                    "its layer {} is not distributed with it",
                    layer.digest
                )));
            }
            layer.sha256()?;
        }
        if self.layers.len() > MOST_LAYERS {
            return Err(SandboxError::Image(format!("it has {} layers", self.layers.len())));
        }
        Ok(())
    }
}

/// What an image says of itself.
#[derive(Debug)]
pub(in crate::images) struct Config {
    id: Digest,
    arch: Option<Arch>,
    pub(in crate::images) diff_ids: Vec<String>,
    environment: BTreeMap<String, String>,
    labels: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    os: String,
    #[serde(default)]
    config: Option<WrittenConfig>,
    rootfs: WrittenRoot,
}

#[derive(Default, Deserialize)]
struct WrittenConfig {
    #[serde(rename = "Env", default)]
    env: Option<Vec<String>>,
    #[serde(rename = "Labels", default)]
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct WrittenRoot {
    diff_ids: Vec<String>,
}

impl Config {
    pub(in crate::images) fn read(bytes: &[u8]) -> Result<Self, SandboxError> {
        let written: Written = parse(bytes, "the configuration")?;
        if !written.os.is_empty() && written.os != "linux" {
            return Err(SandboxError::Image(format!("it is made for {}", written.os)));
        }
        let config = written.config.unwrap_or_default();
        let arch = crate::images::foreign::ALL
            .into_iter()
            .find(|arch| names(*arch).0 == written.architecture);
        if arch.is_none() && !written.architecture.is_empty() {
            return Err(SandboxError::Image(format!(
                "it is made for the architecture {}, which boxes do not have",
                written.architecture
            )));
        }
        let environment = config.env.unwrap_or_default();
        let environment = environment
            .iter()
            .filter_map(|line| line.split_once('='))
            .filter(|(name, value)| !name.is_empty() && !NOT_TAKEN.contains(name) && !value.contains('\0'))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ok(Self {
            id: Digest::of(bytes),
            arch,
            diff_ids: written.rootfs.diff_ids,
            environment,
            labels: config.labels.unwrap_or_default(),
        })
    }

    /// Its identity: the configuration names the content of every layer.
    pub(in crate::images) fn id(&self) -> Digest {
        self.id
    }

    pub(in crate::images) fn check_layers(&self, count: usize) -> Result<(), SandboxError> {
        if self.diff_ids.len() == count {
            return Ok(());
        }
        Err(SandboxError::Image(format!(
            "its configuration speaks of {} layers, and it has {count}",
            self.diff_ids.len()
        )))
    }

    /// Finishes an image whose layers are unpacked.
    pub(in crate::images) fn finish(self, making: Making<'_>, about: About) -> Result<Image, SandboxError> {
        let about = About {
            arch: self.arch,
            environment: self.environment,
            labels: self.labels,
            ..about
        };
        making.finish(self.id, about)
    }
}

pub(in crate::images) fn parse<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, SandboxError> {
    serde_json::from_slice(bytes).map_err(|error| SandboxError::Image(format!("{what} cannot be understood: {error}")))
}
