//! The first process of a container: it starts commands, reaps what is left of them, works on files and reports. It has
//! one thread, and ends, and with it everything in the container, as soon as the harness is gone.

use std::{
    io::{self, PipeReader, Read, Write},
    os::fd::{BorrowedFd, OwnedFd},
    process::ExitCode,
};

use nix::{
    sys::{
        signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask},
        signalfd::{SfdFlags, SignalFd},
    },
    unistd::{ForkResult, Pid, fork},
};
use rustix::event::{PollFd, PollFlags, poll};

use super::{
    door,
    protocol::{Ask, CHUNK, Ended, Kind, Reply, parse, read_frame, write_frame, write_message},
    walk,
};
use crate::native::{ExecRequest, FileRequest, Streams, become_command, filter_calls, prepare_filter, work_on_files};

/// The first argument that makes a program the agent.
pub(crate) const AGENT: &str = "__container";

/// Serves the harness until it is gone.
pub(crate) fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(write_message(&mut Harness, &failed(&error)));
            ExitCode::FAILURE
        }
    }
}

/// The harness, over standard input and output. Not the standard library's handles: those read ahead, and children of
/// this process read on where it stopped.
struct Harness;

impl Harness {
    fn input() -> BorrowedFd<'static> {
        rustix::stdio::stdin()
    }
}

impl Read for Harness {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(Self::input(), buffer)?)
    }
}

impl Write for Harness {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn failed(error: &io::Error) -> Reply {
    Reply::Failed {
        what: error.to_string(),
        errno: error.raw_os_error().unwrap_or(0),
        missing: error.kind() == io::ErrorKind::NotFound,
    }
}

/// Ends this process, and the container with it.
#[expect(clippy::exit, reason = "the first process of a container has nobody to return to")]
fn leave() -> ! {
    std::process::exit(0)
}

fn serve() -> io::Result<()> {
    // Commands run as the same user; this keeps them from tracing this process and from its descriptors.
    nix::sys::prctl::set_dumpable(false)?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    prepare_filter("/");
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&mask), None)?;
    let deaths = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    while let Some((kind, bytes)) = read_frame(&mut Harness)? {
        if kind != Kind::Message {
            return Err(io::Error::other("data out of order"));
        }
        let reply = match parse(&bytes)? {
            Ask::Begin { door: None } => Reply::Done,
            Ask::Begin { door: Some(ports) } => done(door::send_sockets(&ports)),
            Ask::Exec(request) => match run(&request, &deaths) {
                Ok(ended) => Reply::Ended(ended),
                Err(error) => failed(&error),
            },
            // The command ended before the wish to end it arrived.
            Ask::Kill => continue,
            Ask::Free => free(),
            Ask::Files(request) => {
                let uploads = matches!(request, FileRequest::WriteTree { .. } | FileRequest::WriteFile { .. });
                work(&deaths, uploads, |stream| work_on_files(request, stream))?;
                continue;
            }
            Ask::List => {
                work(&deaths, false, walk::list)?;
                continue;
            }
            Ask::Describe => {
                work(&deaths, true, walk::describe)?;
                continue;
            }
        };
        write_message(&mut Harness, &reply)?;
    }
    Ok(())
}

fn done(result: io::Result<()>) -> Reply {
    match result {
        Ok(()) => Reply::Done,
        Err(error) => failed(&error),
    }
}

fn free() -> Reply {
    match rustix::fs::statvfs("/") {
        Ok(known) => Reply::Free(known.f_bavail * known.f_frsize),
        Err(error) => failed(&error.into()),
    }
}

/// What was used by processes that were reaped.
#[derive(Default)]
struct Used {
    cpu_us: u64,
    peak_kib: u64,
    written: u64,
}

/// Reaps one process: its number and how it ended. `None` when there is none, or with `WNOHANG` none that has ended.
fn reap(flags: i32, used: &mut Used) -> Option<(i32, i32)> {
    loop {
        let mut status = 0;
        // SAFETY: the structure is plain data, for which zeros are a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both places outlive the call.
        let pid = unsafe { libc::wait4(-1, &raw mut status, flags, &raw mut usage) };
        if pid < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
            continue;
        }
        if pid <= 0 {
            return None;
        }
        let micros = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
        used.cpu_us += micros(usage.ru_utime) + micros(usage.ru_stime);
        used.written += usage.ru_oublock as u64 * 512;
        used.peak_kib = used.peak_kib.max(usage.ru_maxrss as u64);
        return Some((pid, status));
    }
}

/// Runs a command to its end, then ends and reaps whatever it left.
fn run(request: &ExecRequest, deaths: &SignalFd) -> io::Result<Ended> {
    let kills_before = memory_kills();
    let (out, out_write) = io::pipe()?;
    let (err, err_write) = io::pipe()?;
    // SAFETY: this process has one thread.
    let main = match unsafe { fork() }? {
        ForkResult::Child => {
            let (out, err) = (OwnedFd::from(out_write), OwnedFd::from(err_write));
            let streams = Streams {
                input: None,
                out: &out,
                err: &err,
                reports: None,
            };
            become_command(request, &streams)
        }
        ForkResult::Parent { child } => child,
    };
    drop((out_write, err_write));
    let mut pipes = [Some(out), Some(err)];
    let mut used = Used::default();
    let status = attend(main, deaths, &mut pipes, &mut used)?;
    // The first process of a container is spared by this, and a fork that is under way meets its signal.
    while kill(Pid::from_raw(-1), Signal::SIGKILL).is_ok() {
        if reap(0, &mut used).is_none() {
            break;
        }
    }
    while reap(libc::WNOHANG, &mut used).is_some() {}
    // Every process that could write is gone. What is in the pipes is taken; their end is not waited for, because a
    // descriptor may have been handed on through a socket.
    while pass_ready(&mut pipes, deaths, false)?.output {}
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    let signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
    Ok(Ended {
        code,
        signal,
        cpu_us: used.cpu_us,
        peak_kib: used.peak_kib,
        written: used.written,
        memory_kills: memory_kills().saturating_sub(kills_before),
    })
}

/// Passes output on and serves the harness until the main process has ended; returns its status.
fn attend(main: Pid, deaths: &SignalFd, pipes: &mut [Option<PipeReader>; 2], used: &mut Used) -> io::Result<i32> {
    loop {
        let ready = pass_ready(pipes, deaths, true)?;
        if ready.asked {
            match read_frame(&mut Harness)? {
                None => leave(),
                Some((Kind::Message, bytes)) => match parse(&bytes)? {
                    // It may all be gone already.
                    Ask::Kill => drop(kill(Pid::from_raw(-1), Signal::SIGKILL)),
                    Ask::Free => write_message(&mut Harness, &free())?,
                    _ => return Err(io::Error::other("a request while a command runs")),
                },
                Some(_) => return Err(io::Error::other("data out of order")),
            }
        }
        if ready.death {
            while let Ok(Some(_)) = deaths.read_signal() {}
            while let Some((pid, status)) = reap(libc::WNOHANG, used) {
                if pid == main.as_raw() {
                    return Ok(status);
                }
            }
        }
    }
}

struct Ready {
    output: bool,
    asked: bool,
    death: bool,
}

/// Waits until something happens, or only looks, and passes on what there is of a command's output.
fn pass_ready(pipes: &mut [Option<PipeReader>; 2], deaths: &SignalFd, wait: bool) -> io::Result<Ready> {
    let mut places = Vec::with_capacity(2);
    let (asked, death) = {
        let input = Harness::input();
        let mut waited = vec![PollFd::new(&input, PollFlags::IN), PollFd::new(deaths, PollFlags::IN)];
        for (index, pipe) in pipes.iter().enumerate() {
            if let Some(pipe) = pipe {
                places.push(index);
                waited.push(PollFd::new(pipe, PollFlags::IN));
            }
        }
        let patience = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut waited, if wait { None } else { Some(&patience) }) {
            Err(rustix::io::Errno::INTR) | Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let is = |index: usize| waited.get(index).is_some_and(|waited| !waited.revents().is_empty());
        let ready = (is(0), is(1));
        let mut index = 2;
        places.retain(|_| {
            index += 1;
            is(index - 1)
        });
        ready
    };
    let mut output = false;
    let mut buffer = vec![0; CHUNK];
    for index in places {
        let Some(place) = pipes.get_mut(index) else { continue };
        let Some(pipe) = place else { continue };
        let count = match pipe.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other.unwrap_or(0),
        };
        let kind = if index == 0 { Kind::Out } else { Kind::Err };
        match buffer.get(..count) {
            Some(bytes) if !bytes.is_empty() => {
                output = true;
                write_frame(&mut Harness, kind, bytes)?;
            }
            _ => *place = None,
        }
    }
    Ok(Ready { output, asked, death })
}

/// Processes of this container that were killed for lack of memory so far, where the kernel tells.
fn memory_kills() -> u64 {
    for file in [
        "/sys/fs/cgroup/memory.events",
        "/sys/fs/cgroup/memory/memory.oom_control",
    ] {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let told = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        if let Some(count) = told.and_then(|count| count.trim().parse().ok()) {
            return count;
        }
    }
    0
}

/// Data from and to the harness, in frames.
pub(super) struct Stream {
    waiting: Vec<u8>,
    taken: usize,
    ended: bool,
    going: Vec<u8>,
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.waiting.len() && !self.ended {
            match read_frame(&mut Harness)? {
                Some((Kind::Data, bytes)) => {
                    self.waiting = bytes;
                    self.taken = 0;
                }
                Some((Kind::End, _)) => self.ended = true,
                Some(_) => return Err(io::Error::other("a message in the middle of data")),
                None => leave(),
            }
        }
        let rest = self.waiting.get(self.taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.taken += count;
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.going.extend_from_slice(bytes);
        if self.going.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for part in self.going.chunks(CHUNK) {
            write_frame(&mut Harness, Kind::Data, part)?;
        }
        self.going.clear();
        Ok(())
    }
}

/// Does some work in a child, which replies to the harness itself, so that work that does not end can be ended.
fn work(deaths: &SignalFd, uploads: bool, work: impl FnOnce(&mut Stream) -> io::Result<()>) -> io::Result<()> {
    // SAFETY: this process has one thread.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let mut stream = Stream {
                waiting: Vec::new(),
                taken: 0,
                ended: false,
                going: Vec::new(),
            };
            let result = filter_calls()
                .and_then(|()| work(&mut stream))
                .and_then(|()| stream.flush());
            let mut told = write_message(&mut Harness, &done(result));
            // Data that is under way to work that has failed is taken and dropped, up to its end mark.
            if uploads && told.is_ok() {
                told = io::copy(&mut stream, &mut io::sink()).map(drop);
            }
            let code = i32::from(told.is_err());
            // SAFETY: ends this process at once, as a child of a fork must, without running what the parent registered.
            unsafe { libc::_exit(code) }
        }
        ForkResult::Parent { child } => {
            let status = await_child(child, deaths)?;
            if status != 0 {
                let error = io::Error::other("work on files: its process was killed");
                write_message(&mut Harness, &failed(&error))?;
            }
            Ok(())
        }
    }
}

/// Waits for a child; when the harness goes away meanwhile, nobody wants its work any more.
fn await_child(child: Pid, deaths: &SignalFd) -> io::Result<i32> {
    let mut used = Used::default();
    loop {
        while let Some((pid, status)) = reap(libc::WNOHANG, &mut used) {
            if pid == child.as_raw() {
                return Ok(status);
            }
        }
        let input = Harness::input();
        let mut waited = [
            PollFd::new(&input, PollFlags::empty()),
            PollFd::new(deaths, PollFlags::IN),
        ];
        match poll(&mut waited, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let [input, _] = waited;
        if !input.revents().is_empty() {
            leave();
        }
        while let Ok(Some(_)) = deaths.read_signal() {}
    }
}
