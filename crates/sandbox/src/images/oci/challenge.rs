//! What a server wants to know of whoever asks (`WWW-Authenticate`).

/// How somebody says who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Basic,
    Bearer,
}

/// One wish.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) scheme: Scheme,
    values: Vec<(String, String)>,
}

impl Challenge {
    /// Reads a header that holds one; `None` for schemes that nobody here knows.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (scheme, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "basic" => Scheme::Basic,
            "bearer" => Scheme::Bearer,
            _ => return None,
        };
        let mut values = Vec::new();
        while let Some((name, after)) = rest.split_once('=') {
            let name = name.trim_matches([',', ' ', '\t']).to_ascii_lowercase();
            let after = after.trim_start();
            let value;
            (value, rest) = if let Some(quoted) = after.strip_prefix('"') {
                read_quoted(quoted)
            } else {
                let (value, rest) = after.split_once(',').unwrap_or((after, ""));
                (value.trim().to_owned(), rest)
            };
            values.push((name, value));
        }
        Some(Self { scheme, values })
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The text up to the closing quote, and what follows it.
fn read_quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return (value, text.get(at + 1..).unwrap_or_default()),
            _ => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_with_quotes_commas_and_escapes() {
        let read = |text| Challenge::read(text).unwrap();
        let bearer = read(r#"Bearer realm="https://a.test/token",service="a, b",scope="repository:x:pull,push""#);
        assert_eq!(bearer.scheme, Scheme::Bearer);
        assert_eq!(bearer.value("realm"), Some("https://a.test/token"));
        assert_eq!(bearer.value("service"), Some("a, b"));
        assert_eq!(bearer.value("scope"), Some("repository:x:pull,push"));
        assert_eq!(read("basic Realm=\"a \\\" b\" , x=y, z=1").values.len(), 3);
        assert_eq!(read("Basic").scheme, Scheme::Basic);
        assert_eq!(read("Bearer realm=\"open").value("realm"), Some("open"));
        assert!(Challenge::read("Negotiate abc").is_none());
    }
}
