//! What one key may do: calls at the same time, requests and tokens in a minute.

use std::{
    collections::VecDeque,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::Pacing;

/// The longest that a waiting thread does not look whether it shall stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Lets calls pass, first come first served.
#[derive(Debug)]
pub(crate) struct Pace {
    at_once: Option<u32>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    active: u32,
    waiting: VecDeque<u64>,
    next_ticket: u64,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    /// A provider asked to be left alone until then.
    paused_until: Option<Instant>,
}

/// Fills up evenly and holds what may be used in a minute.
#[derive(Debug)]
struct Bucket {
    capacity: f64,
    level: f64,
    filled: Instant,
}

impl Bucket {
    fn new(per_minute: u64, now: Instant) -> Self {
        Self {
            capacity: per_minute.max(1) as f64,
            level: per_minute.max(1) as f64,
            filled: now,
        }
    }

    /// How long until so much is there; more than it holds is there when it is full.
    fn wait(&mut self, need: f64, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.level = (self.level + passed * self.capacity / 60.0).min(self.capacity);
        self.filled = now;
        let missing = need.min(self.capacity) - self.level;
        if missing <= 0.0 {
            Duration::ZERO
        } else {
            Duration::from_secs_f64((missing * 60.0 / self.capacity).max(0.001))
        }
    }
}

/// Why a call may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    Interrupted,
    OutOfTime,
}

/// A call that passed. It is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    pace: &'a Pace,
    counted: u64,
}

impl Pace {
    pub(crate) fn new(pacing: &Pacing) -> Self {
        let now = Instant::now();
        Self {
            at_once: pacing.at_once.map(|count| count.max(1)),
            state: Mutex::new(State {
                active: 0,
                waiting: VecDeque::new(),
                next_ticket: 0,
                requests: pacing
                    .requests_per_minute
                    .map(|count| Bucket::new(u64::from(count), now)),
                tokens: pacing.tokens_per_minute.map(|count| Bucket::new(count, now)),
                paused_until: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a call with about so many tokens may be made.
    pub(crate) fn pass(&self, tokens: u64, stop: &AtomicBool, deadline: Option<Instant>) -> Result<Pass<'_>, Stopped> {
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push_back(ticket);
        loop {
            let now = Instant::now();
            let stopped = if stop.load(Ordering::Relaxed) {
                Some(Stopped::Interrupted)
            } else if deadline.is_some_and(|deadline| now >= deadline) {
                Some(Stopped::OutOfTime)
            } else {
                None
            };
            if let Some(stopped) = stopped {
                state.waiting.retain(|waiting| *waiting != ticket);
                drop(state);
                self.changed.notify_all();
                return Err(stopped);
            }
            let wait = if state.waiting.front() == Some(&ticket) {
                state.wait(self.at_once, tokens, now)
            } else {
                GLANCE
            };
            if wait.is_zero() {
                state.waiting.pop_front();
                state.active += 1;
                if let Some(requests) = &mut state.requests {
                    requests.level -= 1.0;
                }
                if let Some(bucket) = &mut state.tokens {
                    bucket.level -= tokens as f64;
                }
                drop(state);
                self.changed.notify_all();
                return Ok(Pass {
                    pace: self,
                    counted: tokens,
                });
            }
            let left = deadline.map_or(GLANCE, |deadline| deadline.saturating_duration_since(now));
            let nap = wait.min(GLANCE).min(left).max(Duration::from_millis(1));
            state = self
                .changed
                .wait_timeout(state, nap)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Nobody passes for this long: the provider asked for it.
    pub(crate) fn pause(&self, wait: Duration) {
        let until = Instant::now().checked_add(wait);
        let mut state = self.lock();
        state.paused_until = state.paused_until.max(until);
    }
}

impl State {
    /// How long the first in the row must wait as far as is known now.
    fn wait(&mut self, at_once: Option<u32>, tokens: u64, now: Instant) -> Duration {
        if at_once.is_some_and(|most| self.active >= most) {
            return GLANCE;
        }
        let paused = self
            .paused_until
            .map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        let requests = self
            .requests
            .as_mut()
            .map_or(Duration::ZERO, |bucket| bucket.wait(1.0, now));
        let tokens = self
            .tokens
            .as_mut()
            .map_or(Duration::ZERO, |bucket| bucket.wait(tokens as f64, now));
        paused.max(requests).max(tokens)
    }
}

impl Pass<'_> {
    /// The call is over and used so many tokens, as far as that is known.
    pub(crate) fn used(mut self, tokens: Option<u64>) {
        let Some(tokens) = tokens else { return };
        if let Some(bucket) = &mut self.pace.lock().tokens {
            bucket.level = (bucket.level + self.counted as f64 - tokens as f64).min(bucket.capacity);
        }
        self.counted = tokens;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.pace.lock().active -= 1;
        self.pace.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn no_more_than_so_many_are_under_way_and_all_get_their_turn() {
        let pace = Pace::new(&Pacing {
            at_once: Some(3),
            ..Pacing::default()
        });
        let (active, most, done) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let pass = pace.pass(10, &stop, None).unwrap();
                        let now = active.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        active.fetch_sub(1, Ordering::SeqCst);
                        pass.used(Some(5));
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 320);
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn a_minute_holds_what_it_holds() {
        let now = Instant::now();
        let mut bucket = Bucket::new(60, now);
        assert_eq!(bucket.wait(60.0, now), Duration::ZERO);
        bucket.level -= 60.0;
        assert_eq!(bucket.wait(1.0, now), Duration::from_secs(1));
        assert_eq!(bucket.wait(1.0, now + Duration::from_secs(1)), Duration::ZERO);
        // More than fits is let through when it is full, and paid for afterwards.
        assert_eq!(bucket.wait(500.0, now + Duration::from_mins(2)), Duration::ZERO);
        bucket.level -= 500.0;
        assert!(bucket.wait(1.0, now + Duration::from_mins(2)) > Duration::from_secs(400));
    }

    #[test]
    fn whoever_waits_can_be_stopped_and_leaves_the_row() {
        let pace = Pace::new(&Pacing {
            requests_per_minute: Some(1),
            ..Pacing::default()
        });
        let stop = AtomicBool::new(false);
        drop(pace.pass(1, &stop, None).unwrap());
        let soon = Instant::now() + Duration::from_millis(5);
        assert_eq!(pace.pass(1, &stop, Some(soon)).unwrap_err(), Stopped::OutOfTime);
        assert_eq!(
            pace.pass(1, &AtomicBool::new(true), None).unwrap_err(),
            Stopped::Interrupted
        );
        pace.pause(Duration::from_hours(1));
        assert_eq!(pace.pass(1, &stop, Some(soon)).unwrap_err(), Stopped::OutOfTime);
        assert!(pace.lock().waiting.is_empty());
    }
}
