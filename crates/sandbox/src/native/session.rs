//! Shells that stay, as the harness sees them: it feeds them scripts, passes their output on and enforces limits.
//!
//! A shell outlives its scripts, and its pid namespace outlives the shell: when a limit ends a script, only the shell and
//! what that script started are ended, and another shell goes on in the same namespace from the state before the script.
//! When the whole namespace is gone, because a snapshot or a rollback ended it, the next script gets a new one.

use std::{
    io::{self, PipeReader, PipeWriter, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
};

use super::{
    factory::io_error,
    running::{BEAT, Disk, Killed, LOOK, Outlet},
    trash::Helper,
    wire::{Bark, Channel, Ended, ExecRequest, Pull, Reply, Request},
};
use crate::{
    Execution, OutputSink, SandboxError, SessionCommand, SessionExecution, Status, Stream, TimeoutKind,
    session::{Report, Reports, State, Token, frame, replay},
};

/// How long a fresh shell may take to become like the one before.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a script needs of the box around it.
pub(super) struct Around<'a> {
    pub(super) helper: &'a mut Helper,
    pub(super) disk: &'a mut Disk,
    pub(super) stop: &'a AtomicBool,
}

/// A shell that stays.
pub(super) struct Shell {
    request: ExecRequest,
    /// What it was like after the last script.
    state: State,
    place: Option<Place>,
    /// Whether nobody was told yet that this is not the shell that was there before.
    untold: bool,
}

/// A session's namespace.
struct Place {
    number: u32,
    leash: Channel,
    out: (PipeReader, PipeWriter),
    err: (PipeReader, PipeWriter),
    shell: Option<Ends>,
    /// Processor time of all that has ended in here.
    cpu: Duration,
}

/// The ends of a living shell.
struct Ends {
    input: PipeWriter,
    reports: PipeReader,
    /// Processor time of the shell and its children so far.
    cpu: Duration,
    /// Whether it has the state of the shell before it.
    ready: bool,
}

/// How a script ended.
#[derive(Debug)]
enum End {
    Reported(Report),
    ShellGone(Ended),
    /// The namespace is gone.
    Lost,
}

/// A script's bounds.
struct Bounds {
    timeout: Option<Duration>,
    idle_timeout: Option<Duration>,
    output_limit: u64,
    /// Whether the disk is watched; what only starts a shell writes nothing.
    disk: bool,
}

/// How a script went, as far as it can be seen from outside.
struct Gone {
    end: End,
    killed: Option<Killed>,
    truncated: u64,
}

impl Shell {
    pub(super) fn open(request: ExecRequest, around: &mut Around<'_>) -> Result<Self, SandboxError> {
        let place = Place::open(&request, around)?;
        let mut shell = Self {
            state: State::fresh(&request.folder),
            // Later ones begin where they are sent; a folder that is gone stays gone.
            request: ExecRequest {
                folder: "/".to_owned(),
                ..request
            },
            place: Some(place),
            untold: false,
        };
        shell.make_ready(around, &mut Vec::new())?;
        Ok(shell)
    }

    /// The number by which the supervisor knows it.
    pub(super) fn number(&self) -> Option<u32> {
        self.place.as_ref().map(|place| place.number)
    }

    /// Runs a script to its end.
    pub(super) fn run(
        &mut self,
        command: &SessionCommand,
        around: &mut Around<'_>,
        output: &mut dyn OutputSink,
    ) -> Result<SessionExecution, SandboxError> {
        let began = Instant::now();
        self.make_ready(around, output)?;
        let token = Token::new();
        let Some(text) = frame(&token, &command.script, &self.state) else {
            output.bytes(Stream::Err, b"seatrial: a script with a NUL byte cannot be run\n");
            return Ok(SessionExecution {
                execution: execution(Status::Exited(126), began),
                restarted: std::mem::take(&mut self.untold),
            });
        };
        let bounds = Bounds {
            timeout: command.timeout,
            idle_timeout: command.idle_timeout,
            output_limit: command.output_limit,
            disk: true,
        };
        let Some(place) = self.place.as_mut() else {
            return Err(SandboxError::Died("a session's shell does not start".to_owned()));
        };
        let gone = if place.begin()? {
            place.attend(&text, token, &bounds, began, around, output)?
        } else {
            Gone::lost()
        };
        let (cpu, peak_kib) = place.settle(&gone.end)?;
        // What was killed only after its report is gone all the same.
        let mut restarted = std::mem::take(&mut self.untold) || gone.killed.is_some();
        let status = match gone.end {
            End::Reported(report) => {
                if let (Some(state), None) = (report.state, gone.killed) {
                    self.state = state;
                }
                Status::Exited(report.status)
            }
            End::ShellGone(ended) => {
                restarted = true;
                match (ended.code, ended.signal) {
                    (Some(code), _) => Status::Exited(code),
                    (None, signal) => Status::Signaled(signal.unwrap_or(libc::SIGKILL)),
                }
            }
            End::Lost => {
                restarted = true;
                self.place = None;
                Status::Signaled(libc::SIGKILL)
            }
        };
        let status = match gone.killed {
            Some(Killed::Wall) => Status::TimedOut(TimeoutKind::Wall),
            Some(Killed::Idle) => Status::TimedOut(TimeoutKind::Idle),
            Some(Killed::Disk) => Status::DiskLimit,
            Some(Killed::Stopped) => return Err(SandboxError::Interrupted),
            Some(Killed::HostDisk { free }) => return Err(SandboxError::HostDiskFull { free_mib: free >> 20 }),
            None => status,
        };
        Ok(SessionExecution {
            execution: Execution {
                cpu,
                peak_kib,
                truncated_bytes: gone.truncated,
                ..execution(status, began)
            },
            restarted,
        })
    }

    /// Makes sure that there is a shell with the state of the last one.
    fn make_ready(&mut self, around: &mut Around<'_>, output: &mut dyn OutputSink) -> Result<(), SandboxError> {
        if let Some(place) = &mut self.place {
            place.take_note();
            if place.is_lost() {
                self.place = None;
            }
        }
        if self.place.is_none() {
            self.untold = true;
            self.place = Some(Place::open(&self.request, around)?);
        }
        let Some(place) = self.place.as_mut() else {
            return Ok(());
        };
        if place.shell.is_none() {
            // A shell that ended between two scripts, killed by a job that it had left.
            place.restart(&self.request)?;
        }
        if place.shell.as_ref().is_some_and(|shell| shell.ready) {
            return Ok(());
        }
        let token = Token::new();
        let text = replay(&token, &self.state);
        let bounds = Bounds {
            timeout: Some(PATIENCE),
            idle_timeout: None,
            output_limit: 0,
            disk: false,
        };
        let gone = place.attend(&text, token, &bounds, Instant::now(), around, &mut Vec::new())?;
        let End::Reported(report) = gone.end else {
            let stopped = matches!(gone.killed, Some(Killed::Stopped));
            self.place = None;
            return Err(if stopped {
                SandboxError::Interrupted
            } else {
                SandboxError::Died("a session's shell does not start".to_owned())
            });
        };
        if let Some(shell) = &mut place.shell {
            shell.cpu = report.cpu;
            shell.ready = true;
        }
        let found = report.state.map(|state| state.folder);
        if found.as_deref() != Some(&self.state.folder) {
            let folder = String::from_utf8_lossy(&self.state.folder).into_owned();
            let text = format!("seatrial: the folder {folder} is not there any more; the shell is in / now\n");
            output.bytes(Stream::Err, text.as_bytes());
        }
        Ok(())
    }
}

fn execution(status: Status, began: Instant) -> Execution {
    Execution {
        status,
        wall: began.elapsed(),
        cpu: Duration::ZERO,
        peak_kib: 0,
        truncated_bytes: 0,
        memory_kills: 0,
    }
}

impl Gone {
    fn lost() -> Self {
        Self {
            end: End::Lost,
            killed: None,
            truncated: 0,
        }
    }
}

/// The box's ends of a shell's pipes.
type Far = (PipeReader, PipeWriter);

fn ends() -> io::Result<(Ends, Far)> {
    let (input_read, input) = io::pipe()?;
    let (reports, reports_write) = io::pipe()?;
    fcntl_setfl(&input, fcntl_getfl(&input)? | OFlags::NONBLOCK)?;
    let ends = Ends {
        input,
        reports,
        cpu: Duration::ZERO,
        ready: false,
    };
    Ok((ends, (input_read, reports_write)))
}

impl Place {
    fn open(request: &ExecRequest, around: &mut Around<'_>) -> Result<Self, SandboxError> {
        let failed = io_error("a session's pipes");
        let (shell, (input, reports)) = ends().map_err(&failed)?;
        let (out, err) = (io::pipe().map_err(&failed)?, io::pipe().map_err(&failed)?);
        let (leash, theirs) = UnixStream::pair().map_err(&failed)?;
        around.helper.send(
            &Request::OpenSession(request.clone()),
            &[
                input.as_fd(),
                out.1.as_fd(),
                err.1.as_fd(),
                reports.as_fd(),
                theirs.as_fd(),
            ],
        )?;
        let number = match around.helper.receive()? {
            Reply::Session(number) => number,
            reply => return Err(around.helper.refused("a session", reply)),
        };
        drop((input, reports, theirs));
        let mut place = Self {
            number,
            leash: Channel::new(leash),
            out,
            err,
            shell: Some(shell),
            cpu: Duration::ZERO,
        };
        place.started()?;
        Ok(place)
    }

    /// Another shell in the same namespace.
    fn restart(&mut self, request: &ExecRequest) -> Result<(), SandboxError> {
        let (shell, (input, reports)) = ends().map_err(io_error("a session's pipes"))?;
        let streams = [input.as_fd(), self.out.1.as_fd(), self.err.1.as_fd(), reports.as_fd()];
        self.leash
            .send(&Pull::Restart(request.clone()), &streams)
            .map_err(lost)?;
        self.shell = Some(shell);
        self.started()
    }

    fn started(&mut self) -> Result<(), SandboxError> {
        match self.leash.receive::<Bark>().map_err(lost)? {
            Some((Bark::Started, _)) => Ok(()),
            Some((Bark::Failed { what, errno }, _)) => Err(SandboxError::Kernel {
                what: format!("a session: {what}"),
                source: io::Error::from_raw_os_error(errno),
                hint: "run `seatrial doctor` to see what this machine lacks".to_owned(),
            }),
            other => Err(SandboxError::Died(format!(
                "a session: an answer out of order: {other:?}"
            ))),
        }
    }

    /// Takes note of a shell that ended while nobody looked.
    fn take_note(&mut self) {
        while is_ready(&self.leash, Duration::ZERO) {
            match self.leash.receive::<Bark>() {
                Ok(Some((Bark::Ended(_), _))) => self.shell = None,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Whether the namespace has ended.
    fn is_lost(&self) -> bool {
        let mut waited = [PollFd::new(&self.leash, PollFlags::empty())];
        !matches!(poll(&mut waited, Some(&Timespec::default())), Ok(0))
    }

    /// Tells that a script begins; whether there was somebody to be told.
    fn begin(&mut self) -> Result<bool, SandboxError> {
        let costs = self.costs(&Pull::Begin)?;
        if let Some(costs) = costs {
            self.cpu = Duration::from_micros(costs.cpu_us);
        }
        Ok(costs.is_some() && self.shell.is_some())
    }

    fn costs(&mut self, pull: &Pull) -> Result<Option<Ended>, SandboxError> {
        if self.leash.send(pull, &[]).is_err() {
            return Ok(None);
        }
        loop {
            match self.leash.receive::<Bark>() {
                Ok(Some((Bark::Costs(costs), _))) => return Ok(Some(costs)),
                Ok(Some((Bark::Ended(_), _))) => self.shell = None,
                Ok(Some((other, _))) => {
                    return Err(SandboxError::Died(format!(
                        "a session: an answer out of order: {other:?}"
                    )));
                }
                Ok(None) | Err(_) => return Ok(None),
            }
        }
    }

    /// What a script has cost.
    fn settle(&mut self, end: &End) -> Result<(Duration, u64), SandboxError> {
        let shell = self.shell.as_ref().map_or(Duration::ZERO, |shell| shell.cpu);
        let costs = self.costs(&Pull::Measure)?.unwrap_or_default();
        let ended = Duration::from_micros(costs.cpu_us);
        let since = ended.saturating_sub(self.cpu);
        let cpu = match end {
            End::Reported(report) => {
                if let Some(shell) = &mut self.shell {
                    shell.cpu = report.cpu;
                }
                since + report.cpu.saturating_sub(shell)
            }
            // All that the shell ever used came in with its end.
            End::ShellGone(_) | End::Lost => since.saturating_sub(shell),
        };
        if !matches!(end, End::Reported(_)) {
            self.shell = None;
        }
        self.cpu = ended;
        Ok((cpu, costs.peak_kib))
    }

    /// Feeds the shell, passes output on and watches limits until the shell reports or is gone.
    fn attend(
        &mut self,
        text: &[u8],
        token: Token,
        bounds: &Bounds,
        began: Instant,
        around: &mut Around<'_>,
        output: &mut dyn OutputSink,
    ) -> Result<Gone, SandboxError> {
        let failed = io_error("waiting for a session");
        let copy = |pipe: &PipeReader| pipe.try_clone().map(OwnedFd::from);
        let pipes = [copy(&self.out.0).map_err(&failed)?, copy(&self.err.0).map_err(&failed)?];
        let mut outlet = Outlet::new(bounds.output_limit, began, pipes);
        let mut reports = Reports::new(token);
        let mut left = Some(text);
        let mut listening = true;
        let mut killed = None;
        let mut looked = began;
        let mut measuring = false;
        let mut buffer = vec![0; 64 << 10];
        let end = loop {
            let ready = self
                .wait(&outlet, left.is_some(), listening, around, BEAT)
                .map_err(&failed)?;
            outlet.pass_ready(ready.output, &mut buffer, output);
            if ready.input
                && let Some(shell) = &mut self.shell
            {
                left = left.and_then(|left| feed(&mut shell.input, left));
            }
            if ready.reports
                && let Some(shell) = &mut self.shell
            {
                let count = shell.reports.read(&mut buffer).map_err(&failed)?;
                listening = count > 0;
                let report = reports.take(buffer.get(..count).unwrap_or_default());
                // One that came just before its end does not count for a shell that is being ended.
                if let (Some(report), None) = (report, killed) {
                    break End::Reported(report);
                }
            }
            if ready.leash {
                match self.leash.receive::<Bark>() {
                    Ok(Some((Bark::Ended(ended), _))) => break End::ShellGone(ended),
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break End::Lost,
                }
            }
            if ready.helper {
                match around.helper.receive()? {
                    Reply::Usage(bytes) => {
                        measuring = false;
                        around.disk.note(bytes)?;
                        if around.disk.is_over() && killed.is_none() {
                            killed = Some(Killed::Disk);
                            self.interrupt();
                        }
                    }
                    reply => return Err(around.helper.refused("measuring", reply)),
                }
            }
            if killed.is_some() {
                continue;
            }
            killed = if around.stop.load(Ordering::SeqCst) {
                Some(Killed::Stopped)
            } else {
                outlet.time_is_up(bounds.timeout, began, bounds.idle_timeout)
            };
            if killed.is_none() && bounds.disk && looked.elapsed() >= LOOK {
                looked = Instant::now();
                if let Some(free) = around.disk.shortage()? {
                    killed = Some(Killed::HostDisk { free });
                } else if !measuring && around.disk.is_suspect()? {
                    measuring = true;
                    around.helper.send(&Request::Usage, &[])?;
                }
            }
            if killed.is_some() {
                self.interrupt();
            }
        };
        // What the script wrote is in the pipes, because it wrote before the shell reported; one read empties a pipe. Their
        // end is not waited for: a job that goes on holds them, and may never stop writing.
        for _ in 0..2 {
            let ready = self
                .wait(&outlet, false, false, around, Duration::ZERO)
                .map_err(&failed)?;
            outlet.pass_ready(ready.output, &mut buffer, output);
        }
        if !measuring && killed.is_none() && bounds.disk && around.disk.is_suspect()? {
            measuring = true;
            around.helper.send(&Request::Usage, &[])?;
        }
        if measuring {
            match around.helper.receive()? {
                Reply::Usage(bytes) => around.disk.note(bytes)?,
                reply => return Err(around.helper.refused("measuring", reply)),
            }
            if around.disk.is_over() && killed.is_none() {
                killed = Some(Killed::Disk);
                self.interrupt();
            }
        }
        Ok(Gone {
            end,
            killed,
            truncated: outlet.truncated(),
        })
    }

    /// Asks for the end of the shell and of what the script has started. If nobody hears it, all is ended already.
    fn interrupt(&mut self) {
        drop(self.leash.send(&Pull::Interrupt, &[]));
    }

    fn wait(
        &self,
        outlet: &Outlet,
        feeding: bool,
        listening: bool,
        around: &Around<'_>,
        patience: Duration,
    ) -> io::Result<Ready> {
        let mut ready = Ready::default();
        let mut waited = Vec::with_capacity(6);
        let mut places = Vec::with_capacity(6);
        for (index, pipe) in outlet.pipes.iter().enumerate() {
            if let Some(pipe) = pipe {
                waited.push(PollFd::new(pipe, PollFlags::IN));
                places.push(index);
            }
        }
        if let Some(shell) = &self.shell {
            if listening {
                waited.push(PollFd::new(&shell.reports, PollFlags::IN));
                places.push(2);
            }
            if feeding {
                waited.push(PollFd::new(&shell.input, PollFlags::OUT));
                places.push(3);
            }
        }
        if patience > Duration::ZERO {
            waited.push(PollFd::new(&self.leash, PollFlags::IN));
            places.push(4);
            waited.push(PollFd::new(&around.helper.channel, PollFlags::IN));
            places.push(5);
        }
        let patience = Timespec {
            tv_sec: 0,
            tv_nsec: patience.subsec_nanos().into(),
        };
        match poll(&mut waited, Some(&patience)) {
            Err(rustix::io::Errno::INTR) | Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        for (place, waited) in places.into_iter().zip(&waited) {
            if waited.revents().is_empty() {
                continue;
            }
            match place {
                2 => ready.reports = true,
                3 => ready.input = true,
                4 => ready.leash = true,
                5 => ready.helper = true,
                index => {
                    if let Some(flag) = ready.output.get_mut(index) {
                        *flag = true;
                    }
                }
            }
        }
        Ok(ready)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "fits `map_err`")]
fn lost(error: io::Error) -> SandboxError {
    SandboxError::Died(format!("a session: {error}"))
}

/// Writes what fits; what is left, or `None` when that is nothing or nobody reads.
fn feed<'a>(input: &mut PipeWriter, left: &'a [u8]) -> Option<&'a [u8]> {
    match input.write(left) {
        Ok(count) => left.get(count..).filter(|left| !left.is_empty()),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Some(left),
        Err(_) => None,
    }
}

fn is_ready(descriptor: &impl AsFd, patience: Duration) -> bool {
    let patience = Timespec {
        tv_sec: 0,
        tv_nsec: patience.subsec_nanos().into(),
    };
    matches!(
        poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&patience)),
        Ok(1..)
    )
}

/// What can be done now.
#[derive(Default)]
struct Ready {
    output: [bool; 2],
    reports: bool,
    input: bool,
    leash: bool,
    helper: bool,
}
