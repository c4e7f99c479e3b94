//! Checks arguments against the part of JSON Schema that tools use, in words that a model can act on.

use serde_json::{Map, Value};

/// What does not fit, each with its place; empty when all does.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    check(schema, value, "", &mut problems);
    problems
}

fn check(schema: &Value, value: &Value, place: &str, problems: &mut Vec<String>) {
    let here = if place.is_empty() { "the arguments" } else { place };
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|wanted| is_of(wanted, value)) {
        problems.push(format!("{here} must be {}, not {}", types.join(" or "), kind(value)));
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        problems.push(format!("{here} must be one of {}", allowed.join(", ")));
    }
    match value {
        Value::Object(object) => check_object(schema, object, place, problems),
        Value::Array(items) => {
            if let Some(most) = bound(schema, "maxItems")
                && items.len() as f64 > most
            {
                problems.push(format!("{here} has {} items and may have {most}", items.len()));
            }
            if let Some(least) = bound(schema, "minItems")
                && (items.len() as f64) < least
            {
                problems.push(format!("{here} has {} items and must have {least}", items.len()));
            }
            if let Some(schema) = schema.get("items") {
                for (number, item) in items.iter().enumerate() {
                    check(schema, item, &format!("{place}[{number}]"), problems);
                }
            }
        }
        Value::String(text) => {
            if bound(schema, "minLength").is_some_and(|least| (text.chars().count() as f64) < least) {
                problems.push(format!("{here} must not be empty"));
            }
            if let Some(most) = bound(schema, "maxLength")
                && text.chars().count() as f64 > most
            {
                problems.push(format!("{here} is longer than {most} characters"));
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            if let Some(least) = bound(schema, "minimum")
                && number < least
            {
                problems.push(format!("{here} must be at least {least}, not {number}"));
            }
            if let Some(most) = bound(schema, "maximum")
                && number > most
            {
                problems.push(format!("{here} must be at most {most}, not {number}"));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn check_object(schema: &Value, object: &Map<String, Value>, place: &str, problems: &mut Vec<String>) {
    let below = |name: &str| {
        if place.is_empty() {
            format!("`{name}`")
        } else {
            format!("{place}.{name}")
        }
    };
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            problems.push(format!("{} is missing", below(name)));
        }
    }
    for (name, value) in object {
        match properties.get(name) {
            Some(schema) => check(schema, value, &below(name), problems),
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                problems.push(format!(
                    "{} is not known; {}",
                    below(name),
                    if known.is_empty() {
                        "nothing is taken here".to_owned()
                    } else {
                        format!("known are {}", known.join(", "))
                    }
                ));
            }
            None => {}
        }
    }
}

/// Leaves out what is `null` and need not be there: many models write it for "nothing".
pub(crate) fn without_nulls(schema: &Value, value: Value) -> Value {
    let Value::Object(object) = value else { return value };
    let takes_null = |name: &str| {
        schema
            .pointer(&format!("/properties/{name}"))
            .is_some_and(|schema| schema.get("type").is_none() || problems(schema, &Value::Null).is_empty())
    };
    Value::Object(
        object
            .into_iter()
            .filter(|(name, value)| !value.is_null() || takes_null(name))
            .collect(),
    )
}

fn bound(schema: &Value, name: &str) -> Option<f64> {
    schema.get(name).and_then(Value::as_f64)
}

fn is_of(wanted: &str, value: &Value) -> bool {
    match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_said_with_its_place() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["path"],
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "lines": {"type": "integer", "minimum": 1, "maximum": 9},
                "how": {"enum": ["a", "b"]},
                "many": {"type": "array", "maxItems": 2, "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "boolean"}}}},
            }
        });
        let check = |value: Value| problems(&schema, &value).join("; ");
        for (value, expected) in [
            (json!({"path": "a"}), ""),
            (json!({"path": "a", "lines": 3.0}), ""),
            (json!([]), "the arguments must be object, not an array"),
            (json!({}), "`path` is missing"),
            (json!({"path": 3}), "`path` must be string, not a number"),
            (json!({"path": ""}), "`path` must not be empty"),
            (json!({"path": "a", "lines": 0}), "`lines` must be at least 1, not 0"),
            (
                json!({"path": "a", "lines": "3"}),
                "`lines` must be integer, not a string",
            ),
            (
                json!({"path": "a", "lines": 1.5}),
                "`lines` must be integer, not a number",
            ),
            (json!({"path": "a", "how": "c"}), r#"`how` must be one of "a", "b""#),
            (
                json!({"path": "a", "many": [{}, {"x": 1}]}),
                "`many`[0].x is missing; `many`[1].x must be boolean, not a number",
            ),
            (
                json!({"path": "a", "pth": 1}),
                "`pth` is not known; known are how, lines, many, path",
            ),
        ] {
            assert_eq!(check(value.clone()), expected, "{value}");
        }
        assert_eq!(
            without_nulls(&schema, json!({"path": "a", "lines": null})),
            json!({"path": "a"})
        );
    }
}
