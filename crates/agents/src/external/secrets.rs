//! Takes what was handed over as a secret out of everything that is kept or shown.

use std::{collections::BTreeMap, fmt};

/// A value that is shorter is no secret: it would be found in innocent words.
const LEAST: usize = 6;

/// Variables whose values nobody but the box gets to see.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Secrets {
    /// Values by the names of their variables.
    pub fn new(values: BTreeMap<String, String>) -> Self {
        Self(values)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The variables themselves, for the one command that gets them.
    pub(super) fn reveal(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// A text without the values.
    pub(super) fn clean(&self, text: &str) -> String {
        let mut sieve = self.sieve();
        let mut clean = sieve.push(text.as_bytes());
        clean.extend(sieve.finish());
        String::from_utf8_lossy(&clean).into_owned()
    }

    /// Cleans what comes in pieces.
    pub(super) fn sieve(&self) -> Sieve {
        let mut needles = Vec::new();
        for (name, value) in self.0.iter().filter(|(_, value)| value.len() >= LEAST) {
            let stand_in = format!("[{name}]").into_bytes();
            // As it stands between quotes of JSON.
            let quoted = serde_json::Value::String(value.clone()).to_string();
            let quoted = quoted.trim_matches('"').to_owned();
            if quoted != *value {
                needles.push((quoted.into_bytes(), stand_in.clone()));
            }
            needles.push((value.clone().into_bytes(), stand_in));
        }
        // Of two that begin alike, the longer one.
        needles.sort_by_key(|(needle, _)| std::cmp::Reverse(needle.len()));
        Sieve {
            needles,
            held: Vec::new(),
        }
    }
}

/// Cleans a stream: what could be the beginning of a value is held back until more has come.
pub(super) struct Sieve {
    needles: Vec<(Vec<u8>, Vec<u8>)>,
    held: Vec<u8>,
}

impl Sieve {
    /// Takes some bytes; returns those that are clean.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.needles.is_empty() {
            return bytes.to_vec();
        }
        self.held.extend_from_slice(bytes);
        let longest = self.needles.first().map_or(0, |(needle, _)| needle.len());
        let sure = self.held.len().saturating_sub(longest - 1);
        self.release(sure)
    }

    /// What was held back, at the end of the stream.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.release(self.held.len())
    }

    /// Releases what begins before `sure`, with the values in it replaced.
    fn release(&mut self, sure: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < sure {
            let rest = self.held.get(at..).unwrap_or_default();
            let found = self.needles.iter().find(|(needle, _)| rest.starts_with(needle));
            if let Some((needle, stand_in)) = found {
                out.extend_from_slice(stand_in);
                at += needle.len();
            } else {
                out.extend(rest.first());
                at += 1;
            }
        }
        self.held.drain(..at.min(self.held.len()));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let pairs = [
            ("KEY", "abcabcd"),
            ("LONG", "abcabcd-and-more"),
            ("QUOTED", "pass\"word"),
            ("SHORT", "1"),
        ];
        Secrets::new(
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    #[test]
    fn values_go_however_the_stream_is_cut() {
        let text = "1 abcabcabcd, abcabcd-and-more, abcabcd-and, pass\"word pass\\\"word abcabc";
        let clean = "1 abc[KEY], [LONG], [KEY]-and, [QUOTED] [QUOTED] abcabc";
        assert_eq!(secrets().clean(text), clean);
        for size in 1..20 {
            let mut sieve = secrets().sieve();
            let mut out = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                out.extend(sieve.push(piece));
            }
            out.extend(sieve.finish());
            assert_eq!(String::from_utf8(out).unwrap(), clean, "pieces of {size}");
        }
    }

    #[test]
    fn nobody_sees_a_value_by_accident() {
        assert_eq!(format!("{:?}", secrets()), r#"{"KEY", "LONG", "QUOTED", "SHORT"}"#);
        assert_eq!(Secrets::default().clean("abcabcd"), "abcabcd");
    }
}
