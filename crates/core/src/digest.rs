//! Content identities.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A BLAKE3 digest, written as `b3:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

/// The text is not a digest.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a digest (expected `b3:` and 64 hexadecimal digits)")]
pub struct DigestError(String);

impl Digest {
    /// The digest of a byte string.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Wraps a finished hash.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 64 hexadecimal digits, without prefix: fit for a file name.
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// The first twelve digits: enough for a person to tell two apart.
    pub fn short(&self) -> String {
        self.hex().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b3:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let hex = text.strip_prefix("b3:").unwrap_or(text);
        blake3::Hash::from_hex(hex)
            .map(|hash| Self(*hash.as_bytes()))
            .map_err(|_| DigestError(text.to_owned()))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips_and_refuses_junk() {
        let digest = Digest::of(b"hull");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert!("b3:xyz".parse::<Digest>().is_err());
    }
}
