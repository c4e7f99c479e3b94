//! What a caller decides about models: keys, addresses, patience, limits, prices, cassettes.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{
    Cassette, Prices, Wire,
    pace::Pace,
    providers::providers,
    quirks::Quirks,
    request::ToolProtocol,
    transport::{Transport, Way},
};

/// How calls are made. Copies share their limits and what was learned about providers.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The address that is asked instead of the provider's own.
    pub base_url: Option<String>,
    /// The wire that is spoken instead of the provider's own.
    pub wire: Option<Wire>,
    /// Keys by the provider's name.
    pub keys: BTreeMap<String, Secret>,
    /// Addresses by the provider's name, as variables of the environment gave them; `base_url` comes first.
    pub addresses: BTreeMap<String, String>,
    /// What tokens cost.
    pub prices: Prices,
    /// Whether answers are recorded or come from a record.
    pub cassette: Option<Arc<Cassette>>,
    /// How long and how often to try.
    pub patience: Patience,
    /// How many calls a key may have.
    pub pacing: Pacing,
    /// How a model is told of tools.
    pub tools: ToolProtocol,
    /// A proxy for the way out, as a URL. What is on this machine is asked without it.
    pub proxy: Option<String>,
    /// Hosts that are asked without the proxy, in the form of the variable `NO_PROXY`.
    pub unproxied: Option<String>,
    /// What all copies share.
    pub shared: Arc<Shared>,
}

impl Settings {
    /// Takes keys, addresses and the proxy from variables, which `lookup` finds by name. The names are those that providers'
    /// own tools use.
    #[must_use]
    pub fn with_variables(mut self, lookup: &dyn Fn(&str) -> Option<String>) -> Self {
        let found = |names: &[String]| {
            names.iter().find_map(|name| {
                lookup(name)
                    .map(|value| value.trim().to_owned())
                    .filter(|value| !value.is_empty())
            })
        };
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            found(&names)
        };
        if self.proxy.is_none() {
            self.proxy = named(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]);
            self.unproxied = self.unproxied.or_else(|| named(&["NO_PROXY", "no_proxy"]));
        }
        for provider in providers() {
            if let Some(key) = found(&provider.key_variables) {
                self.keys
                    .entry(provider.name.clone())
                    .or_insert_with(|| Secret::new(key));
            }
            if let Some(address) = found(&provider.address_variables) {
                self.addresses.entry(provider.name.clone()).or_insert(address);
            }
        }
        self
    }
}

/// A key. It is not shown by `{:?}` and not written anywhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key, for whoever must pass it on.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The key itself: only for a request's header, and for finding it in what is about to be written.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// How long and how often to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patience {
    /// Most requests for one answer; those that a provider refused for a parameter do not count.
    pub attempts: u32,
    /// The first wait between two of them; it doubles, with chance.
    pub first_wait: Duration,
    /// The longest of these waits.
    pub longest_wait: Duration,
    /// The longest wait that a provider may ask for.
    pub longest_asked_wait: Duration,
    /// How long to wait for a connection.
    pub connect: Duration,
    /// How long nothing may come before the first piece of an answer.
    pub first_piece: Duration,
    /// How long nothing may come between two pieces.
    pub between_pieces: Duration,
    /// How long one attempt may take in all, however its pieces drip.
    pub whole_attempt: Duration,
    /// Most bytes of an answer.
    pub answer_bytes: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 6,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_mins(1),
            longest_asked_wait: Duration::from_mins(5),
            connect: Duration::from_secs(20),
            first_piece: Duration::from_mins(10),
            between_pieces: Duration::from_mins(3),
            whole_attempt: Duration::from_mins(30),
            answer_bytes: 10 << 20,
        }
    }
}

/// What one key may do; `None` is no limit of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pacing {
    /// Calls at the same time.
    pub at_once: Option<u32>,
    /// Requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in a minute, requests and answers together.
    pub tokens_per_minute: Option<u64>,
}

/// What all users of the same settings share: connections, limits of keys, and what providers were found to refuse.
#[derive(Default)]
pub struct Shared {
    transport: Mutex<BTreeMap<Way, Arc<Transport>>>,
    paces: Mutex<BTreeMap<String, Arc<Pace>>>,
    quirks: Mutex<BTreeMap<String, Arc<Mutex<Quirks>>>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}

impl Shared {
    /// The connections to an address, through a proxy or straight.
    pub(crate) fn transport(&self, settings: &Settings, address: &str) -> Result<Arc<Transport>, String> {
        // Reading the system's certificates takes a while, and a server of one's own seldom needs them.
        let is_plain = |url: &str| url.starts_with("http://");
        let way = Way {
            proxy: settings.proxy.clone(),
            unproxied: settings.unproxied.clone(),
            connect: settings.patience.connect,
            trusts_nobody: is_plain(address) && settings.proxy.as_deref().is_none_or(is_plain),
        };
        let mut all = self.transport.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(transport) = all.get(&way) {
            return Ok(transport.clone());
        }
        let transport = Arc::new(Transport::new(&way)?);
        all.insert(way, transport.clone());
        Ok(transport)
    }

    /// The limits of one key at one address.
    pub(crate) fn pace(&self, name: String, pacing: &Pacing) -> Arc<Pace> {
        let mut all = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(name).or_insert_with(|| Arc::new(Pace::new(pacing))).clone()
    }

    /// What one model at one address was found to refuse.
    pub(crate) fn quirks(&self, name: String, fresh: &Quirks) -> Arc<Mutex<Quirks>> {
        let mut all = self.quirks.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(name)
            .or_insert_with(|| Arc::new(Mutex::new(fresh.clone())))
            .clone()
    }
}
