//! What two requests must have in common to be the same.

use std::fmt::Write as _;

use seatrial_core::Digest;
use serde_json::Value;

use crate::Wire;

/// Fields of a request that do not change what is asked.
const VOLATILE: [&str; 8] = [
    "user",
    "metadata",
    "stream",
    "stream_options",
    "prompt_cache_key",
    "safety_identifier",
    "service_tier",
    "store",
];

/// The key of a request in a cassette.
pub(crate) fn request_key(wire: Wire, model: &str, body: &Value) -> Digest {
    let mut text = format!("{wire}\n{model}\n");
    match body {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(name, _)| !VOLATILE.contains(&name.as_str()))
                .collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in fields {
                let _ = write!(text, "{name}=");
                write_sorted(value, &mut text);
                text.push('\n');
            }
        }
        other => write_sorted(other, &mut text),
    }
    Digest::of(text.as_bytes())
}

/// Writes a value in one way, whatever order its fields came in.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                let _ = write!(text, "{}:", Value::String(name.clone()));
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for value in values {
                write_sorted(value, text);
                text.push(',');
            }
            text.push(']');
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_the_same_when_it_asks_the_same() {
        let key = |body: Value| request_key(Wire::Chat, "m", &body);
        let one = key(json!({"messages": [{"role": "user", "content": "x"}], "stream": true, "user": "me"}));
        assert_eq!(
            one,
            key(json!({"messages": [{"content": "x", "role": "user"}], "stream": false}))
        );
        assert_ne!(one, key(json!({"messages": [{"role": "user", "content": "y"}]})));
        // A volatile name counts deeper inside, where it is part of what is asked.
        assert_ne!(key(json!({"a": {"user": 1}})), key(json!({"a": {"user": 2}})));
        assert_ne!(key(json!({"a": "1,b"})), key(json!({"a": "1", "b": 1})));
        assert_ne!(
            request_key(Wire::Chat, "m", &json!({})),
            request_key(Wire::Responses, "m", &json!({}))
        );
    }
}
