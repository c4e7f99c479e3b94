//! Images: root file systems that boxes are made from, under the digest of the archive they were unpacked from.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::fd::AsFd,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use fs_err as fs;
use seatrial_core::{Arch, Digest, Platform};
use seatrial_store::{Claim, Hold, Home, Lease, StoreError, unix_millis, write_file};
use serde::{Deserialize, Serialize};

use crate::{
    SandboxError,
    native::{Helper, IMAGE_OF_BOX, IdMap, give, io_error, open_folder, open_to_boxes, remove_tree, send_unpack},
    sources,
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
            let path = entry.map_err(io_error("reading the images"))?.path();
            // Images that are being made or removed begin with a dot.
            if path
                .file_name()
                .is_none_or(|name| name.as_encoded_bytes().starts_with(b"."))
            {
                continue;
            }
            let path = path.join("image.json");
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
        let arch = Arch::host();
        if request.platform.arch != arch {
            return Err(SandboxError::Image(format!(
                "{} is another architecture than this machine's ({arch}); only this machine's can be built so far",
                request.platform.arch
            )));
        }
        // Two at once would be a waste: whoever waited takes what was made meanwhile, if it is the same.
        let room = self.home.cache("image-build")?;
        let began = unix_millis();
        let _lease = self.lease(&room, &ids)?;
        let same = |image: &Image| {
            image.created >= began
                && image.platform == request.platform
                && image.requested == request.packages
                && image.ids == ids
                && request.mirror.is_none()
        };
        if let Some(image) = self.list()?.into_iter().find(same) {
            return Ok(image);
        }
        let making = tempfile::Builder::new()
            .prefix(".making-")
            .tempdir_in(&room)
            .map_err(io_error("a folder for the image"))?;
        check_room(making.path())?;
        let archive = making.path().join("image.tar");
        let machine = if request.mirror.is_none() {
            sources::of_this_machine(&request.platform.release)
        } else {
            Vec::new()
        };
        run_mmdebstrap(request, &ids, &archive, &machine, making.path(), tell)?;
        tell("unpacking");
        self.unpack(&archive, &ids, &request.platform, &request.packages)
    }

    /// Takes an image from a tar archive of a root file system.
    pub fn import_tar(&self, archive: &Path, platform: &Platform) -> Result<Image, SandboxError> {
        let ids = IdMap::of_this_user()?;
        let _lease = self.lease(&self.home.cache("image-build")?, &ids)?;
        self.unpack(archive, &ids, platform, &[])
    }

    /// Removes an image that no live box uses.
    pub fn remove(&self, id: &Digest) -> Result<(), SandboxError> {
        let place = self.home.images().join(id.hex());
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
        let gone = self
            .home
            .images()
            .join(format!(".gone-{}-{}", std::process::id(), unix_millis()));
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
        Hold::shared(&self.home.images().join(id.hex()))
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
            write_file(&making.join("image.json"), &text)?;
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

/// An image and its archive take about this much; without it the work of a minute or more would be in vain.
const ROOM: u64 = 2 << 30;

fn check_room(folder: &Path) -> Result<(), SandboxError> {
    let known = rustix::fs::statvfs(folder).map_err(|error| io_error("asking for free disk space")(error.into()))?;
    let free = known.f_bavail * known.f_frsize;
    if free < ROOM {
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

/// A word as a shell would have to read it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
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
            quoted(&file.display().to_string())
        ))
    };
    let hooks = [
        hook("apt", APT_SETTINGS, "/etc/apt/apt.conf.d/90seatrial", "644")?,
        hook("dpkg", DPKG_SETTINGS, "/etc/dpkg/dpkg.cfg.d/90seatrial", "644")?,
        hook("policy", NO_SERVICES, "/usr/sbin/policy-rc.d", "755")?,
    ];
    let mut command = if ids.privileged {
        // It mounts the kernel's file systems where it works. In a namespace they go with it, however it ends, and are
        // never there when somebody else deletes what it has left.
        let mut command = watched("unshare");
        command.args(["--mount", "mmdebstrap"]);
        // There the next start finds what it has left; apt does not take every path.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        if scratch.to_str().is_some_and(|path| path.chars().all(plain)) {
            command.env("TMPDIR", scratch);
        }
        command
    } else {
        watched("mmdebstrap")
    };
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
    let mut child = command.spawn().map_err(io_error("starting a shell for mmdebstrap"))?;
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
    let status = end_group(&mut child).map_err(io_error("waiting for mmdebstrap"))?;
    if status.success() {
        return Ok(());
    }
    // What a shell says of a program that is not there.
    if status.code() == Some(127) {
        return Err(SandboxError::NoProgram {
            program: "mmdebstrap".to_owned(),
            install: "apt-get install mmdebstrap".to_owned(),
        });
    }
    Err(SandboxError::Image(format!(
        "mmdebstrap ended with {status} for {platform}; its last words:\n    {}\n  is the release's name right, and is its mirror reachable?",
        last.join("\n    ")
    )))
}

/// A program with its children in a group of their own.
///
/// The group, because such a program may hang up on its whole one when something goes wrong, which must not be the
/// harness's or the caller's. A watcher in it, because nothing of it may outlive the harness, however that ends: it
/// reads a pipe that only the harness holds open, and at its end gives the group ten seconds to clean up.
const WATCHED: &str = "trap '' HUP INT TERM
exec 3<&0
{ cat <&3; kill -TERM 0; sleep 10; kill -KILL 0; } >/dev/null 2>&1 &
trap - HUP INT TERM
exec \"$@\" </dev/null 3<&-";

/// Makes a command line that is watched; [`end_group`] goes with it.
fn watched(program: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("sh");
    command
        .args(["-c", WATCHED, "sh", program])
        .process_group(0)
        .stdin(Stdio::piped());
    command
}

/// Waits for a watched program and ends its watcher and whatever else it has left.
fn end_group(child: &mut Child) -> io::Result<ExitStatus> {
    // Waiting would close it, and the watcher would believe that this process is gone.
    let held = child.stdin.take();
    let status = child.wait();
    // The watcher keeps the group's number from being given to anybody else.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    drop(held);
    status
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

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_program_that_ends_its_group_ends_nobody_else() {
        // Not with the signal of a lost terminal: where the tests run under `nohup`, no shell can make it deadly again.
        let mut child = watched("sh").args(["-c", "kill -TERM 0; sleep 1000"]).spawn().unwrap();
        assert_eq!(end_group(&mut child).unwrap().signal(), Some(libc::SIGTERM));
        let mut child = watched("no-such-program").stderr(Stdio::null()).spawn().unwrap();
        assert_eq!(end_group(&mut child).unwrap().code(), Some(127));
        let mut child = watched("sh").args(["-c", "exit 3"]).spawn().unwrap();
        assert_eq!(end_group(&mut child).unwrap().code(), Some(3));
    }

    #[test]
    fn a_program_and_its_children_end_when_their_watcher_sees_the_harness_go() {
        let mut child = watched("sh")
            .args(["-c", "sleep 1000 & echo $!; wait; sleep 1000"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.next().unwrap().unwrap();
        // All that the death of the harness changes for them.
        drop(child.stdin.take());
        assert!(lines.next().is_none(), "everybody who held the pipe is gone");
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
    }
}
