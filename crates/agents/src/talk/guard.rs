//! Notices that an agent goes in circles.
//!
//! The limits are those that the OpenHands code bases publish: 4 times the same action with the same result, 3 times the same
//! action with an error, 3 messages without an action, 6 steps that alternate between two, 10 condensations in a row.

use std::collections::VecDeque;

use seatrial_core::Digest;

/// When is often too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GuardLimits {
    /// The same action with the same result.
    pub(crate) same: usize,
    /// The same action with an error.
    pub(crate) failing: usize,
    /// Messages of the model without an action.
    pub(crate) monologue: usize,
    /// Steps that alternate between two.
    pub(crate) alternating: usize,
    /// Condensations with nothing between them.
    pub(crate) condensations: usize,
}

impl Default for GuardLimits {
    fn default() -> Self {
        Self {
            same: 4,
            failing: 3,
            monologue: 3,
            alternating: 6,
            condensations: 10,
        }
    }
}

/// What is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Nudge {
    /// Nothing.
    None,
    /// Tell the model, once.
    Tell(String),
    /// End it.
    Stop(String),
}

/// Notices that an agent goes in circles. What is told once may go on; the second time it ends.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    limits: GuardLimits,
    steps: VecDeque<Step>,
    monologue: usize,
    condensations: usize,
    told: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    action: Digest,
    result: Digest,
    failed: bool,
}

impl Guard {
    /// A tool was used.
    pub(crate) fn acted(&mut self, name: &str, arguments: &str, result: &str, failed: bool) -> Nudge {
        (self.monologue, self.condensations) = (0, 0);
        self.steps.push_back(Step {
            action: Digest::of(format!("{name}\0{arguments}").as_bytes()),
            result: Digest::of(without_times(result).as_bytes()),
            failed,
        });
        while self.steps.len() > self.longest() {
            self.steps.pop_front();
        }
        self.judge()
    }

    /// The model spoke and did nothing.
    pub(crate) fn spoke(&mut self) -> Nudge {
        self.condensations = 0;
        self.monologue += 1;
        if self.monologue >= self.limits.monologue {
            return Nudge::Stop(format!("{} messages in a row did nothing", self.monologue));
        }
        Nudge::None
    }

    /// Older messages were condensed.
    pub(crate) fn condensed(&mut self) -> Nudge {
        self.condensations += 1;
        if self.condensations >= self.limits.condensations {
            return Nudge::Stop(format!(
                "condensed {} times with nothing done in between",
                self.condensations
            ));
        }
        Nudge::None
    }

    fn longest(&self) -> usize {
        let limits = self.limits;
        limits.same.max(limits.failing).max(limits.alternating)
    }

    fn judge(&mut self) -> Nudge {
        let limits = self.limits;
        let last = |count: usize| self.steps.iter().rev().take(count);
        let all = |count: usize, test: &dyn Fn(&Step, &Step) -> bool| {
            let newest = self.steps.back();
            self.steps.len() >= count && newest.is_some_and(|newest| last(count).all(|step| test(step, newest)))
        };
        let same = all(limits.same, &|step, newest| {
            step.action == newest.action && step.result == newest.result
        });
        let failing = all(limits.failing, &|step, newest| {
            step.action == newest.action && step.failed && newest.failed
        });
        let steps: Vec<&Step> = last(limits.alternating).collect();
        let alternating = steps.len() == limits.alternating
            && steps.windows(3).all(|three| three[0] == three[2])
            && steps.first() != steps.get(1);
        let why = if same {
            format!("the same action had the same result {} times", limits.same)
        } else if failing {
            format!("the same action failed {} times", limits.failing)
        } else if alternating {
            format!("the last {} actions alternate between two", limits.alternating)
        } else {
            return Nudge::None;
        };
        self.steps.clear();
        if self.told {
            return Nudge::Stop(why);
        }
        self.told = true;
        Nudge::Tell(why)
    }
}

/// A result without the numbers of clocks and process ids, which differ each time: digits are all the same.
fn without_times(result: &str) -> String {
    result
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nudges(steps: &[(&str, &str, bool)]) -> Vec<Nudge> {
        let mut guard = Guard::default();
        steps
            .iter()
            .map(|(action, result, failed)| guard.acted("shell", action, result, *failed))
            .collect()
    }

    #[test]
    fn circles_are_told_once_and_end_the_second_time() {
        let same = [("ls", "a [0.1 s]", false), ("ls", "a [0.2 s]", false)].repeat(4);
        let found = nudges(&same);
        assert!(
            matches!(&found[3], Nudge::Tell(why) if why.contains("4 times")),
            "{found:?}"
        );
        assert!(matches!(&found[7], Nudge::Stop(_)), "{found:?}");
        assert!(found[..3].iter().chain(&found[4..7]).all(|nudge| *nudge == Nudge::None));
    }

    #[test]
    fn failures_count_sooner_and_two_in_turn_are_a_circle_too() {
        let failing = [
            ("make", "no rule 1", true),
            ("make", "no rule 2", true),
            ("make", "other", true),
        ];
        assert!(matches!(&nudges(&failing)[2], Nudge::Tell(why) if why.contains("failed 3 times")));
        let turns = [("a", "x", false), ("b", "y", false)].repeat(3);
        assert!(matches!(&nudges(&turns)[5], Nudge::Tell(why) if why.contains("alternate")));
        let progress = [("a", "x", false), ("b", "y", false), ("a", "z", false)].repeat(4);
        assert!(nudges(&progress).iter().all(|nudge| *nudge == Nudge::None));
    }

    #[test]
    fn talk_without_action_and_endless_condensing_end() {
        let mut guard = Guard::default();
        assert_eq!(guard.spoke(), Nudge::None);
        assert_eq!(guard.spoke(), Nudge::None);
        assert_eq!(guard.acted("shell", "ls", "", false), Nudge::None);
        assert_eq!((guard.spoke(), guard.spoke()), (Nudge::None, Nudge::None));
        assert!(matches!(guard.spoke(), Nudge::Stop(_)));
        let mut guard = Guard::default();
        let ends: Vec<Nudge> = (0..10).map(|_| guard.condensed()).collect();
        assert!(ends[..9].iter().all(|nudge| *nudge == Nudge::None) && matches!(ends[9], Nudge::Stop(_)));
    }
}
