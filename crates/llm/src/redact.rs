//! Takes secrets out of what is about to be written.

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
        // A short one would be found in innocent words; local servers take anything as a key.
        if secret.len() >= 8 {
            clean = clean.replace(secret, REDACTED);
        }
    }
    for (start, least) in KEYS {
        clean = without_keys(&clean, start, least);
    }
    clean
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
