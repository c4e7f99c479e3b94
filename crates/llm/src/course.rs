//! What becomes of one call, from its first request to its record.

use std::time::Instant;

use seatrial_core::{Digest, Finish, ModelRecord, Usage};

use crate::{CallContext, Price, meter::Charge, wire::Decoded};

/// What is known of a call so far.
pub(crate) struct Course {
    started: Instant,
    pub(crate) attempts: u32,
    usage: Usage,
    micros: Option<u64>,
    is_charged: bool,
    first_piece_ms: Option<u64>,
    pub(crate) request: Option<Digest>,
    pub(crate) adapted: Vec<String>,
    pub(crate) finish: Option<Finish>,
    answered_by: Option<String>,
}

impl Course {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            attempts: 0,
            usage: Usage::default(),
            micros: None,
            is_charged: false,
            first_piece_ms: None,
            request: None,
            adapted: Vec::new(),
            finish: None,
            answered_by: None,
        }
    }

    /// A piece of an answer came.
    pub(crate) fn piece_came(&mut self) {
        let passed = self.started.elapsed().as_millis() as u64;
        self.first_piece_ms.get_or_insert(passed);
    }

    /// Adds what an attempt used. What a provider does not tell is charged at its most where there is a bound, and stays
    /// unknown in the record.
    pub(crate) fn charge(
        &mut self,
        decoded: &Decoded,
        price: Option<&Price>,
        most_input: u64,
        most_output: u64,
    ) -> Charge {
        let usage = decoded.usage;
        let known = price.and_then(|price| price.cost_micros(&usage)).or_else(|| {
            decoded
                .cost
                .filter(|cost| *cost >= 0.0)
                .map(|dollars| (dollars * 1e6).ceil() as u64)
        });
        let guessed = price
            .map(|price| price.most_micros(usage.input.unwrap_or(most_input), usage.output.unwrap_or(most_output)));
        let both = |sum: Option<u64>, more: Option<u64>| match (sum, more) {
            (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
            (sum, more) => sum.or(more),
        };
        // A cost is known when that of each attempt is.
        self.micros = if self.is_charged {
            self.micros.zip(known).map(|(sum, more)| sum.saturating_add(more))
        } else {
            known
        };
        self.is_charged = true;
        self.usage = Usage {
            input: both(self.usage.input, usage.input),
            cached_input: both(self.usage.cached_input, usage.cached_input),
            cache_write: both(self.usage.cache_write, usage.cache_write),
            output: both(self.usage.output, usage.output),
            reasoning: both(self.usage.reasoning, usage.reasoning),
        };
        if decoded.answered_by.is_some() {
            self.answered_by.clone_from(&decoded.answered_by);
        }
        Charge {
            usage,
            most_input,
            most_output,
            micros: known.or(guessed),
        }
    }

    /// The record.
    pub(crate) fn record(&self, call: &CallContext<'_>, model: String, error: Option<String>) -> ModelRecord {
        ModelRecord {
            conversation: call.conversation.to_owned(),
            model,
            answered_by: self.answered_by.clone(),
            finish: self.finish,
            error,
            usage: self.usage,
            cost_micros: self.micros,
            attempts: self.attempts,
            adapted: self.adapted.clone(),
            first_piece_ms: self.first_piece_ms,
            wall_ms: self.started.elapsed().as_millis() as u64,
            request: self.request,
        }
    }
}
