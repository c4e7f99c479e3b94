//! The Docker back end: one container per box, through the API of Docker or Podman.
//!
//! The first process of a container is an agent of ours: the helper program, run by its own dynamic loader out of a
//! folder that is mounted read-only, so that an image needs nothing but a kernel that runs it. Harness and agent talk
//! over the container's standard input and output. The agent starts commands, as the native back end's first process
//! does, and knows codes, signals, times and memory from the kernel; a command costs no request to the daemon. When the
//! harness dies, however it dies, the daemon closes the agent's input; the agent ends, the kernel ends everything else
//! in the container, and the daemon removes it.
//!
//! | module | runs in | what |
//! |---|---|---|
//! | [`factory`], [`machine`], [`snapshots`] | harness | makes boxes, works in them, freezes and goes back |
//! | [`running`] | harness | passes a command's output on and enforces its limits |
//! | [`daemon`] | harness | requests to the daemon |
//! | [`link`] | harness | its end of the conversation with an agent |
//! | [`program`] | harness | the agent's program with what it needs to run anywhere |
//! | [`door`] | both | sockets of the network door, opened inside, handed outside |
//! | [`protocol`], [`listing`] | both | frames, and how trees looked |
//! | [`agent`], [`walk`] | container | the first process |

mod agent;
mod daemon;
mod door;
mod factory;
mod link;
mod listing;
mod machine;
mod program;
mod protocol;
mod running;
mod snapshots;
mod walk;

pub(crate) use agent::{AGENT, main as agent_main};
pub use daemon::probe_daemon;
pub use factory::DockerFactory;
