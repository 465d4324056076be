//! Finds the JSON object in an answer.

use serde_json::Value;

use crate::ask::{Call, FINAL_RESULT};

/// The object, if the answer is the requested call, or JSON: bare, in one fenced block, or the only
/// object in a text.
pub(crate) fn find(text: &str, calls: &[Call]) -> Option<Value> {
    let called = calls.iter().find(|call| call.name == FINAL_RESULT);
    match called.map(|call| &call.input) {
        Some(Value::String(text)) => object(text),
        Some(input) => Some(input.clone()).filter(Value::is_object),
        None => object(text)
            .or_else(|| object(only_block(text)?))
            .or_else(|| only_object(text)),
    }
}

fn object(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    value.is_object().then_some(value)
}

/// The only object in a text. Thoughts before it are ignored.
fn only_object(text: &str) -> Option<Value> {
    const THOUGHT: &str = "</think>";
    let text = text.rsplit(THOUGHT).next()?;
    if serde_json::from_str::<Value>(text.trim()).is_ok() {
        // The text is JSON, but not an object.
        return None;
    }
    let begin = text.find('{')?;
    let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let rest = text.get(begin + values.byte_offset()..)?;
    (value.is_object() && !rest.contains('{')).then_some(value)
}

/// The text between the first and the last fence. If there are two blocks, the text between them
/// makes it invalid JSON.
fn only_block(text: &str) -> Option<&str> {
    const FENCE: &str = "```";
    let begin = text.find(FENCE)? + FENCE.len();
    let block = text.get(begin..text.rfind(FENCE)?)?;
    // The language may follow the opening fence.
    match block.split_once('\n') {
        Some((first, rest)) if !first.contains('{') => Some(rest),
        _ => Some(block),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, input: Value) -> Call {
        Call {
            id: "1".to_owned(),
            name: name.to_owned(),
            input,
        }
    }

    #[test]
    fn an_object_is_found_as_the_call_or_as_json_in_the_text() {
        let score = json!({"score": 7});
        for (text, calls) in [
            ("", vec![call(FINAL_RESULT, score.clone())]),
            (
                "so:",
                vec![call("other", json!({})), call(FINAL_RESULT, score.clone())],
            ),
            ("", vec![call(FINAL_RESULT, json!("{\"score\":7}"))]),
            (" {\"score\": 7}\n", vec![]),
            ("```json\n{\"score\": 7}\n```", vec![]),
            ("Here it is:\n```\n{\"score\": 7}\n```\nBye.", vec![]),
            ("```{\"score\": 7}```", vec![]),
            ("It is {\"score\": 7}", vec![]),
            ("```\n{\"score\": 7}", vec![]),
            (
                "<think>{\"score\": 1}?</think>\n{\"score\": 7} it is",
                vec![],
            ),
            (
                "Like ```{} ``` this? No:",
                vec![call(FINAL_RESULT, score.clone())],
            ),
        ] {
            assert_eq!(find(text, &calls), Some(score.clone()), "{text} {calls:?}");
        }
    }

    #[test]
    fn anything_else_is_no_object() {
        for (text, calls) in [
            ("", vec![]),
            ("seven", vec![]),
            ("7", vec![]),
            ("[{\"score\": 7}]", vec![]),
            ("It is {\"score\": 7} or {\"score\": 8}", vec![]),
            ("```\n{\"score\": 7}\n```\n```\n{\"score\": 8}\n```", vec![]),
            ("", vec![call(FINAL_RESULT, json!("{\"score\":"))]),
            ("", vec![call("other", json!({"score": 7}))]),
        ] {
            assert_eq!(find(text, &calls), None, "{text} {calls:?}");
        }
    }
}
