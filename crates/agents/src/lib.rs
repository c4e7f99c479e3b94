//! Agents: strategies that turn a task and a box into a submission.
//!
//! An agent sees the task, the pinned source and its box. It never sees a truth and knows no suite. Adding one is one
//! file here and one line in [`agent`].

mod assemblage;
mod codeql;
mod compile_agent;
mod context;
mod debhelper;
pub mod external;
mod fake;
mod ghcc;
mod hybrid;
mod mend;
mod null;
mod ognibuild;
mod oss_build;
mod react;
mod repair;
mod replay;
mod retrieval;
mod rules;
mod setup;
mod single_turn;
mod steps;
mod survey;
mod talk;

use assemblage::Assemblage;
use codeql::CodeqlOrder;
pub use context::{Agent, AgentError, SolveContext};
use debhelper::DebhelperOrder;
use fake::Fake;
pub use fake::fake_script;
use ghcc::Ghcc;
pub use mend::BUILDS_AS_IT_IS;
use null::Null;
pub use ognibuild::Ognibuild;
pub use repair::{RepairOptions, rebuild_package};
pub use replay::{How, Redone, handed_in_alone, replay};
pub use retrieval::{
    Embedder, HashedWords, LabelError, Labels, Repository, Retrieval, RetrievalScore, measure_retrieval,
};
pub use rules::Rules;
pub use talk::{AgentOptions, AgentSettings, CondenserKind, Feedback};

/// An agent that there is.
pub struct AgentRow {
    make: fn(&AgentSettings) -> Box<dyn Agent>,
}

impl AgentRow {
    /// The agent with these settings. What it lacks it says when it is set to work.
    pub fn make(&self, settings: &AgentSettings) -> Box<dyn Agent> {
        (self.make)(settings)
    }
}

/// Every agent, in the order in which help texts list them.
pub fn all() -> Vec<AgentRow> {
    fn row(make: fn(&AgentSettings) -> Box<dyn Agent>) -> AgentRow {
        AgentRow { make }
    }
    vec![
        row(|settings| {
            Box::new(Rules {
                policy: settings.policy.clone(),
            })
        }),
        row(|settings| Box::new(hybrid::Hybrid(settings.clone()))),
        row(|settings| Box::new(single_turn::SingleTurn(settings.clone()))),
        row(|settings| Box::new(react::BashLoop(settings.clone()))),
        row(|settings| Box::new(react::CodeAct(settings.clone()))),
        row(|settings| Box::new(repair::McpRepair(settings.clone()))),
        row(|settings| Box::new(oss_build::OssBuild(settings.clone()))),
        row(|settings| Box::new(compile_agent::CompileAgent(settings.clone()))),
        row(|_| Box::new(Ghcc)),
        row(|_| Box::new(Assemblage)),
        row(|_| Box::new(DebhelperOrder)),
        row(|_| Box::new(CodeqlOrder)),
        row(|settings| Box::new(Ognibuild::of(settings.program.clone()))),
        row(|settings| Box::new(external::External(settings.external.clone()))),
        row(|_| Box::new(setup::Deterministic(setup::Procedure::Published))),
        row(|_| Box::new(setup::Deterministic(setup::Procedure::Mended))),
        row(|_| Box::new(Null)),
        row(|_| Box::new(Fake)),
    ]
}

/// The agent with this name and these settings.
pub fn agent(name: &str, settings: &AgentSettings) -> Option<Box<dyn Agent>> {
    all()
        .iter()
        .map(|row| row.make(settings))
        .find(|agent| agent.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_is_found_under_its_own_name() {
        let settings = AgentSettings::default();
        for row in all() {
            let name = row.make(&settings).name();
            assert_eq!(agent(name, &settings).map(|agent| agent.name()), Some(name));
        }
        assert!(agent("nobody", &settings).is_none());
    }
}
