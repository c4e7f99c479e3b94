//! One program of the host, run as root of the namespace that images belong to: so it can make files of every owner
//! and run programs of another architecture, and nothing of the host changes.

use std::{
    ffi::CString,
    io::{self, Read, Write},
    os::fd::{AsRawFd, IntoRawFd, OwnedFd},
    path::Path,
};

use nix::{
    sched::{CloneFlags, unshare},
    sys::{
        signal::{Signal, kill},
        wait::{WaitStatus, waitpid},
    },
    unistd::{ForkResult, fork},
};
use rustix::{
    mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change},
    process::{chdir, fchdir},
};

use super::{
    binfmt, command,
    supervisor::{Failure, What},
    wire::{Channel, Ended, ToolRequest},
};

/// Where the table of interpreters is mounted, below the folder that the program may write to.
const TABLE: &str = ".binfmt";

/// Runs the program to its end, with everything that it starts; `None` when the harness went away meanwhile.
pub(super) fn run(
    channel: &mut Channel,
    request: &ToolRequest,
    mut descriptors: Vec<OwnedFd>,
) -> Result<Option<Ended>, Failure> {
    let (Some(err), Some(out), Some(folder)) = (descriptors.pop(), descriptors.pop(), descriptors.pop()) else {
        return Err(Failure {
            what: "a descriptor".to_owned(),
            source: io::Error::from_raw_os_error(libc::EBADF),
        });
    };
    fchdir(&folder).what("the tool's folder")?;
    drop(folder);
    let flags =
        CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS | CloneFlags::CLONE_NEWPID;
    unshare(flags).what("mount, ipc, uts and pid namespaces")?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).what("private mounts")?;
    // The way to the folder may lead through ones that this root may not enter.
    mount_bind(".", &request.place).what(&request.place)?;
    chdir(&request.place).what(&request.place)?;
    binfmt::register(&format!("{}/{TABLE}", request.place), &request.foreign)?;
    let (mut status, told) = io::pipe().what("a pipe")?;
    // SAFETY: this process has one thread.
    let init = match unsafe { fork() }.what("a process")? {
        ForkResult::Child => first(request, &out, &err, told),
        ForkResult::Parent { child } => child,
    };
    drop((out, err, told));
    let alive = command::watch(channel, init);
    if !matches!(alive, Ok(true)) {
        let _ = kill(init, Signal::SIGKILL);
    }
    let _ = waitpid(init, None);
    if !alive.what("waiting for a tool")? {
        return Ok(None);
    }
    let mut text = Vec::new();
    status.read_to_end(&mut text).what("a pipe")?;
    let killed = || Ended {
        signal: Some(libc::SIGKILL),
        ..Ended::default()
    };
    Ok(Some(serde_json::from_slice(&text).unwrap_or_else(|_| killed())))
}

/// The first process of the tool's pid namespace: all that the tool leaves behind ends with it.
fn first(request: &ToolRequest, out: &OwnedFd, err: &OwnedFd, told: io::PipeWriter) -> ! {
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = mount("proc", "/proc", "proc", flags, None);
    let mut ended = Ended {
        code: Some(126),
        ..Ended::default()
    };
    // SAFETY: this process has one thread.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => become_tool(request, out, err),
        Ok(ForkResult::Parent { child }) => loop {
            match waitpid(None, None) {
                Ok(WaitStatus::Exited(pid, code)) if pid == child => ended.code = Some(code),
                Ok(WaitStatus::Signaled(pid, signal, _)) if pid == child => {
                    ended.code = None;
                    ended.signal = Some(signal as i32);
                }
                Ok(_) | Err(nix::errno::Errno::EINTR) => continue,
                Err(_) => {}
            }
            break;
        },
        Err(_) => {}
    }
    let mut told = told;
    drop(told.write_all(&serde_json::to_vec(&ended).unwrap_or_default()));
    // SAFETY: ends this process at once, as a child of a fork must.
    unsafe { libc::_exit(0) }
}

/// Turns this process into the tool. Never returns.
fn become_tool(request: &ToolRequest, out: &OwnedFd, err: &OwnedFd) -> ! {
    let error = prepare(out, err).map_or_else(|error| error, |()| execute(request));
    let code = if error.kind() == io::ErrorKind::NotFound {
        127
    } else {
        126
    };
    drop(writeln!(
        io::stderr(),
        "{}: {error}",
        request.argv.first().map_or("", String::as_str)
    ));
    // SAFETY: as in `first`.
    unsafe { libc::_exit(code) }
}

fn prepare(out: &OwnedFd, err: &OwnedFd) -> io::Result<()> {
    rustix::stdio::dup2_stdout(out)?;
    rustix::stdio::dup2_stderr(err)?;
    // The socket to the harness is standard input here.
    let null = rustix::fs::open("/dev/null", rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    if null.as_raw_fd() <= 2 {
        // It is one of the three itself.
        let _ = null.into_raw_fd();
    }
    // SAFETY: marks descriptors that nothing uses after the program has been replaced.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    super::command::default_signals();
    Ok(())
}

/// Replaces this process; returns only when that fails.
fn execute(request: &ToolRequest) -> io::Error {
    let text = |text: &str| CString::new(text).map_err(io::Error::other);
    let arguments: Result<Vec<_>, _> = request.argv.iter().map(|argument| text(argument)).collect();
    let variables: Result<Vec<_>, _> = request
        .env
        .iter()
        .map(|(name, value)| text(&format!("{name}={value}")))
        .collect();
    let (arguments, variables) = match (arguments, variables) {
        (Ok(arguments), Ok(variables)) => (arguments, variables),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let program = request.argv.first().map_or("", String::as_str);
    let path = request.env.get("PATH").map_or("/usr/bin:/bin", String::as_str);
    for folder in path.split(':') {
        let place = Path::new(folder).join(program);
        if !place.is_file() {
            continue;
        }
        let Ok(place) = text(&place.to_string_lossy()) else {
            continue;
        };
        let Err(errno) = nix::unistd::execve(&place, &arguments, &variables);
        return errno.into();
    }
    io::ErrorKind::NotFound.into()
}
