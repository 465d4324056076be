//! spec.json: the few fields that an agent records; everything else stays unchanged.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::script::Verdict;
use crate::trouble::Trouble;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Japanese,
}

/// The language of the documents; English by default.
pub(crate) fn language(text: &str) -> Language {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    match json["language"].as_str() {
        Some("ja") => Language::Japanese,
        _ => Language::English,
    }
}

/// A spec.json that is being changed. The path is for error messages.
pub(crate) struct SpecJson<'a> {
    path: &'a Path,
    root: Value,
    ends_with_newline: bool,
}

impl<'a> SpecJson<'a> {
    pub fn parse(path: &'a Path, text: &str) -> Result<SpecJson<'a>, Trouble> {
        let root = serde_json::from_str(text).map_err(|error| Trouble::SpecJson {
            path: path.to_path_buf(),
            problem: error.to_string(),
        })?;
        Ok(SpecJson {
            path,
            root,
            ends_with_newline: text.ends_with('\n'),
        })
    }

    pub fn text(&self) -> String {
        let end = if self.ends_with_newline { "\n" } else { "" };
        format!("{:#}{end}", self.root)
    }

    pub fn record_reply(&mut self, round: u32, fixes: usize, open: usize) -> Result<(), Trouble> {
        let rounds = self.list("documentReview", "roundDetails")?;
        let entry = entry(rounds, "roundNumber", round);
        entry["fixRequiredCount"] = json!(fixes);
        entry["needsDiscussionCount"] = json!(open);
        Ok(())
    }

    pub fn record_inspection(
        &mut self,
        round: u32,
        verdict: Verdict,
        now: &str,
    ) -> Result<(), Trouble> {
        let rounds = self.list("inspection", "rounds")?;
        let entry = entry(rounds, "number", round);
        entry["result"] = match verdict {
            Verdict::Go => json!("go"),
            Verdict::Nogo => json!("nogo"),
        };
        entry["inspectedAt"] = json!(now);
        Ok(())
    }

    /// The number of the last inspection.
    pub fn last_inspection(&self) -> Option<u32> {
        let last = self.root["inspection"]["rounds"].as_array()?.last()?;
        u32::try_from(last["number"].as_u64()?).ok()
    }

    /// Records that the last inspection was answered with a fix.
    pub fn record_fix(&mut self, now: &str) -> Result<(), Trouble> {
        let rounds = self.list("inspection", "rounds")?;
        if let Some(Value::Object(last)) = rounds.last_mut() {
            last.insert("fixedAt".into(), json!(now));
        }
        Ok(())
    }

    /// The list at `section.key`, created if missing.
    fn list(&mut self, section: &str, key: &str) -> Result<&mut Vec<Value>, Trouble> {
        let trouble = |name: &str, kind| Trouble::SpecJson {
            path: self.path.to_path_buf(),
            problem: format!("{name} is not {kind}"),
        };
        let Value::Object(root) = &mut self.root else {
            return Err(trouble("the file", "an object"));
        };
        let Value::Object(fields) = present(root, section, || json!({})) else {
            return Err(trouble(section, "an object"));
        };
        let Value::Array(list) = present(fields, key, || json!([])) else {
            return Err(trouble(&format!("{section}.{key}"), "a list"));
        };
        Ok(list)
    }
}

fn present<'m>(
    fields: &'m mut Map<String, Value>,
    key: &str,
    make: impl FnOnce() -> Value,
) -> &'m mut Value {
    let value = fields.entry(key).or_insert(Value::Null);
    if value.is_null() {
        *value = make();
    }
    value
}

/// The object of a round, found by its number or appended.
fn entry<'l>(list: &'l mut Vec<Value>, key: &str, number: u32) -> &'l mut Value {
    let known = list.iter().position(|entry| entry[key] == json!(number));
    let index = known.unwrap_or_else(|| {
        list.push(json!({key: number}));
        list.len() - 1
    });
    &mut list[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, change: impl FnOnce(&mut SpecJson<'_>)) -> String {
        let mut spec = SpecJson::parse(Path::new("spec.json"), text).unwrap();
        change(&mut spec);
        spec.text()
    }

    #[test]
    fn a_reply_is_recorded_and_the_rest_stays_in_its_order() {
        let before = "{\n  \"z\": 1,\n  \"documentReview\": {\n    \"roundDetails\": [\n      {\n        \"roundNumber\": 1,\n        \"status\": \"x\"\n      }\n    ]\n  },\n  \"a\": 2\n}\n";
        let after = changed(before, |spec| spec.record_reply(1, 3, 0).unwrap());
        let counts = "\"status\": \"x\",\n        \"fixRequiredCount\": 3,\n        \"needsDiscussionCount\": 0";
        assert_eq!(after, before.replace("\"status\": \"x\"", counts));
    }

    #[test]
    fn rounds_are_added_where_there_are_none() {
        let after = changed("{\"inspection\": null}", |spec| {
            spec.record_inspection(1, Verdict::Nogo, "t1").unwrap();
            spec.record_fix("t2").unwrap();
            assert_eq!(spec.last_inspection(), Some(1));
        });
        let json: Value = serde_json::from_str(&after).unwrap();
        let round = json!({"number": 1, "result": "nogo", "inspectedAt": "t1", "fixedAt": "t2"});
        assert_eq!(json["inspection"]["rounds"], json!([round]));
    }

    #[test]
    fn another_shape_is_refused_by_name() {
        let mut spec = SpecJson::parse(Path::new("s"), r#"{"inspection":{"rounds":2}}"#).unwrap();
        let trouble = spec.record_fix("t").unwrap_err();
        assert_eq!(
            trouble.to_string(),
            "cannot use s: inspection.rounds is not a list"
        );
    }
}
