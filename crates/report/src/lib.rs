//! Views of runs: rates with their intervals, tables, and the same as data.
//!
//! Everything here is derived from results that are derived from journals, and can be made again at any time. Judges
//! nothing, runs nothing, writes nothing (the failure report reads the logs that journals name): texts are handed back to the caller.

mod compare;
mod drain;
mod failures;
mod failures_text;
mod markdown;
mod rates;
mod repair;
mod shares;
pub mod stats;
mod summary;
mod text;
pub mod trajectory;
mod visible;

pub use compare::{COMPARISON_VERSION, ComparedRun, Comparison, Pair};
pub use failures::{Count, FAILURES_VERSION, FailedTrial, FailureReport, Proposal};
pub use repair::{
    ClassRow, DirectionRow, EditMode, Iteration, MeanRow, Published, RepairFacts, RepairFigures, RepairWork, published,
};
pub use shares::{ShareRow, ShareTable};
pub use summary::{
    ArtifactSet, Counts, Level, ModelUse, PassAt, Rate, Row, RunSummary, SUMMARY_VERSION, TrialOutcome, TrialRow,
    WallTime,
};
pub use text::duration;
pub use visible::{one_line, visible};
