//! Agents: strategies that turn a task and a box into a submission.
//!
//! An agent sees the task, the pinned source and its box. It never sees a truth and knows no suite. Adding one is one
//! file here and one line in [`agent`].

mod assemblage;
mod codeql;
mod context;
mod debhelper;
mod fake;
mod ghcc;
mod null;
mod ognibuild;
mod rules;
mod steps;
mod survey;

use assemblage::Assemblage;
use codeql::CodeqlOrder;
pub use context::{Agent, AgentError, SolveContext};
use debhelper::DebhelperOrder;
use fake::Fake;
pub use fake::fake_script;
use ghcc::Ghcc;
use null::Null;
pub use ognibuild::Ognibuild;
pub use rules::Rules;

/// The agent with this name.
pub fn agent(name: &str) -> Option<&'static dyn Agent> {
    all().into_iter().find(|agent| agent.name() == name)
}

/// Every agent, in the order in which help texts list them.
pub fn all() -> [&'static dyn Agent; 8] {
    [
        &*rules::USUAL,
        &Ghcc,
        &Assemblage,
        &DebhelperOrder,
        &CodeqlOrder,
        &ognibuild::WITHOUT_PROGRAM,
        &Null,
        &Fake,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_is_found_under_its_own_name() {
        for each in all() {
            assert_eq!(agent(each.name()).map(Agent::name), Some(each.name()));
        }
        assert!(agent("nobody").is_none());
    }
}
