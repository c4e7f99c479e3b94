//! What is known of an image.

use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

use fs_err as fs;
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use seatrial_core::{Arch, Digest, Platform};
use serde::{Deserialize, Serialize};

use super::foreign;
use crate::{
    SandboxError,
    native::{IdMap, io_error, open_folder},
};

/// The file with an image's facts.
pub(super) const FACTS: &str = "image.json";
/// The file with what a box must know when it starts; images of this machine's architecture that say nothing of an
/// environment have none, so that most starts read nothing.
const FOOTING: &str = "box.json";
/// The file whose time says when a box was last made from the image.
const USED: &str = "used";

/// A package that an image has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledPackage {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An image.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Image {
    /// Digest of the archive that it was unpacked from; of the configuration, which names every layer, when it has layers.
    pub id: Digest,
    /// Its platform.
    pub platform: Platform,
    /// Packages that were asked for.
    pub requested: Vec<String>,
    /// Packages that it has.
    pub installed: Vec<InstalledPackage>,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created: u64,
    /// Where it comes from.
    #[serde(default)]
    pub origin: Origin,
    /// Variables that commands in its boxes get.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// What its maker wrote on it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Who owns its files outside.
    pub(super) ids: IdMap,
}

/// Where an image comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Built for its platform: a box of that platform is made from it without naming it.
    #[default]
    Platform,
    /// A file, by its name.
    File(String),
    /// A registry, by the name and digest that were pulled.
    Registry(String),
    /// A recipe, by its name.
    Recipe(String),
}

impl Image {
    /// What a person calls it: the name of its file, registry or recipe; nothing when it stands for its platform.
    pub fn name(&self) -> Option<&str> {
        match &self.origin {
            Origin::Platform => None,
            Origin::File(name) | Origin::Registry(name) | Origin::Recipe(name) => Some(name),
        }
    }
}

/// What a box must know of its image when it starts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Footing {
    /// Variables that commands get.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// Its architecture, when it is not this machine's.
    #[serde(default)]
    pub(crate) arch: Option<Arch>,
    /// Further architectures whose programs this one box runs; no fact of the image.
    #[serde(skip)]
    pub(crate) also: Vec<Arch>,
}

impl Footing {
    /// Writes it where it says anything.
    pub(super) fn write(image: &Image, folder: &Path) -> Result<(), SandboxError> {
        let footing = Self {
            environment: image.environment.clone(),
            arch: Some(image.platform.arch).filter(|arch| *arch != Arch::host()),
            also: Vec::new(),
        };
        if footing.environment.is_empty() && footing.arch.is_none() {
            return Ok(());
        }
        let text = serde_json::to_vec(&footing).map_err(|error| SandboxError::Image(error.to_string()))?;
        fs::write(folder.join(FOOTING), text).map_err(io_error("writing the image's facts"))
    }

    /// Reads it, and notes that the image is used.
    pub(crate) fn of(folder: &Path) -> Result<Self, SandboxError> {
        touch(&folder.join(USED));
        let path = folder.join(FOOTING);
        match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|error| SandboxError::Image(format!("{} is damaged: {error}", path.display()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(io_error("reading the image's facts")(error)),
        }
    }

    /// Lines that make the kernel run its programs.
    pub(crate) fn foreign(&self) -> Result<Vec<String>, SandboxError> {
        let mut lines = Vec::new();
        for arch in self.arch.iter().chain(&self.also) {
            for line in foreign::registrations(*arch)? {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }
}

/// Sets a file's time to now. That it cannot be done (a read-only store) does not keep a box from starting.
fn touch(path: &Path) {
    use rustix::fs::{CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    if utimensat(CWD, path, &times, rustix::fs::AtFlags::empty()).is_err() {
        drop(std::fs::File::create(path));
    }
}

/// When an image was last used, or made when it never was.
pub(super) fn used(folder: &Path) -> Option<std::time::SystemTime> {
    let time = |name| fs::metadata(folder.join(name)).and_then(|known| known.modified()).ok();
    time(USED).or_else(|| time(FACTS))
}

/// A file of a root file system, as bytes; links are followed inside it only.
fn file_of(rootfs: &Path, path: &str, limit: u64) -> Option<Vec<u8>> {
    let root = open_folder(rootfs).ok()?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = std::fs::File::from(openat2(&root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The packages of a root file system, of dpkg or apk.
pub(super) fn installed(rootfs: &Path) -> Vec<InstalledPackage> {
    const LARGEST: u64 = 256 << 20;
    let text = |path| {
        file_of(rootfs, path, LARGEST).map_or_else(String::new, |bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let mut packages = Vec::new();
    for (file, name, version, status) in [
        ("var/lib/dpkg/status", "Package: ", "Version: ", Some("Status: ")),
        ("lib/apk/db/installed", "P:", "V:", None),
    ] {
        for paragraph in text(file).split("\n\n") {
            let field = |name: &str| paragraph.lines().find_map(|line| line.strip_prefix(name));
            let is_there = status.is_none_or(|status| field(status).is_some_and(|text| text.ends_with(" installed")));
            if let (Some(name), Some(version), true) = (field(name), field(version), is_there) {
                packages.push(InstalledPackage {
                    name: name.to_owned(),
                    version: version.to_owned(),
                });
            }
        }
    }
    packages
}

/// The platform that a root file system says it is; `arch` where somebody knows it, else its programs are asked.
pub(super) fn platform_of(rootfs: &Path, arch: Option<Arch>) -> Result<Platform, SandboxError> {
    let arch = arch
        .or_else(|| {
            ["bin/sh", "usr/bin/env", "bin/busybox", "sbin/init", "usr/bin/dpkg"]
                .into_iter()
                .find_map(|path| foreign::arch_of(&file_of(rootfs, path, 64)?))
        })
        .or_else(|| {
            // Any program, where it has none of the usual ones.
            ["bin", "usr/bin", "sbin", "usr/sbin", "usr/local/bin"]
                .into_iter()
                .find_map(|folder| {
                    let mut names: Vec<_> = std::fs::read_dir(rootfs.join(folder))
                        .into_iter()
                        .flatten()
                        .flatten()
                        .map(|entry| entry.file_name())
                        .collect();
                    names.sort();
                    let path = |name: std::ffi::OsString| Some(format!("{folder}/{}", name.to_str()?));
                    names
                        .into_iter()
                        .find_map(|name| foreign::arch_of(&file_of(rootfs, &path(name)?, 64)?))
                })
        })
        .ok_or_else(|| {
            SandboxError::Image(
                "no program in it says which architecture it is for; name its platform with --platform".to_owned(),
            )
        })?;
    let release = ["etc/os-release", "usr/lib/os-release"]
        .into_iter()
        .find_map(|path| file_of(rootfs, path, 1 << 16))
        .unwrap_or_default();
    let release = String::from_utf8_lossy(&release).into_owned();
    let field = |name: &str| {
        let value = release.lines().find_map(|line| line.strip_prefix(name))?;
        let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        (!value.is_empty() && value.chars().all(plain)).then_some(value)
    };
    Ok(Platform {
        distribution: field("ID=").unwrap_or_else(|| "linux".to_owned()),
        release: field("VERSION_CODENAME=")
            .or_else(|| field("VERSION_ID="))
            .unwrap_or_else(|| "unknown".to_owned()),
        arch,
    })
}

/// Bytes of disk that a folder takes.
pub(super) fn disk_use(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0;
    let mut waiting: Vec<PathBuf> = vec![folder.to_owned()];
    let mut seen = std::collections::HashSet::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(known) = entry.metadata() else { continue };
            if known.is_dir() {
                waiting.push(entry.path());
            }
            // A file with several names takes its room once.
            if known.is_dir() || known.nlink() < 2 || seen.insert(known.ino()) {
                sum += known.blocks() * 512;
            }
        }
    }
    sum
}
