//! HTTP. Callers block; what happens on the network happens on threads of this crate's own.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Duration,
};

use bytes::Bytes;
use reqwest::{NoProxy, redirect::Policy};
use tokio::{runtime::Runtime, task::AbortHandle};

/// Threads for the network; they only pass bytes on.
const THREADS: usize = 2;
/// What a proxy has nothing to do with.
const LOCAL: &str = "localhost,127.0.0.0/8,::1";
/// Idle connections are closed before most servers close them, so that a request seldom meets a dead one.
const IDLE: Duration = Duration::from_secs(15);

/// Connections to providers.
#[derive(Debug)]
pub(crate) struct Transport {
    client: reqwest::Client,
    /// `None` only while it is being dropped.
    runtime: Option<Runtime>,
}

/// How connections are made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    pub(crate) proxy: Option<String>,
    pub(crate) unproxied: Option<String>,
    pub(crate) connect: Duration,
    /// No certificate is looked at: nothing on the way speaks TLS.
    pub(crate) trusts_nobody: bool,
}

/// A request to send.
pub(crate) struct Outbound {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Bytes of the answer after which nobody listens any more.
    pub(crate) bound: usize,
}

/// What comes back, in order.
#[derive(Debug)]
pub(crate) enum Arrival {
    Head {
        status: u16,
        headers: Vec<(String, String)>,
    },
    Bytes(Bytes),
    End,
    /// There was no connection, or no answer on it.
    Unreachable(String),
    /// The answer broke off.
    Broken(String),
}

/// An answer that is coming in. Dropping it closes the connection.
pub(crate) struct Inbound {
    arrivals: Receiver<Arrival>,
    task: AbortHandle,
}

impl Transport {
    pub(crate) fn new(way: &Way) -> Result<Self, String> {
        // Somebody else may have chosen already, and then it is the same one: no other is compiled in.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .connect_timeout(way.connect)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .user_agent(concat!("seatrial/", env!("CARGO_PKG_VERSION")))
            // Also keeps it from reading the environment.
            .no_proxy();
        if way.trusts_nobody {
            builder = builder.tls_certs_only(Vec::new());
        }
        if let Some(proxy) = &way.proxy {
            let hosts = format!("{LOCAL},{}", way.unproxied.as_deref().unwrap_or_default());
            let proxy = reqwest::Proxy::all(proxy).map_err(|error| format!("the proxy {proxy}: {}", reason(&error)))?;
            builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(&hosts)));
        }
        let client = builder.build().map_err(|error| reason(&error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("seatrial-models")
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            client,
            runtime: Some(runtime),
        })
    }

    /// Sends a request.
    pub(crate) fn send(&self, outbound: Outbound) -> Result<Inbound, String> {
        let Some(runtime) = &self.runtime else {
            return Err("it is being shut down".to_owned());
        };
        let mut request = self.client.post(&outbound.url);
        for (name, value) in &outbound.headers {
            request = request.header(name, value);
        }
        let request = request.body(outbound.body).build().map_err(|error| reason(&error))?;
        let (sender, arrivals) = channel();
        let client = self.client.clone();
        let task = runtime.spawn(async move {
            let last = exchange(client, request, outbound.bound, &sender).await;
            // Nobody listens when the caller has given up.
            drop(sender.send(last));
        });
        Ok(Inbound {
            arrivals,
            task: task.abort_handle(),
        })
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for its threads is forbidden inside of another runtime, and there is nothing to wait for.
            runtime.shutdown_background();
        }
    }
}

async fn exchange(
    client: reqwest::Client,
    request: reqwest::Request,
    bound: usize,
    sender: &Sender<Arrival>,
) -> Arrival {
    let mut response = match client.execute(request).await {
        Ok(response) => response,
        Err(error) => return Arrival::Unreachable(reason(&error)),
    };
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let head = Arrival::Head {
        status: response.status().as_u16(),
        headers,
    };
    if sender.send(head).is_err() {
        return Arrival::End;
    }
    let mut count = 0_usize;
    loop {
        match response.chunk().await {
            Ok(Some(bytes)) => {
                count = count.saturating_add(bytes.len());
                if sender.send(Arrival::Bytes(bytes)).is_err() || count > bound {
                    return Arrival::End;
                }
            }
            Ok(None) => return Arrival::End,
            Err(error) => return Arrival::Broken(reason(&error)),
        }
    }
}

impl Inbound {
    /// What comes next, when it comes within this time.
    pub(crate) fn next(&self, within: Duration) -> Option<Arrival> {
        match self.arrivals.recv_timeout(within) {
            Ok(arrival) => Some(arrival),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Arrival::Broken("the connection was given up".to_owned())),
        }
    }
}

impl Drop for Inbound {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An error's whole chain in one line, without the address: it may hold what nobody should read.
fn reason(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let text = text.split(" for url (").next().unwrap_or_default().to_owned();
        if words.last() != Some(&text) {
            words.push(text);
        }
        next = error.source();
    }
    words.join(": ")
}
