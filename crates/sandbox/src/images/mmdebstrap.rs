//! Images from a distribution's packages, made by `mmdebstrap`.
//!
//! For this machine's architecture it runs as it is. For another one it runs as root of the namespace that images
//! belong to, which has an interpreter for the architecture registered: the host stays as it is.

use std::{
    io::{self, BufRead, BufReader, Read},
    os::fd::AsFd,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
};

use fs_err as fs;
use seatrial_core::Platform;
use seatrial_store::unix_millis;

use super::{
    ImageStore, check_room, foreign,
    image::{Image, Origin},
    place::{About, Hashed, Making},
    recipe,
};
use crate::{
    SandboxError,
    native::{Helper, IMAGE_TIME, IdMap, Reply, Request, ToolRequest, give, io_error, open_folder, open_to_boxes},
    sources,
};

/// Settings of the package manager in a box: nothing that is not asked for, no documentation, no waiting for the disk
/// of a machine that is thrown away.
const APT_SETTINGS: &str = "APT::Install-Recommends \"false\";\nAPT::Install-Suggests \"false\";\nAPT::Get::Assume-Yes \"true\";\n\
    Acquire::Languages \"none\";\nAcquire::Retries \"3\";\nDPkg::Use-Pty \"false\";\nAPT::Sandbox::User \"root\";\n";
const DPKG_SETTINGS: &str = "force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\n\
    path-exclude=/usr/share/locale/*\npath-exclude=/usr/share/info/*\n";
/// Keeps maintainer scripts from starting services.
const NO_SERVICES: &str = "#!/bin/sh\nexit 101\n";

/// What an image is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageRequest {
    /// Its platform.
    pub platform: Platform,
    /// Packages to install.
    pub packages: Vec<String>,
    /// The mirror to take them from; this machine's for that release, or the tool's own, when absent.
    pub mirror: Option<String>,
    /// Further settings of the package manager, a line each.
    pub settings: Vec<String>,
}

impl ImageRequest {
    /// The image for building C and C++.
    pub fn default_for(platform: &Platform) -> Self {
        Self {
            platform: platform.clone(),
            packages: recipe::default_packages(),
            mirror: None,
            settings: Vec::new(),
        }
    }
}

impl ImageStore {
    /// Makes an image; a listener hears what the tool says.
    pub fn build(&self, request: &ImageRequest, tell: &mut dyn FnMut(&str)) -> Result<Image, SandboxError> {
        self.build_as(request, Origin::Platform, tell)
    }

    pub(super) fn build_as(
        &self,
        request: &ImageRequest,
        origin: Origin,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Image, SandboxError> {
        let ids = IdMap::of_this_user()?;
        check_release(&request.platform)?;
        let foreign = foreign::registrations(request.platform.arch)?;
        // Two at once would be a waste: whoever waited takes what was made meanwhile, if it is the same.
        let room = self.home.cache("image-build")?;
        let began = unix_millis();
        let _lease = self.lease(&room, &ids)?;
        let same = |image: &Image| {
            image.created >= began
                && image.platform == request.platform
                && image.requested == request.packages
                && image.ids == ids
                && image.origin == origin
                && request.mirror.is_none()
                && request.settings.is_empty()
        };
        if let Some(image) = self.list()?.into_iter().find(same) {
            return Ok(image);
        }
        let making = tempfile::Builder::new()
            .prefix(".making-")
            .tempdir_in(&room)
            .map_err(io_error("a folder for the image"))?;
        check_room(making.path(), 0)?;
        let archive = making.path().join("image.tar");
        let machine = if request.mirror.is_none() {
            sources::of_this_machine(&request.platform.release)
        } else {
            Vec::new()
        };
        if foreign::is_native(request.platform.arch) {
            run_mmdebstrap(request, &ids, &archive, &machine, making.path(), tell)?;
        } else {
            self.run_in_namespace(request, &ids, foreign, &archive, &machine, making.path(), tell)?;
        }
        tell("unpacking");
        let about = About {
            platform: Some(request.platform.clone()),
            requested: request.packages.clone(),
            origin,
            ..About::default()
        };
        self.place_tar(&archive, &ids, about)
    }

    /// Unpacks an uncompressed tar archive.
    pub(super) fn place_tar(&self, archive: &Path, ids: &IdMap, about: About) -> Result<Image, SandboxError> {
        let file = fs::File::open(archive).map_err(io_error("opening the image's archive"))?;
        let mut stream = Hashed::new(file);
        let mut making = Making::new(self, ids)?;
        making.unpack(&mut stream, false)?;
        making.finish(stream.digest(), about)
    }

    /// Runs the tool as root of the images' namespace.
    #[expect(clippy::too_many_arguments, reason = "called once")]
    fn run_in_namespace(
        &self,
        request: &ImageRequest,
        ids: &IdMap,
        foreign: Vec<String>,
        archive: &Path,
        machine: &[String],
        scratch: &Path,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), SandboxError> {
        // Where a killed build is looked for and removed by the namespace's root.
        let folder = scratch.join("rootfs");
        fs::create_dir(&folder).map_err(io_error("a folder for the image"))?;
        open_to_boxes(scratch)?;
        give(&folder, ids)?;
        let place = "/mnt";
        if !Path::new(place).is_dir() {
            return Err(SandboxError::Image(format!(
                "this machine has no folder {place}; make one, it stays empty"
            )));
        }
        let mut hooks = Vec::new();
        for setting in Setting::of(request) {
            let file = folder.join(setting.name);
            fs::write(&file, &setting.content).map_err(io_error("writing the image's settings"))?;
            hooks.extend(setting.hooks(&format!("{place}/{}", setting.name)));
        }
        let mut argv = vec!["mmdebstrap".to_owned(), "--mode=root".to_owned()];
        // Its own look at interpreters sees the host's table only.
        argv.push("--skip=check/qemu".to_owned());
        argv.push("--aptopt=APT::Sandbox::User \"root\"".to_owned());
        argv.extend(arguments(request, hooks));
        argv.push(request.platform.release.clone());
        argv.push("-".to_owned());
        argv.extend(request.mirror.clone());
        argv.extend(machine.iter().cloned());
        let mut env = self.environment.clone();
        for (name, value) in [
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            ("TMPDIR", place),
            ("HOME", place),
            ("LC_ALL", "C.UTF-8"),
            ("SOURCE_DATE_EPOCH", &IMAGE_TIME.to_string()),
        ] {
            env.insert(name.to_owned(), value.to_owned());
        }
        let tool = ToolRequest {
            argv,
            env,
            foreign,
            place: place.to_owned(),
        };
        let out = fs::File::create(archive).map_err(io_error("the image's archive"))?;
        let (lines, err) = io::pipe().map_err(io_error("a pipe"))?;
        let opened = open_folder(&folder)?;
        let mut helper = Helper::start(&self.helper, ids)?;
        helper.send(&Request::Tool(tool), &[opened.as_fd(), out.as_fd(), err.as_fd()])?;
        drop(err);
        let last = last_words(lines, tell);
        match helper.receive()? {
            Reply::Ended(ended) if ended.code == Some(0) => Ok(()),
            Reply::Ended(ended) if ended.code == Some(127) => Err(no_mmdebstrap()),
            Reply::Ended(ended) => {
                let how = match (ended.code, ended.signal) {
                    (Some(code), _) => format!("exit code {code}"),
                    (None, signal) => format!("signal {}", signal.unwrap_or_default()),
                };
                Err(failed(&how, &request.platform, &last))
            }
            reply => Err(helper.refused("running mmdebstrap in a namespace", reply)),
        }
    }
}

/// Distributions whose archives `mmdebstrap` reads.
const DISTRIBUTIONS: [&str; 3] = ["debian", "ubuntu", "raspbian"];

fn check_release(platform: &Platform) -> Result<(), SandboxError> {
    if DISTRIBUTIONS.contains(&platform.distribution.as_str()) {
        return Ok(());
    }
    Err(SandboxError::Image(format!(
        "{platform}: only {} can be built from packages; take others from a file with `seatrial image import`, or from a \
         registry with `seatrial image pull`",
        DISTRIBUTIONS.join(", ")
    )))
}

/// A file that an image gets.
struct Setting {
    name: &'static str,
    content: String,
    place: &'static str,
    mode: &'static str,
}

impl Setting {
    fn of(request: &ImageRequest) -> Vec<Self> {
        let setting = |name, content: &str, place, mode| Self {
            name,
            content: content.to_owned(),
            place,
            mode,
        };
        let mut settings = vec![
            setting("apt", APT_SETTINGS, "/etc/apt/apt.conf.d/90seatrial", "644"),
            setting("dpkg", DPKG_SETTINGS, "/etc/dpkg/dpkg.cfg.d/90seatrial", "644"),
            setting("policy", NO_SERVICES, "/usr/sbin/policy-rc.d", "755"),
        ];
        if !request.settings.is_empty() {
            let content = request.settings.join("\n") + "\n";
            settings.push(setting("more", &content, "/etc/apt/apt.conf.d/91recipe", "644"));
        }
        settings
    }

    /// Options that put it there.
    fn hooks(&self, file: &str) -> [String; 2] {
        [
            format!("--customize-hook=upload {} {}", quoted(file), self.place),
            format!("--customize-hook=chmod {} \"$1{}\"", self.mode, self.place),
        ]
    }
}

/// What both ways of running the tool give it, but for mode, target and sources.
fn arguments(request: &ImageRequest, hooks: Vec<String>) -> Vec<String> {
    let mut arguments: Vec<String> = ["--variant=minbase", "--skip=cleanup/apt/lists", "--format=tar"]
        .map(str::to_owned)
        .into();
    arguments.push(format!("--architectures={}", request.platform.arch.debian()));
    if !request.packages.is_empty() {
        arguments.push(format!("--include={}", request.packages.join(",")));
    }
    arguments.extend(
        [
            "--dpkgopt=force-unsafe-io",
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--aptopt=APT::Install-Recommends false",
            // Scripts of packages, Java's above all, lay links into it and fail where it was never made.
            "--essential-hook=mkdir -p \"$1/usr/share/man/man1\"",
        ]
        .map(str::to_owned),
    );
    arguments.extend(request.settings.iter().map(|line| format!("--aptopt={line}")));
    arguments.extend(hooks);
    arguments
}

/// A word as a shell would have to read it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Passes on what a tool says, and keeps its last lines.
fn last_words(lines: impl Read, tell: &mut dyn FnMut(&str)) -> Vec<String> {
    let mut last = Vec::new();
    for line in BufReader::new(lines).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        tell(&line);
        if last.len() == 12 {
            last.remove(0);
        }
        last.push(line);
    }
    last
}

fn no_mmdebstrap() -> SandboxError {
    SandboxError::NoProgram {
        program: "mmdebstrap".to_owned(),
        install: "apt-get install mmdebstrap".to_owned(),
    }
}

fn failed(how: &str, platform: &Platform, last: &[String]) -> SandboxError {
    let said = |word: &str| last.iter().any(|line| line.contains(word));
    let advice = if said("NO_PUBKEY") || said("no public key") || said("is not signed") {
        format!(
            "this machine does not know the keys that {} {} is signed with: install a newer keyring (`apt-get install \
             {}-archive-keyring`, or the package of a newer release by hand) and run this again",
            platform.distribution, platform.release, platform.distribution
        )
    } else if said("does not have a Release file") || said("404") {
        format!(
            "the mirror has no release `{}` for {}; is the name right, or does it need another `--mirror`?",
            platform.release,
            platform.arch.debian()
        )
    } else if said("Unable to locate package") || said("has no installation candidate") {
        format!(
            "a package is not in {} for {}",
            platform.release,
            platform.arch.debian()
        )
    } else {
        "is the release's name right, and is its mirror reachable?".to_owned()
    };
    SandboxError::Image(format!(
        "mmdebstrap ended with {how} for {platform}; its last words:\n    {}\n  {advice}",
        last.join("\n    ")
    ))
}

fn run_mmdebstrap(
    request: &ImageRequest,
    ids: &IdMap,
    archive: &Path,
    machine: &[String],
    scratch: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<(), SandboxError> {
    let mut hooks = Vec::new();
    for setting in Setting::of(request) {
        let file = scratch.join(setting.name);
        fs::write(&file, &setting.content).map_err(io_error("writing the image's settings"))?;
        hooks.extend(setting.hooks(&file.display().to_string()));
    }
    let mut command = if ids.privileged {
        // It mounts the kernel's file systems where it works. In a namespace they go with it, however it ends, and are
        // never there when somebody else deletes what it has left.
        let mut command = watched("unshare");
        command.args(["--mount", "mmdebstrap", "--mode=root"]);
        // There the next start finds what it has left; apt does not take every path.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        if scratch.to_str().is_some_and(|path| path.chars().all(plain)) {
            command.env("TMPDIR", scratch);
        }
        command
    } else {
        let mut command = watched("mmdebstrap");
        command.arg("--mode=unshare");
        command
    };
    command
        .args(arguments(request, hooks))
        .arg(&request.platform.release)
        .arg(archive)
        // Times in the archive do not depend on when it was made.
        .env("SOURCE_DATE_EPOCH", IMAGE_TIME.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .args(&request.mirror);
    if request.mirror.is_none() {
        command.args(machine);
    }
    let mut child = command.spawn().map_err(io_error("starting a shell for mmdebstrap"))?;
    let last = child
        .stderr
        .take()
        .map_or_else(Vec::new, |stderr| last_words(stderr, tell));
    let status = end_group(&mut child).map_err(io_error("waiting for mmdebstrap"))?;
    if status.success() {
        return Ok(());
    }
    // What a shell says of a program that is not there.
    if status.code() == Some(127) {
        return Err(no_mmdebstrap());
    }
    Err(failed(&status.to_string(), &request.platform, &last))
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
