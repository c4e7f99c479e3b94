//! One command: a pid namespace of its own, a small init in it, and the command's main process.

use std::{
    ffi::CString,
    io::{self, PipeReader, Read, Write},
    os::{
        fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
};

use nix::{
    sys::{
        resource::{UsageWho, getrusage},
        signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::{ForkResult, Pid, fork},
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{Mode, OFlags, open},
    mount::{MountFlags, UnmountFlags, mount, mount_bind_recursive, unmount},
    process::{PidfdFlags, chdir, pidfd_open, pivot_root},
};

use super::{
    files,
    layers::{LAYERS, MERGED},
    removal,
    supervisor::{Failure, What},
    walls,
    wire::{Channel, Ended, ExecRequest, Reply, Request},
};
use crate::session::REPORTS;

/// What programs get when the request does not say otherwise.
const BASE_ENVIRONMENT: [(&str, &str); 5] = [
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/root"),
    ("USER", "root"),
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
];

/// Runs a command to its end; `None` when the harness went away meanwhile.
pub(crate) fn run(
    channel: &mut Channel,
    request: &ExecRequest,
    mut descriptors: Vec<OwnedFd>,
) -> Result<Option<Ended>, Failure> {
    let (Some(err), Some(out)) = (descriptors.pop(), descriptors.pop()) else {
        return Err(Failure {
            what: "a descriptor".to_owned(),
            source: io::Error::from_raw_os_error(libc::EBADF),
        });
    };
    let (status_read, status_write) = io::pipe().what("a pipe")?;
    // A raw clone, because a plain fork cannot start a pid namespace without moving this process's later children too.
    let flags = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::SIGCHLD;
    // SAFETY: this process has one thread and the child gets a copy of everything, as after fork(2).
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    if pid < 0 {
        return Err(io::Error::last_os_error()).what("a pid namespace");
    }
    if pid == 0 {
        drop(status_read);
        init(request, &out, &err, status_write.into());
    }
    let pid = Pid::from_raw(pid as i32);
    drop((out, err, status_write));
    let alive = watch(channel, pid);
    if !matches!(alive, Ok(true)) {
        let _ = kill(pid, Signal::SIGKILL);
    }
    // This returns when every process of the namespace is gone.
    let _ = waitpid(pid, None);
    let mut text = Vec::new();
    let mut status_read = status_read;
    status_read.read_to_end(&mut text).what("a pipe")?;
    if !alive.what("waiting for a command")? {
        return Ok(None);
    }
    if text.is_empty() {
        // Killed from outside before it could report.
        return Ok(Some(Ended::killed()));
    }
    let report: Result<Ended, (String, i32)> = serde_json::from_slice(&text)
        .map_err(io::Error::other)
        .what("a command's report")?;
    report.map(Some).map_err(|(what, errno)| Failure {
        what,
        source: io::Error::from_raw_os_error(errno),
    })
}

/// Waits for the namespace's end and serves the harness meanwhile; `false` when the harness went away.
pub(super) fn watch(channel: &mut Channel, pid: Pid) -> io::Result<bool> {
    let raw = rustix::process::Pid::from_raw(pid.as_raw()).ok_or(io::ErrorKind::InvalidInput)?;
    let process = pidfd_open(raw, PidfdFlags::empty())?;
    let mut measuring: Option<(Pid, PipeReader)> = None;
    loop {
        let (ended, asked, measured) = {
            let mut waited = vec![
                PollFd::new(&process, PollFlags::IN),
                PollFd::new(&*channel, PollFlags::IN),
            ];
            waited.extend(measuring.as_ref().map(|(_, pipe)| PollFd::new(pipe, PollFlags::IN)));
            match poll(&mut waited, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let is = |index: usize| waited.get(index).is_some_and(|waited| !waited.revents().is_empty());
            (is(0), is(1), is(2))
        };
        if measured && let Some(measured) = measuring.take() {
            channel.send(&Reply::Usage(result(measured)?), &[])?;
        } else if asked {
            match channel.receive::<Request>()? {
                None => return Ok(false),
                Some((Request::Kill, _)) => kill(pid, Signal::SIGKILL)?,
                // In a child, because a wish to end the command must not wait for a walk over all that it wrote.
                Some((Request::Usage, _)) => measuring = Some(measure()?),
                Some(_) => return Err(io::Error::other("a request while a command runs")),
            }
        } else if ended {
            if let Some(measured) = measuring.take() {
                channel.send(&Reply::Usage(result(measured)?), &[])?;
            }
            return Ok(true);
        }
    }
}

/// Starts to measure what the box has written, in a child that tells it through a pipe.
fn measure() -> io::Result<(Pid, PipeReader)> {
    let (read, mut write) = io::pipe()?;
    // SAFETY: this process has one thread.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
            drop(write.write_all(&files::usage(Path::new(LAYERS)).to_le_bytes()));
            // SAFETY: as in `init`.
            unsafe { libc::_exit(0) }
        }
        ForkResult::Parent { child } => Ok((child, read)),
    }
}

fn result((child, mut pipe): (Pid, PipeReader)) -> io::Result<u64> {
    let mut bytes = [0; 8];
    let read = pipe.read_exact(&mut bytes);
    let _ = waitpid(child, None);
    read.map(|()| u64::from_le_bytes(bytes))
}

/// Deletes folders in a child, while the box goes on; what it does not get done goes when the box is deleted.
pub(crate) fn delete_behind(folders: Vec<String>) {
    // SAFETY: this process has one thread.
    if let Ok(ForkResult::Child) = unsafe { fork() } {
        let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
        for folder in folders {
            drop(removal::remove(Path::new(&folder)));
        }
        // SAFETY: as in `init`.
        unsafe { libc::_exit(0) }
    }
}

/// Does something in a child, while the box goes on; tells when it is over.
pub(crate) fn start_child(work: impl FnOnce()) -> io::Result<OwnedFd> {
    // SAFETY: this process has one thread.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
            work();
            // SAFETY: as in `init`.
            unsafe { libc::_exit(0) }
        }
        ForkResult::Parent { child } => {
            let child = rustix::process::Pid::from_raw(child.as_raw()).ok_or(io::ErrorKind::InvalidInput)?;
            Ok(pidfd_open(child, PidfdFlags::empty())?)
        }
    }
}

/// Takes note of children that have ended by themselves.
pub(crate) fn reap_deleters() {
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        if status == WaitStatus::StillAlive {
            break;
        }
    }
}

/// The first process of a command's namespace. Never returns.
fn init(request: &ExecRequest, out: &OwnedFd, err: &OwnedFd, status: OwnedFd) -> ! {
    let report = start(request, out, err, &status).map(reap);
    let report = report.map_err(|failure| (failure.what, failure.source.raw_os_error().unwrap_or(0)));
    let text = serde_json::to_vec(&report).unwrap_or_default();
    drop(std::fs::File::from(status).write_all(&text));
    // SAFETY: ends this process at once, as a child of a fork must, without running what the parent registered.
    unsafe { libc::_exit(0) }
}

/// The standard streams of a command.
pub(crate) struct Streams<'a> {
    /// Nothing at all when it is not given.
    pub(crate) input: Option<&'a OwnedFd>,
    pub(crate) out: &'a OwnedFd,
    pub(crate) err: &'a OwnedFd,
    /// Where a session's shell reports.
    pub(crate) reports: Option<&'a OwnedFd>,
}

/// Enters the tree and starts the main process.
fn start(request: &ExecRequest, out: &OwnedFd, err: &OwnedFd, status: &OwnedFd) -> Result<Pid, Failure> {
    enter_tree()?;
    // A supervisor that died before its death was asked for left nobody who would end this; only it reads the status.
    let mut reader = [PollFd::new(status, PollFlags::empty())];
    if poll(&mut reader, Some(&rustix::event::Timespec::default())).is_ok_and(|gone| gone > 0) {
        return Err(io::Error::from(io::ErrorKind::BrokenPipe)).what("the supervisor");
    }
    // Nothing of the supervisor's may be open in here.
    let keep = [out.as_raw_fd(), err.as_raw_fd(), status.as_raw_fd()];
    close_others(&keep);
    let streams = Streams {
        input: None,
        out,
        err,
        reports: None,
    };
    start_main(request, &streams)
}

/// Makes the first process of a new namespace one of the box's tree.
pub(super) fn enter_tree() -> Result<(), Failure> {
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).what("a parent's death")?;
    mount_bind_recursive("/dev", format!("{MERGED}/dev")).what("/dev")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", format!("{MERGED}/proc"), "proc", flags, None).what("/proc")?;
    walls::raise_around()?;
    chdir(MERGED).what("the box's tree")?;
    pivot_root(".", ".").what("pivot_root")?;
    unmount(".", UnmountFlags::DETACH).what("leaving the supervisor's tree")?;
    chdir("/").what("the box's tree")
}

/// Starts the main process.
pub(super) fn start_main(request: &ExecRequest, streams: &Streams<'_>) -> Result<Pid, Failure> {
    // SAFETY: this process has one thread.
    match unsafe { fork() }.what("a process")? {
        ForkResult::Parent { child } => Ok(child),
        ForkResult::Child => become_command(request, streams),
    }
}

/// Reaps everything until the main process has ended, then ends and reaps what it left, so that it is counted.
fn reap(main: Pid) -> Ended {
    let mut ended = Ended::default();
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == main => ended.code = Some(code),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == main => ended.signal = Some(signal as i32),
            Ok(_) | Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => ended.signal = Some(libc::SIGKILL),
        }
        break;
    }
    // The first process of a namespace is spared by this, and a fork that is under way meets its signal.
    while kill(Pid::from_raw(-1), Signal::SIGKILL).is_ok() {
        match waitpid(None, None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(_) => break,
        }
    }
    if let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) {
        let micros = |time: nix::sys::time::TimeVal| (time.tv_sec() as u64) * 1_000_000 + time.tv_usec() as u64;
        ended.cpu_us = micros(usage.user_time()) + micros(usage.system_time());
        ended.peak_kib = usage.max_rss() as u64;
        ended.written = usage.block_writes() as u64 * 512;
    }
    ended
}

/// Restores what every signal does. What is ignored stays so over an execution, and whoever started the harness may have
/// ignored some, as `nohup` does; Rust's runtime ignores one.
pub(super) fn default_signals() {
    // All zeros are the default, in the kernel's own form of it; the libc would not touch the two that it uses itself.
    let default = [0_u64; 4];
    for signal in 1..=64_i64 {
        // SAFETY: the structure is at least as large as the kernel's on every processor and outlives the call; this process
        // has one thread and no handlers that anybody counts on. The two signals that cannot be set are refused.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), 0_usize, 8_usize) };
    }
}

/// Turns this process into the command. Never returns.
pub(crate) fn become_command(request: &ExecRequest, streams: &Streams<'_>) -> ! {
    let (code, message) = match prepare(request, streams) {
        Err(failure) => (126, format!("{}: {}", failure.what, failure.source)),
        Ok(()) => match execute(request) {
            error if error.kind() == io::ErrorKind::NotFound => {
                (127, format!("{}: command not found", program(request)))
            }
            error => (126, format!("{}: {error}", program(request))),
        },
    };
    drop(writeln!(io::stderr(), "seatrial: {message}"));
    // SAFETY: as in `init`.
    unsafe { libc::_exit(code) }
}

fn program(request: &ExecRequest) -> &str {
    request.argv.first().map_or("", String::as_str)
}

fn prepare(request: &ExecRequest, streams: &Streams<'_>) -> Result<(), Failure> {
    if let Some(input) = streams.input {
        rustix::stdio::dup2_stdin(input).what("standard input")?;
    } else {
        // Not marked to be closed on execution, and never closed by a destructor: with everything else closed it may
        // itself be descriptor 0.
        let null = open("/dev/null", OFlags::RDONLY, Mode::empty())
            .what("/dev/null")?
            .into_raw_fd();
        if null != 0 {
            // SAFETY: the descriptor was opened above and is open.
            rustix::stdio::dup2_stdin(unsafe { BorrowedFd::borrow_raw(null) }).what("standard input")?;
        }
    }
    rustix::stdio::dup2_stdout(streams.out).what("standard output")?;
    rustix::stdio::dup2_stderr(streams.err).what("standard error")?;
    let mut keep = vec![0, 1, 2];
    if let Some(reports) = streams.reports {
        // SAFETY: a plain system call on an open descriptor; whatever had the number is of no more use here.
        if unsafe { libc::dup2(reports.as_raw_fd(), REPORTS) } < 0 {
            return Err(io::Error::last_os_error()).what("a session's reports");
        }
        keep.push(REPORTS);
    }
    close_others(&keep);
    nix::unistd::setsid().what("a session")?;
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None).what("signals")?;
    default_signals();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    std::fs::create_dir_all(&request.folder).what(&request.folder)?;
    chdir(&request.folder).what(&request.folder)?;
    walls::raise(request)
}

/// Replaces this process; returns only when that fails.
fn execute(request: &ExecRequest) -> io::Error {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::other);
    let arguments: Result<Vec<_>, _> = request.argv.iter().map(|argument| text(argument.as_bytes())).collect();
    let mut environment: std::collections::BTreeMap<&str, &str> = BASE_ENVIRONMENT.into_iter().collect();
    environment.extend(request.env.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let variables: Result<Vec<_>, _> = environment
        .iter()
        .map(|(name, value)| text(format!("{name}={value}").as_bytes()))
        .collect();
    let (arguments, variables) = match (arguments, variables) {
        (Ok(arguments), Ok(variables)) => (arguments, variables),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let program = program(request);
    let places: Vec<String> = if program.contains('/') {
        vec![program.to_owned()]
    } else {
        let path = environment.get("PATH").copied().unwrap_or_default();
        path.split(':').map(|folder| format!("{folder}/{program}")).collect()
    };
    let mut answer = io::Error::from(io::ErrorKind::NotFound);
    for place in places {
        let Ok(path) = text(Path::new(&place).as_os_str().as_bytes()) else {
            continue;
        };
        let Err(errno) = nix::unistd::execve(&path, &arguments, &variables);
        if errno != nix::errno::Errno::ENOENT {
            answer = errno.into();
        }
    }
    answer
}

/// Closes every descriptor but these.
pub(super) fn close_others(keep: &[i32]) {
    let mut sorted = keep.to_vec();
    sorted.sort_unstable();
    let mut from = 0_u32;
    for fd in sorted.into_iter().map(|fd| fd as u32).chain([u32::MAX]) {
        if fd > from {
            // SAFETY: these descriptors belong to Rust values of a process image that is about to be left; none is used
            // after this.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd.saturating_sub(1), 0) };
        }
        from = fd.saturating_add(1);
    }
}

/// Runs something in a child of the supervisor, so that it may change its root, and hands back how it went.
/// When the harness goes away meanwhile, the work is ended: nobody wants it any more.
pub(crate) fn in_child(channel: &Channel, work: impl FnOnce() -> io::Result<()>) -> Result<(), Failure> {
    let (mut read, write) = io::pipe().what("a pipe")?;
    // SAFETY: this process has one thread.
    match unsafe { fork() }.what("a process")? {
        ForkResult::Child => {
            drop(read);
            let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
            let text = match work() {
                Ok(()) => Vec::new(),
                Err(error) => serde_json::to_vec(&(
                    error.to_string(),
                    error.raw_os_error(),
                    error.kind() == io::ErrorKind::NotFound,
                ))
                .unwrap_or_else(|_| b"x".to_vec()),
            };
            // SAFETY: the descriptor is this child's own copy.
            let mut write = unsafe { std::fs::File::from_raw_fd(std::os::fd::IntoRawFd::into_raw_fd(write)) };
            drop(write.write_all(&text));
            drop(write);
            // SAFETY: as in `init`.
            unsafe { libc::_exit(0) }
        }
        ForkResult::Parent { child } => {
            drop(write);
            let mut text = Vec::new();
            if !is_answered(channel, &read).what("waiting for work on files")? {
                let _ = kill(child, Signal::SIGKILL);
            }
            read.read_to_end(&mut text).what("a pipe")?;
            let status = waitpid(child, None).what("a process")?;
            if text.is_empty() {
                return match status {
                    WaitStatus::Exited(_, 0) => Ok(()),
                    _ => Err(Failure {
                        what: "work on files".to_owned(),
                        source: io::Error::other("its process was killed"),
                    }),
                };
            }
            let (message, errno, missing): (String, Option<i32>, bool) =
                serde_json::from_slice(&text).unwrap_or_else(|_| ("unreadable report".to_owned(), None, false));
            let source = match errno {
                Some(errno) => io::Error::from_raw_os_error(errno),
                None if missing => io::Error::new(io::ErrorKind::NotFound, message.clone()),
                None => io::Error::other(message.clone()),
            };
            Err(Failure {
                what: if errno.is_some() {
                    message
                } else {
                    "work on files".to_owned()
                },
                source,
            })
        }
    }
}

/// Waits for a child's report; `false` when the harness went away first.
fn is_answered(channel: &Channel, report: &PipeReader) -> io::Result<bool> {
    loop {
        // Of the harness only its end is of interest now; that is told without being asked for.
        let mut waited = [
            PollFd::new(report, PollFlags::IN),
            PollFd::new(channel, PollFlags::empty()),
        ];
        match poll(&mut waited, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let [report, channel] = waited;
        if !report.revents().is_empty() {
            return Ok(true);
        }
        if !channel.revents().is_empty() {
            return Ok(false);
        }
    }
}
