//! Names of images in registries: `host[:port]/name[:tag][@sha256:digits]`.

use std::{fmt, str::FromStr};

use super::manifest::digits;
use crate::SandboxError;

/// A well-known registry whose name is not the host that answers, and which has a folder for its own images.
const HUB: (&str, &str, &str) = ("docker.io", "registry-1.docker.io", "library");

/// The name of an image in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    host: String,
    name: String,
    tag: Option<String>,
    digest: Option<String>,
}

impl Reference {
    /// The registry, as it is called.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The digest, where one is named.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The host that answers.
    pub(super) fn server(&self) -> &str {
        if self.host == HUB.0 { HUB.1 } else { &self.host }
    }

    /// The path of the image there.
    pub(super) fn path(&self) -> String {
        if self.host == HUB.0 && !self.name.contains('/') {
            format!("{}/{}", HUB.2, self.name)
        } else {
            self.name.clone()
        }
    }

    /// What its manifest is asked for by.
    pub(super) fn version(&self) -> &str {
        self.digest.as_deref().or(self.tag.as_deref()).unwrap_or("latest")
    }

    /// Whether the registry is on this machine, where nobody has a certificate.
    pub(super) fn is_local(&self) -> bool {
        let name = match self.host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => self.host.split(':').next().unwrap_or_default(),
        };
        name == "localhost"
            || name
                .parse()
                .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
    }

    /// The same image by the digest of what was found.
    pub(super) fn pinned(&self, digest: &str) -> String {
        let tag = self.tag.as_ref().map_or_else(String::new, |tag| format!(":{tag}"));
        format!("{}/{}{tag}@{digest}", self.host, self.name)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.name)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

impl FromStr for Reference {
    type Err = SandboxError;

    fn from_str(text: &str) -> Result<Self, SandboxError> {
        let bad = |problem: &str| {
            SandboxError::Image(format!(
                "`{text}` {problem}; an image in a registry is named as registry/name:tag or registry/name@sha256:digits"
            ))
        };
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (
                rest,
                Some(digests(digest).ok_or_else(|| bad("has no SHA-256 digest after its @"))?),
            ),
            None => (text, None),
        };
        let (host, rest) = rest.split_once('/').ok_or_else(|| bad("names no registry"))?;
        let host_like = host == "localhost" || host.contains(['.', ':']);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        if !host_like || !host.chars().all(plain) {
            return Err(bad("names no registry"));
        }
        let (name, tag) = match rest.rsplit_once(':') {
            Some((name, tag)) => (name, Some(tag)),
            None => (rest, None),
        };
        let good_part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c))
        };
        if !name.split('/').all(good_part) {
            return Err(bad(
                "has a name that is not made of small letters, digits, `-`, `.`, `_` and `/`",
            ));
        }
        let good_tag = |tag: &str| {
            !tag.is_empty()
                && tag.len() <= 128
                && !tag.starts_with(['.', '-'])
                && tag.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        };
        if tag.is_some_and(|tag| !good_tag(tag)) {
            return Err(bad("has a tag that is none"));
        }
        Ok(Self {
            host: host.to_owned(),
            name: name.to_owned(),
            tag: tag.map(str::to_owned),
            digest,
        })
    }
}

fn digests(text: &str) -> Option<String> {
    digits(text).ok().map(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_what_is_none_is_refused() {
        let digest = format!("sha256:{}", "ab".repeat(32));
        for (text, server, path, version) in [
            ("localhost:5000/a", "localhost:5000", "a", "latest"),
            ("host.test/a/b-c:1.2", "host.test", "a/b-c", "1.2"),
            (&format!("host.test/a:x@{digest}"), "host.test", "a", digest.as_str()),
            ("[::1]:5000/a:x", "[::1]:5000", "a", "x"),
        ] {
            let reference: Reference = text.parse().unwrap();
            assert_eq!(
                (reference.server(), &*reference.path(), reference.version()),
                (server, path, version)
            );
            assert_eq!(reference.to_string(), text);
        }
        assert!("127.0.0.1:5000/a".parse::<Reference>().unwrap().is_local());
        assert!("[::1]:5000/a".parse::<Reference>().unwrap().is_local());
        assert!(!"127.0.0.1.test/a".parse::<Reference>().unwrap().is_local());
        let own: Reference = format!("{}/a", HUB.0).parse().unwrap();
        assert_eq!((own.server(), &*own.path()), (HUB.1, "library/a"));
        for bad in [
            "",
            "a",
            "a:1",
            "name/a",
            "host.test/",
            "host.test/A",
            "host.test/../a",
            "host.test/a//b",
            "host.test/a:",
            "host.test/a:-x",
            "host.test/a@sha256:12",
            "host.test/a@md5:12",
            "host.test/a b",
            "h?.test/a",
        ] {
            assert!(bad.parse::<Reference>().is_err(), "{bad}");
        }
    }
}
