//! What the house knows about builds, as tools: reading logs, finding packages, plans, and trying them.

mod diagnose;
mod lay;
mod plan;
mod resolve;
mod try_plan;

pub(crate) use diagnose::{Diagnose, told};
pub(crate) use plan::PlanTool;
pub(crate) use resolve::Resolve;
pub(crate) use try_plan::{BuildByRules, TryPlan};
