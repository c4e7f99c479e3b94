//! The proxies that lie between this machine and the world, as the caller names them.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hyper::header::HeaderValue;

use crate::{
    EgressError,
    target::{Host, Scheme, Target, parse_authority},
};

/// The proxies between this machine and the world. Nothing is read from the environment: the caller passes what stands
/// there.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    http: Option<Proxy>,
    https: Option<Proxy>,
    none: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// The value of `Proxy-Authorization`.
    pub(crate) credentials: Option<HeaderValue>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Proxies {
    /// The values of `http_proxy`, `https_proxy` and `no_proxy`, where they are set. An empty text is as none.
    pub fn new(http: Option<&str>, https: Option<&str>, none: Option<&str>) -> Result<Self, EgressError> {
        let parse = |text: Option<&str>| {
            text.filter(|text| !text.trim().is_empty())
                .map(Proxy::parse)
                .transpose()
        };
        Ok(Self {
            http: parse(http)?,
            https: parse(https)?,
            none: none
                .unwrap_or_default()
                .split([',', ' '])
                .map(|entry| {
                    entry
                        .trim()
                        .trim_start_matches("*.")
                        .trim_start_matches('.')
                        .to_ascii_lowercase()
                })
                .filter(|entry| !entry.is_empty())
                .collect(),
        })
    }

    /// The proxy to ask for a host.
    pub(crate) fn of(&self, scheme: Scheme, host: &Host, port: u16) -> Option<&Proxy> {
        let direct = self.none.iter().any(|entry| {
            let name = host.as_str();
            entry == "*"
                || entry == name
                || *entry == format!("{host}:{port}")
                || name
                    .strip_suffix(entry.as_str())
                    .is_some_and(|head| head.ends_with('.'))
        });
        match scheme {
            _ if direct => None,
            Scheme::Http => self.http.as_ref(),
            Scheme::Https => self.https.as_ref(),
        }
    }

    /// What a request for a target must carry for the proxy, when it is one that the proxy reads itself.
    pub(crate) fn credentials(&self, target: &Target) -> Option<HeaderValue> {
        match target.scheme {
            Scheme::Http => self.of(target.scheme, &target.host, target.port)?.credentials.clone(),
            Scheme::Https => None,
        }
    }
}

impl Proxy {
    fn parse(text: &str) -> Result<Self, EgressError> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (secret, authority) = match rest.rsplit_once('@') {
            Some((secret, authority)) => (Some(secret), authority),
            None => (None, rest),
        };
        let wrong = |problem: &str| EgressError::Proxy {
            proxy: format!("{scheme}://{authority}"),
            problem: problem.to_owned(),
        };
        if !scheme.eq_ignore_ascii_case("http") {
            return Err(wrong("only proxies that are spoken to in plain http are supported"));
        }
        let (host, port) = parse_authority(authority).ok_or_else(|| wrong("expected `http://host:port`"))?;
        let credentials = match secret {
            None => None,
            Some(secret) => {
                let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(decode(secret))))
                    .map_err(|_| wrong("its user and password cannot be sent"))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        Ok(Self {
            host,
            port: port.unwrap_or(80),
            credentials,
        })
    }
}

/// Takes back percent signs.
fn decode(text: &str) -> Vec<u8> {
    let mut pieces = text.split('%');
    let mut decoded = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let code = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (byte, rest) = code.zip(piece.get(2..)).unwrap_or((b'%', piece));
        decoded.push(byte);
        decoded.extend_from_slice(rest.as_bytes());
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_read_as_tools_read_them() {
        let proxies = Proxies::new(
            Some("http://user:p%40ss@proxy.example:3128/"),
            Some("proxy.example"),
            Some("localhost, .inner.example,*.other.example"),
        )
        .unwrap();
        let of = |scheme, name: &str| {
            let host = Host::parse(name).unwrap();
            proxies.of(scheme, &host, 80).map(|proxy| format!("{proxy:?}"))
        };
        assert_eq!(of(Scheme::Http, "example.org").as_deref(), Some("proxy.example:3128"));
        assert_eq!(of(Scheme::Https, "example.org").as_deref(), Some("proxy.example:80"));
        for direct in ["localhost", "a.inner.example", "inner.example", "x.other.example"] {
            assert_eq!(of(Scheme::Http, direct), None, "{direct}");
        }
        assert!(of(Scheme::Http, "notinner.example").is_some());
        let secret = proxies.http.as_ref().unwrap().credentials.as_ref().unwrap();
        assert_eq!(secret.to_str().unwrap(), "Basic dXNlcjpwQHNz");
        assert!(!format!("{proxies:?}").contains("dXNl"), "no password is shown");
    }

    #[test]
    fn what_is_no_proxy_is_said_without_its_password() {
        let error = Proxies::new(Some("socks5://me:secret@proxy.example"), None, None).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(Proxies::new(Some("http://a b"), None, None).is_err());
        assert!(Proxies::new(Some(" "), None, None).unwrap().http.is_none());
    }
}
