//! Which headers go on, and which are between two neighbours only.

use hyper::{
    HeaderMap,
    header::{self, HeaderName, HeaderValue},
};

/// Between two neighbours; a proxy never passes them on.
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
];
const HOP_BY_HOP_BY_NAME: [&str; 3] = ["keep-alive", "proxy-connection", "http2-settings"];

/// The headers without those that are between two neighbours only.
pub(crate) fn onward(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    headers
        .iter()
        .filter(|(name, _)| {
            !HOP_BY_HOP.contains(name)
                && !HOP_BY_HOP_BY_NAME.contains(&name.as_str())
                && !named.iter().any(|named| named == name.as_str())
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// A value as text, byte for character, so that nothing is lost.
pub(crate) fn to_text(value: &HeaderValue) -> String {
    value.as_bytes().iter().map(|byte| char::from(*byte)).collect()
}

/// The value that [`to_text`] wrote; `None` when it cannot be one.
pub(crate) fn from_text(text: &str) -> Option<HeaderValue> {
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    HeaderValue::from_bytes(&bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_neighbours_stays_there() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, X-Secret"),
            ("x-secret", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("proxy-authorization", "Basic x"),
            ("accept", "text/html"),
            ("set-cookie", "a"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.append("set-cookie", HeaderValue::from_static("b"));
        let onward: Vec<_> = onward(&headers)
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        assert_eq!(onward, ["accept: text/html", "set-cookie: a", "set-cookie: b"]);
    }

    #[test]
    fn values_survive_as_text() {
        for bytes in [&b"plain"[..], b"caf\xc3\xa9", b"\xff\x80"] {
            let value = HeaderValue::from_bytes(bytes).unwrap();
            assert_eq!(from_text(&to_text(&value)).unwrap(), value);
        }
        assert!(from_text("a\r\nb").is_none());
        assert!(from_text("\u{20ac}").is_none());
    }
}
