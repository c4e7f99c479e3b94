//! What a box may ask for.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use serde::{Deserialize, Serialize};

use crate::{
    EgressError,
    target::{Host, Target, parse_authority},
};

/// How a door treats what it is asked for. (A box without any network has no door.)
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// What is on the list is passed on.
    Allow(AllowList),
    /// What is on the list is passed on, and what comes back is kept.
    Record(AllowList),
    /// What was kept is answered, and nothing is passed on.
    Replay,
    /// Everything is passed on, except to this machine and to private networks.
    Open,
}

impl Policy {
    /// Its name in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Allow(_) => "allow",
            Self::Record(_) => "record",
            Self::Replay => "replay",
            Self::Open => "open",
        }
    }

    /// The list, where it has one.
    pub fn list(&self) -> Option<&AllowList> {
        match self {
            Self::Allow(list) | Self::Record(list) => Some(list),
            Self::Replay | Self::Open => None,
        }
    }

    /// How far a connection may reach on behalf of a request; `None` when the request is not allowed.
    pub(crate) fn reach(&self, target: &Target) -> Option<Reach> {
        match self {
            Self::Allow(list) | Self::Record(list) => list.reach(target),
            Self::Replay => None,
            Self::Open => Some(Reach::Public),
        }
    }

    /// How far a connection to a host may reach, for whatever path. The request itself was allowed before.
    pub(crate) fn reach_of_host(&self, target: &Target) -> Reach {
        let named = self.list().and_then(|list| {
            let entries = list.0.iter();
            entries.filter_map(|entry| entry.reach_of_host(target)).max()
        });
        named.unwrap_or(Reach::Public)
    }
}

/// Where a connection may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// To addresses that the whole world can reach.
    Public,
    /// To private networks as well.
    Private,
    /// To this machine and its own links as well.
    Own,
}

/// What may be asked for: hosts, with port or path where they are bounded further.
///
/// An entry is `example.org`, `*.example.org` (every name below it, not itself) or `*`; with `:8080` it is for that port,
/// without for 80 and 443; with `/path` behind it, for that path and what is below it. Only an entry that writes out the
/// host leads to private networks, and only one that writes out host and port leads to this machine itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AllowList(Vec<Entry>);

impl AllowList {
    /// Reads entries.
    pub fn new<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, EgressError> {
        entries.into_iter().map(str::parse).collect::<Result<_, _>>().map(Self)
    }

    /// The registries of distributions and languages. Forges that host the code of projects are none of them.
    pub fn registries() -> Self {
        let groups: BTreeMap<String, BTreeMap<String, Vec<Entry>>> =
            toml::from_str(include_str!("../data/registries.toml")).unwrap_or_default();
        Self(groups.into_values().flat_map(BTreeMap::into_values).flatten().collect())
    }

    /// Every public host, on the usual ports.
    pub fn everything() -> Self {
        Self(vec![Entry {
            text: "*".to_owned(),
            hosts: Hosts::All,
            port: None,
            path: None,
        }])
    }

    /// Both lists together.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for entry in &other.0 {
            if !self.0.contains(entry) {
                self.0.push(entry.clone());
            }
        }
        self
    }

    /// The entries as they were written.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|entry| entry.text.as_str())
    }

    /// Ports that it names, besides the usual ones.
    pub(crate) fn ports(&self) -> BTreeSet<u16> {
        self.0.iter().filter_map(|entry| entry.port).collect()
    }

    fn reach(&self, target: &Target) -> Option<Reach> {
        self.0.iter().filter_map(|entry| entry.reach(target)).max()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Entry {
    text: String,
    hosts: Hosts,
    port: Option<u16>,
    /// Starts with a slash and does not end with one.
    path: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    All,
    /// Names that end so; it starts with a dot.
    Below(String),
    One(Host),
}

impl Entry {
    fn reach(&self, target: &Target) -> Option<Reach> {
        let path = self.path.as_ref().is_none_or(|path| is_below(&target.path, path));
        path.then(|| self.reach_of_host(target)).flatten()
    }

    fn reach_of_host(&self, target: &Target) -> Option<Reach> {
        let host = match &self.hosts {
            Hosts::All => true,
            Hosts::Below(domain) => target.host.address().is_none() && target.host.as_str().ends_with(domain),
            Hosts::One(host) => *host == target.host,
        };
        let port = self
            .port
            .map_or(matches!(target.port, 80 | 443), |port| port == target.port);
        (host && port).then_some(match (&self.hosts, self.port) {
            (Hosts::One(_), Some(_)) => Reach::Own,
            (Hosts::One(_), None) => Reach::Private,
            (Hosts::All | Hosts::Below(_), _) => Reach::Public,
        })
    }
}

/// Whether the path of a URL is a folder's or below it, however a server may read it.
fn is_below(path: &str, folder: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let spelled_out = path
        .to_ascii_lowercase()
        .replace("%2e", ".")
        .replace("%2f", "/")
        .replace("%5c", "/")
        .replace('\\', "/");
    // A server may decode twice, or drop what stands behind a semicolon.
    let steps_up = spelled_out.contains("%25")
        || spelled_out.split('/').any(|segment| {
            let name = segment.split(';').next().unwrap_or_default();
            name == ".." || name == "."
        });
    let rest = path.strip_prefix(folder);
    !steps_up && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl FromStr for Entry {
    type Err = EgressError;

    fn from_str(text: &str) -> Result<Self, EgressError> {
        let wrong = |problem: &str| EgressError::Entry {
            entry: text.to_owned(),
            problem: problem.to_owned(),
        };
        if text.contains("://") {
            return Err(wrong("leave the scheme out; both http and https are meant"));
        }
        let (authority, path) = match text.find('/') {
            Some(at) => {
                let (authority, path) = text.split_at(at);
                (authority, Some(path.trim_end_matches('/').to_owned()))
            }
            None => (text, None),
        };
        let path = path.filter(|path| !path.is_empty());
        if path.as_ref().is_some_and(|path| path.contains(['?', '#', '*'])) {
            return Err(wrong("a path is a plain prefix, without `?`, `#` or `*`"));
        }
        // A name in the place of the asterisk lets the rest be read as any other host and port.
        let (all, below, stand_in) = match authority.strip_prefix('*') {
            None => (false, false, authority.to_owned()),
            Some(rest) if rest.is_empty() || rest.starts_with(':') => (true, false, format!("all{rest}")),
            Some(rest) if rest.starts_with('.') => (false, true, rest.trim_start_matches('.').to_owned()),
            Some(_) => return Err(wrong("an asterisk stands alone or before a dot")),
        };
        let (host, port) = parse_authority(&stand_in)
            .ok_or_else(|| wrong("expected a host, `*.` and a domain, or `*`, perhaps with `:port` or `/path`"))?;
        let hosts = if all {
            Hosts::All
        } else if below {
            Hosts::Below(format!(".{}", host.as_str()))
        } else {
            Hosts::One(host)
        };
        Ok(Self {
            text: text.to_owned(),
            hosts,
            port,
            path,
        })
    }
}

impl TryFrom<String> for Entry {
    type Error = EgressError;

    fn try_from(text: String) -> Result<Self, EgressError> {
        text.parse()
    }
}

impl From<Entry> for String {
    fn from(entry: Entry) -> Self {
        entry.text
    }
}

impl fmt::Display for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, entry) in self.entries().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{entry}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Scheme;

    fn target(url: &str) -> Target {
        let (scheme, rest) = match url.strip_prefix("https://") {
            Some(rest) => (Scheme::Https, rest),
            None => (Scheme::Http, url.strip_prefix("http://").unwrap()),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap());
        let (host, port) = parse_authority(authority).unwrap();
        Target {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            path: path.to_owned(),
        }
    }

    #[test]
    fn an_entry_lets_through_what_it_says_and_nothing_near_it() {
        let list = AllowList::new([
            "example.org",
            "*.example.net",
            "localhost:8080",
            "files.example/pub/",
            "10.1.2.3",
            "[::1]:99",
        ])
        .unwrap();
        let cases = [
            ("https://example.org/", Some(Reach::Private)),
            ("http://example.org/x?y", Some(Reach::Private)),
            ("https://EXAMPLE.org./", Some(Reach::Private)),
            ("https://example.org:8443/", None),
            ("https://sub.example.org/", None),
            ("https://notexample.org/", None),
            ("https://example.org.evil/", None),
            ("https://a.example.net/", Some(Reach::Public)),
            ("https://a.b.example.net/", Some(Reach::Public)),
            ("https://example.net/", None),
            ("https://evilexample.net/", None),
            ("http://localhost:8080/", Some(Reach::Own)),
            ("http://localhost/", None),
            ("https://files.example/pub", Some(Reach::Private)),
            ("https://files.example/pub/a", Some(Reach::Private)),
            ("https://files.example/pub?a=/..", Some(Reach::Private)),
            ("https://files.example/public", None),
            ("https://files.example/", None),
            ("https://files.example/pub/../private", None),
            ("https://files.example/pub/%2e%2E/private", None),
            ("https://files.example/pub/..%2fprivate", None),
            ("https://files.example/pub/..;x/private", None),
            ("https://files.example/pub/%252e%252e/private", None),
            ("https://files.example/pub\\..\\private", None),
            ("http://10.1.2.3/", Some(Reach::Private)),
            ("http://[::1]:99/", Some(Reach::Own)),
        ];
        for (url, expected) in cases {
            assert_eq!(list.reach(&target(url)), expected, "{url}");
        }
        assert_eq!(list.ports(), BTreeSet::from([99, 8080]));
        assert_eq!(
            AllowList::everything().reach(&target("http://any.example/")),
            Some(Reach::Public)
        );
    }

    #[test]
    fn what_is_no_entry_is_said() {
        for text in [
            "",
            "https://example.org",
            "*example.org",
            "*.",
            "a b",
            "example.org:99999",
            "x/*",
            "*.*.org",
        ] {
            assert!(AllowList::new([text]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn policies_are_stored_as_plain_words() {
        let list = AllowList::new(["example.org", "*.example.net:8080/x"]).unwrap();
        for (policy, text) in [
            (Policy::Open, r#""open""#),
            (Policy::Replay, r#""replay""#),
            (
                Policy::Record(list),
                r#"{"record":["example.org","*.example.net:8080/x"]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&policy).unwrap(), text);
            assert_eq!(serde_json::from_str::<Policy>(text).unwrap(), policy);
        }
        assert!(serde_json::from_str::<Policy>(r#"{"allow":["a b"]}"#).is_err());
    }

    #[test]
    fn the_registries_are_read() {
        let text = include_str!("../data/registries.toml");
        let groups: BTreeMap<String, BTreeMap<String, Vec<Entry>>> = toml::from_str(text).unwrap();
        let count: usize = groups.values().flat_map(BTreeMap::values).map(Vec::len).sum();
        assert_eq!(AllowList::registries().entries().len(), count);
        assert!(count > 50, "{count}");
    }
}
