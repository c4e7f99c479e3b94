//! A door on loopback with a world behind it: both made for one test, spoken to over real sockets.

pub(crate) mod client;
pub(crate) mod world;

use std::{
    collections::BTreeMap,
    net::{SocketAddr, TcpListener, UdpSocket},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use seatrial_egress::{
    AllowList, Authority, DoorEvent, DoorLimits, DoorSockets, DoorSpec, Egress, EgressConfig, Policy,
};
use seatrial_sandbox::{Door, OpenDoor};
use seatrial_store::{Blobs, Home};

use self::{client::Client, world::World};

/// The folders of one test and the doors' common part.
pub(crate) struct House {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) home: Home,
    pub(crate) egress: Egress,
}

/// The authority that signs the certificates of the world, in a folder that all tests share.
pub(crate) fn authority_of_the_world() -> &'static Arc<Authority> {
    static AUTHORITY: std::sync::OnceLock<(tempfile::TempDir, Arc<Authority>)> = std::sync::OnceLock::new();
    let (_, authority) = AUTHORITY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path()).unwrap();
        (folder, Arc::new(authority))
    });
    authority
}

impl House {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut EgressConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        let mut config = EgressConfig::new(folder.path().join("authority"), home.blobs());
        config.extra_roots = authority_of_the_world().certificate().as_bytes().to_vec();
        change(&mut config);
        let egress = Egress::new(config).unwrap();
        Self { folder, home, egress }
    }

    pub(crate) fn blobs(&self) -> Blobs {
        self.home.blobs()
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index.jsonl")
    }

    pub(crate) fn door(&self, policy: Policy) -> Opened {
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&events);
        let door = self
            .egress
            .door(DoorSpec {
                policy,
                index: Some(self.index()),
                observer: Arc::new(move |event| told.lock().unwrap().push(event)),
            })
            .unwrap();
        let authority = self.egress.authority().certificate().to_owned();
        Opened::new(&door, &[], authority, events)
    }

    /// A door that records what the world offers.
    pub(crate) fn recording(&self, world: &World) -> Opened {
        self.door(Policy::Record(world.list()))
    }

    /// A door that replays, on the world's ports too.
    pub(crate) fn replaying(&self, world: &World) -> Opened {
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&events);
        let door = self
            .egress
            .door(DoorSpec {
                policy: Policy::Replay,
                index: Some(self.index()),
                observer: Arc::new(move |event| told.lock().unwrap().push(event)),
            })
            .unwrap();
        let authority = self.egress.authority().certificate().to_owned();
        Opened::new(&door, &[world.http.port, world.https.port], authority, events)
    }
}

/// An open door whose listening sockets are on loopback.
pub(crate) struct Opened {
    pub(crate) addresses: BTreeMap<u16, SocketAddr>,
    pub(crate) resolver: SocketAddr,
    pub(crate) events: Arc<Mutex<Vec<DoorEvent>>>,
    pub(crate) authority: String,
    open: Option<Box<dyn OpenDoor>>,
}

impl Opened {
    fn new(door: &Arc<dyn Door>, more: &[u16], authority: String, events: Arc<Mutex<Vec<DoorEvent>>>) -> Self {
        let mut tcp = Vec::new();
        let mut addresses = BTreeMap::new();
        for port in door.ports().into_iter().chain(more.iter().copied()) {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            addresses.insert(port, listener.local_addr().unwrap());
            tcp.push((port, listener));
        }
        let dns_udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let dns_tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let resolver = dns_udp.local_addr().unwrap();
        let sockets = DoorSockets { tcp, dns_udp, dns_tcp };
        let open = Some(door.open(sockets).unwrap());
        Self {
            addresses,
            resolver,
            events,
            authority,
            open,
        }
    }

    /// A connection to one of the ports that the door has in a box.
    pub(crate) fn connect(&self, port: u16) -> Client {
        Client::plain(self.addresses[&port])
    }

    /// The same with TLS for a name.
    pub(crate) fn connect_tls(&self, port: u16, name: &str) -> Client {
        self.connect(port).tls(name, &self.authority)
    }

    /// Closes it and returns what happened.
    pub(crate) fn close(mut self) -> Vec<String> {
        drop(self.open.take());
        self.told()
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

/// Entries as a list.
pub(crate) fn list(entries: &[&str]) -> AllowList {
    AllowList::new(entries.iter().copied()).unwrap()
}

/// Short ones, for tests of what takes too long.
pub(crate) fn hasty(limits: &mut DoorLimits) {
    let short = std::time::Duration::from_millis(300);
    limits.head = short;
    limits.idle = short;
    limits.answer = short;
}
