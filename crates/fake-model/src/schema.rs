//! A value that matches a JSON schema, for requests that are not about the work.

use serde_json::{Map, Value, json};

/// Schemas can refer to themselves; no real schema is nested this deep.
const DEPTH_MAX: u8 = 32;

/// The smallest value that matches, for the subset of schemas that the programs use.
pub(crate) fn fitting(schema: &Value) -> Value {
    fit(schema, schema, DEPTH_MAX)
}

fn fit(schema: &Value, root: &Value, depth: u8) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    if let Some(pointer) = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        return root
            .pointer(pointer)
            .map_or(Value::Null, |to| fit(to, root, depth));
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[choice].get(0) {
            return fit(first, root, depth);
        }
    }
    let smallest = |key: &str, or: i64| schema.get(key).cloned().unwrap_or_else(|| json!(or));
    match kind(schema).as_str() {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields = fields.map(|(key, field)| (key.clone(), fit(field, root, depth)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        "array" => {
            let items = schema["minItems"].as_u64().unwrap_or(0).min(100);
            (0..items)
                .map(|_| fit(&schema["items"], root, depth))
                .collect()
        }
        // Scores and confidences: a low value never triggers anything.
        "integer" => smallest("minimum", 1),
        "number" => smallest("minimum", 0),
        "boolean" => json!(false),
        "string" => json!("ok"),
        _ => Value::Null,
    }
}

/// The type in lower case; Gemini uses capitals.
fn kind(schema: &Value) -> String {
    let named = match &schema["type"] {
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null"),
        kind => kind.as_str(),
    };
    match named {
        Some(named) => named.to_lowercase(),
        None if schema.get("properties").is_some() => "object".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_fits_the_schema() {
        let schema = json!({
            "type": "OBJECT",
            "properties": {
                "reason": {"type": "STRING"},
                "score": {"type": "INTEGER", "minimum": 3},
                "speaker": {"type": "string", "enum": ["user", "model"]},
                "maybe": {"type": ["null", "number"]},
                "list": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/flag"}},
                "either": {"anyOf": [{"const": 7}, {"type": "string"}]},
            },
            "$defs": {"flag": {"type": "boolean"}},
        });
        let expected = json!({
            "reason": "ok", "score": 3, "speaker": "user", "maybe": 0,
            "list": [false, false], "either": 7,
        });
        assert_eq!(fitting(&schema), expected);
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        assert!(fitting(&schema).is_object());
    }
}
