//! Who somebody is to a registry. The caller reads the file; nothing here looks for one.

use std::{collections::BTreeMap, fmt};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;

use super::manifest::parse;
use crate::SandboxError;

/// User names and passwords, by registry.
#[derive(Clone, Default)]
pub struct Credentials {
    /// Values of the header, by host.
    known: BTreeMap<String, String>,
}

/// Says for whom it has something, never what.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.known.keys()).finish()
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    auths: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

impl Credentials {
    /// Adds one.
    #[must_use]
    pub fn with(mut self, host: &str, user: &str, password: &str) -> Self {
        let value = format!(
            "Basic {}",
            BASE64_STANDARD.encode(format!("{user}:{password}").as_bytes())
        );
        self.known.insert(host_of(host).to_owned(), value);
        self
    }

    /// Reads a file as `docker login` writes it (`auths`, by registry).
    pub fn read(text: &[u8]) -> Result<Self, SandboxError> {
        let file: File = parse(text, "the credentials file")?;
        let mut credentials = Self::default();
        for (host, entry) in file.auths {
            if let (Some(user), Some(password)) = (&entry.username, &entry.password) {
                credentials = credentials.with(&host, user, password);
            } else if let Some(auth) = entry.auth.filter(|auth| !auth.is_empty()) {
                let plain = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
                if !auth.chars().all(plain) {
                    return Err(SandboxError::Image(format!(
                        "the credentials file has something for {host} that cannot be understood"
                    )));
                }
                credentials
                    .known
                    .insert(host_of(&host).to_owned(), format!("Basic {auth}"));
            }
        }
        Ok(credentials)
    }

    /// The value of the header for a registry.
    pub(super) fn of(&self, host: &str) -> Option<&str> {
        self.known.get(host).map(String::as_str)
    }
}

/// Files have hosts, or addresses that begin with one.
fn host_of(text: &str) -> &str {
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = text.split('/').next().unwrap_or_default();
    // The name under which an old tool keeps a well-known registry.
    host.strip_prefix("index.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_logins_is_read_and_never_shown() {
        let text = br#"{"auths": {"https://host.test/v1/": {"auth": "dXNlcjpwYXNz"},
            "other.test:5000": {"username": "user", "password": "pass"}, "helped.test": {}}, "credsStore": "x"}"#;
        let credentials = Credentials::read(text).unwrap();
        for host in ["host.test", "other.test:5000"] {
            assert_eq!(credentials.of(host), Some("Basic dXNlcjpwYXNz"));
        }
        assert_eq!(credentials.of("helped.test"), None);
        assert_eq!(format!("{credentials:?}"), r#"{"host.test", "other.test:5000"}"#);
        assert!(Credentials::read(b"{\"auths\": {\"a.test\": {\"auth\": \"a\\r\\nb\"}}}").is_err());
        assert!(Credentials::read(b"x").is_err());
    }
}
