//! Doors that write down what happened at them.

use std::{
    collections::BTreeMap,
    net::TcpListener,
    path::Path,
    sync::{Arc, Mutex},
};

use seatrial_core::Digest;
use seatrial_egress::{Door, DoorEvent, DoorSpec, Egress, EgressConfig, Policy, Proxies};
use seatrial_store::{Blobs, Home};

/// A door and what happened at it.
pub(crate) struct Watched {
    door: Arc<dyn Door>,
    events: Arc<Mutex<Vec<DoorEvent>>>,
    _egress: Egress,
}

/// What a door leads to.
pub(crate) enum World<'a> {
    /// The world, as this machine reaches it.
    Real,
    /// The world through a proxy, with a certificate of its own.
    Local { proxy: String, root: &'a str },
    /// Nothing. Whoever tries all the same is noticed by the listener.
    Cut(&'a TcpListener),
}

pub(crate) fn open(policy: Policy, world: &World, home: &Home, index: Option<&Path>, authority: &Path) -> Watched {
    let mut config = EgressConfig::new(authority, home.blobs());
    config.proxies = match world {
        World::Real => {
            let set = |names: [&str; 2]| names.into_iter().find_map(|name| std::env::var(name).ok());
            Proxies::new(
                set(["http_proxy", "HTTP_PROXY"]).as_deref(),
                set(["https_proxy", "HTTPS_PROXY"]).as_deref(),
                set(["no_proxy", "NO_PROXY"]).as_deref(),
            )
        }
        World::Local { proxy, root } => {
            config.extra_roots = root.as_bytes().to_vec();
            Proxies::new(Some(proxy), Some(proxy), None)
        }
        World::Cut(listener) => {
            let proxy = format!("http://{}", listener.local_addr().unwrap());
            Proxies::new(Some(&proxy), Some(&proxy), None)
        }
    }
    .unwrap();
    let egress = Egress::new(config).unwrap();
    let events: Arc<Mutex<Vec<DoorEvent>>> = Arc::default();
    let heard = Arc::clone(&events);
    let spec = DoorSpec {
        policy,
        index: index.map(Path::to_owned),
        observer: Arc::new(move |event| heard.lock().unwrap().push(event)),
    };
    Watched {
        door: egress.door(spec).unwrap(),
        events,
        _egress: egress,
    }
}

impl Watched {
    pub(crate) fn door(&self) -> Arc<dyn Door> {
        Arc::clone(&self.door)
    }

    pub(crate) fn events(&self) -> Vec<DoorEvent> {
        self.events.lock().unwrap().clone()
    }

    /// Why a request did not reach the world, if one did not.
    pub(crate) fn unreachable(&self) -> Option<String> {
        self.events().into_iter().find_map(|event| match event {
            DoorEvent::Failed { asked, reason } => Some(format!("{asked}: {reason}")),
            _ => None,
        })
    }

    /// All but the names that were looked up.
    pub(crate) fn text(&self) -> String {
        self.events()
            .iter()
            .filter(|event| !matches!(event, DoorEvent::Resolved { .. }))
            .map(|event| format!("    {}", event.to_string().escape_debug()))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// Bodies by method and URL, each once.
pub(crate) type Bodies = BTreeMap<String, Vec<(u16, Digest, u64)>>;

/// What was answered from the world or from records. A door that records does the latter too: a body that it already has
/// is not fetched again for each piece of it.
pub(crate) fn answered(events: &[DoorEvent]) -> Bodies {
    let mut bodies = Bodies::new();
    for event in events {
        if let DoorEvent::Recorded {
            asked,
            status,
            bytes,
            body,
        }
        | DoorEvent::Replayed {
            asked,
            status,
            bytes,
            body: Some(body),
        } = event
        {
            bodies
                .entry(asked.to_string())
                .or_default()
                .push((*status, *body, *bytes));
        }
    }
    bodies
}

/// A store of its own below a folder.
pub(crate) fn store(folder: &Path) -> (Home, Blobs) {
    let home = Home::open(folder.join("home")).unwrap();
    let blobs = home.blobs();
    (home, blobs)
}
