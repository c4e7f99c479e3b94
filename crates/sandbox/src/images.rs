//! Images: root file systems that boxes are made from, under the digest of the archive they were unpacked from.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use fs_err as fs;
use seatrial_core::{Digest, Platform};
use seatrial_store::{Home, Lease, unix_millis};
use serde::{Deserialize, Serialize};

use crate::{
    SandboxError,
    native::{Helper, IdMap, give, io_error, open_folder, open_to_boxes, remove_tree, send_unpack},
};

/// What an image can do without being told: build C and C++ with the usual tools.
const DEFAULT_PACKAGES: [&str; 17] = [
    "build-essential",
    "pkg-config",
    "cmake",
    "ninja-build",
    "meson",
    "autoconf",
    "automake",
    "libtool",
    "autopoint",
    "gettext",
    "git",
    "ca-certificates",
    "python3",
    "file",
    "xz-utils",
    "bzip2",
    "patch",
];

/// Settings of the package manager in a box: nothing that is not asked for, no documentation, no waiting for the disk
/// of a machine that is thrown away.
const APT_SETTINGS: &str = "APT::Install-Recommends \"false\";\nAPT::Install-Suggests \"false\";\nAPT::Get::Assume-Yes \"true\";\n\
    Acquire::Languages \"none\";\nAcquire::Retries \"3\";\nDPkg::Use-Pty \"false\";\nAPT::Sandbox::User \"root\";\n";
const DPKG_SETTINGS: &str = "force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\n\
    path-exclude=/usr/share/locale/*\npath-exclude=/usr/share/info/*\n";
/// Keeps maintainer scripts from starting services.
const NO_SERVICES: &str = "#!/bin/sh\nexit 101\n";

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
    /// Digest of the archive that it was unpacked from.
    pub id: Digest,
    /// Its platform.
    pub platform: Platform,
    /// Packages that were asked for.
    pub requested: Vec<String>,
    /// Packages that it has.
    pub installed: Vec<InstalledPackage>,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created: u64,
    /// Who owns its files outside.
    ids: IdMap,
}

/// What an image is to be.
#[derive(Debug, Clone)]
pub struct ImageRequest {
    /// Its platform.
    pub platform: Platform,
    /// Packages to install.
    pub packages: Vec<String>,
    /// The mirror to take them from; this machine's for that release, or the tool's own, when absent.
    pub mirror: Option<String>,
}

impl ImageRequest {
    /// The image for building C and C++.
    pub fn default_for(platform: &Platform) -> Self {
        let packages = DEFAULT_PACKAGES.map(str::to_owned).into();
        Self {
            platform: platform.clone(),
            packages,
            mirror: None,
        }
    }
}

/// The images of a data folder.
#[derive(Debug, Clone)]
pub struct ImageStore {
    home: Home,
    helper: PathBuf,
}

impl ImageStore {
    /// The images of a data folder. `helper` is as for [`NativeFactory::new`](crate::NativeFactory::new).
    pub fn new(home: &Home, helper: PathBuf) -> Self {
        Self {
            home: home.clone(),
            helper,
        }
    }

    /// All images, the newest first.
    pub fn list(&self) -> Result<Vec<Image>, SandboxError> {
        let mut images = Vec::new();
        for entry in fs::read_dir(self.home.images()).map_err(io_error("reading the images"))? {
            let path = entry.map_err(io_error("reading the images"))?.path().join("image.json");
            let Ok(text) = fs::read(&path) else { continue };
            let image: Image = serde_json::from_slice(&text)
                .map_err(|error| SandboxError::Image(format!("{}: {error}", path.display())))?;
            images.push(image);
        }
        images.sort_by_key(|image: &Image| std::cmp::Reverse(image.created));
        Ok(images)
    }

    /// The newest image of a platform that this user's boxes can be made from.
    pub fn find(&self, platform: &Platform) -> Result<Option<Image>, SandboxError> {
        let ids = IdMap::of_this_user()?;
        Ok(self
            .list()?
            .into_iter()
            .find(|image| image.platform == *platform && image.ids == ids))
    }

    /// Makes an image; a listener hears what the tool says.
    pub fn build(&self, request: &ImageRequest, tell: &mut dyn FnMut(&str)) -> Result<Image, SandboxError> {
        let ids = IdMap::of_this_user()?;
        // Two at once would be a waste; the second waits and may find what it wants.
        let room = self.home.cache("image-build")?;
        let _lease = wait_for_lease(&room)?;
        let making = tempfile::Builder::new()
            .prefix(".making-")
            .tempdir_in(&room)
            .map_err(io_error("a folder for the image"))?;
        let archive = making.path().join("image.tar");
        let machine = if request.mirror.is_none() {
            machine_sources(&request.platform.release)
        } else {
            Vec::new()
        };
        run_mmdebstrap(request, &ids, &archive, &machine, making.path(), tell)?;
        tell("unpacking");
        self.unpack(&archive, &ids, &request.platform, &request.packages)
    }

    /// Takes an image from a tar archive of a root file system.
    pub fn import_tar(&self, archive: &Path, platform: &Platform) -> Result<Image, SandboxError> {
        self.unpack(archive, &IdMap::of_this_user()?, platform, &[])
    }

    /// Removes an image. Live boxes go on with what they have mapped; new ones cannot be made from it.
    pub fn remove(&self, id: &Digest) -> Result<(), SandboxError> {
        let place = self.home.images().join(id.hex());
        if !place.is_dir() {
            return Err(SandboxError::NoImage(id.short()));
        }
        let ids = IdMap::of_this_user()?;
        // Renamed first: a removal that is cut short must not leave half an image behind that is listed.
        let gone = self
            .home
            .images()
            .join(format!(".gone-{}-{}", std::process::id(), unix_millis()));
        fs::rename(&place, &gone).map_err(io_error("removing the image"))?;
        remove_tree(&self.helper, &ids, &gone.join("rootfs"))?;
        fs::remove_dir_all(&gone).map_err(io_error("removing the image"))
    }

    fn unpack(
        &self,
        archive: &Path,
        ids: &IdMap,
        platform: &Platform,
        requested: &[String],
    ) -> Result<Image, SandboxError> {
        let images = self.home.images();
        open_to_boxes(self.home.root())?;
        open_to_boxes(&images)?;
        let making = images.join(format!(".making-{}-{}", std::process::id(), unix_millis()));
        let rootfs = making.join("rootfs");
        fs::create_dir_all(&rootfs).map_err(io_error("a folder for the image"))?;
        open_to_boxes(&making)?;
        give(&rootfs, ids)?;
        let result = self.unpack_into(archive, ids, &rootfs).and_then(|id| {
            let place = images.join(id.hex());
            let installed = installed(&rootfs);
            let image = Image {
                id,
                platform: platform.clone(),
                requested: requested.to_vec(),
                installed,
                created: unix_millis(),
                ids: ids.clone(),
            };
            let text = serde_json::to_vec_pretty(&image).map_err(|error| SandboxError::Image(error.to_string()))?;
            fs::write(making.join("image.json"), text).map_err(io_error("writing the image's facts"))?;
            if !place.is_dir() {
                fs::rename(&making, &place).map_err(io_error("placing the image"))?;
            }
            Ok(image)
        });
        if making.is_dir() {
            drop(remove_tree(&self.helper, ids, &rootfs));
            drop(fs::remove_dir_all(&making));
        }
        result
    }

    fn unpack_into(&self, archive: &Path, ids: &IdMap, rootfs: &Path) -> Result<Digest, SandboxError> {
        let mut file = fs::File::open(archive).map_err(io_error("opening the image's archive"))?;
        let folder = open_folder(rootfs)?;
        let (read, mut pipe) = io::pipe().map_err(io_error("a pipe"))?;
        let mut helper = Helper::start(&self.helper, ids)?;
        send_unpack(&mut helper, folder.as_fd(), read.as_fd())?;
        drop(read);
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 20];
        loop {
            let count = file
                .read(&mut buffer)
                .map_err(io_error("reading the image's archive"))?;
            let bytes = buffer.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            hasher.update(bytes);
            if pipe.write_all(bytes).is_err() {
                // The helper gave up; its answer says why.
                break;
            }
        }
        drop(pipe);
        helper.done("unpacking the image")?;
        Ok(Digest::from_bytes(*hasher.finalize().as_bytes()))
    }
}

/// Waits until no other process makes an image.
fn wait_for_lease(room: &Path) -> Result<Lease, SandboxError> {
    loop {
        match Lease::take(room) {
            Err(seatrial_store::StoreError::Busy(_)) => std::thread::sleep(std::time::Duration::from_millis(200)),
            other => return Ok(other?),
        }
    }
}

/// Lines of this machine's own package sources that serve a release, without source packages.
fn machine_sources(release: &str) -> Vec<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    for entry in fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten() {
        files.push(entry.path());
    }
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("sources") => {
                for paragraph in text.split("\n\n") {
                    let field = |name: &str| {
                        paragraph.lines().find_map(|line| {
                            let (key, value) = line.split_once(':')?;
                            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
                        })
                    };
                    let enabled = field("Enabled").is_none_or(|value| !value.eq_ignore_ascii_case("no"));
                    let binary = field("Types").is_some_and(|value| value.split_whitespace().any(|kind| kind == "deb"));
                    let (Some(uris), Some(suites), components) =
                        (field("URIs"), field("Suites"), field("Components").unwrap_or_default())
                    else {
                        continue;
                    };
                    if enabled && binary {
                        for uri in uris.split_whitespace() {
                            for suite in suites.split_whitespace().filter(|suite| serves(suite, release)) {
                                lines.push(format!("deb {uri} {suite} {components}"));
                            }
                        }
                    }
                }
            }
            Some("list") => {
                for line in text.lines().filter_map(|line| line.trim().strip_prefix("deb ")) {
                    let plain = line.trim_start();
                    let plain = if plain.starts_with('[') {
                        plain.split_once(']').map_or("", |(_, rest)| rest)
                    } else {
                        plain
                    };
                    let mut words = plain.split_whitespace();
                    let (Some(uri), Some(suite)) = (words.next(), words.next()) else {
                        continue;
                    };
                    if serves(suite, release) {
                        lines.push(format!("deb {uri} {suite} {}", words.collect::<Vec<_>>().join(" ")));
                    }
                }
            }
            _ => {}
        }
    }
    lines.dedup();
    lines
}

fn serves(suite: &str, release: &str) -> bool {
    suite == release
        || ["-updates", "-security"]
            .iter()
            .any(|pocket| suite.strip_suffix(pocket) == Some(release))
}

fn run_mmdebstrap(
    request: &ImageRequest,
    ids: &IdMap,
    archive: &Path,
    machine: &[String],
    scratch: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<(), SandboxError> {
    let platform = &request.platform;
    let hook = |name: &str, content: &str, place: &str, mode: &str| -> Result<String, SandboxError> {
        let file = scratch.join(name);
        fs::write(&file, content).map_err(io_error("writing the image's settings"))?;
        Ok(format!(
            "--customize-hook=upload {} {place}\n--customize-hook=chmod {mode} \"$1{place}\"",
            file.display()
        ))
    };
    let hooks = [
        hook("apt", APT_SETTINGS, "/etc/apt/apt.conf.d/90seatrial", "644")?,
        hook("dpkg", DPKG_SETTINGS, "/etc/dpkg/dpkg.cfg.d/90seatrial", "644")?,
        hook("policy", NO_SERVICES, "/usr/sbin/policy-rc.d", "755")?,
    ];
    let mut command = Command::new("mmdebstrap");
    command
        .args(["--variant=minbase", "--skip=cleanup/apt/lists", "--format=tar"])
        .arg(if ids.privileged {
            "--mode=root"
        } else {
            "--mode=unshare"
        })
        .arg(format!("--architectures={}", platform.arch.debian()))
        .arg(format!("--include={}", request.packages.join(",")))
        .args([
            "--dpkgopt=force-unsafe-io",
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-exclude=/usr/share/man/*",
        ])
        .arg("--aptopt=APT::Install-Recommends false")
        .args(hooks.iter().flat_map(|hook| hook.split('\n')))
        .arg(&platform.release)
        .arg(archive)
        // Times in the archive do not depend on when it was made.
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    match &request.mirror {
        Some(mirror) => {
            command.arg(mirror);
        }
        None => {
            command.args(machine);
        }
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SandboxError::NoProgram {
            program: "mmdebstrap".to_owned(),
            install: "apt-get install mmdebstrap".to_owned(),
        },
        _ => SandboxError::Io {
            what: "starting mmdebstrap".to_owned(),
            source: error,
        },
    })?;
    let mut last = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            tell(&line);
            if last.len() == 12 {
                last.remove(0);
            }
            last.push(line);
        }
    }
    let status = child.wait().map_err(io_error("waiting for mmdebstrap"))?;
    if status.success() {
        return Ok(());
    }
    Err(SandboxError::Image(format!(
        "mmdebstrap ended with {status} for {platform}; its last words:\n    {}\n  is the release's name right, and is its mirror reachable?",
        last.join("\n    ")
    )))
}

fn installed(rootfs: &Path) -> Vec<InstalledPackage> {
    let text = fs::read_to_string(rootfs.join("var/lib/dpkg/status")).unwrap_or_default();
    let mut packages = Vec::new();
    for paragraph in text.split("\n\n") {
        let field = |name: &str| paragraph.lines().find_map(|line| line.strip_prefix(name));
        if let (Some(name), Some(version), Some(status)) = (field("Package: "), field("Version: "), field("Status: "))
            && status.ends_with(" installed")
        {
            packages.push(InstalledPackage {
                name: name.to_owned(),
                version: version.to_owned(),
            });
        }
    }
    packages
}
