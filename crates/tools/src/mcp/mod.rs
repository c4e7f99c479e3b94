//! The tools for other people's agents, over the Model Context Protocol; and other people's tools for ours.
//!
//! Async stays in here: whoever serves or calls waits like everywhere in the house.

mod client;
mod face;
mod http;
mod worker;

use std::{io, net::TcpListener, sync::Arc};

use face::Face;
use rmcp::ServiceExt as _;
use tokio::runtime::{Builder, Runtime};

pub use self::{
    client::{McpServer, McpServerSpec},
    worker::ServedBox,
};

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
pub struct Server {
    face: Face,
    worker: Arc<worker::Worker>,
    runtime: Runtime,
}

impl Server {
    /// Takes the box over.
    pub fn new(served: ServedBox) -> Result<Self, McpError> {
        let runtime = runtime(2)?;
        let specs: Vec<crate::ToolDescription> = served.toolbox.specs().cloned().collect();
        let worker = worker::start(served).map_err(|source| McpError::Io {
            what: "start a thread",
            source,
        })?;
        let worker = Arc::new(worker);
        Ok(Self {
            face: Face::new(specs, Arc::clone(&worker)),
            worker,
            runtime,
        })
    }

    /// Serves one client over standard input and output, until it goes.
    pub fn serve_stdio(self) -> Result<(), McpError> {
        let served = self.runtime.block_on(async {
            let running = self.face.serve(rmcp::transport::stdio()).await.map_err(broken)?;
            running.waiting().await.map(drop).map_err(broken)
        });
        self.worker.end();
        // A read of standard input that is still waiting must not keep the process.
        self.runtime.shutdown_background();
        served
    }

    /// Serves one client over any two-way stream, until it goes.
    pub fn serve_stream<S>(self, stream: S) -> Result<(), McpError>
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + 'static,
    {
        let served = self.runtime.block_on(async {
            let running = self.face.serve(stream).await.map_err(broken)?;
            running.waiting().await.map(drop).map_err(broken)
        });
        self.worker.end();
        served
    }

    /// Serves clients over HTTP at `/mcp`, as long as the process runs or until `stop` is set. Each request must bear the
    /// token, and must be for a name of this machine.
    pub fn serve_http(
        self,
        listener: TcpListener,
        token: &str,
        stop: &std::sync::atomic::AtomicBool,
    ) -> Result<(), McpError> {
        let served = self.runtime.block_on(http::serve(self.face, listener, token, stop));
        self.worker.end();
        self.runtime.shutdown_background();
        served
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
