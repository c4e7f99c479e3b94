//! Vectors of texts, in the form that OpenAI made and many servers speak: each message of a request is one text, and the answer's
//! one part is the list of vectors as JSON.

use seatrial_core::{Finish, Part, Usage};
use serde_json::{Value, json};

use super::{Decoded, Decoder, Fault, Outgoing, count, text};
use crate::Piece;

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Value {
    let texts: Vec<String> = outgoing
        .request
        .messages
        .iter()
        .map(seatrial_core::Message::plain_text)
        .collect();
    json!({ "model": outgoing.model, "input": texts })
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    decoded: Decoded,
}

impl Decoder for Reader {
    fn event(&mut self, _: &str, _: &str, _: &mut Vec<Piece>) -> Result<(), Fault> {
        Err(Fault::Unreadable("it is no list of vectors".to_owned()))
    }

    fn whole(&mut self, body: &Value) -> Result<(), Fault> {
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Err(Fault::Provider(error.clone()));
        }
        let list = body
            .get("data")
            .and_then(Value::as_array)
            .ok_or_else(|| Fault::Unreadable("it has no list of vectors".to_owned()))?;
        let mut vectors = Vec::with_capacity(list.len());
        for (place, item) in list.iter().enumerate() {
            let vector = item
                .get("embedding")
                .and_then(numbers)
                .ok_or_else(|| Fault::Unreadable(format!("item {place} of it is no vector")))?;
            let index = count(item, "/index").unwrap_or(place as u64);
            vectors.push((index, vector));
        }
        vectors.sort_by_key(|(index, _)| *index);
        let vectors: Vec<Vec<f32>> = vectors.into_iter().map(|(_, vector)| vector).collect();
        let input = count(body, "/usage/prompt_tokens").or_else(|| count(body, "/usage/total_tokens"));
        self.decoded = Decoded {
            parts: vec![Part::Text {
                text: json!(vectors).to_string(),
            }],
            finish: Some(Finish::Stop),
            usage: Usage {
                input,
                // Nothing is said, which is known as soon as anything is.
                output: input.map(|_| 0),
                ..Usage::default()
            },
            answered_by: text(body, "/model").map(str::to_owned),
            ..Decoded::default()
        };
        Ok(())
    }

    fn is_over(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>) -> Decoded {
        self.decoded
    }
}

fn numbers(value: &Value) -> Option<Vec<f32>> {
    let list = value.as_array().filter(|list| !list.is_empty())?;
    list.iter()
        .map(|number| {
            number
                .as_f64()
                .map(|number| number as f32)
                .filter(|number| number.is_finite())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn vectors_are_put_in_order_and_what_is_none_is_refused() {
        let bodies = [
            json!({"data": [{"index": 1, "embedding": [3, 4.5]}, {"index": 0, "embedding": [1, 2]}], "usage": {"prompt_tokens": 7}}),
            json!({"data": [{"embedding": [1]}], "usage": {"total_tokens": 3}, "model": "m"}),
            json!({"data": []}),
            json!({"data": [{"embedding": []}]}),
            json!({"data": [{"embedding": ["a"]}]}),
            json!({"data": [{"embedding": [1e300]}]}),
            json!({"data": "none"}),
            json!({"error": {"message": "busy"}}),
        ];
        let mut listing = String::new();
        for body in bodies {
            use std::fmt::Write as _;
            let mut reader = Reader::default();
            let line = match reader.whole(&body) {
                Ok(()) => {
                    let decoded = Box::new(reader).finish();
                    format!(
                        "{:?} {:?} {:?}",
                        decoded.parts, decoded.usage.input, decoded.usage.output
                    )
                }
                Err(fault) => format!("{fault:?}"),
            };
            writeln!(listing, "{line}").unwrap();
        }
        expect![[r#"
            [Text { text: "[[1.0,2.0],[3.0,4.5]]" }] Some(7) Some(0)
            [Text { text: "[[1.0]]" }] Some(3) Some(0)
            [Text { text: "[]" }] None None
            Unreadable("item 0 of it is no vector")
            Unreadable("item 0 of it is no vector")
            Unreadable("item 0 of it is no vector")
            Unreadable("it has no list of vectors")
            Provider(Object {"message": String("busy")})
        "#]]
        .assert_eq(&listing);
    }
}
