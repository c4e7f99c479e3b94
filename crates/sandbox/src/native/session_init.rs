//! A session's first process: it starts the shell, reaps, and ends what a script has started when it is told to. It lives
//! in a pid namespace of its own and as long as its leash is held, and with it ends everything in there.

use std::{
    collections::BTreeSet,
    fs, io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    time::Duration,
};

use nix::{
    sys::{
        resource::{UsageWho, getrusage},
        signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask},
        signalfd::{SfdFlags, SignalFd},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{PidfdFlags, pidfd_open, pidfd_send_signal},
};

use super::{
    command::{Streams, close_others, enter_tree, start_main},
    supervisor::{Failure, What},
    wire::{Bark, Channel, Ended, ExecRequest, Pull},
};

/// How often the sizes of a script's processes are looked at: soon at first, because most are short, and seldom later.
const SOONEST: i64 = 1;
const SELDOM: i64 = 100;

/// Rounds of killing after which whatever multiplies faster is ended together with all the rest.
const ROUNDS: usize = 50;

/// The sessions of a box, as its supervisor knows them.
#[derive(Default)]
pub(crate) struct Sessions {
    opened: u32,
    live: Vec<(u32, OwnedFd)>,
}

impl Sessions {
    /// Starts a session's first process.
    pub(crate) fn open(&mut self, request: &ExecRequest, descriptors: Vec<OwnedFd>) -> Result<u32, Failure> {
        let Ok([input, out, err, reports, leash]) = <[OwnedFd; 5]>::try_from(descriptors) else {
            return Err(io::Error::from_raw_os_error(libc::EBADF)).what("a session's descriptors");
        };
        self.forget_ended();
        let flags = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::SIGCHLD;
        // SAFETY: this process has one thread and the child gets a copy of everything, as after fork(2).
        let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
        if pid < 0 {
            return Err(io::Error::last_os_error()).what("a pid namespace");
        }
        if pid == 0 {
            live(request, [input, out, err, reports], leash);
        }
        let process = rustix::process::Pid::from_raw(pid as i32).ok_or(io::Error::from(io::ErrorKind::InvalidInput));
        let process = process.what("a session")?;
        let number = self.opened;
        self.opened += 1;
        self.live
            .push((number, pidfd_open(process, PidfdFlags::empty()).what("a session")?));
        Ok(number)
    }

    /// Ends one session and waits until nothing of it is left.
    pub(crate) fn end(&mut self, number: u32) {
        let (ended, live): (Vec<_>, _) = self.live.drain(..).partition(|(known, _)| *known == number);
        self.live = live;
        end_all(&ended);
    }

    /// Ends every session, because the files under them are about to change.
    pub(crate) fn end_all(&mut self) {
        end_all(&std::mem::take(&mut self.live));
    }

    fn forget_ended(&mut self) {
        self.live.retain(|(_, process)| !is_readable(process, 0));
    }
}

fn end_all(sessions: &[(u32, OwnedFd)]) {
    // All of them at once, then one wait: the kernel takes its time over each.
    for (_, process) in sessions {
        let _ = pidfd_send_signal(process, rustix::process::Signal::KILL);
    }
    for (_, process) in sessions {
        // It becomes readable when every process of the namespace is gone.
        while !is_readable(process, 1000) {}
    }
}

fn is_readable(descriptor: &OwnedFd, patience_ms: i64) -> bool {
    let patience = Timespec {
        tv_sec: patience_ms / 1000,
        tv_nsec: patience_ms % 1000 * 1_000_000,
    };
    let mut waited = [PollFd::new(descriptor, PollFlags::IN)];
    matches!(poll(&mut waited, Some(&patience)), Ok(1..))
}

/// The first process. Never returns.
fn live(request: &ExecRequest, streams: [OwnedFd; 4], leash: OwnedFd) -> ! {
    let mut keep: Vec<_> = streams.iter().map(AsRawFd::as_raw_fd).collect();
    keep.push(leash.as_raw_fd());
    let mut channel = Channel::new(UnixStream::from(leash));
    let entered = enter_tree().and_then(|()| {
        close_others(&keep);
        Life::begin(request, streams)
    });
    match entered {
        Ok(mut life) => {
            if channel.send(&Bark::Started, &[]).is_ok() {
                drop(life.go_on(&mut channel));
            }
        }
        Err(failure) => drop(channel.send(&cannot(&failure), &[])),
    }
    // SAFETY: ends this process at once, as a child of a fork must, without running what the parent registered. The kernel
    // ends everything else in the namespace.
    unsafe { libc::_exit(0) }
}

fn cannot(failure: &Failure) -> Bark {
    Bark::Failed {
        what: format!("{}: {}", failure.what, failure.source),
        errno: failure.source.raw_os_error().unwrap_or(0),
    }
}

/// A process and when it began, since numbers come again.
type Known = (i32, u64);

/// The state of the first process.
struct Life {
    signals: SignalFd,
    shell: Option<Pid>,
    /// What was there when the script began.
    before: BTreeSet<Known>,
    /// Whether a script runs, whose processes' sizes count.
    running: bool,
    peak_kib: u64,
    pause: i64,
}

impl Life {
    fn begin(request: &ExecRequest, streams: [OwnedFd; 4]) -> Result<Self, Failure> {
        let mut watched = SigSet::empty();
        watched.add(Signal::SIGCHLD);
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), None).what("signals")?;
        let signals = SignalFd::with_flags(&watched, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC).what("signals")?;
        let mut life = Self {
            signals,
            shell: None,
            before: BTreeSet::new(),
            running: false,
            peak_kib: 0,
            pause: SOONEST,
        };
        life.start(request, streams)?;
        Ok(life)
    }

    fn start(&mut self, request: &ExecRequest, [input, out, err, reports]: [OwnedFd; 4]) -> Result<(), Failure> {
        let streams = Streams {
            input: Some(&input),
            out: &out,
            err: &err,
            reports: Some(&reports),
        };
        self.shell = Some(start_main(request, &streams)?);
        Ok(())
    }

    /// Serves until the leash is let go.
    fn go_on(&mut self, channel: &mut Channel) -> io::Result<()> {
        loop {
            let patience = self.running.then_some(Timespec {
                tv_sec: 0,
                tv_nsec: self.pause * 1_000_000,
            });
            let (asked, signalled) = {
                let mut waited = [
                    PollFd::new(&*channel, PollFlags::IN),
                    PollFd::new(&self.signals, PollFlags::IN),
                ];
                match poll(&mut waited, patience.as_ref()) {
                    Err(rustix::io::Errno::INTR) => continue,
                    other => other?,
                };
                let [channel, signals] = waited;
                (!channel.revents().is_empty(), !signals.revents().is_empty())
            };
            if !asked && !signalled {
                self.pause = (self.pause * 2).min(SELDOM);
                self.look();
            }
            if signalled {
                while matches!(self.signals.read_signal(), Ok(Some(_))) {}
                self.reap(channel)?;
            }
            if asked {
                match channel.receive::<Pull>()? {
                    None => return Ok(()),
                    Some((pull, descriptors)) => self.obey(channel, pull, descriptors)?,
                }
            }
        }
    }

    fn obey(&mut self, channel: &mut Channel, pull: Pull, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        match pull {
            Pull::Begin => {
                self.before = processes().into_iter().map(|process| process.known()).collect();
                self.running = true;
                self.peak_kib = 0;
                self.pause = SOONEST;
                channel.send(&Bark::Costs(self.costs()), &[])?;
            }
            Pull::Measure => {
                self.look();
                self.running = false;
                channel.send(&Bark::Costs(self.costs()), &[])?;
            }
            Pull::Interrupt => {
                self.look();
                self.interrupt();
                self.reap(channel)?;
            }
            Pull::Restart(request) => {
                let answer = match <[OwnedFd; 4]>::try_from(descriptors) {
                    Ok(streams) => match self.start(&request, streams) {
                        Ok(()) => Bark::Started,
                        Err(failure) => cannot(&failure),
                    },
                    Err(_) => return Err(io::Error::from_raw_os_error(libc::EBADF)),
                };
                channel.send(&answer, &[])?;
            }
        }
        Ok(())
    }

    fn reap(&mut self, channel: &mut Channel) -> io::Result<()> {
        while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            let (pid, code, signal) = match status {
                WaitStatus::Exited(pid, code) => (pid, Some(code), None),
                WaitStatus::Signaled(pid, signal, _) => (pid, None, Some(signal as i32)),
                WaitStatus::StillAlive => break,
                _ => continue,
            };
            if self.shell == Some(pid) {
                self.shell = None;
                let ended = Ended {
                    code,
                    signal,
                    ..self.costs()
                };
                channel.send(&Bark::Ended(ended), &[])?;
            }
        }
        Ok(())
    }

    fn costs(&self) -> Ended {
        let micros = |time: nix::sys::time::TimeVal| (time.tv_sec() as u64) * 1_000_000 + time.tv_usec() as u64;
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
        Ended {
            cpu_us: usage.map_or(0, |usage| micros(usage.user_time()) + micros(usage.system_time())),
            peak_kib: self.peak_kib,
            ..Ended::default()
        }
    }

    /// Looks at the sizes of the processes. Of those that were there before the script only the present size counts.
    fn look(&mut self) {
        for process in processes() {
            let line = if self.before.contains(&process.known()) {
                "VmRSS:"
            } else {
                "VmHWM:"
            };
            let text = fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap_or_default();
            let size = text
                .lines()
                .find_map(|text| text.strip_prefix(line)?.trim().strip_suffix(" kB")?.parse().ok());
            if process.pid != 1 {
                self.peak_kib = self.peak_kib.max(size.unwrap_or(0));
            }
        }
    }

    /// Ends the shell and all that the script has started, and leaves what was there before it, and what that has started.
    fn interrupt(&self) {
        let mut signalled = BTreeSet::new();
        let mut rounds = 0;
        loop {
            let all = processes();
            let victims: Vec<_> = all.iter().filter(|process| self.is_of_script(process, &all)).collect();
            if victims.is_empty() {
                return;
            }
            let mut grown = false;
            for victim in victims {
                grown |= signalled.insert(victim.known());
                let _ = kill(Pid::from_raw(victim.pid), Signal::SIGKILL);
            }
            if !grown {
                // All of them are on their way out, which takes its time.
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            rounds += 1;
            if rounds > ROUNDS {
                // The first process of a namespace is spared by this, and a fork that is under way meets its signal.
                let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
            }
        }
    }

    fn is_of_script(&self, process: &Process, all: &[Process]) -> bool {
        let shell = self.shell.map(Pid::as_raw);
        let mut at = process;
        if at.dead || at.pid == 1 {
            return false;
        }
        loop {
            if shell == Some(at.pid) {
                return true;
            }
            if self.before.contains(&at.known()) {
                return false;
            }
            // Whose parent has ended is a child of the first process; whose parent cannot be found ended meanwhile.
            match all.iter().find(|other| other.pid == at.parent) {
                Some(parent) if parent.pid != 1 => at = parent,
                _ => return true,
            }
        }
    }
}

/// A process, as `/proc` tells.
struct Process {
    pid: i32,
    parent: i32,
    began: u64,
    dead: bool,
}

impl Process {
    fn known(&self) -> Known {
        (self.pid, self.began)
    }
}

fn processes() -> Vec<Process> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(text) = fs::read(entry.path().join("stat")) else {
            continue;
        };
        // The name is in brackets and may hold anything.
        let text = String::from_utf8_lossy(&text).into_owned();
        let Some((_, rest)) = text.rsplit_once(')') else {
            continue;
        };
        let words: Vec<_> = rest.split_whitespace().collect();
        // Counted from the state, which is the third word of all: proc(5).
        let (Some(state), Some(parent), Some(began)) = (words.first(), words.get(1), words.get(19)) else {
            continue;
        };
        all.push(Process {
            pid,
            parent: parent.parse().unwrap_or(0),
            began: began.parse().unwrap_or(0),
            dead: *state == "Z" || *state == "X",
        });
    }
    all
}
