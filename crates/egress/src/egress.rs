//! Where doors come from, and how one is opened and closed.

use std::{
    collections::BTreeMap,
    fmt, io,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::Duration,
};

use rustls::ClientConfig;
use seatrial_sandbox::{Door, DoorSockets, OpenDoor};
use seatrial_store::Blobs;
use tokio::{
    net::{TcpListener, UdpSocket},
    runtime::{Handle, Runtime},
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
};

use crate::{
    Authority, EgressError, Policy, Proxies, connection, dns,
    event::DoorEvent,
    exchange::{DoorLimits, Indexes, Inner, Observer, Way},
    recording::Player,
    target::Scheme,
    trust,
    upstream::{self, Connector},
};

/// How long closing a door may take: what is waited for are recordings that only have to be written out.
const CLOSING: Duration = Duration::from_secs(30);

/// What all doors of a process share.
#[derive(Debug, Clone)]
pub struct EgressConfig {
    /// Where the certificate authority is kept. Nobody else may read it.
    pub authority: PathBuf,
    /// Where bodies are kept.
    pub blobs: Blobs,
    /// Proxies between this machine and the world.
    pub proxies: Proxies,
    /// Certificates in PEM to trust besides those that this machine trusts.
    pub extra_roots: Vec<u8>,
    /// Bounds of each door.
    pub limits: DoorLimits,
}

impl EgressConfig {
    /// Without proxies and extra certificates.
    pub fn new(authority: impl Into<PathBuf>, blobs: Blobs) -> Self {
        Self {
            authority: authority.into(),
            blobs,
            proxies: Proxies::default(),
            extra_roots: Vec::new(),
            limits: DoorLimits::default(),
        }
    }
}

/// Makes doors. One is enough for a process.
pub struct Egress {
    shared: Arc<Shared>,
}

/// What one door does.
#[derive(Clone)]
pub struct DoorSpec {
    /// What may be asked for.
    pub policy: Policy,
    /// The index of recordings: `Record` and `Replay` need one. Its folder must be there; the file is made.
    pub index: Option<PathBuf>,
    /// Is told of all that happens.
    pub observer: Observer,
}

struct Shared {
    /// Taken only when all is over.
    runtime: Mutex<Option<Runtime>>,
    handle: Handle,
    authority: Arc<Authority>,
    blobs: Blobs,
    proxies: Arc<Proxies>,
    tls: Result<Arc<ClientConfig>, Arc<str>>,
    limits: DoorLimits,
    indexes: Indexes,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime.take() {
            // Every door has been closed. What is left must not make whoever lets go of the last handle wait.
            runtime.shutdown_background();
        }
    }
}

impl Egress {
    /// Opens the authority, or makes it, and starts the threads that all doors share.
    pub fn new(config: EgressConfig) -> Result<Self, EgressError> {
        let authority = Authority::open(&config.authority)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("seatrial-door")
            .enable_all()
            .build()?;
        Ok(Self {
            shared: Arc::new(Shared {
                handle: runtime.handle().clone(),
                runtime: Mutex::new(Some(runtime)),
                authority: Arc::new(authority),
                blobs: config.blobs,
                proxies: Arc::new(config.proxies),
                tls: upstream::trust(&config.extra_roots),
                limits: config.limits,
                indexes: Indexes::default(),
            }),
        })
    }

    /// A door for one box, or for several that share its policy, one after the other or at once.
    pub fn door(&self, spec: DoorSpec) -> Result<Arc<dyn Door>, EgressError> {
        if matches!(spec.policy, Policy::Record(_) | Policy::Replay) && spec.index.is_none() {
            return Err(EgressError::NoIndex(spec.policy.name()));
        }
        Ok(Arc::new(BoxDoor {
            shared: Arc::clone(&self.shared),
            policy: Arc::new(spec.policy),
            index: spec.index,
            observer: spec.observer,
        }))
    }

    /// The authority whose certificates its boxes trust.
    pub fn authority(&self) -> &Authority {
        &self.shared.authority
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Egress").finish_non_exhaustive()
    }
}

struct BoxDoor {
    shared: Arc<Shared>,
    policy: Arc<Policy>,
    index: Option<PathBuf>,
    observer: Observer,
}

impl fmt::Debug for BoxDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxDoor")
            .field("policy", &self.policy.name())
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl Door for BoxDoor {
    fn ports(&self) -> Vec<u16> {
        let mut ports = std::collections::BTreeSet::from([80, 443]);
        if let Some(list) = self.policy.list() {
            ports.extend(list.ports());
        }
        // One that cannot be read is told when the door is opened.
        if matches!(*self.policy, Policy::Replay)
            && let Some(index) = self.index.as_ref().and_then(|path| self.shared.indexes.open(path).ok())
        {
            ports.extend(index.ports());
        }
        // Names are asked for there.
        ports.remove(&53);
        ports.into_iter().collect()
    }

    fn environment(&self) -> BTreeMap<String, String> {
        trust::environment()
    }

    fn files(&self, of_image: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        trust::files(&self.shared.authority, of_image)
    }

    fn open(&self, sockets: DoorSockets) -> io::Result<Box<dyn OpenDoor>> {
        let shared = &self.shared;
        let index = match &self.index {
            None => None,
            Some(path) => Some(shared.indexes.open(path).map_err(io::Error::other)?),
        };
        let _within = shared.handle.enter();
        let mut listeners = Vec::with_capacity(sockets.tcp.len());
        for (port, listener) in sockets.tcp {
            listener.set_nonblocking(true)?;
            listeners.push((port, TcpListener::from_std(listener)?));
        }
        sockets.dns_udp.set_nonblocking(true)?;
        sockets.dns_tcp.set_nonblocking(true)?;
        let (datagrams, streams) = (
            UdpSocket::from_std(sockets.dns_udp)?,
            TcpListener::from_std(sockets.dns_tcp)?,
        );

        let (close, closing) = watch::channel(false);
        let (alive, ended) = mpsc::channel(1);
        let connector = Connector {
            policy: Arc::clone(&self.policy),
            proxies: Arc::clone(&shared.proxies),
            tls: shared.tls.clone(),
            patience: shared.limits.connect,
        };
        let inner = Arc::new(Inner {
            policy: Arc::clone(&self.policy),
            index,
            player: Player::default(),
            observer: Arc::clone(&self.observer),
            upstream: upstream::client(connector),
            proxies: Arc::clone(&shared.proxies),
            blobs: shared.blobs.clone(),
            authority: Arc::clone(&shared.authority),
            limits: shared.limits.clone(),
            closing,
            _alive: alive,
        });
        let (done, closed) = channel();
        drop(
            shared
                .handle
                .spawn(run(inner, listeners, datagrams, streams, ended, done)),
        );
        Ok(Box::new(Open {
            close,
            closed,
            _shared: Arc::clone(shared),
        }))
    }
}

/// Serves a box until its door is closed, and then waits for what is still to be kept.
async fn run(
    door: Arc<Inner>,
    listeners: Vec<(u16, TcpListener)>,
    datagrams: UdpSocket,
    streams: TcpListener,
    mut ended: mpsc::Receiver<std::convert::Infallible>,
    done: std::sync::mpsc::Sender<()>,
) {
    let mut closing = door.closing.clone();
    let index = door.index.clone();
    let places = Arc::new(Semaphore::new(door.limits.connections.max(1)));
    let mut tasks = JoinSet::new();
    for (port, listener) in listeners {
        let (door, places) = (Arc::clone(&door), Arc::clone(&places));
        tasks.spawn(accept(door, places, port, listener));
    }
    let told = Arc::clone(&door.observer);
    tasks.spawn(dns::serve(
        datagrams,
        streams,
        Arc::new(move |name: &str| told(DoorEvent::Resolved { name: name.to_owned() })),
    ));
    drop(door);
    // An error would say that whoever could close the door is gone.
    drop(closing.wait_for(|closed| *closed).await);
    tasks.shutdown().await;
    while ended.recv().await.is_some() {}
    if let Some(index) = index {
        drop(tokio::task::spawn_blocking(move || index.sync()).await);
    }
    drop(done);
}

async fn accept(door: Arc<Inner>, places: Arc<Semaphore>, port: u16, listener: TcpListener) {
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file handles, most likely: others have to end first.
                let reason = format!("a connection could not be taken: {error}");
                door.tell(DoorEvent::Unintelligible { port, reason });
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        drop(stream.set_nodelay(true));
        let way = Way {
            scheme: Scheme::Http,
            port,
            pinned: None,
            tunnelled: false,
        };
        drop(tokio::spawn(connection::serve(
            Arc::clone(&door),
            stream,
            way,
            Arc::new(place),
        )));
    }
}

struct Open {
    close: watch::Sender<bool>,
    closed: Receiver<()>,
    /// The threads that serve it.
    _shared: Arc<Shared>,
}

impl OpenDoor for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        self.close.send_replace(true);
        // Nothing is ever sent: the end of the channel is the end of the door.
        let (Ok(()) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) =
            self.closed.recv_timeout(CLOSING);
    }
}
