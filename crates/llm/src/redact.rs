//! Takes secrets out of what is about to be written.

use std::fmt::Write as _;

use base64::Engine as _;

/// Stands where a secret stood.
pub(crate) const REDACTED: &str = "[redacted]";

/// Beginnings of keys that providers give out, and how long what follows must be to be one.
const KEYS: [(&str, usize); 10] = [
    ("sk-", 16),
    ("sk_", 16),
    ("gsk_", 16),
    ("xai-", 16),
    ("AIza", 30),
    ("hf_", 24),
    ("ghp_", 24),
    ("github_pat_", 24),
    ("key-", 24),
    ("Bearer ", 16),
];

/// The text without the secrets in `known` and without anything that looks like a provider's key.
pub(crate) fn text(text: &str, known: &[&str]) -> String {
    let mut clean = text.to_owned();
    for secret in known {
        for form in forms(secret) {
            clean = clean.replace(&form, REDACTED);
        }
    }
    for (start, least) in KEYS {
        clean = without_keys(&clean, start, least);
    }
    clean
}

/// A value with fewer bytes would be found in innocent words, so it cannot be kept out of what is written.
pub const LEAST_SECRET: usize = 6;

/// The forms in which a secret may stand in a text, longest first: as it is, between quotes of JSON, percent-encoded, in hexadecimal,
/// and in Base64, alone or as a part of something longer. None for a value that is too short.
pub fn forms(secret: &str) -> Vec<String> {
    if secret.len() < LEAST_SECRET {
        return Vec::new();
    }
    let mut forms = vec![secret.to_owned()];
    let quoted = serde_json::Value::String(secret.to_owned()).to_string();
    let quoted = quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned();
    forms.push(quoted.replace('/', "\\/"));
    forms.push(quoted);
    let written = |write: &dyn Fn(&mut String, u8)| {
        secret.bytes().fold(String::new(), |mut text, byte| {
            write(&mut text, byte);
            text
        })
    };
    for (upper, space) in [(true, "%20"), (true, "+"), (false, "%20"), (false, "+")] {
        forms.push(written(&|text, byte| {
            // Writing to a text cannot fail.
            let _ = match byte {
                b' ' => text.write_str(space),
                byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => text.write_char(char::from(byte)),
                byte if upper => write!(text, "%{byte:02X}"),
                byte => write!(text, "%{byte:02x}"),
            };
        }));
    }
    let hex = written(&|text, byte| {
        let _ = write!(text, "{byte:02x}");
    });
    forms.extend([hex.to_uppercase(), hex]);
    for engine in [
        &base64::engine::general_purpose::STANDARD_NO_PAD,
        &base64::engine::general_purpose::URL_SAFE_NO_PAD,
    ] {
        for before in 0..3_usize {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(secret.as_bytes());
            let text = engine.encode(&bytes);
            // Letters at the ends hold bits of what stands around it too.
            let first = (before * 8).div_ceil(6);
            let last = bytes.len() * 8 / 6;
            forms.extend(text.get(first..last).map(str::to_owned));
        }
    }
    forms.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    forms.dedup();
    forms
}

/// The same for a provider's words about a failed request, which may name the account: also without addresses of people
/// and ids of organisations.
pub(crate) fn failure(said: &str, known: &[&str]) -> String {
    let clean = text(said, known);
    let words = clean.split_inclusive(|c: char| c.is_whitespace() || "\"'`,;()<>[]{}".contains(c));
    words
        .map(|word| {
            let core = word.trim_end_matches(|c: char| c.is_whitespace() || "\"'`,;()<>[]{}".contains(c));
            let end = word.get(core.len()..).unwrap_or_default();
            let (bare, dots) = core.split_at(core.trim_end_matches('.').len());
            if is_personal(bare) {
                format!("{REDACTED}{dots}{end}")
            } else {
                word.to_owned()
            }
        })
        .collect()
}

fn is_personal(word: &str) -> bool {
    let is_mail = word
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('/'));
    let is_account = ["org-", "proj_", "user-", "acct_"].iter().any(|start| {
        word.strip_prefix(start)
            .is_some_and(|rest| rest.len() >= 8 && rest.chars().any(|c| c.is_ascii_digit()))
    });
    is_mail || is_account
}

fn without_keys(text: &str, start: &str, least: usize) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(start) {
        let (before, found) = rest.split_at(at);
        clean.push_str(before);
        let (head, tail) = found.split_at(start.len());
        let length = tail
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
            .unwrap_or(tail.len());
        let (body, after) = tail.split_at(length);
        let inside_a_word = before
            .chars()
            .next_back()
            .or_else(|| clean.chars().next_back())
            .is_some_and(char::is_alphanumeric);
        let is_key =
            !inside_a_word && length >= least && body.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
        clean.push_str(head);
        clean.push_str(if is_key { REDACTED } else { body });
        rest = after;
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_and_words_stay() {
        for (before, after) in [
            (
                "Incorrect API key provided: sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6.",
                "Incorrect API key provided: sk-[redacted]",
            ),
            ("\"AIzaSyA1234567890abcdefghijklmnopqrstu\"", "\"AIza[redacted]\""),
            (
                "task-dependent-configuration-of-things",
                "task-dependent-configuration-of-things",
            ),
            (
                "authorization: Bearer abcdefghij0123456789",
                "authorization: Bearer [redacted]",
            ),
            ("my own password-1234!", "my own [redacted]!"),
            ("sk-short1", "sk-short1"),
        ] {
            assert_eq!(text(before, &["password-1234", "x"]), after);
        }
    }

    fn hex(key: &str) -> String {
        key.bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .concat()
    }

    fn percent(key: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        let one = |byte: u8| {
            let c = char::from(byte);
            if plain(c) {
                c.to_string()
            } else {
                format!("%{byte:02X}")
            }
        };
        key.bytes().map(one).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_known_key_goes_in_every_form_that_it_may_have() {
        use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
        let keys = ["abc+/=12", "plain-key", "mein Schlüssel/?", "q\"uo\\te"];
        for key in keys {
            let mut written = vec![
                key.to_owned(),
                serde_json::json!({ "key": key }).to_string(),
                serde_json::json!({ "key": key }).to_string().replace('/', "\\/"),
                hex(key),
                hex(key).to_uppercase(),
                percent(key),
            ];
            for before in ["", "x", "xy", "xyz", "user:"] {
                for after in ["", "1", "22", "and more"] {
                    let whole = format!("{before}{key}{after}");
                    written.extend([STANDARD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)]);
                }
            }
            for form in written {
                let clean = text(&format!("it is {form}!"), &[key]);
                assert!(clean.contains(REDACTED), "{key}: {form} stays as {clean}");
                assert!(!clean.contains(key), "{key}: {form} stays as {clean}");
            }
        }
        assert_eq!(text("short: abcde", &["abcde"]), "short: abcde");
        assert!(forms("abcde").is_empty());
    }

    #[test]
    fn a_failure_names_no_person_and_no_account() {
        assert_eq!(
            failure(
                "Rate limit for gpt-5 in org-Ab12cd34EF56 (me@example.org). Try again",
                &[]
            ),
            "Rate limit for gpt-5 in [redacted] ([redacted]). Try again"
        );
        assert_eq!(failure("user-defined org-mode a@b", &[]), "user-defined org-mode a@b");
    }
}
