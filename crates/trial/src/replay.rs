//! Does again what an agent did in a trial, in a fresh box and without a model.

use std::path::Path;

use seatrial_agents::{AgentError, Redone, SolveContext};
use seatrial_core::{Event, Task};
use seatrial_sandbox::{BoxSpec, Limits, SandboxFactory as _};
use seatrial_store::{read_journal, unix_millis};

use crate::{Bench, Networks, TrialError, network::TrialNetwork, stop::Stoppable};

/// What a replay needs to know beside the bench.
pub struct Replay<'a> {
    /// The task of the trial.
    pub task: &'a Task,
    /// The trial's folder: its journal, and what its network gave.
    pub folder: &'a Path,
    /// Whether the network is asked anew instead of answering from the trial's record.
    pub live: bool,
}

/// Why a replay came to no end.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The machinery of trials.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// The machinery of agents.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The source cannot be had.
    #[error(transparent)]
    Source(#[from] seatrial_source::SourceError),
    /// The box broke.
    #[error(transparent)]
    Sandbox(#[from] seatrial_sandbox::SandboxError),
    /// What was handed in cannot be laid.
    #[error("what the trial handed in cannot be laid into a box: {0}")]
    NotLaid(String),
    /// The task could not be prepared.
    #[error(transparent)]
    Suite(#[from] seatrial_suites::SuiteError),
}

impl Bench<'_> {
    /// Does again what the agent of a trial did. `told` hears of each thing as it is done, `output` of what commands write.
    pub fn replay(
        &self,
        replay: &Replay<'_>,
        told: &mut dyn FnMut(&Redone),
        output: &mut dyn FnMut(&[u8]),
    ) -> Result<Vec<Redone>, ReplayError> {
        let entries = read_journal(&replay.folder.join("journal.jsonl"))
            .map_err(TrialError::from)?
            .entries;
        let source = self.fetcher.fetch(&replay.task.source)?;
        let own;
        let folder = if replay.live {
            // A record of its own: that of the trial stays as it is.
            own = tempfile::Builder::new()
                .prefix(&format!("replay-{}-", unix_millis()))
                .tempdir()
                .map_err(TrialError::from)?;
            own.path()
        } else {
            replay.folder
        };
        let networks: Option<Networks<'_>> = self.network;
        let network = TrialNetwork::new(networks, folder)?;
        let factory = Stoppable {
            factory: self.factory,
            stop: &self.stop,
        };
        let mut sandbox = factory.start(&BoxSpec {
            image: self.image,
            limits: Limits::default(),
            network: if replay.live { network.live } else { network.sealed },
        })?;
        self.suite
            .prepare(replay.task, &source, &self.blobs, sandbox.as_mut())?;
        if let Some(submission) = seatrial_agents::handed_in_alone(&entries)
            && let Err(reason) = self.suite.lay(submission, sandbox.as_mut())?
        {
            return Err(ReplayError::NotLaid(reason));
        }
        let mut events: Vec<Event> = Vec::new();
        let mut context = SolveContext {
            task: replay.task,
            tree: &source.root,
            sandbox: sandbox.as_mut(),
            resolver: self.resolver.as_deref(),
            rebuilder: None,
            blobs: &self.blobs,
            events: &mut events,
            output,
            deadline: None,
            forbid: self.forbid,
            base_packages: self.base_packages,
        };
        Ok(seatrial_agents::replay(&entries, &mut context, told)?)
    }
}
