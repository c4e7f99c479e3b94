//! The helper process: it enters its user namespace, becomes a box's supervisor and serves requests until the harness
//! is gone.

use std::{
    ffi::CString,
    io,
    os::{
        fd::{AsFd, FromRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::Path,
    process::ExitCode,
};

use nix::sched::{CloneFlags, unshare};
use rustix::{
    fs::{CWD, Mode, OFlags, mkdirat, open},
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change, unmount,
    },
    process::{chdir, fchdir, pivot_root},
    thread::{set_thread_gid, set_thread_groups, set_thread_uid},
};

use super::{
    binfmt, command, export, files,
    layers::{HOST, IMAGE, LAYERS, Layers, MERGED},
    masks::{self, EMPTY, SYS},
    network, removal,
    session_init::Sessions,
    tool, walk, walls,
    wire::{Channel, FileRequest, Reply, Request, StartRequest},
};
use crate::docker;

/// The first argument that makes a program the helper.
pub(crate) const HELPER: &str = "__box";

/// Whether this process was started as the helper of boxes; then [`helper_main`] is all that it may do.
pub fn is_helper_invocation() -> bool {
    let first = std::env::args_os().nth(1);
    first.is_some_and(|argument| argument == HELPER || argument == docker::AGENT)
}

/// Serves a harness over standard input, until it is gone.
pub fn helper_main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == docker::AGENT)
    {
        return docker::agent_main();
    }
    // SAFETY: the harness put the socket there, and nothing else in this process uses descriptor 0.
    let stream = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
    let mut channel = Channel::new(stream);
    match serve(&mut channel) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(channel.send(&failed(&error), &[]));
            ExitCode::FAILURE
        }
    }
}

/// An error with what was tried.
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) source: io::Error,
}

/// Names what was tried when something fails.
pub(crate) trait What<T> {
    fn what(self, what: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> What<T> for Result<T, E> {
    fn what(self, what: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| Failure {
            what: what.into(),
            source: error.into(),
        })
    }
}

pub(crate) fn failed(failure: &Failure) -> Reply {
    Reply::Failed {
        what: format!("{}: {}", failure.what, failure.source),
        errno: failure.source.raw_os_error().unwrap_or(0),
        missing: failure.source.kind() == io::ErrorKind::NotFound,
    }
}

fn serve(channel: &mut Channel) -> Result<(), Failure> {
    unshare(CloneFlags::CLONE_NEWUSER).what("a user namespace")?;
    channel.send(&Reply::Unshared, &[]).what("the socket")?;
    match channel.receive().what("the socket")? {
        Some((Request::Mapped, _)) => {}
        _ => return Ok(()),
    }
    set_thread_groups(&[]).what("dropping groups")?;
    set_thread_gid(rustix::process::Gid::ROOT).what("becoming the namespace's root")?;
    set_thread_uid(rustix::process::Uid::ROOT).what("becoming the namespace's root")?;
    // Nothing in a box may look into this process through /proc.
    nix::sys::prctl::set_dumpable(false).what("hiding the supervisor")?;
    walls::leave_keyring();
    let missing = || Failure {
        what: "a descriptor".to_owned(),
        source: io::Error::from_raw_os_error(libc::EBADF),
    };
    let mut settled = false;
    let (request, mut descriptors) = loop {
        let Some((request, mut descriptors)) = channel.receive::<Request>().what("the socket")? else {
            return Ok(());
        };
        if !matches!(request, Request::Settle) {
            break (request, descriptors);
        }
        settle(&descriptors.pop().ok_or_else(missing)?)?;
        settled = true;
        channel.send(&Reply::Done, &[]).what("the socket")?;
    };
    match request {
        Request::Start(start) => {
            let home = descriptors.pop().ok_or_else(missing)?;
            if !settled {
                settle(&home)?;
            }
            drop(home);
            let (layers, sockets) = enter(&start)?;
            let sent: Vec<_> = sockets.iter().map(AsFd::as_fd).collect();
            channel.send(&Reply::Done, &sent).what("the socket")?;
            // Only the door may hold them: when it lets go, the ports are closed.
            drop(sockets);
            answer(channel, layers)
        }
        Request::Unpack(request) => {
            let (pipe, folder) = (
                descriptors.pop().ok_or_else(missing)?,
                descriptors.pop().ok_or_else(missing)?,
            );
            fchdir(&folder).what("the image's folder")?;
            files::unpack_image(pipe, request).what("unpacking")?;
            channel.send(&Reply::Done, &[]).what("the socket")
        }
        Request::Tool(request) => {
            let reply = match tool::run(channel, &request, descriptors)? {
                Some(ended) => Reply::Ended(ended),
                None => return Ok(()),
            };
            channel.send(&reply, &[]).what("the socket")
        }
        Request::Pack => {
            let (pipe, folder) = (
                descriptors.pop().ok_or_else(missing)?,
                descriptors.pop().ok_or_else(missing)?,
            );
            fchdir(&folder).what("the image's folder")?;
            files::pack_image(pipe).what("packing the image")?;
            channel.send(&Reply::Done, &[]).what("the socket")
        }
        Request::Remove(name) => {
            let folder = descriptors.pop().ok_or_else(missing)?;
            fchdir(&folder).what("the folder")?;
            removal::remove(Path::new(&name)).what(format!("removing {name}"))?;
            channel.send(&Reply::Done, &[]).what("the socket")
        }
        Request::Mapped
        | Request::Settle
        | Request::Exec(_)
        | Request::Kill
        | Request::Usage
        | Request::Files(_)
        | Request::Snapshot
        | Request::Rollback(..)
        | Request::Below(_)
        | Request::OpenSession(_)
        | Request::EndSession(_) => Err(Failure {
            what: "a request out of order".to_owned(),
            source: io::ErrorKind::InvalidInput.into(),
        }),
    }
}

/// Where the supervisor's own small world is built.
const ROOT: &str = "/tmp";

/// Enters the namespaces and builds what every box's world begins with. Stays in the data folder.
fn settle(home: &OwnedFd) -> Result<(), Failure> {
    // The working folder is carried over into the new mount namespace; a descriptor would stay in the old one, and a
    // path would have to cross folders that the namespace's root may not enter.
    fchdir(home).what("the data folder")?;
    unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS)
        .what("mount, ipc and uts namespaces")?;
    unshare(CloneFlags::CLONE_NEWNET).what("a network namespace")?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).what("private mounts")?;
    // In a user namespace of its own a command would have all capabilities back, and with them the parts of the kernel
    // that they open. Kernels without this switch have nothing to switch off.
    drop(std::fs::write("/proc/sys/user/max_user_namespaces", "0"));
    let root = ROOT;
    mount("tmpfs", root, "tmpfs", MountFlags::NOSUID, Some(c"mode=0755")).what("a tmpfs")?;
    for name in [LAYERS, IMAGE, HOST, MERGED, EMPTY, SYS, "/proc", "/dev", "/old"] {
        make_folder(&format!("{root}{name}"))?;
    }
    // A /proc of the host must be mounted somewhere, or the kernel refuses to mount new ones for the commands.
    mount_bind_recursive("/proc", format!("{root}/proc")).what("/proc")?;
    devices(&format!("{root}/dev"))?;
    masks::make_empty(&format!("{root}{EMPTY}"))
}

/// Completes the world with one box's tree and leaves the host's behind.
fn enter(start: &StartRequest) -> Result<(Layers, Vec<OwnedFd>), Failure> {
    // The harness has put this process into the box's groups. Kernels without this namespace have no groups, or show them.
    let _ = unshare(CloneFlags::CLONE_NEWCGROUP);
    nix::unistd::sethostname(&start.hostname).what("the host name")?;
    let sockets = network::set_up(start.door.as_deref())?;
    let root = ROOT;
    let mut base = vec![IMAGE.to_owned()];
    bind(&start.layers, &format!("{root}{LAYERS}"))?;
    bind(&start.image, &format!("{root}{IMAGE}"))?;
    for (index, other) in start.others.iter().enumerate() {
        let place = format!("{root}/{}", other_place(index));
        make_folder(&place)?;
        bind(other, &place)?;
    }
    if let Some(host) = &start.host {
        bind(host, &format!("{root}{HOST}"))?;
        base.push(HOST.to_owned());
    }
    // While the host's programs can still be named. The mount keeps the registrations, and no command can reach it.
    binfmt::register(&format!("{root}/binfmt"), &start.foreign)?;
    shared_memory(&format!("{root}/dev/shm"), start.shared_bytes)?;
    masks::make_sys(&format!("{root}{SYS}"), &start.groups)?;
    chdir(root).what("the new root")?;
    pivot_root(".", "old").what("pivot_root")?;
    chdir("/").what("the new root")?;
    unmount("/old", UnmountFlags::DETACH).what("leaving the host's tree")?;
    let mut layers = Layers::new(base, start.inherited.clone());
    layers.push().what("the overlay file system")?;
    walls::prepare(start);
    Ok((layers, sockets))
}

/// Where a supervisor has the layers of another box, from the root folder. It is short, because the kernel takes all
/// layers in one page.
pub(crate) fn other_place(index: usize) -> String {
    format!("f{index}")
}

fn bind(from: &str, to: &str) -> Result<(), Failure> {
    mount_bind(from, to).what(format!("binding {from}"))
}

fn make_folder(path: &str) -> Result<(), Failure> {
    match mkdirat(CWD, path, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error).what(path),
    }
}

/// A `/dev` with what programs expect and nothing that reaches hardware.
fn devices(dev: &str) -> Result<(), Failure> {
    mount(
        "tmpfs",
        dev,
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NOEXEC | MountFlags::NODEV,
        // Devices and links need no room; what else is put here would be memory that nobody counts.
        Some(c"mode=0755,size=1m,nr_inodes=1024"),
    )
    .what("/dev")?;
    for name in ["null", "zero", "full", "random", "urandom", "tty"] {
        let place = format!("{dev}/{name}");
        open(
            &place,
            OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
            Mode::from_raw_mode(0o666),
        )
        .what(&place)?;
        mount_bind(format!("/dev/{name}"), &place).what(&place)?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "fd/0"),
        ("stdout", "fd/1"),
        ("stderr", "fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        rustix::fs::symlink(target, format!("{dev}/{name}")).what(name)?;
    }
    make_folder(&format!("{dev}/shm"))?;
    make_folder(&format!("{dev}/pts"))?;
    mount(
        "devpts",
        format!("{dev}/pts"),
        "devpts",
        MountFlags::NOSUID | MountFlags::NOEXEC,
        Some(c"newinstance,ptmxmode=0666,mode=0620"),
    )
    .what("/dev/pts")
}

fn shared_memory(place: &str, bytes: u64) -> Result<(), Failure> {
    let options = CString::new(format!("mode=1777,size={bytes}")).what("/dev/shm")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", place, "tmpfs", flags, Some(options.as_c_str())).what("/dev/shm")
}

/// Serves requests until the harness is gone.
fn answer(channel: &mut Channel, mut layers: Layers) -> Result<(), Failure> {
    let mut sessions = Sessions::default();
    while let Some((request, descriptors)) = channel.receive::<Request>().what("the socket")? {
        command::reap_deleters();
        let reply = match request {
            Request::Exec(exec) => match command::run(channel, &exec, descriptors) {
                Ok(Some(ended)) => Reply::Ended(ended),
                // The harness went away; so does everything else.
                Ok(None) => return Ok(()),
                Err(failure) => failed(&failure),
            },
            Request::Files(request) => done(file_work(channel, &layers, request, descriptors)),
            Request::OpenSession(exec) => match sessions.open(&exec, descriptors) {
                Ok(number) => Reply::Session(number),
                Err(failure) => failed(&failure),
            },
            Request::EndSession(number) => {
                sessions.end(number);
                Reply::Done
            }
            Request::Snapshot => match freeze(&mut layers, &mut sessions) {
                Ok(number) => Reply::Snapshot(number),
                Err(failure) => failed(&failure),
            },
            Request::Rollback(number, pinned) => done(go_back(&mut layers, &mut sessions, number, &pinned)),
            Request::Below(number) => match layers.below(number).what("a fork") {
                Ok(layers) => Reply::Layers(layers),
                Err(failure) => failed(&failure),
            },
            Request::Usage => Reply::Usage(files::usage(Path::new(LAYERS))),
            // The command ended before the wish to end it arrived.
            Request::Kill => continue,
            Request::Mapped
            | Request::Settle
            | Request::Start(_)
            | Request::Unpack(_)
            | Request::Tool(_)
            | Request::Pack
            | Request::Remove(_) => failed(&Failure {
                what: "a request out of order".to_owned(),
                source: io::ErrorKind::InvalidInput.into(),
            }),
        };
        channel.send(&reply, &[]).what("the socket")?;
    }
    Ok(())
}

/// Freezes the present state. A session that stayed would go on writing to what is frozen.
fn freeze(layers: &mut Layers, sessions: &mut Sessions) -> Result<u32, Failure> {
    if layers.is_written().what("a snapshot")? {
        sessions.end_all();
    }
    layers.snapshot().what("a snapshot")
}

fn go_back(layers: &mut Layers, sessions: &mut Sessions, number: u32, pinned: &[String]) -> Result<(), Failure> {
    layers.find(number).what("a rollback")?;
    sessions.end_all();
    layers
        .rollback(number, pinned)
        .what("a rollback")
        .map(command::delete_behind)
}

fn done(result: Result<(), Failure>) -> Reply {
    match result {
        Ok(()) => Reply::Done,
        Err(failure) => failed(&failure),
    }
}

fn file_work(
    channel: &Channel,
    layers: &Layers,
    request: FileRequest,
    mut descriptors: Vec<OwnedFd>,
) -> Result<(), Failure> {
    let Some(pipe) = descriptors.pop() else {
        return Err(Failure {
            what: "a descriptor".to_owned(),
            source: io::Error::from_raw_os_error(libc::EBADF),
        });
    };
    let _ = pipe.as_fd();
    command::in_child(channel, move || match request {
        // Compared from outside the tree, layer by layer.
        FileRequest::Changes { since } => walk::changes(layers, since, pipe),
        FileRequest::Export => {
            // In a mount namespace of this child, so that the mount goes with it.
            unshare(CloneFlags::CLONE_NEWNS)?;
            layers.mount_image(MERGED)?;
            rustix::process::chroot(MERGED)?;
            chdir("/")?;
            walls::filter()?;
            export::pack(std::fs::File::from(pipe))
        }
        request => {
            rustix::process::chroot(MERGED)?;
            chdir("/")?;
            walls::filter()?;
            files::work(request, std::fs::File::from(pipe))
        }
    })
}
