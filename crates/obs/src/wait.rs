//! Waiting until a package's state is settled, is final, and is of what was committed.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use crate::{
    Class, Client, Code, Commit, Log, LogLimits, LogReader, ObsError, Observation, PackagePath, Pull, Revision, Target,
    Trigger,
    evidence::{Judged, Passage},
};

/// How often the caller's flag is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How often it is looked up whether somebody else committed.
const LOOK_FOR_OTHERS: Duration = Duration::from_secs(30);
/// How often a state that is not ours is judged again though nothing seems to have changed.
const JUDGE_AGAIN: Duration = Duration::from_secs(3);

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The revision.
    pub revision: String,
    /// The hash that a log must name.
    pub srcmd5: String,
    /// The service's time of the commit, in seconds since 1970.
    pub time: i64,
    /// Whether source services still work on it, so that `srcmd5` is not known yet.
    pub in_service: bool,
    /// The build that was asked for, if one was.
    pub after: Option<Trigger>,
}

impl From<&Commit> for Wanted {
    fn from(commit: &Commit) -> Self {
        Self {
            revision: commit.revision.clone(),
            srcmd5: commit.built.clone(),
            time: commit.time,
            in_service: commit.in_service,
            after: None,
        }
    }
}

impl Wanted {
    /// The same, and built again.
    #[must_use]
    pub fn after(mut self, trigger: Trigger) -> Self {
        self.after = Some(trigger);
        self
    }
}

/// What shows that a state is of what was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The log names the sources.
    Log,
    /// The service's list of builds names them.
    History,
    /// There is no log, and the scheduler looked at the package after the commit.
    Checked,
    /// There is no log, and nothing changed for a long time. The weakest.
    Quiet,
}

/// A settled, final state of what was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The code.
    pub code: Code,
    /// What it means.
    pub class: Class,
    /// What is missing or broken.
    pub details: String,
    /// The log, if a build ran.
    pub log: Option<Log>,
    /// What shows that it is of what was committed.
    pub proof: Proof,
    /// When the scheduler decided it, in seconds since 1970, if the service tells.
    pub decided: Option<i64>,
}

/// How the waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// With a verdict.
    Settled(Box<Verdict>),
    /// Somebody else committed meanwhile: what is built is not ours.
    Overtaken {
        /// The newest revision.
        revision: String,
        /// Who made it, and what they wrote.
        by: Option<Revision>,
    },
    /// The time is over, and the state that is there is of other sources.
    Stale {
        /// The state.
        seen: Observation,
        /// The sources that it is of, if they are told.
        found: Option<String>,
    },
    /// The time is over, and nothing is decided.
    OutOfTime {
        /// The last that was seen.
        seen: Option<Observation>,
    },
    /// The caller's flag was raised.
    Stopped {
        /// The last that was seen.
        seen: Option<Observation>,
    },
}

/// What the package looked like at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// How long after the start.
    pub after: Duration,
    /// The code.
    pub code: Code,
    /// Whether it may have been outdated.
    pub is_dirty: bool,
    /// What the repository as a whole was about.
    pub repository: String,
}

/// The end of waiting, and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waited {
    /// The end.
    pub ending: Ending,
    /// Each state that was another one than the one before.
    pub seen: Vec<Seen>,
    /// How long it took.
    pub took: Duration,
    /// How often the service was asked for the state.
    pub looks: usize,
}

/// What the caller is told meanwhile.
#[derive(Debug)]
pub enum Event<'a> {
    /// The state changed.
    Seen(&'a Observation),
    /// The log grew.
    Log(&'a [u8]),
    /// The service does not answer at the moment.
    Trouble(&'a ObsError),
}

/// How to wait.
pub struct WaitOptions<'a> {
    /// At most this long.
    pub within: Duration,
    /// Raised by the caller to stop.
    pub stop: &'a AtomicBool,
    /// How much of the log is kept.
    pub log: LogLimits,
    /// Whether the log is shown while it grows. It costs a question each second or two.
    pub follow: bool,
    /// Called with what happens.
    pub progress: &'a mut dyn FnMut(Event<'_>),
}

impl Client {
    /// Waits until the state is settled, final, and of what was committed.
    ///
    /// What the service decides is no error: errors are for a service that cannot be used, or is away for longer than the
    /// pace allows.
    pub fn wait(&self, target: &Target, wanted: &Wanted, options: &mut WaitOptions<'_>) -> Result<Waited, ObsError> {
        Watch {
            client: self,
            target,
            wanted: wanted.clone(),
            began: Instant::now(),
            seen: Vec::new(),
            looks: 0,
            last: None,
            pause: self.pace().fast,
            away: None,
            others: Instant::now(),
            settled: None,
            moved: false,
            judged: None,
            found: None,
            reader: LogReader::new(self, target, options.log),
            followed: None,
        }
        .run(options)
    }
}

struct Watch<'a> {
    client: &'a Client,
    target: &'a Target,
    wanted: Wanted,
    began: Instant,
    seen: Vec<Seen>,
    looks: usize,
    last: Option<Observation>,
    pause: Duration,
    /// Since when the service is away.
    away: Option<Instant>,
    /// When it was last looked up whether somebody else committed.
    others: Instant,
    /// Since when the state stands there, final and not dirty.
    settled: Option<(Instant, Observation)>,
    moved: bool,
    judged: Option<(Instant, Observation)>,
    /// The sources that the settled state turned out to be of.
    found: Option<Found>,
    reader: LogReader,
    /// When the log was last looked at.
    followed: Option<Instant>,
}

/// The sources that a settled state turned out to be of, if they are told.
struct Found(Option<String>);

/// What to do next.
enum Next {
    /// Look again after a pause.
    Pause,
    /// Let the service hold the question until something changes.
    Hold,
    End(Ending),
}

impl Watch<'_> {
    fn run(mut self, options: &mut WaitOptions<'_>) -> Result<Waited, ObsError> {
        let mut held: Option<String> = None;
        loop {
            let next = match self.step(held.take().as_deref(), options) {
                Ok(next) => next,
                Err(error) if error.may_pass() => {
                    (options.progress)(Event::Trouble(&error));
                    let away = *self.away.get_or_insert_with(Instant::now);
                    if away.elapsed() >= self.client.pace().grace {
                        return Err(error);
                    }
                    Next::Pause
                }
                Err(error) => return Err(error),
            };
            match next {
                Next::End(ending) => return Ok(self.end(ending)),
                Next::Hold => held = self.last.as_ref().map(|seen| seen.state.clone()),
                Next::Pause => {
                    let pause = self.pause;
                    self.pause = (pause * 3 / 2).min(self.client.pace().slow);
                    self.sleep(pause, options);
                }
            }
            if options.stop.load(Ordering::Relaxed) {
                let seen = self.last.take();
                return Ok(self.end(Ending::Stopped { seen }));
            }
            if self.began.elapsed() >= options.within {
                let ending = match (self.last.take(), self.found.take()) {
                    (Some(seen), Some(Found(found))) if seen.code.class() != Class::InProgress => {
                        Ending::Stale { seen, found }
                    }
                    (seen, _) => Ending::OutOfTime { seen },
                };
                return Ok(self.end(ending));
            }
        }
    }

    fn end(self, ending: Ending) -> Waited {
        Waited {
            ending,
            seen: self.seen,
            took: self.began.elapsed(),
            looks: self.looks,
        }
    }

    fn step(&mut self, held: Option<&str>, options: &mut WaitOptions<'_>) -> Result<Next, ObsError> {
        if self.wanted.in_service {
            match self
                .client
                .list_at(self.target.package(), Some(&self.wanted.revision), true)
            {
                Ok(listing) => {
                    self.wanted.in_service = listing.is_in_service();
                    self.wanted.srcmd5 = listing.srcmd5;
                }
                Err(error) if error.may_pass() => return Err(error),
                // A service that failed leaves nothing to list: the state will say so.
                Err(_) => self.wanted.in_service = false,
            }
        }
        let asked = Instant::now();
        let Some(seen) = self.look(held, options)? else {
            // Held for as long as it may be, or given up: a look without holding tells what is there now.
            return Ok(Next::Pause);
        };
        self.away = None;
        let changed = self.note(&seen, options);
        // A service that does not hold the question must not be asked without a pause.
        let spins = held.is_some() && !changed && asked.elapsed() < self.client.pace().slow;
        if changed {
            self.pause = self.client.pace().fast;
        }
        if seen.is_dirty || self.wanted.in_service {
            self.moved |= seen.is_dirty;
            self.settled = None;
            return Ok(Next::Pause);
        }
        if seen.code.class() == Class::InProgress {
            self.settled = None;
            // Before the scheduler knows the package, nothing has moved.
            self.moved |= seen.code != Code::Unknown;
            if let Some(ending) = self.overtaken(LOOK_FOR_OTHERS)? {
                return Ok(Next::End(ending));
            }
            self.follow(options)?;
            return Ok(if spins || seen.code == Code::Unknown {
                Next::Pause
            } else {
                Next::Hold
            });
        }
        self.judge(&seen, options)
    }

    /// Judges a final state that is not dirty.
    fn judge(&mut self, seen: &Observation, options: &WaitOptions<'_>) -> Result<Next, ObsError> {
        let settled = match &self.settled {
            Some((since, what)) if what == seen => *since,
            _ => self.settled.insert((Instant::now(), seen.clone())).0,
        };
        if self
            .judged
            .as_ref()
            .is_some_and(|(when, what)| what == seen && when.elapsed() < JUDGE_AGAIN)
        {
            return Ok(Next::Pause);
        }
        let passage = Passage {
            moved: self.moved,
            quiet: settled.elapsed(),
        };
        let judged = self
            .client
            .judge(self.target, &self.wanted, seen, passage, options.log)?;
        match judged {
            Judged::Proven(proof, log) => {
                // Without a log, the newest revision must be ours; with one, a log without a last word may still grow.
                if log.is_none()
                    && let Some(ending) = self.overtaken(Duration::ZERO)?
                {
                    return Ok(Next::End(ending));
                }
                if log.as_ref().is_some_and(|log| log.end.is_none()) {
                    let again = self.client.observe(self.target)?;
                    if again.is_dirty || again.code != seen.code {
                        return Ok(Next::Pause);
                    }
                }
                Ok(Next::End(Ending::Settled(Box::new(Verdict {
                    code: seen.code.clone(),
                    class: seen.code.class(),
                    details: seen.details.clone(),
                    log,
                    proof,
                    decided: seen.checked,
                }))))
            }
            Judged::Other(found) => {
                self.found = Some(Found(found));
                self.judged = Some((Instant::now(), seen.clone()));
                Ok(self.overtaken(Duration::ZERO)?.map_or(Next::Pause, Next::End))
            }
            Judged::NotYet => {
                // It only has to stand for a while: then the answer comes soon.
                if passage.quiet < self.client.pace().quiet {
                    self.pause = self.client.pace().fast;
                }
                Ok(Next::Pause)
            }
        }
    }

    /// Whether somebody else committed; looked up not more often than asked.
    fn overtaken(&mut self, every: Duration) -> Result<Option<Ending>, ObsError> {
        if self.others.elapsed() < every {
            return Ok(None);
        }
        self.others = Instant::now();
        // The flavours of a package share its sources.
        let package = self.target.package();
        let name = package.package().split(':').next().unwrap_or_default();
        let package = PackagePath::new(package.project(), name)?;
        let newest = self.client.revisions(&package, 1)?.pop();
        Ok(newest
            .filter(|newest| newest.revision != self.wanted.revision)
            .map(|newest| Ending::Overtaken {
                revision: newest.revision.clone(),
                by: Some(newest),
            }))
    }

    /// Notes what was seen; whether it is another state than before.
    fn note(&mut self, seen: &Observation, options: &mut WaitOptions<'_>) -> bool {
        let changed = self.last.as_ref().is_none_or(|last| {
            (&last.code, last.is_dirty, &last.repository, &last.details)
                != (&seen.code, seen.is_dirty, &seen.repository, &seen.details)
        });
        if changed {
            self.seen.push(Seen {
                after: self.began.elapsed(),
                code: seen.code.clone(),
                is_dirty: seen.is_dirty,
                repository: seen.repository.clone(),
            });
            (options.progress)(Event::Seen(seen));
        }
        self.last = Some(seen.clone());
        changed
    }

    /// Shows what the log has grown by, while the service holds the question for the state: the end of a build is told at
    /// once, however long its log is looked at.
    fn follow(&mut self, options: &mut WaitOptions<'_>) -> Result<(), ObsError> {
        let is_building = self.last.as_ref().is_some_and(|seen| seen.code == Code::Building);
        let is_due = |followed: Instant| followed.elapsed() >= self.client.pace().slow;
        if !options.follow || !is_building || !self.followed.is_none_or(is_due) {
            return Ok(());
        }
        let progress = &mut options.progress;
        let pulled = self.reader.pull(&mut |piece| progress(Event::Log(piece)));
        self.followed = Some(Instant::now());
        match pulled {
            Ok(Pull::Grew(_) | Pull::Absent | Pull::Restarted | Pull::Full) => Ok(()),
            // It is shown for comfort: the log that counts is read when the build is over.
            Err(error) if error.may_pass() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// One look, given up when the caller's flag is raised or the time is over. With a state, the service may hold the
    /// question; `None` when nothing changed for as long as it may.
    fn look(&mut self, held: Option<&str>, options: &mut WaitOptions<'_>) -> Result<Option<Observation>, ObsError> {
        self.looks += 1;
        let (send, receive) = mpsc::channel();
        let (client, target) = (self.client.clone(), self.target.clone());
        let held = held.map(str::to_owned);
        let is_held = held.is_some();
        // Of its own, so that a question that is held does not hold the caller. It ends when the question's time is over.
        std::thread::spawn(move || {
            let hold = client.pace().hold;
            let old = held.as_deref().map(|state| (state, hold));
            // Nobody may listen any more.
            drop(send.send(client.observe_after(&target, old, true)));
        });
        loop {
            match receive.recv_timeout(TICK) {
                // Questions about projects of other services cannot be held: they are asked again and again.
                Ok(Err(ObsError::Slow { .. } | ObsError::Refused { status: 400, .. })) if is_held => return Ok(None),
                Ok(result) => return result.map(Some),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if options.stop.load(Ordering::Relaxed) || self.began.elapsed() >= options.within {
                        return Ok(None);
                    }
                    self.follow(options)?;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(ObsError::Unexpected {
                        url: self.client.api().to_owned(),
                        lacks: "an answer: the question was given up".to_owned(),
                    });
                }
            }
        }
    }

    fn sleep(&self, pause: Duration, options: &WaitOptions<'_>) {
        let until = Instant::now() + pause;
        while !options.stop.load(Ordering::Relaxed) && self.began.elapsed() < options.within {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(TICK));
        }
    }
}
