//! Counts what models and tools use, and says before a call whether it may be made.

use std::{
    collections::HashMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use seatrial_core::{Budget, Ending, Usage};

use crate::{Price, estimate::Seen};

/// Tokens of an answer for which room is kept when nobody says how long it may be.
pub(crate) const USUAL_OUTPUT: u64 = 16_384;
/// An answer with less room than this is not worth asking for, unless the caller wants so little.
const LEAST_OUTPUT: u64 = 256;

/// Upper bounds; `None` is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Calls of models.
    pub steps: Option<u64>,
    /// Uses of tools.
    pub tool_calls: Option<u64>,
    /// Tokens, requests and answers together.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
}

impl From<&Budget> for Bounds {
    fn from(budget: &Budget) -> Self {
        Self {
            steps: budget.steps,
            tool_calls: budget.tool_calls,
            tokens: budget.tokens,
            cost_micros: budget.cost_micros,
        }
    }
}

/// What was used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Calls of models.
    pub steps: u64,
    /// Uses of tools.
    pub tool_calls: u64,
    /// Tokens of requests.
    pub input: u64,
    /// Those that were read from a cache.
    pub cached_input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// Those that are reasoning.
    pub reasoning: u64,
    /// Tokens in `input` and `output` that no provider has told: counted at their most.
    pub guessed: u64,
    /// Cost in millionths of a US dollar, as far as prices are known.
    pub cost_micros: u64,
    /// Answers without a known price.
    pub unpriced: u64,
}

impl Spent {
    /// Tokens, requests and answers together.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Counts and bounds of one trial, or of a run, which is then the parent of its trials' meters: a call counts in both and must
/// fit both.
#[derive(Debug)]
pub struct Meter {
    name: String,
    label: Option<String>,
    bounds: Bounds,
    parent: Option<Arc<Self>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    spent: Spent,
    held_tokens: u64,
    held_micros: u64,
    seen: HashMap<String, Seen>,
}

/// A bound that a call would pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Denied {
    /// For good.
    Spent(Ending, String),
    /// There is a bound on cost and no price.
    Unpriced,
    /// Other calls hold what is left and may give some of it back.
    Busy,
}

/// What a call is about to need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need<'a> {
    /// Most tokens of its request.
    pub(crate) input: u64,
    /// Most tokens of its answer, as the caller wants it.
    pub(crate) output: Option<u64>,
    /// The most that the model can answer.
    pub(crate) highest_output: Option<u64>,
    pub(crate) price: Option<&'a Price>,
}

/// Room that is kept for a call under way. Dropping it gives the room back.
#[derive(Debug)]
pub(crate) struct Hold<'a> {
    meter: &'a Meter,
    tokens: u64,
    micros: u64,
    /// The bound on the answer's tokens that the call must send along, if there must be one.
    pub(crate) output: Option<u64>,
}

impl Meter {
    /// A meter with these bounds.
    pub fn new(bounds: Bounds) -> Self {
        Self::within(bounds, None)
    }

    /// A meter whose counts are also its parent's.
    pub fn within(bounds: Bounds, parent: Option<Arc<Self>>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            // Unlike that of any other meter, in other processes too.
            name: format!("{:08x}-{number}", fastrand::u32(..)),
            label: None,
            bounds,
            parent,
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
        }
    }

    /// The same with the trial's name: the same name when the trial is done again. A cassette finds by it which of several
    /// answers to the same request is this trial's.
    #[must_use]
    pub fn labelled(mut self, trial: impl Into<String>) -> Self {
        self.label = Some(trial.into());
        self
    }

    pub(crate) fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// What was used so far.
    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    /// The bounds of this meter, without its parent's.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Counts a call of a model, if there may be one more. `Model::complete` does this itself.
    pub fn count_step(&self) -> Result<(), (Ending, String)> {
        self.count(Ending::Steps, "steps", |bounds| bounds.steps, |spent| &mut spent.steps)
    }

    /// Counts a use of a tool, if there may be one more.
    pub fn count_tool_call(&self) -> Result<(), (Ending, String)> {
        self.count(
            Ending::ToolCalls,
            "uses of tools",
            |bounds| bounds.tool_calls,
            |spent| &mut spent.tool_calls,
        )
    }

    /// A name for whatever has this meter: a trial.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn seen(&self, conversation: &str) -> Option<Seen> {
        self.lock().seen.get(conversation).copied()
    }

    pub(crate) fn see(&self, conversation: &str, seen: Seen) {
        self.lock().seen.insert(conversation.to_owned(), seen);
    }

    /// Keeps room for a call: its request and as long an answer as is wanted, or as there is room for.
    pub(crate) fn hold(&self, need: &Need<'_>) -> Result<Hold<'_>, Denied> {
        let chain = self.chain();
        let mut states: Vec<_> = chain.iter().map(|meter| meter.lock()).collect();
        let bounded = chain
            .iter()
            .any(|meter| meter.bounds.tokens.is_some() || meter.bounds.cost_micros.is_some());
        if !bounded {
            drop(states);
            return Ok(Hold {
                meter: self,
                tokens: 0,
                micros: 0,
                output: need.output,
            });
        }
        let wanted = need
            .output
            .unwrap_or(USUAL_OUTPUT)
            .min(need.highest_output.unwrap_or(u64::MAX));
        let least = wanted.min(LEAST_OUTPUT);
        let mut output = wanted;
        for (meter, state) in chain.iter().zip(&states) {
            if let Some(bound) = meter.bounds.tokens {
                let unspent = bound.saturating_sub(state.spent.tokens());
                if unspent < need.input.saturating_add(least) {
                    let why = format!(
                        "{} of {bound} tokens are used, and the next request may have {}",
                        state.spent.tokens(),
                        need.input
                    );
                    return Err(Denied::Spent(Ending::Tokens, why));
                }
                output = output.min(unspent.saturating_sub(state.held_tokens).saturating_sub(need.input));
            }
            if let Some(bound) = meter.bounds.cost_micros {
                let Some(price) = need.price else {
                    return Err(Denied::Unpriced);
                };
                let unspent = bound.saturating_sub(state.spent.cost_micros);
                if unspent < price.most_micros(need.input, least) {
                    let why = format!(
                        "{} of {} US dollars are used, and the next request may cost {}",
                        dollars(state.spent.cost_micros),
                        dollars(bound),
                        dollars(price.most_micros(need.input, least))
                    );
                    return Err(Denied::Spent(Ending::Cost, why));
                }
                let free = unspent.saturating_sub(state.held_micros);
                output = output.min(price.affordable_output(need.input, free));
            }
        }
        if output < least {
            return Err(Denied::Busy);
        }
        let tokens = need.input.saturating_add(output);
        let micros = need.price.map_or(0, |price| price.most_micros(need.input, output));
        for state in &mut states {
            state.held_tokens = state.held_tokens.saturating_add(tokens);
            state.held_micros = state.held_micros.saturating_add(micros);
        }
        drop(states);
        Ok(Hold {
            meter: self,
            tokens,
            micros,
            output: Some(output),
        })
    }

    /// Waits a moment, or less when room was given back.
    pub(crate) fn wait(&self, moment: Duration) {
        // Others hold room of the meter that they share with this one: the farthest.
        let chain = self.chain();
        let last = chain.last().copied().unwrap_or(self);
        let state = last.lock();
        drop(
            last.changed
                .wait_timeout(state, moment)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This meter and those above it: the order in which their states are locked.
    fn chain(&self) -> Vec<&Self> {
        let mut chain = vec![self];
        let mut next = self.parent.as_deref();
        while let Some(meter) = next {
            chain.push(meter);
            next = meter.parent.as_deref();
        }
        chain
    }

    fn count(
        &self,
        ending: Ending,
        what: &str,
        bound: impl Fn(&Bounds) -> Option<u64>,
        counter: impl Fn(&mut Spent) -> &mut u64,
    ) -> Result<(), (Ending, String)> {
        let chain = self.chain();
        let mut states: Vec<_> = chain.iter().map(|meter| meter.lock()).collect();
        for (meter, state) in chain.iter().zip(&mut states) {
            let count = *counter(&mut state.spent);
            if let Some(bound) = bound(&meter.bounds)
                && count >= bound
            {
                return Err((ending, format!("{count} of {bound} {what} are used")));
            }
        }
        for state in &mut states {
            *counter(&mut state.spent) += 1;
        }
        drop(states);
        Ok(())
    }
}

/// What a call turned out to use.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Charge {
    pub(crate) usage: Usage,
    /// For a request whose tokens nobody tells.
    pub(crate) most_input: u64,
    /// For an answer whose tokens nobody tells.
    pub(crate) most_output: u64,
    /// `None` without a price.
    pub(crate) micros: Option<u64>,
}

impl Hold<'_> {
    /// The call is over: what it used takes the place of what was kept for it.
    pub(crate) fn settle(mut self, charge: &Charge) {
        let usage = &charge.usage;
        for meter in self.meter.chain() {
            let mut state = meter.lock();
            state.held_tokens = state.held_tokens.saturating_sub(self.tokens);
            state.held_micros = state.held_micros.saturating_sub(self.micros);
            let spent = &mut state.spent;
            let add = |sum: &mut u64, number: u64| *sum = sum.saturating_add(number);
            add(&mut spent.input, usage.input.unwrap_or(charge.most_input));
            add(&mut spent.output, usage.output.unwrap_or(charge.most_output));
            let guessed_input = usage.input.map_or(charge.most_input, |_| 0);
            let guessed_output = usage.output.map_or(charge.most_output, |_| 0);
            add(&mut spent.guessed, guessed_input.saturating_add(guessed_output));
            add(&mut spent.cached_input, usage.cached_input.unwrap_or(0));
            add(&mut spent.reasoning, usage.reasoning.unwrap_or(0));
            match charge.micros {
                Some(micros) => add(&mut spent.cost_micros, micros),
                None => spent.unpriced += 1,
            }
            drop(state);
            meter.changed.notify_all();
        }
        (self.tokens, self.micros) = (0, 0);
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if (self.tokens, self.micros) == (0, 0) {
            return;
        }
        for meter in self.meter.chain() {
            let mut state = meter.lock();
            state.held_tokens = state.held_tokens.saturating_sub(self.tokens);
            state.held_micros = state.held_micros.saturating_sub(self.micros);
            drop(state);
            meter.changed.notify_all();
        }
    }
}

fn dollars(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prices;

    fn need(input: u64, output: Option<u64>) -> Need<'static> {
        Need {
            input,
            output,
            highest_output: None,
            price: None,
        }
    }

    fn used(input: u64, output: u64) -> Charge {
        let usage = Usage {
            input: Some(input),
            output: Some(output),
            ..Usage::default()
        };
        Charge {
            usage,
            ..Charge::default()
        }
    }

    #[test]
    fn an_answer_gets_the_room_that_is_left() {
        let meter = Meter::new(Bounds {
            tokens: Some(10_000),
            ..Bounds::default()
        });
        let hold = meter.hold(&need(4000, None)).unwrap();
        assert_eq!(hold.output, Some(6000));
        assert_eq!(meter.hold(&need(100, None)).unwrap_err(), Denied::Busy);
        hold.settle(&used(1000, 2000));
        assert_eq!(meter.hold(&need(4000, Some(100))).unwrap().output, Some(100));
        assert_eq!(meter.hold(&need(6800, Some(150))).unwrap().output, Some(150));
        let denied = meter.hold(&need(6900, Some(200))).unwrap_err();
        assert_eq!(
            denied,
            Denied::Spent(
                Ending::Tokens,
                "3000 of 10000 tokens are used, and the next request may have 6900".into()
            )
        );
        assert_eq!(meter.spent().tokens(), 3000);
    }

    #[test]
    fn what_nobody_tells_counts_at_its_most() {
        let meter = Meter::new(Bounds {
            tokens: Some(10_000),
            ..Bounds::default()
        });
        let hold = meter.hold(&need(500, None)).unwrap();
        hold.settle(&Charge {
            most_input: 500,
            most_output: 70,
            ..Charge::default()
        });
        let spent = meter.spent();
        assert_eq!(
            (spent.input, spent.output, spent.guessed, spent.unpriced),
            (500, 70, 570, 1)
        );
    }

    #[test]
    fn a_bound_on_cost_wants_a_price() {
        let meter = Meter::new(Bounds {
            cost_micros: Some(10_000),
            ..Bounds::default()
        });
        assert_eq!(meter.hold(&need(1, None)).unwrap_err(), Denied::Unpriced);
        let prices = Prices::default();
        let price = prices.of(&"openai/gpt-5".parse().unwrap());
        let hold = meter
            .hold(&Need {
                price,
                ..need(1000, None)
            })
            .unwrap();
        assert_eq!(hold.output, Some(875));
        drop(hold);
        let denied = meter
            .hold(&Need {
                price,
                ..need(8000, None)
            })
            .unwrap_err();
        assert!(matches!(denied, Denied::Spent(Ending::Cost, _)), "{denied:?}");
    }

    #[test]
    fn many_at_once_never_pass_a_bound_and_nothing_stays_held() {
        let run = Arc::new(Meter::new(Bounds {
            tokens: Some(200_000),
            steps: Some(500),
            ..Bounds::default()
        }));
        std::thread::scope(|scope| {
            for seed in 0..16 {
                let run = run.clone();
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(seed);
                    let trial = Meter::within(
                        Bounds {
                            tokens: Some(30_000),
                            ..Bounds::default()
                        },
                        Some(run.clone()),
                    );
                    loop {
                        if trial.count_step().is_err() {
                            break;
                        }
                        let input = random.u64(1..3000);
                        match trial.hold(&need(input, None)) {
                            Ok(hold) => {
                                assert!(run.spent().tokens() <= 200_000);
                                let room = hold.output.unwrap();
                                match random.u32(..4) {
                                    0 => drop(hold),
                                    _ => hold.settle(&used(random.u64(..=input), random.u64(..=room.min(2000)))),
                                }
                            }
                            Err(Denied::Busy) => trial.wait(Duration::from_millis(1)),
                            Err(_) => break,
                        }
                    }
                    let spent = trial.spent().tokens();
                    assert!(spent <= 30_000, "{spent}");
                });
            }
        });
        assert!(run.spent().tokens() <= 200_000 && run.spent().steps <= 500);
        let state = run.lock();
        assert_eq!((state.held_tokens, state.held_micros), (0, 0));
    }
}
