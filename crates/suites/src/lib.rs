//! Suites: what to try and how to grade it, the corpora that hold their tasks, and how corpora are made.
//!
//! A suite lays a task into a box and judges a submission in a fresh one. It knows no agent: the two meet one floor up.
//! Adding a suite is one folder here and one line in [`suite`].

mod calibration;
mod compile;
mod corpus;
mod crossing;
mod error;
mod importing;
mod lay;
mod mining;
mod mutations;
mod repair;
mod running;
mod setup;
mod suite;

pub use calibration::{aliases, gold_source, gold_submission, lists_only_some, made_by_patches, unpatched_submission};
pub use compile::Compile;
pub use corpus::{Corpus, CorpusError, CorpusFacts, Side, Split, TaskLock, TaskState};
pub use crossing::{
    CrossError, CrossFloor, CrossOptions, CrossReport, Fault, Faults, Gap, GapKind, Pair, Planted, Step, Tried, gaps,
    mine_faults, mine_gaps, plant,
};
pub use error::SuiteError;
pub use importing::{CaseFormat, CaseProblem, ImportError, ImportOptions, ImportReport, Refused, import_cases};
pub use mining::{
    Archive, LeftOut, LiveArchive, MineError, MineOptions, MineReport, RefreshReport, Repinned, mine_debian_compile,
    refresh,
};
pub use mutations::{
    Answer, Case, CaseSet, Catalogue, Change, Consultant, ConsultantError, Dropped, Grades, Instance, Judgement,
    MiningFloor, MutationError, MutationOptions, MutationReport, Opinion, Project, Reveal, SetFacts, Share, Tally,
    grade, judge, mine_mutations, reveal, sides,
};
pub use repair::{Repair, Seen, lay_package, marks, published_answer, published_success};
use seatrial_core::SuiteName;
pub use setup::Setup;
pub use suite::{GradeRequest, Live, Suite};

/// The suite with this name.
pub fn suite(name: &SuiteName) -> Option<&'static dyn Suite> {
    all().into_iter().find(|suite| suite.name() == name.as_str())
}

/// Every suite, in the order in which help texts list them.
pub fn all() -> [&'static dyn Suite; 3] {
    [&Compile, &Repair, &Setup]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_suite_is_found_under_its_own_name() {
        for each in all() {
            let name: SuiteName = each.name().parse().unwrap();
            assert_eq!(suite(&name).map(Suite::name), Some(each.name()));
        }
        assert!(suite(&"nothing".parse().unwrap()).is_none());
    }
}
