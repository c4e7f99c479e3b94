//! Takes what was handed over as a secret out of everything that is kept or shown.

use std::{collections::BTreeMap, fmt};

use seatrial_llm::{LEAST_SECRET, secret_forms};

/// A value is too short to be kept out of what is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` has fewer than {LEAST_SECRET} characters: so short a value would be found in innocent words, and cannot be taken out of \
     what is recorded; what is no secret belongs into the recipe's `environment`"
)]
pub struct ShortSecret {
    /// The variable.
    pub name: String,
}

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
    pub fn new(values: BTreeMap<String, String>) -> Result<Self, ShortSecret> {
        match values.iter().find(|(_, value)| value.len() < LEAST_SECRET) {
            Some((name, _)) => Err(ShortSecret { name: name.clone() }),
            None => Ok(Self(values)),
        }
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
        for (name, value) in &self.0 {
            let stand_in = format!("[{name}]").into_bytes();
            let forms = secret_forms(value);
            needles.extend(forms.into_iter().map(|form| (form.into_bytes(), stand_in.clone())));
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

    fn owned((name, value): (&str, &str)) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn secrets() -> Secrets {
        let pairs = [
            ("KEY", "abcabcd"),
            ("LONG", "abcabcd-and-more"),
            ("QUOTED", "pass\"word"),
        ];
        Secrets::new(pairs.into_iter().map(owned).collect()).unwrap()
    }

    #[test]
    fn values_go_however_the_stream_is_cut() {
        // YWJjYWJjZA is the first in Base64.
        let text = "YWJjYWJjZA== 61626361626364 pass%22word 1 abcabcabcd, abcabcd-and-more, abcabcd-and, pass\"word pass\\\"word abcabc";
        let clean = "[KEY]A== [KEY] [QUOTED] 1 abc[KEY], [LONG], [KEY]-and, [QUOTED] [QUOTED] abcabc";
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
    fn a_value_too_short_to_be_found_is_refused_by_the_name_of_its_variable() {
        for value in ["", "1", "abcde"] {
            let error = Secrets::new([("PIN", value)].into_iter().map(owned).collect()).unwrap_err();
            assert!(
                error.to_string().starts_with("`PIN` has fewer than 6 characters"),
                "{error}"
            );
        }
    }

    #[test]
    fn nobody_sees_a_value_by_accident() {
        assert_eq!(format!("{:?}", secrets()), r#"{"KEY", "LONG", "QUOTED"}"#);
        assert_eq!(Secrets::default().clean("abcabcd"), "abcabcd");
    }
}
