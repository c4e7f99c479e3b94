//! How many tokens a request has at most, before a provider counts them.

/// What was learned from the last call of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Bytes of its request.
    pub(crate) bytes: u64,
    /// Tokens that the provider counted in it.
    pub(crate) tokens: u64,
}

/// What providers add to a request that nobody sees: words about tools, marks between messages.
const HIDDEN: u64 = 600;

/// At most so many tokens are in a request of this many bytes.
///
/// No tokenizer makes more tokens than there are bytes, so every byte that is new since the last call counts for one; what
/// was there already is known. For the first call this is three to four times too many, and it is not wrong for languages
/// and for base64, where a rule of thumb is.
pub(crate) fn most_input(bytes: u64, seen: Option<Seen>) -> u64 {
    let all = bytes.saturating_add(HIDDEN);
    match seen {
        Some(seen) if bytes >= seen.bytes => seen
            .tokens
            .saturating_add(bytes - seen.bytes)
            .saturating_add(64)
            .min(all),
        // It was condensed. Its parts are those of before with something new among them.
        Some(seen) => seen.tokens.saturating_add(64).max(bytes / 2).min(all),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_counts_as_known_and_the_rest_as_bytes() {
        let seen = Some(Seen {
            bytes: 10_000,
            tokens: 2500,
        });
        for (bytes, seen, most) in [
            (4000, None, 4600),
            (12_000, seen, 2500 + 2000 + 64),
            (6000, seen, 3000),
            (
                10_000,
                Some(Seen {
                    bytes: 0,
                    tokens: 1_000_000,
                }),
                10_600,
            ),
        ] {
            assert_eq!(most_input(bytes, seen), most);
        }
    }
}
