//! What a request is for: scheme, host, port and path, in one spelling.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

/// HTTP as it is, or within TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A host in one spelling: lower case, no dot at the end, no brackets around an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Host(String);

impl Host {
    /// Reads a host as it stands in a URL; `None` when it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return inner.parse::<Ipv6Addr>().ok().map(|address| Self(address.to_string()));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let fits = !name.is_empty()
            && name.len() <= 253
            && name.split('.').all(|label| {
                (1..=63).contains(&label.len())
                    && label
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
            });
        fits.then(|| Self(name.to_ascii_lowercase()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The address that it is, if it is no name.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.0.parse().ok()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(':') {
            write!(f, "[{}]", self.0)
        } else {
            f.write_str(&self.0)
        }
    }
}

/// A host, with a port if one is named.
pub(crate) fn parse_authority(text: &str) -> Option<(Host, Option<u16>)> {
    let after_bracket = text.rfind(']').unwrap_or(0);
    match text.get(after_bracket..)?.find(':') {
        None => Some((Host::parse(text)?, None)),
        Some(colon) => {
            let (host, port) = text.split_at_checked(after_bracket + colon)?;
            let port = port.strip_prefix(':')?;
            let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            let port = digits.then(|| port.parse().ok()).flatten().filter(|port| *port != 0)?;
            Some((Host::parse(host)?, Some(port)))
        }
    }
}

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) scheme: Scheme,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// Path and query, as the client wrote them.
    pub(crate) path: String,
}

impl Target {
    /// Host and port as they stand in a URL of this scheme.
    pub(crate) fn authority(&self) -> String {
        if self.port == self.scheme.default_port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.name(), self.authority(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_one_spelling_or_none() {
        let cases = [
            ("Example.ORG", Some("example.org -")),
            ("example.org.:8080", Some("example.org 8080")),
            ("[::1]:443", Some("[::1] 443")),
            ("[0:0::1]", Some("[::1] -")),
            ("127.0.0.1", Some("127.0.0.1 -")),
            ("a_b.example", Some("a_b.example -")),
            ("", None),
            (".", None),
            ("a..b", None),
            ("example.org:", None),
            ("example.org:0", None),
            ("example.org:+80", None),
            ("example.org:80:90", None),
            ("user@example.org", None),
            ("exa mple", None),
            ("example.org/x", None),
            ("a\r\nX: y", None),
            ("::1", None),
            ("[::1", None),
            ("ex%61mple.org", None),
            ("b\u{fc}cher.example", None),
        ];
        for (text, expected) in cases {
            let found = parse_authority(text)
                .map(|(host, port)| format!("{host} {}", port.map_or("-".to_owned(), |port| port.to_string())));
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
