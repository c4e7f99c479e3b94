//! Vectors from the server's side. They come from the words of a text, so that texts with the same words are near each other.

use serde_json::{Value, json};

use super::{Saying, View, named};

/// Places of a vector.
const PLACES: usize = 64;

pub(super) fn view(body: &Value) -> View {
    let input = body.get("input").unwrap_or(&Value::Null);
    let inputs = match input {
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    };
    View {
        streams: false,
        last: inputs.join("\n"),
        inputs,
        ..named(body)
    }
}

/// The vector of a text.
pub(super) fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; PLACES];
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
        });
        let place = (hash >> 32) as usize % PLACES;
        if let Some(value) = vector.get_mut(place) {
            *value += 1.0;
        }
    }
    vector
}

pub(super) fn whole(saying: &Saying) -> Value {
    let data: Vec<Value> = saying
        .vectors
        .iter()
        .enumerate()
        .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}))
        .collect();
    let mut body = json!({"object": "list", "model": saying.model, "data": data});
    if let Some(told) = &saying.usage {
        body["usage"] = json!({"prompt_tokens": told.input, "total_tokens": told.input});
    }
    // What is huge is huge here too.
    if !saying.text.is_empty() {
        body["note"] = json!(saying.text);
    }
    body
}
