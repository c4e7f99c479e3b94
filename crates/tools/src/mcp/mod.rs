//! The tools for other people's agents, over the Model Context Protocol; and other people's tools for ours.
//!
//! Async stays in here: whoever serves or calls waits like everywhere in the house.

mod client;
mod face;
mod http;
mod worker;

use std::{
    io,
    net::TcpListener,
    sync::{Arc, atomic::AtomicBool},
};

use face::Face;
use rmcp::ServiceExt as _;
use tokio::runtime::{Builder, Runtime};
use worker::Worker;

pub use self::{
    client::{McpServer, McpServerSpec, McpWay},
    worker::ServedBox,
};
use crate::Toolbox;

/// Serving or calling over the protocol failed.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The machine said no.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The machine's answer.
        source: io::Error,
    },
    /// The other side did not keep to the protocol, or went away.
    #[error("{what}: {reason}")]
    Protocol {
        /// With whom.
        what: String,
        /// What went wrong.
        reason: String,
    },
}

/// Serves tools over one box. Clients take turns: a box does one thing at a time.
///
/// A client is greeted before the box is there, because making one may take longer than clients wait for a greeting.
pub struct Server {
    face: Face,
    worker: Arc<Worker>,
    queue: worker::Queue,
    runtime: Runtime,
}

impl Server {
    /// A server of these tools. The task is what there is to do, for clients that ask.
    pub fn new(toolbox: &Toolbox, task: &str) -> Result<Self, McpError> {
        let (worker, queue) = worker::new(task);
        let worker = Arc::new(worker);
        Ok(Self {
            face: Face::new(toolbox.specs().cloned().collect(), Arc::clone(&worker)),
            worker,
            queue,
            runtime: runtime(2)?,
        })
    }

    /// Serves one client over standard input and output, until it goes. The box is made meanwhile; when that fails, calls
    /// are answered with the reason.
    pub fn serve_stdio(self, make: impl FnOnce() -> Result<ServedBox, String>) -> Result<(), McpError> {
        let face = self.face.clone();
        self.drive(
            async move {
                let running = face.serve(rmcp::transport::stdio()).await.map_err(broken)?;
                running.waiting().await.map(drop).map_err(broken)
            },
            make,
        )
    }

    /// Serves one client over any two-way stream, until it goes.
    pub fn serve_stream<S>(self, stream: S, make: impl FnOnce() -> Result<ServedBox, String>) -> Result<(), McpError>
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + 'static,
    {
        let face = self.face.clone();
        self.drive(
            async move {
                let running = face.serve(stream).await.map_err(broken)?;
                running.waiting().await.map(drop).map_err(broken)
            },
            make,
        )
    }

    /// Serves clients over HTTP at `/mcp`, as long as the process runs or until `stop` is set. Each request must bear the
    /// token, and must be for a name of this machine.
    pub fn serve_http(
        self,
        listener: TcpListener,
        token: &str,
        stop: Arc<AtomicBool>,
        make: impl FnOnce() -> Result<ServedBox, String>,
    ) -> Result<(), McpError> {
        let (face, token) = (self.face.clone(), token.to_owned());
        self.drive(async move { http::serve(face, listener, &token, &stop).await }, make)
    }

    /// Speaks the protocol on other threads, and makes and works the box on this one.
    fn drive(
        self,
        protocol: impl Future<Output = Result<(), McpError>> + Send + 'static,
        make: impl FnOnce() -> Result<ServedBox, String>,
    ) -> Result<(), McpError> {
        let worker = Arc::clone(&self.worker);
        let spoken = self.runtime.spawn(async move {
            let spoken = protocol.await;
            worker.end();
            spoken
        });
        let worked = self.queue.work(make, &self.worker);
        let spoken = self.runtime.block_on(spoken).map_err(broken)?;
        // A read of standard input that is still waiting must not keep the process.
        self.runtime.shutdown_background();
        spoken.and(worked.map_err(|reason| McpError::Protocol {
            what: "the box".to_owned(),
            reason,
        }))
    }
}

fn runtime(threads: usize) -> Result<Runtime, McpError> {
    Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("mcp")
        .enable_all()
        .build()
        .map_err(|source| McpError::Io {
            what: "start threads",
            source,
        })
}

fn broken(error: impl std::fmt::Display) -> McpError {
    McpError::Protocol {
        what: "the client".to_owned(),
        reason: error.to_string(),
    }
}
